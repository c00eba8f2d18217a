//! The flag that stops natively compiled programs: a thread raises it where a program's time is over, or its task is to end.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};

use cobol::Termination;
use parking_lot::Mutex;

use crate::task::TaskControl;

/// How often the thread looks.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What runs on a thread, as the one that stops programs sees it.
#[derive(Default)]
pub(super) struct Pace {
    flag: AtomicU32,
    /// When the program's time is over, in milliseconds of [`BEGUN`]; zero is never.
    until: AtomicU64,
    task: Mutex<Option<Arc<TaskControl>>>,
}

static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
static PACES: Mutex<Vec<Weak<Pace>>> = Mutex::new(Vec::new());
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static HERE: Arc<Pace> = Pace::begin();
}

fn now_ms() -> u64 {
    BEGUN.elapsed().as_millis() as u64
}

impl Pace {
    /// That of this thread.
    pub fn here() -> Arc<Self> {
        HERE.with(Arc::clone)
    }

    fn begin() -> Arc<Self> {
        let pace = Arc::new(Self::default());
        PACES.lock().push(Arc::downgrade(&pace));
        pace
    }

    /// The flag of the program that runs.
    pub fn flag(&self) -> &AtomicU32 {
        &self.flag
    }

    /// A task's program goes on: it has this much time left. Without a thread that looks, it does not run.
    ///
    /// # Errors
    /// The operating system has no thread.
    pub fn goes_on(&self, task: &Arc<TaskControl>, left: Option<Duration>) -> std::io::Result<()> {
        if !IS_WATCHED.load(Ordering::Acquire) {
            watch()?;
        }
        let termination: &Termination = (**task).as_ref();
        self.flag.store(termination.is_requested().into(), Ordering::Relaxed);
        let until = left.map_or(0, |left| now_ms() + (left.as_millis() as u64).max(1));
        self.until.store(until, Ordering::Relaxed);
        *self.task.lock() = Some(Arc::clone(task));
        Ok(())
    }

    /// It rests.
    pub fn rests(&self) {
        *self.task.lock() = None;
    }

    fn look(&self) {
        let task = self.task.lock();
        let Some(task) = &*task else { return };
        let termination: &Termination = (**task).as_ref();
        let until = self.until.load(Ordering::Relaxed);
        if termination.is_requested() || (until != 0 && now_ms() >= until) {
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
            paces.iter().filter_map(Weak::upgrade).for_each(|pace| pace.look());
        }
    });
    started.map(drop).inspect_err(|_| IS_WATCHED.store(false, Ordering::Release))
}
