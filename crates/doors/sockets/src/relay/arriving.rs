//! The clients of a conversation on their way to their tasks. A task that does not begin, or ends before it has taken its client, is
//! the only one that could have: the client is let go, and the log and statistics know of it.

use std::fmt::Display;
use std::sync::Arc;

use kernel::name::{Name8, TransactionName};
use kernel::raise::AbendCode;
use kernel::task::TaskPart;

use super::{GIVER, Relay};
use crate::handover::{Gift, Handover};

/// A client whose task has not taken it yet.
pub struct Arriving {
    pub handover: Arc<Handover>,
    pub relay: Arc<Relay>,
    /// The number under which it was given.
    pub number: u16,
    pub gift: Arc<Gift>,
    /// The task's transaction.
    pub transaction: TransactionName,
}

impl Arriving {
    /// The client is let go, if its task has not taken it: no other part will.
    fn ends(&self, why: &str) {
        let Some(place) = self.relay.arriving.lock().remove(&self.number) else { return };
        self.handover.withdraw(Name8::from(GIVER), self.number, &self.gift);
        self.relay.lets_go(self.transaction, &place.guest.address, &why);
    }
}

impl TaskPart for Arriving {
    fn refused(&mut self) -> bool {
        self.ends("the region ends before its task begins");
        true
    }

    fn task_ends(&mut self, abend: Option<AbendCode>, _: Option<&str>) {
        match abend {
            Some(code) => {
                self.ends(&format!("its task has ended with abend {code} before it took the client"))
            }
            None => self.ends("its task has ended before it took the client"),
        }
    }
}

impl Relay {
    /// A client has no task: it is let go.
    pub(super) fn lets_go(&self, transaction: TransactionName, client: &impl Display, why: &impl Display) {
        self.counts.let_go.one();
        tracing::warn!(target: "SO", "{transaction}: client {client} is let go: {why}");
    }
}
