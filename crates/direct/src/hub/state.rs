//! What a hub has: its clients, the messages that wait, the instances that have nothing to do. One lock guards all of it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

use foldhash::HashMap;
use kernel::task::TaskControl;
use tokio::task::coop::has_budget_remaining;

use super::Patience;
use crate::bell::Rung;
use crate::connection::{Answer, Connection, Looked, Turn};
use crate::limits::{RECEIVE, USELESS_MAX};
use crate::reader::Routes;
use crate::scenario::Scenario;

/// What a hub has.
pub(super) struct State {
    pub(super) rung: Arc<Rung>,
    pub(super) connections: Vec<Option<Connection>>,
    pub(super) free: Vec<u32>,
    pub(super) table: Table,
    pub(super) idle: Vec<Waiter>,
    pub(super) warden: Option<Waker>,
    /// Instances by their numbers.
    pub(super) controls: HashMap<u64, Arc<TaskControl>>,
    pub(super) last_instance: u64,
    pub(super) tick: u32,
    pub(super) date: (u64, String),
    pub(super) scratch: Box<[u8; RECEIVE]>,
    pub(super) patience: Patience,
    /// Nobody is accepted any more, and no message taken.
    pub(super) is_closed: bool,
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
    fn find(&self, path: &str) -> Option<(usize, usize)> {
        let lane = *self.paths.get(path)?;
        Some((lane, self.lanes[lane].scenario.said.message))
    }
}

/// The status where an instance has failed.
pub(super) const FAILED: u16 = 500;
/// The status where it has taken too long.
pub(super) const TOO_LATE: u16 = 504;
/// The status where there is no room.
const NO_ROOM: u16 = 503;
/// The status where a request was not whole in time.
pub(super) const NOT_WHOLE: u16 = 408;
/// The status where a message is longer than its scenario takes.
const TOO_LONG: u16 = 413;

impl State {
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
                    if length > self.table.lanes[whose].scenario.said.message {
                        connection.refuse(TOO_LONG, now);
                        self.rung.push_quietly(place);
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
        self.give_up(place, lane, NO_ROOM);
    }

    /// A message has no answer but a status. Where statuses are not spoken, hanging up says it.
    pub(super) fn give_up(&mut self, place: u32, lane: usize, status: u16) {
        let Some(Some(connection)) = self.connections.get(place as usize) else { return };
        if connection.is_http() {
            self.answer(place, lane, status, 0, |_| ());
        } else {
            self.leaves(place);
        }
    }

    pub(super) fn answer(
        &mut self,
        place: u32,
        lane: usize,
        status: u16,
        length: usize,
        body: impl FnOnce(&mut [u8]),
    ) {
        let now = self.tick;
        self.look_at_the_clock();
        let Some(Some(connection)) = self.connections.get_mut(place as usize) else { return };
        let media = if length > 0 { self.table.lanes[lane].scenario.said.media.as_str() } else { "" };
        let answer = Answer { status, length, media, date: &self.date.1, is_last: self.is_closed };
        if connection.answer(&answer, body, now) {
            // The event loop is asked for news of it by whoever looks next.
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

    /// Whoever has nothing to do looks next: the instance that has begun to wait last, or else the warden.
    pub(super) fn hands_on(&self) {
        let instance = self.idle.last().map(|waiter| &waiter.waker);
        self.rung.lead(instance.or(self.warden.as_ref()));
    }
}
