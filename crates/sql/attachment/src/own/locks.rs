//! Locks of rows in words: the table, and the row by its key.

use db2_rows::{LockedObject, Rid, Table, Unique};
use db2_values::{Timestamp, Type, row, text_of};
use records::Resource;

use super::tables::OwnTables;

impl OwnTables {
    /// The table that a lock is of, and what of it, in words; `None`: it is no lock of a table.
    pub fn lock_in_words(&self, lock: &Resource) -> Option<(String, String)> {
        let (table, object) = self.tables.locked(lock)?;
        let what = match object {
            LockedObject::Row(rid) => self.row_in_words(&table, rid),
            LockedObject::SharedRow(rid) => format!("{}, shared", self.row_in_words(&table, rid)),
            LockedObject::Key(index) => format!("key of index {}", index.name),
            LockedObject::Table => String::from("the table"),
        };
        Some((table.name.to_string(), what))
    }

    /// A row by its unique key, as it is committed; one that is not yet, or not in memory, by its number.
    fn row_in_words(&self, table: &Table, rid: Rid) -> String {
        self.key_of(table, rid).unwrap_or_else(|| format!("row {}", rid.0))
    }

    fn key_of(&self, table: &Table, rid: Rid) -> Option<String> {
        let unique = |index: &&db2_rows::Index| index.unique != Unique::No;
        let primary = table.indexes.iter().find(|index| index.is_primary);
        let index = primary.or_else(|| table.indexes.iter().find(unique))?;
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        let mut bytes = Vec::new();
        if !unit.get(table.id.0, &rid.0.to_be_bytes(), &mut bytes).now().ok()?.ok()? {
            return None;
        }
        let kinds: Option<Vec<Type>> = table.columns.iter().map(|column| column.kind.of_values()).collect();
        let (kinds, setting) = (kinds?, self.setting(Timestamp::FIRST));
        let parts = index.key.iter().map(|part| {
            let value = row::column(&bytes, &kinds, part.column).ok()??;
            Some(format!("{} {}", table.columns[part.column].name, text_of(&value, &setting).trim_end()))
        });
        parts.collect::<Option<Vec<_>>>().map(|parts| parts.join(", "))
    }
}
