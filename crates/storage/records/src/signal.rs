//! A value that one side sends once and the other awaits.
//!
//! Many that wait on one thread for values that come together are woken once: the first of them wakes the others, there,
//! where that costs no call of the system.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;
use smallvec::SmallVec;

thread_local! {
    /// Its address tells threads apart.
    static HERE: u8 = const { 0 };
}

/// Threads that wait for values that come together: mostly few.
const THREADS: usize = 2;

struct State<T> {
    value: Option<T>,
    /// The waiter, and its thread.
    waiter: Option<(usize, Waker)>,
    /// Others on that thread, whom the waiter wakes when it is woken.
    others: Vec<Waker>,
}

/// The state that both sides share.
type Shared<T> = Arc<Mutex<State<T>>>;

/// The sending side.
pub(crate) struct Signal<T>(Shared<T>);

/// The awaiting side.
pub(crate) struct Signalled<T>(Shared<T>);

/// Both sides of a new signal.
pub(crate) fn signal<T>() -> (Signal<T>, Signalled<T>) {
    let state = Arc::new(Mutex::new(State { value: None, waiter: None, others: Vec::new() }));
    (Signal(state.clone()), Signalled(state))
}

/// Those who wait on one thread.
struct Thread<T> {
    number: usize,
    first: Shared<T>,
    waker: Waker,
    others: Vec<Waker>,
}

/// Sends values. The receivers may be gone.
pub(crate) fn send_all<T>(values: impl Iterator<Item = (Signal<T>, T)>) {
    let mut threads: SmallVec<[Thread<T>; THREADS]> = SmallVec::new();
    for (signal, value) in values {
        let waiter = {
            let mut state = signal.0.lock();
            state.value = Some(value);
            state.waiter.take()
        };
        let Some((number, waker)) = waiter else { continue };
        match threads.iter_mut().find(|thread| thread.number == number) {
            Some(thread) => thread.others.push(waker),
            None => threads.push(Thread { number, first: signal.0, waker, others: Vec::new() }),
        }
    }
    threads.into_iter().for_each(Thread::wake);
}

impl<T> Thread<T> {
    fn wake(self) {
        let mut others = self.others;
        {
            let mut state = self.first.lock();
            // A receiver that has its value already, or has gone, needs no wake.
            if state.value.is_some() && Arc::strong_count(&self.first) > 1 {
                state.others = std::mem::take(&mut others);
            }
        }
        self.waker.wake();
        others.into_iter().for_each(Waker::wake);
    }
}

impl<T> Signalled<T> {
    /// Returns true if the value is there.
    pub(crate) fn is_sent(&self) -> bool {
        self.0.lock().value.is_some()
    }
}

impl<T> Future for Signalled<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut state = self.0.lock();
        match state.value.take() {
            Some(value) => {
                let others = std::mem::take(&mut state.others);
                drop(state);
                others.into_iter().for_each(Waker::wake);
                Poll::Ready(value)
            }
            None => {
                state.waiter =
                    Some((HERE.with(|here| std::ptr::from_ref(here).addr()), context.waker().clone()));
                Poll::Pending
            }
        }
    }
}

impl<T> Drop for Signalled<T> {
    fn drop(&mut self) {
        let others = {
            let mut state = self.0.lock();
            // No receiver is left: a sender sees that now.
            let others = std::mem::take(&mut state.others);
            state.value = None;
            others
        };
        others.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    /// Counts how often it was woken.
    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Signals with waiters on this thread, and how often each was woken.
    fn waiting(count: usize) -> Vec<(Signal<u32>, Signalled<u32>, Arc<Count>)> {
        let wait = |_| {
            let (signal, mut signalled) = signal();
            let count = Arc::new(Count::default());
            let waker = Waker::from(count.clone());
            assert!(Pin::new(&mut signalled).poll(&mut Context::from_waker(&waker)).is_pending());
            (signal, signalled, count)
        };
        (0..count).map(wait).collect()
    }

    fn woken(counts: &[Arc<Count>]) -> Vec<usize> {
        counts.iter().map(|count| count.0.load(Ordering::Relaxed)).collect()
    }

    #[test]
    fn the_first_of_a_thread_is_woken_and_wakes_the_others() {
        for first_goes in [false, true] {
            let (mut signals, mut waits, mut counts) = (Vec::new(), Vec::new(), Vec::new());
            for (signal, signalled, count) in waiting(3) {
                signals.push((signal, 7));
                waits.push(signalled);
                counts.push(count);
            }
            send_all(signals.into_iter());
            assert_eq!(woken(&counts), [1, 0, 0]);
            // Whether it takes its value or loses interest.
            let mut first = waits.remove(0);
            if !first_goes {
                let taken = Pin::new(&mut first).poll(&mut Context::from_waker(Waker::noop()));
                assert_eq!(taken, Poll::Ready(7));
            }
            drop(first);
            assert_eq!(woken(&counts), [1, 1, 1]);
        }
    }

    #[test]
    fn a_receiver_that_has_gone_is_not_woken_and_no_other_is_forgotten() {
        let mut all = waiting(2);
        let (second, first) = (all.pop().expect("two"), all.pop().expect("two"));
        drop(first.1);
        send_all([(first.0, 1), (second.0, 2)].into_iter());
        assert_eq!(second.2.0.load(Ordering::Relaxed), 1);
    }
}
