//! Thresholds of what a task uses, and the looks at them.
//!
//! ```text
//! Overseer ──(its thresholds)──► Overseen, of a task that begins ──► commands until the next look: a number that is counted down
//!     ▲                               ▲ amounts, counted by domains          │ 0: the look
//!     └──── passed: what is done ─────┴──────────────────────────────────────┘
//! ```
//!
//! A command adds one to a count of requests at most. So no threshold of requests can be passed before as many commands have
//! been answered as the nearest of them lacks: the door counts them down, and nothing else is done at a command. An amount
//! that passes its threshold, and time that is over, bring the look forward to the next command.
//!
//! Out of scope: rules, and what is done where a threshold is passed.

use std::array;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use smallvec::SmallVec;
use spec::cmd;
use spec::measures::slot;

use super::Task;
use crate::control::{TaskControl, Times};
use crate::meters::{Figure, Requests};
use crate::raise::{AbendCode, Outcome, Raise};
use crate::region::{Looks, Region};
use crate::storage::StorageAddress;

/// An amount that domains count of a task with thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Amount {
    /// Bytes of its own storage that it has now, below 16 MB.
    Storage24,
    /// The same between 16 MB and 2 GB.
    Storage31,
    /// The same above.
    Storage64,
    /// GETMAINs of its own storage, by place.
    Getmains24,
    /// As above.
    Getmains31,
    /// As above.
    Getmains64,
    /// Bytes of shared storage that it has got, by place.
    SharedBytes24,
    /// As above.
    SharedBytes31,
    /// As above.
    SharedBytes64,
    /// GETMAINs of shared storage, by place.
    SharedGetmains24,
    /// As above.
    SharedGetmains31,
    /// As above.
    SharedGetmains64,
    /// WRITEQ TS, to any queue.
    TsWrites,
    /// WRITEQ TS to auxiliary storage.
    TsWritesAuxiliary,
    /// WRITEQ TS to main storage.
    TsWritesMain,
    /// Bytes of these, to any queue.
    TsBytes,
    /// Bytes of WRITEQ TS to auxiliary storage.
    TsBytesAuxiliary,
    /// Bytes of WRITEQ TS to main storage.
    TsBytesMain,
    /// Bytes of containers that it has now.
    ContainerBytes,
    /// READ with UPDATE.
    ReadsForUpdate,
}

/// The number of amounts.
const AMOUNTS: usize = Amount::ReadsForUpdate as usize + 1;

/// The place of storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Reach {
    /// Below 16 MB.
    Bits24,
    /// Between 16 MB and 2 GB.
    Bits31,
    /// Above 2 GB.
    Bits64,
}

/// A quantity that a threshold is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The requests of these counters (`spec::measures`).
    Requests(Box<[u8]>),
    /// READ without UPDATE.
    Reads,
    /// An amount.
    Amount(Amount),
    /// Nanoseconds of processor time.
    Processor,
    /// Nanoseconds since its attach.
    Elapsed,
}

/// A threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// The quantity.
    pub measure: Measure,
    /// The most that passes nothing.
    pub most: u64,
    /// Passing it ends the task: a program that asks for nothing is stopped for it.
    pub ends: bool,
}

/// All thresholds of the tasks that begin now, and where the first looks are.
#[derive(Debug)]
pub struct Plan {
    thresholds: Vec<Threshold>,
    first: u32,
    amounts: [u64; AMOUNTS],
    times: Times,
}

impl Plan {
    /// A plan with thresholds in the order in which they are looked at.
    pub fn new(thresholds: Vec<Threshold>) -> Self {
        let mut plan = Self { thresholds, first: 0, amounts: [u64::MAX; AMOUNTS], times: Times::NONE };
        let requests = Requests::default();
        let nothing =
            Counts { requests: &requests, amounts: &array::from_fn(|_| AtomicU64::new(0)), times: [0; 2] };
        let all: Vec<&Threshold> = plan.thresholds.iter().collect();
        let next = Next::of(all.into_iter(), &nothing);
        (plan.first, plan.amounts, plan.times) = (next.commands, next.amounts, next.times);
        plan
    }
}

/// The source of thresholds.
pub trait Overseer: Send + Sync {
    /// Its thresholds.
    fn plan(&self) -> &Plan;

    /// Returns true if they are those of a task that begins now.
    fn oversees(&self, task: &TaskControl) -> bool;

    /// A task has passed a threshold, given by its place, for the first time. The abend that ends the task, if one does.
    fn passed(&self, task: &mut Task, place: usize, value: u64) -> Option<AbendCode>;
}

/// The overseer of a region's tasks.
#[derive(Default)]
pub struct Oversight(RwLock<Option<Arc<dyn Overseer>>>);

impl Oversight {
    /// From now on tasks that begin have the thresholds of this one; `None`: they have none. Tasks that run keep theirs.
    pub fn set(region: &Region, overseer: Option<Arc<dyn Overseer>>) {
        let is_one = overseer.is_some();
        *region.part::<Self>().0.write() = overseer;
        region.looks.set(Looks::OVERSEEN, is_one);
    }
}

/// The part of a task that has thresholds.
pub(crate) struct Overseen {
    overseer: Arc<dyn Overseer>,
    /// A bit for each threshold that was passed.
    passed: SmallVec<[u64; 2]>,
    amounts: [AtomicU64; AMOUNTS],
    /// The lowest threshold of each amount that was not passed.
    nearest: [AtomicU64; AMOUNTS],
    /// Areas of the task that are not between 16 MB and 2 GB.
    apart: Mutex<SmallVec<[(StorageAddress, Reach); 4]>>,
}

/// The quantities of a task at a look.
struct Counts<'c> {
    requests: &'c Requests,
    amounts: &'c [AtomicU64; AMOUNTS],
    /// Processor time, time since the attach.
    times: [u64; 2],
}

impl Counts<'_> {
    fn of(&self, measure: &Measure) -> u64 {
        match measure {
            Measure::Requests(slots) => slots.iter().map(|slot| self.requests.of((*slot).into())).sum(),
            Measure::Reads => {
                self.requests.of(slot(cmd::READ)).saturating_sub(self.amount(Amount::ReadsForUpdate))
            }
            Measure::Amount(amount) => self.amount(*amount),
            Measure::Processor => self.times[0],
            Measure::Elapsed => self.times[1],
        }
    }

    fn amount(&self, amount: Amount) -> u64 {
        self.amounts[amount as usize].load(Ordering::Relaxed)
    }
}

/// The next looks.
struct Next {
    /// Commands until the next one; 0: none is due for requests.
    commands: u32,
    amounts: [u64; AMOUNTS],
    times: Times,
}

impl Next {
    /// The next looks at these thresholds, which were not passed.
    fn of<'t>(thresholds: impl Iterator<Item = &'t Threshold>, counts: &Counts<'_>) -> Self {
        let mut next = Self { commands: 0, amounts: [u64::MAX; AMOUNTS], times: Times::NONE };
        for Threshold { measure, most, ends } in thresholds {
            let value = counts.of(measure);
            let lacks = most.saturating_sub(value).saturating_add(u64::from(value <= *most)).max(1);
            match measure {
                Measure::Requests(_) | Measure::Reads => next.commands_at_most(lacks),
                Measure::Amount(amount) => {
                    let nearest = &mut next.amounts[*amount as usize];
                    *nearest = (*nearest).min(*most);
                    if value > *most {
                        next.commands_at_most(1);
                    }
                }
                Measure::Processor => next.times.processor_at_most(*most, *ends),
                Measure::Elapsed => next.times.elapsed_at_most(*most, *ends),
            }
        }
        next
    }

    fn commands_at_most(&mut self, commands: u64) {
        let commands = u32::try_from(commands).unwrap_or(u32::MAX);
        self.commands = if self.commands == 0 { commands } else { self.commands.min(commands) };
    }
}

impl Overseen {
    /// That of a task that begins, if anybody has thresholds for it.
    pub(super) fn begin(region: &Region, task: &TaskControl) -> Option<Box<Self>> {
        if !region.looks.any(Looks::OVERSEEN) {
            return None;
        }
        let overseer = region.part::<Oversight>().0.read().clone()?;
        if !overseer.oversees(task) {
            return None;
        }
        let plan = overseer.plan();
        task.set_times(plan.times);
        let words = plan.thresholds.len().div_ceil(u64::BITS as usize);
        let nearest = array::from_fn(|place| AtomicU64::new(plan.amounts[place]));
        Some(Box::new(Self {
            passed: SmallVec::from_elem(0, words),
            amounts: array::from_fn(|_| AtomicU64::new(0)),
            nearest,
            apart: Mutex::default(),
            overseer,
        }))
    }

    /// Commands until its first look.
    pub(super) fn first_look(&self) -> u32 {
        self.overseer.plan().first
    }

    fn is_passed(&self, place: usize) -> bool {
        self.passed[place / u64::BITS as usize] >> (place % u64::BITS as usize) & 1 != 0
    }

    /// Sets an amount. True if it passes its threshold.
    fn set(&self, amount: Amount, value: u64) -> bool {
        self.amounts[amount as usize].store(value, Ordering::Relaxed);
        value > self.nearest[amount as usize].load(Ordering::Relaxed)
    }

    fn add(&self, amount: Amount, more: u64) -> bool {
        let value = self.amounts[amount as usize].load(Ordering::Relaxed).saturating_add(more);
        self.set(amount, value)
    }

    fn takes(&self, amount: Amount, less: u64) {
        let amount = &self.amounts[amount as usize];
        amount.store(amount.load(Ordering::Relaxed).saturating_sub(less), Ordering::Relaxed);
    }
}

/// The amounts of storage of a place.
const STORAGE: [(Amount, Amount); 3] = [
    (Amount::Getmains24, Amount::Storage24),
    (Amount::Getmains31, Amount::Storage31),
    (Amount::Getmains64, Amount::Storage64),
];

/// Those of shared storage.
const SHARED: [(Amount, Amount); 3] = [
    (Amount::SharedGetmains24, Amount::SharedBytes24),
    (Amount::SharedGetmains31, Amount::SharedBytes31),
    (Amount::SharedGetmains64, Amount::SharedBytes64),
];

impl Task {
    /// Adds to an amount, if the task has thresholds.
    #[inline]
    pub fn adds_to(&self, amount: Amount, more: usize) {
        if let Some(overseen) = &self.overseen
            && overseen.add(amount, more as u64)
        {
            self.until_look.set(1);
        }
    }

    /// Sets an amount.
    #[inline]
    pub(crate) fn has_now(&self, amount: Amount, value: usize) {
        if let Some(overseen) = &self.overseen
            && overseen.set(amount, value as u64)
        {
            self.until_look.set(1);
        }
    }

    /// Returns true if the task has thresholds.
    #[inline]
    pub fn is_overseen(&self) -> bool {
        self.overseen.is_some()
    }

    /// The task has got an area.
    pub fn has_got(&self, at: Option<StorageAddress>, (reach, length): (Reach, usize)) {
        let Some(overseen) = &self.overseen else { return };
        let (count, bytes) = if at.is_some() { STORAGE } else { SHARED }[reach as usize];
        let passed = [overseen.add(count, 1), overseen.add(bytes, length as u64)];
        if passed.contains(&true) {
            self.until_look.set(1);
        }
        if let Some(at) = at.filter(|_| reach != Reach::Bits31) {
            overseen.apart.lock().push((at, reach));
        }
    }

    /// An area of the task was freed.
    pub fn has_freed(&self, at: StorageAddress, length: usize) {
        let Some(overseen) = &self.overseen else { return };
        let mut apart = overseen.apart.lock();
        let place = apart.iter().position(|(known, _)| *known == at);
        let reach = place.map_or(Reach::Bits31, |place| apart.swap_remove(place).1);
        overseen.takes(STORAGE[reach as usize].1, length as u64);
    }

    /// Counts a request that is no command, by its counter, and looks at thresholds where that is due.
    ///
    /// # Errors
    /// The abend of a task that has passed one.
    pub fn has_asked(&mut self, slot: usize) -> Outcome {
        self.requests.count(slot);
        if self.is_look_due() { self.look() } else { Ok(()) }
    }

    /// Counts a command down: true where the look is due.
    #[inline(always)]
    pub(crate) fn is_look_due(&self) -> bool {
        let left = self.until_look.get().wrapping_sub(1);
        self.until_look.set(left);
        left == 0
    }

    /// Brings the look forward to the command in hand where the task's time is over.
    #[inline]
    pub(crate) fn looks_if_time_is_over(&self) {
        if self.overseen.is_some() && self.control.is_time_over(0) {
            self.until_look.set(1);
        }
    }

    /// Looks at the thresholds at the end of the task, where its time is over.
    ///
    /// # Errors
    /// The abend of a task that has passed one.
    pub(crate) fn last_look(&mut self) -> Outcome {
        if self.overseen.is_some() && self.control.is_time_over(0) { self.look() } else { Ok(()) }
    }

    /// Looks at the thresholds that the task has not passed yet.
    ///
    /// # Errors
    /// The abend of a task that has passed one.
    #[cold]
    #[inline(never)]
    pub(crate) fn look(&mut self) -> Outcome {
        let Some(mut overseen) = self.overseen.take() else { return Ok(()) };
        let (overseer, times) = (Arc::clone(&overseen.overseer), self.control.times_so_far());
        let plan = overseer.plan();
        let mut outcome = Ok(());
        for (place, threshold) in plan.thresholds.iter().enumerate() {
            if overseen.is_passed(place) {
                continue;
            }
            let counts = Counts { requests: &self.requests, amounts: &overseen.amounts, times };
            let value = counts.of(&threshold.measure);
            if value <= threshold.most {
                continue;
            }
            overseen.passed[place / u64::BITS as usize] |= 1 << (place % u64::BITS as usize);
            self.adds(Figure::PolicyThresholds, 1);
            if let Some(code) = overseer.passed(self, place, value) {
                outcome = Err(Raise::Abend(code));
                break;
            }
        }
        let counts = Counts { requests: &self.requests, amounts: &overseen.amounts, times };
        let left = plan.thresholds.iter().enumerate().filter(|(place, _)| !overseen.is_passed(*place));
        let next = Next::of(left.map(|(_, threshold)| threshold), &counts);
        for (nearest, next) in overseen.nearest.iter().zip(next.amounts) {
            nearest.store(next, Ordering::Relaxed);
        }
        self.control.set_times(next.times);
        self.until_look.set(next.commands);
        self.overseen = Some(overseen);
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threshold(measure: Measure, most: u64) -> Threshold {
        Threshold { measure, most, ends: false }
    }

    #[test]
    fn the_next_look_comes_when_the_nearest_threshold_can_be_passed() {
        let reads = || Measure::Requests(Box::new([slot(cmd::READ) as u8]));
        let all = [
            threshold(reads(), 5),
            threshold(reads(), 2),
            threshold(Measure::Amount(Amount::TsBytes), 100),
            threshold(Measure::Amount(Amount::TsBytes), 70),
            threshold(Measure::Elapsed, 9),
        ];
        let plan = Plan::new(all.to_vec());
        assert_eq!((plan.first, plan.amounts[Amount::TsBytes as usize]), (3, 70));
        assert_eq!(Plan::new(vec![threshold(Measure::Elapsed, 9)]).first, 0, "no command brings it nearer");
        let mut requests = Requests::default();
        (0..4).for_each(|_| requests.count(slot(cmd::READ)));
        let amounts = array::from_fn(|_| AtomicU64::new(0));
        let counts = Counts { requests: &requests, amounts: &amounts, times: [0; 2] };
        assert_eq!(Next::of(all[..1].iter(), &counts).commands, 2);
        assert_eq!(Next::of(all[1..2].iter(), &counts).commands, 1, "it was passed already");
        amounts[Amount::TsBytes as usize].store(71, Ordering::Relaxed);
        let counts = Counts { requests: &requests, amounts: &amounts, times: [0; 2] };
        assert_eq!(Next::of(all[2..4].iter(), &counts).commands, 1);
    }
}
