//! The ratchet on the project's English: per crate, how many doc blocks open with a question word and how many phrases of
//! the old dialect are left.
//!
//! The counts are in `xtask/prose.tsv` and may only fall. `cargo xtask tidy` writes lower ones down; a crate that the file
//! does not name has none, and stays so.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use crate::files::{File, crate_of};

/// The file of counts, relative to the project's folder.
const RECORDED: &str = "xtask/prose.tsv";
/// The row of everything that belongs to no crate.
const ELSEWHERE: &str = "documents";
/// A doc block opens with a noun or a verb, never with one of these.
const OPENINGS: [&str; 7] = ["What", "Whether", "Who", "Whoever", "How", "Where", "Why"];
/// Phrases that plain English does not need. This file holds them in pieces, or it would count itself.
const PHRASES: [[&str; 2]; 6] =
    [["is ", "told"], ["is ", "said"], ["an", "ew"], ["none", " if"], ["none", " where"], ["who", "ever"]];

/// The counts of one crate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    openings: usize,
    phrases: usize,
}

type Ledger = BTreeMap<String, Counts>;

/// One complaint for each crate that has more than the file of counts allows.
pub(crate) fn complaints(files: &[File]) -> Vec<String> {
    let allowed = files.iter().find(|file| file.name == RECORDED).map_or("", |file| &file.text);
    compare(&count(files), &read(allowed))
}

/// Writes the counts down where they have fallen.
///
/// # Errors
///
/// If the file of counts cannot be written.
pub(crate) fn lower(root: &Path, files: &[File]) -> io::Result<()> {
    let counted = count(files);
    if compare(&counted, &read(&fs::read_to_string(root.join(RECORDED))?)).is_empty() {
        fs::write(root.join(RECORDED), write(&counted))?;
    }
    Ok(())
}

fn compare(counted: &Ledger, allowed: &Ledger) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, counts) in counted {
        let limit = allowed.get(name).copied().unwrap_or_default();
        let mut complain = |what: &str, found: usize, limit: usize| {
            if found > limit {
                complaints.push(format!(
                    "{name}: {found} {what}, and at most {limit} are allowed (CONTRIBUTING.md)"
                ));
            }
        };
        complain("doc blocks open with a question word", counts.openings, limit.openings);
        complain("phrases of the old dialect", counts.phrases, limit.phrases);
    }
    complaints
}

fn count(files: &[File]) -> Ledger {
    let mut ledger = Ledger::new();
    for file in files {
        let counts = count_file(file);
        if counts != Counts::default() {
            let of_crate = ledger.entry(row(&file.name).to_owned()).or_default();
            of_crate.openings += counts.openings;
            of_crate.phrases += counts.phrases;
        }
    }
    ledger
}

/// The row that a file counts for: its crate, or `documents`.
pub(crate) fn row(name: &str) -> &str {
    match name.split_once('/') {
        Some(("crates", _)) => crate_of(name).and_then(|rest| rest.split('/').next()).unwrap_or(ELSEWHERE),
        Some(("xtask", _)) => "xtask",
        _ => ELSEWHERE,
    }
}

fn count_file(file: &File) -> Counts {
    if file.name.ends_with(".rs") {
        let comments = file.text.lines().filter_map(comment);
        Counts { openings: openings(&file.text), phrases: comments.map(phrases).sum() }
    } else if file.name.ends_with(".md") && file.name != "CHANGELOG.md" {
        Counts { openings: 0, phrases: file.text.lines().map(phrases).sum() }
    } else {
        Counts::default()
    }
}

/// The text after `//` if the line is a comment.
pub(crate) fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("//")
}

/// The number of doc blocks whose first word is a question word.
fn openings(text: &str) -> usize {
    let docs = text.lines().map(|line| {
        let comment = comment(line)?;
        comment.strip_prefix('/').or_else(|| comment.strip_prefix('!'))
    });
    let mut within = false;
    let mut count = 0;
    for doc in docs {
        if let Some(doc) = doc.filter(|_| !within) {
            let first = doc.split(|character: char| !character.is_alphabetic()).find(|word| !word.is_empty());
            count += usize::from(first.is_some_and(|word| OPENINGS.contains(&word)));
        }
        within = doc.is_some();
    }
    count
}

/// The number of phrases in a line of prose.
fn phrases(line: &str) -> usize {
    let line = line.to_lowercase();
    let listed = PHRASES.iter().map(|parts| whole_words(&line, &parts.concat())).sum::<usize>();
    listed + nobody_who(&line)
}

/// The number of times that a phrase occurs with no letter at either side.
pub(crate) fn whole_words(line: &str, phrase: &str) -> usize {
    let is_letter = |character: Option<char>| character.is_some_and(char::is_alphabetic);
    let stands_alone = |(at, _): &(usize, &str)| {
        !is_letter(line[..*at].chars().next_back()) && !is_letter(line[at + phrase.len()..].chars().next())
    };
    line.match_indices(phrase).filter(stands_alone).count()
}

/// Returns the number of sentences of the line in which both words of this function's name occur, in that order.
fn nobody_who(line: &str) -> usize {
    let says = |sentence: &str| {
        let mut words = sentence.split(|character: char| !character.is_alphabetic());
        words.any(|word| word == "nobody") && words.any(|word| word == "who")
    };
    line.split(['.', ':', ';']).filter(|sentence| says(sentence)).count()
}

fn read(text: &str) -> Ledger {
    let row = |line: &str| {
        let mut columns = line.split('\t');
        let name = columns.next()?.to_owned();
        let openings = columns.next()?.parse().ok()?;
        Some((name, Counts { openings, phrases: columns.next()?.parse().ok()? }))
    };
    text.lines().filter_map(row).collect()
}

fn write(ledger: &Ledger) -> String {
    let mut text = "crate\topenings\tphrases\n".to_owned();
    for (name, counts) in ledger {
        text.push_str(&format!("{name}\t{}\t{}\n", counts.openings, counts.phrases));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(name: &str, text: &str) -> Counts {
        count_file(&File { name: name.to_owned(), text: text.to_owned() })
    }

    #[test]
    fn a_doc_block_counts_by_its_first_word() {
        let openings = |text| counted("crates/any/a/src/lib.rs", text).openings;
        assert_eq!(openings("/// The length.\n/// How long it is.\nfn a() {}\n"), 0);
        assert_eq!(openings("/// How long it is.\nfn a() {}\n\n    /// Whether it ends.\nfn b() {}\n"), 2);
        assert_eq!(openings("//! What lives here.\n// Why: a plain comment is no doc block.\n"), 1);
    }

    #[test]
    fn a_phrase_counts_in_comments_and_documents_as_whole_words() {
        let line = ["// A task is ", "told, an", "ew, by who", "ever asks.\n"].concat();
        assert_eq!(counted("crates/any/a/src/a.rs", &line).phrases, 3);
        assert_eq!(counted("a.md", &["The renew", "al: none", " if.\n"].concat()).phrases, 1);
        assert_eq!(counted("a.md", &["Nobody", " reads it who", " is away.\n"].concat()).phrases, 1);
        assert_eq!(counted("crates/any/a/src/a.rs", &["let text = \"is ", "told\";\n"].concat()).phrases, 0);
    }

    #[test]
    fn counts_may_fall_and_never_rise() {
        let ledger = |openings| Ledger::from([("a".to_owned(), Counts { openings, phrases: 0 })]);
        assert!(compare(&ledger(2), &ledger(3)).is_empty());
        assert_eq!(compare(&ledger(3), &ledger(2)).len(), 1);
        assert_eq!(compare(&ledger(1), &Ledger::new()).len(), 1, "a crate that the file does not name");
        assert_eq!(read(&write(&ledger(4))), ledger(4));
    }
}
