//! A copybook of the application that stands for a supplied one: its own counts, and a warning names what it lacks.
//!
//! Libraries are searched in order, the application's before the supplied one, as those of a compilation are. But a copy
//! of DFHAID or DFHBMSCA that was spoilt on its way here is set aside: its unprintable bytes went through code pages, so
//! that constants of one byte are none any more, and no program can have been compiled with that.

use std::collections::BTreeMap;

use diagnostics::{Diagnostic, Source, TextPlace};
use std::sync::Arc;

use crate::codes;

/// The supplied members whose names and values are published.
const CONSTANTS: [&str; 3] = ["DFHAID", "DFHATTR", "DFHBMSCA"];
/// Names that one message gives.
const NAMES_MAX: usize = 6;

/// The text that counts where the application has one of its own under the name of a supplied member, and what is to be
/// said of that.
pub(crate) fn judge(member: &str, own: Arc<Source>) -> (Arc<Source>, Option<Diagnostic>) {
    let member = CONSTANTS.into_iter().find(|name| name.eq_ignore_ascii_case(member));
    let Some((member, supplied)) = member.and_then(|name| Some((name, cobol_source::supplied(name)?))) else {
        return (own, None);
    };
    if let Some(message) = spoilt(member, &supplied, &own) {
        return (supplied, Some(message));
    }
    let message = differences(member, &supplied, &own);
    (own, message)
}

/// That constants of one byte have no byte any more, or several, or one that no text holds.
fn spoilt(member: &str, supplied: &Source, own: &Arc<Source>) -> Option<Diagnostic> {
    let published = constants(&supplied.text);
    let given = constants(&own.text);
    let one_byte = |value: &Option<Vec<u8>>| match value.as_deref() {
        Some([byte]) => *byte != 0 || !own.text.contains('\0'),
        Some(_) => false,
        None => true,
    };
    let broken = given.iter().filter(|(name, value)| published.contains_key(*name) && !one_byte(value));
    let broken = listed(broken.map(|(name, _)| name))?;
    let text = format!("this {member} was spoilt on its way here: the supplied one is used");
    let help = "unprintable bytes do not pass code pages; take the file out of the copybook folders";
    let label = format!("no longer one byte: {broken}");
    Some(Diagnostic::warning(codes::SHADOWED, text).at(TextPlace::new(own, 1, 1, 0)).label(label).help(help))
}

/// Differences of the application's own text of a supplied member.
fn differences(member: &str, supplied: &Source, own: &Arc<Source>) -> Option<Diagnostic> {
    let supplied = constants(&supplied.text);
    let given = constants(&own.text);
    let lacking = supplied.keys().filter(|name| !given.contains_key(*name));
    let other = supplied.iter().filter(|(name, value)| {
        given.get(*name).is_some_and(|own| value.is_some() && own.is_some() && own != *value)
    });
    let (lacking, other) = (listed(lacking), listed(other.map(|(name, _)| name)));
    let label = match (lacking, other) {
        (None, None) => return None,
        (Some(lacking), None) => format!("lacks {lacking}"),
        (None, Some(other)) => format!("has other values for {other}"),
        (Some(lacking), Some(other)) => format!("lacks {lacking}; has other values for {other}"),
    };
    let text = format!("this {member} stands for the supplied one and is not like it");
    let help = format!("take the file out of the copybook folders, and programs get the supplied {member}");
    Some(Diagnostic::warning(codes::SHADOWED, text).at(TextPlace::new(own, 1, 1, 0)).label(label).help(help))
}

/// A few names, and how many more there are.
fn listed<'a>(names: impl Iterator<Item = &'a String>) -> Option<String> {
    let names: Vec<&str> = names.map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMES_MAX);
    let first = names.iter().take(NAMES_MAX).copied().collect::<Vec<_>>().join(", ");
    match (names.is_empty(), more) {
        (true, _) => None,
        (_, 0) => Some(first),
        _ => Some(format!("{first} and {more} more")),
    }
}

/// The data names of a copybook, each with the byte that it stands for, where a literal says it.
fn constants(text: &str) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut constants = BTreeMap::new();
    for sentence in sentences(text) {
        let mut words = sentence.split_whitespace();
        let (Some(level), Some(name)) = (words.next(), words.next()) else { continue };
        // The group's own name is of no use to anybody.
        if level.parse::<u8>().is_ok_and(|level| level > 1) && name.to_ascii_uppercase().starts_with("DFH") {
            constants.insert(name.to_ascii_uppercase(), literal(&sentence));
        }
    }
    constants
}

/// The sentences of a copybook in fixed format, without their full stops.
fn sentences(text: &str) -> Vec<String> {
    let mut sentences = vec![String::new()];
    for line in text.lines().filter(|line| !matches!(line.chars().nth(6), Some('*' | '/'))) {
        let mut quoted = false;
        for c in line.chars().skip(7).take(65) {
            quoted ^= c == '\'';
            match sentences.last_mut() {
                Some(_) if c == '.' && !quoted => sentences.push(String::new()),
                Some(sentence) => sentence.push(c),
                None => {}
            }
        }
        if let Some(sentence) = sentences.last_mut() {
            sentence.push(' ');
        }
    }
    sentences
}

/// The bytes of a sentence's VALUE; a word such as SPACE is none.
fn literal(sentence: &str) -> Option<Vec<u8>> {
    let at = sentence.to_ascii_uppercase().find("VALUE")?;
    let value = sentence[at..].split_once(['\'', '"'])?;
    let quote = sentence[at + value.0.len()..].chars().next()?;
    let text = value.1.strip_suffix(' ').map_or(value.1, str::trim_end).strip_suffix(quote)?;
    if value.0.trim_end().to_ascii_uppercase().ends_with(" X") {
        let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
        return pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect();
    }
    let doubled: String = [quote, quote].iter().collect();
    Some(text.replace(&doubled, &quote.to_string()).chars().map(|c| c as u8).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_a_supplied_member_is_like_it() {
        for member in CONSTANTS {
            let supplied = cobol_source::supplied(member).expect("supplied");
            assert_eq!(judge(member, Arc::clone(&supplied)), (Arc::clone(&supplied), None), "{member}");
            assert!(constants(&supplied.text).len() > 20, "{member}");
        }
        assert_eq!(judge("ACCOUNT", Source::new("ACCOUNT.cpy", "")).1, None);
    }

    #[test]
    fn a_copy_that_lacks_something_counts_and_is_told() {
        let own = "       01 DFHAID.\n         02 DFHENTER PIC X VALUE IS ''''.\n         02 DFHCLEAR PIC X VALUE '_'.\n\
                   \x20        02 DFHPF1 PIC X VALUE IS X'F1'.\n";
        let own = Source::new("DFHAID.cpy", own);
        let (text, message) = judge("dfhaid", Arc::clone(&own));
        let message = message.expect("it is not like it");
        assert_eq!(text, own);
        assert!(message.label.starts_with("lacks DFHCLRP"), "{message}");
        assert!(message.label.ends_with("has other values for DFHPF1"), "{message}");
    }

    #[test]
    fn a_copy_that_was_spoilt_is_set_aside() {
        for value in ["''", "'\u{c3}\u{a2}'", "'\0'"] {
            let own = format!("       01 DFHAID.\n         02 DFHPF22 PIC X VALUE IS {value}.\n");
            let (text, message) = judge("DFHAID", Source::new("DFHAID.cpy", own));
            assert_eq!(text.name, "DFHAID");
            let message = message.expect("it is spoilt");
            assert_eq!(message.label, "no longer one byte: DFHPF22");
        }
    }
}
