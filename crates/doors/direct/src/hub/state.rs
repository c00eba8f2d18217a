//! State of a hub: its clients, the messages that wait, the instances that have nothing to do. One lock guards all of
//! it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

use foldhash::HashMap;
use kernel::task::TaskControl;
use tokio::sync::Notify;
use tokio::task::coop::has_budget_remaining;

use super::Patience;
use crate::bell::Rung;
use crate::connection::{Answer, Connection, Looked, Turn};
use crate::identity::{Known, Stranger, Verdict};
use crate::limits::{RECEIVE, USELESS_MAX};
use crate::reader::{Route, Routes};
use crate::scenario::Scenario;
use crate::settings::Identity;

/// State of a hub.
pub(super) struct HubState {
    pub(super) rung: Arc<Rung>,
    pub(super) connections: Vec<Option<Connection>>,
    pub(super) free: Vec<u32>,
    pub(super) table: Table,
    pub(super) idle: Vec<Waiter>,
    pub(super) warden: Option<Waker>,
    /// Clients whose messages wait until their user is known.
    pub(super) strangers: Vec<Stranger>,
    /// Clients that were known lately.
    pub(super) known: Known,
    /// The realm in which clients are asked who they are.
    pub(super) realm: String,
    /// Told when there is something to do for the warden.
    pub(super) due: Arc<Notify>,
    pub(super) last_client: u64,
    /// Instances by their numbers.
    pub(super) controls: HashMap<u64, Arc<TaskControl>>,
    pub(super) last_instance: u64,
    pub(super) tick: u32,
    pub(super) date: (u64, String),
    pub(super) scratch: Box<[u8; RECEIVE]>,
    pub(super) patience: Patience,
    /// No client is accepted any more, and no message taken.
    pub(super) is_closed: bool,
    /// No connection is left, and none begins.
    pub(super) is_stopped: bool,
}

/// The scenarios as one TCB has them.
pub(super) struct Table {
    pub(super) lanes: Vec<Lane>,
    pub(super) paths: HashMap<String, usize>,
}

/// A scenario on one TCB.
pub(super) struct Lane {
    pub(super) scenario: Arc<Scenario>,
    pub(super) queue: VecDeque<u32>,
    /// Instances that are to be started.
    pub(super) missing: usize,
    /// Of this tick's starts, those that are left.
    pub(super) starts: u32,
    /// Instances in a row that have ended without a message.
    pub(super) useless: u32,
    /// Copies of the program that there were when it was last seen.
    pub(super) copies: u64,
}

/// An instance that waits for a message.
pub(super) struct Waiter {
    pub(super) instance: u64,
    pub(super) lane: usize,
    pub(super) waker: Waker,
}

impl Routes for Table {
    fn find(&self, path: &str) -> Option<Route> {
        let lane = *self.paths.get(path)?;
        let said = &self.lanes[lane].scenario.said;
        Some(Route { lane, most: said.message, asks: said.asks(), takes_query: said.service.is_none() })
    }
}

/// The status where an instance has failed.
pub(super) const FAILED: u16 = 500;
/// The status where it has taken too long.
pub(super) const TOO_LATE: u16 = 504;
/// The status of a client that is to say who it is.
const UNAUTHORIZED: u16 = 401;
/// The status of one that may not.
const FORBIDDEN: u16 = 403;
/// The status where there is no room.
const NO_ROOM: u16 = 503;
/// The status where a request was not whole in time.
pub(super) const NOT_WHOLE: u16 = 408;
/// The status where a message is longer than its scenario takes.
const TOO_LONG: u16 = 413;

impl HubState {
    /// The next message of a scenario: of its queue, or of a client that has rung.
    pub(super) fn take(&mut self, lane: usize, instance: u64) -> Option<u32> {
        let queued = self.table.lanes[lane].queue.pop_front();
        let place = match queued {
            Some(place) => {
                self.table.lanes[lane].scenario.counts.queued.one_less();
                place
            }
            None => self.read(Some(lane))?,
        };
        if let Some(Some(connection)) = self.connections.get_mut(place as usize) {
            connection.turns(Turn::InHand, self.tick);
            connection.instance = instance;
        }
        self.table.lanes[lane].scenario.counts.messages.one();
        Some(place)
    }

    /// Looks at the clients that have rung, until there is a message for `lane`. Those for others go to their queues.
    pub(super) fn read(&mut self, lane: Option<usize>) -> Option<u32> {
        // Those that ring meanwhile are for the next one who looks.
        for _ in 0..self.rung.len() {
            if !has_budget_remaining() {
                return None;
            }
            let place = self.rung.pop()?;
            let now = self.tick;
            let Some(Some(connection)) = self.connections.get_mut(place as usize) else { continue };
            match connection.look(&self.table, &mut self.scratch, now) {
                Looked::Nothing => {}
                Looked::Over => self.leaves(place),
                Looked::Message => {
                    let whose = connection.request.as_ref().map_or(0, |request| request.lane);
                    let length = connection.message.len();
                    let said = &self.table.lanes[whose].scenario.said;
                    if length > said.message {
                        connection.refuse(TOO_LONG, now);
                        self.rung.push_quietly(place);
                    } else if let Some(how) = said.authenticate
                        && !self.is_known(place, whose, how)
                    {
                        // It waits, or was told.
                    } else if Some(whose) == lane {
                        return Some(place);
                    } else {
                        self.queue(place, whose);
                    }
                }
            }
        }
        None
    }

    /// Returns true if it is known who the client of a message is. Otherwise the warden finds out, or the client is asked.
    fn is_known(&mut self, place: u32, lane: usize, how: Identity) -> bool {
        let now = self.tick;
        let Some(Some(connection)) = self.connections.get_mut(place as usize) else { return false };
        let Some(shown) = connection.shown(how) else {
            self.turn_away(place, lane, how.unknown());
            return false;
        };
        connection.user = self.known.user(&shown.key(lane), now);
        if connection.user.is_some() {
            return true;
        }
        connection.turns(Turn::Checks, now);
        let (number, peer) = (connection.number, connection.caller.peer);
        self.strangers.push(Stranger { place, number, lane, peer, shown });
        self.due.notify_one();
        false
    }

    /// Takes the verdict about who a client is.
    pub(super) fn is_found(&mut self, stranger: &Stranger, verdict: Verdict) {
        let Stranger { place, number, lane, shown, .. } = stranger;
        let how = self.table.lanes[*lane].scenario.said.authenticate;
        let Some(Some(connection)) = self.connections.get_mut(*place as usize) else { return };
        if connection.number != *number || connection.turn != Turn::Checks {
            return;
        }
        match verdict {
            Verdict::Is(user) => {
                self.known.remember(shown.key(*lane), &user, self.tick);
                connection.user = Some(user);
                self.queue(*place, *lane);
            }
            Verdict::Unknown => self.turn_away(*place, *lane, how.map_or(FORBIDDEN, Identity::unknown)),
            Verdict::MayNot => self.turn_away(*place, *lane, FORBIDDEN),
        }
    }

    /// Refuses a client that is unknown, or has no right.
    fn turn_away(&mut self, place: u32, lane: usize, status: u16) {
        self.table.lanes[lane].scenario.counts.refused.one();
        self.give_up(place, status);
    }

    /// A message waits for an instance, if there is room.
    pub(super) fn queue(&mut self, place: u32, at: usize) {
        let lane = &mut self.table.lanes[at];
        if self.is_closed || lane.queue.len() >= lane.scenario.said.queue || lane.useless >= USELESS_MAX {
            return self.refuse(place, at);
        }
        lane.queue.push_back(place);
        lane.scenario.counts.queued(lane.queue.len());
        if let Some(Some(connection)) = self.connections.get_mut(place as usize) {
            connection.turns(Turn::Queued, self.tick);
        }
        if let Some(waiter) = self.idle.iter().rev().find(|waiter| waiter.lane == at) {
            waiter.waker.wake_by_ref();
        }
    }

    /// There is no room for a message.
    pub(super) fn refuse(&mut self, place: u32, lane: usize) {
        let counts = &self.table.lanes[lane].scenario.counts;
        counts.refused.one();
        self.give_up(place, NO_ROOM);
    }

    /// A message has no answer but a status. In a protocol without statuses the connection is closed instead.
    pub(super) fn give_up(&mut self, place: u32, status: u16) {
        let Some(Some(connection)) = self.connections.get(place as usize) else { return };
        if connection.is_http() {
            self.answer(place, status, (0, ""), |_| ());
        } else {
            self.leaves(place);
        }
    }

    /// Answers a message: a status, and so many bytes of a Content-Type that `body` writes.
    pub(super) fn answer(
        &mut self,
        place: u32,
        status: u16,
        (length, media): (usize, &str),
        body: impl FnOnce(&mut [u8]),
    ) {
        let now = self.tick;
        self.look_at_the_clock();
        let Some(Some(connection)) = self.connections.get_mut(place as usize) else { return };
        let media = if length > 0 { media } else { "" };
        let realm = if status == UNAUTHORIZED { self.realm.as_str() } else { "" };
        let answer = Answer { status, length, media, realm, date: &self.date.1, is_last: self.is_closed };
        if connection.answer(&answer, body, now) {
            // The event loop is asked for news of it at the next look.
            self.rung.push_quietly(place);
        } else {
            self.leaves(place);
        }
    }

    /// The date of answers is that of their second.
    pub(super) fn look_at_the_clock(&mut self) {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seconds = since.unwrap_or_default().as_secs();
        if self.date.0 != seconds {
            self.date = (seconds, http::date::write(seconds));
        }
    }

    /// A client is let go.
    pub(super) fn leaves(&mut self, place: u32) {
        if self.connections[place as usize].take().is_some() {
            self.free.push(place);
        }
    }

    /// Wakes the instance that looks next: the one that has begun to wait last, or else the warden.
    pub(super) fn hands_on(&self) {
        let instance = self.idle.last().map(|waiter| &waiter.waker);
        self.rung.lead(instance.or(self.warden.as_ref()));
    }
}
