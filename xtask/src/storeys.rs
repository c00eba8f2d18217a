//! Which module of a crate may use which: the table of storeys in the crate's README against what its files import.
//!
//! A crate has storeys when its README has a section of that name. Its modules are the files and folders directly in `src`.

use std::collections::BTreeSet;

use crate::files::File;
use crate::layers::House;

/// The section of a README that has the table, the lowest storey first.
const SECTION: &str = "## Storeys\n";
/// The crate's root, which is no module.
const ROOT: &str = "lib";
/// The beginning of the module of tests at a file's end.
const TESTS: &str = "#[cfg(test)]\nmod tests {";

/// Returns the faults of the modules of crates that have storeys.
pub(crate) fn complaints(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for readme in files {
        let Some(folder) = readme.name.strip_suffix("README.md") else { continue };
        let Some((_, after)) = readme.text.split_once(SECTION) else { continue };
        let table = after.split("\n## ").next().unwrap_or_default();
        complaints.extend(check(files, &format!("{folder}src/"), &readme.name, table));
    }
    complaints
}

/// Returns the faults of the modules in one `src`.
fn check(files: &[File], src: &str, readme: &str, table: &str) -> Vec<String> {
    let of_module = |file: &File| file.name.strip_prefix(src).and_then(module).map(str::to_owned);
    let modules: BTreeSet<String> = files.iter().filter_map(of_module).collect();
    let house = House::read(table, |word| modules.contains(word));
    let mut complaints: Vec<_> =
        house.twice().map(|module| format!("{readme}: {module} stands in the storeys twice")).collect();
    for module in modules.iter().filter(|module| house.place(module).is_none()) {
        complaints.push(format!("{readme}: the storeys lack {module}"));
    }
    for file in files {
        let Some(module) = of_module(file) else { continue };
        let at_root =
            file.name[src.len()..].matches('/').count() == usize::from(file.name.ends_with("/mod.rs"));
        let used = imports(&file.text, at_root);
        let stands_above = |other: &&str| {
            house.place(other).zip(house.place(&module)).is_some_and(|(other, own)| other > own)
        };
        for other in used.into_iter().filter(stands_above) {
            complaints.push(format!("{}: {module} must not use {other}, which stands above it", file.name));
        }
    }
    complaints
}

/// The module of a file by its name within `src`; none of the crate's root, and of files that only tests have.
fn module(name: &str) -> Option<&str> {
    let (path, is_tests) =
        (name.strip_suffix(".rs")?, name.split(['/', '.']).skip(1).any(|part| part == "tests"));
    let module = path.split('/').next()?;
    (module != ROOT && !is_tests).then_some(module)
}

/// The names after `crate::`, and after `super::` if that is the crate: each once. Comments do not count, nor does the module
/// of tests at a file's end.
fn imports(text: &str, at_root: bool) -> BTreeSet<&str> {
    let mut rest = text.split(TESTS).next().unwrap_or_default();
    let mut names = BTreeSet::new();
    while let Some((at, start)) = next_path(rest, at_root) {
        // In a comment, the line says so before the path.
        let line = rest[..at].rsplit('\n').next().unwrap_or_default();
        rest = &rest[start..];
        if !line.contains("//") {
            names.extend(first_names(rest));
        }
    }
    names
}

/// Returns the place at which the next path from the crate's root begins, and the end of its root.
fn next_path(code: &str, at_root: bool) -> Option<(usize, usize)> {
    let roots: &[&str] = if at_root { &["crate::", "super::"] } else { &["crate::"] };
    let found = roots.iter().filter_map(|root| code.find(root).map(|at| (at, at + root.len())));
    found.min()
}

/// The names with which a path goes on: one, or those of a list in braces.
fn first_names(path: &str) -> Vec<&str> {
    let Some(list) = path.strip_prefix('{') else { return vec![first_word(path)] };
    let (mut names, mut depth, mut begins) = (Vec::new(), 0, true);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            c if begins && !c.is_whitespace() => {
                names.push(first_word(&list[at..]));
                begins = false;
            }
            _ => {}
        }
    }
    names
}

fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> File {
        File { name: name.to_owned(), text: text.to_owned() }
    }

    const README: &str = "# house\n\nAbout `files`.\n\n## Storeys\n\n| storey | modules |\n|---|---|\n| ground | `name` `region` |\n\
                          | domains | `files` `queues` `name` |\n\n## More\n\n| `tasks` |\n";

    #[test]
    fn a_module_uses_what_stands_before_it() {
        let files = [
            file("crates/kernel/README.md", README),
            file("crates/kernel/src/lib.rs", "pub mod name;\nuse crate::queues;\n"),
            file("crates/kernel/src/name.rs", "//! Of [`crate::files`].\n"),
            file(
                "crates/kernel/src/region.rs",
                "use crate::{\n    name::{self, Name},\n    queues::Queues,\n};\n",
            ),
            file("crates/kernel/src/files/mod.rs", "use super::queues;\nuse crate::name;\n"),
            file(
                "crates/kernel/src/files/read.rs",
                "use super::queues;\nfn read() -> crate::tasks::Task {}\n",
            ),
            file(
                "crates/kernel/src/queues.rs",
                "use crate::files; // crate::tasks\n\n#[cfg(test)]\nmod tests {\n    use crate::tasks;\n}\n",
            ),
            file("crates/kernel/src/files/tests.rs", "use crate::tasks;\n"),
            file("crates/kernel/src/tasks.rs", ""),
        ];
        assert_eq!(
            complaints(&files),
            [
                "crates/kernel/README.md: name stands in the storeys twice",
                "crates/kernel/README.md: the storeys lack tasks",
                "crates/kernel/src/region.rs: region must not use queues, which stands above it",
                "crates/kernel/src/files/mod.rs: files must not use queues, which stands above it",
            ]
        );
    }
}
