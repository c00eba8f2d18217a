//! Admission: MXT and transaction classes.
//!
//! Tasks that must get in when no other does have places of their own beyond MXT ([`CountsAs`]): operators, those who sign on to
//! become one, and what the region itself waits for. These places have limits, too.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use foldhash::HashMap;

use super::Admitted;
use crate::limits::{ATTACH_QUEUE_MAX, OPERATOR_TASKS_MAX, REGION_TASKS_MAX, SIGN_ON_TASKS_MAX};
use crate::meters::Queued;
use crate::name::Name8;
use crate::transactions::CountsAs;

/// Reasons why a task is not attached.
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

/// Tasks that may run: at most MXT, and of each class at most its MAXACTIVE.
pub(crate) struct Admission {
    tasks_max: usize,
    running: usize,
    classes: HashMap<Name8, Class>,
    /// Tasks that run beyond MXT, by number.
    beyond: HashMap<u32, CountsAs>,
    /// Those that wait, by class: the next one is found without a look at all of them.
    queues: HashMap<Name8, VecDeque<Waiting>>,
    /// Number of tasks that wait.
    queued: usize,
    /// Number of tasks that have waited.
    came: u64,
    closed: bool,
    counted: Admissions,
}

/// A task that waits, and its number among all that have waited.
type Waiting = (u64, Box<Admitted>);

/// Results of admission, for statistics.
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
    /// Counts of the class.
    pub counts: ClassCounts,
}

/// The counts of a transaction class since the region's start, or since its first task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCounts {
    /// Tasks that were to be attached.
    pub offered: u64,
    /// Tasks that began without waiting.
    pub at_once: u64,
    /// Tasks that have waited and begun.
    pub after_waiting: u64,
    /// Tasks that were refused since as many waited as may.
    pub refused: u64,
    /// Times that as many ran as may.
    pub at_limit: u64,
    /// The most tasks that ran at once.
    pub running_peak: usize,
    /// The most tasks that waited at once.
    pub queued_peak: usize,
}

/// A class that is defined, or that tasks of it run: a definition may come and go while they do.
#[derive(Default)]
struct Class {
    /// MAXACTIVE; `None`: it is not defined.
    tasks_max: Option<usize>,
    /// PURGETHRESH: how many may wait; `None`: all.
    waiting_max: Option<usize>,
    running: usize,
    counts: ClassCounts,
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
            queues: HashMap::default(),
            queued: 0,
            came: 0,
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
        let info = |(name, class): (&Name8, &Class)| {
            let (tasks_max, running, counts) = (class.tasks_max?, class.running, class.counts);
            Some(ClassInfo { name: *name, tasks_max, running, queued: self.queued_of(*name), counts })
        };
        let mut classes: Vec<_> = self.classes.iter().filter_map(info).collect();
        classes.sort_by_key(|class| class.name);
        classes
    }

    /// The highest numbers of all classes start again.
    pub fn reset_class_peaks(&mut self) {
        for (name, class) in &mut self.classes {
            class.counts.running_peak = class.running;
            class.counts.queued_peak = self.queues.get(name).map_or(0, VecDeque::len);
        }
    }

    /// Counts something of a class, if it is defined.
    fn count_of(&mut self, class: Name8, count: impl FnOnce(&mut ClassCounts)) {
        if class.is_blank() {
            return;
        }
        if let Some(class) = self.classes.get_mut(&class).filter(|class| class.tasks_max.is_some()) {
            count(&mut class.counts);
        }
    }

    /// Takes a task in: it comes back if it may run now, and waits here otherwise.
    pub fn offer(&mut self, admitted: Box<Admitted>) -> Result<Option<Box<Admitted>>, NotAdmitted> {
        let class = admitted.control.transaction.class;
        if self.closed && !(admitted.attach.finishes && self.has_room(class)) {
            return Err((AttachError::Closing, admitted));
        }
        self.count_of(class, |counts| counts.offered += 1);
        if self.queued == 0 && self.has_room(class) {
            self.take_room(class);
            self.count_of(class, |counts| counts.at_once += 1);
            return Ok(Some(admitted));
        }
        if self.has_place_beyond(admitted.control.transaction.counts_as) {
            self.beyond.insert(admitted.control.number, admitted.control.transaction.counts_as);
            return Ok(Some(admitted));
        }
        if self.queued >= ATTACH_QUEUE_MAX || self.is_crowded(class) {
            self.count_of(class, |counts| counts.refused += 1);
            return Err((AttachError::QueueFull, admitted));
        }
        self.count_queued(&admitted);
        self.came += 1;
        self.queued += 1;
        self.queues.entry(class).or_default().push_back((self.came, admitted));
        self.counted.queued_peak = self.counted.queued_peak.max(self.queued);
        let queued = self.queued_of(class);
        self.count_of(class, |counts| counts.queued_peak = counts.queued_peak.max(queued));
        // A task behind one whose class is full may still run.
        Ok(self.next())
    }

    /// Returns true if as many tasks of a class wait as may.
    fn is_crowded(&self, class: Name8) -> bool {
        let most = self.classes.get(&class).and_then(|class| class.waiting_max);
        most.is_some_and(|most| self.queued_of(class) >= most)
    }

    /// Number of tasks of a class that run.
    pub fn running_of(&self, class: Name8) -> usize {
        self.classes.get(&class).map_or(0, |class| class.running)
    }

    /// Number of tasks of a class that wait.
    fn queued_of(&self, class: Name8) -> usize {
        self.queues.get(&class).map_or(0, VecDeque::len)
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

    /// Admits no more tasks. Returns those that wait.
    pub fn close(&mut self) -> Vec<Admitted> {
        self.closed = true;
        self.queued = 0;
        let mut waiting: Vec<Waiting> = self.queues.drain().flat_map(|(_, queue)| queue).collect();
        waiting.sort_unstable_by_key(|(came, _)| *came);
        waiting.into_iter().map(|(_, admitted)| *admitted).collect()
    }

    /// Returns true if MXT is reached.
    pub fn is_full(&self) -> bool {
        self.running >= self.tasks_max
    }

    /// Number of tasks that wait because MXT is reached.
    pub fn waiting_for_limit(&self) -> usize {
        if self.is_full() { self.queued } else { 0 }
    }

    /// Results of admission so far; with `reset`, the highest numbers start again.
    pub fn counted(&mut self, reset: bool) -> Admissions {
        let counted =
            Admissions { limit: self.tasks_max, running: self.running, queued: self.queued, ..self.counted };
        if reset {
            self.counted.running_peak = self.running;
            self.counted.queued_peak = self.queued;
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
        if self.queued == 0 || self.is_full() {
            return None;
        }
        let of_class = |(class, queue): (&Name8, &VecDeque<Waiting>)| Some((queue.front()?.0, *class));
        let firsts = self.queues.iter().filter(|(class, _)| self.has_room(**class)).filter_map(of_class);
        let (_, class) = firsts.min_by_key(|(came, _)| *came)?;
        let Entry::Occupied(mut queue) = self.queues.entry(class) else { return None };
        let (_, admitted) = queue.get_mut().pop_front()?;
        if queue.get().is_empty() {
            queue.remove();
        }
        self.queued -= 1;
        self.take_room(class);
        self.count_of(class, |counts| counts.after_waiting += 1);
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
            let known = self.classes.entry(class).or_default();
            known.running += 1;
            known.counts.running_peak = known.counts.running_peak.max(known.running);
            known.counts.at_limit += u64::from(known.tasks_max == Some(known.running));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::dispatcher::Attach;
    use crate::security::User;
    use crate::task::{StartCode, TaskControl, TaskParts};

    fn task(number: u32, class: &str) -> Box<Admitted> {
        let mut parts = TaskParts::of_a_test(number, "WORK");
        let transaction = Arc::get_mut(&mut parts.transaction).expect("nobody else has it");
        transaction.class = Name8::from(class);
        let attach = Attach::new("WORK".into(), StartCode::System, User::region());
        Box::new(Admitted { attach, program: None, control: Arc::new(TaskControl::new(parts)) })
    }

    fn number(admitted: Option<Box<Admitted>>) -> Option<u32> {
        Some(admitted?.control.number)
    }

    /// The number of the task that begins when this one is offered.
    fn offered(admission: &mut Admission, of: u32, class: &str) -> Option<u32> {
        number(
            admission.offer(task(of, class)).map_err(|(why, _)| why).expect("there is a place in the queue"),
        )
    }

    #[test]
    fn who_waits_first_begins_first_among_those_whose_class_has_room() {
        let (mut admission, small) = (Admission::new(2), Name8::from("SMALL"));
        admission.set_class_max(small, 1);
        assert_eq!(offered(&mut admission, 1, "SMALL"), Some(1));
        assert_eq!(offered(&mut admission, 2, "SMALL"), None);
        assert_eq!(offered(&mut admission, 3, ""), Some(3), "its class has room");
        assert_eq!([4, 5].map(|of| offered(&mut admission, of, ["", "SMALL"][of as usize - 4])), [None; 2]);
        let counts = admission.classes()[0].counts;
        assert_eq!((counts.offered, counts.at_once, counts.queued_peak, counts.at_limit), (3, 1, 2, 1));
        let queued: Vec<_> = admission.classes().iter().map(|class| class.queued).collect();
        assert_eq!((queued, admission.waiting_for_limit()), (vec![2], 3));
        assert_eq!(number(admission.release(3, Name8::from(""))), Some(4));
        assert_eq!(number(admission.release(1, small)), Some(2), "it has waited longest");
        assert_eq!(number(admission.release(4, Name8::from(""))), None);
        admission.set_class_max(small, 2);
        assert_eq!(number(admission.next()), Some(5));
        assert_eq!(admission.waiting_for_limit(), 0);
    }

    #[test]
    fn those_that_wait_when_the_region_ends_come_in_their_order() {
        let mut admission = Admission::new(0);
        let classes = ["", "A", "B", "", "A"];
        (1..).zip(classes).for_each(|(of, class)| assert_eq!(offered(&mut admission, of, class), None));
        let waited: Vec<_> = admission.close().into_iter().map(|admitted| admitted.control.number).collect();
        assert_eq!(waited, [1, 2, 3, 4, 5]);
        assert!(matches!(admission.offer(task(6, "")), Err((AttachError::Closing, _))));
    }
}
