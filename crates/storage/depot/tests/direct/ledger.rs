//! Two regions move money between the same accounts while sessions of theirs are ended at any moment: a ledger kept outside proves that each
//! acknowledged unit of work is there, once and as a whole. `DIRECT_KILLS` says how often.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use depot::{Direct, Holder, Options};
use records::{Batch, Direction, Error, Origin, Recovery, StoreId, Wait};
use sql::server::Server;
use sql::{Address, Session, Settings};
use tempfile::tempdir;

use crate::{begin, place, store};

const KILLS: usize = 12;
const ACCOUNTS: u64 = 6;
const TASKS: u64 = 4;

fn number(bytes: &[u8]) -> i64 {
    std::str::from_utf8(bytes).unwrap().parse().unwrap()
}

/// One unit of work: two accounts and a line of the ledger.
async fn moves(
    engine: &Direct,
    (accounts, ledger): (StoreId, StoreId),
    line: &str,
    step: u64,
) -> Result<(), Error> {
    let mut unit = begin(engine);
    let (from, to) = (step % ACCOUNTS, (step * 5 + 1) % ACCOUNTS);
    for (account, amount) in [(from, -1), (to, 1)] {
        let (key, mut balance) = (account.to_be_bytes(), Vec::new());
        let wait = Wait::AtMost(Duration::from_secs(20));
        let there = unit.lock_and_get(accounts, &key, wait, &mut balance).await?;
        let balance = if there { number(&balance) } else { 0 } + amount;
        unit.put(accounts, &key, balance.to_string().as_bytes()).await?;
    }
    unit.put(ledger, line.as_bytes(), b"done").await?;
    unit.commit().await
}

/// Works until it is over; gives the lines that were acknowledged, and those that were refused.
async fn works(
    engine: Arc<Direct>,
    stores: (StoreId, StoreId),
    task: String,
    over: Arc<AtomicBool>,
) -> (Vec<String>, Vec<String>) {
    let (mut done, mut refused, mut step) = (Vec::new(), Vec::new(), task.len() as u64);
    while !over.load(Ordering::SeqCst) {
        step += 1;
        let line = format!("{task} {step:08}");
        match moves(&engine, stores, &line, step.wrapping_mul(2_654_435_761) >> 7).await {
            Ok(()) => done.push(line),
            Err(Error::Lost(_) | Error::Deadlock | Error::TimedOut) => refused.push(line),
            Err(error) => panic!("{error:?}"),
        }
    }
    (done, refused)
}

/// Two regions that work until what is done to the database is over; the ledger is the judge.
async fn works_under(owner: &Address, schema: &str, done_to_it: impl Future<Output = ()>) {
    let folders = [tempdir().unwrap(), tempdir().unwrap()];
    let mut regions = Vec::new();
    for (folder, applid) in folders.iter().zip(["REGA", "REGB"]) {
        let (address, schema) = (place::as_user(owner), schema.to_owned());
        let options =
            Options { address, schema, holder: Holder::of(folder.path()).unwrap(), lease: place::LONG };
        regions.push(Direct::open(options, applid, 1_000).await.unwrap());
    }
    let [a, b] = &regions[..] else { unreachable!("there are two") };
    let stores = (
        store(&**a, "accounts", Recovery::Recoverable).await,
        store(&**a, "ledger", Recovery::Recoverable).await,
    );
    // B hears of the stores with its first answer.
    assert!(!begin(&**b).get(stores.0, b"", &mut Vec::new()).await.unwrap());
    let over = Arc::new(AtomicBool::new(false));
    let tasks: Vec<_> = (0..TASKS)
        .flat_map(|task| [(a.clone(), format!("A{task}")), (b.clone(), format!("B{task}"))])
        .map(|(engine, task)| tokio::spawn(works(engine, stores, task, over.clone())))
        .collect();
    done_to_it.await;
    over.store(true, Ordering::SeqCst);
    let (mut done, mut refused) = (Vec::new(), Vec::new());
    for task in tasks {
        let (is_done, is_refused) = task.await.unwrap();
        done.extend(is_done);
        refused.extend(is_refused);
    }
    let mut batch = Batch::default();
    begin(&**b).range(stores.1, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.unwrap();
    let mut lines: Vec<_> = batch.iter().map(|(key, _)| String::from_utf8(key.to_vec()).unwrap()).collect();
    done.sort();
    lines.sort();
    assert_eq!(lines, done, "the ledger has what was acknowledged, and nothing else");
    assert!(!done.is_empty() && !refused.is_empty(), "{} done, {} refused", done.len(), refused.len());
    begin(&**a).range(stores.0, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.unwrap();
    assert_eq!(batch.iter().map(|(_, balance)| number(balance)).sum::<i64>(), 0, "no money came or went");
    // Those of its last unit of work are given back a little later.
    let mut session = Session::connect(owner, &Settings::default()).await.unwrap();
    drop(regions);
    let locks = session.script(format!("SELECT 1 FROM {schema}.locks")).await.unwrap();
    assert!(locks.rows.is_empty(), "no lock is left");
    session.close().await;
}

#[tokio::test]
async fn what_is_acknowledged_is_there_and_what_is_refused_is_not() {
    let kills = std::env::var("DIRECT_KILLS").ok().map_or(KILLS, |text| text.parse().unwrap());
    place::schema("ledger").await;
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'syncpoint REG_ ledger' \
                AND random() < 0.4";
    let ended = async {
        for round in 0..kills {
            tokio::time::sleep(Duration::from_millis(150 + (round as u64 * 37) % 100)).await;
            place::does(kill).await;
        }
    };
    works_under(&place::owner(), "ledger", ended).await;
}

#[tokio::test]
async fn regions_go_on_when_the_database_is_killed_and_comes_again() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("depot-direct-killed");
    let lock = std::fs::File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    let mut server = Server::start(&place::private(&folder)).await.unwrap();
    let owner = server.owner();
    place::make_user(&owner).await;
    let mut session = Session::connect(&owner, &Settings::default()).await.unwrap();
    let user = place::USER;
    let made = format!("DROP SCHEMA IF EXISTS restarts CASCADE; CREATE SCHEMA restarts AUTHORIZATION {user}");
    session.script(made).await.unwrap();
    session.close().await;
    let restarts = async {
        for _ in 0..2 {
            tokio::time::sleep(Duration::from_millis(400)).await;
            // As `pg_ctl restart -m immediate`.
            let quit = std::process::Command::new("kill").args(["-QUIT", &server.pid().to_string()]).status();
            assert!(quit.unwrap().success());
            while !server.has_ended() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            server = Server::start(&place::private(&folder)).await.unwrap();
            tokio::time::sleep(Duration::from_millis(400)).await;
        }
    };
    works_under(&owner, "restarts", restarts).await;
}
