//! Placement of tasks: the TCBs as they are seen from outside, and the choice among them.
//!
//! A task that another one starts or a listener accepts stays where that is, and others go to the first TCB that has
//! nothing to do: who work together work on one thread, and as long as one thread is enough no other is woken. A TCB
//! that has not rested for [`OVERLOADED_NS`] passes new tasks on to one that rests, and none gets more than
//! [`UNEVEN_MAX`] tasks beyond the one that has the fewest, since a task lives where it began.
//!
//! A task that begins while the region starts begins on the first open TCB, however busy that is with starting: listeners accept
//! there, and the pools of tasks that their children ask live as long as the region.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;
use tokio::sync::mpsc;

use super::work::Work;
use crate::meters::Meter;
use crate::programs::Concurrency;

/// Nanoseconds for which a TCB may be busy before new tasks go elsewhere.
const OVERLOADED_NS: u64 = 10_000_000;
/// Greatest number of tasks that one TCB may have beyond the open TCB with the fewest. An application's tasks that
/// wait for as long as the region lives, such as its connections to a partner, live on one TCB, and tasks that ask
/// them should not begin on another.
const UNEVEN_MAX: usize = 256;

/// A TCB as others see it.
pub struct Door {
    work: mpsc::UnboundedSender<Work>,
    /// Its counters.
    pub meter: Arc<Meter>,
    /// Work that was handed over and that its thread has not seen yet.
    handed: Arc<AtomicUsize>,
    /// Tasks that live there.
    tasks: CachePadded<AtomicUsize>,
}

/// A TCB's own side of its door.
pub struct Inside {
    work: mpsc::UnboundedReceiver<Work>,
    /// Its counters.
    pub meter: Arc<Meter>,
    handed: Arc<AtomicUsize>,
}

impl Inside {
    /// Its next work; `None` once no thread can hand it any more.
    pub async fn next(&mut self) -> Option<Work> {
        let work = self.work.recv().await?;
        self.handed.fetch_sub(1, Ordering::Relaxed);
        Some(work)
    }
}

impl Door {
    /// The door of a TCB, from both sides.
    pub fn new(meter: Arc<Meter>) -> (Self, Inside) {
        let (sender, work) = mpsc::unbounded_channel();
        let handed = Arc::default();
        let inside = Inside { work, meter: Arc::clone(&meter), handed: Arc::clone(&handed) };
        (Self { work: sender, meter, handed, tasks: CachePadded::default() }, inside)
    }

    /// Hands work over. False if the TCB has stopped.
    pub fn send(&self, work: Work) -> bool {
        self.handed.fetch_add(1, Ordering::Relaxed);
        self.work.send(work).is_ok()
    }

    /// Tasks that live there.
    pub fn tasks(&self) -> usize {
        self.tasks.load(Ordering::Relaxed)
    }

    fn rests(&self) -> bool {
        self.meter.busy_since().is_none() && self.handed.load(Ordering::Relaxed) == 0
    }

    fn is_overloaded(&self, now: u64) -> bool {
        self.meter.busy_since().is_some_and(|since| now.saturating_sub(since) > OVERLOADED_NS)
    }
}

/// The TCBs: QR first, then the open ones.
pub(crate) struct Placement {
    doors: Vec<Door>,
    next_open: AtomicUsize,
    /// The region starts.
    starting: AtomicBool,
}

impl Placement {
    /// A choice among these.
    pub fn new(doors: Vec<Door>) -> Self {
        assert!(!doors.is_empty(), "there is always a QR TCB");
        Self { doors, next_open: AtomicUsize::new(0), starting: AtomicBool::new(true) }
    }

    /// The region has started: from now on, tasks that are not asked for on a TCB are spread.
    pub fn started(&self) {
        self.starting.store(false, Ordering::Relaxed);
    }

    /// All TCBs.
    pub fn doors(&self) -> &[Door] {
        &self.doors
    }

    /// The TCB on which a program of that kind begins; `here` is the one whose task or listener asks for it, `now` the
    /// region's clock.
    pub fn choose(&self, concurrency: Concurrency, here: Option<usize>, now: u64) -> usize {
        let (_, open) = self.doors.split_at(1);
        if concurrency == Concurrency::Quasirent || open.is_empty() {
            return 0;
        }
        if self.starting.load(Ordering::Relaxed) {
            return 1;
        }
        let fewest = open.iter().map(Door::tasks).min().unwrap_or(0);
        let may_take = |door: &Door| door.tasks() <= fewest + UNEVEN_MAX && !door.meter.is_stuck();
        let here = here.filter(|here| *here != 0 && may_take(&self.doors[*here]));
        if let Some(here) = here.filter(|here| !self.doors[*here].is_overloaded(now)) {
            return here;
        }
        let resting = open.iter().position(|door| door.rests() && may_take(door));
        resting.map(|at| at + 1).or(here).unwrap_or_else(|| self.in_turn(open))
    }

    /// The next open TCB, of those that are not stuck if there are such.
    fn in_turn(&self, open: &[Door]) -> usize {
        let next = || 1 + self.next_open.fetch_add(1, Ordering::Relaxed) % open.len();
        let works = (0..open.len()).map(|_| next()).find(|at| !self.doors[*at].meter.is_stuck());
        works.unwrap_or_else(next)
    }

    /// A task begins to live on a TCB.
    pub fn enters(&self, tcb: usize) {
        self.doors[tcb].tasks.fetch_add(1, Ordering::Relaxed);
    }

    /// A task of a TCB has ended.
    pub fn leaves(&self, tcb: usize) {
        self.doors[tcb].tasks.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QR: usize = 0;
    const FIRST: usize = 1;
    const SECOND: usize = 2;
    const OPEN: Concurrency = Concurrency::Threadsafe;
    /// When those that are busy became so.
    const START: u64 = 1_000_000;
    /// While they are not overloaded.
    const SOON: u64 = START + OVERLOADED_NS;

    /// QR and two open TCBs, all resting.
    fn placement() -> (Placement, Vec<Inside>) {
        let meters = ["QR", "open-1", "open-2"].map(|name| Arc::new(Meter::new(String::from(name))));
        let (doors, insides) = meters.map(Door::new).into_iter().unzip();
        let placement = Placement::new(doors);
        placement.started();
        (placement, insides)
    }

    #[test]
    fn what_begins_while_the_region_starts_begins_on_the_first_open_tcb() {
        let (placement, _insides) = placement();
        placement.starting.store(true, Ordering::Relaxed);
        placement.doors[FIRST].meter.wakes_at(START);
        assert_eq!(placement.choose(OPEN, None, SOON + 1), FIRST);
        assert_eq!(placement.choose(Concurrency::Quasirent, None, SOON), QR);
        placement.started();
        assert_eq!(placement.choose(OPEN, None, SOON), SECOND);
    }

    #[test]
    fn a_quasirent_program_begins_on_qr() {
        let (placement, _insides) = placement();
        assert_eq!(placement.choose(Concurrency::Quasirent, Some(SECOND), SOON), QR);
    }

    #[test]
    fn the_first_tcb_that_rests_takes_a_task() {
        let (placement, _insides) = placement();
        assert_eq!(placement.choose(OPEN, None, SOON), FIRST);
        placement.doors[FIRST].meter.wakes_at(START);
        assert_eq!(placement.choose(OPEN, None, SOON), SECOND);
    }

    #[test]
    fn a_tcb_with_work_on_its_way_does_not_rest() {
        let (placement, _insides) = placement();
        placement.doors[FIRST].send(Work::Stop);
        assert_eq!(placement.choose(OPEN, None, SOON), SECOND);
    }

    #[test]
    fn tcbs_that_are_busy_take_tasks_in_turn() {
        let (placement, _insides) = placement();
        placement.doors.iter().for_each(|door| door.meter.wakes_at(START));
        let chosen = [(); 4].map(|()| placement.choose(OPEN, None, SOON));
        assert_eq!(chosen, [FIRST, SECOND, FIRST, SECOND]);
    }

    #[test]
    fn what_a_task_starts_stays_with_it() {
        let (placement, _insides) = placement();
        placement.doors[SECOND].meter.wakes_at(START);
        assert_eq!(placement.choose(OPEN, Some(SECOND), SOON), SECOND);
    }

    #[test]
    fn what_a_task_on_qr_starts_goes_to_an_open_tcb() {
        let (placement, _insides) = placement();
        assert_eq!(placement.choose(OPEN, Some(QR), SOON), FIRST);
    }

    #[test]
    fn a_tcb_that_never_rests_passes_tasks_on() {
        let (placement, _insides) = placement();
        placement.doors[FIRST].meter.wakes_at(START);
        assert_eq!(placement.choose(OPEN, Some(FIRST), SOON + 1), SECOND);
        placement.doors[SECOND].meter.wakes_at(START);
        assert_eq!(placement.choose(OPEN, Some(FIRST), SOON + 1), FIRST, "unless all are busy");
    }

    #[test]
    fn a_stuck_tcb_gets_no_task() {
        let (placement, _insides) = placement();
        placement.doors[FIRST].meter.stuck.send_replace(true);
        placement.doors.iter().for_each(|door| door.meter.wakes_at(START));
        let chosen = [None, Some(FIRST), None].map(|here| placement.choose(OPEN, here, SOON));
        assert_eq!(chosen, [SECOND; 3]);
    }

    #[test]
    fn no_tcb_gets_many_tasks_more_than_another() {
        let (placement, _insides) = placement();
        for _ in 0..=UNEVEN_MAX {
            assert_eq!(placement.choose(OPEN, Some(FIRST), SOON), FIRST);
            placement.enters(FIRST);
        }
        assert_eq!(placement.choose(OPEN, Some(FIRST), SOON), SECOND);
        placement.leaves(FIRST);
        assert_eq!(placement.choose(OPEN, Some(FIRST), SOON), FIRST);
    }
}
