//! The real process, killed at any moment: a ledger kept outside proves that every acknowledged unit of work is there.
//!
//! This test starts itself again as the process to be killed. `RECORDS_KILLS` says how often.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use records::{Batch, Direction, Engine, Limits, Local, Origin, Recovery, StoreId, Wait};

const KILLS: usize = 10;
const WORKERS: u32 = 8;
const ACCOUNTS: u32 = 50;
/// In the environment: the folder in which the process works that will be killed.
const FOLDER: &str = "RECORDS_KILL_FOLDER";

fn limits() -> Limits {
    // Small, so that segments change and checkpoints happen all the time.
    Limits { segment_bytes: 64 * 1024, checkpoint_changes: 500, base_bytes: 256 << 20, ..Limits::default() }
}

fn account(number: u32) -> Vec<u8> {
    format!("account {number:04}").into_bytes()
}

/// A ledger entry: worker, then its count.
fn entry(worker: u32, count: u32) -> Vec<u8> {
    [worker.to_be_bytes(), count.to_be_bytes()].concat()
}

fn number(bytes: &[u8]) -> i64 {
    std::str::from_utf8(bytes).expect("text").parse().expect("a number")
}

fn stores(engine: &Local) -> (StoreId, StoreId) {
    (engine.find("accounts").expect("accounts"), engine.find("ledger").expect("a ledger"))
}

async fn create(engine: &Local) {
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.create_store("accounts", Recovery::Recoverable).expect("a store");
    unit.create_store("ledger", Recovery::Recoverable).expect("a store");
    unit.commit().await.expect("a commit");
}

/// Work of the process until it is killed: every worker moves money between accounts, writes an entry in the ledger,
/// and reports it on standard output once it is durable.
#[test]
fn the_process_to_be_killed() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let engine = Local::open(&folder, limits()).expect("the engine opens");
    let (accounts, ledger) = stores(&engine);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let tasks = tokio::task::LocalSet::new();
    for worker in 0..WORKERS {
        tasks.spawn_local(work(engine.clone(), accounts, ledger, worker));
    }
    runtime.block_on(tasks);
}

async fn work(engine: Arc<Local>, accounts: StoreId, ledger: StoreId, worker: u32) {
    let owner = engine.locks().new_owner();
    let mut last = Batch::default();
    let mut unit = engine.begin(owner);
    let beyond = entry(worker + 1, 0);
    unit.range(ledger, Origin::Beyond(&beyond), Direction::Backward, 1, &mut last).await.expect("a range");
    let mine = last.first().filter(|(key, _)| key.starts_with(&worker.to_be_bytes()));
    let mut count = mine.map_or(0, |(key, _)| u32::from_be_bytes(key[4..].try_into().expect("a count")));
    loop {
        count += 1;
        let (from, to) = ((worker * 7 + count * 13) % ACCOUNTS, (worker * 11 + count * 5) % ACCOUNTS);
        let mut unit = engine.begin(owner);
        // In the order of the accounts, so that no task is refused because of a deadlock.
        for account_number in [from.min(to), from.max(to)] {
            unit.lock(accounts, &account(account_number), Wait::Forever).await.expect("a lock");
        }
        for (account_number, amount) in [(from, -1), (to, 1)] {
            let mut balance = Vec::new();
            let key = account(account_number);
            let there = unit.get(accounts, &key, &mut balance).await.expect("a read");
            let balance = if there { number(&balance) } else { 0 } + amount;
            unit.put(accounts, &key, balance.to_string().as_bytes()).await.expect("a write");
        }
        unit.put(ledger, &entry(worker, count), b"moved").await.expect("a write");
        unit.commit().await.expect("a commit");
        println!("\ndurable {worker} {count}");
    }
}

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "the_process_to_be_killed", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process")
}

#[tokio::test]
async fn every_acknowledged_unit_of_work_survives_the_process() {
    let kills = std::env::var("RECORDS_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let folder = tempfile::tempdir().expect("a folder");
    create(&Local::open(folder.path(), limits()).expect("the engine opens")).await;
    let mut acknowledged = vec![0; WORKERS as usize];
    for kill in 0..kills {
        let mut child = start(folder.path());
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut lines = output.lines().map_while(Result::ok);
        // A different moment each time: after so many acknowledgements, and a little later.
        let moment = 1 + kill * 37 % 300;
        let mut note = |line: String| {
            let mut words =
                line.strip_prefix("durable ")?.split(' ').map(|word| word.parse::<u32>().expect("a number"));
            let (worker, count) = (words.next()?, words.next()?);
            acknowledged[worker as usize] = count;
            Some(())
        };
        lines.by_ref().filter_map(&mut note).take(moment).for_each(drop);
        std::thread::sleep(Duration::from_micros(kill as u64 * 97 % 1000));
        child.kill().expect("killed");
        child.wait().expect("gone");
        lines.filter_map(&mut note).for_each(drop);
        acknowledged = check(folder.path(), &acknowledged).await;
    }
}

/// The ledger has what was acknowledged, at most one entry more for each worker, and no gap; no money came or went. How
/// many entries there are: from there the workers go on.
async fn check(folder: &Path, acknowledged: &[u32]) -> Vec<u32> {
    let engine = Local::open(folder, limits()).expect("the engine opens after a kill");
    let (accounts, ledger) = stores(&engine);
    let mut unit = engine.begin(engine.locks().new_owner());
    let mut batch = Batch::default();
    unit.range(ledger, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.expect("a range");
    let mut found = Vec::new();
    for (worker, acknowledged) in acknowledged.iter().enumerate() {
        let entries = batch.iter().filter(|(key, _)| key.starts_with(&(worker as u32).to_be_bytes()));
        let counts: Vec<u32> =
            entries.map(|(key, _)| u32::from_be_bytes(key[4..].try_into().expect("four"))).collect();
        assert!((1..).zip(&counts).all(|(expected, count)| expected == *count), "worker {worker} has a gap");
        let there = counts.len() as u32;
        assert!(there >= *acknowledged, "worker {worker}: {acknowledged} acknowledged, {there} there");
        assert!(
            there <= acknowledged + 1,
            "worker {worker}: {there} there, only {acknowledged} acknowledged"
        );
        found.push(there);
    }
    unit.range(accounts, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.expect("a range");
    assert_eq!(batch.iter().map(|(_, balance)| number(balance)).sum::<i64>(), 0);
    found
}
