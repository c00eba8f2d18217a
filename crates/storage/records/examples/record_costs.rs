//! Costs of the engine: processor time per operation, for a release build.
//!
//! ```text
//! cargo run --release -p records --example record_costs [FOLDER]
//! ```

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use records::{Batch, Direction, Engine, Limits, Local, Origin, Recovery, StoreId, Wait};

const RECORDS: u32 = 500_000;
const RECORD: usize = 200;
const UNFORCED: u32 = 200_000;

fn main() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = std::env::args().nth(1).map_or(scratch.path().to_owned(), PathBuf::from);
    // Checkpoints only where they are measured.
    let (never, much) = (u64::MAX, 4 << 30);
    let limits = Limits {
        checkpoint_changes: never,
        checkpoint_bytes: much,
        overlay_bytes: much,
        log_bytes: 2 * much as u64,
        ..Limits::default()
    };
    let engine = Local::open(&folder, limits).expect("an engine");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(measure(engine));
    // What the last measurement left in the log is replayed.
    runtime.block_on(costs("restart, a unit replayed", UNFORCED, async {
        Local::open(&folder, Limits::default()).expect("an engine");
    }));
}

async fn measure(engine: Arc<Local>) {
    let store = create(&engine, "accounts").await;
    let audit = create(&engine, "audit").await;
    let records = (0..RECORDS).map(|n| Ok((key(n), vec![b'r'; RECORD])));
    let mut records: Box<dyn Iterator<Item = _>> = Box::new(records);
    costs("load, a record", RECORDS, async { engine.load(store, &mut *records).map(drop).expect("loads") })
        .await;

    let count = 1_000_000;
    costs("read, clean store", count, async { reads(&engine, store, count).await }).await;
    costs("browse of 20", 100_000, async { browses(&engine, store, 100_000).await }).await;
    for together in [1u32, 8, 64] {
        let count = 20_000 * (1 + together.ilog2());
        let name = format!("update forced, {together} together");
        costs(&name, count, async { updates(&engine, store, audit, count, together).await }).await;
        costs("  its checkpoint", count, async { engine.checkpoint().expect("a checkpoint") }).await;
    }
    costs("update unforced", UNFORCED, async { unforced(&engine, store, audit, UNFORCED).await }).await;
    costs("read, dirty store", count, async { reads(&engine, store, count).await }).await;
}

async fn create(engine: &Local, name: &str) -> StoreId {
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store(name, Recovery::Recoverable).expect("a store");
    unit.commit().await.expect("a commit");
    store
}

fn key(number: u32) -> Vec<u8> {
    format!("{number:016}").into_bytes()
}

/// A cheap sequence of numbers without order.
fn scatter(number: u32) -> u32 {
    number.wrapping_mul(2_654_435_761) % RECORDS
}

async fn reads(engine: &Local, store: StoreId, count: u32) {
    let keys: Vec<_> = (0..1000).map(|n| key(scatter(n))).collect();
    let mut record = Vec::new();
    for n in 0..count {
        let mut unit = engine.begin(records::Owner(1));
        let found = unit.get(store, &keys[n as usize % keys.len()], &mut record).await;
        assert_eq!(found, Ok(true));
    }
}

async fn browses(engine: &Local, store: StoreId, count: u32) {
    let mut batch = Batch::default();
    for n in 0..count {
        let mut unit = engine.begin(records::Owner(1));
        let from = key(scatter(n).min(RECORDS - 20));
        unit.range(store, Origin::At(&from), Direction::Forward, 20, &mut batch).await.expect("a range");
        assert_eq!(batch.len(), 20);
    }
}

/// `count` units of work, `together` at a time.
async fn updates(engine: &Arc<Local>, store: StoreId, audit: StoreId, count: u32, together: u32) {
    let local = tokio::task::LocalSet::new();
    for task in 0..together {
        let engine = engine.clone();
        local.spawn_local(async move {
            let owner = engine.locks().new_owner();
            for n in (task..count).step_by(together as usize) {
                let mut unit = engine.begin(owner);
                change(&mut *unit, store, audit, n).await;
                unit.commit().await.expect("a commit");
            }
        });
    }
    local.await;
}

async fn unforced(engine: &Arc<Local>, store: StoreId, audit: StoreId, count: u32) {
    let owner = engine.locks().new_owner();
    for n in 0..count {
        let mut unit = engine.begin(owner);
        change(&mut *unit, store, audit, n).await;
        unit.commit_unforced().await.expect("a commit");
    }
}

/// Reads a record for update, rewrites it, writes an audit record.
async fn change(unit: &mut dyn records::UnitOfWork, store: StoreId, audit: StoreId, n: u32) {
    let key = key(scatter(n));
    let mut record = Vec::new();
    unit.lock(store, &key, Wait::Forever).await.expect("a lock");
    assert_eq!(unit.get(store, &key, &mut record).await, Ok(true));
    record[0] = record[0].wrapping_add(1);
    unit.put(store, &key, &record).await.expect("a put");
    unit.put(audit, &n.to_be_bytes(), &[b'a'; RECORD]).await.expect("a put");
}

async fn costs(name: &str, count: u32, work: impl Future<Output = ()>) {
    let (wall, cpu) = (Instant::now(), processor_seconds());
    work.await;
    let per = |seconds: f64| seconds * 1e6 / f64::from(count);
    let (cpu, wall) = (per(processor_seconds() - cpu), per(wall.elapsed().as_secs_f64()));
    println!("{name:<28} {cpu:>10.2} µs CPU {wall:>12.2} µs wall");
}

/// Processor time of all threads of this process.
fn processor_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads").flatten();
    let nanoseconds = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e9
}
