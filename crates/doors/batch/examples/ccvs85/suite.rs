//! The suite as it is distributed: one file of members, each behind a header. What a site replaces in them (X-cards), and which
//! optional lines it takes.

use std::collections::BTreeMap;
use std::path::Path;

/// Letters in column 7 of lines that are taken; lines with other letters are left out.
const TAKEN: [char; 5] = ['A', 'T', 'H', 'E', 'D'];
/// Texts in place of the cards. A missing card keeps its name: names of files are names of DD statements.
const CARDS: [(&str, &str); 15] = [
    ("XXXXX051", "UPSI-0"),
    ("XXXXX052", "UPSI-1"),
    ("XXXXX053", "SAME AREA FOR"),
    ("XXXXX056", "SYSOUT"),
    ("XXXXX057", "SYSIN"),
    ("XXXXX063", "\" $$()*+,-./0123456789;<=>ABCDEFGHIJKLMNOPQRSTUVWXYZ\""),
    ("XXXXX064", "\"ZYXWVUTSRQPONMLKJIHGFEDCBA>=<;9876543210/.-,+*)($$ \""),
    ("XXXXX065", "0510"),
    ("XXXXX067", "65000"),
    ("XXXXX068", "65000"),
    ("XXXXX070", "STANDARD-1"),
    ("XXXXX073", "C01"),
    ("XXXXX081", "\"@%&!{}[]\""),
    ("XXXXX084", "STANDARD"),
    ("XXXXX090", "66"),
];

/// The second library of copybooks.
pub const LIBRARY: &str = "XXXXX048";

/// A program of the suite.
#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    /// The main program that it is called by, or runs behind.
    pub main: Option<String>,
    /// SUBRTN: it is called. SUBPRG: it runs behind the main program, on its files.
    pub is_called: bool,
    pub text: String,
}

/// The suite.
#[derive(Debug, Default)]
pub struct Suite {
    pub programs: Vec<Member>,
    pub copybooks: BTreeMap<String, String>,
    /// Lines that ACCEPT reads, by the program.
    pub data: BTreeMap<String, String>,
}

impl Suite {
    pub fn read(path: &Path) -> std::io::Result<Self> {
        let bytes = std::fs::read(path)?;
        let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        let mut suite = Self::default();
        let mut header: Option<Vec<String>> = None;
        let mut own = String::new();
        for line in text.lines() {
            if let Some(words) = line.strip_prefix("*HEADER,") {
                // Behind its name a member may have one for its data.
                let words = words.split_whitespace().next().unwrap_or_default();
                header = Some(words.split(',').map(str::to_owned).collect());
                own.clear();
            } else if line.starts_with("*END-OF") {
                if let Some(words) = header.take() {
                    suite.add(&words, std::mem::take(&mut own));
                }
            } else if let Some(words) = &header {
                own.push_str(&if words[0].starts_with("DATA") { line.to_owned() } else { card(line) });
                own.push('\n');
            }
        }
        Ok(suite)
    }

    fn add(&mut self, words: &[String], text: String) {
        match words {
            // A member of another library, which has the name of one of the first.
            [kind, name] if kind == "CLBRY" && name == "ALTL1" => {
                self.copybooks.insert(format!("{LIBRARY}/ALTLB"), text);
            }
            [kind, name] if kind == "CLBRY" => {
                self.copybooks.insert(name.clone(), text);
            }
            [kind, name, ..] if kind.starts_with("DATA") => {
                self.data.insert(name.clone(), text);
            }
            [_, name] if name != "EXEC85" => {
                self.programs.push(Member { name: name.clone(), main: None, is_called: false, text });
            }
            [_, main, kind, name] => self.programs.push(Member {
                name: name.clone(),
                main: Some(main.clone()),
                is_called: kind == "SUBRTN",
                text,
            }),
            _ => {}
        }
    }
}

/// A line as a site has it: empty where it is not taken.
fn card(line: &str) -> String {
    let mut line: String = line.chars().take(72).collect();
    match line.chars().nth(6) {
        Some(option) if option.is_ascii_uppercase() && !TAKEN.contains(&option) => return String::new(),
        Some('A' | 'T' | 'H' | 'E') => line.replace_range(6..7, " "),
        _ => {}
    }
    if line.chars().nth(6) == Some('*') || line.contains('"') {
        return line;
    }
    // Files that are passed on, or deleted, by the program behind: here they are the same.
    line = line.replace("XXXXP", "XXXXX").replace("XXXXD", "XXXXX");
    for (name, own) in CARDS {
        if line.contains(name) {
            return line.replace(name, own);
        }
    }
    line.replace("XXXXX091", "69")
}
