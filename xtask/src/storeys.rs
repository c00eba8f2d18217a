//! Which module of a crate may use which: the table of storeys in the crate's README against what its files import.
//!
//! A crate with ten modules or more has a section of that name in its README. Its modules are the files and folders directly in
//! `src`. A name that the crate's root takes out of a module counts as that module: `crate::Region` is an arrow to `region` where
//! the root has `pub use region::Region`.

use std::collections::{BTreeMap, BTreeSet};

use crate::files::File;
use crate::layers::House;

/// The section of a README that has the table, the lowest storey first.
const SECTION: &str = "## Storeys\n";
/// A crate with as many modules has the table.
const MODULES_MIN: usize = 10;
/// Crates with as many modules and no table yet. A crate leaves this list with its table; none may come to it.
const LACKING: &[&str] = &[
    "exec-sql",
];
/// The crate's root, which is no module: of a library, of a program.
const ROOTS: [&str; 2] = ["lib", "main"];
/// The beginning of the module of tests at a file's end.
const TESTS: &str = "#[cfg(test)]\nmod tests {";

/// Returns the faults of the modules of crates, and the crates that ought to have storeys.
pub(crate) fn complaints(files: &[File]) -> Vec<String> {
    faults(files, LACKING)
}

fn faults(files: &[File], lacking: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    for readme in files {
        let Some(folder) = readme.name.strip_suffix("README.md") else { continue };
        let source = Source::read(files, format!("{folder}src/"));
        let table = readme.text.split_once(SECTION).map(|(_, after)| after);
        if let Some(table) = table {
            faults.extend(source.check(&readme.name, table.split("\n## ").next().unwrap_or_default()));
        }
        let name = folder.strip_prefix("crates/").and_then(|folder| folder.strip_suffix('/'));
        let needs_table = name.is_some() && table.is_none() && source.modules.len() >= MODULES_MIN;
        let may_lack_table = name.is_some_and(|name| lacking.contains(&name));
        if needs_table && !may_lack_table {
            faults.push(format!("{}: {} modules need a table of storeys", readme.name, source.modules.len()));
        }
        if may_lack_table && !needs_table {
            faults.push(format!(
                "{}: it lacks no table of storeys and leaves the list of those that do",
                readme.name
            ));
        }
    }
    faults
}

/// The modules in one `src`.
struct Source<'a> {
    /// The folder, with `/` at its end.
    folder: String,
    files: Vec<&'a File>,
    modules: BTreeSet<&'a str>,
    /// The names that the root takes out of modules, each with its module.
    taken: BTreeMap<&'a str, &'a str>,
}

impl<'a> Source<'a> {
    fn read(files: &'a [File], folder: String) -> Self {
        let files: Vec<&File> = files.iter().filter(|file| file.name.starts_with(&folder)).collect();
        let modules = files.iter().filter_map(|file| module(&file.name[folder.len()..])).collect();
        let is_root = |file: &&&File| ROOTS.iter().any(|root| file.name == format!("{folder}{root}.rs"));
        let taken = files.iter().find(is_root).map(|root| taken(&root.text)).unwrap_or_default();
        Self { folder, files, modules, taken }
    }

    /// Returns the faults of the modules by a table.
    fn check(&self, readme: &str, table: &str) -> Vec<String> {
        let house = House::read(table, |word| self.modules.contains(word));
        let mut complaints: Vec<_> =
            house.twice().map(|module| format!("{readme}: {module} stands in the storeys twice")).collect();
        for module in self.modules.iter().filter(|module| house.place(module).is_none()) {
            complaints.push(format!("{readme}: the storeys lack {module}"));
        }
        for file in &self.files {
            let name = &file.name[self.folder.len()..];
            let Some(module) = module(name) else { continue };
            let stands_above = |other: &&str| {
                house.place(other).zip(house.place(module)).is_some_and(|(other, own)| other > own)
            };
            for other in self.used(name, &file.text).into_iter().filter(stands_above) {
                complaints
                    .push(format!("{}: {module} must not use {other}, which stands above it", file.name));
            }
        }
        complaints
    }

    /// Returns the modules that a file imports from, each once.
    fn used(&self, name: &str, text: &'a str) -> BTreeSet<&'a str> {
        let at_root = name.matches('/').count() == usize::from(name.ends_with("/mod.rs"));
        let module_of = |name| match self.modules.get(name) {
            Some(module) => Some(*module),
            None => self.taken.get(name).copied(),
        };
        imports(text, at_root).into_iter().filter_map(module_of).collect()
    }
}

/// The module of a file by its name within `src`; no module of the crate's root, and of files that only tests have.
fn module(name: &str) -> Option<&str> {
    let (path, is_tests) = (name.strip_suffix(".rs")?, name.split(['/', '.']).any(|part| part == "tests"));
    let module = path.split('/').next()?;
    (!ROOTS.contains(&module) && !is_tests).then_some(module)
}

/// The names that a crate's root takes out of modules by `use`, each with the first name of its path.
fn taken(root: &str) -> BTreeMap<&str, &str> {
    let code = root.split(TESTS).next().unwrap_or_default();
    let mut names = BTreeMap::new();
    for (at, keyword) in code.match_indices("use ") {
        let visibility = code[..at].rsplit('\n').next().unwrap_or_default();
        if visibility.is_empty() || visibility.starts_with("pub") && visibility.ends_with(' ') {
            let tree = code[at + keyword.len()..].split(';').next().unwrap_or_default();
            let tree = tree.strip_prefix("crate::").or_else(|| tree.strip_prefix("self::")).unwrap_or(tree);
            names.extend(leaves(tree).into_iter().map(|name| (name, first_word(tree))));
        }
    }
    names
}

/// The names that a `use` brings into its file.
fn leaves(tree: &str) -> Vec<&str> {
    let tree = tree.trim();
    if let Some((path, list)) = tree.split_once('{') {
        let whole = path.trim_end_matches("::").rsplit("::").next().unwrap_or_default();
        let names = parts(list).into_iter().flat_map(leaves);
        return names.map(|name| if name == "self" { whole } else { name }).collect();
    }
    let path = tree.rsplit("::").next().unwrap_or_default();
    vec![path.rsplit(" as ").next().unwrap_or_default()]
}

/// The names after `crate::`, and after `super::` if that is the crate: each once. Comments do not count, nor does the module
/// of tests at a file's end.
fn imports(text: &str, at_root: bool) -> BTreeSet<&str> {
    let code = text.split(TESTS).next().unwrap_or_default();
    let (mut names, mut rest) = (BTreeSet::new(), code);
    while let Some((at, start)) = next_path(rest, at_root) {
        // In a comment, the line says so before the path.
        let before = &code[..code.len() - rest.len() + at];
        rest = &rest[start..];
        if !before.rsplit('\n').next().unwrap_or_default().contains("//") {
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
    match path.strip_prefix('{') {
        Some(list) => parts(list).into_iter().map(|part| first_word(part.trim_start())).collect(),
        None => vec![first_word(path)],
    }
}

/// The parts of a list in braces, whose first brace is gone; what follows its end is none of it.
fn parts(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                parts.push(&list[begin..at]);
                begin = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
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
            file("crates/kernel/src/name.rs", "//! Of [`crate::files`] and [`crate::queues`].\n"),
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
            faults(&files, &[]),
            [
                "crates/kernel/README.md: name stands in the storeys twice",
                "crates/kernel/README.md: the storeys lack tasks",
                "crates/kernel/src/region.rs: region must not use queues, which stands above it",
                "crates/kernel/src/files/mod.rs: files must not use queues, which stands above it",
            ]
        );
    }

    #[test]
    fn a_name_of_the_root_counts_as_its_module() {
        let files = [
            file("crates/kernel/README.md", &README.replace("`queues` `name`", "`queues`")),
            file(
                "crates/kernel/src/lib.rs",
                "pub use files::{Files, read::{self, Answer as Record}};\npub(crate) use self::queues::Queues;\n\
                 mod inner {\n    use super::queues::Item;\n}\n",
            ),
            file("crates/kernel/src/name.rs", "use crate::{Record, Item};\n"),
            file("crates/kernel/src/region.rs", "use super::read;\n"),
            file("crates/kernel/src/files/mod.rs", "use super::Queues;\nuse crate::Files;\n"),
            file("crates/kernel/src/queues.rs", "use crate::{Answer, Record};\n"),
        ];
        assert_eq!(
            faults(&files, &[]),
            [
                "crates/kernel/src/name.rs: name must not use files, which stands above it",
                "crates/kernel/src/region.rs: region must not use files, which stands above it",
                "crates/kernel/src/files/mod.rs: files must not use queues, which stands above it",
            ]
        );
    }

    #[test]
    fn a_crate_with_many_modules_has_storeys() {
        let module = |number| file(&format!("crates/large/src/m{number}.rs"), "");
        let mut files: Vec<File> = (1..MODULES_MIN).map(module).collect();
        files.extend([file("crates/large/src/main.rs", ""), file("crates/large/README.md", "# large\n")]);
        assert!(faults(&files, &[]).is_empty());
        let of_list =
            "crates/large/README.md: it lacks no table of storeys and leaves the list of those that do";
        assert_eq!(faults(&files, &["large"]), [of_list]);
        files.push(module(MODULES_MIN));
        assert!(faults(&files, &["large"]).is_empty());
        assert_eq!(faults(&files, &[]), ["crates/large/README.md: 10 modules need a table of storeys"]);
    }
}
