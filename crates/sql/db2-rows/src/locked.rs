//! Locks of the engine as those of tables: what an operator wants to know of one.

use std::sync::Arc;

use records::Resource;

use crate::catalogue::{Name, Table};
use crate::live::{Rid, share_in};
use crate::tables::Tables;

/// The object of a lock in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockedObject {
    /// A row, for one unit of work alone.
    Row(Rid),
    /// A row that several may read.
    SharedRow(Rid),
    /// A key of a unique index, from the change of its row to the end of the unit of work.
    Key(Name),
    /// The table, or the use of it.
    Table,
}

impl Tables {
    /// The table that a lock is of, and its object there; `None`: it is no lock of a table.
    pub fn locked(&self, lock: &Resource) -> Option<(Arc<Table>, LockedObject)> {
        let (store, catalogue) = (lock.store()?, self.catalogue());
        let of_rows = |table: &&Arc<Table>| table.rows() == store;
        if let Some(table) = catalogue.tables().find(of_rows) {
            let object = match (Rid::from_key(lock.name()), share_in(lock.name())) {
                (Some(rid), _) => LockedObject::Row(rid),
                (None, Some((rid, _))) => LockedObject::SharedRow(rid),
                (None, None) => LockedObject::Table,
            };
            return Some((Arc::clone(table), object));
        }
        catalogue.tables().find_map(|table| {
            let index = table.indexes.iter().find(|index| index.id.0 == store)?;
            Some((Arc::clone(table), LockedObject::Key(index.name.clone())))
        })
    }
}
