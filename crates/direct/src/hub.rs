//! One TCB's part of the direct path: its clients, the messages that wait, and the instances that have nothing to do.
//!
//! Whoever has nothing to do reads the clients itself: an instance that waits is woken by a client's bytes, makes a message of
//! them and goes on in its program with it. Where all instances are busy the warden reads, and messages wait in the queue
//! of their scenario; a message for which there is no room there is refused.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use foldhash::HashMap;
use kernel::task::TaskControl;
use parking_lot::Mutex;
use ports::Presence;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::coop::has_budget_remaining;

use crate::bell::{Bell, Rung};
use crate::connection::{Answer, Connection, Looked, Turn};
use crate::instance::Edition;
use crate::limits::{DRAIN_TICKS, RECEIVE, STARTS_PER_TICK, TICKS_PER_SECOND, USELESS_MAX};
use crate::reader::{Reader, Routes};
use crate::scenario::Scenario;
use crate::settings::Framing;

/// How long clients may take, in ticks.
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
    state: Mutex<State>,
    /// Told when instances are to be started.
    pub due: Notify,
}

struct State {
    rung: Arc<Rung>,
    connections: Vec<Option<Connection>>,
    free: Vec<u32>,
    table: Table,
    idle: Vec<Waiter>,
    warden: Option<Waker>,
    /// Instances by their numbers.
    controls: HashMap<u64, Arc<TaskControl>>,
    last_instance: u64,
    tick: u32,
    date: (u64, String),
    scratch: Box<[u8; RECEIVE]>,
    patience: Patience,
    /// Nobody is accepted any more, and no message taken.
    is_closed: bool,
}

/// The scenarios as one TCB has them.
struct Table {
    lanes: Vec<Lane>,
    paths: HashMap<String, usize>,
}

/// A scenario on one TCB.
struct Lane {
    scenario: Arc<Scenario>,
    queue: VecDeque<u32>,
    /// Instances that are to be started.
    missing: usize,
    /// Of this tick's starts, those that are left.
    starts: u32,
    /// Instances in a row that have ended without a message.
    useless: u32,
    /// Copies of the program that there were when it was last seen.
    copies: u64,
}

/// An instance that waits for a message.
struct Waiter {
    instance: u64,
    lane: usize,
    waker: Waker,
}

/// What an instance gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The message of this connection.
    Message(u32),
    /// There is none for it any more.
    Ends,
}

/// How an instance ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served {
    /// It has had messages, or was to end.
    Useful,
    /// It has ended by itself before it had one.
    Nothing,
}

impl Routes for Table {
    fn find(&self, path: &str) -> Option<(usize, usize)> {
        let lane = *self.paths.get(path)?;
        Some((lane, self.lanes[lane].scenario.said.message))
    }
}

impl Hub {
    /// For these scenarios, with the paths that lead to them.
    pub fn new(scenarios: &[Arc<Scenario>], paths: HashMap<String, usize>, patience: Patience) -> Arc<Self> {
        let rung = Arc::<Rung>::default();
        let lanes = scenarios.iter().map(|scenario| Lane {
            scenario: Arc::clone(scenario),
            queue: VecDeque::new(),
            missing: scenario.said.instances,
            starts: STARTS_PER_TICK.max(scenario.said.instances as u32),
            useless: 0,
            copies: 0,
        });
        let state = State {
            rung: Arc::clone(&rung),
            connections: Vec::new(),
            free: Vec::new(),
            table: Table { lanes: lanes.collect(), paths },
            idle: Vec::new(),
            warden: None,
            controls: HashMap::default(),
            last_instance: 0,
            tick: 0,
            date: (0, String::new()),
            scratch: Box::new([0; RECEIVE]),
            patience,
            is_closed: false,
        };
        Arc::new(Self { rung, state: Mutex::new(state), due: Notify::new() })
    }

    /// A client of the HTTP port, or of a scenario's own.
    pub fn enter(&self, stream: TcpStream, presence: Presence, framed: Option<(usize, Framing)>) {
        let mut state = self.state.lock();
        if state.is_closed {
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
        state.connections[place as usize] = Some(Connection::new(stream, bell, reader, presence, now));
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
    pub fn message<T>(&self, place: u32, with: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let mut state = self.state.lock();
        let connection = state.connections.get_mut(place as usize)?.as_mut()?;
        let message = std::mem::take(&mut connection.message);
        drop(state);
        Some(with(&message))
    }

    /// Answers the message that an instance has had.
    pub fn answer(&self, place: u32, lane: usize, status: u16, length: usize, body: impl FnOnce(&mut [u8])) {
        let mut state = self.state.lock();
        state.answer(place, lane, status, length, body);
    }

    /// The message that an instance has had has failed with it.
    pub fn fail(&self, place: u32, lane: usize) {
        let mut state = self.state.lock();
        let connection = state.connections.get(place as usize).and_then(Option::as_ref);
        let is_late = connection.is_some_and(|connection| connection.is_late);
        let counts = &state.table.lanes[lane].scenario.counts;
        if is_late {
            counts.late.one()
        } else {
            counts.abends.one()
        }
        state.give_up(place, lane, if is_late { TOO_LATE } else { FAILED });
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

    /// Nobody is accepted any more. Instances that wait end; those that work finish what they have.
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
        state.is_closed = true;
        state.connections.clear();
        state.free.clear();
    }
}

/// The status where an instance has failed.
const FAILED: u16 = 500;
/// The status where it has taken too long.
const TOO_LATE: u16 = 504;
/// The status where there is no room.
const NO_ROOM: u16 = 503;
/// The status where a request was not whole in time.
const NOT_WHOLE: u16 = 408;
/// The status where a message is longer than its scenario takes.
const TOO_LONG: u16 = 413;

impl State {
    /// The next message of a scenario: of its queue, or of a client that has rung.
    fn take(&mut self, lane: usize, instance: u64) -> Option<u32> {
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
    fn read(&mut self, lane: Option<usize>) -> Option<u32> {
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
    fn queue(&mut self, place: u32, at: usize) {
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
    fn refuse(&mut self, place: u32, lane: usize) {
        let counts = &self.table.lanes[lane].scenario.counts;
        counts.refused.one();
        self.give_up(place, lane, NO_ROOM);
    }

    /// A message has no answer but a status. Where statuses are not spoken, hanging up says it.
    fn give_up(&mut self, place: u32, lane: usize, status: u16) {
        let Some(Some(connection)) = self.connections.get(place as usize) else { return };
        if connection.is_http() {
            self.answer(place, lane, status, 0, |_| ());
        } else {
            self.leaves(place);
        }
    }

    fn answer(&mut self, place: u32, lane: usize, status: u16, length: usize, body: impl FnOnce(&mut [u8])) {
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
    fn look_at_the_clock(&mut self) {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seconds = since.unwrap_or_default().as_secs();
        if self.date.0 != seconds {
            self.date = (seconds, http::date::write(seconds));
        }
    }

    /// A client is let go.
    fn leaves(&mut self, place: u32) {
        if self.connections[place as usize].take().is_some() {
            self.free.push(place);
        }
    }

    /// Whoever has nothing to do looks next: the instance that has begun to wait last, or else the warden.
    fn hands_on(&self) {
        let instance = self.idle.last().map(|waiter| &waiter.waker);
        self.rung.lead(instance.or(self.warden.as_ref()));
    }

    fn ticks(&mut self, copies: impl Fn(&Scenario) -> u64) {
        self.tick = self.tick.wrapping_add(1);
        for at in 0..self.table.lanes.len() {
            let lane = &mut self.table.lanes[at];
            lane.starts = STARTS_PER_TICK;
            let copies = copies(&lane.scenario);
            if std::mem::replace(&mut lane.copies, copies) != copies {
                lane.useless = 0;
                // They see that they are old.
                self.idle.iter().filter(|waiter| waiter.lane == at).for_each(|one| one.waker.wake_by_ref());
            }
            self.expire(at);
        }
        for place in 0..self.connections.len() {
            self.look_for_silence(place as u32);
        }
    }

    /// Messages that have waited for too long are refused.
    fn expire(&mut self, at: usize) {
        let most = ticks(self.table.lanes[at].scenario.said.time);
        while let Some(place) = self.table.lanes[at].queue.front().copied() {
            let since = self.connections[place as usize].as_ref().map(|connection| connection.since);
            if since.is_some_and(|since| self.tick.wrapping_sub(since) <= most) {
                return;
            }
            self.table.lanes[at].queue.pop_front();
            self.table.lanes[at].scenario.counts.queued.one_less();
            self.refuse(place, at);
        }
    }

    fn look_for_silence(&mut self, place: u32) {
        let Some(connection) = &mut self.connections[place as usize] else { return };
        let waited = self.tick.wrapping_sub(connection.since);
        let Patience { idle, receive } = self.patience;
        match connection.turn {
            Turn::Receives if connection.is_between() && (idle == 0 || waited <= idle) => {}
            Turn::Receives if connection.is_between() => self.leaves(place),
            Turn::Receives if waited > receive => {
                connection.refuse(NOT_WHOLE, self.tick);
                self.rung.push_quietly(place);
            }
            Turn::Sends if waited > receive => self.leaves(place),
            Turn::InHand if !connection.is_late => {
                let lane = connection.request.as_ref().map_or(0, |request| request.lane);
                if waited > ticks(self.table.lanes[lane].scenario.said.time) {
                    connection.is_late = true;
                    if let Some(control) = self.controls.get(&connection.instance) {
                        control.force_purge();
                    }
                }
            }
            Turn::Drains if waited > DRAIN_TICKS => self.leaves(place),
            _ => {}
        }
    }
}

/// A time in ticks, at least one.
pub(crate) fn ticks(time: std::time::Duration) -> u32 {
    let ticks = time.as_millis() * u128::from(TICKS_PER_SECOND) / 1000;
    u32::try_from(ticks).unwrap_or(u32::MAX).max(1)
}

/// A wait of an instance for its next message.
pub(crate) struct Waiting {
    hub: Arc<Hub>,
    lane: usize,
    instance: u64,
    edition: Arc<Edition>,
    /// It is among those that wait.
    waits: bool,
}

impl Future for Waiting {
    type Output = Next;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Next> {
        let hub = Arc::clone(&self.hub);
        let mut state = hub.state.lock();
        if state.is_closed || !self.edition.is_present() {
            return Poll::Ready(Next::Ends);
        }
        if let Some(place) = state.take(self.lane, self.instance) {
            if std::mem::take(&mut self.waits) {
                state.idle.retain(|waiter| waiter.instance != self.instance);
            }
            state.hands_on();
            return Poll::Ready(Next::Message(place));
        }
        if !std::mem::replace(&mut self.waits, true) {
            let waker = context.waker().clone();
            state.idle.push(Waiter { instance: self.instance, lane: self.lane, waker });
        } else if let Some(own) = state.idle.iter_mut().find(|waiter| waiter.instance == self.instance) {
            own.waker.clone_from(context.waker());
        }
        state.hands_on();
        Poll::Pending
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.waits {
            let mut state = self.hub.state.lock();
            state.idle.retain(|waiter| waiter.instance != self.instance);
            state.hands_on();
        }
    }
}
