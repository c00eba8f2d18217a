//! Measures of one task while it runs: when it was dispatched, for how long, and why it waited.
//!
//! States: *attached* → (*queued* for MXT or its class) → *admitted* → *dispatched* ⇄ *suspended* → *ended*. A task that
//! goes to another TCB may be dispatched there before it is suspended here: only where it is dispatched nowhere is it
//! suspended. Records of a task may follow each other: what a record tells begins at the one before ([`Performance::cut`]).

use std::sync::Arc;

use parking_lot::Mutex;

use super::figures::{FIGURES, Figure};
use super::used::{self, Used, UsedFigure, UsedKind, UsedLimits, UsedName};
use super::user::UserArea;
use super::workload::{Surroundings, Tasks};
use super::{Requests, Timed};
use crate::limits::{NAMED_MEASURES_MAX, WAIT_KINDS_MAX};
use crate::name::{Name, Name8, Name16};
use crate::raise::AbendCode;
use crate::ticks::{self as clock, Reading};
use crate::waits::{Suspension, WaitKind};

/// The reason why a task was not dispatched at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queued {
    /// There were as many tasks as MXT allows.
    Limit,
    /// There were as many tasks of its class as that allows.
    Class,
}

/// The classes of records that are written of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// MNPER: a record of the task.
    pub performance: bool,
    /// MNEXC: a record of each wait for storage, a queue or a record.
    pub exception: bool,
    /// MNRES: a record of each file, queue, program elsewhere, URIMAP and WEBSERVICE that it has used.
    pub resource: bool,
    /// MNIDN: a record of who has asked for it.
    pub identity: bool,
}

impl Classes {
    /// Returns true if there is one.
    pub(crate) fn any(self) -> bool {
        self.performance || self.exception || self.resource || self.identity
    }
}

/// The measurement of a task. Its outside: it is shared by the TCBs on which the task runs.
pub struct Performance {
    /// The classes that were on when it was attached.
    pub(crate) classes: Classes,
    limits: UsedLimits,
    /// The number of tasks when it was attached.
    pub(crate) tasks: Tasks,
    /// The place of its records, and what they tell of the region.
    pub(crate) around: Arc<Surroundings>,
    account: Mutex<Account>,
}

/// The figures that have come together so far.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    /// Microseconds from 1970 to the begin of its record: the attach, or the record before.
    pub started: u64,
    /// The same by the region's own clock.
    begun: u64,
    /// Dispatched time: on the QR TCB, on open ones.
    pub dispatch: [Timed; 2],
    /// Processor time: on the QR TCB, on open ones.
    pub processor: [Timed; 2],
    /// Time from its first dispatch to its end in which it was not dispatched.
    pub suspend: Timed,
    /// The part of it in which it could have been.
    pub redispatch: Timed,
    /// The part of that on the QR TCB.
    pub qr_redispatch: Timed,
    /// Time from attach to the first dispatch.
    pub first_dispatch: Timed,
    /// The part of it in which it waited for MXT.
    pub limit_delay: Timed,
    /// The part of it in which it waited for its class.
    pub class_delay: Timed,
    /// Waits by cause.
    pub waits: [Timed; WAIT_KINDS_MAX],
    /// Waits by the name that the program gave.
    pub named_waits: Vec<(Name16, Timed)>,
    /// Monitoring points that were passed.
    pub points: Vec<(Name16, Timed)>,
    /// The figures that domains have added up.
    pub figures: [Timed; FIGURES],
    /// Resources that were used.
    pub used: Vec<Used>,
    /// The clocks, counters and characters that programs keep by MONITOR.
    pub user: Vec<UserArea>,
    /// A clock of a program was started while it ran, or stopped while it did not.
    pub clock_error: bool,
    /// Exceptional waits that are over.
    pub exceptions: Timed,
    /// The knowledge of the task itself at its end.
    pub end: Option<End>,
    /// The moment of its end.
    pub ended: u64,
    /// Performance records that were written of the task, this one counted.
    pub records: u64,
    queued: Option<Queued>,
    dispatched: u32,
    /// The begin of the present dispatch, and true if it is on an open TCB.
    running: (Reading, bool),
    suspended_at: u64,
    wait: Option<(WaitKind, Name16)>,
    last_wait: u32,
    /// Nanoseconds of that wait so far, as far as they are in this record.
    last_waited: u64,
    moves: bool,
    /// The exceptional wait that was last, if nothing has come after it.
    exception: Option<Exception>,
    exceptions_written: u64,
    /// Bytes of storage that the task has, and since when.
    held: (u64, u64),
    /// The system to which it was routed; blank: to none.
    pub routed_to: Name<4>,
    /// The IPCONN over which its request has come; blank: none.
    pub over: Name8,
    /// Requests that were in records before.
    told: Requests,
    /// Waits, and nanoseconds of response and of processor time, that were in records before.
    pub earlier: Earlier,
}

/// The content of records of the task before the present one.
#[derive(Clone, Debug)]
pub(crate) struct Earlier {
    pub waits: [Timed; WAIT_KINDS_MAX],
    pub response: u64,
    pub processor: u64,
}

impl Default for Earlier {
    fn default() -> Self {
        Self { waits: [Timed::default(); WAIT_KINDS_MAX], response: 0, processor: 0 }
    }
}

/// A wait for something that should be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exception {
    /// Its number among those of the task, from 1.
    pub number: u64,
    pub kind: WaitKind,
    /// The name of what was waited for; blank: it has none.
    pub name: Name16,
    /// Microseconds since 1970.
    pub begun: u64,
    pub ended: u64,
}

/// The figures that a task leaves at its end.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub requests: Requests,
    pub priority: u8,
    /// The first and the last; blank: none.
    pub abends: [AbendCode; 2],
}

impl Account {
    fn beginning(now: u64) -> Self {
        Self {
            started: clock::wall_us(now),
            begun: now,
            dispatch: Default::default(),
            processor: Default::default(),
            suspend: Timed::default(),
            redispatch: Timed::default(),
            qr_redispatch: Timed::default(),
            first_dispatch: Timed::default(),
            limit_delay: Timed::default(),
            class_delay: Timed::default(),
            waits: [Timed::default(); WAIT_KINDS_MAX],
            named_waits: Vec::new(),
            points: Vec::new(),
            figures: [Timed::default(); FIGURES],
            used: Vec::new(),
            user: Vec::new(),
            clock_error: false,
            exceptions: Timed::default(),
            end: None,
            ended: 0,
            records: 0,
            queued: None,
            dispatched: 0,
            running: (Reading::default(), false),
            suspended_at: 0,
            wait: None,
            last_wait: 0,
            last_waited: 0,
            moves: false,
            exception: None,
            exceptions_written: 0,
            held: (0, now),
            routed_to: Name::BLANK,
            over: Name8::BLANK,
            told: Requests::default(),
            earlier: Earlier::default(),
        }
    }

    /// Nanoseconds from its begin to its end.
    pub fn response(&self) -> u64 {
        self.ended.saturating_sub(self.begun)
    }

    /// Nanoseconds of response and of processor time of the whole task.
    pub fn whole(&self) -> (u64, u64) {
        let processor: u64 = self.processor.iter().map(|timed| timed.time).sum();
        (self.earlier.response + self.response(), self.earlier.processor + processor)
    }

    /// Waits of the whole task, by cause.
    pub fn all_waits(&self) -> [Timed; WAIT_KINDS_MAX] {
        let mut waits = self.earlier.waits;
        for (all, timed) in waits.iter_mut().zip(&self.waits) {
            all.time += timed.time;
            all.count += timed.count;
        }
        waits
    }

    /// Begins again behind a record that was written at `now`, while the task is dispatched.
    fn begin_again(&mut self, now: Reading, told: Requests) {
        let mut next = Self::beginning(now.at);
        next.records = self.records;
        next.dispatched = self.dispatched;
        next.running = (now, self.running.1);
        next.suspended_at = self.suspended_at;
        next.last_wait = self.last_wait;
        next.moves = self.moves;
        next.exceptions_written = self.exceptions_written;
        next.exception = self.exception;
        next.held.0 = self.held.0;
        (next.routed_to, next.over) = (self.routed_to, self.over);
        next.told = told;
        let (response, processor) = self.whole();
        next.earlier = Earlier { waits: self.all_waits(), response, processor };
        next.user = std::mem::take(&mut self.user);
        next.user.iter_mut().for_each(UserArea::begin_again);
        *self = next;
    }
}

impl Performance {
    /// A task is attached.
    pub(crate) fn new(classes: Classes, limits: UsedLimits, tasks: Tasks, around: Arc<Surroundings>) -> Self {
        Self { classes, limits, tasks, around, account: Mutex::new(Account::beginning(clock::now())) }
    }

    /// The task waits before it is dispatched for the first time.
    pub(crate) fn queued(&self, why: Queued) {
        self.account.lock().queued = Some(why);
    }

    /// The task has a TCB.
    pub(crate) fn admitted(&self) {
        let mut account = self.account.lock();
        let begun = account.begun;
        let delay = match account.queued {
            None => return,
            Some(Queued::Limit) => &mut account.limit_delay,
            Some(Queued::Class) => &mut account.class_delay,
        };
        delay.add(clock::now().saturating_sub(begun));
    }

    /// A TCB begins to run it; `woken` is when it could have: when it was told so. When it begins.
    pub(crate) fn dispatched(&self, woken: u64, open: bool) -> Reading {
        let reading = Reading::now();
        let now = reading.at;
        let mut account = self.account.lock();
        account.dispatched += 1;
        if account.dispatched > 1 {
            return reading;
        }
        account.running = (reading, open);
        if account.suspended_at == 0 {
            let begun = account.begun;
            account.first_dispatch.add(now.saturating_sub(begun));
            return reading;
        }
        // Waits before the last record are in that record.
        let since = account.suspended_at.max(account.begun);
        let suspended = now.saturating_sub(since);
        account.suspend.time += suspended;
        let late = now.saturating_sub(woken.max(since));
        account.redispatch.add(late);
        if !open {
            account.qr_redispatch.add(late);
        }
        if let Some((kind, name)) = account.wait {
            account.waits[kind.place()].time += suspended;
            account.last_waited += suspended;
            if !name.is_blank() {
                entry(&mut account.named_waits, name, |named| named.time += suspended);
            }
            if kind.is_exception() && self.classes.exception {
                account.excepted((kind, name), since, now);
            }
        }
        reading
    }

    /// A TCB has run it from `begun` on, and it waits now. Returns the exceptional wait before, if it is over.
    pub(crate) fn suspended(&self, begun: Reading, open: bool, wait: Suspension) -> Option<Exception> {
        let mut account = self.leave(begun, open);
        let moves = std::mem::take(&mut account.moves);
        // A wait that is looked at again is the same wait; a wait without a name is a task that gave way.
        let again = account.last_wait == wait.serial && !moves;
        account.last_wait = wait.serial;
        let kind = match wait.kind {
            _ if moves => WaitKind::TCB,
            Some(kind) => kind,
            None => WaitKind::GAVE_UP,
        };
        let name = if moves { Name16::BLANK } else { wait.name };
        let mut over = None;
        if wait.kind.is_none() || !again {
            account.suspend.count += 1;
            account.waits[kind.place()].count += 1;
            account.last_waited = 0;
            if !name.is_blank() {
                entry(&mut account.named_waits, name, |named| named.count += 1);
            }
            over = account.exception.take();
        }
        account.wait = Some((kind, name));
        over
    }

    /// A TCB has run it from `begun` on, and it has ended there: for good, or to go back to another TCB. Returns the
    /// exceptional wait before, if it is over.
    pub(crate) fn left(&self, begun: Reading, open: bool, for_good: bool) -> Option<Exception> {
        let mut account = self.leave(begun, open);
        if for_good {
            account.ended = account.suspended_at;
            let (bytes, ended) = (account.held.0, account.ended);
            account.holds(bytes, ended);
        } else {
            account.wait = Some((WaitKind::TCB, Name16::BLANK));
            account.suspend.count += 1;
            account.waits[WaitKind::TCB.place()].count += 1;
        }
        account.exception.take()
    }

    /// The wait that is just over was one of another kind, as its end has shown.
    pub(crate) fn turns_out(&self, kind: WaitKind) {
        let mut account = self.account.lock();
        let Some((was, name)) = account.wait else { return };
        let all = account.waits[was.place()];
        let waited = Timed { time: all.time.min(account.last_waited), count: all.count.min(1) };
        account.wait = Some((kind, name));
        account.waits[was.place()] = all.since(waited);
        let turned = &mut account.waits[kind.place()];
        (turned.time, turned.count) = (turned.time + waited.time, turned.count + waited.count);
    }

    fn leave(&self, begun: Reading, open: bool) -> parking_lot::MutexGuard<'_, Account> {
        let mut account = self.account.lock();
        // The part of the dispatch before a record is in that record.
        let last = account.running.0;
        let begun = if last.at > begun.at { last } else { begun };
        let now = Reading::now();
        account.dispatch[usize::from(open)].add(now.at.saturating_sub(begun.at));
        account.processor[usize::from(open)].add(now.since(begun));
        account.dispatched -= 1;
        account.suspended_at = now.at;
        account
    }

    /// The task goes to another TCB: its next suspension is for that.
    pub(crate) fn moves(&self) {
        self.account.lock().moves = true;
    }

    /// The task passes a monitoring point.
    pub fn point(&self, name: Name16) {
        entry(&mut self.account.lock().points, name, |point| point.count += 1);
    }

    /// Works with what programs keep by MONITOR under the name of an entry. Entries beyond the limit have nothing.
    pub(crate) fn user<T>(&self, entry: Name8, work: impl FnOnce(&mut UserArea) -> T) -> Option<T> {
        let mut account = self.account.lock();
        if let Some(area) = account.user.iter_mut().find(|area| area.entry == entry) {
            return Some(work(area));
        }
        if account.user.len() >= NAMED_MEASURES_MAX {
            return None;
        }
        account.user.push(UserArea::new(entry));
        account.user.last_mut().map(work)
    }

    /// Notes that a clock of a program was started while it ran, or stopped while it did not.
    pub(crate) fn clock_error(&self) {
        self.account.lock().clock_error = true;
    }

    /// Adds to a count.
    pub fn add(&self, figure: Figure, count: u64) {
        self.account.lock().figures[figure as usize].count += count;
    }

    /// Adds to a clock.
    pub fn clock(&self, figure: Figure, more: Timed) {
        let clock = &mut self.account.lock().figures[figure as usize];
        clock.time += more.time;
        clock.count += more.count;
    }

    /// Notes a value, of which the highest counts.
    pub fn highest(&self, figure: Figure, value: u64) {
        let highest = &mut self.account.lock().figures[figure as usize].count;
        *highest = value.max(*highest);
    }

    /// The task has so many bytes of storage from now on.
    pub fn holds(&self, bytes: u64) {
        self.account.lock().holds(bytes, clock::now());
    }

    /// The task runs at another system.
    pub fn is_routed_to(&self, system: Name<4>) {
        self.account.lock().routed_to = system;
    }

    /// The task's request has come over an IPCONN.
    pub(crate) fn comes_over(&self, name: Name8) {
        self.account.lock().over = name;
    }

    /// Waits of these kinds since the begin of its record.
    pub fn waited(&self, kinds: &[WaitKind]) -> Timed {
        let account = self.account.lock();
        let waits = kinds.iter().map(|kind| account.waits[kind.place()]);
        waits.fold(Timed::default(), |sum, wait| Timed {
            time: sum.time + wait.time,
            count: sum.count + wait.count,
        })
    }

    /// Adds to the figures of a resource that the task has used.
    pub fn uses(&self, (kind, name, other): (UsedKind, UsedName, UsedName), figures: &[(UsedFigure, Timed)]) {
        if self.classes.resource {
            used::add(&mut self.account.lock().used, self.limits, (kind, name, other), figures);
        }
    }

    /// Nanoseconds in which the task was suspended so far.
    pub(crate) fn suspended_for(&self) -> u64 {
        self.account.lock().suspend.time
    }

    /// Takes the figures that the task itself knows at its end.
    pub(crate) fn ends(&self, mut end: End) {
        let mut account = self.account.lock();
        end.requests = end.requests.since(&account.told);
        account.end = Some(end);
    }

    /// All that was measured.
    pub(crate) fn whole<T>(&self, read: impl FnOnce(&mut Account) -> T) -> T {
        read(&mut self.account.lock())
    }

    /// Nanoseconds since the begin of its record.
    pub(crate) fn age(&self) -> u64 {
        clock::now().saturating_sub(self.account.lock().begun)
    }

    /// Ends the record of a task that is dispatched: `read` gets it, and the next begins.
    pub(crate) fn cut(&self, mut end: End, read: impl FnOnce(&mut Account)) {
        let mut account = self.account.lock();
        let told = end.requests.clone();
        end.requests = end.requests.since(&account.told);
        account.end = Some(end);
        let (begun, open) = account.running;
        let now = Reading::now();
        account.dispatch[usize::from(open)].add(now.at.saturating_sub(begun.at));
        account.processor[usize::from(open)].add(now.since(begun));
        account.ended = now.at;
        let bytes = account.held.0;
        account.holds(bytes, now.at);
        read(&mut account);
        account.begin_again(now, told);
    }

    /// The time of a command or a part of one, if it is measured.
    fn stopped(&self, figure: Figure, since: u64) {
        self.clock(figure, Timed { time: clock::now().saturating_sub(since), count: 1 });
    }
}

/// Nanoseconds of the unit in which storage is summed over time: a byte for 1024 microseconds.
const HELD_UNIT_NS: u128 = 1_024_000;

impl Account {
    /// The task has so many bytes of storage from `now` on: what it had until then is summed over time.
    fn holds(&mut self, bytes: u64, now: u64) {
        let (before, since) = std::mem::replace(&mut self.held, (bytes, now));
        let held = u128::from(before) * u128::from(now.saturating_sub(since)) / HELD_UNIT_NS;
        self.figures[Figure::UserStorageHeld as usize].count += u64::try_from(held).unwrap_or(u64::MAX);
    }

    /// An exceptional wait was over for now: it is the same one if nothing has come in between.
    fn excepted(&mut self, (kind, name): (WaitKind, Name16), since: u64, now: u64) {
        let time = now.saturating_sub(since);
        match &mut self.exception {
            Some(exception) => {
                exception.ended = clock::wall_us(now);
                self.exceptions.time += time;
            }
            None => {
                self.exceptions_written += 1;
                self.exceptions.add(time);
                let number = self.exceptions_written;
                let (begun, ended) = (clock::wall_us(since), clock::wall_us(now));
                self.exception = Some(Exception { number, kind, name, begun, ended });
            }
        }
    }
}

/// A clock that runs while a part of a monitored task's work is done.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Option<u64>);

impl Stopwatch {
    /// Starts; it stands if the task is not monitored.
    #[inline]
    pub fn start(performance: Option<&Performance>) -> Self {
        Self(performance.map(|_| clock::now()))
    }

    /// Adds what has passed to a figure.
    #[inline]
    pub fn stop(self, performance: Option<&Performance>, figure: Figure) {
        if let (Some(since), Some(performance)) = (self.0, performance) {
            performance.stopped(figure, since);
        }
    }

    /// The time that has passed, once; `None` if it stands.
    #[inline]
    pub fn passed(self) -> Option<Timed> {
        self.0.map(|since| Timed { time: clock::now().saturating_sub(since), count: 1 })
    }
}

/// Adds to the entry of a name. Names beyond the limit share the last entry's place: they are left out.
fn entry(list: &mut Vec<(Name16, Timed)>, name: Name16, add: impl FnOnce(&mut Timed)) {
    if let Some((_, timed)) = list.iter_mut().find(|(known, _)| *known == name) {
        return add(timed);
    }
    if list.len() < NAMED_MEASURES_MAX {
        let mut timed = Timed::default();
        add(&mut timed);
        list.push((name, timed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::Recorder;

    /// A recorder that is given nothing makes no file.
    fn measured() -> Performance {
        let layout = instruments::format::Layout::default();
        let recorder = Recorder::start(std::path::PathBuf::from("nowhere"), "test", &layout, 1);
        let around = Surroundings::new(recorder.expect("a thread"), Name8::BLANK, Vec::new());
        let classes = Classes { performance: true, exception: true, ..Classes::default() };
        Performance::new(classes, UsedLimits::default(), Tasks::default(), Arc::new(around))
    }

    const NOTHING: Suspension = Suspension { kind: None, name: Name16::BLANK, serial: 0 };

    fn wait(kind: WaitKind, name: &str, serial: u32) -> Suspension {
        Suspension { kind: Some(kind), name: Name16::from(name), serial }
    }

    #[test]
    fn the_parts_of_a_task_s_time_make_up_its_response_time() {
        let performance = measured();
        performance.queued(Queued::Limit);
        performance.admitted();
        let begun = performance.dispatched(0, false);
        performance.suspended(begun, false, wait(WaitKind::FILE, "", 1));
        let begun = performance.dispatched(clock::now(), false);
        performance.suspended(begun, false, wait(WaitKind::EVENT, "HSM", 2));
        let begun = performance.dispatched(0, false);
        // It is looked at, and waits for the same.
        performance.suspended(begun, false, wait(WaitKind::EVENT, "HSM", 2));
        let begun = performance.dispatched(0, false);
        performance.suspended(begun, false, NOTHING);
        let begun = performance.dispatched(0, false);
        performance.left(begun, false, true);
        let (account, response) = performance.whole(|account| (account.clone(), account.response()));
        let counts = |kind: WaitKind| account.waits[kind.place()].count;
        assert_eq!(counts(WaitKind::FILE), 1);
        assert_eq!(counts(WaitKind::EVENT), 1);
        assert_eq!(counts(WaitKind::GAVE_UP), 1);
        assert_eq!((account.dispatch[0].count, account.suspend.count), (5, 3));
        assert_eq!(account.named_waits.len(), 1);
        assert_eq!(account.named_waits[0].1.time, account.waits[WaitKind::EVENT.place()].time);
        let waited: u64 = account.waits.iter().map(|timed| timed.time).sum();
        assert_eq!(waited, account.suspend.time);
        assert_eq!(account.first_dispatch.time + account.dispatch[0].time + account.suspend.time, response);
        assert!(account.limit_delay.time <= account.first_dispatch.time);
    }

    #[test]
    fn a_wait_turns_out_to_be_of_another_kind_with_all_its_time() {
        let performance = measured();
        let begun = performance.dispatched(0, false);
        for serial in [1, 2, 2] {
            performance.suspended(begun, false, wait(WaitKind::EVENT, "", serial));
            performance.dispatched(0, false);
        }
        let of = |kind: WaitKind| performance.whole(|account| account.waits[kind.place()]);
        let before = of(WaitKind::EVENT);
        performance.turns_out(WaitKind::CHILD);
        let (event, child) = (of(WaitKind::EVENT), of(WaitKind::CHILD));
        assert_eq!((event.count, child.count), (1, 1));
        assert!(child.time > 0 && event.time > 0 && event.time + child.time == before.time);
    }

    #[test]
    fn a_task_on_two_tcbs_is_suspended_only_where_it_runs_on_neither() {
        let performance = measured();
        let home = performance.dispatched(0, false);
        performance.moves();
        // The other TCB is faster than this one can say that it has let go.
        let away = performance.dispatched(0, true);
        performance.suspended(home, false, NOTHING);
        performance.left(away, true, false);
        let home = performance.dispatched(0, false);
        performance.left(home, false, true);
        let account = performance.whole(|account| account.clone());
        assert_eq!(account.waits[WaitKind::TCB.place()].count, 2);
        assert_eq!([account.dispatch[0].count, account.dispatch[1].count], [2, 1]);
    }

    #[test]
    fn an_exceptional_wait_is_over_when_the_next_wait_begins_however_often_it_was_looked_at() {
        let performance = measured();
        let begun = performance.dispatched(0, false);
        assert_eq!(performance.suspended(begun, false, wait(WaitKind::STORAGE, "", 1)), None);
        let begun = performance.dispatched(0, false);
        assert_eq!(performance.suspended(begun, false, wait(WaitKind::STORAGE, "", 1)), None);
        let begun = performance.dispatched(0, false);
        let over = performance.suspended(begun, false, wait(WaitKind::FILE, "", 2)).expect("it is over");
        assert_eq!((over.number, over.kind), (1, WaitKind::STORAGE));
        let begun = performance.dispatched(0, false);
        assert_eq!(performance.left(begun, false, true), None);
        let exceptions = performance.whole(|account| account.exceptions);
        let waited = performance.whole(|account| account.waits[WaitKind::STORAGE.place()]);
        assert_eq!((exceptions.count, exceptions.time), (1, waited.time));
    }

    #[test]
    fn storage_is_summed_over_time() {
        let mut account = Account::beginning(0);
        let unit = u64::try_from(HELD_UNIT_NS).expect("a small number");
        // Nothing for a unit, 100 bytes for two, 40 bytes for one.
        account.holds(100, unit);
        account.holds(40, 3 * unit);
        account.holds(0, 4 * unit);
        assert_eq!(account.figures[Figure::UserStorageHeld as usize].count, 240);
        // What it has goes over into the next record.
        account.holds(7, 4 * unit);
        account.begin_again(Reading { at: 5 * unit, ..Reading::default() }, Requests::default());
        account.holds(0, 6 * unit);
        assert_eq!(account.figures[Figure::UserStorageHeld as usize].count, 7);
    }

    #[test]
    fn a_record_in_between_and_the_last_one_have_the_task_s_time_together() {
        let performance = measured();
        let end = || End { requests: Requests::default(), priority: 0, abends: [AbendCode::default(); 2] };
        let begun = performance.dispatched(0, false);
        let mut first = None;
        performance.cut(end(), |account| {
            first = Some((account.response(), account.dispatch[0].time, account.first_dispatch.time))
        });
        let (response, dispatch, delay) = first.expect("it was read");
        assert_eq!(response, dispatch + delay);
        performance.suspended(begun, false, wait(WaitKind::FILE, "", 1));
        let begun = performance.dispatched(0, false);
        performance.left(begun, false, true);
        let (response, dispatch, suspend) =
            performance.whole(|account| (account.response(), account.dispatch[0].time, account.suspend.time));
        assert_eq!(response, dispatch + suspend);
    }
}
