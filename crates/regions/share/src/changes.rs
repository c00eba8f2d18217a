//! Private changes of a unit of work as a message has them.

use records::{OfStore, PrivateChanges, Recovery, StoreId};

use crate::protocol::Change;

/// All changes, those of stores themselves first.
pub(crate) fn to_send(changes: &PrivateChanges) -> Vec<Change<'_>> {
    let is_recoverable = |recovery: &Recovery| *recovery == Recovery::Recoverable;
    let of_stores = changes.of_stores().iter().map(|(StoreId(store), change)| match change {
        OfStore::Create(name, recovery) => Change::Create(*store, name, is_recoverable(recovery)),
        OfStore::Delete => Change::Delete(*store),
        OfStore::Empty => Change::Empty(*store),
        OfStore::Promise(recovery) => Change::Promise(*store, is_recoverable(recovery)),
    });
    let records = changes.records().map(|(StoreId(store), key, record)| Change::Record(store, key, record));
    of_stores.chain(records).collect()
}
