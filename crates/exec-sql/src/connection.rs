//! The region's connection to a server: where it stands, and who waits for it.

use std::sync::Arc;

use attachment::Server;
use parking_lot::Mutex;
use sql::Address;
use tokio::sync::Notify;

/// Where a region is connected. It outlives the server's death: sessions are opened again when that is back.
pub(crate) struct Link {
    /// Distinguishes it from those before.
    pub(crate) number: u64,
    /// The server.
    pub(crate) address: Address,
    /// What its sessions are told.
    pub(crate) sessions: sql::Settings,
    /// The server in units of work that end in several places.
    pub(crate) participant: Arc<Server>,
}

/// How far a connection is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// There is none, and nobody tries.
    #[default]
    NotConnected,
    /// It is being made, or made again.
    Connecting,
    /// Statements run.
    Connected,
}

/// The connection of a region.
#[derive(Default)]
pub(crate) struct Connection {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    phase: Phase,
    link: Option<Arc<Link>>,
    /// Why the last attempt has failed; `None`: it has not, or has not ended.
    why: Option<String>,
}

/// What a statement finds.
pub(crate) enum Found {
    /// A server.
    Link(Arc<Link>),
    /// Nobody has tried yet.
    Nothing,
    /// Somebody tries just now.
    Soon,
    /// There is none: why.
    Gone(String),
}

impl Connection {
    /// Where it stands.
    pub(crate) fn phase(&self) -> Phase {
        self.state.lock().phase
    }

    /// The server that it was last made to.
    pub(crate) fn link(&self) -> Option<Arc<Link>> {
        self.state.lock().link.clone()
    }

    /// What a statement finds.
    pub(crate) fn find(&self) -> Found {
        let state = self.state.lock();
        match (state.phase, &state.link, &state.why) {
            (Phase::Connected, Some(link), _) => Found::Link(Arc::clone(link)),
            (_, _, Some(why)) => Found::Gone(why.clone()),
            (Phase::Connecting, ..) => Found::Soon,
            _ => Found::Nothing,
        }
    }

    /// Somebody tries, as long as no attempt has failed.
    pub(crate) fn begins(&self) {
        self.change(|state| state.phase = Phase::Connecting);
    }

    /// It is made.
    pub(crate) fn made(&self, link: Arc<Link>) {
        self.change(|state| *state = State { phase: Phase::Connected, link: Some(link), why: None });
    }

    /// An attempt has failed; there will be more. Whether the reason is a new one.
    pub(crate) fn failed(&self, why: String) -> bool {
        let mut is_new = false;
        self.change(|state| {
            state.phase = Phase::Connecting;
            is_new = state.why.as_ref() != Some(&why);
            state.why = Some(why);
        });
        is_new
    }

    /// It has ended as somebody wanted.
    pub(crate) fn ended(&self) {
        self.change(|state| {
            state.phase = Phase::NotConnected;
            state.why = None;
        });
    }

    /// Waits until it does not stand as a condition says.
    pub(crate) async fn while_is(&self, condition: impl Fn(&Found) -> bool) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Whoever looks must hear of what comes behind the look.
            changed.as_mut().enable();
            if !condition(&self.find()) {
                return;
            }
            changed.await;
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock());
        self.changed.notify_waiters();
    }
}
