//! CBL and PROCESS cards: compiler options in front of a program.

use diagnostics::Source;

use crate::coprocessor;
use crate::messages::Messages;
use crate::options::{self, CompilerOption};
use crate::origin::{At, FrameId};
use crate::reference_format::AREA_A;

/// The options of a source's cards, and how many lines they take. Says which of them are not obeyed.
pub(crate) fn read(source: &Source, frame: FrameId, messages: &mut Messages) -> (Vec<CompilerOption>, usize) {
    let mut options = Vec::new();
    let mut lines = 0;
    for (index, line) in source.text.lines().enumerate() {
        let comment = line.chars().nth(AREA_A - 2) == Some('*');
        match card(line) {
            Some(card) => {
                for (option, from, to) in read_card(card) {
                    let before = line[..line.len() - card.len() + from].chars().count();
                    let width = card[from..to].chars().count() as u16;
                    let at = At { frame, line: index as u32 + 1, column: before as u16 + 1, width };
                    if let Some(message) = options::message(&option) {
                        messages.add(at, message);
                    }
                    for message in coprocessor::messages(&option) {
                        messages.add(at, message);
                    }
                    options.push(option);
                }
                lines = index + 1;
            }
            None if line.trim().is_empty() || comment => {}
            None => break,
        }
    }
    (options, lines)
}

/// Returns true if CICS('NOLINKAGE') is among the options: the program cares for its linkage itself.
pub fn no_linkage(options: &[CompilerOption]) -> bool {
    let translator = options.iter().filter(|option| ["CICS", "XOPTS"].contains(&option.name.as_str()));
    let words = translator.flat_map(|option| option.value.split(|c: char| !c.is_ascii_alphanumeric()));
    words.into_iter().any(|word| word == "NOLINKAGE")
}

/// The symbol that the option CURRENCY asks for instead of `$`.
pub fn currency(options: &[CompilerOption]) -> Option<char> {
    let names = ["CURRENCY", "CURR", "NOCURRENCY", "NOCURR"];
    let card = options.iter().rev().find(|card| names.contains(&card.name.as_str()))?;
    let quoted = card.written.strip_prefix(['\'', '"'])?;
    quoted.chars().next().filter(|_| !card.name.starts_with("NO"))
}

/// Returns the options of a line after CBL or PROCESS, if the line is such a card; a sequence number may come before it.
fn card(line: &str) -> Option<&str> {
    let behind_number = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let (word, rest) = behind_number.split_once(char::is_whitespace)?;
    // Columns 73 to 80 of a card may hold a number, and a number is no option.
    ["CBL", "PROCESS"].iter().any(|name| name.eq_ignore_ascii_case(word)).then_some(rest)
}

/// The options of a card, each with the bytes that it takes: they are separated by blanks and commas outside of parentheses and
/// quotes.
fn read_card(card: &str) -> Vec<(CompilerOption, usize, usize)> {
    let mut options = Vec::new();
    let (mut depth, mut quote) = (0_i32, None);
    let mut start = None;
    for (at, c) in card.char_indices().chain([(card.len(), ' ')]) {
        let inside = depth > 0 || quote.is_some();
        match c {
            _ if quote.is_some() => quote = quote.filter(|open| *open != c),
            '\'' | '"' if depth > 0 => quote = Some(c),
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        let separates = at == card.len() || (!inside && (c == ',' || c.is_whitespace()));
        match start {
            Some(from) if separates => {
                options.extend(option(&card[from..at]).map(|option| (option, from, at)));
                start = None;
            }
            None if !separates => start = Some(at),
            _ => {}
        }
    }
    options
}

/// One option. A number by itself is what columns 73 to 80 hold.
fn option(word: &str) -> Option<CompilerOption> {
    let (name, value) = word.split_once('(').unwrap_or((word, ""));
    let written = value.trim().strip_suffix(')').unwrap_or(value).trim().to_owned();
    let value = value.trim_end_matches(')').trim().to_ascii_uppercase();
    let is_number = name.bytes().all(|b| b.is_ascii_digit());
    (!is_number).then(|| CompilerOption { name: name.to_ascii_uppercase(), value, written })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn told(card: &str, expected: &[&str]) {
        let source = Source::new("P", format!("       CBL {card}\n"));
        let mut messages = Messages::default();
        let frame = messages.frames.enter(&source, None, 4);
        read(&source, frame, &mut messages);
        let found: Vec<String> = messages
            .list
            .iter()
            .map(|m| {
                format!("{} {}: {}", m.code, m.place.as_ref().map_or(0, |place| place.column), m.message)
            })
            .collect();
        assert_eq!(found, expected, "{card}");
    }

    #[test]
    fn an_option_that_is_not_obeyed_is_told_by_name() {
        told("TRUNC(BIN),NODYNAM,LIB NOSEQ XREF(FULL) DEFINE(A='x,y)',B=1) ARITH(EXTEND)", &[]);
        told("LIST,NUMCHECK(ZON)", &["SPTR003 17: the option NUMCHECK(ZON) has no effect here"]);
        told("LP(32)", &[]);
        told("LP(64)", &["SPTR004 12: the option LP(64) is not built"]);
        told("OUTDD(SYSOUT)", &[]);
        told("OUTDD(REPORT)", &["SPTR003 12: the option OUTDD(REPORT) has no effect here"]);
        told("NONUMCHECK ZONEDATA(PFD)", &[]);
        told("TRUNK(BIN)", &["SPTR005 12: TRUNK is no compiler option"]);
    }

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)], expected_lines: usize) {
        let source = Source::new("P", text);
        let mut messages = Messages::default();
        let frame = messages.frames.enter(&source, None, 4);
        let (options, lines) = read(&source, frame, &mut messages);
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
