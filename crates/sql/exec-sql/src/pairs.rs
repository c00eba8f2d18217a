//! That records and the tables of a private server belong together: both have a mark, another one from each connection on. Of a pair
//! of which one half was restored, exchanged or lost the marks differ, and no statement runs there.
//!
//! ```text
//! records: {A}  tables: A ──► records: {A, B} ──► tables: B ──► records: {B}      B is chosen by chance
//! ```
//!
//! A process that dies between two steps leaves tables with a mark that the records know.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use kernel::region::Region;
use records::{Engine, Recovery, StoreId};
use sql::server::plain;
use sql::{Address, Session};

/// The store of the marks: by the server's DB2ID.
const STORE: &str = "region servers";
/// The mark of tables that an operator has declared to belong to the records.
const BELONGS: &str = "*";
/// Between two marks.
const NEXT: char = ' ';

/// The reason that no statement runs at a server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoPair {
    #[error(
        "the tables are of another time than the records, as one of both was restored, exchanged or lost: restore both from one backup \
         (docs/backup.md). Where you know that they belong together, end the region, say so by syncpoint sql DIR --belongs, and start it"
    )]
    Other,
    #[error("the mark of the tables cannot be compared with that of the records: {0}")]
    Unknown(String),
}

/// Compares the marks, and gives both halves a new one.
pub(crate) async fn pair(region: &Arc<Region>, server: &str, owner: &Address) -> Result<(), NoPair> {
    let unknown = |why: &dyn std::fmt::Display| NoPair::Unknown(why.to_string());
    let engine = &*region.records;
    let store = open(engine).await.map_err(|why| unknown(&why))?;
    let mut session = Session::connect(owner, &plain()).await.map_err(|why| unknown(&why))?;
    let paired = async {
        let known = read(engine, store, server).await.map_err(|why| unknown(&why))?;
        let found = session.script("SELECT mark FROM syncpoint.pair").await.map_err(|why| unknown(&why))?;
        let found = match found.rows.is_empty() {
            true => None,
            false => {
                found.rows.row(0).next().flatten().map(|mark| String::from_utf8_lossy(mark).into_owned())
            }
        };
        if !belong(known.as_deref(), found.as_deref()) {
            return Err(NoPair::Other);
        }
        let (former, next) = (found.unwrap_or_default(), mark());
        write(engine, store, server, &format!("{former}{NEXT}{next}")).await.map_err(|why| unknown(&why))?;
        let text = format!(
            "BEGIN; DELETE FROM syncpoint.pair; INSERT INTO syncpoint.pair VALUES ('{next}'); COMMIT"
        );
        session.script(text).await.map_err(|why| unknown(&why))?;
        write(engine, store, server, &next).await.map_err(|why| unknown(&why))
    };
    let paired = paired.await;
    session.close().await;
    paired
}

/// Says of tables that they belong to whatever records come to them next.
pub(crate) async fn say(owner: &Address) -> Result<(), String> {
    let mut session = Session::connect(owner, &plain()).await.map_err(|why| why.to_string())?;
    let text =
        format!("BEGIN; DELETE FROM syncpoint.pair; INSERT INTO syncpoint.pair VALUES ('{BELONGS}'); COMMIT");
    let said = session.script(text).await;
    session.close().await;
    said.map(drop).map_err(|why| why.to_string())
}

/// Records without a mark are new, or of an earlier version.
fn belong(known: Option<&str>, found: Option<&str>) -> bool {
    match (known, found) {
        (None, _) | (_, Some(BELONGS)) => true,
        (Some(known), found) => known.split(NEXT).any(|mark| mark == found.unwrap_or_default()),
    }
}

/// A mark that no other pair has.
fn mark() -> String {
    let half = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

async fn open(engine: &dyn Engine) -> records::Result<StoreId> {
    if let Some(store) = engine.find(STORE) {
        return Ok(store);
    }
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store(STORE, Recovery::Recoverable)?;
    unit.commit().await?;
    Ok(store)
}

/// Under which a server's mark is kept.
fn key(server: &str) -> &[u8] {
    if server.is_empty() { b"DB2" } else { server.as_bytes() }
}

async fn read(engine: &dyn Engine, store: StoreId, server: &str) -> records::Result<Option<String>> {
    let mut unit = engine.begin(engine.locks().new_owner());
    let mut record = Vec::new();
    let is_there = unit.get(store, key(server), &mut record).await?;
    Ok(is_there.then(|| String::from_utf8_lossy(&record).into_owned()))
}

async fn write(engine: &dyn Engine, store: StoreId, server: &str, marks: &str) -> records::Result<()> {
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.put(store, key(server), marks.as_bytes()).await?;
    unit.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_tell_a_pair() {
        for (known, found, belongs) in [
            (None, None, true),
            (None, Some("a"), true),
            (Some("a"), Some("a"), true),
            (Some("a b"), Some("a"), true),
            (Some("a b"), Some("b"), true),
            (Some(" b"), None, true),
            (Some("a"), Some("b"), false),
            (Some("a"), None, false),
            (Some("a"), Some("*"), true),
        ] {
            assert_eq!(belong(known, found), belongs, "{known:?} {found:?}");
        }
        assert_ne!(mark(), mark());
    }
}
