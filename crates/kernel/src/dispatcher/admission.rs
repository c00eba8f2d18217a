//! Admission: MXT and transaction classes.
//!
//! Who must get in when nobody else does has places of its own beyond MXT ([`CountsAs`]): operators, those who sign on to
//! become one, and what the region itself waits for. These places have limits, too.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use foldhash::{HashMap, HashSet};

use super::Admitted;
use crate::limits::{ATTACH_QUEUE_MAX, OPERATOR_TASKS_MAX, REGION_TASKS_MAX, SIGN_ON_TASKS_MAX};
use crate::meters::Queued;
use crate::name::Name8;
use crate::transactions::CountsAs;

/// Why a task is not attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachError {
    /// There is no such transaction.
    Unknown,
    /// It is disabled.
    Disabled,
    /// It is one of another system.
    Remote,
    /// The user may not run it.
    NotAuthorized,
    /// Too many tasks wait already.
    QueueFull,
    /// The region is shutting down.
    Closing,
    /// The terminal has a task already.
    TerminalBusy,
}

/// Who may run: at most MXT tasks, and of each class at most its MAXACTIVE.
pub(crate) struct Admission {
    tasks_max: usize,
    running: usize,
    classes: HashMap<Name8, Class>,
    /// Tasks that run beyond MXT, by number.
    beyond: HashMap<u32, CountsAs>,
    queue: VecDeque<Box<Admitted>>,
    /// The numbers of those that wait.
    queued: HashSet<u32>,
    closed: bool,
    counted: Admissions,
}

/// What came of admission, for statistics.
#[derive(Clone, Copy, Debug, Default)]
pub struct Admissions {
    /// MXT.
    pub limit: usize,
    /// Tasks that run.
    pub running: usize,
    /// Tasks that wait.
    pub queued: usize,
    /// The most tasks that ran at once.
    pub running_peak: usize,
    /// The most tasks that waited at once.
    pub queued_peak: usize,
    /// Tasks that were let in.
    pub admitted: u64,
    /// Tasks that had to wait for MXT.
    pub delayed: u64,
    /// Times that MXT was reached.
    pub at_limit: u64,
}

/// A transaction class as INQUIRE TRANCLASS sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassInfo {
    /// Its name.
    pub name: Name8,
    /// MAXACTIVE.
    pub tasks_max: usize,
    /// Tasks that run.
    pub running: usize,
    /// Tasks that wait.
    pub queued: usize,
}

/// A class that is defined, or that tasks of it run: a definition may come and go while they do.
#[derive(Default)]
struct Class {
    /// MAXACTIVE; `None`: it is not defined.
    tasks_max: Option<usize>,
    /// PURGETHRESH: how many may wait; `None`: all.
    waiting_max: Option<usize>,
    running: usize,
}

/// A task that is not let in, and why.
pub(crate) type NotAdmitted = (AttachError, Box<Admitted>);

impl Admission {
    pub fn new(tasks_max: usize) -> Self {
        Self {
            tasks_max,
            running: 0,
            classes: HashMap::default(),
            beyond: HashMap::default(),
            queue: VecDeque::new(),
            queued: HashSet::default(),
            closed: false,
            counted: Admissions::default(),
        }
    }

    pub fn tasks_max(&self) -> usize {
        self.tasks_max
    }

    pub fn set_tasks_max(&mut self, tasks_max: usize) {
        self.tasks_max = tasks_max;
    }

    pub fn set_class_max(&mut self, class: Name8, tasks_max: usize) {
        self.classes.entry(class).or_default().tasks_max = Some(tasks_max);
    }

    /// PURGETHRESH: beyond so many that wait, further tasks of the class are not attached.
    pub fn set_class_waiting_max(&mut self, class: Name8, waiting_max: Option<usize>) {
        self.classes.entry(class).or_default().waiting_max = waiting_max;
    }

    /// The class is not defined any more: nothing limits its tasks.
    pub fn remove_class(&mut self, class: Name8) {
        if let Some(known) = self.classes.get_mut(&class) {
            (known.tasks_max, known.waiting_max) = (None, None);
        }
        self.classes.retain(|_, class| class.tasks_max.is_some() || class.running > 0);
    }

    /// The classes, by name.
    pub fn classes(&self) -> Vec<ClassInfo> {
        let queued = |name| self.queue.iter().filter(|a| a.control.transaction.class == name).count();
        let info = |(name, class): (&Name8, &Class)| {
            let (tasks_max, running) = (class.tasks_max?, class.running);
            Some(ClassInfo { name: *name, tasks_max, running, queued: queued(*name) })
        };
        let mut classes: Vec<_> = self.classes.iter().filter_map(info).collect();
        classes.sort_by_key(|class| class.name);
        classes
    }

    /// Takes a task in: it comes back if it may run now, and waits here otherwise.
    pub fn offer(&mut self, admitted: Box<Admitted>) -> Result<Option<Box<Admitted>>, NotAdmitted> {
        if self.closed {
            return Err((AttachError::Closing, admitted));
        }
        let class = admitted.control.transaction.class;
        if self.queue.is_empty() && self.has_room(class) {
            self.take_room(class);
            return Ok(Some(admitted));
        }
        if self.has_place_beyond(admitted.control.transaction.counts_as) {
            self.beyond.insert(admitted.control.number, admitted.control.transaction.counts_as);
            return Ok(Some(admitted));
        }
        if self.queue.len() >= ATTACH_QUEUE_MAX || self.is_crowded(class) {
            return Err((AttachError::QueueFull, admitted));
        }
        self.count_queued(&admitted);
        self.queued.insert(admitted.control.number);
        self.queue.push_back(admitted);
        self.counted.queued_peak = self.counted.queued_peak.max(self.queue.len());
        // A task behind one whose class is full may still run.
        Ok(self.next())
    }

    /// Whether as many tasks of a class wait as may.
    fn is_crowded(&self, class: Name8) -> bool {
        let most = self.classes.get(&class).and_then(|class| class.waiting_max);
        let waiting = || self.queue.iter().filter(|a| a.control.transaction.class == class).count();
        most.is_some_and(|most| waiting() >= most)
    }

    /// A task has ended: the first that may run now.
    pub fn release(&mut self, number: u32, class: Name8) -> Option<Box<Admitted>> {
        if !self.beyond.is_empty() && self.beyond.remove(&number).is_some() {
            return self.next();
        }
        self.running -= 1;
        if let Entry::Occupied(mut known) = self.classes.entry(class) {
            known.get_mut().running -= 1;
            if known.get().running == 0 && known.get().tasks_max.is_none() {
                known.remove();
            }
        }
        self.next()
    }

    /// Takes nobody in any more: those that wait.
    pub fn close(&mut self) -> VecDeque<Box<Admitted>> {
        self.closed = true;
        self.queued.clear();
        std::mem::take(&mut self.queue)
    }

    /// Whether a task of this number waits.
    pub fn is_queued(&self, number: u32) -> bool {
        self.queued.contains(&number)
    }

    /// Whether MXT is reached.
    pub fn is_full(&self) -> bool {
        self.running >= self.tasks_max
    }

    /// How many wait because MXT is reached.
    pub fn waiting_for_limit(&self) -> usize {
        if self.is_full() { self.queue.len() } else { 0 }
    }

    /// What came of it so far; with `reset`, the highest numbers begin anew.
    pub fn counted(&mut self, reset: bool) -> Admissions {
        let counted = Admissions {
            limit: self.tasks_max,
            running: self.running,
            queued: self.queue.len(),
            ..self.counted
        };
        if reset {
            self.counted.running_peak = self.running;
            self.counted.queued_peak = self.queue.len();
        }
        counted
    }

    fn count_queued(&mut self, admitted: &Admitted) {
        let why = if self.running >= self.tasks_max { Queued::Limit } else { Queued::Class };
        self.counted.delayed += u64::from(why == Queued::Limit);
        if let Some(performance) = admitted.control.performance() {
            performance.queued(why);
        }
    }

    /// The first of those that wait and may run now.
    pub fn next(&mut self) -> Option<Box<Admitted>> {
        let at = self.queue.iter().position(|a| self.has_room(a.control.transaction.class))?;
        let admitted = self.queue.remove(at)?;
        self.queued.remove(&admitted.control.number);
        self.take_room(admitted.control.transaction.class);
        Some(admitted)
    }

    fn has_room(&self, class: Name8) -> bool {
        let has_room = |class: &Class| class.tasks_max.is_none_or(|most| class.running < most);
        self.running < self.tasks_max && self.classes.get(&class).is_none_or(has_room)
    }

    fn has_place_beyond(&self, counts_as: CountsAs) -> bool {
        let places = match counts_as {
            CountsAs::User => return false,
            CountsAs::SignOn => SIGN_ON_TASKS_MAX,
            CountsAs::Operator => OPERATOR_TASKS_MAX,
            CountsAs::Region => REGION_TASKS_MAX,
        };
        self.beyond.values().filter(|taken| **taken == counts_as).count() < places
    }

    fn take_room(&mut self, class: Name8) {
        self.running += 1;
        self.counted.admitted += 1;
        self.counted.running_peak = self.counted.running_peak.max(self.running);
        self.counted.at_limit += u64::from(self.running == self.tasks_max);
        if !class.is_blank() {
            self.classes.entry(class).or_default().running += 1;
        }
    }
}
