//! The flag that stops programs: a thread raises it where a program's time is over, or its task is to end.
//!
//! That thread alone reads the clock, which is the processor time of the thread that runs the program: on a busy machine a program has
//! as much of it as on any other. A program that gives way only says so, and its time begins when the thread looks next: it may have
//! a little more than its limit, and never less.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;

use crate::task::TaskControl;
use crate::ticks::ThreadClock;

/// Interval of the thread's looks.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Pace of a thread's program, for the thread that stops programs.
pub(super) struct Pace {
    /// The processor time of the thread.
    clock: ThreadClock,
    flag: AtomicU32,
    /// The program has given way: its time begins again.
    renewed: AtomicBool,
    /// The level whose time it is that runs.
    level: AtomicU64,
    seen: Mutex<Seen>,
}

/// State that the thread looks at.
#[derive(Default)]
struct Seen {
    /// The task whose program runs.
    task: Option<Arc<TaskControl>>,
    limit: Option<Duration>,
    /// The processor time of the thread at which the program's is over.
    until: Option<Duration>,
    /// The task that was seen last, with its processor time and that of the thread then: what it has run since no dispatch has
    /// told yet.
    since: (u32, u64, Duration),
}

impl Seen {
    /// Returns true if the task that runs has passed a threshold of time that ends it.
    fn ends_by_time(&mut self, now: Duration) -> bool {
        let Some(task) = &self.task else { return false };
        let known = (task.number, task.processor_ns());
        if (self.since.0, self.since.1) != known {
            self.since = (known.0, known.1, now);
        }
        let running = now.saturating_sub(self.since.2).as_nanos();
        task.ends_by_time(u64::try_from(running).unwrap_or(u64::MAX))
    }
}

static IS_WATCHED: AtomicBool = AtomicBool::new(false);
static PACES: Mutex<Vec<Weak<Pace>>> = Mutex::new(Vec::new());
static LEVELS: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static HERE: Arc<Pace> = Pace::begin();
}

/// A number for a level, which no other has.
pub(super) fn number_of_level() -> u64 {
    LEVELS.fetch_add(1, Ordering::Relaxed)
}

impl Pace {
    /// Something with that of this thread.
    pub fn here<T>(what: impl FnOnce(&Self) -> T) -> T {
        HERE.with(|pace| what(pace))
    }

    fn of_this_thread() -> Self {
        Self {
            clock: ThreadClock::of_this_thread(),
            flag: AtomicU32::default(),
            renewed: AtomicBool::default(),
            level: AtomicU64::default(),
            seen: Mutex::default(),
        }
    }

    fn begin() -> Arc<Self> {
        let pace = Arc::new(Self::of_this_thread());
        PACES.lock().push(Arc::downgrade(&pace));
        pace
    }

    /// The flag of the program that runs.
    pub fn flag(&self) -> &AtomicU32 {
        &self.flag
    }

    /// Returns true if the program has to stop.
    #[inline]
    pub fn must_stop(&self) -> bool {
        self.flag.load(Ordering::Relaxed) != 0
    }

    /// The program that runs has given way: its time begins again.
    #[inline]
    pub fn renew(&self) {
        self.renewed.store(true, Ordering::Relaxed);
    }

    /// A task's program goes on. Its time begins again if it has given way, or another level has run here meanwhile. Without a
    /// thread that looks, it does not run.
    ///
    /// # Errors
    /// The operating system has no thread.
    pub fn goes_on(
        &self,
        task: &Arc<TaskControl>,
        level: u64,
        limit: Option<Duration>,
        has_given_way: bool,
    ) -> std::io::Result<()> {
        if !IS_WATCHED.load(Ordering::Acquire) {
            watch()?;
        }
        let mut seen = self.seen.lock();
        // The flag and what it is raised for change together: the thread that looks has the same lock.
        if has_given_way || self.level.load(Ordering::Relaxed) != level {
            self.level.store(level, Ordering::Relaxed);
            self.flag.store(0, Ordering::Relaxed);
            self.renew();
            (seen.limit, seen.until) = (limit, None);
        }
        if task.is_terminated() {
            self.flag.store(1, Ordering::Relaxed);
        }
        seen.task = Some(Arc::clone(task));
        Ok(())
    }

    /// It rests.
    pub fn rests(&self) {
        self.seen.lock().task = None;
    }

    /// Looks, at so much processor time of its thread.
    fn look(&self, now: Duration) {
        let mut seen = self.seen.lock();
        if self.renewed.swap(false, Ordering::Relaxed) {
            seen.until = seen.limit.map(|limit| now + limit);
        }
        let is_over = seen.until.is_some_and(|until| now >= until);
        let is_to_end = seen.task.as_ref().is_some_and(|task| task.is_terminated());
        let is_over_time = seen.ends_by_time(now);
        if is_over || is_to_end || is_over_time {
            self.flag.store(1, Ordering::Relaxed);
        }
    }
}

/// Starts the thread that looks, which ends when no thread runs programs any more.
fn watch() -> std::io::Result<()> {
    let _one = PACES.lock();
    if IS_WATCHED.swap(true, Ordering::AcqRel) {
        return Ok(());
    }
    let builder = std::thread::Builder::new().name("runaway".to_owned());
    let started = builder.spawn(|| {
        loop {
            std::thread::sleep(LOOK_EVERY);
            let mut paces = PACES.lock();
            paces.retain(|pace| pace.strong_count() > 0);
            if paces.is_empty() {
                IS_WATCHED.store(false, Ordering::Release);
                return;
            }
            paces.iter().filter_map(Weak::upgrade).for_each(|pace| pace.look(pace.clock.read()));
        }
    });
    started.map(drop).inspect_err(|_| IS_WATCHED.store(false, Ordering::Release))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::TaskParts;

    const LIMIT: Duration = Duration::from_secs(5);

    fn task() -> Arc<TaskControl> {
        Arc::new(TaskControl::new(TaskParts::of_a_test(1, "WORK")))
    }

    #[test]
    fn time_runs_on_from_one_rest_to_the_next_until_the_program_gives_way() {
        let (pace, task, begun) = (Pace::of_this_thread(), task(), Duration::from_secs(1));
        let goes_on = |has_given_way| pace.goes_on(&task, 7, Some(LIMIT), has_given_way).expect("a thread");
        goes_on(true);
        pace.look(begun);
        pace.rests();
        goes_on(false);
        pace.look(begun + LIMIT / 2);
        assert!(!pace.must_stop());
        pace.rests();
        // It is over while the program rests, and seen when it goes on.
        pace.look(begun + LIMIT);
        goes_on(false);
        assert!(pace.must_stop());
        goes_on(true);
        assert!(!pace.must_stop());
        pace.look(begun + LIMIT);
        pace.renew();
        pace.look(begun + LIMIT * 2);
        assert!(!pace.must_stop(), "a command that might have waited");
        pace.look(begun + LIMIT * 3);
        assert!(pace.must_stop());
    }

    #[test]
    fn another_level_has_time_of_its_own_and_no_limit_is_none() {
        let (pace, task, begun) = (Pace::of_this_thread(), task(), Duration::from_secs(1));
        pace.goes_on(&task, 7, Some(LIMIT), true).expect("a thread");
        pace.look(begun);
        pace.look(begun + LIMIT);
        assert!(pace.must_stop());
        pace.goes_on(&task, 8, None, false).expect("a thread");
        pace.look(begun + LIMIT);
        pace.look(begun + LIMIT * 9);
        assert!(!pace.must_stop());
    }
}
