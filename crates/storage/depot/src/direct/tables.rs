//! The tables of an engine directly in a database, and texts that several parts of it send.
//!
//! ```text
//! stores   number, name, promise                       numbers   next address or place of each store
//! records  (store, key) → record, checksum             doubts, doubtful   units of work in doubt, and their changes
//! locks    (store, key), in no transaction but the     regions   who is there, until when
//!          holder's own; or with the name of a unit    slots     the number of the last commit of each session
//!          of work in doubt                            claims    names that regions use
//! ```

use std::time::Duration;

use records::{Error, Recovery, Result, StoreId};

use crate::lane::Row;
use crate::text::{push_bytes, quoted, to_bytes, to_number};

/// The name of the format.
pub(super) const FORMAT: &str = "Syncpoint records of regions in a database, format 1";

/// The tables. The index leaves out the locks that only their holder's transaction sees.
pub(super) const TABLES: &str = "
    CREATE TABLE format (line text NOT NULL);
    CREATE TABLE state (one integer PRIMARY KEY, version bigint NOT NULL, next_store bigint NOT NULL);
    CREATE TABLE stores (store bigint PRIMARY KEY, name text NOT NULL UNIQUE, recoverable boolean NOT NULL, watched boolean NOT NULL);
    CREATE TABLE records (store bigint NOT NULL, key bytea NOT NULL, record bytea NOT NULL, sum bigint NOT NULL, PRIMARY KEY (store, key));
    CREATE TABLE locks (store bigint NOT NULL, key bytea NOT NULL, doubt bytea, PRIMARY KEY (store, key));
    CREATE INDEX locks_in_doubt ON locks (doubt) WHERE doubt IS NOT NULL;
    CREATE TABLE doubts (name bytea PRIMARY KEY, applid text NOT NULL, run text NOT NULL, since bigint NOT NULL,
        attended boolean NOT NULL, forced integer NOT NULL);
    CREATE TABLE doubtful (name bytea NOT NULL, store bigint NOT NULL, key bytea NOT NULL, record bytea, sum bigint NOT NULL,
        PRIMARY KEY (name, store, key));
    CREATE TABLE numbers (store bigint PRIMARY KEY, next bigint NOT NULL);
    CREATE TABLE regions (applid text PRIMARY KEY, holder text NOT NULL, run text NOT NULL, place text NOT NULL, until timestamptz NOT NULL);
    CREATE TABLE slots (applid text NOT NULL, slot bigint NOT NULL, number bigint NOT NULL, PRIMARY KEY (applid, slot));
    CREATE TABLE claims (name bytea NOT NULL, applid text NOT NULL, alone boolean NOT NULL, run text NOT NULL,
        PRIMARY KEY (name, applid, alone));
    INSERT INTO state VALUES (1, 1, 1);";

/// The last statement of each text: it shows whether the directory, or a store that is watched, is not what it was.
pub(super) const VERSION: &str = "SELECT version FROM state";

/// The directory.
pub(super) const STORES: &str = "SELECT store, name, recoverable, watched FROM stores";

/// Takes numbers for new stores: as many as [`super::limits::NUMBERS`]; the first that is not taken.
pub(super) const MORE_NUMBERS: &str = "UPDATE state SET next_store = next_store + 1000 RETURNING next_store";

/// A region is there.
pub(super) fn until(lease: Duration) -> String {
    format!("clock_timestamp() + interval '{} milliseconds'", lease.as_millis())
}

/// The checksum of a record with its key; of a key alone, if there is no record.
pub(super) fn sum(key: &[u8], record: Option<&[u8]>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(record.unwrap_or_default());
    hasher.finalize()
}

/// Appends `store, key` as they stand in a list of values.
pub(super) fn push_key(text: &mut String, store: StoreId, key: &[u8]) {
    text.push_str(&format!("{}, ", store.0));
    push_bytes(text, key);
}

/// A value that is there.
///
/// # Errors
/// It is NULL, or missing.
pub(super) fn value(row: &Row, at: usize) -> Result<&[u8]> {
    let value = row.get(at).and_then(Option::as_deref);
    value.ok_or_else(|| Error::Corrupt("the database answers with a NULL".into()))
}

/// A number in an answer.
pub(super) fn number(row: &Row, at: usize) -> Result<u64> {
    to_number(value(row, at)?).map_err(|error| Error::Corrupt(error.to_string()))
}

/// Bytes in an answer.
pub(super) fn bytes(row: &Row, at: usize) -> Result<Vec<u8>> {
    to_bytes(value(row, at)?).map_err(|error| Error::Corrupt(error.to_string()))
}

/// The number of a store in an answer.
pub(super) fn store(row: &Row, at: usize) -> Result<StoreId> {
    let store = u32::try_from(number(row, at)?).map(StoreId);
    store.map_err(|_| Error::Corrupt("the database answers with a number that is no store's".into()))
}

/// Returns true if the value of type boolean is.
pub(super) fn is(row: &Row, at: usize) -> Result<bool> {
    Ok(value(row, at)? == b"t")
}

/// A key and its record at `at` of a row, with the checksum behind them; `None` for a record that is NULL.
///
/// # Errors
/// Something else has changed them.
pub(super) fn checked(row: &Row, at: usize) -> Result<(Vec<u8>, Option<Vec<u8>>)> {
    let key = bytes(row, at)?;
    let record = match row.get(at + 1) {
        Some(Some(_)) => Some(bytes(row, at + 1)?),
        _ => None,
    };
    if number(row, at + 2)? != u64::from(sum(&key, record.as_deref())) {
        let shown: String = key.iter().take(32).map(|byte| format!("{byte:02X}")).collect();
        return Err(Error::Corrupt(format!(
            "the record with key {shown} in the database is not as it was written"
        )));
    }
    Ok((key, record))
}

/// The promise in a listing.
pub(super) fn recovery(recoverable: bool) -> Recovery {
    if recoverable { Recovery::Recoverable } else { Recovery::NonRecoverable }
}

/// The statement by which a region takes its place, if no other run has it; in its row stands the run.
pub(super) fn take_place(applid: &str, holder: &crate::Holder, lease: Duration) -> String {
    let (applid, until) = (quoted(applid), until(lease));
    format!(
        "INSERT INTO regions VALUES ({applid}, '', '', '', '-infinity') ON CONFLICT (applid) DO NOTHING; \
         UPDATE regions SET holder = '{}', run = '{}', place = {}, until = {until} WHERE applid = {applid} \
         AND (until <= clock_timestamp() OR holder = '{}') RETURNING run",
        holder.folder,
        holder.run,
        quoted(&holder.place),
        holder.folder
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_something_has_changed_is_no_data() {
        let text = |bytes: &[u8]| {
            Some(format!("\\x{}", bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()).into_bytes())
        };
        let row = |record: Option<&[u8]>, sum: u32| {
            vec![text(b"key"), record.and_then(text), Some(sum.to_string().into_bytes())]
        };
        let right = sum(b"key", Some(b"record"));
        assert_eq!(checked(&row(Some(b"record"), right), 0), Ok((b"key".to_vec(), Some(b"record".to_vec()))));
        assert!(checked(&row(Some(b"recorD"), right), 0).is_err());
        assert!(checked(&row(None, right), 0).is_err());
        assert_eq!(checked(&row(None, sum(b"key", None)), 0), Ok((b"key".to_vec(), None)));
    }
}
