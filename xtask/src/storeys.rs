//! Which module of a crate may use which: the table of storeys in the crate's README against what its files import.
//!
//! A crate with ten modules or more has a section of that name in its README. Its modules are the files and folders directly in
//! `src`.

use crate::files::{File, crate_of};
use crate::layers::House;
use crate::modules::Folder;

/// The section of a README that has the table, the lowest storey first.
const SECTION: &str = "## Storeys\n";
/// A crate with as many modules has the table.
const MODULES_MIN: usize = 10;
/// Crates with as many modules and no table yet. A crate leaves this list with its table; none may come to it.
const LACKING: &[&str] = &[];

/// Returns the faults of the modules of crates, and the crates that ought to have storeys.
pub(crate) fn complaints(files: &[File]) -> Vec<String> {
    faults(files, LACKING)
}

fn faults(files: &[File], lacking: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    for readme in files {
        let Some(folder) = readme.name.strip_suffix("README.md") else { continue };
        let source = Folder::read(files, format!("{folder}src/"));
        let table = readme.text.split_once(SECTION).map(|(_, after)| after);
        if let Some(table) = table {
            faults.extend(check(&source, &readme.name, table.split("\n## ").next().unwrap_or_default()));
        }
        let name = crate_of(folder).and_then(|folder| folder.strip_suffix('/'));
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

/// Returns the faults of a crate's modules by a table.
fn check(source: &Folder<'_>, readme: &str, table: &str) -> Vec<String> {
    let house = House::read(table, |word| source.modules.contains(word));
    let mut complaints: Vec<_> =
        house.twice().map(|module| format!("{readme}: {module} stands in the storeys twice")).collect();
    for module in source.modules.iter().filter(|module| house.place(module).is_none()) {
        complaints.push(format!("{readme}: the storeys lack {module}"));
    }
    for file in &source.files {
        let Some(module) = source.module_of(file) else { continue };
        let stands_above = |other: &&str| {
            house.place(other).zip(house.place(module)).is_some_and(|(other, own)| other > own)
        };
        for other in source.used(file).into_iter().filter(stands_above) {
            complaints.push(format!("{}: {module} must not use {other}, which stands above it", file.name));
        }
    }
    complaints
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
            file("crates/any/kernel/README.md", README),
            file("crates/any/kernel/src/lib.rs", "pub mod name;\nuse crate::queues;\n"),
            file("crates/any/kernel/src/name.rs", "//! Of [`crate::files`] and [`crate::queues`].\n"),
            file(
                "crates/any/kernel/src/region.rs",
                "use crate::{\n    name::{self, Name},\n    queues::Queues,\n};\n",
            ),
            file("crates/any/kernel/src/files/mod.rs", "use super::queues;\nuse crate::name;\n"),
            file(
                "crates/any/kernel/src/files/read.rs",
                "use super::queues;\nfn read() -> crate::tasks::Task {}\n",
            ),
            file(
                "crates/any/kernel/src/queues.rs",
                "use crate::files; // crate::tasks\n\n#[cfg(test)]\nmod tests {\n    use crate::tasks;\n}\n",
            ),
            file("crates/any/kernel/src/files/tests.rs", "use crate::tasks;\n"),
            file("crates/any/kernel/src/tasks.rs", ""),
        ];
        assert_eq!(
            faults(&files, &[]),
            [
                "crates/any/kernel/README.md: name stands in the storeys twice",
                "crates/any/kernel/README.md: the storeys lack tasks",
                "crates/any/kernel/src/region.rs: region must not use queues, which stands above it",
                "crates/any/kernel/src/files/mod.rs: files must not use queues, which stands above it",
            ]
        );
    }

    #[test]
    fn a_name_of_the_root_counts_as_its_module() {
        let files = [
            file("crates/any/kernel/README.md", &README.replace("`queues` `name`", "`queues`")),
            file(
                "crates/any/kernel/src/lib.rs",
                "pub use files::{Files, read::{self, Answer as Record}};\npub(crate) use self::queues::Queues;\n\
                 mod inner {\n    use super::queues::Item;\n}\n",
            ),
            file("crates/any/kernel/src/name.rs", "use crate::{Record, Item};\n"),
            file("crates/any/kernel/src/region.rs", "use super::read;\n"),
            file("crates/any/kernel/src/files/mod.rs", "use super::Queues;\nuse crate::Files;\n"),
            file("crates/any/kernel/src/queues.rs", "use crate::{Answer, Record};\n"),
        ];
        assert_eq!(
            faults(&files, &[]),
            [
                "crates/any/kernel/src/name.rs: name must not use files, which stands above it",
                "crates/any/kernel/src/region.rs: region must not use files, which stands above it",
                "crates/any/kernel/src/files/mod.rs: files must not use queues, which stands above it",
            ]
        );
    }

    #[test]
    fn a_crate_with_many_modules_has_storeys() {
        let module = |number| file(&format!("crates/any/large/src/m{number}.rs"), "");
        let mut files: Vec<File> = (1..MODULES_MIN).map(module).collect();
        files.extend([
            file("crates/any/large/src/main.rs", ""),
            file("crates/any/large/README.md", "# large\n"),
        ]);
        assert!(faults(&files, &[]).is_empty());
        let of_list =
            "crates/any/large/README.md: it lacks no table of storeys and leaves the list of those that do";
        assert_eq!(faults(&files, &["large"]), [of_list]);
        files.push(module(MODULES_MIN));
        assert!(faults(&files, &["large"]).is_empty());
        assert_eq!(faults(&files, &[]), ["crates/any/large/README.md: 10 modules need a table of storeys"]);
    }
}
