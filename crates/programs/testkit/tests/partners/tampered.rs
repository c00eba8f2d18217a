//! A wire that changes bytes of requests and replies.

use std::cell::Cell;
use std::time::{Duration, Instant};

use fastrand::Rng;
use kernel::dispatcher::Dispatcher;
use spec::cond;
use testkit::commands::{answered, command};
use testkit::script;

use crate::pair::{Change, Pair, answers, with_both};

/// Bytes of a frame's head; the place of its flags, whose first says that more comes: a partner may let one wait in any case.
const HEAD: usize = 12;
const FLAGS: usize = 9;
/// Runs.
const SEEDS: u64 = 300;

/// One byte or several of some frame are others, or its end is zeros.
fn tamper(rng: &mut Rng, frame: &mut [u8]) {
    for _ in 0..rng.usize(1..5) {
        // The length says where the next frame begins: one that waits for bytes is another test's.
        let at = rng.usize(4..frame.len());
        if at != FLAGS {
            frame[at] = if rng.bool() { rng.u8(..) } else { frame[at] ^ (1 << rng.u8(..8)) };
        }
    }
    if rng.u8(..4) == 0 && frame.len() > HEAD {
        let from = rng.usize(HEAD..frame.len());
        frame[from..].fill(0);
    }
}

/// Frames are changed behind the first few.
fn tampers(rng: &mut Rng) -> Change {
    let left = Cell::new(rng.usize(..6));
    let mut rng = rng.fork();
    Box::new(move |frame| match left.get() {
        0 => tamper(&mut rng, frame),
        more => left.set(more - 1),
    })
}

#[test]
fn whatever_a_wire_makes_of_requests_and_replies_both_regions_go_on() {
    with_both("partners-tampered", async |pair| {
        let region = &pair.asker.running.region;
        let write = "WRITEQ TS QUEUE(ANY) SYSID(PART) FROM('ONE')";
        let read = "READQ TS QUEUE(ANY) SYSID(PART) INTO(A) LENGTH(9) ITEM(1)";
        let start = "START TRANSID(NONE) SYSID(PART) FROM('DATA') LENGTH(4)";
        let link = "LINK PROGRAM(NONE) SYSID(PART) COMMAREA('AREA') LENGTH(4)";
        for seed in 0..SEEDS {
            let mut rng = Rng::with_seed(seed);
            pair.wire.change.replace(Some(tampers(&mut rng)));
            // What comes of them is anything: a condition, an abend.
            for text in [write, read, start, link] {
                let _ = answered(region, vec![command(text)]).await;
            }
            pair.wire.change.replace(None);
            answers(region, write, cond::NORMAL).await;
            answers(region, read, cond::NORMAL).await;
        }
    });
}

/// Runs in which a user at a terminal talks to a task of the partner.
const TALKS: u64 = 150;
/// A talk that nothing comes of is ended.
const SHORT: Duration = Duration::from_secs(1);

/// Waits until no task runs in either region; those that wait for a user are ended.
async fn ends(pair: &Pair) {
    let begun = Instant::now();
    let regions = [&pair.asker.running.region, &pair.partner.running.region];
    while regions.iter().any(|region| Dispatcher::of(region).running() > 0) {
        if begun.elapsed() > SHORT {
            for region in regions {
                Dispatcher::of(region).tasks().iter().for_each(|task| task.force_purge());
            }
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert!(begun.elapsed() < 20 * SHORT, "a task does not end: {}", crate::pair::told());
    }
}

#[test]
fn whatever_a_wire_makes_of_what_a_terminal_and_its_task_say_both_regions_go_on() {
    with_both("partners-talks", async |pair| {
        let talk = script::parse(&[String::from("start \"CHAT\"")]).expect("acts");
        let more = script::parse(&[String::from("ENTER")]).expect("an act");
        let leaves = script::parse(&[String::from("disconnect")]).expect("an act");
        for seed in 0..TALKS {
            pair.wire.change.replace(Some(tampers(&mut Rng::with_seed(seed))));
            let talks = async {
                for act in talk.iter().chain(&more).chain(&more).chain(&more) {
                    if pair.asker.act("A", act).await.is_err() {
                        return;
                    }
                }
            };
            // A screen that is locked for ever is one of what may come of it.
            let _ = tokio::time::timeout(SHORT, talks).await;
            for act in &leaves {
                let _ = tokio::time::timeout(SHORT, pair.asker.act("A", act)).await;
            }
            pair.wire.change.replace(None);
            ends(pair).await;
            answers(&pair.asker.running.region, "WRITEQ TS QUEUE(ANY) SYSID(PART) FROM('ONE')", cond::NORMAL)
                .await;
        }
    });
}
