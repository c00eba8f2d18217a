//! The stores of the record engine that belong to the region itself.

use std::sync::Arc;

use records::{Engine, Recovery, Result, StoreId};

/// Where each domain keeps what must outlive the region.
#[derive(Clone, Copy, Debug)]
pub struct Stores {
    /// How the region's last run ended.
    pub status: StoreId,
    /// The warm keypoint: what is in main storage while the region runs.
    pub keypoint: StoreId,
    /// Recoverable temporary storage.
    pub temporary_storage: StoreId,
    /// Recoverable intrapartition transient data.
    pub transient_data: StoreId,
    /// Protected STARTs.
    pub starts: StoreId,
    /// What CREATE and DISCARD have done.
    pub definitions: StoreId,
    /// Named counters.
    pub counters: StoreId,
    /// Decisions about units of work with several participants.
    pub decisions: StoreId,
}

/// A record of the warm keypoint: its key behind the letter of the section, and its bytes.
pub(crate) type KeypointRecord = (Vec<u8>, Arc<[u8]>);

const STATUS: &str = "region status";
const KEYPOINT: &str = "region keypoint";
const TEMPORARY_STORAGE: &str = "region temporary storage";
const TRANSIENT_DATA: &str = "region transient data";
const STARTS: &str = "region starts";
const DEFINITIONS: &str = "region definitions";
const COUNTERS: &str = "region counters";
const DECISIONS: &str = "region decisions";

impl Stores {
    /// The stores of an engine; those that are not there yet are created.
    ///
    /// # Errors
    /// The engine's own.
    pub async fn open(engine: &dyn Engine) -> Result<Self> {
        let mut unit = engine.begin(engine.locks().new_owner());
        let mut store = |name| match engine.find(name) {
            Some(store) => Ok(store),
            None => unit.create_store(name, Recovery::Recoverable),
        };
        let stores = Self {
            status: store(STATUS)?,
            keypoint: store(KEYPOINT)?,
            temporary_storage: store(TEMPORARY_STORAGE)?,
            transient_data: store(TRANSIENT_DATA)?,
            starts: store(STARTS)?,
            definitions: store(DEFINITIONS)?,
            counters: store(COUNTERS)?,
            decisions: store(DECISIONS)?,
        };
        unit.commit().await?;
        Ok(stores)
    }
}
