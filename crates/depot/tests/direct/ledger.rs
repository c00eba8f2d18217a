//! Two regions move money between the same accounts while sessions of theirs are ended at any moment: a ledger kept outside proves that each
//! acknowledged unit of work is there, once and as a whole. `DIRECT_KILLS` says how often.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use depot::Direct;
use records::{Batch, Direction, Error, Origin, Recovery, StoreId, Wait};
use tempfile::tempdir;

use crate::{begin, open, place, store};

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

#[tokio::test]
async fn what_is_acknowledged_is_there_and_what_is_refused_is_not() {
    let kills = std::env::var("DIRECT_KILLS").ok().map_or(KILLS, |text| text.parse().unwrap());
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    place::schema("ledger").await;
    let a = open(one.path(), "ledger", "REGA").await;
    let b = open(other.path(), "ledger", "REGB").await;
    let stores = (
        store(&*a, "accounts", Recovery::Recoverable).await,
        store(&*a, "ledger", Recovery::Recoverable).await,
    );
    // B hears of the stores with its first answer.
    assert!(!begin(&*b).get(stores.0, b"", &mut Vec::new()).await.unwrap());
    let over = Arc::new(AtomicBool::new(false));
    let tasks: Vec<_> = (0..TASKS)
        .flat_map(|task| [(a.clone(), format!("A{task}")), (b.clone(), format!("B{task}"))])
        .map(|(engine, task)| tokio::spawn(works(engine, stores, task, over.clone())))
        .collect();
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'syncpoint REG_ ledger' \
                AND random() < 0.4";
    for round in 0..kills {
        tokio::time::sleep(Duration::from_millis(150 + (round as u64 * 37) % 100)).await;
        place::does(kill).await;
    }
    over.store(true, Ordering::SeqCst);
    let (mut done, mut refused) = (Vec::new(), Vec::new());
    for task in tasks {
        let (is_done, is_refused) = task.await.unwrap();
        done.extend(is_done);
        refused.extend(is_refused);
    }
    let mut batch = Batch::default();
    begin(&*b).range(stores.1, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.unwrap();
    let mut lines: Vec<_> = batch.iter().map(|(key, _)| String::from_utf8(key.to_vec()).unwrap()).collect();
    done.sort();
    lines.sort();
    assert_eq!(lines, done, "the ledger has what was acknowledged, and nothing else");
    assert!(!done.is_empty() && !refused.is_empty(), "{} done, {} refused", done.len(), refused.len());
    begin(&*a).range(stores.0, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.unwrap();
    assert_eq!(batch.iter().map(|(_, balance)| number(balance)).sum::<i64>(), 0, "no money came or went");
    let locks = place::does("SELECT 1 FROM ledger.locks").await;
    assert!(locks.rows.is_empty(), "no lock is left");
}
