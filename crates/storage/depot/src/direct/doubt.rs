//! Units of work in doubt: prepared in a row, their changes in others, their locks with their name.
//!
//! ```text
//! nothing ──prepare──► attended ──task gone──► shunted        forced (rows `doubts.forced`): 0 in doubt, 1 and 2: an operator
//!                         │ resolve                │ resolve    has ended it with a commit, a backout; 3: it has ended, and its
//!                         ▼                        ▼            locks are about to be free
//!                       over                     over, or forced by an operator
//! ```

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use records::{
    Decider, Decision, DoubtfulChange, Error, Indoubt, PrivateChanges, Resolved, ResolvedChange, Result,
    Standing, StoreId,
};

use super::calls::{Calls, Kind, Taken};
use super::statements::{OR_UPDATE, SEEN};
use super::tables::{self, push_key, sum};
use crate::lane::Row;
use crate::text::{bytes, push_bytes, quoted};

/// Bytes of an APPLID in front of a name.
pub(super) const PREFIX: usize = 8;

/// The name in the database: those of each region are its own.
pub(super) fn full_name(applid: &str, name: &[u8]) -> Vec<u8> {
    [format!("{applid:PREFIX$}").as_bytes(), name].concat()
}

/// A unit of work begins to be in doubt.
pub(super) fn begin(calls: &Calls, full: &[u8]) -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let (applid, name) = (quoted(&calls.known.applid), bytes(full));
    format!(
        "INSERT INTO doubts SELECT {name}, {applid}, run, {since}, true, 0 FROM regions WHERE applid = {applid}"
    )
}

/// Its changes.
pub(super) fn changes(full: &[u8], changes: &PrivateChanges) -> String {
    let (name, mut text) = (bytes(full), String::new());
    for (store, key, record) in changes.records() {
        text.push_str("INSERT INTO doubtful VALUES (");
        text.push_str(&name);
        text.push_str(", ");
        push_key(&mut text, store, key);
        text.push_str(", ");
        match record {
            Some(record) => push_bytes(&mut text, record),
            None => text.push_str("NULL"),
        }
        text.push_str(&format!(", {}); ", sum(key, record)));
    }
    text
}

/// Its task is gone.
pub(super) fn shunt(full: &[u8]) -> String {
    format!("UPDATE doubts SET attended = false WHERE name = {} AND forced = 0", bytes(full))
}

/// The changes of units of work in doubt in a store.
pub(super) fn in_store(store: StoreId) -> String {
    format!("SELECT key, record, sum FROM doubtful WHERE store = {} ORDER BY name, key", store.0)
}

/// The same, as they were answered.
pub(super) fn of_store(rows: Vec<Row>) -> Result<Vec<DoubtfulChange>> {
    rows.iter().map(|row| tables::checked(row, 0)).collect()
}

/// All of a region.
pub(super) fn list(applid: &str) -> String {
    format!(
        "SELECT name, since, attended, forced, (SELECT count(DISTINCT store) FROM doubtful f WHERE f.name = d.name), \
         (SELECT count(*) FROM doubtful f WHERE f.name = d.name) FROM doubts d WHERE applid = {} AND forced < 3 ORDER BY name",
        quoted(applid)
    )
}

/// The same, as they were answered.
pub(super) fn listed(rows: &[Row]) -> Result<Vec<Indoubt>> {
    let one = |row: &Row| {
        let standing = match (tables::number(row, 3)?, tables::is(row, 2)?) {
            (1, _) => Standing::Forced(Decision::Commit),
            (2, _) => Standing::Forced(Decision::Backout),
            (_, true) => Standing::Attended,
            (_, false) => Standing::Shunted,
        };
        let name = tables::bytes(row, 0)?.get(PREFIX..).unwrap_or_default().to_vec();
        Ok(Indoubt {
            name,
            since: UNIX_EPOCH + Duration::from_millis(tables::number(row, 1)?),
            standing,
            owner: None,
            stores: tables::number(row, 4)? as usize,
            keys: tables::number(row, 5)? as usize,
        })
    };
    rows.iter().map(one).collect()
}

/// Texts that end what a run has left between the end of a unit of work and that of its locks.
pub(super) fn clean(applid: &str) -> String {
    let ended = format!("SELECT name FROM doubts WHERE applid = {} AND forced = 3", quoted(applid));
    format!(
        "DELETE FROM locks WHERE doubt IN ({ended}); DELETE FROM doubts WHERE applid = {} AND forced = 3",
        quoted(applid)
    )
}

/// A unit of work that is to be resolved, and its end.
#[derive(Clone, Copy)]
pub(super) struct Resolution<'a> {
    pub name: &'a [u8],
    pub decision: Decision,
    pub by: Decider,
    /// The end waits for the disk.
    pub forced: bool,
}

/// Ends a unit of work in doubt. `tells`: watchers hear of it, before its locks are free.
pub(super) async fn resolve(calls: &Arc<Calls>, resolution: Resolution<'_>, tells: bool) -> Result<()> {
    let Resolution { name, decision, by, forced } = resolution;
    let full = bytes(&full_name(&calls.known.applid, name));
    let taken = calls.take()?;
    // Who else ends it waits here, and finds it ended.
    let found =
        format!("UPDATE doubts SET attended = attended WHERE name = {full} AND forced < 3 RETURNING forced");
    let rows = taken.ask(Kind::Part, found).await?;
    let made = match rows.first() {
        None => return Err(Error::NotIndoubt),
        Some(row) => match tables::number(row, 0)? {
            0 => None,
            1 => Some(Decision::Commit),
            _ => Some(Decision::Backout),
        },
    };
    match (made, by) {
        (None, _) => {}
        (Some(_), Decider::Operator) => return Err(Error::NotIndoubt),
        (Some(made), Decider::Coordinator) if made != decision => return Err(Error::Heuristic(made)),
        (Some(_), Decider::Coordinator) => {
            let text = format!("DELETE FROM doubts WHERE name = {full}");
            return taken.ask(Kind::Commit(forced), text).await.map(drop);
        }
    }
    let resolved = if tells { Some(ends_as(&taken, &full, resolution).await?) } else { None };
    let apply = match decision {
        Decision::Backout => String::new(),
        Decision::Commit => format!(
            "INSERT INTO records SELECT store, key, record, sum FROM doubtful WHERE name = {full} AND record IS NOT NULL{OR_UPDATE}; \
             DELETE FROM records USING doubtful d WHERE d.name = {full} AND d.record IS NULL AND records.store = d.store \
             AND records.key = d.key; {SEEN}"
        ),
    };
    let apply = format!("{apply}DELETE FROM doubtful WHERE name = {full}; ");
    let unlock = format!("DELETE FROM locks WHERE doubt = {full}; ");
    let rests = match (by, decision) {
        (Decider::Coordinator, _) => format!("DELETE FROM doubts WHERE name = {full}"),
        (Decider::Operator, Decision::Commit) => format!("UPDATE doubts SET forced = 1 WHERE name = {full}"),
        (Decider::Operator, Decision::Backout) => format!("UPDATE doubts SET forced = 2 WHERE name = {full}"),
    };
    let Some(resolved) = resolved else {
        return taken.ask(Kind::Commit(forced), format!("{apply}{unlock}{rests}")).await.map(drop);
    };
    // A coordinator's row says until then that only the locks are left; an operator's says how it has ended.
    let ended = match by {
        Decider::Coordinator => format!("UPDATE doubts SET forced = 3 WHERE name = {full}"),
        Decider::Operator => rests.clone(),
    };
    taken.ask(Kind::Commit(true), format!("{apply}{ended}")).await?;
    calls.known.has_resolved(resolved);
    taken.ask(Kind::Commit(false), format!("{unlock}{rests}")).await.map(drop)
}

/// The message to watchers about a unit of work that is about to end.
async fn ends_as(taken: &Taken, full: &str, resolution: Resolution<'_>) -> Result<Resolved> {
    let text = format!(
        "SELECT d.store, d.key, d.record, d.sum, r.key IS NOT NULL FROM doubtful d LEFT JOIN records r \
         ON r.store = d.store AND r.key = d.key WHERE d.name = {full} ORDER BY d.store, d.key"
    );
    let change = |row: &Row| {
        let (key, record) = tables::checked(row, 1)?;
        Ok(ResolvedChange { store: tables::store(row, 0)?, key, record, had_record: tables::is(row, 4)? })
    };
    let changes = taken.ask(Kind::Part, text).await?.iter().map(change).collect::<Result<_>>()?;
    Ok(Resolved { name: resolution.name.to_vec(), decision: resolution.decision, changes })
}

/// Forgets what an operator has decided.
pub(super) async fn forget(calls: &Arc<Calls>, name: &[u8]) -> Result<()> {
    let full = bytes(&full_name(&calls.known.applid, name));
    let taken = calls.take()?;
    let text = format!("DELETE FROM doubts WHERE name = {full} AND forced IN (1, 2) RETURNING 1");
    if taken.ask(Kind::Part, text).await?.is_empty() {
        return Err(Error::NotIndoubt);
    }
    taken.ask(Kind::Commit(true), "SELECT 1".to_owned()).await.map(drop)
}
