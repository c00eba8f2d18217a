//! One meaning a word: the words that docs/vocabulary.md bans, looked for in comments, documents and the names of types.
//!
//! The page has them in one table: a word in backquotes is a name that no type may have by itself where others see it, another one
//! is banned from prose. What is left of them stands in `xtask/words.tsv`, crate by crate. The counts may only fall: `cargo xtask tidy`
//! writes lower ones down, and a crate that the file does not name has none.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use crate::files::File;
use crate::prose::{comment, row, whole_words};

/// The page that bans words, and its section.
const PAGE: &str = "docs/vocabulary.md";
const SECTION: &str = "## Words that do not occur\n";
/// The file of counts, relative to the project's folder.
const RECORDED: &str = "xtask/words.tsv";
/// Documents that tell of the past, in its words.
const HISTORY: [&str; 2] = ["CHANGELOG.md", "tests/findings.md"];
/// The kinds of types that have names.
const KINDS: [&str; 5] = ["struct ", "enum ", "trait ", "type ", "union "];

/// The number of times that each crate has a word.
type Ledger = BTreeMap<(String, String), usize>;

/// Returns a complaint for each word that a crate has more often than the file of counts allows.
pub(crate) fn complaints(files: &[File]) -> Vec<String> {
    let text = |name: &str| files.iter().find(|file| file.name == name).map_or("", |file| &file.text);
    if !text(PAGE).contains(SECTION) {
        return vec![format!("{PAGE}: the table of words that do not occur is gone")];
    }
    compare(&count(files), &read(text(RECORDED)))
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
    let limit = |key: &(String, String)| allowed.get(key).copied().unwrap_or_default();
    let too_many = counted.iter().filter(|(key, count)| **count > limit(key));
    let complaint = |(key, count): (&(String, String), &usize)| {
        let (name, word) = key;
        format!("{name}: {count} times {word}, and at most {} are allowed ({PAGE})", limit(key))
    };
    too_many.map(complaint).collect()
}

/// The words of the page's table: those that are names of types, and those of prose.
struct Banned<'a> {
    names: Vec<&'a str>,
    words: Vec<&'a str>,
}

impl<'a> Banned<'a> {
    fn read(page: &'a str) -> Self {
        let after = page.split_once(SECTION).map_or("", |(_, after)| after);
        let table = after.split("\n## ").next().unwrap_or_default();
        let rows = table.lines().filter(|line| line.starts_with('|')).skip(2);
        let cells = rows.filter_map(|row| row.split('|').nth(1));
        let all = cells.flat_map(|cell| cell.split(',')).map(str::trim);
        let (names, words) = all.partition::<Vec<_>, _>(|word| word.starts_with('`'));
        Self { names: names.into_iter().map(|name| name.trim_matches('`')).collect(), words }
    }
}

fn count(files: &[File]) -> Ledger {
    let page = files.iter().find(|file| file.name == PAGE).map_or("", |file| &file.text);
    let banned = Banned::read(page);
    let mut ledger = Ledger::new();
    for file in files.iter().filter(|file| file.name != PAGE && !HISTORY.contains(&&*file.name)) {
        for (word, count) in count_file(file, &banned) {
            *ledger.entry((row(&file.name).to_owned(), word.to_owned())).or_default() += count;
        }
    }
    ledger
}

/// The banned words of one file, and how often it has each.
fn count_file<'a>(file: &File, banned: &Banned<'a>) -> Vec<(&'a str, usize)> {
    let is_code = file.name.ends_with(".rs");
    let prose: Vec<String> = match is_code {
        true => file.text.lines().filter_map(comment).map(str::to_lowercase).collect(),
        false if file.name.ends_with(".md") => outside_fences(&file.text).map(str::to_lowercase).collect(),
        false => Vec::new(),
    };
    let prose: Vec<String> = prose.iter().map(|line| outside_backquotes(line)).collect();
    let of_prose = |word: &str| prose.iter().map(|line| whole_words(line, word)).sum();
    let types: Vec<&str> = file.text.lines().filter_map(type_name).filter(|_| is_code).collect();
    let of_types = |name: &str| types.iter().filter(|own| **own == name).count();
    let words = banned.words.iter().map(|word| (*word, of_prose(word)));
    words
        .chain(banned.names.iter().map(|name| (*name, of_types(name))))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// Returns the lines of a document that are prose: those between two fences are programs, screens and data.
fn outside_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut is_fenced = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        !is_fence && !is_fenced
    })
}

/// Returns a line without the names and values that stand in backquotes.
fn outside_backquotes(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// The name of a type that a line declares for others than its own file.
fn type_name(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(") ")?.1,
        None => rest.strip_prefix(' ')?,
    };
    let name = KINDS.iter().find_map(|kind| rest.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric()).next()
}

fn read(text: &str) -> Ledger {
    let row = |line: &str| {
        let mut columns = line.split('\t');
        let key = (columns.next()?.to_owned(), columns.next()?.to_owned());
        Some((key, columns.next()?.parse().ok()?))
    };
    text.lines().filter_map(row).collect()
}

fn write(ledger: &Ledger) -> String {
    let rows = ledger.iter().map(|((name, word), count)| format!("{name}\t{word}\t{count}\n"));
    "crate\tword\tcount\n".to_owned() + &rows.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# Words\n\n## Words that do not occur\n\nThe rule.\n\n| word | instead |\n|---|---|\n\
                         | thread pool, lane of work | TCBs |\n| `Place`, `Entry` | says which |\n\n## More\n\n| task | |\n";

    fn found(name: &str, text: &str) -> Vec<String> {
        let file = |name: &str, text: &str| File { name: name.to_owned(), text: text.to_owned() };
        let files = [file(PAGE, TABLE), file(name, text)];
        complaints(&files)
    }

    #[test]
    fn a_word_of_prose_counts_in_comments_and_documents() {
        let many = [
            "crates/any/a/src/b.rs",
            "// A Thread pool; thread pools are others.\nlet x = \"thread pool\";\n",
        ];
        let complaint = "a: 1 times thread pool, and at most 0 are allowed (docs/vocabulary.md)";
        assert_eq!(found(many[0], many[1]), [complaint]);
        assert_eq!(found("crates/any/a/README.md", "The thread pool.\n"), [complaint]);
        assert!(found("CHANGELOG.md", "The thread pool is gone.\n").is_empty());
    }

    #[test]
    fn code_is_not_prose() {
        assert!(found("crates/any/a/README.md", "```text\nThread pool\n```\nA `thread pool`.\n").is_empty());
        assert_eq!(found("crates/any/a/README.md", "```text\n```\nA thread pool.\n").len(), 1);
        assert!(found("crates/any/a/src/b.rs", "// The value `thread pool`.\n").is_empty());
    }

    #[test]
    fn a_name_counts_if_others_see_the_type() {
        let complaint = "a: 1 times Place, and at most 0 are allowed (docs/vocabulary.md)";
        assert_eq!(found("crates/any/a/src/b.rs", "pub struct Place(u32);\n"), [complaint]);
        assert_eq!(found("crates/any/a/src/b.rs", "    pub(in crate::a) enum Place {\n"), [complaint]);
        assert!(
            found("crates/any/a/src/b.rs", "struct Place;\npub struct Places;\npub fn place() {}\n")
                .is_empty()
        );
    }

    #[test]
    fn counts_may_fall_and_never_rise() {
        let ledger = |count| Ledger::from([(("a".to_owned(), "Place".to_owned()), count)]);
        assert!(compare(&ledger(2), &read(&write(&ledger(3)))).is_empty());
        assert_eq!(compare(&ledger(3), &ledger(2)).len(), 1);
        assert_eq!(compare(&ledger(1), &Ledger::new()).len(), 1);
    }

    #[test]
    fn the_page_must_have_its_table() {
        assert_eq!(complaints(&[]), ["docs/vocabulary.md: the table of words that do not occur is gone"]);
    }
}
