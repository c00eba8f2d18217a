//! Places for the connections of several doors together, on any threads: MAXSOCKETS.
//!
//! While all places are taken no client is accepted. As soon as a connection idles that its client keeps for later, it
//! makes room for one that waits: the connection that has idled longest goes first.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use crate::serve::Listens;

/// The places.
pub struct Places {
    most: AtomicUsize,
    present: AtomicUsize,
    /// Notified when a place is free, or a connection idles while no place is.
    freed: Notify,
    /// Connections that may be asked to leave, by a number.
    seats: Mutex<BTreeMap<u64, Arc<Seat>>>,
    next: AtomicU64,
    /// Connections that are asked to leave: no more than wait.
    leaving: AtomicUsize,
    began: Instant,
    counts: Counts,
}

/// Counts of the connections for which there was no place.
#[derive(Debug, Default)]
struct Counts {
    present_most: AtomicUsize,
    full: AtomicU64,
    paused: AtomicU64,
    paused_last: AtomicU64,
    waited: AtomicU64,
    waiting: AtomicUsize,
    waiting_most: AtomicUsize,
    left: AtomicU64,
}

/// The counts of places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The number of places.
    pub most: usize,
    /// The number of places taken now, and the highest so far.
    pub present: usize,
    /// See above.
    pub present_most: usize,
    /// The number of times that the last place was taken.
    pub full: u64,
    /// The number of times that no client was accepted, and the time of the last one (microseconds since 1970).
    pub paused: u64,
    /// See above.
    pub paused_last: u64,
    /// The number of connections that had to wait, the number that wait now, and the highest so far.
    pub waited: u64,
    /// See above.
    pub waiting: usize,
    /// See above.
    pub waiting_most: usize,
    /// Connections that idled and made room.
    pub left: u64,
}

/// A place, until it is dropped.
pub struct ClientPlace {
    places: Arc<Places>,
    seat: Option<u64>,
}

/// The state of a place's connection: working or idle. It is asked here to leave.
#[derive(Default)]
pub struct Seat {
    /// The start of its idling, in milliseconds since the places exist, plus one; 0: it works.
    idle_since: AtomicU64,
    /// It was asked to leave, and has neither left nor gone on working.
    asked: AtomicBool,
    told: Notify,
}

impl Seat {
    /// It is to leave, unless it works.
    pub async fn is_asked_to_leave(&self) {
        self.told.notified().await;
    }

    /// It works.
    pub fn works(&self) {
        self.idle_since.store(0, Ordering::Relaxed);
    }
}

impl Places {
    /// This number of places.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most: AtomicUsize::new(most),
            present: AtomicUsize::new(0),
            freed: Notify::new(),
            seats: Mutex::default(),
            next: AtomicU64::new(0),
            leaving: AtomicUsize::new(0),
            began: Instant::now(),
            counts: Counts::default(),
        })
    }

    /// A place, as soon as there is one.
    pub async fn place(self: &Arc<Self>) -> ClientPlace {
        let mut waiting = None;
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // From here on it is not missed.
            freed.as_mut().enable();
            if let Some(place) = self.take() {
                return place;
            }
            waiting.get_or_insert_with(|| Waiting::new(&self.counts));
            self.ask_the_oldest();
            freed.await;
        }
    }

    fn take(self: &Arc<Self>) -> Option<ClientPlace> {
        let most = self.most();
        let more = |present| (present < most).then_some(present + 1);
        let before = self.present.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        self.counts.present_most.fetch_max(before + 1, Ordering::Relaxed);
        if before + 1 == most {
            self.counts.full.fetch_add(1, Ordering::Relaxed);
        }
        Some(ClientPlace { places: Arc::clone(self), seat: None })
    }

    /// The number of places.
    pub fn most(&self) -> usize {
        self.most.load(Ordering::Acquire)
    }

    /// Sets the number of places. If more are taken, connections that idle make room for others, and no other has to
    /// go.
    pub fn set_most(&self, most: usize) {
        self.most.store(most, Ordering::Release);
        self.freed.notify_waiters();
    }

    /// Returns true if all are taken.
    pub fn is_full(&self) -> bool {
        self.present.load(Ordering::Acquire) >= self.most()
    }

    /// Waits until a client may be accepted: a place is free, or an idle connection can make room.
    async fn room(&self) {
        let mut is_paused = false;
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            freed.as_mut().enable();
            if !self.is_full() || self.oldest().is_some() {
                return;
            }
            if !is_paused {
                is_paused = true;
                self.counts.paused.fetch_add(1, Ordering::Relaxed);
                self.counts.paused_last.store(now(), Ordering::Relaxed);
            }
            freed.await;
        }
    }

    /// A connection idles from now on.
    pub fn idles(&self, seat: &Seat) {
        let since = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        seat.idle_since.store(since.saturating_add(1), Ordering::Relaxed);
        if self.is_full() {
            self.freed.notify_waiters();
        }
    }

    /// The connection that has idled longest.
    fn oldest(&self) -> Option<Arc<Seat>> {
        let seats = self.seats.lock();
        let idle = seats.values().filter_map(|seat| match seat.idle_since.load(Ordering::Relaxed) {
            0 => None,
            since => Some((since, seat)),
        });
        idle.min_by_key(|(since, _)| *since).map(|(_, seat)| Arc::clone(seat))
    }

    fn ask_the_oldest(&self) {
        // A waiting connection may be woken in vain: that must not cost another connection its place.
        if self.leaving.load(Ordering::Acquire) >= self.counts.waiting.load(Ordering::Acquire) {
            return;
        }
        if let Some(seat) = self.oldest() {
            // It is not asked twice.
            seat.works();
            seat.asked.store(true, Ordering::Release);
            self.leaving.fetch_add(1, Ordering::AcqRel);
            seat.told.notify_one();
            self.counts.left.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A connection that was asked to leave has left, or goes on for now.
    fn answered(&self, seat: &Seat) {
        if seat.asked.swap(false, Ordering::AcqRel) {
            self.leaving.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Returns the counts; with `reset` the highest begin again.
    pub fn taken(&self, reset: bool) -> Taken {
        let Counts { present_most, full, paused, paused_last, waited, waiting, waiting_most, left } =
            &self.counts;
        let got = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (present, waiting) = (self.present.load(Ordering::Relaxed), waiting.load(Ordering::Relaxed));
        let most = |most: &AtomicUsize, now: usize| match reset {
            true => most.swap(now, Ordering::Relaxed),
            false => most.load(Ordering::Relaxed),
        };
        Taken {
            most: self.most(),
            present,
            present_most: most(present_most, present).max(present),
            full: got(full),
            paused: got(paused),
            paused_last: got(paused_last),
            waited: got(waited),
            waiting,
            waiting_most: most(waiting_most, waiting).max(waiting),
            left: got(left),
        }
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// A connection that waits for a place.
struct Waiting<'c>(&'c Counts);

impl<'c> Waiting<'c> {
    fn new(counts: &'c Counts) -> Self {
        counts.waited.fetch_add(1, Ordering::Relaxed);
        let before = counts.waiting.fetch_add(1, Ordering::Relaxed);
        counts.waiting_most.fetch_max(before + 1, Ordering::Relaxed);
        Self(counts)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ClientPlace {
    /// Returns the view by which its connection says that it idles or works. The connection leaves when it is asked to.
    pub fn seat(&mut self) -> Seated {
        let seat = Arc::<Seat>::default();
        let number = self.places.next.fetch_add(1, Ordering::Relaxed);
        self.places.seats.lock().insert(number, Arc::clone(&seat));
        self.seat = Some(number);
        Seated { places: Arc::clone(&self.places), seat }
    }
}

impl Drop for ClientPlace {
    fn drop(&mut self) {
        if let Some(number) = self.seat {
            let seat = self.places.seats.lock().remove(&number);
            seat.iter().for_each(|seat| self.places.answered(seat));
        }
        self.places.present.fetch_sub(1, Ordering::AcqRel);
        self.places.freed.notify_waiters();
    }
}

/// A connection's own view of its place.
pub struct Seated {
    places: Arc<Places>,
    seat: Arc<Seat>,
}

impl Seated {
    /// It idles from now on.
    pub fn idles(&self) {
        self.places.idles(&self.seat);
    }

    /// It works.
    pub fn works(&self) {
        self.seat.works();
        self.places.answered(&self.seat);
    }

    /// It is to leave, as soon as it idles.
    pub async fn is_asked_to_leave(&self) {
        self.seat.is_asked_to_leave().await;
    }
}

/// A listener that accepts no client while no place is free.
pub struct Spared<L = TcpListener> {
    listener: L,
    places: Arc<Places>,
}

impl<L> Spared<L> {
    /// One for these places.
    pub fn new(listener: L, places: Arc<Places>) -> Self {
        Self { listener, places }
    }
}

impl<L: Listens<Stream = TcpStream, Peer = SocketAddr>> Listens for Spared<L> {
    type Stream = TcpStream;
    type Peer = SocketAddr;

    async fn next(&self) -> io::Result<(TcpStream, SocketAddr)> {
        self.places.room().await;
        self.listener.next().await
    }

    async fn last(&self) -> Option<(TcpStream, SocketAddr)> {
        self.listener.last().await
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn is_ready<T>(future: &mut std::pin::Pin<&mut impl Future<Output = T>>) -> bool {
        future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[tokio::test]
    async fn whoever_waits_has_the_place_of_one_that_leaves() {
        let places = Places::new(1);
        let first = places.place().await;
        let mut second = pin!(places.place());
        let mut room = pin!(places.room());
        assert!(!is_ready(&mut second) && !is_ready(&mut room));
        drop(first);
        assert!(is_ready(&mut room));
        let _second = second.await;
        let taken = places.taken(true);
        assert_eq!((taken.present, taken.present_most, taken.full), (1, 1, 2));
        assert_eq!((taken.paused, taken.waited, taken.waiting, taken.waiting_most), (1, 1, 0, 1));
        assert_eq!(places.taken(false).waiting_most, 0);
    }

    #[tokio::test]
    async fn more_places_let_those_in_that_wait_and_fewer_turn_no_client_out() {
        let places = Places::new(1);
        let first = places.place().await;
        let mut second = pin!(places.place());
        assert!(!is_ready(&mut second));
        places.set_most(2);
        let second = second.await;
        places.set_most(1);
        assert!(places.is_full() && places.taken(false).present == 2);
        drop(first);
        let mut third = pin!(places.place());
        assert!(!is_ready(&mut third), "one is one");
        drop(second);
        assert!(is_ready(&mut third));
    }

    #[tokio::test]
    async fn the_connection_that_has_idled_longest_makes_room() {
        let places = Places::new(2);
        let (mut first, mut second) = (places.place().await, places.place().await);
        let (older, newer) = (first.seat(), second.seat());
        let mut room = pin!(places.room());
        assert!(!is_ready(&mut room), "both work");
        older.idles();
        while older.places.began.elapsed().as_millis() as u64 <= older.seat.idle_since.load(Ordering::Relaxed)
        {
            tokio::task::yield_now().await;
        }
        newer.idles();
        assert!(is_ready(&mut room), "one of them can leave");
        let mut third = pin!(places.place());
        assert!(!is_ready(&mut third));
        let (mut of_older, mut of_newer) = (pin!(older.is_asked_to_leave()), pin!(newer.is_asked_to_leave()));
        assert!(is_ready(&mut of_older) && !is_ready(&mut of_newer));
        drop(first);
        assert!(is_ready(&mut third));
        assert_eq!(places.taken(false).left, 1);
    }
}
