//! A wire that changes bytes of requests and replies.

use std::cell::Cell;
use std::rc::Rc;

use fastrand::Rng;
use spec::cond;
use testkit::commands::{answered, command};

use crate::pair::{answers, with_both};

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
            let left = Rc::new(Cell::new(rng.usize(..6)));
            pair.wire.change.replace(Some(Box::new({
                let (left, mut rng) = (Rc::clone(&left), rng.fork());
                move |frame| match left.get() {
                    0 => tamper(&mut rng, frame),
                    more => left.set(more - 1),
                }
            })));
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
