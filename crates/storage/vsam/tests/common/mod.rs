//! A folder with an engine and data sets in it, and a short way to say what happens to them.
#![allow(dead_code, reason = "each test file uses what it needs")]

use std::sync::Arc;

use records::{Engine, Limits, Local, Recovery, UnitOfWork, Wait};
use vsam::{
    AlternateIndex, Browse, Cluster, Dataset, Definition, Error, Found, KeyField, Name, Organization, Path,
    Search, Vsam,
};

pub struct Fixture {
    pub vsam: Arc<Vsam>,
    pub engine: Arc<Local>,
    _folder: tempfile::TempDir,
}

pub fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

pub fn cluster(text: &str, organization: Organization) -> Cluster {
    let recovery = Recovery::Recoverable;
    Cluster { name: name(text), organization, average: 10, maximum: 20, recovery, reuse: false }
}

/// A KSDS: keys of two bytes, then an alternate key of one.
pub const KEYED: Organization = Organization::Keyed(KeyField { offset: 0, length: 2 });
pub const ALTERNATE: KeyField = KeyField { offset: 2, length: 1 };

impl Fixture {
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = Limits { segment_bytes: 256 * 1024, base_bytes: 64 << 20, ..Limits::default() };
        let engine = Local::open(folder.path(), limits).expect("an engine");
        let vsam = Vsam::open(engine.clone()).await.expect("a catalogue");
        Self { vsam, engine, _folder: folder }
    }

    /// A KSDS with the records of a text, words apart.
    pub async fn keyed(&self, records: &str) -> Arc<Dataset> {
        self.define(Definition::Cluster(cluster("KSDS", KEYED))).await;
        self.fill("KSDS", records).await
    }

    /// The same, seen through an alternate index.
    pub async fn path(&self, unique: bool, records: &str) -> Arc<Dataset> {
        self.define(Definition::Cluster(cluster("KSDS", KEYED))).await;
        self.index("AIX", unique).await;
        self.fill("KSDS", records).await;
        self.dataset("AIX.PATH").await
    }

    pub async fn index(&self, text: &str, unique: bool) {
        self.index_at(text, unique, ALTERNATE.offset).await;
    }

    /// An alternate index over one byte, and a path through it.
    pub async fn index_at(&self, text: &str, unique: bool, offset: usize) {
        let key = KeyField { offset, length: 1 };
        let index = AlternateIndex { name: name(text), relate: name("KSDS"), key, unique, upgrade: true };
        self.define(Definition::AlternateIndex(index)).await;
        self.define(Definition::Path(Path { name: name(&format!("{text}.PATH")), entry: name(text) })).await;
    }

    pub async fn define(&self, definition: Definition) {
        self.vsam.define(definition).await.expect("a definition");
    }

    pub async fn dataset(&self, text: &str) -> Arc<Dataset> {
        self.vsam.dataset(&name(text)).await.expect("opens")
    }

    pub async fn fill(&self, text: &str, records: &str) -> Arc<Dataset> {
        let dataset = self.dataset(text).await;
        let mut unit = self.begin();
        for record in records.split_whitespace() {
            dataset.write(&mut *unit, None, record.as_bytes(), Wait::No).await.expect("written");
        }
        unit.commit().await.expect("committed");
        dataset
    }

    pub fn begin(&self) -> Box<dyn UnitOfWork> {
        self.engine.begin(self.engine.locks().new_owner())
    }

    /// Records of a data set, in its order.
    pub async fn list(&self, dataset: &Arc<Dataset>) -> String {
        let mut unit = self.begin();
        let mut seen = Vec::new();
        let Ok(mut browse) =
            dataset.browse(&mut *unit, Search { generic: true, ..Search::at_least(b"") }).await
        else {
            return String::new();
        };
        while let Ok((text, _)) = next(&mut browse, &mut *unit).await {
            seen.push(text);
        }
        seen.join(" ")
    }
}

/// A record as text, with a `+` when another with the same key follows.
pub fn shown(record: &[u8], found: &Found) -> String {
    let mark = if found.duplicate { "+" } else { "" };
    format!("{}{mark}", String::from_utf8_lossy(record))
}

pub async fn next(browse: &mut Browse, unit: &mut dyn UnitOfWork) -> Result<(String, Found), Error> {
    let mut record = Vec::new();
    let found = browse.next(unit, &mut record).await?;
    Ok((shown(&record, &found), found))
}

pub async fn prev(browse: &mut Browse, unit: &mut dyn UnitOfWork) -> Result<(String, Found), Error> {
    let mut record = Vec::new();
    let found = browse.prev(unit, &mut record).await?;
    Ok((shown(&record, &found), found))
}

pub async fn read(dataset: &Dataset, unit: &mut dyn UnitOfWork, search: Search<'_>) -> Result<String, Error> {
    let mut record = Vec::new();
    let found = dataset.read(unit, search, &mut record).await?;
    Ok(shown(&record, &found))
}
