//! Modules that need each other: none may, in the `src` of a crate and in each folder of modules below it.
//!
//! The folders that still have circles stand in `xtask/circles.tsv`, each with the number of its modules that are part of one. The
//! numbers may only fall: `cargo xtask tidy` writes lower ones down, and a folder that the file does not name has none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use crate::files::File;
use crate::modules::{Folder, folders};

/// The file of counts, relative to the project's folder.
const RECORDED: &str = "xtask/circles.tsv";

/// Folders, each with the modules that are part of a circle.
type Circles = BTreeMap<String, Vec<String>>;
/// Folders, each with the number of such modules that it may have.
type Allowed = BTreeMap<String, usize>;

/// Returns a complaint for each folder with more modules in circles than the file of counts allows.
pub(crate) fn complaints(files: &[File]) -> Vec<String> {
    let allowed = files.iter().find(|file| file.name == RECORDED).map_or("", |file| &file.text);
    compare(&find(files), &read(allowed))
}

/// Writes the counts down where they have fallen.
///
/// # Errors
///
/// If the file of counts cannot be written.
pub(crate) fn lower(root: &Path, files: &[File]) -> io::Result<()> {
    let found = find(files);
    if compare(&found, &read(&fs::read_to_string(root.join(RECORDED))?)).is_empty() {
        fs::write(root.join(RECORDED), write(&found))?;
    }
    Ok(())
}

fn compare(found: &Circles, allowed: &Allowed) -> Vec<String> {
    let limit = |folder: &String| allowed.get(folder).copied().unwrap_or_default();
    let too_many = found.iter().filter(|(folder, modules)| modules.len() > limit(folder));
    too_many
        .map(|(folder, modules)| {
            format!(
                "{folder}: modules need each other, and at most {} may: {}",
                limit(folder),
                modules.join(", ")
            )
        })
        .collect()
}

fn find(files: &[File]) -> Circles {
    let in_circles = |name: String| {
        let modules = in_circles(&Folder::read(files, name.clone()).arrows());
        (!modules.is_empty()).then_some((name, modules))
    };
    folders(files).into_iter().filter_map(in_circles).collect()
}

/// Returns the modules from which arrows lead back to themselves.
fn in_circles(arrows: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<String> {
    let leads_back = |module: &&&str| reached(arrows, module).contains(**module);
    arrows.keys().filter(leads_back).map(|module| (*module).to_owned()).collect()
}

/// Returns the modules that one uses, itself or through others.
fn reached<'a>(arrows: &BTreeMap<&'a str, BTreeSet<&'a str>>, module: &'a str) -> BTreeSet<&'a str> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![module]);
    while let Some(module) = next.pop() {
        let used = arrows.get(module).into_iter().flatten();
        next.extend(used.filter(|other| reached.insert(**other)));
    }
    reached
}

fn read(text: &str) -> Allowed {
    let row = |line: &str| {
        let (folder, count) = line.split_once('\t')?;
        Some((folder.to_owned(), count.parse().ok()?))
    };
    text.lines().filter_map(row).collect()
}

fn write(circles: &Circles) -> String {
    let rows = circles.iter().map(|(folder, modules)| format!("{folder}\t{}\n", modules.len()));
    "folder\tmodules\n".to_owned() + &rows.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> File {
        File { name: name.to_owned(), text: text.to_owned() }
    }

    fn found(files: &[File]) -> Vec<(String, String)> {
        find(files).into_iter().map(|(folder, modules)| (folder, modules.join(" "))).collect()
    }

    #[test]
    fn modules_need_each_other_through_a_third() {
        let mut files = vec![
            file("crates/any/a/src/lib.rs", "mod b;\nmod c;\nmod d;\nmod e;\nuse d::Deed;\n"),
            file("crates/any/a/src/b.rs", "use crate::c::C;\n"),
            file("crates/any/a/src/c/mod.rs", "use crate::Deed;\n"),
            file("crates/any/a/src/d.rs", "use super::b;\n"),
            file(
                "crates/any/a/src/e.rs",
                "use crate::b;\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n",
            ),
        ];
        assert_eq!(found(&files), [("crates/any/a/src/".to_owned(), "b c d".to_owned())]);
        files[3].text.clear();
        assert!(found(&files).is_empty());
    }

    #[test]
    fn a_folder_below_is_looked_at_with_both_ways_to_name_a_module() {
        let mut files = vec![
            file("crates/any/a/src/lib.rs", "mod b;\n"),
            file("crates/any/a/src/b.rs", "mod c;\nmod d;\n"),
            file("crates/any/a/src/b/c/mod.rs", "use crate::b::d::D;\n"),
            file("crates/any/a/src/b/c/deep.rs", "use super::d;\n"),
            file("crates/any/a/src/b/d.rs", "use super::{c::C, e};\n"),
        ];
        assert_eq!(found(&files), [("crates/any/a/src/b/".to_owned(), "c d".to_owned())]);
        files[2].text.clear();
        assert!(found(&files).is_empty(), "`super` of a file in `c` is `c`");
        files[3].text = "use super::super::d;\n".to_owned();
        assert_eq!(found(&files).len(), 1);
    }

    #[test]
    fn counts_may_fall_and_never_rise() {
        let circles = Circles::from([("crates/any/a/src/".to_owned(), vec!["b".to_owned(), "c".to_owned()])]);
        assert!(compare(&circles, &read(&write(&circles))).is_empty());
        assert_eq!(
            compare(&circles, &Allowed::new()),
            ["crates/any/a/src/: modules need each other, and at most 0 may: b, c"]
        );
    }
}
