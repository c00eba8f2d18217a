//! The same operations on a data set and on a table of SQLite, an independent judge, with a model between them: three
//! answers, which must agree. Engine and data set are closed and opened again in between.
//!
//! The crate around it has the engine, as `Opened`. `VSAM_SEEDS=0..1000` runs more than the ordinary few. A seed that fails prints the command that runs it again.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::Opened;
use records::{Engine, Recovery, UnitOfWork, Wait};
use rusqlite::{Connection, ErrorCode, params};
use vsam::{AlternateIndex, Cluster, Dataset, Definition, Error, KeyField, Name, Organization, Search, Vsam};

const SEEDS: Range<u64> = 0..12;
const STEPS: u64 = 400;
/// Letters of which keys of two are made.
const LETTERS: u64 = 6;
/// Alternate keys, of one letter; few enough to collide.
const ALTERNATES: u64 = 20;
/// Records that a browse reads at most.
const BROWSED: u64 = 12;

const KEY: KeyField = KeyField { offset: 0, length: 2 };
const ALTERNATE: KeyField = KeyField { offset: 2, length: 1 };

/// Key and record.
type Row = (Vec<u8>, Vec<u8>);

/// Answer of each of the three to a change.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Said {
    Done,
    NotFound,
    Duplicate,
}

fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

/// A sequence of chances.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn key(&mut self) -> Vec<u8> {
        (0..KEY.length).map(|_| b'a' + self.below(LETTERS) as u8).collect()
    }

    fn record(&mut self, key: &[u8]) -> Vec<u8> {
        let mut record = key.to_vec();
        record.push(b'A' + self.below(ALTERNATES) as u8);
        record.extend(std::iter::repeat_n(b'.', self.below(40) as usize));
        record
    }
}

/// The data set, the table, the model.
struct Three {
    base: Arc<Dataset>,
    path: Arc<Dataset>,
    unit: Box<dyn UnitOfWork>,
    sqlite: Connection,
    committed: BTreeMap<Vec<u8>, Vec<u8>>,
    model: BTreeMap<Vec<u8>, Vec<u8>>,
    engine: Arc<dyn Engine>,
    /// The end of the engine, after everything else.
    _opened: Opened,
}

async fn define(vsam: &Vsam) {
    let organization = Organization::Keyed(KEY);
    let (average, maximum, recovery) = (10, 80, Recovery::Recoverable);
    let cluster = Cluster { name: name("KSDS"), organization, average, maximum, recovery, reuse: false };
    let index = AlternateIndex {
        name: name("AIX"),
        relate: name("KSDS"),
        key: ALTERNATE,
        unique: true,
        upgrade: true,
    };
    let path = vsam::Path { name: name("PATH"), entry: name("AIX") };
    for definition in
        [Definition::Cluster(cluster), Definition::AlternateIndex(index), Definition::Path(path)]
    {
        vsam.define(definition).await.expect("a definition");
    }
}

impl Three {
    async fn open(folder: &Path, sqlite: Connection, model: BTreeMap<Vec<u8>, Vec<u8>>) -> Self {
        let opened = Opened::new(folder).await;
        let engine = Arc::clone(&opened.engine);
        let vsam = Vsam::open(engine.clone()).await.expect("a catalogue");
        if vsam.entry(&name("KSDS")).is_err() {
            define(&vsam).await;
        }
        let base = vsam.dataset(&name("KSDS")).await.expect("the data set");
        let path = vsam.dataset(&name("PATH")).await.expect("the path");
        let unit = engine.begin(engine.locks().new_owner());
        sqlite.execute_batch("BEGIN").expect("a transaction");
        Self { base, path, unit, sqlite, committed: model.clone(), model, engine, _opened: opened }
    }

    /// Begins the next unit of work.
    fn renew(&mut self, statement: &str) -> Box<dyn UnitOfWork> {
        self.sqlite.execute_batch(statement).expect("SQLite ends its transaction");
        self.sqlite.execute_batch("BEGIN").expect("a transaction");
        std::mem::replace(&mut self.unit, self.engine.begin(self.engine.locks().new_owner()))
    }

    async fn step(&mut self, chance: &mut Chance) {
        let key = chance.key();
        match chance.below(16) {
            0..=4 => {
                let record = chance.record(&key);
                self.write(&key, &record).await;
            }
            5..=6 => {
                let record = chance.record(&key);
                self.rewrite(&key, &record).await;
            }
            7 => self.delete(&key).await,
            8 => self.delete_generic(key[0]).await,
            9..=10 => self.read(&key).await,
            11..=12 => self.browse(&key, chance.below(2) == 0, 1 + chance.below(BROWSED)).await,
            13 => {
                let alternate = b'A' + chance.below(ALTERNATES) as u8;
                self.through_the_path(alternate, 1 + chance.below(BROWSED)).await;
            }
            14 => {
                self.renew("COMMIT").commit().await.expect("commits");
                self.committed = self.model.clone();
            }
            _ => {
                self.renew("ROLLBACK").backout().await.expect("backs out");
                self.model = self.committed.clone();
            }
        }
        if chance.below(60) == 0 {
            self.engine.checkpoint().expect("a checkpoint");
        }
    }

    /// Returns true if another record has the alternate key already.
    fn collides(&self, key: &[u8], record: &[u8]) -> bool {
        self.model.iter().any(|(other, there)| other != key && there[2] == record[2])
    }

    async fn write(&mut self, key: &[u8], record: &[u8]) {
        let by_model = if self.model.contains_key(key) || self.collides(key, record) {
            Said::Duplicate
        } else {
            self.model.insert(key.to_vec(), record.to_vec());
            Said::Done
        };
        let written = self.base.write(&mut *self.unit, None, record, Wait::No).await;
        let by_sqlite = changed(
            self.sqlite.execute("INSERT INTO ksds VALUES (?1, ?2, ?3)", params![key, &record[2..3], record]),
        );
        assert_eq!((said(written.map(drop)), by_sqlite), (by_model, by_model), "write {record:?}");
    }

    async fn rewrite(&mut self, key: &[u8], record: &[u8]) {
        let by_model = if !self.model.contains_key(key) {
            Said::NotFound
        } else if self.collides(key, record) {
            Said::Duplicate
        } else {
            self.model.insert(key.to_vec(), record.to_vec());
            Said::Done
        };
        let unit = &mut *self.unit;
        let found = self.base.read_for_update(unit, Search::equal(key), Wait::No, &mut Vec::new()).await;
        let rewritten = match found {
            Ok(_) => self.base.rewrite(unit, key, record, Wait::No).await,
            Err(error) => Err(error),
        };
        let by_sqlite = changed(self.sqlite.execute(
            "UPDATE ksds SET alternate = ?2, record = ?3 WHERE key = ?1",
            params![key, &record[2..3], record],
        ));
        assert_eq!((said(rewritten), by_sqlite), (by_model, by_model), "rewrite {record:?}");
    }

    async fn delete(&mut self, key: &[u8]) {
        let by_model = if self.model.remove(key).is_some() { Said::Done } else { Said::NotFound };
        let deleted = self.base.delete_by_key(&mut *self.unit, key, Wait::No).await;
        let by_sqlite = changed(self.sqlite.execute("DELETE FROM ksds WHERE key = ?1", [key]));
        assert_eq!((said(deleted.map(drop)), by_sqlite), (by_model, by_model), "delete {key:?}");
    }

    async fn delete_generic(&mut self, beginning: u8) {
        let before = self.model.len();
        self.model.retain(|key, _| key[0] != beginning);
        let by_model = before - self.model.len();
        let deleted = match self.base.delete_generic(&mut *self.unit, &[beginning], Wait::No).await {
            Ok(count) => count as usize,
            Err(Error::NotFound) => 0,
            Err(error) => panic!("{error}"),
        };
        let by_sqlite = self
            .sqlite
            .execute("DELETE FROM ksds WHERE substr(key, 1, 1) = ?1", [[beginning].as_slice()])
            .expect("SQLite deletes");
        assert_eq!((deleted, by_sqlite), (by_model, by_model));
    }

    async fn read(&mut self, key: &[u8]) {
        let mut record = Vec::new();
        let by_vsam = match self.base.read(&mut *self.unit, Search::equal(key), &mut record).await {
            Ok(_) => Some(record),
            Err(Error::NotFound) => None,
            Err(error) => panic!("{error}"),
        };
        let rows = self.rows("SELECT key, record FROM ksds WHERE key = ?1 LIMIT ?2", key, 1);
        let by_sqlite = rows.into_iter().next().map(|(_, record)| record);
        let by_model = self.model.get(key).cloned();
        assert_eq!((&by_vsam, &by_sqlite), (&by_model, &by_model), "read {key:?}");
    }

    async fn browse(&mut self, key: &[u8], backward: bool, count: u64) {
        let by_model: Vec<Row> = match backward {
            false => self.model.range(key.to_vec()..).take(count as usize).map(owned).collect(),
            // A browse backward begins at the record that the browse was started at.
            true => match self.model.range(key.to_vec()..).next() {
                None => Vec::new(),
                Some((start, _)) => {
                    self.model.range(..=start.clone()).rev().take(count as usize).map(owned).collect()
                }
            },
        };
        let by_vsam = self.browsed(&self.base.clone(), key, backward, count).await;
        let by_sqlite = match (backward, by_model.first()) {
            (false, _) => {
                self.rows("SELECT key, record FROM ksds WHERE key >= ?1 ORDER BY key LIMIT ?2", key, count)
            }
            (true, Some((start, _))) => self.rows(
                "SELECT key, record FROM ksds WHERE key <= ?1 ORDER BY key DESC LIMIT ?2",
                start,
                count,
            ),
            (true, None) => Vec::new(),
        };
        assert_eq!((&by_vsam, &by_sqlite), (&by_model, &by_model), "browse {key:?} backward: {backward}");
    }

    /// A browse through the alternate index.
    async fn through_the_path(&mut self, alternate: u8, count: u64) {
        let mut by_model: Vec<Row> = self.model.iter().map(owned).collect();
        by_model.retain(|(_, record)| record[2] >= alternate);
        by_model.sort_by_key(|(_, record)| record[2]);
        by_model.truncate(count as usize);
        let by_vsam = self.browsed(&self.path.clone(), &[alternate], false, count).await;
        let by_sqlite = self.rows(
            "SELECT key, record FROM ksds WHERE alternate >= ?1 ORDER BY alternate LIMIT ?2",
            &[alternate],
            count,
        );
        assert_eq!((&by_vsam, &by_sqlite), (&by_model, &by_model), "through the path from {alternate}");
    }

    async fn browsed(&mut self, through: &Arc<Dataset>, key: &[u8], backward: bool, count: u64) -> Vec<Row> {
        let unit = &mut *self.unit;
        let mut browse = match through.browse(unit, Search::at_least(key)).await {
            Ok(browse) => browse,
            Err(Error::NotFound) => return Vec::new(),
            Err(error) => panic!("{error}"),
        };
        let mut rows = Vec::new();
        let mut record = Vec::new();
        if backward {
            // The first one read stands; going back from there reads it again.
            browse.next(unit, &mut record).await.expect("the record that the browse was started at");
        }
        while (rows.len() as u64) < count {
            let found = match backward {
                false => browse.next(unit, &mut record).await,
                true => browse.prev(unit, &mut record).await,
            };
            match found {
                Ok(found) => rows.push((found.base.to_vec(), record.clone())),
                Err(Error::EndOfFile) => break,
                Err(error) => panic!("{error}"),
            }
        }
        rows
    }

    fn rows(&self, query: &str, key: &[u8], limit: u64) -> Vec<Row> {
        let mut statement = self.sqlite.prepare_cached(query).expect("a query");
        let rows = statement.query_map(params![key, limit as i64], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.expect("rows").collect::<Result<_, _>>().expect("rows")
    }

    /// The engine is closed, as at the end of a region; what was not committed is gone.
    fn close(self) -> (Connection, BTreeMap<Vec<u8>, Vec<u8>>) {
        self.sqlite.execute_batch("ROLLBACK").expect("SQLite backs out");
        (self.sqlite, self.committed)
    }
}

fn owned((key, record): (&Vec<u8>, &Vec<u8>)) -> Row {
    (key.clone(), record.clone())
}

fn said(outcome: Result<(), Error>) -> Said {
    match outcome {
        Ok(()) => Said::Done,
        Err(Error::NotFound) => Said::NotFound,
        Err(Error::Duplicate | Error::DuplicateAlternate(_)) => Said::Duplicate,
        Err(error) => panic!("{error}"),
    }
}

fn changed(outcome: rusqlite::Result<usize>) -> Said {
    match outcome {
        Ok(0) => Said::NotFound,
        Ok(_) => Said::Done,
        Err(rusqlite::Error::SqliteFailure(error, _)) if error.code == ErrorCode::ConstraintViolation => {
            Said::Duplicate
        }
        Err(error) => panic!("{error}"),
    }
}

async fn run(seed: u64) {
    let mut chance = Chance(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let folder = tempfile::tempdir().expect("a folder");
    let sqlite = Connection::open_in_memory().expect("SQLite");
    let table = "CREATE TABLE ksds (key BLOB PRIMARY KEY, alternate BLOB UNIQUE, record BLOB)";
    sqlite.execute_batch(table).expect("a table");
    let mut closed = (sqlite, BTreeMap::new());
    for _ in 0..3 {
        let mut three = Three::open(folder.path(), closed.0, closed.1).await;
        for _ in 0..chance.below(STEPS) {
            three.step(&mut chance).await;
        }
        closed = three.close();
    }
}

/// Runs the seeds. `test` is the test that runs one of them again.
pub fn a_data_set_and_sqlite_give_the_same_answers(test: &str) {
    let seeds = match std::env::var("VSAM_SEEDS") {
        Ok(text) => {
            let (first, end) = text.split_once("..").expect("VSAM_SEEDS=first..end");
            first.parse().expect("a number")..end.parse().expect("a number")
        }
        Err(_) => SEEDS,
    };
    for seed in seeds {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let work = std::panic::AssertUnwindSafe(|| runtime.block_on(run(seed)));
        if let Err(panic) = std::panic::catch_unwind(work) {
            eprintln!("again: VSAM_SEEDS={seed}..{} cargo test {test}", seed + 1);
            std::panic::resume_unwind(panic);
        }
    }
}
