//! The Authenticator's region, killed at full rate: each answer that a terminal has got is kept, and no answer comes twice.
//!
//! `SYNCPOINT_KILLS` says how often; `SYNCPOINT_KILLS_SEED` which moments.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use load::tracks::{self, TERMINALS_MAX};

use super::house::{Hsm, Issuer, Wanted};
use crate::data::Data;
use crate::house::{Chance, asked_for};

/// Kills in an ordinary run.
const KILLS: u64 = 3;
/// A kill comes at most so many microseconds after messages have come and gone.
const LATER: u64 = 300_000;
/// Messages of each terminal: more than it can send before the region is killed.
const ENDLESS: &str = "1000000";
/// The places of the parts of a record of the Validation Log.
const LOG_RETURN_CODE: std::ops::Range<usize> = 38..41;
const LOG_COUNTER: std::ops::Range<usize> = 43..53;
const PAN: std::ops::Range<usize> = 0..19;
/// The place of the counter in the account of a card.
const ACCOUNT_COUNTER: std::ops::Range<usize> = 32..42;

fn number(record: &str, at: std::ops::Range<usize>) -> u32 {
    record[at].parse().unwrap_or_else(|_| panic!("no number in {record:?}"))
}

/// The data about a card.
#[derive(Default)]
struct Kept {
    counter: u32,
    /// Accepted counters of the Validation Log, in order of time.
    logged: Vec<u32>,
}

fn kept(issuer: &Issuer) -> BTreeMap<String, Kept> {
    let data = Data::open(&issuer.application());
    let mut cards: BTreeMap<String, Kept> = BTreeMap::new();
    for account in data.records("AUTH.ACCOUNT") {
        let pan = account[PAN].trim_end().to_owned();
        cards.entry(pan).or_default().counter = number(&account, ACCOUNT_COUNTER);
    }
    for entry in data.records("AUTH.LOG").iter().filter(|entry| &entry[LOG_RETURN_CODE] == "000") {
        let card = cards.get_mut(entry[PAN].trim_end()).expect("only accounts are logged as authentic");
        card.logged.push(number(entry, LOG_COUNTER));
    }
    cards
}

/// Compares what terminals were told with what the region has kept; counters that it kept and told to no terminal.
fn compare(issuer: &Issuer) -> usize {
    let (told, kept) = (issuer.ledger(), kept(issuer));
    let mut untold = 0;
    for file in tracks::read(&issuer.tracks(), TERMINALS_MAX).expect("the tracks") {
        for (number, track) in file.tracks.iter().enumerate() {
            let Kept { counter, logged } = &kept[track.pan.digits()];
            let mut once = logged.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), logged.len(), "a counter was accepted twice: {logged:?}");
            let highest = once.last().copied().unwrap_or(0);
            assert_eq!(highest, *counter, "account and log are of one unit of work");
            let Some(entry) = told.card(&file.terminal, number) else { continue };
            assert!(
                entry.accepted.iter().all(|accepted| once.contains(accepted)),
                "forgotten: {entry:?}, {once:?}"
            );
            assert!(highest <= entry.sent, "kept is {highest}, sent was {}", entry.sent);
            untold += once.len() - entry.accepted.len();
        }
    }
    untold
}

/// Runs the region under load until it is killed.
fn work_and_kill(issuer: &Issuer, seed: &str, later: Duration) {
    let service = issuer.open();
    issuer.replay(&service);
    let mix = ["--messages", ENDLESS, "--mix", "wrong=5,replayed=10", "--seed", seed];
    let mut load = issuer.load(&service, &mix);
    load.works();
    thread::sleep(later);
    service.region.signal("KILL");
    let (_, log) = service.region.ended();
    let said = load.stopped();
    for line in said.lines().filter(|line| line.ends_with('!')) {
        let gone = line.contains("hung up") || line.contains("not connected");
        assert!(gone, "a region that is killed only hangs up:\n{said}\n{log}");
    }
}

#[test]
fn no_accepted_counter_is_forgotten_and_none_is_accepted_twice() {
    let kills = asked_for("SYNCPOINT_KILLS").unwrap_or(KILLS);
    let mut chance = Chance::asked_for();
    let hsm = Hsm::start(&[]);
    let issuer = Issuer::new(&Wanted { log: true, cards: 64, terminals: 8, ..Wanted::with(&[&hsm]) });
    let mut untold = 0;
    for _ in 0..kills {
        let later = Duration::from_micros(chance.below(LATER));
        work_and_kill(&issuer, &chance.below(u64::from(u32::MAX)).to_string(), later);
        untold = compare(&issuer);
    }
    issuer.replay(&issuer.open());
    let accepted = issuer.ledger().accepted();
    println!("{kills} kills, {accepted} counters accepted; {untold} more were kept before anybody was told");
}
