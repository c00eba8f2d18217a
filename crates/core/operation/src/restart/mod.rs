//! Restart: the start of a region, and the parts of its last run that it still has.
//!
//! While a region runs, its status in the record engine says so. An orderly end writes the *warm keypoint* (the content
//! of main storage only) and, with the last of it, that the next start may be warm. So a start finds one of three
//! things:
//!
//! | found | `START=AUTO` is |
//! |---|---|
//! | nothing | initial: the first start of this state |
//! | an orderly end | warm: the keypoint and everything recoverable is there again |
//! | a run that has not ended | emergency: everything recoverable is; units of work in flight never reached the log |
//!
//! COLD and INITIAL drop queues and STARTs, recoverable or not. No start touches data sets or named counters.
//!
//! Each domain's row names the parts that it keeps, their store, and the way it takes them back ([`kernel::keeper`]).
//!
//! Out of scope: how the log is replayed (`records`), what a queue is (its own domain).

mod keypoint;
mod recover;

use std::fmt;
use std::sync::Arc;

use kernel::catalog;
use kernel::keeper::Keeper;
use kernel::stores::Stores;
use records::{Batch, Direction, Engine, Origin, StoreId};

pub use keypoint::keypoint;
pub use recover::{Recovered, release};

/// The kind of start that START asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The kind that the last end allows.
    Auto,
    /// Without queues and STARTs.
    Cold,
    /// The same, and without the records of indoubt units of work.
    Initial,
}

/// The kind of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartKind {
    /// Nothing of an earlier run counts.
    Initial,
    /// Queues and STARTs are gone.
    Cold,
    /// After an orderly end.
    Warm,
    /// After a crash.
    Emergency,
}

impl fmt::Display for StartKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Initial => "initial",
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::Emergency => "emergency",
        })
    }
}

/// The key of the status, and its values.
const END: &[u8] = b"end";
const RUNNING: &[u8] = b"running";
const ORDERLY: &[u8] = b"orderly";

/// A start that has been decided, but has changed nothing yet.
pub struct Restart {
    /// The stores in which the region keeps what outlives it.
    pub stores: Stores,
    /// The kind of this start.
    pub kind: StartKind,
}

impl Restart {
    /// Looks how the last run ended.
    ///
    /// # Errors
    /// The engine's own.
    pub async fn decide(engine: &Arc<dyn Engine>, asked: Asked) -> records::Result<Self> {
        let stores = Stores::open(&**engine).await?;
        let mut end = Vec::new();
        let mut unit = engine.begin(engine.locks().new_owner());
        let has_run = unit.get(stores.status, END, &mut end).await?;
        let kind = match asked {
            _ if !has_run => StartKind::Initial,
            Asked::Initial => StartKind::Initial,
            Asked::Cold => StartKind::Cold,
            Asked::Auto if end == ORDERLY => StartKind::Warm,
            Asked::Auto => StartKind::Emergency,
        };
        Ok(Self { stores, kind })
    }
}

/// The keepers of the domains: each keeps something beyond the end of a region.
fn keepers() -> impl Iterator<Item = &'static Keeper> {
    catalog::domains().into_iter().filter_map(|domain| domain.keeper)
}

/// Records that are read at a time.
const STEP: usize = 256;

/// Gives all records of a store to `see`, in the order of their keys.
async fn each(
    engine: &Arc<dyn Engine>,
    store: StoreId,
    mut see: impl FnMut(&[u8], &[u8]),
) -> records::Result<()> {
    let mut unit = engine.begin(engine.locks().new_owner());
    let (mut batch, mut last): (Batch, Option<Vec<u8>>) = Default::default();
    loop {
        let origin = last.as_deref().map_or(Origin::Start, Origin::Beyond);
        unit.range(store, origin, Direction::Forward, STEP, &mut batch).await?;
        batch.iter().for_each(|(key, record)| see(key, record));
        match batch.last() {
            Some((key, _)) if batch.len() == STEP => last = Some(key.to_vec()),
            _ => return Ok(()),
        }
    }
}
