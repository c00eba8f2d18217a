//! The stores of the record engine that belong to the region itself: a row for each.

use std::sync::Arc;

use records::{Engine, Recovery, Result, StoreId};

/// A record of the warm keypoint: its key behind the letter of the section, and its bytes.
pub type KeypointRecord = (Vec<u8>, Arc<[u8]>);

/// What each store is for, its field, and the name by which the record engine knows it.
macro_rules! stores {
    ($($(#[$doc:meta])+ $field:ident: $name:literal,)+) => {
        /// Where each domain keeps what must outlive the region.
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
                let stores = Self { $($field: store($name)?,)+ };
                unit.commit().await?;
                Ok(stores)
            }
        }
    };
}

stores! {
    /// How the region's last run ended.
    status: "region status",
    /// The warm keypoint: what is in main storage while the region runs.
    keypoint: "region keypoint",
    /// Recoverable temporary storage.
    temporary_storage: "region temporary storage",
    /// Recoverable intrapartition transient data.
    transient_data: "region transient data",
    /// Protected STARTs.
    starts: "region starts",
    /// What CREATE and DISCARD have done.
    definitions: "region definitions",
    /// Named counters.
    counters: "region counters",
    /// Decisions about units of work with several participants.
    decisions: "region decisions",
}
