//! Programs that follow each other in one text.

use std::sync::Arc;

use diagnostics::Source;

/// A program that no other one contains.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Within {
    /// Its name in upper case.
    pub(super) name: String,
    /// Its first line, from 0.
    first: usize,
    /// Its last line.
    last: usize,
}

/// The programs of a text in their order, those within others not among them.
pub(super) fn within(text: &str) -> Vec<Within> {
    let mut found: Vec<Within> = Vec::new();
    let mut finder = Finder::default();
    let (mut depth, mut begun) = (0_usize, None);
    for (number, line) in text.lines().enumerate() {
        if is_comment(line) {
            continue;
        }
        let words = words(line);
        if begun.is_none() && depth == 0 && is_header(&words) {
            begun = Some(number);
        }
        if let Some(name) = finder.name(line) {
            if depth == 0 {
                found.push(Within { name, first: begun.take().unwrap_or(number), last: number });
            }
            depth += 1;
        } else if words.starts_with(&["END", "PROGRAM"]) {
            depth = depth.saturating_sub(1);
        }
        if let Some(last) = found.last_mut().filter(|_| depth > 0 || words.starts_with(&["END", "PROGRAM"])) {
            last.last = number;
        }
    }
    found
}

/// The source with one of its programs alone, if it has several and this is not the first: the lines of the others are empty.
pub(super) fn alone(name: &str, source: &Source) -> Option<Arc<Source>> {
    let programs = within(&source.text);
    let at = programs.iter().position(|program| program.name == name).filter(|at| *at > 0)?;
    let of_another = |line: usize| {
        let others = programs.iter().enumerate().filter(|(other, _)| *other != at);
        others.into_iter().any(|(_, other)| (other.first..=other.last).contains(&line))
    };
    let lines = source.text.lines().enumerate().map(|(at, line)| if of_another(at) { "" } else { line });
    Some(Source::new(source.name.clone(), lines.map(|line| format!("{line}\n")).collect::<String>()))
}

/// A search for PROGRAM-ID, line by line.
#[derive(Default)]
pub(super) struct Finder {
    /// PROGRAM-ID was on the line before, and the name was not.
    found: bool,
}

impl Finder {
    /// The name that ends with this line.
    pub(super) fn name(&mut self, line: &str) -> Option<String> {
        if is_comment(line) {
            return None;
        }
        let rest = if self.found {
            line.trim_start_matches(|c: char| c.is_ascii_digit())
        } else {
            let upper = line.to_ascii_uppercase();
            let at = upper.find("PROGRAM-ID")?;
            if !upper[..at].chars().all(|c| c.is_ascii_digit() || c.is_whitespace()) {
                return None;
            }
            self.found = true;
            &line[at + "PROGRAM-ID".len()..]
        };
        let rest = rest.trim_start_matches(|c: char| c == '.' || c == '\'' || c == '"' || c.is_whitespace());
        let name: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_@#$".contains(*c)).collect();
        if name.is_empty() {
            return None;
        }
        self.found = false;
        Some(name.to_ascii_uppercase())
    }
}

/// The first words of a line in upper case, behind a sequence number and without full stops.
fn words(line: &str) -> Vec<&str> {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.split(|c: char| c.is_whitespace() || c == '.')
        .filter(|word| !word.is_empty())
        .take(2)
        .map(upper)
        .collect()
}

/// One of the few words that are looked for, whatever its case.
fn upper(word: &str) -> &str {
    const WORDS: [&str; 6] = ["END", "PROGRAM", "IDENTIFICATION", "ID", "DIVISION", "PROGRAM-ID"];
    WORDS.into_iter().find(|known| known.eq_ignore_ascii_case(word)).unwrap_or(word)
}

fn is_header(words: &[&str]) -> bool {
    matches!(words, ["IDENTIFICATION" | "ID", "DIVISION"] | ["PROGRAM-ID", ..])
}

/// Returns true for a comment: by its seventh column, or as free format has it.
fn is_comment(line: &str) -> bool {
    matches!(line.chars().nth(6), Some('*' | '/')) || line.trim_start().starts_with("*>")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "       CBL TRUNC(BIN)
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ONE.
       PROCEDURE DIVISION.
           CALL 'INNER'.
       ID DIVISION.
       PROGRAM-ID. INNER.
       END PROGRAM INNER.
       END PROGRAM ONE.
000100 ID DIVISION.
000200 PROGRAM-ID.
000300     Two.
       PROCEDURE DIVISION.
           GOBACK.
";

    #[test]
    fn programs_that_follow_each_other() {
        let found = within(TEXT);
        let shown: Vec<_> = found.iter().map(|own| (own.name.as_str(), own.first, own.last)).collect();
        assert_eq!(shown, [("ONE", 1, 8), ("TWO", 9, 13)]);
    }

    #[test]
    fn one_of_them_alone_keeps_its_lines() {
        let source = Source::new("X.cbl", TEXT);
        assert!(alone("ONE", &source).is_none(), "the first one is entered, with the others behind it");
        assert!(alone("INNER", &source).is_none());
        let two = alone("TWO", &source).unwrap();
        assert_eq!(two.text.lines().count(), TEXT.lines().count());
        assert!(two.text.starts_with("       CBL TRUNC(BIN)\n\n"));
        assert!(!two.text.contains("ONE") && two.text.contains("Two"));
    }
}
