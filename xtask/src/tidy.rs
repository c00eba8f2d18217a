//! The rules of the house for its text.

use std::collections::BTreeSet;
use std::path::Path;

use crate::files::{self, File};
use crate::{circles, keys, layers, libraries, prose, storeys, unsafe_code, words};

/// A file with more lines holds two subjects.
const LINES_MAX: usize = 800;

/// Everything that is not tidy.
pub(crate) fn complaints(root: &Path) -> Vec<String> {
    let files = files::all(root);
    let mut complaints = layers::complaints(&files);
    complaints.extend(storeys::complaints(&files));
    complaints.extend(libraries::complaints(&files));
    complaints.extend(circles::complaints(&files));
    complaints.extend(prose::complaints(&files));
    complaints.extend(words::complaints(&files));
    complaints.extend(unsafe_code::complaints(&files));
    complaints.extend(keys::complaints(&files));
    complaints.extend(crates_without_readme(&files));
    complaints.extend(codes_with_two_meanings(&files));
    complaints.extend(files.iter().flat_map(check));
    complaints
}

/// Returns the faults of one file.
fn check(file: &File) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut complain = |what: String| complaints.push(format!("{}: {what}", file.name));
    let is = |extension: &str| file.name.ends_with(extension);
    if is(".md") && !file.text.starts_with("# ") {
        complain("a document begins with its title".to_owned());
    }
    if is(".rs") {
        let lines = file.text.lines().count();
        if lines > LINES_MAX {
            complain(format!("{lines} lines, more than {LINES_MAX}: which two subjects does it hold?"));
        }
        if !file.text.starts_with("//!") {
            complain("a module begins with what lives in it".to_owned());
        }
    }
    if file.name.starts_with("crates/") && is("/Cargo.toml") && !file.text.contains("[lints") {
        complain("a crate takes the workspace's lints, or states its own".to_owned());
    }
    if is(".lock") {
        return complaints;
    }
    for (number, line) in file.text.lines().enumerate() {
        for what in faults(&file.name, line) {
            complaints.push(format!("{}:{}: {what}", file.name, number + 1));
        }
    }
    complaints
}

/// Returns the faults of one line.
fn faults(name: &str, line: &str) -> Vec<&'static str> {
    let mut faults = Vec::new();
    let has = |parts: &[&str]| line.contains(&parts.concat());
    // The words are in pieces here, or this file would complain of itself.
    let rust = name.ends_with(".rs");
    if has(&["TO", "DO"]) || has(&["FIX", "ME"]) {
        faults.push("a leftover: do it, or open an issue");
    }
    if rust && has(&["#[ign", "ore"]) {
        faults.push("a test that is switched off");
    }
    if rust && (has(&["todo", "!("]) || has(&["unimplemented", "!("])) {
        faults.push("a hole in the code");
    }
    if ["work", "root", "home", "tmp"].iter().any(|folder| starts_path(line, folder)) {
        faults.push("a path of somebody's machine");
    }
    faults
}

/// Returns true if a line holds an absolute path that begins with a folder.
fn starts_path(line: &str, folder: &str) -> bool {
    let path = format!("/{folder}/");
    line.match_indices(&path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|before| !before.is_alphanumeric() && !"._-}$/*~".contains(before))
    })
}

/// A complaint for each number of a message that two constants have, in the files that give such numbers their names.
fn codes_with_two_meanings(files: &[File]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let named = files.iter().filter(|file| file.name.ends_with("/src/codes.rs"));
    let codes = named.flat_map(|file| file.text.lines()).filter_map(|line| {
        line.strip_suffix("\";").and_then(|line| line.rsplit_once("&str = \"")).map(|(_, code)| code)
    });
    codes.filter(|code| !seen.insert(*code)).map(|code| format!("{code} has two meanings")).collect()
}

fn crates_without_readme(files: &[File]) -> Vec<String> {
    let has = |name: &str| files.iter().any(|file| file.name == name);
    let manifests = files.iter().filter(|file| file.name.starts_with("crates/"));
    let folders = manifests.filter_map(|file| file.name.strip_suffix("/Cargo.toml"));
    folders
        .filter(|folder| !has(&format!("{folder}/README.md")))
        .map(|folder| format!("{folder}: a crate has a README.md"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_tidy() {
        let complaints = complaints(&crate::root());
        assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
    }

    #[test]
    fn a_message_number_has_one_meaning() {
        let file = |name: &str, code: &str| File {
            name: format!("crates/{name}/src/codes.rs"),
            text: format!("//! Codes.\npub const X: &str = \"{code}\";\n"),
        };
        assert!(codes_with_two_meanings(&[file("a", "SPXX001"), file("b", "SPXX002")]).is_empty());
        assert_eq!(
            codes_with_two_meanings(&[file("a", "SPXX001"), file("b", "SPXX001")]),
            ["SPXX001 has two meanings"]
        );
    }

    #[track_caller]
    fn expect(name: &str, text: &str, expected: &[&str]) {
        assert_eq!(check(&File { name: name.to_owned(), text: text.to_owned() }), expected);
    }

    #[test]
    fn each_rule_finds_its_fault() {
        expect("crates/a/src/lib.rs", "//! Fine.\n", &[]);
        expect(
            "crates/a/src/lib.rs",
            "fn a() {}\n",
            &["crates/a/src/lib.rs: a module begins with what lives in it"],
        );
        expect("a.md", "no title\n", &["a.md: a document begins with its title"]);
        expect("x.sh", &["cd /ro", "ot/x\n"].concat(), &["x.sh:1: a path of somebody's machine"]);
        expect("x.sh", &["cd $HOME/ro", "ot/x\n"].concat(), &[]);
        expect("x.sh", &["# FIX", "ME\n"].concat(), &["x.sh:1: a leftover: do it, or open an issue"]);
    }
}
