//! Sections of `region.toml` that domains bring (`crates/text/keys/sections`): the type of each is used by one crate, its domain's, so that
//! another key there touches nothing else.

use std::collections::BTreeSet;

use crate::files::{File, crate_of};

/// The folder of the records.
const RECORDS: &str = "crates/text/keys/sections/";

/// A complaint for each section whose type no crate uses, or another one beside the domain's.
pub(crate) fn complaints(files: &[File]) -> Vec<String> {
    let records = files.iter().filter(|file| file.name.starts_with(RECORDS));
    records.filter_map(|record| complaint(record, files)).collect()
}

fn complaint(record: &File, files: &[File]) -> Option<String> {
    let Some(kind) = type_of(&record.text) else { return Some(format!("{}: no type", record.name)) };
    let sources = files.iter().filter(|file| file.name.ends_with(".rs") && file.name.contains("/src/"));
    let users: BTreeSet<&str> = sources
        .filter(|file| names(&file.text, kind))
        .filter_map(|file| crate_of(&file.name)?.split('/').next())
        .filter(|name| *name != "keys")
        .collect();
    let users: Vec<&str> = users.into_iter().collect();
    match users[..] {
        [user] if user != "config" => None,
        [] => Some(format!("{}: no domain uses {kind}", record.name)),
        _ => Some(format!("{}: {kind} is for one domain, and is used by {}", record.name, users.join(", "))),
    }
}

/// The name of a section's type: the first one of its record.
fn type_of(text: &str) -> Option<&str> {
    let line = text.lines().find_map(|line| line.strip_prefix("type = \""))?;
    line.strip_suffix('"')
}

/// Returns true if a source names a type.
fn names(text: &str, kind: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(kind)
        .any(|(at, _)| !text[..at].ends_with(is_letter) && !text[at + kind.len()..].starts_with(is_letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_section_is_one_domains() {
        let file = |name: &str, text: &str| File { name: name.to_owned(), text: text.to_owned() };
        let record = file("crates/text/keys/sections/a.toml", "section = \"a\"\ntype = \"Limits\"\n");
        let all = |users: &[&str]| {
            let uses = |user: &&str| file(&format!("crates/any/{user}/src/lib.rs"), "use keys::Limits;");
            let others = file("crates/any/other/src/lib.rs", "struct OwnLimits; struct LimitsOfThat;");
            let keys = file("crates/text/keys/src/lib.rs", "Limits");
            let record = file(&record.name, &record.text);
            complaints(&users.iter().map(uses).chain([others, keys, record]).collect::<Vec<_>>())
        };
        assert_eq!(all(&["files"]), Vec::<String>::new());
        assert_eq!(all(&[]), ["crates/text/keys/sections/a.toml: no domain uses Limits"]);
        let both = "crates/text/keys/sections/a.toml: Limits is for one domain, and is used by files, region";
        assert_eq!(all(&["files", "region"]), [both]);
        assert_eq!(all(&["config"]).len(), 1, "it reads all of them alike");
    }
}
