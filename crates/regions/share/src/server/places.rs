//! The number of the last commit of each place of a region, kept in the unit of work that it is the number of.
//!
//! A region whose link is lost between its commit and the reply asks for the number afterwards: if it is there, so is the
//! unit of work, whole.

use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

use records::{Batch, Direction, Engine, Error, Origin, Recovery, Result, StoreId, UnitOfWork};

use super::Inner;
use super::session::Session;
use crate::limits::PLACES;
use crate::protocol::CommitPlace;

/// The name of the store.
const STORE: &str = "record server commits";
/// The key of the number that these records have at each server: it is no APPLID.
const NUMBER: &[u8] = b"\0number";
/// Bytes of an APPLID in a key.
const APPLID: usize = 8;

/// The store, made if it is not there.
pub(super) async fn open(engine: &dyn Engine) -> Result<StoreId> {
    if let Some(store) = engine.find(STORE) {
        return Ok(store);
    }
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store(STORE, Recovery::Recoverable)?;
    unit.commit().await?;
    Ok(store)
}

/// The number of the records, given to them if they have none: other records have another one, and copies of these the same.
pub(super) async fn number_of_records(engine: &dyn Engine, store: StoreId) -> Result<u64> {
    let mut unit = engine.begin(engine.locks().new_owner());
    let mut record = Vec::new();
    unit.get(store, NUMBER, &mut record).await?;
    if let Some(number) = record.first_chunk() {
        return Ok(u64::from_be_bytes(*number));
    }
    // The keys of a hasher are random.
    let number = RandomState::new().hash_one(SystemTime::now()) | 1;
    unit.put(store, NUMBER, &number.to_be_bytes()).await?;
    unit.commit().await?;
    Ok(number)
}

/// Bytes of the key of one run of a region, and of a place in it.
const OF_RUN: usize = APPLID + 8;
const OF_PLACE: usize = OF_RUN + 4;

/// The key of a region's places, and of one run of it.
fn key_of_run(session: &Session) -> [u8; OF_RUN] {
    let mut key = [b' '; OF_RUN];
    session.with_name(|applid, run| {
        let length = applid.len().min(APPLID);
        key[..length].copy_from_slice(&applid.as_bytes()[..length]);
        key[APPLID..].copy_from_slice(&run.to_be_bytes());
    });
    key
}

fn key(session: &Session, place: u32) -> [u8; OF_PLACE] {
    let mut key = [0; OF_PLACE];
    key[..OF_RUN].copy_from_slice(&key_of_run(session));
    key[OF_RUN..].copy_from_slice(&place.to_be_bytes());
    key
}

/// Adds the number to a unit of work.
pub(super) async fn put(
    inner: &Inner,
    session: &Session,
    unit: &mut dyn UnitOfWork,
    place: CommitPlace,
) -> Result<()> {
    if place.place >= PLACES {
        return Err(Error::Limit("places for commits"));
    }
    unit.put(inner.places, &key(session, place.place), &place.number.to_be_bytes()).await
}

/// The number of the last commit of a place; 0: there is none.
pub(super) async fn last(inner: &Inner, session: &Session, place: u32) -> Result<u64> {
    let mut unit = inner.engine.begin(inner.engine.locks().new_owner());
    let mut record = Vec::new();
    unit.get(inner.places, &key(session, place), &mut record).await?;
    Ok(record.first_chunk().map_or(0, |number| u64::from_be_bytes(*number)))
}

/// Forgets the places of former runs: no region asks for them any more.
pub(super) async fn forget_former(inner: &Inner, session: &Session) -> Result<()> {
    let own = key_of_run(session);
    let region = &own[..APPLID];
    let mut last = region.to_vec();
    loop {
        let mut unit = inner.engine.begin(inner.engine.locks().new_owner());
        let mut batch = Batch::default();
        unit.range(inner.places, Origin::Beyond(&last), Direction::Forward, 256, &mut batch).await?;
        let keys: Vec<_> = batch.iter().map(|(key, _)| key.to_vec()).collect();
        let of_region: Vec<_> = keys.into_iter().take_while(|key| key.starts_with(region)).collect();
        let Some(next) = of_region.last() else { return Ok(()) };
        last.clone_from(next);
        for key in of_region.iter().filter(|key| !key.starts_with(&own)) {
            unit.delete(inner.places, key).await?;
        }
        unit.commit_unforced().await?;
    }
}
