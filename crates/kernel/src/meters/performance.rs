//! What is measured of one task while it runs: when it was dispatched, for how long, and why it waited.
//!
//! States: *attached* → (*queued* for MXT or its class) → *admitted* → *dispatched* ⇄ *suspended* → *ended*. A task that
//! goes to another TCB may be dispatched there before it is suspended here: only where it is dispatched nowhere is it
//! suspended.

use parking_lot::Mutex;

use super::{Requests, Timed};
use crate::limits::{NAMED_MEASURES_MAX, WAIT_KINDS_MAX};
use crate::name::Name16;
use crate::raise::AbendCode;
use crate::ticks as clock;
use crate::waits::{Suspension, WaitKind};

/// Why a task was not dispatched at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queued {
    /// There were as many tasks as MXT allows.
    Limit,
    /// There were as many tasks of its class as that allows.
    Class,
}

/// The measurement of a task. Its outside: it is shared by the TCBs on which the task runs.
pub struct Performance {
    /// Microseconds from 1970 to its attach.
    pub(crate) started: u64,
    /// Its attach by the region's own clock.
    attached: u64,
    account: Mutex<Account>,
}

/// What has come together so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    /// Dispatched time: on the QR TCB, on open ones.
    pub dispatch: [Timed; 2],
    /// Processor time: on the QR TCB, on open ones.
    pub processor: [Timed; 2],
    /// Time from its first dispatch to its end in which it was not dispatched.
    pub suspend: Timed,
    /// The part of it in which it could have been.
    pub redispatch: Timed,
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
    /// What the task itself knew at its end.
    pub end: Option<End>,
    /// When it ended.
    pub ended: u64,
    queued: Option<Queued>,
    dispatched: u32,
    suspended_at: u64,
    wait: Option<(WaitKind, Name16)>,
    last_wait: u32,
    moves: bool,
}

/// What a task leaves at its end.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub requests: Requests,
    pub priority: u8,
    /// The first and the last; blank: none.
    pub abends: [AbendCode; 2],
}

impl Performance {
    /// A task is attached.
    pub(crate) fn new() -> Self {
        let attached = clock::now();
        Self { started: clock::wall_us(attached), attached, account: Mutex::default() }
    }

    /// The task waits before it is dispatched for the first time.
    pub(crate) fn queued(&self, why: Queued) {
        self.account.lock().queued = Some(why);
    }

    /// The task has a TCB.
    pub(crate) fn admitted(&self) {
        let mut account = self.account.lock();
        let delay = match account.queued {
            None => return,
            Some(Queued::Limit) => &mut account.limit_delay,
            Some(Queued::Class) => &mut account.class_delay,
        };
        delay.add(clock::now().saturating_sub(self.attached));
    }

    /// A TCB begins to run it; `woken` is when it could have: when it was told so. When it begins.
    pub(crate) fn dispatched(&self, woken: u64) -> u64 {
        let now = clock::begin();
        let mut account = self.account.lock();
        account.dispatched += 1;
        if account.dispatched > 1 {
            return now;
        }
        if account.suspended_at == 0 {
            account.first_dispatch.add(now.saturating_sub(self.attached));
            return now;
        }
        let since = account.suspended_at;
        let suspended = now.saturating_sub(since);
        account.suspend.time += suspended;
        account.redispatch.add(now.saturating_sub(woken.max(since)));
        if let Some((kind, name)) = account.wait {
            account.waits[kind.place()].time += suspended;
            if !name.is_blank() {
                entry(&mut account.named_waits, name, |named| named.time += suspended);
            }
        }
        now
    }

    /// A TCB has run it from `begun` on, and it waits now.
    pub(crate) fn suspended(&self, begun: u64, open: bool, wait: Suspension) {
        let mut account = self.leave(begun, open);
        let moves = std::mem::take(&mut account.moves);
        // A wait that is looked at again is the same wait; one that nobody has named is a task that gave way.
        let again = account.last_wait == wait.serial && !moves;
        account.last_wait = wait.serial;
        let kind = match wait.kind {
            _ if moves => WaitKind::TCB,
            Some(kind) => kind,
            None => WaitKind::GAVE_UP,
        };
        let name = if moves { Name16::BLANK } else { wait.name };
        if wait.kind.is_none() || !again {
            account.suspend.count += 1;
            account.waits[kind.place()].count += 1;
            if !name.is_blank() {
                entry(&mut account.named_waits, name, |named| named.count += 1);
            }
        }
        account.wait = Some((kind, name));
    }

    /// A TCB has run it from `begun` on, and it has ended there: for good, or to go back to another TCB.
    pub(crate) fn left(&self, begun: u64, open: bool, for_good: bool) {
        let mut account = self.leave(begun, open);
        if for_good {
            account.ended = account.suspended_at;
        } else {
            account.wait = Some((WaitKind::TCB, Name16::BLANK));
            account.suspend.count += 1;
            account.waits[WaitKind::TCB.place()].count += 1;
        }
    }

    fn leave(&self, begun: u64, open: bool) -> parking_lot::MutexGuard<'_, Account> {
        let (now, processor) = clock::end(begun);
        let mut account = self.account.lock();
        account.dispatch[usize::from(open)].add(now.saturating_sub(begun));
        account.processor[usize::from(open)].add(processor);
        account.dispatched -= 1;
        account.suspended_at = now;
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

    /// What the task itself knows at its end.
    pub(crate) fn ends(&self, end: End) {
        self.account.lock().end = Some(end);
    }

    /// All that was measured, and nanoseconds from attach to end.
    pub(crate) fn whole<T>(&self, read: impl FnOnce(&Account, u64) -> T) -> T {
        let account = self.account.lock();
        read(&account, account.ended.saturating_sub(self.attached))
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

    const NOTHING: Suspension = Suspension { kind: None, name: Name16::BLANK, serial: 0 };

    fn wait(kind: WaitKind, name: &str, serial: u32) -> Suspension {
        Suspension { kind: Some(kind), name: Name16::from(name), serial }
    }

    #[test]
    fn the_parts_of_a_task_s_time_make_up_its_response_time() {
        let performance = Performance::new();
        performance.queued(Queued::Limit);
        performance.admitted();
        let begun = performance.dispatched(0);
        performance.suspended(begun, false, wait(WaitKind::FILE, "", 1));
        let begun = performance.dispatched(clock::now());
        performance.suspended(begun, false, wait(WaitKind::EVENT, "HSM", 2));
        let begun = performance.dispatched(0);
        // It is looked at, and waits for the same.
        performance.suspended(begun, false, wait(WaitKind::EVENT, "HSM", 2));
        let begun = performance.dispatched(0);
        performance.suspended(begun, false, NOTHING);
        let begun = performance.dispatched(0);
        performance.left(begun, false, true);
        let (account, response) = performance.whole(|account, response| (account.clone(), response));
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
    fn a_task_on_two_tcbs_is_suspended_only_where_it_runs_on_neither() {
        let performance = Performance::new();
        let home = performance.dispatched(0);
        performance.moves();
        // The other TCB is faster than this one can say that it has let go.
        let away = performance.dispatched(0);
        performance.suspended(home, false, NOTHING);
        performance.left(away, true, false);
        let home = performance.dispatched(0);
        performance.left(home, false, true);
        let account = performance.whole(|account, _| account.clone());
        assert_eq!(account.waits[WaitKind::TCB.place()].count, 2);
        assert_eq!([account.dispatch[0].count, account.dispatch[1].count], [2, 1]);
    }
}
