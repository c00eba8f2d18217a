//! The stores of the record engine that belong to the region itself: a row for each.

use std::sync::Arc;

use records::{Batch, Direction, Engine, OWN_STORES, Origin, Recovery, Result, StoreId, Wait, store_named};

/// A record of the warm keypoint: its key behind the letter of the section, and its bytes.
pub type KeypointRecord = (Vec<u8>, Arc<[u8]>);

/// Purpose of each store, its field, and the name by which the record engine knows it.
macro_rules! stores {
    ($($(#[$doc:meta])+ $field:ident: $name:literal,)+) => {
        /// Stores of the domains for state that must outlive the region.
        #[derive(Clone, Copy, Debug)]
        pub struct Stores {
            $($(#[$doc])+ pub $field: StoreId,)+
        }

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
                let mut stores = Self { $($field: store($name)?,)+ };
                unit.commit().await?;
                if engine.is_shared() {
                    stores.counters = counters_of_all(engine, stores.counters).await?;
                }
                Ok(stores)
            }
        }
    };
}

/// The store of named counters that several regions share.
const COUNTERS: &str = "named counters";

/// The named counters of all regions that share the engine. Those that were the region's own until now go there, unless there is one of
/// the same name: the region's own stays where it is, unused.
async fn counters_of_all(engine: &dyn Engine, own: StoreId) -> Result<StoreId> {
    debug_assert!(!COUNTERS.starts_with(OWN_STORES), "others see it");
    let all = store_named(engine, COUNTERS, Recovery::Recoverable).await?;
    let mut unit = engine.begin(engine.locks().new_owner());
    let mut batch = Batch::default();
    unit.range(own, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await?;
    for (key, record) in batch.iter() {
        let mut there = Vec::new();
        match unit.lock_and_get(all, key, Wait::Forever, &mut there).await {
            Ok(false) => {
                unit.put(all, key, record).await?;
                unit.delete(own, key).await?;
            }
            Ok(true) => {
                let name = String::from_utf8_lossy(key).into_owned();
                tracing::warn!(target: "CS", "counter {name} of this region is left: the regions together have one of that name");
            }
            Err(error) => return Err(error),
        }
    }
    unit.commit().await?;
    Ok(all)
}

stores! {
    /// End of the region's last run.
    status: "region status",
    /// The warm keypoint: what is in main storage while the region runs.
    keypoint: "region keypoint",
    /// Recoverable temporary storage.
    temporary_storage: "region temporary storage",
    /// Recoverable intrapartition transient data.
    transient_data: "region transient data",
    /// Protected STARTs.
    starts: "region starts",
    /// Results of CREATE and DISCARD.
    definitions: "region definitions",
    /// Named counters.
    counters: "region counters",
    /// Decisions about units of work with several participants.
    decisions: "region decisions",
}
