//! Which crate may use which: the table of ARCHITECTURE.md against every Cargo.toml.

use std::collections::BTreeMap;

use crate::files::{File, crate_of};

/// A table of the house: each name's place in it. A crate may use those with a smaller place.
pub(crate) struct House {
    places: BTreeMap<String, usize>,
    twice: Vec<String>,
}

/// Returns the faults of the dependencies of the project's crates.
pub(crate) fn complaints(files: &[File]) -> Vec<String> {
    let manifests: BTreeMap<String, &File> = files
        .iter()
        .filter_map(|file| {
            let name = crate_of(&file.name)?.strip_suffix("/Cargo.toml")?;
            Some((name.to_owned(), file))
        })
        .collect();
    let Some(architecture) = files.iter().find(|file| file.name == "ARCHITECTURE.md") else {
        return vec!["ARCHITECTURE.md: not there".to_owned()];
    };
    let house = House::read(&architecture.text, |name| manifests.contains_key(name));
    let mut complaints = Vec::new();
    for (name, manifest) in &manifests {
        let Some(place) = house.place(name) else {
            complaints.push(format!("ARCHITECTURE.md: the table of the house lacks {name}"));
            continue;
        };
        for used in dependencies(&manifest.text) {
            if house.place(&used).is_some_and(|other| other >= place) {
                complaints
                    .push(format!("{}: {name} must not use {used}, which stands above it", manifest.name));
            }
        }
    }
    complaints
}

impl House {
    /// Reads the rows of the table: names are the words in backquotes that are known.
    pub(crate) fn read(text: &str, is_known: impl Fn(&str) -> bool) -> Self {
        let rows = text.lines().filter(|line| line.starts_with('|'));
        let words = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
        let mut house = Self { places: BTreeMap::new(), twice: Vec::new() };
        for word in words.filter(|word| is_known(word)) {
            if house.places.contains_key(word) {
                house.twice.push(word.to_owned());
            } else {
                house.places.insert(word.to_owned(), house.places.len());
            }
        }
        house
    }

    /// The place of a name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Names that are there more than once: the first place counts.
    pub(crate) fn twice(&self) -> impl Iterator<Item = &String> {
        self.twice.iter()
    }
}

/// Returns the dependencies with which a crate is built; those of its tests alone do not count.
fn dependencies(manifest: &str) -> Vec<String> {
    let Ok(table) = manifest.parse::<toml::Table>() else { return Vec::new() };
    let kinds = ["dependencies", "build-dependencies"];
    let tables = kinds.iter().filter_map(|kind| table.get(*kind)?.as_table());
    tables.flat_map(|table| table.keys().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> File {
        File { name: name.to_owned(), text: text.to_owned() }
    }

    const TABLE: &str =
        "| layer | crates |\n|---|---|\n| 0 | `spec`: one `record` |\n| 1 | `bms` maps · `csd` |\n";

    #[test]
    fn a_crate_uses_what_stands_before_it() {
        let files = [
            file("ARCHITECTURE.md", TABLE),
            file("crates/any/spec/Cargo.toml", "[dev-dependencies]\nbms.workspace = true\n"),
            file(
                "crates/any/bms/Cargo.toml",
                "[dependencies]\nspec.workspace = true\ncsd.workspace = true\n",
            ),
            file("crates/any/csd/Cargo.toml", "[dependencies]\nbms = { path = \"x\" }\nserde = \"1\"\n"),
            file("crates/any/new/Cargo.toml", ""),
        ];
        assert_eq!(
            complaints(&files),
            [
                "crates/any/bms/Cargo.toml: bms must not use csd, which stands above it",
                "ARCHITECTURE.md: the table of the house lacks new",
            ]
        );
    }
}
