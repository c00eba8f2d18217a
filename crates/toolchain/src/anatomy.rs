//! What a program's storage consists of, by the user's own names: for dumps.
//!
//! Beside each module stands a text with what the compiler says of storage and the DATA DIVISION as it was compiled. It is
//! read when somebody needs it, never before.

use std::path::Path;
use std::{fs, io};

use copybook::{Form, Layout, parse_as};
use diagnostics::Source;

/// The end of the text's name, instead of a module's `.so`.
pub(crate) const SUFFIX: &str = ".data";
/// Stands between the two parts of the text.
const DIVISION: &str = "DATA DIVISION";

/// A program's storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anatomy {
    /// Its records and single items, in the order of the program.
    pub items: Vec<Item>,
}

/// A record or a single item: a description of level 01 or 77.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Where it was described.
    pub section: Section,
    /// The compiler's number for it; none where it has no storage of its own that could be found by number.
    pub number: Option<u32>,
    /// What it holds.
    pub layout: Layout,
}

/// A section of the DATA DIVISION.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// WORKING-STORAGE: fixed storage of the task.
    Working,
    /// LOCAL-STORAGE: storage of the program's activation.
    Local,
    /// LINKAGE: storage of others.
    Linkage,
}

/// Keeps what the compiler said of storage, and the text that it was given, beside a module.
pub(crate) fn keep(module: &Path, storage: &str, text: &str) -> io::Result<()> {
    let lines = storage.lines().filter(|line| variable(line).is_some());
    let lines: String = lines.map(|line| format!("{line}\n")).collect();
    fs::write(module.with_extension(&SUFFIX[1..]), format!("{lines}{DIVISION}\n{}", data_division(text)))
}

impl Anatomy {
    /// What stands beside a module; none if nothing does.
    pub fn of(module: &Path) -> Option<Self> {
        let text = fs::read_to_string(module.with_extension(&SUFFIX[1..])).ok()?;
        let (storage, division) = text.split_once(DIVISION)?;
        Some(Self::new(storage, division))
    }

    fn new(storage: &str, division: &str) -> Self {
        let mut numbers: Vec<(u32, String)> = storage.lines().filter_map(variable).collect();
        numbers.sort_unstable();
        let mut items = Vec::new();
        for (section, text) in sections(division) {
            for layout in parse_as(&Source::new("storage", text), Form::Gnucobol).layouts {
                let name = layout.name().unwrap_or("FILLER").to_owned();
                let at = numbers.iter().position(|(_, known)| known.eq_ignore_ascii_case(&name));
                // The compiler numbers items in their order: those before this one are over.
                let number = at.and_then(|at| numbers.drain(..=at).next_back()).map(|(number, _)| number);
                items.push(Item { section, number, layout });
            }
        }
        Self { items }
    }
}

/// A line that declares an item's storage or the address of one, as in `static cob_u8_t b_8[5] …; /* NAME */`: its number
/// and name.
fn variable(line: &str) -> Option<(u32, String)> {
    let line = line.strip_prefix("static ")?;
    let (declaration, comment) = line.split_once("/*")?;
    let (_, symbol) = declaration.rsplit_once("b_")?;
    let digits: String = symbol.chars().take_while(char::is_ascii_digit).collect();
    // Unnamed items are numbered: `FILLER 2`.
    let name = comment.trim_end_matches("*/").split_whitespace().next()?;
    Some((digits.parse().ok()?, name.to_owned()))
}

/// The lines from DATA DIVISION to PROCEDURE DIVISION of the first program.
fn data_division(text: &str) -> String {
    let begins = |line: &str, word: &str| words(line).starts_with(&[word, "DIVISION"]);
    let lines = text.lines().skip_while(|line| !begins(line, "DATA")).skip(1);
    lines.take_while(|line| !begins(line, "PROCEDURE")).map(|line| format!("{line}\n")).collect()
}

fn words(line: &str) -> Vec<&str> {
    line.split(|c: char| c.is_whitespace() || c == '.').filter(|word| !word.is_empty()).take(2).collect()
}

/// The sections that have storage, each with its text.
fn sections(division: &str) -> Vec<(Section, String)> {
    let mut all: Vec<(Section, String)> = Vec::new();
    let mut wanted = false;
    for line in division.lines() {
        let section = match words(line).as_slice() {
            ["WORKING-STORAGE", "SECTION"] => Some(Section::Working),
            ["LOCAL-STORAGE", "SECTION"] => Some(Section::Local),
            ["LINKAGE", "SECTION"] => Some(Section::Linkage),
            [_, "SECTION"] => {
                wanted = false;
                continue;
            }
            _ => None,
        };
        match (section, all.last_mut()) {
            (Some(section), _) => {
                wanted = true;
                all.push((section, String::new()));
            }
            (None, Some((_, text))) if wanted => {
                text.push_str(line);
                text.push('\n');
            }
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_have_the_compilers_numbers() {
        let storage = "static int\tb_2;\t/* RETURN-CODE */\n\
                       static unsigned char\t*b_26 = NULL;  /* LK-P */\n\
                       static cob_u8_t\tb_8[5] __attribute__((aligned));\t/* FILLER 1 */\n\
                       static cob_u8_t\tb_9[16] __attribute__((aligned));\t/* WS-G */\n\
                       static cob_field f_8 = {5, b_8, &a_1};\n";
        let program = "       IDENTIFICATION DIVISION.\n\
                       \x20      DATA DIVISION.\n\
                       \x20      WORKING-STORAGE SECTION.\n\
                       \x20      01 FILLER PIC X(5).\n\
                       \x20      01 UNUSED PIC X.\n\
                       \x20      01 WS-G.\n\
                       \x20         05 N PIC 9(4).\n\
                       \x20      LINKAGE SECTION.\n\
                       \x20      01 LK-P PIC X(10).\n\
                       \x20      PROCEDURE DIVISION.\n";
        let folder = tempfile::tempdir().expect("a folder");
        let module = folder.path().join("P-1.so");
        keep(&module, storage, program).expect("kept");
        let anatomy = Anatomy::of(&module).expect("an anatomy");
        let shown: Vec<_> = anatomy
            .items
            .iter()
            .map(|item| (item.section, item.number, item.layout.name().unwrap_or("FILLER").to_owned()))
            .collect();
        assert_eq!(
            shown,
            [
                (Section::Working, Some(8), "FILLER".to_owned()),
                (Section::Working, None, "UNUSED".to_owned()),
                (Section::Working, Some(9), "WS-G".to_owned()),
                (Section::Linkage, Some(26), "LK-P".to_owned()),
            ]
        );
    }
}
