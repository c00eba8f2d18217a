//! Unsafe code: the files that have it, and how many sites there are.
//!
//! A site is the word in code: of a block, a function, an implementation, a trait, a type of function, or foreign functions. Tests count,
//! too. clippy sees to it that each says why it is sound.

use crate::files::File;

/// The files that have unsafe code, and why it cannot be written otherwise.
const FILES: [(&str, &str); 4] = [
    (
        "crates/cobol/areas/src/raw.rs",
        "memory of the system: addresses reserved, opened, given back, and words that machine code shares",
    ),
    (
        "crates/cobol/native/src/code.rs",
        "machine code: mapped, entered, and what its helpers find by addresses",
    ),
    ("crates/cobol/cobol-codegen/src/load.rs", "the word that machine code was proved"),
    ("crates/storage/records/src/base/raw.rs", "files that are mapped, by LMDB and beside it"),
];
/// Sites in all of them, at most. For another one, remove one, or say why here.
const SITES_MAX: usize = 20;

/// A complaint for each file that may not have unsafe code, and one if there are too many sites.
pub(crate) fn complaints(files: &[File]) -> Vec<String> {
    let counted: Vec<(&str, usize)> = files
        .iter()
        .filter(|file| file.name.ends_with(".rs"))
        .map(|file| (file.name.as_str(), sites(&file.text)))
        .filter(|(_, sites)| *sites > 0)
        .collect();
    let may_have = |name: &str| FILES.iter().any(|(own, _)| *own == name);
    let mut complaints: Vec<String> = counted
        .iter()
        .filter(|(name, _)| !may_have(name))
        .map(|(name, _)| format!("{name}: unsafe code outside of the files that may have it"))
        .collect();
    let all: usize = counted.iter().map(|(_, sites)| sites).sum();
    if all > SITES_MAX {
        let by_file: Vec<String> = counted.iter().map(|(name, sites)| format!("{name} {sites}")).collect();
        complaints.push(format!("{all} sites of unsafe code, more than {SITES_MAX}: {}", by_file.join(", ")));
    }
    complaints
}

/// The number of sites in the text of a file.
fn sites(text: &str) -> usize {
    text.lines().map(|line| words(code_of(line))).sum()
}

/// A line without its comment. One within a text counts as one, too: then a site may be missed behind it, which does not occur in practice.
fn code_of(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Counts the word in code. In a text it does not count: there a quotation mark stands in front of it on its line, and it is
/// not followed by what makes a site.
fn words(code: &str) -> usize {
    // In pieces, or this file would complain of itself.
    let word = ["uns", "afe"].concat();
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.match_indices(&word)
        .filter(|(at, _)| {
            let (before, behind) = (&code[..*at], code[at + word.len()..].trim_start());
            let follows = ["{", "fn ", "impl ", "impl<", "trait ", "extern "];
            let is_site = behind.is_empty() || follows.iter().any(|what| behind.starts_with(what));
            is_site && !before.ends_with(is_letter) && before.matches('"').count() % 2 == 0
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, lines: &[&str]) -> File {
        let word = ["uns", "afe"].concat();
        File { name: name.to_owned(), text: lines.join("\n").replace("UNSOUND", &word) }
    }

    #[test]
    fn each_kind_of_site_counts_and_nothing_else_does() {
        let lines = [
            "let x = UNSOUND { y };",
            "pub UNSOUND fn a() {}",
            "UNSOUND impl Send for A {}",
            "UNSOUND impl<T> Send for A<T> {}",
            "UNSOUND trait B {}",
            "type Entry = UNSOUND extern \"C\" fn();",
            "UNSOUND extern \"C\" {}",
            "    UNSOUND",
            "f(UNSOUND { a }, UNSOUND { b });",
        ];
        assert_eq!(sites(&file("a.rs", &lines).text), 10);
        let others =
            ["// UNSOUND { }", "#[allow(UNSOUND_code)]", "let x = \"UNSOUND { }\";", "an UNSOUND word"];
        assert_eq!(sites(&file("a.rs", &others).text), 0);
    }

    #[test]
    fn only_files_that_may_have_it_have_it() {
        let site = ["UNSOUND {}"];
        let known = file(FILES[0].0, &site);
        assert!(complaints(&[known, file("a.md", &site)]).is_empty());
        assert_eq!(
            complaints(&[file("crates/any/areas/src/area.rs", &site)]),
            ["crates/any/areas/src/area.rs: unsafe code outside of the files that may have it"]
        );
    }

    #[test]
    fn there_are_not_more_sites_than_may_be() {
        let many = vec!["UNSOUND {}"; SITES_MAX];
        assert!(complaints(&[file(FILES[1].0, &many)]).is_empty());
        let one_more = vec!["UNSOUND {}"; SITES_MAX + 1];
        let complaints = complaints(&[file(FILES[1].0, &one_more)]);
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].starts_with("21 sites of unsafe code, more than 20"), "{complaints:?}");
    }
}
