//! The published anomalies, and that they do not happen.

mod common;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use common::{Fixture, read};
use records::Direction::Forward;
use records::{Engine, Lifetime, Resource, UnitOfWork, Wait};
use vsam::{Dataset, Error, Integrity, Search};

/// Reads a record for update as if it were a number, adds to it, rewrites it.
async fn add(dataset: &Arc<Dataset>, unit: &mut dyn UnitOfWork, key: &[u8], amount: u8) -> Result<(), Error> {
    let mut record = Vec::new();
    dataset.read_for_update(unit, Search::equal(key), Wait::Forever, &mut record).await?;
    record[2] += amount;
    dataset.rewrite(unit, key, &record, Wait::Forever).await
}

/// Returns true if a future still waits.
fn waits<F: Future>(future: std::pin::Pin<&mut F>) -> bool {
    future.poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

#[tokio::test]
async fn no_update_is_lost() {
    let fixture = Fixture::new().await;
    let dataset = fixture.keyed("10a").await;
    let tasks = (0..8).map(|_| async {
        let mut unit = fixture.begin();
        add(&dataset, &mut *unit, b"10", 1).await.expect("an update");
        unit.commit().await.expect("a commit");
    });
    let mut tasks: Vec<_> = tasks.map(Box::pin).collect();
    // All are in the middle of their updates at once.
    let mut going: Vec<_> = (0..tasks.len()).collect();
    std::future::poll_fn(|context| {
        going.retain(|number| tasks[*number].as_mut().poll(context).is_pending());
        if going.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    assert_eq!(fixture.list(&dataset).await, "10i");
}

#[tokio::test]
async fn nothing_uncommitted_is_read() {
    let fixture = Fixture::new().await;
    let dataset = fixture.keyed("10a 20b").await;
    let mut unit = fixture.begin();
    add(&dataset, &mut *unit, b"10", 1).await.unwrap();
    dataset.delete_by_key(&mut *unit, b"20", Wait::No).await.unwrap();
    dataset.write(&mut *unit, None, b"15x", Wait::No).await.unwrap();
    assert_eq!(read(&dataset, &mut *fixture.begin(), Search::equal(b"10")).await, Ok("10a".into()));
    assert_eq!(fixture.list(&dataset).await, "10a 20b", "nor browsed");
}

#[tokio::test]
async fn a_deadlock_ends_with_the_one_who_would_close_it() {
    let fixture = Fixture::new().await;
    let dataset = fixture.keyed("10a 20b").await;
    let (mut first, mut second) = (fixture.begin(), fixture.begin());
    add(&dataset, &mut *first, b"10", 1).await.unwrap();
    add(&dataset, &mut *second, b"20", 1).await.unwrap();
    {
        let mut waiting = pin!(add(&dataset, &mut *first, b"20", 1));
        assert!(waits(waiting.as_mut()));
        let refused = add(&dataset, &mut *second, b"10", 1).await;
        assert_eq!(refused, Err(Error::Engine(records::Error::Deadlock)));
        second.backout().await.unwrap();
        waiting.await.expect("goes on when the other is backed out");
    }
    first.commit().await.unwrap();
    assert_eq!(fixture.list(&dataset).await, "10b 20c");
}

#[tokio::test]
async fn a_deadlock_across_a_record_and_an_enqueue_is_found() {
    let fixture = Fixture::new().await;
    let dataset = fixture.keyed("10a").await;
    let locks = fixture.engine.locks();
    let (mut first, second) = (fixture.begin(), fixture.begin());
    add(&dataset, &mut *first, b"10", 1).await.unwrap();
    let name = || Resource::named(b"enqueued");
    locks.acquire(second.owner(), name(), Lifetime::Task, Wait::Forever).await.unwrap();

    let mut waiting = Box::pin(locks.acquire(first.owner(), name(), Lifetime::Unit, Wait::Forever));
    assert!(waits(waiting.as_mut()));
    let mut second = second;
    let refused = add(&dataset, &mut *second, b"10", 1).await;
    assert_eq!(refused, Err(Error::Engine(records::Error::Deadlock)));
}

#[tokio::test]
async fn a_browse_goes_on_in_order_while_others_write() {
    let fixture = Fixture::new().await;
    let dataset = fixture.keyed("10a 20b 30c 40d 50e").await;
    let mut unit = fixture.begin();
    let mut browse = dataset.browse(&mut *unit, Search::at_least(b"10")).await.unwrap();
    let mut seen = Vec::new();
    for number in 0..5 {
        seen.push(common::next(&mut browse, &mut *unit).await.unwrap().0);
        // One right before it, one behind it, one far ahead.
        let mut other = fixture.begin();
        for key in [11 + number, 5 + number, 91 + number] {
            let record = format!("{key:02}x");
            dataset.write(&mut *other, None, record.as_bytes(), Wait::No).await.unwrap();
        }
        other.commit().await.unwrap();
    }
    while let Ok((text, _)) = common::next(&mut browse, &mut *unit).await {
        seen.push(text);
    }
    assert_eq!(seen.join(" "), "10a 11x 12x 13x 14x 15x 20b 30c 40d 50e 91x 92x 93x 94x 95x");
}

#[tokio::test]
async fn records_are_handed_over_in_the_order_in_which_they_were_asked_for() {
    let fixture = Fixture::new().await;
    let dataset = fixture.keyed("10a").await;
    let mut holder = fixture.begin();
    add(&dataset, &mut *holder, b"10", 1).await.unwrap();
    let mut units: Vec<_> = (0..4).map(|_| fixture.begin()).collect();
    let mut waiting: Vec<_> =
        units.iter_mut().map(|unit| Box::pin(add(&dataset, &mut **unit, b"10", 1))).collect();
    assert!(waiting.iter_mut().all(|wait| waits(wait.as_mut())));
    holder.commit().await.unwrap();
    // Looking from the last to the first changes nothing.
    let still: Vec<bool> = waiting.iter_mut().rev().map(|wait| waits(wait.as_mut())).collect();
    assert_eq!(still, [true, true, true, false]);
}

#[tokio::test]
async fn a_read_waits_for_others_as_its_integrity_says() {
    for (integrity, waits_for_writer, keeps_writers_away) in [
        (Integrity::Uncommitted, false, false),
        (Integrity::Consistent, true, false),
        (Integrity::Repeatable, true, true),
    ] {
        let fixture = Fixture::new().await;
        let dataset = fixture.keyed("10a").await;
        let (mut writer, mut reader) = (fixture.begin(), fixture.begin());
        add(&dataset, &mut *writer, b"10", 1).await.unwrap();
        let mut record = Vec::new();
        let search = Search::equal(b"10");
        let busy = dataset.read_with(&mut *reader, search, integrity, Wait::No, &mut record).await;
        assert_eq!(busy.is_err(), waits_for_writer, "{integrity:?}");
        if !waits_for_writer {
            assert_eq!(record, b"10a", "what is not committed is never read");
        }
        writer.commit().await.unwrap();
        dataset.read_with(&mut *reader, search, integrity, Wait::No, &mut record).await.unwrap();
        assert_eq!(record, b"10b");
        let another = dataset.read_for_update(&mut *fixture.begin(), search, Wait::No, &mut record).await;
        assert_eq!(another.is_err(), keeps_writers_away, "{integrity:?}");
    }
}

#[tokio::test]
async fn a_browse_that_waits_for_a_record_reads_what_became_of_it() {
    let fixture = Fixture::new().await;
    let dataset = fixture.keyed("10a 20b 30c").await;
    let mut reader = fixture.begin();
    let mut browse = dataset.browse(&mut *reader, Search::at_least(b"10")).await.unwrap();
    let mut record = Vec::new();
    for (change, expected) in [(Change::Rewrite, "10z"), (Change::Delete, "30c")] {
        let key = if change == Change::Rewrite { b"10" } else { b"20" };
        let mut writer = fixture.begin();
        dataset.read_for_update(&mut *writer, Search::equal(key), Wait::No, &mut vec![]).await.unwrap();
        match change {
            Change::Rewrite => dataset.rewrite(&mut *writer, key, b"10z", Wait::No).await.unwrap(),
            Change::Delete => dataset.delete(&mut *writer, key, Wait::No).await.unwrap(),
        }
        let consistent = Integrity::Consistent;
        let busy = browse.step_with(&mut *reader, Forward, consistent, Wait::No, &mut record).await;
        assert_eq!(busy, Err(Error::Engine(records::Error::Locked)), "and stays where it was");
        {
            let step = browse.step_with(&mut *reader, Forward, consistent, Wait::Forever, &mut record);
            let mut step = pin!(step);
            assert!(waits(step.as_mut()));
            writer.commit().await.unwrap();
            step.await.expect("goes on");
        }
        assert_eq!(record, expected.as_bytes());
    }
}

/// Changes of another unit of work to the record on which a browse waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Rewrite,
    Delete,
}

#[tokio::test]
async fn a_record_that_another_adds_is_seen_by_the_next_browse() {
    let fixture = Fixture::new().await;
    let dataset = fixture.keyed("10a 20b 30c").await;
    let mut reader = fixture.begin();
    for expected in ["20b 30c", "20b 30c 35x"] {
        let mut browse = dataset.browse(&mut *reader, Search::at_least(b"20")).await.unwrap();
        let (mut seen, mut record) = (Vec::new(), Vec::new());
        let repeatable = Integrity::Repeatable;
        while browse.step_with(&mut *reader, Forward, repeatable, Wait::No, &mut record).await.is_ok() {
            seen.push(String::from_utf8(record.clone()).unwrap());
        }
        assert_eq!(seen.join(" "), expected);
        fixture.fill("KSDS", if seen.len() == 2 { "35x" } else { "" }).await;
    }
}
