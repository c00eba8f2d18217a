//! The counts of a region's sockets and listeners: counted where it happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domains::statistics::Collected;
use spec::measures::stat;

use crate::arrived::Unanswered;
use crate::counters::{Counter, Population};

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

    /// Tells them.
    pub(crate) fn tell(&self, into: &mut Collected, reset: bool) {
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
