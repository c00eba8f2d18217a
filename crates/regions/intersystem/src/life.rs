//! The life of a partner as this region sees it: from one link's beginning to its end, with the connections of threads that belong to
//! it.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{Notify, watch};

/// The state of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It is there.
    There,
    /// It ends in order: what is open is answered.
    Released,
    /// It is lost.
    Lost,
}

/// The life of a partner.
pub(crate) struct Life {
    stage: watch::Sender<Stage>,
    breaks: Notify,
}

/// A number that no other link of this process has.
pub(crate) fn next_number() -> u64 {
    static LINKS: AtomicU64 = AtomicU64::new(1);
    LINKS.fetch_add(1, Ordering::Relaxed)
}

impl Life {
    /// One that begins.
    pub fn new() -> Self {
        Self { stage: watch::Sender::new(Stage::There), breaks: Notify::new() }
    }

    /// Returns true if it is over.
    pub fn is_over(&self) -> bool {
        *self.stage.borrow() != Stage::There
    }

    /// It is over: the first end counts.
    pub fn ends(&self, how: Stage) {
        self.stage.send_if_modified(|stage| {
            let is_first = *stage == Stage::There;
            if is_first {
                *stage = how;
            }
            is_first
        });
    }

    /// Waits until it is over. Returns the way it has ended.
    pub async fn over(&self) -> Stage {
        let mut stage = self.stage.subscribe();
        let over = stage.wait_for(|stage| *stage != Stage::There).await;
        over.map_or(Stage::Lost, |stage| *stage)
    }

    /// A connection that belongs to it is lost: nothing of the partner is believed to be there any more.
    pub fn is_broken(&self) {
        self.breaks.notify_one();
    }

    /// Waits until a connection that belongs to it is lost.
    pub async fn broken(&self) {
        self.breaks.notified().await;
    }
}
