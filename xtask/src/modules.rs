//! Folders of modules, and which module in them uses which: read from the imports of their files.
//!
//! A module is a file or a folder directly in the folder. A name that the folder's root takes out of a module counts as that module:
//! `crate::Region` is an arrow to `region` where the root has `pub use region::Region`.

use std::collections::{BTreeMap, BTreeSet};

use crate::files::File;

/// The crate's root, which is no module: of a library, of a program.
const ROOTS: [&str; 2] = ["lib", "main"];
/// The beginning of the module of tests at a file's end.
const TESTS: &str = "#[cfg(test)]\nmod tests {";

/// The modules in one folder.
pub(crate) struct Folder<'a> {
    /// Its name, with `/` at its end.
    pub(crate) name: String,
    /// The path of its modules from the crate's root, `crate::` first.
    path: String,
    pub(crate) files: Vec<&'a File>,
    pub(crate) modules: BTreeSet<&'a str>,
    /// The names that the root takes out of modules, each with its module.
    taken: BTreeMap<&'a str, &'a str>,
}

impl<'a> Folder<'a> {
    /// Reads the folder `src` of a crate, or one below it; the name ends with `/`.
    pub(crate) fn read(files: &'a [File], name: String) -> Self {
        let within = name.split_once("/src/").map_or("", |(_, within)| within);
        let path = format!("crate::{}", within.replace('/', "::"));
        let root = root(files, &name, within.is_empty());
        let files: Vec<&File> = files.iter().filter(|file| file.name.starts_with(&name)).collect();
        let modules = files.iter().filter_map(|file| module(&file.name[name.len()..])).collect();
        let taken = root.map(|root| taken(&root.text)).unwrap_or_default();
        Self { name, path, files, modules, taken }
    }

    /// The module of a file of the folder; `None` for its root, and for files that only tests have.
    pub(crate) fn module_of(&self, file: &'a File) -> Option<&'a str> {
        module(&file.name[self.name.len()..])
    }

    /// Returns the modules that a file of the folder imports from, each once.
    pub(crate) fn used(&self, file: &'a File) -> BTreeSet<&'a str> {
        let name = &file.name[self.name.len()..];
        let depth = name.matches('/').count() + usize::from(!name.ends_with("/mod.rs"));
        let module_of = |name| match self.modules.get(name) {
            Some(module) => Some(*module),
            None => self.taken.get(name).copied(),
        };
        imports(&file.text, &self.path, depth).into_iter().filter_map(module_of).collect()
    }

    /// Returns for each module the others that it uses.
    pub(crate) fn arrows(&self) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
        let mut arrows: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for file in &self.files {
            let Some(module) = self.module_of(file) else { continue };
            let mut used = self.used(file);
            used.remove(module);
            arrows.entry(module).or_default().extend(used);
        }
        arrows
    }
}

/// Returns the names of all folders that have a root: `src` of each crate, and those of its modules.
pub(crate) fn folders(files: &[File]) -> BTreeSet<String> {
    let sources = files.iter().filter(|file| file.name.starts_with("crates/") && file.name.ends_with(".rs"));
    let all: BTreeSet<&str> =
        sources.filter_map(|file| file.name.rfind('/').map(|end| &file.name[..=end])).collect();
    let is_source =
        |name: &&&str| name.contains("/src/") && root(files, name, name.ends_with("/src/")).is_some();
    all.iter().filter(is_source).map(|name| (*name).to_owned()).collect()
}

/// The root of a folder: `lib.rs` or `main.rs` of a crate, `mod.rs` or the file beside it of a module.
fn root<'a>(files: &'a [File], folder: &str, is_crate: bool) -> Option<&'a File> {
    let names = match is_crate {
        true => ROOTS.map(|root| format!("{folder}{root}.rs")),
        false => [format!("{folder}mod.rs"), format!("{}.rs", folder.trim_end_matches('/'))],
    };
    files.iter().find(|file| names.contains(&file.name))
}

/// The module of a file by its name within the folder; no module of the root, and of files that only tests have.
fn module(name: &str) -> Option<&str> {
    let (path, is_tests) = (name.strip_suffix(".rs")?, name.split(['/', '.']).any(|part| part == "tests"));
    let module = path.split('/').next()?;
    (!ROOTS.contains(&module) && path != "mod" && !is_tests).then_some(module)
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

/// The names after the folder's path, and after as many `super::` as lead to the folder: each once. Comments do not count, nor does the
/// module of tests at a file's end.
fn imports<'t>(text: &'t str, path: &str, depth: usize) -> BTreeSet<&'t str> {
    let code = text.split(TESTS).next().unwrap_or_default();
    let above = SUPER.repeat(depth);
    let starts = begins(code, path).chain(begins(code, &above));
    let counts = |start: &usize| {
        let line = code[..*start].rsplit('\n').next().unwrap_or_default();
        !line.contains("//") && !code[*start..].starts_with(SUPER)
    };
    starts.filter(counts).flat_map(|start| first_names(&code[start..])).collect()
}

const SUPER: &str = "super::";

/// The places behind a path that nothing stands in front of.
fn begins<'t>(code: &'t str, path: &'t str) -> impl Iterator<Item = usize> + 't {
    let within = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let whole = move |at: &usize| !code[..*at].ends_with(within);
    code.match_indices(path).map(|(at, _)| at).filter(whole).map(move |at| at + path.len())
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
