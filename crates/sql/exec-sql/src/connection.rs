//! A region's connection to a server: where it stands, and who waits for it.

use std::sync::Arc;

use attachment::Server;
use parking_lot::Mutex;
use sql::Address;
use tokio::sync::Notify;

use crate::declared::Declared;
use crate::noted::Noted;

/// Connection of a region to a server. It outlives the server's death: sessions are opened again when that is back.
pub(crate) struct Link {
    /// Distinguishes it from those before, and from those of other servers.
    pub(crate) number: u64,
    /// Which of the region's servers it is ([`crate::lines`]).
    pub(crate) line: u16,
    /// The server.
    pub(crate) address: Address,
    /// Settings of its sessions.
    pub(crate) sessions: sql::Settings,
    /// The server in units of work that end in several places.
    pub(crate) participant: Arc<Server>,
    /// The TCBs that have sessions.
    pub(crate) doors: Mutex<Vec<Door>>,
    /// Tables that programs describe, as far as they were made there.
    pub(crate) declared: Declared,
    /// Packages that it shows.
    pub(crate) noted: Noted,
}

/// The way to a TCB: it has the sessions of the link with this number closed there that no task has.
pub(crate) type Door = Box<dyn FnOnce(u64) + Send>;

impl Link {
    /// Has sessions closed that no task has.
    pub(crate) fn close(&self) {
        for door in self.doors.lock().drain(..) {
            door(self.number);
        }
    }
}

/// State of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// There is none, and no attempt is under way.
    #[default]
    NotConnected,
    /// It is being made, or made again.
    Connecting,
    /// Statements run.
    Connected,
    /// Units of work that have a thread go on; others get none.
    Disconnecting,
}

/// Reason of a connection that an operator has ended.
pub(crate) const ENDED: &str = "the connection was ended";

/// The connection of a region to one server.
#[derive(Default)]
pub(crate) struct Connection {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    phase: Phase,
    link: Option<Arc<Link>>,
    /// Reason why the last attempt has failed; `None` if it has not, or has not ended.
    why: Option<String>,
    /// True if that is because records and tables belong to different times.
    is_no_pair: bool,
}

/// Results of looking for a connection.
pub(crate) enum Found {
    /// A server.
    Link(Arc<Link>),
    /// There has been no attempt yet.
    Nothing,
    /// An attempt is under way.
    Soon,
    /// There is none: why.
    Gone(String),
}

impl Connection {
    /// State of the connection.
    pub(crate) fn phase(&self) -> Phase {
        self.state.lock().phase
    }

    /// The server that it was last made to.
    pub(crate) fn link(&self) -> Option<Arc<Link>> {
        self.state.lock().link.clone()
    }

    /// Connection that a statement finds. `has_thread`: its unit of work has begun there.
    pub(crate) fn find(&self, has_thread: bool) -> Found {
        let state = self.state.lock();
        match (state.phase, &state.link, &state.why) {
            (Phase::Disconnecting, Some(link), _) if has_thread => Found::Link(Arc::clone(link)),
            (Phase::Connected, Some(link), _) => Found::Link(Arc::clone(link)),
            (_, _, Some(why)) => Found::Gone(why.clone()),
            (Phase::Connecting, ..) => Found::Soon,
            _ => Found::Nothing,
        }
    }

    /// An attempt is under way, and none has failed so far.
    pub(crate) fn begins(&self) {
        self.change(|state| state.phase = Phase::Connecting);
    }

    /// It is made.
    pub(crate) fn made(&self, link: Arc<Link>) {
        self.change(|state| *state = State { phase: Phase::Connected, link: Some(link), ..State::default() });
    }

    /// An attempt has failed; there will be more if it is to be tried `again`. Returns true if the reason is a new one.
    pub(crate) fn failed(&self, why: String, is_no_pair: bool, again: bool) -> bool {
        let mut is_new = false;
        self.change(|state| {
            state.phase = if again { Phase::Connecting } else { Phase::NotConnected };
            is_new = state.why.as_ref() != Some(&why);
            (state.why, state.is_no_pair) = (Some(why), is_no_pair);
        });
        is_new
    }

    /// Returns the reason that records and tables are no pair, if the last attempt has shown that.
    pub(crate) fn no_pair(&self) -> Option<String> {
        let state = self.state.lock();
        state.why.clone().filter(|_| state.is_no_pair)
    }

    /// It is to end when the units of work have that have a thread.
    pub(crate) fn ends(&self) {
        self.change(|state| {
            state.phase = Phase::Disconnecting;
            state.why = Some(String::from(ENDED));
        });
    }

    /// It has ended as an operator wanted; the next connection is another one.
    pub(crate) fn ended(&self) {
        let mut link = None;
        self.change(|state| {
            link = state.link.take();
            *state = State { why: Some(String::from(ENDED)), ..State::default() };
        });
        if let Some(link) = link {
            link.close();
        }
    }

    /// The next statement has it made, whatever has come before.
    pub(crate) fn forgets(&self) {
        self.change(|state| {
            if state.phase == Phase::NotConnected {
                state.why = None;
            }
        });
    }

    /// It is asked for, whatever has come before.
    pub(crate) fn begins_anew(&self) {
        self.change(|state| {
            state.phase = Phase::Connecting;
            state.why = None;
        });
    }

    /// Waits until it does not stand as a condition says.
    pub(crate) async fn while_is(&self, condition: impl Fn(&Found) -> bool) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // The one who looks must hear of news behind the look.
            changed.as_mut().enable();
            if !condition(&self.find(false)) {
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
