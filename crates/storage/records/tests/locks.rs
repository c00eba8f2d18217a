//! The lock manager: order, deadlock, time-out, cancel.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use records::{Error, Lifetime, Locks, Owner, Resource, Result, TokioClock, Wait};

fn locks() -> Arc<Locks> {
    Locks::new(Arc::new(TokioClock), 100)
}

fn name(text: &str) -> Resource {
    Resource::named(text.as_bytes())
}

/// One look at a future.
fn look<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

fn ask(locks: &Arc<Locks>, owner: u64, resource: &str) -> impl Future<Output = Result<()>> + Unpin {
    locks.acquire(Owner(owner), name(resource), Lifetime::Unit, Wait::Forever)
}

#[test]
fn waiters_get_the_lock_in_the_order_in_which_they_asked() {
    let locks = locks();
    assert_eq!(look(&mut ask(&locks, 1, "r")), Poll::Ready(Ok(())));
    let (mut second, mut third) = (ask(&locks, 2, "r"), ask(&locks, 3, "r"));
    assert_eq!((look(&mut second), look(&mut third)), (Poll::Pending, Poll::Pending));
    locks.release_all(Owner(1), Lifetime::Unit);
    // Handed over already: a newcomer cannot slip in between.
    assert_eq!(locks.holder(&name("r")), Some(Owner(2)));
    assert_eq!((look(&mut third), look(&mut second)), (Poll::Pending, Poll::Ready(Ok(()))));
    assert!(locks.release(Owner(2), &name("r"), Lifetime::Unit));
    assert_eq!(look(&mut third), Poll::Ready(Ok(())));
}

#[test]
fn an_owner_counts_its_locks_and_keeps_what_has_the_longer_lifetime() {
    let locks = locks();
    let take = |lifetime| locks.try_acquire(Owner(1), name("r"), lifetime);
    assert_eq!(
        (take(Lifetime::Unit), take(Lifetime::Unit), take(Lifetime::Task)),
        (Ok(true), Ok(true), Ok(true))
    );
    assert_eq!(locks.try_acquire(Owner(2), name("r"), Lifetime::Unit), Ok(false));
    locks.release_all(Owner(1), Lifetime::Unit);
    assert_eq!(locks.holder(&name("r")), Some(Owner(1)));
    assert!(!locks.release(Owner(1), &name("r"), Lifetime::Unit), "it has none left");
    assert!(locks.release(Owner(1), &name("r"), Lifetime::Task));
    assert_eq!(locks.holder(&name("r")), None);
}

#[test]
fn thousands_of_locks_are_kept_apart_and_let_go_of() {
    const MANY: u32 = 5_000;
    let locks = Locks::new(Arc::new(TokioClock), MANY as usize);
    let resource = |number: u32| Resource::named(&number.to_be_bytes());
    let take = |owner, number| locks.try_acquire(Owner(owner), resource(number), Lifetime::Unit);
    (0..MANY).for_each(|number| assert_eq!(take(u64::from(number % 2), number), Ok(true), "{number}"));
    (0..MANY).for_each(|number| assert_eq!(take(2, number), Ok(false), "{number}"));
    assert_eq!(locks.list().len(), MANY as usize);
    locks.release_all(Owner(0), Lifetime::Unit);
    for number in 0..MANY {
        assert_eq!(take(2, number), Ok(number % 2 == 0), "{number}");
    }
    (0..MANY)
        .step_by(2)
        .for_each(|number| assert!(locks.release(Owner(2), &resource(number), Lifetime::Unit)));
    locks.release_all(Owner(1), Lifetime::Unit);
    assert_eq!(locks.list(), []);
}

#[test]
fn the_one_who_would_close_a_circle_is_refused() {
    let locks = locks();
    for (owner, resource) in [(1, "a"), (2, "b"), (3, "c")] {
        assert_eq!(look(&mut ask(&locks, owner, resource)), Poll::Ready(Ok(())));
    }
    let (mut first, mut second) = (ask(&locks, 1, "b"), ask(&locks, 2, "c"));
    assert_eq!((look(&mut first), look(&mut second)), (Poll::Pending, Poll::Pending));
    assert_eq!(look(&mut ask(&locks, 3, "a")), Poll::Ready(Err(Error::Deadlock)));
    locks.release_all(Owner(3), Lifetime::Unit);
    assert_eq!(look(&mut second), Poll::Ready(Ok(())));
    assert_eq!(look(&mut first), Poll::Pending);
}

#[test]
fn a_wait_that_is_dropped_leaves_nothing_behind() {
    let locks = locks();
    assert_eq!(look(&mut ask(&locks, 1, "r")), Poll::Ready(Ok(())));
    let waiting = ask(&locks, 2, "r");
    drop(waiting);
    assert_eq!(locks.info(&name("r")).unwrap().waiters, []);
    // Dropped after it was handed over, but before anybody saw that.
    let granted = ask(&locks, 3, "r");
    locks.release_all(Owner(1), Lifetime::Unit);
    assert_eq!(locks.holder(&name("r")), Some(Owner(3)));
    drop(granted);
    assert_eq!(locks.holder(&name("r")), None);
}

#[test]
fn a_wait_can_be_cancelled() {
    let locks = locks();
    assert_eq!(look(&mut ask(&locks, 1, "r")), Poll::Ready(Ok(())));
    let mut waiting = ask(&locks, 2, "r");
    assert_eq!(locks.awaited(Owner(2)), Some(name("r")));
    assert!(locks.cancel(Owner(2)));
    assert_eq!(look(&mut waiting), Poll::Ready(Err(Error::Cancelled)));
    assert!(!locks.cancel(Owner(2)), "it waits no longer");
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_when_its_time_is_over() {
    let locks = locks();
    ask(&locks, 1, "r").await.unwrap();
    let limit = Wait::AtMost(Duration::from_secs(5));
    let started = tokio::time::Instant::now();
    let outcome = locks.acquire(Owner(2), name("r"), Lifetime::Unit, limit).await;
    assert_eq!((outcome, started.elapsed().as_secs()), (Err(Error::TimedOut), 5));
    assert_eq!(locks.info(&name("r")).unwrap().waiters, []);
}

#[test]
fn an_owner_has_a_limit() {
    let locks = Locks::new(Arc::new(TokioClock), 2);
    let take = |resource| locks.try_acquire(Owner(1), name(resource), Lifetime::Unit);
    assert_eq!((take("a"), take("b")), (Ok(true), Ok(true)));
    assert_eq!(take("c"), Err(Error::Limit("locks_per_owner")));
    assert_eq!(take("a"), Ok(true), "counting again needs no room");
}

/// Locks that a few threads take in any order, and their holders as the threads see them.
struct Ring {
    locks: Arc<Locks>,
    holders: [AtomicU64; 3],
}

impl Ring {
    /// Takes two of the locks, one after the other, or one if the second would close a circle. False if it did.
    async fn take_two(&self, owner: u64, round: u64) -> bool {
        let count = self.holders.len() as u64;
        for number in [(round * owner) % count, (round / owner) % count] {
            let holder = &self.holders[number as usize];
            match ask(&self.locks, owner, &number.to_string()).await {
                Ok(()) => holder.store(owner, Ordering::Relaxed),
                Err(error) => {
                    assert_eq!(error, Error::Deadlock);
                    return false;
                }
            }
            tokio::task::yield_now().await;
            assert_eq!(holder.load(Ordering::Relaxed), owner, "nobody has what another has");
        }
        true
    }
}

#[test]
fn threads_share_locks_and_leave_none() {
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 5_000;
    let ring = Ring { locks: locks(), holders: Default::default() };
    let work = async |owner| {
        let mut taken = 0;
        for round in 0..ROUNDS {
            taken += u64::from(ring.take_two(owner, round).await);
            ring.locks.release_all(Owner(owner), Lifetime::Unit);
        }
        taken
    };
    let on_thread = |owner| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(work(owner))
    };
    let taken: Vec<u64> = std::thread::scope(|scope| {
        let on_thread = &on_thread;
        let threads: Vec<_> = (1..=THREADS).map(|owner| scope.spawn(move || on_thread(owner))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(taken.iter().all(|taken| *taken > ROUNDS / 10), "everybody gets on: {taken:?}");
    assert_eq!(ring.locks.list(), []);
}
