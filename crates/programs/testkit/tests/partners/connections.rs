//! The connection that a request takes.

use spec::cond;
use testkit::commands::{answered, command};

use crate::pair::{answers, until, with_both};

/// The first request of a TCB goes through the life of the partner, and has a connection made through which others go.
#[test]
fn each_tcb_asks_through_a_connection_of_its_own() {
    with_both("partners-connections", async |pair| {
        let region = &pair.asker.running.region;
        assert_eq!(pair.wire.connections.get(), 1, "its life");
        answers(region, "WRITEQ TS QUEUE(ANY) SYSID(PART) FROM('ONE')", cond::NORMAL).await;
        until("a connection of a thread", || pair.wire.connections.get() > 1).await;
        // A unit of work has all its requests in one connection, its end among them: the life of the
        // partner for a TCB that asks for the first time, soon one of the TCB's own.
        let mut own = false;
        for _ in 0..1_000 {
            let before = pair.wire.asked.borrow().len();
            let unit = ["WRITEQ TS QUEUE(KEPT) SYSID(PART) FROM('ONE')"; 3].map(command);
            let told = answered(region, unit.into_iter().chain([command("SYNCPOINT")]).collect()).await;
            assert_eq!(told.map(|told| told.len()), Some(4));
            let asked = pair.wire.asked.borrow()[before..].to_vec();
            assert!(asked.len() >= 4 && asked.iter().all(|one| *one == asked[0]), "{asked:?}");
            own = asked[0] > 0;
            if own {
                break;
            }
        }
        assert!(own, "requests still go through the life: {:?}", pair.wire.asked.borrow());
        let threads = kernel::dispatcher::Dispatcher::of(region).tcb_count();
        assert!(pair.wire.connections.get() <= threads + 1, "{} connections", pair.wire.connections.get());
    });
}

/// A connection of a thread that is lost takes the link along, which is made again: what a task had there is backed out.
#[test]
fn a_connection_that_is_lost_is_the_loss_of_the_link() {
    with_both("partners-loss", async |pair| {
        let region = &pair.asker.running.region;
        answers(region, "WRITEQ TS QUEUE(ANY) SYSID(PART) FROM('ONE')", cond::NORMAL).await;
        until("a connection of a thread", || pair.wire.connections.get() > 1).await;
        // The first request in it has a kind that no frame has.
        let wire = std::rc::Rc::downgrade(&pair.wire);
        let mut broken = false;
        pair.wire.change.replace(Some(Box::new(move |frame| {
            let own =
                wire.upgrade().is_some_and(|wire| wire.asked.borrow().last().is_some_and(|one| *one > 0));
            if own && !std::mem::replace(&mut broken, true) {
                frame[8] = 99;
            }
        })));
        let unit = ["WRITEQ TS QUEUE(KEPT) SYSID(PART) FROM('ONE')"; 2].map(command);
        let lost = async {
            loop {
                let told =
                    answered(region, unit.iter().cloned().chain([command("SYNCPOINT")]).collect()).await;
                if told.is_none()
                    || told.is_some_and(|told| told.iter().any(|one| one.response().0 != cond::NORMAL))
                {
                    return;
                }
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(60), lost).await.expect("a unit of work is lost");
        until("the log says so", || crate::pair::said("a connection of a thread")).await;
        let read = "READQ TS QUEUE(ANY) SYSID(PART) INTO(A) LENGTH(9) ITEM(1)";
        answers(region, read, cond::NORMAL).await;
    });
}
