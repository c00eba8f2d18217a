//! Connections of a TCB for which the event loop has news, and the instance that looks at them next.
//!
//! Each connection has a bell for a waker. Ringing wakes the *leader*, which is an instance that has nothing to do: it reads
//! the connection itself and goes on in its program with the message, so that a message costs one poll.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

use parking_lot::Mutex;

/// The connections of a TCB that have rung.
#[derive(Default)]
pub(crate) struct Rung(Mutex<Inside>);

#[derive(Default)]
struct Inside {
    places: VecDeque<u32>,
    leader: Option<Waker>,
}

impl Rung {
    /// This connection is to be looked at.
    pub fn push(&self, place: u32) {
        let mut inside = self.0.lock();
        inside.places.push_back(place);
        let leader = inside.leader.take();
        drop(inside);
        if let Some(leader) = leader {
            leader.wake();
        }
    }

    /// Leaves this connection to the next look; wakes no task.
    pub fn push_quietly(&self, place: u32) {
        self.0.lock().places.push_back(place);
    }

    /// The next one to be looked at.
    pub fn pop(&self) -> Option<u32> {
        self.0.lock().places.pop_front()
    }

    /// Number of connections.
    pub fn len(&self) -> usize {
        self.0.lock().places.len()
    }

    /// Sets another one to be woken from now on: at once if the bell has rung already.
    pub fn lead(&self, leader: Option<&Waker>) {
        let mut inside = self.0.lock();
        if inside.places.is_empty() {
            let same = matches!((&inside.leader, leader), (Some(old), Some(new)) if old.will_wake(new));
            if !same {
                inside.leader = leader.cloned();
            }
            return;
        }
        inside.leader = None;
        drop(inside);
        if let Some(leader) = leader {
            leader.wake_by_ref();
        }
    }
}

/// The bell of a connection.
pub(crate) struct Bell {
    place: u32,
    rung: Arc<Rung>,
    /// It has rung, and its owner has not looked yet.
    rings: AtomicBool,
}

impl Bell {
    /// A bell, and a waker that rings it.
    pub fn new(place: u32, rung: &Arc<Rung>) -> (Arc<Self>, Waker) {
        let bell = Arc::new(Self { place, rung: Arc::clone(rung), rings: AtomicBool::new(false) });
        (Arc::clone(&bell), Waker::from(bell))
    }

    /// Notes that its owner looks now.
    pub fn heard(&self) {
        self.rings.store(false, Ordering::Relaxed);
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.rings.swap(true, Ordering::Relaxed) {
            self.rung.push(self.place);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_leader_is_woken_once_for_all_that_ring_before_it_looks() {
        let (rung, woken) = (Arc::<Rung>::default(), Arc::<Woken>::default());
        let times = || woken.0.load(Ordering::Relaxed);
        let leader = Waker::from(Arc::clone(&woken));
        rung.lead(Some(&leader));
        let bells: Vec<_> = (0..3).map(|place| Bell::new(place, &rung)).collect();
        bells.iter().chain(&bells).for_each(|(_, waker)| waker.wake_by_ref());
        assert_eq!((times(), rung.len()), (1, 3));
        assert_eq!((rung.pop(), rung.pop()), (Some(0), Some(1)));
        bells[0].0.heard();
        bells[0].1.wake_by_ref();
        assert_eq!((rung.len(), times()), (2, 1), "no leader is set");
        rung.lead(Some(&leader));
        assert_eq!(times(), 2, "who takes the lead hears of those that have rung before");
    }
}
