//! One TCB's part of the direct path: its clients, the messages that wait, and the instances that have nothing to do.
//!
//! An instance that has nothing to do reads the clients itself: an instance that waits is woken by a client's bytes, makes a message of
//! them and goes on in its program with it. If all instances are busy the warden reads, and messages wait in the queue
//! of their scenario; a message for which there is no room there is refused.

mod state;
mod time;
mod waiting;

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

use foldhash::HashMap;
use kernel::security::User;
use kernel::task::TaskControl;
use parking_lot::Mutex;
use pipelines::provider::Reply;
use ports::Presence;
use tokio::sync::Notify;

pub(crate) use time::ticks;

use crate::bell::{Bell, Rung};
use crate::connection::{Caller, Connection};
use crate::edition::Edition;
use crate::identity::{Known, Stranger, Verdict};
use crate::limits::{RECEIVE, STARTS_PER_TICK, USELESS_MAX};
use crate::reader::{Asked, Reader};
use crate::scenario::Scenario;
use crate::settings::Framing;
use crate::wire::Wire;
use state::{FAILED, HubState, Lane, TOO_LATE, Table};
use waiting::Waiting;

/// Limits of a client's time, in ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Between two messages; 0: as long as they like.
    pub idle: u32,
    /// For a message that has begun.
    pub receive: u32,
}

/// One TCB's part.
pub(crate) struct Hub {
    rung: Arc<Rung>,
    state: Mutex<HubState>,
    /// Told when instances are to be started, or clients to be known.
    pub due: Arc<Notify>,
}

/// A client's message, as an instance gets it.
pub(crate) struct Message {
    /// The message.
    pub bytes: Vec<u8>,
    /// The head of its request, for a scenario that asks.
    pub asked: Option<Box<Asked>>,
    /// The user whose it is, for a scenario that asks.
    pub user: Option<Arc<User>>,
}

/// Next work of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The message of this connection.
    Message(u32),
    /// There is none for it any more.
    Ends,
}

/// Ends of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served {
    /// It has had messages, or was to end.
    Useful,
    /// It has ended by itself before it had one.
    Nothing,
}

impl Hub {
    /// For these scenarios, with the paths that lead to them.
    pub fn new(
        scenarios: &[Arc<Scenario>],
        paths: HashMap<String, usize>,
        patience: Patience,
        realm: String,
    ) -> Arc<Self> {
        let due = Arc::<Notify>::default();
        let rung = Arc::<Rung>::default();
        let lanes = scenarios.iter().map(|scenario| Lane {
            scenario: Arc::clone(scenario),
            queue: VecDeque::new(),
            missing: scenario.said.instances,
            starts: STARTS_PER_TICK.max(scenario.said.instances as u32),
            useless: 0,
            copies: 0,
        });
        let state = HubState {
            rung: Arc::clone(&rung),
            connections: Vec::new(),
            free: Vec::new(),
            table: Table { lanes: lanes.collect(), paths },
            idle: Vec::new(),
            warden: None,
            strangers: Vec::new(),
            known: Known::default(),
            realm,
            due: Arc::clone(&due),
            last_client: 0,
            controls: HashMap::default(),
            last_instance: 0,
            tick: 0,
            date: (0, String::new()),
            scratch: Box::new([0; RECEIVE]),
            patience,
            is_closed: false,
            is_stopped: false,
        };
        Arc::new(Self { rung, state: Mutex::new(state), due })
    }

    /// A client of the HTTP port, or of a scenario's own. One that was accepted while the region closes its ports is refused when its
    /// message is there.
    pub fn enter(&self, wire: Wire, presence: Presence, caller: Caller, framed: Option<(usize, Framing)>) {
        let mut state = self.state.lock();
        if state.is_stopped {
            return;
        }
        let most = |lane: usize| state.table.lanes[lane].scenario.said.message;
        let reader = match framed {
            Some((lane, framing)) => Reader::framed(framing, lane, most(lane)),
            None => Reader::http((0..state.table.lanes.len()).map(most).max().unwrap_or_default()),
        };
        let place = state.free.pop().unwrap_or_else(|| {
            state.connections.push(None);
            (state.connections.len() - 1) as u32
        });
        let (bell, now) = (Bell::new(place, &self.rung), state.tick);
        state.last_client += 1;
        let caller = (caller, state.last_client);
        state.connections[place as usize] = Some(Connection::new(wire, bell, reader, presence, caller, now));
        drop(state);
        // It may have sent something by now.
        self.rung.push(place);
    }

    /// The next message of a scenario, if one is there.
    pub fn take(&self, lane: usize, instance: u64) -> Option<u32> {
        let mut state = self.state.lock();
        if state.is_closed { None } else { state.take(lane, instance) }
    }

    /// Waits for the next message of a scenario, as long as the program is the present one.
    pub fn next(self: &Arc<Self>, lane: usize, instance: u64, edition: &Arc<Edition>) -> Waiting {
        let (hub, edition) = (Arc::clone(self), Arc::clone(edition));
        Waiting { hub, lane, instance, edition, waits: false }
    }

    /// Gives the message of a connection to the instance that has taken it.
    pub fn message(&self, place: u32) -> Option<Message> {
        let mut state = self.state.lock();
        let connection = state.connections.get_mut(place as usize)?.as_mut()?;
        let asked = connection.request.as_mut().and_then(|request| request.asked.take());
        let bytes = std::mem::take(&mut connection.message);
        Some(Message { bytes, asked, user: connection.user.take() })
    }

    /// Answers the message that an instance has had: a status, and so many bytes of a Content-Type.
    pub fn answer(&self, place: u32, status: u16, body: (usize, &str), write: impl FnOnce(&mut [u8])) {
        self.state.lock().answer(place, status, body, write);
    }

    /// The message that an instance has had has failed with it; a service says so in its own words.
    pub fn fail(&self, place: u32, lane: usize, reply: Option<&Reply>) {
        let mut state = self.state.lock();
        let connection = state.connections.get(place as usize).and_then(Option::as_ref);
        let is_late = connection.is_some_and(|connection| connection.is_late);
        let counts = &state.table.lanes[lane].scenario.counts;
        if is_late {
            counts.late.one()
        } else {
            counts.abends.one()
        }
        match reply {
            Some(reply) if !is_late => {
                let write = |into: &mut [u8]| into.copy_from_slice(&reply.body);
                state.answer(place, reply.status, (reply.body.len(), &reply.media), write);
            }
            _ => state.give_up(place, if is_late { TOO_LATE } else { FAILED }),
        }
    }

    /// The clients whose users are to be found out.
    pub fn strangers(&self) -> Vec<Stranger> {
        std::mem::take(&mut self.state.lock().strangers)
    }

    /// Takes the verdict about who a client is.
    pub fn is_found(&self, stranger: &Stranger, verdict: Verdict) {
        let mut state = self.state.lock();
        state.is_found(stranger, verdict);
        state.hands_on();
    }

    /// A number for an instance.
    pub fn new_instance(&self) -> u64 {
        let mut state = self.state.lock();
        state.last_instance += 1;
        state.last_instance
    }

    /// An instance has begun to take messages.
    pub fn begins(&self, instance: u64, lane: usize, control: &Arc<TaskControl>) {
        let mut state = self.state.lock();
        state.controls.insert(instance, Arc::clone(control));
        state.table.lanes[lane].scenario.counts.instances.one();
    }

    /// An instance has its first message: its program is of use.
    pub fn is_of_use(&self, lane: usize) {
        self.state.lock().table.lanes[lane].useless = 0;
    }

    /// An instance has ended: another takes its place.
    pub fn ends(&self, instance: u64, lane: usize, served: Served) {
        let mut state = self.state.lock();
        let began = state.controls.remove(&instance).is_some();
        let lane = &mut state.table.lanes[lane];
        if began {
            lane.scenario.counts.instances.one_less();
        }
        lane.missing += 1;
        if served == Served::Nothing {
            lane.useless += 1;
            if lane.useless == USELESS_MAX {
                tracing::error!(
                    target: "DR",
                    "scenario of {}: {USELESS_MAX} instances in a row have ended before they took a message; no more are started before there is a new copy",
                    lane.scenario.said.program
                );
            }
        }
        state.hands_on();
        drop(state);
        self.due.notify_one();
    }

    /// Which scenarios want an instance now, one entry for each.
    pub fn wanted(&self) -> Vec<usize> {
        let mut state = self.state.lock();
        let mut wanted = Vec::new();
        if state.is_closed {
            return wanted;
        }
        for (place, lane) in state.table.lanes.iter_mut().enumerate() {
            while lane.missing > 0 && lane.starts > 0 && lane.useless < USELESS_MAX {
                lane.missing -= 1;
                lane.starts -= 1;
                wanted.push(place);
            }
        }
        wanted
    }

    /// Reads where no instance can. It is never over.
    pub fn poll_warden(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state.lock();
        state.warden = Some(context.waker().clone());
        if state.idle.is_empty() {
            state.read(None);
        }
        state.hands_on();
        Poll::Pending
    }

    /// Time passes: who takes too long is let go. `copies` tells of a scenario's program.
    pub fn ticks(&self, copies: impl Fn(&Scenario) -> u64) {
        let mut state = self.state.lock();
        state.ticks(copies);
        state.hands_on();
        drop(state);
        self.due.notify_one();
    }

    /// Accepts no more clients. Instances that wait end; those that work finish what they have.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        for lane in 0..state.table.lanes.len() {
            while let Some(place) = state.table.lanes[lane].queue.pop_front() {
                state.refuse(place, lane);
            }
        }
        for place in 0..state.connections.len() {
            if state.connections[place].as_ref().is_some_and(Connection::is_between) {
                state.leaves(place as u32);
            }
        }
        state.idle.iter().for_each(|waiter| waiter.waker.wake_by_ref());
    }

    /// No connection is left.
    pub fn stop(&self) {
        let mut state = self.state.lock();
        (state.is_closed, state.is_stopped) = (true, true);
        state.connections.clear();
        state.free.clear();
    }
}
