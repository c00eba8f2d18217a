//! Counters of a TCB.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use spec::measures::REQUEST_SLOTS;
use tokio::sync::watch;

use super::process::{clock_of, processor_time};
use super::{Requests, TraceEntry, TraceTable, Traced};
use crate::limits::WAIT_KINDS_MAX;
use crate::name::{Name8, TransactionName};
use crate::ticks::Reading;
use crate::waits::WaitKind;

/// A counter that one thread adds to and others read.
#[derive(Debug, Default)]
pub struct Tally(AtomicU64);

impl Tally {
    /// Adds; only the thread that the counter belongs to may.
    #[inline]
    pub fn add(&self, more: u64) {
        self.0.store(self.get().wrapping_add(more), Ordering::Relaxed);
    }

    /// The sum.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}

/// A time and how often it was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timed {
    /// Nanoseconds.
    pub time: u64,
    /// Number of times.
    pub count: u64,
}

impl Timed {
    /// Another one.
    pub(crate) fn add(&mut self, time: u64) {
        self.time += time;
        self.count += 1;
    }

    /// The rest beyond an earlier one.
    pub fn since(self, before: Self) -> Self {
        let (time, count) = (self.time.saturating_sub(before.time), self.count.saturating_sub(before.count));
        Self { time, count }
    }
}

/// Nanoseconds below which a thread has not rested.
const SHORTEST_REST_NS: u64 = 50_000;

/// The counters of a TCB. Its thread adds, everybody reads.
#[derive(Debug)]
pub struct Meter {
    /// Its name.
    pub name: String,
    /// Dispatches of tasks.
    pub dispatches: Tally,
    /// Dispatches that ended with a wait.
    pub suspensions: Tally,
    /// Tasks of the application that have ended.
    pub tasks: Tally,
    /// Tasks of the product that have ended.
    pub supplied_tasks: Tally,
    /// Units of work that were committed, of tasks that have ended here.
    pub committed: Tally,
    /// Units of work that were backed out.
    pub backed_out: Tally,
    /// Times that it had nothing to do.
    pub idles: Tally,
    /// Nanoseconds in which it had nothing to do.
    pub idle_ns: Tally,
    /// Nanoseconds of processor time that tasks have got here.
    pub work_ns: Tally,
    /// Nanoseconds of processor time of what it does beside tasks: clients accepted, timers, messages that no task has
    /// taken yet.
    pub beside_ns: Tally,
    /// Requests of tasks that have ended here.
    pub requests: [Tally; REQUEST_SLOTS],
    /// Waits of tasks that have ended here, by cause.
    pub waits: [Tally; WAIT_KINDS_MAX],
    /// Nanoseconds that monitored ones among them waited, by cause.
    pub wait_ns: [Tally; WAIT_KINDS_MAX],
    /// The task that it has dispatched; 0: none.
    pub(crate) task: Tally,
    /// True if it has not come back to its event loop for long, as the watchdog has seen.
    pub(crate) stuck: watch::Sender<bool>,
    /// Its thread as the operating system knows it; 0: not yet, or no more.
    thread: Tally,
    /// Nanoseconds of processor time when its thread ended.
    processor_at_end: Tally,
    idle_since: Tally,
    busy_since: Tally,
    /// 0: it has nothing to do.
    busy: Tally,
    /// The end of the last dispatch, or the end of a rest after it: by the region's clock, and the thread's processor time by
    /// then.
    resumed: Tally,
    resumed_processor: Tally,
    /// True if the work of tasks is summed up.
    sums: AtomicBool,
    /// Its part of the internal trace.
    pub trace: Arc<TraceTable>,
}

impl Meter {
    /// A TCB's counters.
    pub fn new(name: String) -> Self {
        Self {
            name,
            dispatches: Tally::default(),
            suspensions: Tally::default(),
            tasks: Tally::default(),
            supplied_tasks: Tally::default(),
            committed: Tally::default(),
            backed_out: Tally::default(),
            idles: Tally::default(),
            idle_ns: Tally::default(),
            work_ns: Tally::default(),
            beside_ns: Tally::default(),
            requests: std::array::from_fn(|_| Tally::default()),
            waits: std::array::from_fn(|_| Tally::default()),
            wait_ns: std::array::from_fn(|_| Tally::default()),
            task: Tally::default(),
            stuck: watch::Sender::new(false),
            thread: Tally::default(),
            processor_at_end: Tally::default(),
            idle_since: Tally::default(),
            busy_since: Tally::default(),
            busy: Tally::default(),
            resumed: Tally::default(),
            resumed_processor: Tally::default(),
            sums: AtomicBool::new(true),
            trace: Arc::default(),
        }
    }

    /// The TCB's thread has started: this one.
    pub(crate) fn started(&self) {
        self.thread.set(u64::try_from(nix::unistd::gettid().as_raw()).unwrap_or_default());
        self.trace.is_written_here();
    }

    /// The TCB's thread ends: this one.
    pub(crate) fn stops(&self) {
        self.processor_at_end.set(self.processor_ns());
        self.thread.set(0);
    }

    /// A task is dispatched.
    #[inline]
    pub(crate) fn dispatches(&self, task: u32) {
        self.task.set(task.into());
    }

    /// Returns true if it has not come back to its event loop for long.
    pub(crate) fn is_stuck(&self) -> bool {
        *self.stuck.borrow()
    }

    /// A task was dispatched.
    #[inline]
    pub(crate) fn dispatched(&self, waits: bool) {
        self.task.set(0);
        self.dispatches.add(1);
        if waits {
            self.suspensions.add(1);
        }
    }

    /// The thread has nothing to do.
    pub(crate) fn idles(&self) {
        self.idles.add(1);
        let (since, now) = (self.last_reading(), Reading::now());
        self.beside_ns.add(now.since(since));
        self.idle_since.set(now.at);
        self.busy.set(0);
    }

    /// The thread has something to do again.
    pub(crate) fn wakes(&self) {
        let reading = Reading::rested();
        self.resumes_at(reading);
        self.wakes_at(reading.at);
    }

    fn last_reading(&self) -> Reading {
        Reading { at: self.resumed.get(), processor: self.resumed_processor.get() }
    }

    #[inline]
    fn resumes_at(&self, reading: Reading) {
        self.resumed.set(reading.at);
        self.resumed_processor.set(reading.processor);
    }

    /// Switches the sums over tasks: the benchmark alone does.
    pub fn set_sums(&self, on: bool) {
        self.sums.store(on, Ordering::Relaxed);
    }

    /// Returns true if the work of tasks is summed up.
    #[inline]
    pub(crate) fn has_sums(&self) -> bool {
        self.sums.load(Ordering::Relaxed)
    }

    /// A dispatch is over: the processor time since the one before, or since the thread has rested. So what the thread does
    /// from one task to the next is the next one's.
    #[inline]
    pub(crate) fn worked(&self) -> u64 {
        let (since, now) = (self.last_reading(), Reading::now());
        self.resumes_at(now);
        let processor = now.since(since);
        self.work_ns.add(processor);
        processor
    }

    /// A task of a transaction begins here: an entry of the trace.
    #[inline]
    pub(crate) fn traces_begin(&self, task: u32, transaction: TransactionName) {
        if self.trace.is_on() {
            let name = *Name8::new(transaction.as_bytes()).as_bytes();
            let (at, traced) = (self.resumed.get(), Traced::Begins);
            self.trace.add(TraceEntry { at, task, traced, code: 0, name, detail: 0 });
        }
    }

    /// A dispatch is over: an entry of the trace. `waits_for`: the kind of the task's wait; `None` if it has ended, or gives way.
    #[inline]
    pub(crate) fn traces_dispatch(&self, task: u32, waits_for: Option<WaitKind>, processor: u64) {
        if self.trace.is_on() {
            let code = waits_for.map_or(0, |kind| kind.place() as u16 + 1);
            let (at, traced, name) = (self.resumed.get(), Traced::Dispatched, [b' '; 8]);
            self.trace.add(TraceEntry { at, task, traced, code, name, detail: processor });
        }
    }

    /// The end of the last dispatch by the region's clock.
    #[inline]
    pub(crate) fn last_end(&self) -> u64 {
        self.resumed.get()
    }

    /// The same at a time by the region's clock. An event loop with more to do only looks for events in between.
    pub(crate) fn wakes_at(&self, time: u64) {
        let idle = time.saturating_sub(self.idle_since.get());
        self.idle_ns.add(idle);
        if idle >= SHORTEST_REST_NS {
            self.busy_since.set(time);
        }
        self.busy.set(1);
    }

    /// Start of the thread's present work, by the region's clock; `None` if it has nothing to do.
    pub(crate) fn busy_since(&self) -> Option<u64> {
        (self.busy.get() != 0).then(|| self.busy_since.get())
    }

    /// A task's last program has ended here, after so many units of work.
    /// Returns the number of its requests.
    pub(crate) fn requested(&self, requests: &Requests, committed: u32, backed_out: u32) -> u64 {
        let mut all = 0;
        for (slot, count) in requests.counted() {
            self.requests[slot].add(count);
            all += count;
        }
        self.committed.add(committed.into());
        self.backed_out.add(backed_out.into());
        all
    }

    /// A task has ended here, the application's or the product's, and has waited so often, by cause.
    pub(crate) fn ended(&self, is_supplied: bool, waits: [u32; WAIT_KINDS_MAX]) {
        let tasks = if is_supplied { &self.supplied_tasks } else { &self.tasks };
        tasks.add(1);
        for (total, count) in self.waits.iter().zip(waits) {
            total.add(count.into());
        }
    }

    /// A monitored task that has ended here has waited so long, by cause.
    pub(crate) fn waited(&self, waits: &[Timed; WAIT_KINDS_MAX]) {
        for (total, timed) in self.wait_ns.iter().zip(waits) {
            total.add(timed.time);
        }
        // What a task waits for on its way to another TCB it does not wait for itself.
        let way = WaitKind::TCB.place();
        self.waits[way].add(waits[way].count);
    }

    /// The number of its thread; 0: it has ended, or not begun.
    pub fn thread(&self) -> u64 {
        self.thread.get()
    }

    /// Nanoseconds of processor time since the thread started.
    pub fn processor_ns(&self) -> u64 {
        match self.thread.get() {
            0 => self.processor_at_end.get(),
            thread => processor_time(clock_of(thread)).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_s_processor_time_is_seen_from_outside_and_kept_when_it_has_ended() {
        let meter = Arc::new(Meter::new(String::from("QR")));
        let (counted, theirs) = (Arc::clone(&meter), Arc::clone(&meter));
        let (working, works) = std::sync::mpsc::channel();
        let (done, ends) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            counted.started();
            while counted.processor_ns() < 2_000_000 {}
            let _ = working.send(());
            let _ = ends.recv();
            counted.stops();
        });
        works.recv().expect("it works");
        let seen = theirs.processor_ns();
        assert!(seen >= 2_000_000, "{seen}");
        drop(done);
        thread.join().expect("it ends");
        assert!(meter.processor_ns() >= seen);
    }
}
