//! Costs of data sets: processor time per operation, for a release build.
//!
//! ```text
//! cargo run --release -p vsam --example dataset_costs [FOLDER]
//! ```

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use records::{Engine, Limits, Local, Owner, Recovery, Wait};
use vsam::{
    AlternateIndex, Cluster, Dataset, Definition, KeyField, Name, Organization, Path, Replace, Search, Vsam,
};

const RECORDS: u32 = 500_000;
const RECORD: usize = 200;
/// Operations of each kind.
const COUNT: u32 = 200_000;
const KEY: KeyField = KeyField { offset: 0, length: 16 };
const ALTERNATE: KeyField = KeyField { offset: 16, length: 8 };

fn main() -> vsam::Result<()> {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = std::env::args().nth(1).map_or(scratch.path().to_owned(), PathBuf::from);
    let engine = Local::open(&folder, Limits::default())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(measure(engine))
}

fn record(number: u32) -> Vec<u8> {
    let mut record = format!("{number:016}{:08}", number / 2).into_bytes();
    record.resize(RECORD, b'r');
    record
}

fn key(number: u32) -> String {
    format!("{number:016}")
}

/// A cheap sequence of numbers without order.
fn scatter(number: u32) -> u32 {
    number.wrapping_mul(2_654_435_761) % RECORDS
}

async fn measure(engine: Arc<Local>) -> vsam::Result<()> {
    let vsam = Vsam::open(engine.clone()).await?;
    let (cluster, index, path): (Name, Name, Name) =
        ("COSTS".parse()?, "COSTS.AIX".parse()?, "COSTS.PATH".parse()?);
    vsam.define(Definition::Cluster(Cluster {
        name: cluster.clone(),
        organization: Organization::Keyed(KEY),
        average: RECORD,
        maximum: RECORD,
        recovery: Recovery::Recoverable,
        reuse: false,
    }))
    .await?;
    let costs = Costs::start();
    let mut records = (0..RECORDS).map(|number| Ok(record(number)));
    vsam.load(&cluster, &mut records, Replace::No, &mut |_| {}).await?;
    costs.stop("load, a record", RECORDS);

    let dataset = vsam.dataset(&cluster).await?;
    read(&engine, &dataset, "read by key", key).await?;
    browse(&engine, &dataset).await?;
    update(&engine, &dataset, "read for update, rewrite, commit unforced").await?;
    drop(dataset);

    let upgrade = AlternateIndex {
        name: index.clone(),
        relate: cluster.clone(),
        key: ALTERNATE,
        unique: false,
        upgrade: true,
    };
    vsam.define(Definition::AlternateIndex(upgrade)).await?;
    vsam.define(Definition::Path(Path { name: path.clone(), entry: index.clone() })).await?;
    let costs = Costs::start();
    vsam.build_index(&index, &mut |_| {}).await?;
    costs.stop("build an index, a record", RECORDS);
    let (dataset, path) = (vsam.dataset(&cluster).await?, vsam.dataset(&path).await?);
    read(&engine, &path, "read through a path", |number| format!("{:08}", number / 2)).await?;
    update(&engine, &dataset, "  update with an index to keep").await
}

async fn read(
    engine: &Local,
    dataset: &Dataset,
    name: &str,
    key: impl Fn(u32) -> String,
) -> vsam::Result<()> {
    let keys: Vec<_> = (0..1000).map(|number| key(scatter(number))).collect();
    let mut record = Vec::new();
    let costs = Costs::start();
    for number in 0..COUNT as usize {
        let mut unit = engine.begin(Owner(1));
        dataset.read(&mut *unit, Search::equal(keys[number % keys.len()].as_bytes()), &mut record).await?;
    }
    costs.stop(name, COUNT);
    Ok(())
}

async fn browse(engine: &Local, dataset: &Arc<Dataset>) -> vsam::Result<()> {
    let mut record = Vec::new();
    let costs = Costs::start();
    for number in 0..COUNT / 10 {
        let mut unit = engine.begin(Owner(1));
        let from = key(scatter(number).min(RECORDS - 20));
        let mut browse = dataset.browse(&mut *unit, Search::at_least(from.as_bytes())).await?;
        for _ in 0..20 {
            browse.next(&mut *unit, &mut record).await?;
        }
    }
    costs.stop("browse of 20", COUNT / 10);
    Ok(())
}

async fn update(engine: &Local, dataset: &Dataset, name: &str) -> vsam::Result<()> {
    let mut record = Vec::new();
    let costs = Costs::start();
    for number in 0..COUNT {
        let mut unit = engine.begin(Owner(1));
        let key = key(scatter(number));
        let search = Search::equal(key.as_bytes());
        let found = dataset.read_for_update(&mut *unit, search, Wait::Forever, &mut record).await?;
        record[RECORD - 1] = record[RECORD - 1].wrapping_add(1);
        dataset.rewrite(&mut *unit, &found.base, &record, Wait::Forever).await?;
        unit.commit_unforced().await?;
    }
    costs.stop(name, COUNT);
    Ok(())
}

/// Processor time of all threads of this process, and the wall's.
struct Costs(Instant, f64);

impl Costs {
    fn start() -> Self {
        Self(Instant::now(), processor_seconds())
    }

    fn stop(self, name: &str, count: u32) {
        let per = |seconds: f64| seconds * 1e6 / f64::from(count);
        let (cpu, wall) = (per(processor_seconds() - self.1), per(self.0.elapsed().as_secs_f64()));
        println!("{name:<44} {cpu:>8.2} µs CPU {wall:>10.2} µs wall");
    }
}

fn processor_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads").flatten();
    let nanoseconds = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e9
}
