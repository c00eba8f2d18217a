//! Another region, as a definition names it, and how the link to it is.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use csd::Definition;
use kernel::name::{Name, Name8};
use kernel::region::Region;
use link::{Link, Sessions, Vitals};
use operation::system::AllSessions;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::attributes::{count, queue};
use crate::conversation::Line;
use crate::received::Received;
use crate::shipped::Shipped;

/// The way: how a partner is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// By a CONNECTION: it is on this machine.
    Connection,
    /// By an IPCONN: it is reached by TCP and TLS.
    Ipconn,
}

/// The status of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Status {
    /// There is none.
    #[default]
    Released,
    /// It is being made, and tried again.
    Obtaining,
    /// It is there.
    Acquired,
    /// It ends.
    Freeing,
}

impl Status {
    /// The name of its CVDA.
    pub fn cvda(self) -> &'static str {
        match self {
            Self::Released => "RELEASED",
            Self::Obtaining => "OBTAINING",
            Self::Acquired => "ACQUIRED",
            Self::Freeing => "FREEING",
        }
    }
}

/// Everything that is known of a partner now.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkState {
    /// SERVSTATUS.
    pub in_service: bool,
    /// Set if the region wants the link.
    pub wanted: bool,
    /// The way: how it is.
    pub status: Status,
    /// The user on whose behalf the partner's requests come, at most.
    pub link_user: Option<Name8>,
    /// The partner's log, of which it has said the name.
    pub log: Option<u64>,
    /// The place where it is.
    pub address: Option<SocketAddr>,
    /// Microseconds since 1970 when the link was last made.
    pub acquired_at: u64,
    /// The way: how the partner was when the link was made.
    pub vitals: Vitals,
    /// Links that the partner has made.
    pub inbound: usize,
    /// The link is to be broken off.
    pub breaks: bool,
    /// The definition is no longer there.
    pub is_gone: bool,
    /// The last reason for which there was no link: the log has it once.
    pub told: String,
}

/// A partner.
pub(crate) struct Partner {
    /// CONNECTION or IPCONN.
    pub sort: Sort,
    /// The name of its definition.
    pub name: Name8,
    /// NETNAME or APPLID.
    pub applid: Name8,
    /// The definition.
    pub definition: Definition,
    /// The places for requests of this region.
    pub sessions: Sessions,
    /// The way: how the link is.
    pub state: Mutex<LinkState>,
    /// Called when something has changed that who tends the link must know.
    pub changed: Notify,
    /// Requests that no part of this region answers.
    pub unsupported: AtomicU64,
    /// Tasks that have begun here for the partner.
    pub attached: AtomicU64,
    /// Requests that have gone to the partner.
    pub shipped: Shipped,
    /// The partner's sessions that are in use.
    pub received: Arc<Received>,
    line: Mutex<Option<Line>>,
}

impl Partner {
    /// The name of its IPCONN; blank: it has a CONNECTION.
    pub fn ipconn(&self) -> Name8 {
        if self.sort == Sort::Ipconn { self.name } else { Name8::BLANK }
    }

    /// One that a definition names.
    pub fn new(sort: Sort, definition: &Definition) -> Self {
        let applid = match sort {
            Sort::Connection => definition.get("NETNAME"),
            Sort::Ipconn => definition.get("APPLID"),
        };
        let applid = applid.filter(|applid| !applid.is_empty()).unwrap_or(&definition.name);
        let in_service = !definition.is("INSERVICE", "NO");
        let wanted = in_service && (sort == Sort::Connection || definition.flag("AUTOCONNECT"));
        let sends = count(definition, "SENDCOUNT");
        Self {
            sort,
            name: Name8::from(definition.name.as_str()),
            applid: Name8::from(applid),
            definition: definition.clone(),
            sessions: Sessions::new(sends, queue(definition)),
            state: Mutex::new(LinkState { in_service, wanted, ..LinkState::default() }),
            changed: Notify::new(),
            unsupported: AtomicU64::new(0),
            attached: AtomicU64::new(0),
            shipped: Shipped::default(),
            received: Arc::default(),
            line: Mutex::default(),
        }
    }

    /// Requests in flight: of this region, and of the partner.
    pub fn counts(&self, region: &Region) -> (u32, u32) {
        let (name, limit) = (self.definition.name.as_str(), link::limits::IN_FLIGHT_MAX);
        let (sends, takes) = match self.sort {
            Sort::Ipconn => (count(&self.definition, "SENDCOUNT"), count(&self.definition, "RECEIVECOUNT")),
            Sort::Connection => {
                let sessions = AllSessions::of(region).of_connection(Name::from(name));
                sessions.map_or((0, 0), |sessions| (sessions.sends, sessions.receives))
            }
        };
        (sends.min(limit), takes.min(limit))
    }

    /// An attribute's text; empty if the definition leaves it out.
    pub fn text(&self, attribute: &str) -> &str {
        self.definition.get(attribute).unwrap_or_default()
    }

    /// Changes what is known of it, and calls who tends the link.
    pub fn change(&self, change: impl FnOnce(&mut LinkState)) {
        change(&mut self.state.lock());
        self.changed.notify_one();
    }

    /// Notes how the link is.
    pub fn is_now(&self, status: Status) {
        self.state.lock().status = status;
    }

    /// The link is there.
    pub fn acquired(&self, region: &Region, link: &Link, address: Option<SocketAddr>) {
        self.sessions.resize(self.counts(region).0);
        self.sessions.open(link.partner().takes);
        let mut state = self.state.lock();
        state.status = Status::Acquired;
        state.acquired_at = now();
        state.address = address;
        state.vitals = link.vitals();
        state.told.clear();
    }

    /// Returns the way to the partner, if the link is there.
    pub fn line(&self) -> Option<Line> {
        self.line.lock().clone()
    }

    /// The way to the partner is there, or gone.
    pub fn line_is(&self, line: Option<Line>) {
        *self.line.lock() = line;
    }

    /// There is no link, and why: the log has the same reason once.
    pub fn has_no_link(&self, why: &str) {
        let mut state = self.state.lock();
        if state.told != why {
            state.told = why.to_owned();
            drop(state);
            tracing::warn!(target: "IS", "{self}: {why}");
        }
    }

    /// A task has begun here for the partner.
    pub fn attached(&self) {
        self.attached.fetch_add(1, Ordering::Relaxed);
    }

    /// One more request that no part of this region answers.
    pub fn has_asked_in_vain(&self) {
        self.unsupported.fetch_add(1, Ordering::Relaxed);
    }
}

impl std::fmt::Display for Partner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sort = match self.sort {
            Sort::Connection => "CONNECTION",
            Sort::Ipconn => "IPCONN",
        };
        write!(f, "{sort} {} to {}", self.name, self.applid)
    }
}

/// Partners, by their definitions.
pub(crate) type Partners = Vec<Arc<Partner>>;

/// Now, in microseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
