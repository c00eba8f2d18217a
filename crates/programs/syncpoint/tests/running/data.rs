//! The data sets of a region that does not run.

use std::path::Path;
use std::sync::Arc;

use depot::limits::LEASE;
use depot::{Direct, Holder, Options};
use kernel::name::{Name8, TerminalName, TransactionName};
use kernel::recovery::{Identity, UnitId};
use records::{Engine, Limits, Local, Wait};
use share::Remote;
use sql::Address;
use tokio::runtime::Runtime;
use vsam::{Error, Search, Vsam};

/// The data of an application's folder.
pub struct Data {
    runtime: Runtime,
    engine: Arc<dyn Engine>,
    vsam: Arc<Vsam>,
}

impl Data {
    /// Opens what a region has left: all that was committed is there, whatever has happened to it.
    pub fn open(folder: &Path) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let data = folder.join(".syncpoint/data");
        let engine = Local::open(&data, Limits::default()).expect("the data open after a kill");
        let vsam = runtime.block_on(Vsam::open(engine.clone())).expect("the catalogue is there");
        Self { runtime, engine, vsam }
    }

    /// Opens what regions have at a record server that runs, beside them.
    pub fn shared(folder: &Path) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let opened = runtime.block_on(Remote::open(&share::socket(folder), "LOOKER", 1_000));
        let engine = opened.expect("the server takes it");
        let vsam = runtime.block_on(Vsam::open(engine.clone())).expect("the catalogue is there");
        Self { runtime, engine, vsam }
    }

    /// Opens what regions have in a database, beside them, as a region of its own whose folder is below `place`.
    pub fn in_database(url: &str, place: &Path) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let holder = Holder::of(&place.join("looker")).expect("a folder");
        let address = Address::parse(url).expect("an address");
        let options = Options { address, schema: "syncpoint_regions".into(), holder, lease: LEASE };
        let engine = runtime.block_on(Direct::open(options, "LOOKER", 1_000)).expect("a place");
        let vsam = runtime.block_on(Vsam::open(engine.clone())).expect("the catalogue is there");
        Self { runtime, engine, vsam }
    }

    /// Writes a record in a unit of work that stays in doubt: its coordinator does not exist.
    pub fn leave_in_doubt(&self, name: &str, record: &str) {
        let identity = Identity {
            unit: UnitId(1),
            task: 99,
            transaction: TransactionName::from("GONE"),
            terminal: TerminalName::BLANK,
            user: Name8::from("NOBODY"),
            coordinated_as: b"NOBODY".to_vec(),
        };
        let left: vsam::Result<()> = self.runtime.block_on(async {
            let dataset = self.vsam.dataset(&name.parse().expect("a name")).await?;
            let key = dataset.key_field().and_then(|field| field.of(record.as_bytes())).unwrap_or_default();
            let mut unit = self.engine.begin(self.engine.locks().new_owner());
            dataset.write(&mut *unit, Some(key), record.as_bytes(), Wait::No).await?;
            Ok(unit.prepare(&identity.to_name()).await?)
        });
        left.expect("it is in doubt");
    }

    /// All records of a data set, in order.
    pub fn records(&self, name: &str) -> Vec<String> {
        self.runtime.block_on(async {
            let mut unit = self.engine.begin(self.engine.locks().new_owner());
            let dataset = self.vsam.dataset(&name.parse().expect("a name")).await.expect("the data set");
            let from_the_start = Search { generic: true, ..Search::at_least(b"") };
            let mut browse = match dataset.browse(&mut *unit, from_the_start).await {
                Ok(browse) => browse,
                Err(Error::NotFound) => return Vec::new(),
                Err(error) => panic!("{error}"),
            };
            let (mut records, mut record) = (Vec::new(), Vec::new());
            while browse.next(&mut *unit, &mut record).await.is_ok() {
                records.push(String::from_utf8(record.clone()).expect("text"));
            }
            records
        })
    }
}
