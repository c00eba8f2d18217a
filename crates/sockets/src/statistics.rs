//! The statistics of a region's sockets and listeners: counted where it happens, reported when statistics are
//! collected.
//!
//! Counters are added to without order among threads: nothing is decided by them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use domains::statistics::{Collected, Collector};
use kernel::region::Region;
use spec::measures::stat;

use crate::arrived::Unanswered;
use crate::listener::Status;
use crate::region::Shared;

/// A number that only grows.
#[derive(Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds one.
    pub fn one(&self) {
        self.add(1);
    }

    /// Adds some.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// The number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A population that comes and goes: the number present, the number so far, and the highest.
#[derive(Default)]
pub struct Population {
    came: Counter,
    left: Counter,
    most: AtomicU64,
}

impl Population {
    /// Counts one more, until the returned value is dropped.
    pub fn enter(self: &Arc<Self>) -> Present {
        self.came.one();
        let present = self.present();
        if present > self.most.load(Ordering::Relaxed) {
            self.most.fetch_max(present, Ordering::Relaxed);
        }
        Present(Arc::clone(self))
    }

    /// The number present now.
    pub fn present(&self) -> u64 {
        self.came.get().saturating_sub(self.left.get())
    }

    /// The highest number present so far; with `reset`, the present number becomes the highest.
    fn most(&self, reset: bool) -> u64 {
        let most = self.most.load(Ordering::Relaxed);
        if reset {
            self.most.store(self.present(), Ordering::Relaxed);
        }
        most
    }
}

/// One of a population.
pub struct Present(Arc<Population>);

impl Drop for Present {
    fn drop(&mut self) {
        self.0.left.one();
    }
}

/// Threads that count apart; more share.
const LANES: usize = 16;

thread_local! {
    /// The lane in which this thread counts.
    static LANE: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed) % LANES
    };
}

/// The counts of one thread's sockets, on cache lines of its own: threads that count do not slow each other.
#[derive(Default)]
#[repr(align(128))]
struct Lane {
    calls: Counter,
    messages: Counter,
    sends: Counter,
    bytes_sent: Counter,
    receives: Counter,
    bytes_received: Counter,
}

/// The counts of all sockets of a region.
#[derive(Default)]
pub struct Counts {
    /// Connections from clients.
    pub inbound: Arc<Population>,
    /// Connections to servers.
    pub outbound: Arc<Population>,
    /// Clients that were hung up on without an answer.
    pub unanswered: Arc<Unanswered>,
    /// Clients of conversations that were let go before a task had them.
    pub let_go: Counter,
    lanes: [Lane; LANES],
}

impl Counts {
    fn lane(&self) -> &Lane {
        &self.lanes[LANE.with(|lane| *lane)]
    }

    /// A call of EZASOKET.
    pub fn called(&self) {
        self.lane().calls.one();
    }

    /// A message of a conversation.
    pub fn message(&self) {
        self.lane().messages.one();
    }

    /// Counts bytes sent.
    pub fn sent(&self, bytes: usize) {
        let lane = self.lane();
        lane.sends.one();
        lane.bytes_sent.add(bytes as u64);
    }

    /// Counts bytes received.
    pub fn received(&self, bytes: usize) {
        let lane = self.lane();
        lane.receives.one();
        lane.bytes_received.add(bytes as u64);
    }

    fn tell(&self, into: &mut Collected, reset: bool) {
        let Self { inbound, outbound, .. } = self;
        into.region()
            .number(stat::SOG_CURR_INBOUND_SOCKETS, inbound.present())
            .number(stat::SOG_PEAK_INBOUND_SOCKETS, inbound.most(reset))
            .number(stat::SOG_INB_SOCKETS_CREATED, inbound.came.get())
            .number(stat::SOG_CURR_OUTB_SOCKETS, outbound.present())
            .number(stat::SOG_PEAK_OUTB_SOCKETS, outbound.most(reset))
            .number(stat::SOG_OUTB_SOCKETS_CREATED, outbound.came.get())
            .number(stat::SOG_OUTB_SOCKETS_CLOSED, outbound.came.get().saturating_sub(outbound.present()));
        let sum = |counter: fn(&Lane) -> &Counter| self.lanes.iter().map(|lane| counter(lane).get()).sum();
        into.region()
            .number(stat::SPSCALLS, sum(|lane| &lane.calls))
            .number(stat::SPSSENDS, sum(|lane| &lane.sends))
            .number(stat::SPSSENTB, sum(|lane| &lane.bytes_sent))
            .number(stat::SPSRECVS, sum(|lane| &lane.receives))
            .number(stat::SPSRECVB, sum(|lane| &lane.bytes_received))
            .number(stat::SPSMSGS, sum(|lane| &lane.messages))
            .number(stat::SPSDROP, self.let_go.get())
            .number(stat::SPSNOANS, self.unanswered.count());
    }
}

/// The counts of a listener, over all its starts.
#[derive(Default)]
pub struct ListenerCounts {
    /// Clients that no child has taken.
    pub waiting: Arc<Population>,
    /// Clients that were given to a child.
    pub given: Counter,
    /// Clients that were let go.
    pub let_go: Counter,
    /// Of those, silent for too long.
    pub silent: Counter,
    /// Of those, not taken by a child in time.
    pub untaken: Counter,
    /// Times that all sockets were in use.
    pub full: Counter,
}

/// Tells the statistics of a region's sockets.
pub struct Teller(pub Arc<Shared>);

impl Collector for Teller {
    fn collect(&self, _: &Region, into: &mut Collected, reset: bool) {
        self.0.counts.tell(into, reset);
        for state in self.0.listeners.all() {
            let (definition, counts) = (state.definition(), state.counts());
            let port = match state.status() {
                Status::Running(address) => address.port(),
                Status::Stopped => 0,
            };
            into.resource(definition.transaction)
                .number(stat::SPKPORT, port.into())
                .number(stat::SPKMAX, definition.sockets_max as u64)
                .number(stat::SPKACC, counts.waiting.came.get())
                .number(stat::SPKGIVEN, counts.given.get())
                .number(stat::SPKDROP, counts.let_go.get())
                .number(stat::SPKLATE, counts.silent.get())
                .number(stat::SPKUNTAK, counts.untaken.get())
                .number(stat::SPKNOW, counts.waiting.present())
                .number(stat::SPKPEAK, counts.waiting.most(reset))
                .number(stat::SPKFULL, counts.full.get());
        }
    }
}
