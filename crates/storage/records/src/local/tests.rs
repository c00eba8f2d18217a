//! Stores that overwrite records in main storage are noticed before the records are written or given out.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::base::Patience;
use crate::change::{Changes, Record};
use crate::log::Ending;
use crate::sim::{Machine, Running};
use crate::{Answer, Engine, Error, Limits, Recovery, StoreId};

/// An engine, and a store with a record in its overlay.
fn started(machine: &Machine) -> (Running, StoreId) {
    let running = machine.start().expect("an engine");
    if let Some(store) = running.engine.find("accounts") {
        return (running, store);
    }
    let mut unit = running.engine.begin(running.engine.locks().new_owner());
    let store = unit.create_store("accounts", Recovery::Recoverable).expect("a store");
    assert!(unit.commit_unforced().now().is_ok_and(|done| done.is_ok()));
    running.core().commit_unforced(Changes::of(store, b"key", Some(b"balance 100"))).expect("committed");
    running.core().flush_log().expect("written");
    (running, store)
}

/// A record that was another when its checksum was made.
fn overwritten() -> Record {
    let sum = Record::new(b"key", b"balance 100").sum().try_into().expect("a checksum");
    Record::with_sum(b"balance 900", sum)
}

fn look<T: Unpin>(answer: &mut Answer<'_, T>) -> Poll<T> {
    Pin::new(answer).poll(&mut Context::from_waker(Waker::noop()))
}

fn is_overwritten<T>(result: crate::Result<T>) -> bool {
    matches!(result, Err(Error::Overwritten(_)))
}

#[test]
fn an_overlay_that_was_overwritten_is_not_read_nor_written_to_the_base() {
    let machine = Machine::new(1, Limits::default());
    let (running, store) = started(&machine);
    let core = running.core();
    let mut failure = running.engine.failure();
    assert!(look(&mut failure).is_pending());
    *core.state.write().overlaid_mut(store, b"key").expect("the record") = Some(overwritten());
    let mut record = Vec::new();
    assert!(is_overwritten(core.get(store, b"key", &mut record, Patience::Waits)));
    assert!(record.is_empty());
    assert!(is_overwritten(core.checkpoint()));
    assert!(
        matches!(look(&mut failure), Poll::Ready(why) if why.contains("was overwritten in main storage"))
    );
    // Nothing more is done before the next start, which has the record from the log.
    assert!(is_overwritten(core.gate.refusal().map_or(Ok(()), Err)));
    let (running, store) = started(&machine);
    assert_eq!(running.core().get(store, b"key", &mut record, Patience::Waits), Ok(true));
    assert_eq!(record, b"balance 100");
    assert_eq!(running.core().checkpoint(), Ok(()));
}

#[test]
fn a_change_that_was_overwritten_before_its_commit_is_refused_and_others_go_on() {
    let machine = Machine::new(1, Limits::default());
    let (running, store) = started(&machine);
    let core: &Arc<_> = running.core();
    let mut changes = Changes::of(store, b"other", Some(b"whole"));
    changes.insert(store, b"key", Some(overwritten()));
    let owner = core.locks.new_owner();
    assert!(is_overwritten(core.commit_forced(changes, owner, Ending::Commit).map(drop)));
    core.commit_unforced(Changes::of(store, b"next", Some(b"whole"))).expect("committed");
    core.flush_log().expect("written");
    drop(running);
    let (running, store) = started(&machine);
    let mut record = Vec::new();
    let mut is_there = |key| running.core().get(store, key, &mut record, Patience::Waits).expect("read");
    assert_eq!([is_there(b"key"), is_there(b"other"), is_there(b"next")], [true, false, true]);
}
