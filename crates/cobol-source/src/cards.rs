//! CBL and PROCESS cards: compiler options in front of a program.

use diagnostics::Source;

use crate::reference_format::AREA_A;

/// A compiler option of a CBL or PROCESS card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerOption {
    /// Its name in upper case, as in `TRUNC`.
    pub name: String,
    /// What stands in its parentheses, in upper case; empty if nothing does.
    pub value: String,
}

/// The options of a source's cards, and how many lines they take.
pub(crate) fn read(source: &Source) -> (Vec<CompilerOption>, usize) {
    let mut options = Vec::new();
    let mut lines = 0;
    for (index, line) in source.text.lines().enumerate() {
        let comment = line.chars().nth(AREA_A - 2) == Some('*');
        match card(line) {
            Some(card) => {
                options.extend(read_card(card));
                lines = index + 1;
            }
            None if line.trim().is_empty() || comment => {}
            None => break,
        }
    }
    (options, lines)
}

/// Whether CICS('NOLINKAGE') is among the options: the program cares for its linkage itself.
pub fn no_linkage(options: &[CompilerOption]) -> bool {
    let translator = options.iter().filter(|option| ["CICS", "XOPTS"].contains(&option.name.as_str()));
    let words = translator.flat_map(|option| option.value.split(|c: char| !c.is_ascii_alphanumeric()));
    words.into_iter().any(|word| word == "NOLINKAGE")
}

/// What stands behind CBL or PROCESS, if the line is such a card; a sequence number may stand before it.
fn card(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let (word, rest) = line.split_once(char::is_whitespace)?;
    ["CBL", "PROCESS"].iter().any(|name| name.eq_ignore_ascii_case(word)).then_some(rest)
}

/// Splits at blanks and commas outside of parentheses.
fn read_card(card: &str) -> Vec<CompilerOption> {
    let mut options = Vec::new();
    let mut depth = 0;
    let separator = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    };
    for word in card.split(separator).filter(|word| !word.is_empty()) {
        let (name, value) = word.split_once('(').unwrap_or((word, ""));
        let value = value.trim_end_matches(')').trim().to_ascii_uppercase();
        options.push(CompilerOption { name: name.to_ascii_uppercase(), value });
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)], expected_lines: usize) {
        let (options, lines) = read(&Source { name: "P".into(), text: text.into() });
        let options: Vec<_> = options.iter().map(|o| (o.name.as_str(), o.value.as_str())).collect();
        assert_eq!((options.as_slice(), lines), (expected, expected_lines));
    }

    #[test]
    fn cards_are_read() {
        check(
            "CBL TRUNC(STD),NSYMBOL(DBCS)\n000200 process cics('SP,EDF') SQL\n       ID DIVISION.\n",
            &[("TRUNC", "STD"), ("NSYMBOL", "DBCS"), ("CICS", "'SP,EDF'"), ("SQL", "")],
            2,
        );
    }

    #[test]
    fn a_source_without_cards_has_none() {
        check("       ID DIVISION.\n", &[], 0);
        check("      * PROCESS\n       ID DIVISION.\n", &[], 0);
    }
}
