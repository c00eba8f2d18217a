//! Requests that have gone to a partner, by what they ask for: for statistics.

use std::sync::atomic::{AtomicU64, Ordering};

use spec::{CommandId, cmd};

/// A kind of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Commands on files.
    Files,
    /// START and CANCEL.
    Intervals,
    /// Commands on transient data queues.
    TransientData,
    /// Commands on temporary storage queues.
    TemporaryStorage,
    /// LINK.
    Programs,
    /// Tasks that are routed.
    Tasks,
}

/// The number of kinds.
const KINDS: usize = Asks::Tasks as usize + 1;

impl Asks {
    /// The kind of a command that is shipped.
    pub fn of(command: CommandId) -> Self {
        match command {
            cmd::START | cmd::START_CHANNEL | cmd::CANCEL => Self::Intervals,
            cmd::DELETEQ_TS | cmd::READQ_TS | cmd::WRITEQ_TS => Self::TemporaryStorage,
            cmd::DELETEQ_TD | cmd::READQ_TD | cmd::WRITEQ_TD => Self::TransientData,
            cmd::LINK => Self::Programs,
            _ => Self::Files,
        }
    }
}

/// Requests, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    /// Requests.
    pub requests: u64,
    /// Bytes that have gone to the partner.
    pub sent: u64,
    /// Bytes that have come from it.
    pub received: u64,
}

#[derive(Default)]
struct Counter {
    requests: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
}

impl Counter {
    fn add(&self, sum: Sum) {
        self.requests.fetch_add(sum.requests, Ordering::Relaxed);
        self.sent.fetch_add(sum.sent, Ordering::Relaxed);
        self.received.fetch_add(sum.received, Ordering::Relaxed);
    }

    fn sum(&self) -> Sum {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Sum { requests: of(&self.requests), sent: of(&self.sent), received: of(&self.received) }
    }
}

/// Requests that have gone to a partner, and those of them that had a channel.
#[derive(Default)]
pub(crate) struct Shipped {
    all: [Counter; KINDS],
    channels: [Counter; KINDS],
}

impl Shipped {
    /// Counts a request, or a part of one.
    pub fn add(&self, asks: Asks, sum: Sum) {
        self.all[asks as usize].add(sum);
    }

    /// Counts the bytes of the channel of a request.
    pub fn add_channel(&self, asks: Asks, sum: Sum) {
        self.channels[asks as usize].add(sum);
    }

    /// All requests of a kind.
    pub fn sum(&self, asks: Asks) -> Sum {
        self.all[asks as usize].sum()
    }

    /// The requests with a channel, and the bytes of their channels.
    pub fn channels(&self, asks: Asks) -> Sum {
        self.channels[asks as usize].sum()
    }
}
