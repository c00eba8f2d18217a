//! In how many tables the items of a name stand. Names are looked up later; only the number of subscripts is needed here, where
//! the text alone does not say which words are one subscript.

use std::collections::HashMap;
use std::rc::Rc;

use crate::tree::{Data, DataEntry};

/// Levels below which no item stands in a group.
const OF_THEIR_OWN: [u8; 2] = [66, 77];
/// A condition-name takes the subscripts of its item.
const CONDITION: u8 = 88;

/// By name, each number of tables that an item of the name stands in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dimensions(HashMap<Rc<str>, Vec<usize>>);

impl Dimensions {
    /// Notes the items of a data division.
    pub(crate) fn add(&mut self, data: &Data) {
        let files = data.files.iter().map(|file| &file.records);
        for entries in files.chain([&data.working_storage, &data.local_storage, &data.linkage]) {
            self.add_entries(entries);
        }
    }

    fn add_entries(&mut self, entries: &[DataEntry]) {
        // The groups around an entry: level, and whether it is a table.
        let mut around: Vec<(u8, bool)> = Vec::new();
        for entry in entries {
            let level = if OF_THEIR_OWN.contains(&entry.level) { 1 } else { entry.level };
            if level != CONDITION {
                while around.last().is_some_and(|(above, _)| *above >= level) {
                    around.pop();
                }
                around.push((level, entry.occurs.is_some()));
            }
            if let Some(name) = &entry.name {
                let tables = around.iter().filter(|(_, table)| *table).count();
                self.0.entry(Rc::clone(&name.text)).or_default().push(tables);
            }
        }
    }

    /// Returns true if an item of this name is described.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns true if an item of this name, or one that is not known, may have so many subscripts.
    pub(crate) fn fits(&self, name: &str, subscripts: usize) -> bool {
        self.0.get(name).is_none_or(|tables| tables.contains(&subscripts))
    }

    /// Returns true if items of this name are known, and none stands in a table.
    pub(crate) fn is_in_no_table(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|tables| tables.iter().all(|tables| *tables == 0))
    }
}
