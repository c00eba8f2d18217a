//! State of a domain that outlives the region's process: a row by which every start brings it back.
//!
//! While a region runs, a domain writes what is recoverable into a store of its own; an orderly end writes the rest into the warm
//! keypoint. Crate `operation` reads both again (`restart`); it knows domains by these rows alone.

use std::sync::Arc;

use records::{Resolved, StoreId};

use crate::region::Region;
use crate::stores::{KeypointRecord, Stores};

/// A domain's state beyond the end of the region.
pub struct Keeper {
    /// The first byte of its records in the warm keypoint, its own among all domains.
    pub letter: u8,
    /// Which starts keep it; others empty its store.
    pub survives: fn(&Beginning) -> bool,
    /// The store of what is recoverable.
    pub store: Option<fn(&Stores) -> StoreId>,
    /// Takes a record of that store, by its key.
    pub recover: fn(&Arc<Region>, &[u8], &[u8]),
    /// Takes what a unit of work changes there that is in doubt at the start; `None`: it deletes the record.
    pub doubtful: fn(&Arc<Region>, &[u8], Option<&[u8]>),
    /// A unit of work in doubt has ended without its task: what the domain has in main storage follows its records. It is
    /// called before the locks are free, and must neither wait nor ask the record engine.
    pub resolved: fn(&Region, &Resolved),
    /// The same a moment later, where tasks may come of it and the record engine may be asked.
    pub resumed: fn(&Arc<Region>, &Resolved),
    /// State in main storage alone, at an orderly end.
    pub keypoint: fn(&Region) -> Vec<KeypointRecord>,
    /// Takes a record of the keypoint, by its key.
    pub restore: fn(&Arc<Region>, &[u8], &[u8]),
    /// Its part of the message of a start.
    pub count: Option<Counted>,
    /// Lets tasks come of it, when everything is there again.
    pub release: fn(&Arc<Region>),
}

/// A domain's word for what it keeps, and how much of that there is.
pub type Counted = (&'static str, fn(&Region) -> usize);

/// Start of a region.
#[derive(Clone, Copy, Debug)]
pub struct Beginning {
    /// COLD or INITIAL: queues and STARTs are dropped.
    pub is_cold: bool,
    /// True if queues of transient data are kept where others are (TD=KEEP).
    pub keeps_transient_data: bool,
}

impl Keeper {
    /// Keeps nothing yet: the fields that a row leaves out.
    pub const NOTHING: Self = Self {
        letter: 0,
        survives: |beginning| !beginning.is_cold,
        store: None,
        recover: |_, _, _| {},
        doubtful: |_, _, _| {},
        resolved: |_, _| {},
        resumed: |_, _| {},
        keypoint: |_| Vec::new(),
        restore: |_, _, _| {},
        count: None,
        release: |_| {},
    };
}
