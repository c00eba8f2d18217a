//! Texts that a unit of work has carried out. Each ends with `; ` where others follow it.

use records::{Direction, OfStore, Origin, PrivateChanges, Recovery, StoreId};

use super::known::inside;
use super::tables::{push_key, sum};
use crate::text::{bytes, push_bytes, quoted};

/// Others see that the directory, or a store that is watched, is not what it was.
pub(super) const SEEN: &str = "UPDATE state SET version = version + 1; ";

/// Rows in a statement.
const ROWS: usize = 1_000;

/// Takes a lock, says who has it if that is a unit of work in doubt, and reads the record, in this order: so the record is that of the moment in
/// which the lock is there.
pub(super) fn lock(store: StoreId, key: &[u8]) -> String {
    let (begin, store, key) = (lock_begin(store, key), store.0, bytes(key));
    format!(
        "{begin} ON CONFLICT (store, key) DO NOTHING RETURNING 'L'; \
         SELECT 'D', d.attended AND r.run = d.run AND r.until > clock_timestamp() FROM locks l JOIN doubts d ON d.name = l.doubt \
         LEFT JOIN regions r ON r.applid = d.applid WHERE l.store = {store} AND l.key = {key}; \
         SELECT 'R', key, record, sum FROM records WHERE store = {store} AND key = {key}"
    )
}

/// The beginning of the statement that takes a lock, by which a session that waits for it is found.
fn lock_begin(store: StoreId, key: &[u8]) -> String {
    format!("INSERT INTO locks VALUES ({}, {}, NULL)", store.0, bytes(key))
}

/// Finds the names of the sessions for which a session of this name waits that wants a lock. The database tells it to each user.
pub(super) fn holders(application: &str, store: StoreId, key: &[u8]) -> String {
    format!(
        "SELECT DISTINCT h.application_name FROM pg_stat_activity w JOIN pg_stat_activity h ON h.pid = ANY (pg_blocking_pids(w.pid)) \
         WHERE w.application_name = {} AND w.wait_event_type = 'Lock' AND strpos(w.query, {}) > 0",
        quoted(application),
        quoted(&lock_begin(store, key))
    )
}

/// Reads a record.
pub(super) fn get(store: StoreId, key: &[u8]) -> String {
    format!("SELECT key, record, sum FROM records WHERE store = {} AND key = {}", store.0, bytes(key))
}

/// Reads records of a range.
pub(super) fn range(store: StoreId, origin: Origin<'_>, direction: Direction, limit: usize) -> String {
    let order = if direction == Direction::Forward { "ASC" } else { "DESC" };
    let from = match (origin, direction) {
        (Origin::Start, _) => String::new(),
        (Origin::At(key), Direction::Forward) => format!("AND key >= {}", bytes(key)),
        (Origin::Beyond(key), Direction::Forward) => format!("AND key > {}", bytes(key)),
        (Origin::At(key), Direction::Backward) => format!("AND key <= {}", bytes(key)),
        (Origin::Beyond(key), Direction::Backward) => format!("AND key < {}", bytes(key)),
    };
    let store = store.0;
    format!(
        "SELECT key, record, sum FROM records WHERE store = {store} {from} ORDER BY key {order} LIMIT {limit}"
    )
}

/// Appends a row of records.
pub(super) fn push_record(text: &mut String, store: StoreId, key: &[u8], record: &[u8]) {
    text.push('(');
    push_key(text, store, key);
    text.push_str(", ");
    push_bytes(text, record);
    text.push_str(&format!(", {})", sum(key, Some(record))));
}

/// The end of a statement that writes records, whether they were there or not.
pub(super) const OR_UPDATE: &str =
    " ON CONFLICT (store, key) DO UPDATE SET record = excluded.record, sum = excluded.sum";

/// A change of a store that is not recoverable.
pub(super) fn one_change(store: StoreId, key: &[u8], record: Option<&[u8]>) -> String {
    let Some(record) = record else {
        return format!("DELETE FROM records WHERE store = {} AND key = {}", store.0, bytes(key));
    };
    let mut text = String::from("INSERT INTO records VALUES ");
    push_record(&mut text, store, key, record);
    text + OR_UPDATE
}

/// Appends statements, each with up to so many rows between its head and its tail.
fn push_rows<T>(
    text: &mut String,
    rows: impl Iterator<Item = T>,
    (head, tail): (&str, &str),
    push: impl Fn(&mut String, T),
) {
    let mut count = 0;
    for row in rows {
        if count % ROWS != 0 {
            text.push_str(", ");
        } else {
            if count > 0 {
                text.push_str(tail);
            }
            text.push_str(head);
        }
        push(text, row);
        count += 1;
    }
    if count > 0 {
        text.push_str(tail);
    }
}

fn push_place(text: &mut String, (store, key): (StoreId, &[u8])) {
    text.push('(');
    push_key(text, store, key);
    text.push(')');
}

/// All changes of a unit of work.
pub(super) fn changes(applid: &str, changes: &PrivateChanges) -> String {
    let mut text = String::new();
    for (StoreId(store), change) in changes.of_stores() {
        text.push_str(&match change {
            OfStore::Create(name, recovery) => {
                let (name, is) = (quoted(&inside(applid, name)), *recovery == Recovery::Recoverable);
                format!("INSERT INTO stores VALUES ({store}, {name}, {is}, false); ")
            }
            OfStore::Delete => format!(
                "DELETE FROM stores WHERE store = {store}; DELETE FROM records WHERE store = {store}; \
                 DELETE FROM numbers WHERE store = {store}; "
            ),
            OfStore::Empty => format!(
                "DELETE FROM records WHERE store = {store}; DELETE FROM numbers WHERE store = {store}; "
            ),
            OfStore::Promise(recovery) => {
                let is = *recovery == Recovery::Recoverable;
                format!("UPDATE stores SET recoverable = {is} WHERE store = {store}; ")
            }
        });
    }
    let written = changes.records().filter_map(|(store, key, record)| Some((store, key, record?)));
    let ends = ("INSERT INTO records VALUES ", &*format!("{OR_UPDATE}; "));
    push_rows(&mut text, written, ends, |text, (store, key, record)| push_record(text, store, key, record));
    let deleted = changes.records().filter(|(_, _, record)| record.is_none());
    let deleted = deleted.map(|(store, key, _)| (store, key));
    push_rows(&mut text, deleted, DELETE_RECORDS, push_place);
    text
}

/// Head and tail of the statement that deletes records at some places.
const DELETE_RECORDS: (&str, &str) = (
    "DELETE FROM records USING (VALUES ",
    ") AS own (store, key) WHERE records.store = own.store AND records.key = own.key; ",
);
/// Head and tail of the statement that deletes locks.
const DELETE_LOCKS: (&str, &str) = ("DELETE FROM locks USING (VALUES ", OF_LOCKS);
/// The end of a statement that concerns locks.
const OF_LOCKS: &str = ") AS own (store, key) WHERE locks.store = own.store AND locks.key = own.key; ";

/// Appends the end of locks that the transaction has.
pub(super) fn push_unlock<'a>(text: &mut String, locks: impl Iterator<Item = (StoreId, &'a [u8])>) {
    push_rows(text, locks, DELETE_LOCKS, push_place);
}

/// Appends that locks of the transaction are those of a unit of work in doubt from its end on.
pub(super) fn push_retain<'a>(
    text: &mut String,
    name: &[u8],
    locks: impl Iterator<Item = (StoreId, &'a [u8])>,
) {
    let head = format!("UPDATE locks SET doubt = {} FROM (VALUES ", bytes(name));
    push_rows(text, locks, (&head, OF_LOCKS), push_place);
}

/// Takes numbers behind those that were taken.
pub(super) fn next_numbers(store: StoreId, from: u64, count: u64) -> String {
    let (store, from) = (store.0, from.min(i64::MAX as u64));
    format!(
        "UPDATE numbers SET next = greatest(next, {from}) + {count} WHERE store = {store} RETURNING next - {count}"
    )
}

/// Takes the first numbers, unless another region has taken some just now.
pub(super) fn first_numbers(store: StoreId, first: u64, count: u64) -> String {
    let (store, first) = (store.0, first.min(i64::MAX as u64));
    format!(
        "INSERT INTO numbers VALUES ({store}, {first} + {count}) ON CONFLICT (store) \
         DO UPDATE SET next = greatest(numbers.next, {first}) + {count} RETURNING next - {count}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_become_statements() {
        let mut unit = PrivateChanges::default();
        unit.set_store(StoreId(4), OfStore::Create("region starts".to_owned(), Recovery::Recoverable));
        unit.set(StoreId(3), b"a", Some(b"1"));
        unit.set(StoreId(3), b"b", None);
        let text = changes("REGA", &unit);
        for part in [
            "INSERT INTO stores VALUES (4, 'region REGA starts', true, false); ",
            "INSERT INTO records VALUES (3, '\\x61'::bytea, '\\x31'::bytea, ",
            "DELETE FROM records USING (VALUES (3, '\\x62'::bytea)) AS own",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(text.ends_with("; "));
        assert!(changes("REGA", &PrivateChanges::default()).is_empty());
    }

    #[test]
    fn many_rows_are_several_statements() {
        let keys: Vec<[u8; 4]> = (0..2_500_u32).map(u32::to_be_bytes).collect();
        let mut text = String::new();
        push_unlock(&mut text, keys.iter().map(|key| (StoreId(1), &key[..])));
        assert_eq!(text.matches("DELETE FROM locks").count(), 3);
        assert_eq!(text.matches("::bytea)").count(), 2_500);
    }
}
