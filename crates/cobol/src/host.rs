//! The host of one TCB thread: made once on the thread, and used by it alone.

use std::cell::{Cell, OnceCell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use corosensei::{Coroutine, CoroutineResult};

use crate::answer::Answering;
use crate::beacon::Beacon;
use crate::ending::Termination;
use crate::error::Error;
use crate::floats::Floats;
use crate::image::Slot;
use crate::imports;
use crate::layout::Field;
use crate::program::{CompiledModule, Library, Program};
use crate::results::Copies;
use crate::run::Task;
use crate::runtime::Runtime;
use crate::signals;
use crate::stack::Pool;
use crate::storage::low;
use crate::storage::supply::Supply;
use crate::tcb::{self, Console, Event, Tcb};

/// The installed COBOL runtime.
#[derive(Clone, Debug)]
pub struct Installation {
    library: PathBuf,
}

/// The library's file name.
const LIBRARY: &str = "libcob.so.4";

/// Where distributions put libraries.
const DIRECTORIES: [&str; 5] =
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/usr/local/lib64"];

impl Installation {
    /// Finds the library where distributions put it.
    ///
    /// # Errors
    /// If it is nowhere there.
    pub fn find() -> Result<Self, Error> {
        let candidates = DIRECTORIES.iter().map(|d| Path::new(d).join(LIBRARY));
        let found = candidates.clone().find(|path| path.is_file());
        found
            .map(|library| Self { library })
            .ok_or_else(|| Error::NoRuntime { searched: candidates.collect() })
    }

    /// A library elsewhere.
    pub fn at(library: impl Into<PathBuf>) -> Self {
        Self { library: library.into() }
    }
}

/// A TCB thread's COBOL: a private runtime, the programs loaded for it, the stacks of its tasks.
///
/// It belongs to the thread that made it; programs, tasks and runs made from it do too.
pub struct Host {
    tcb: Rc<Tcb>,
    loads: Cell<u64>,
}

impl Host {
    /// Makes the host of this thread. `directory` takes private copies of the runtime and of modules; `services` are
    /// names that, when a program CALLs them, suspend it with [`crate::Step::Service`].
    ///
    /// # Errors
    /// If this thread has a host, the runtime is not a known one, or the system refuses something.
    ///
    /// # Panics
    /// If there are more than 64 services.
    pub fn new(installation: &Installation, directory: &Path, services: &[&str]) -> Result<Self, Error> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        assert!(services.len() <= imports::SERVICES_MAX, "at most {} services", imports::SERVICES_MAX);
        if tcb::has_current() {
            return Err(Error::SecondHost);
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = directory.join(format!("tcb-{}-{number}", std::process::id()));
        fs::create_dir_all(&directory).map_err(Error::system(format!("making {}", directory.display())))?;
        let tcb = Rc::new(Tcb {
            runtime: Runtime::load(&installation.library, &directory, number)?,
            services: services.iter().map(|s| (*s).to_owned()).collect(),
            own_addresses: imports::own_addresses(services),
            supply: OnceCell::new(),
            beacon: Arc::new(Beacon::here()),
            owns_process: Cell::new(false),
            endable: Cell::new(false),
            running: Cell::new(std::ptr::null()),
            yielder: Cell::new(std::ptr::null()),
            answering: Cell::new(Answering::NOBODY),
            interrupted: Cell::new(std::ptr::null()),
            panic: Cell::new(None),
            file: Cell::new(0),
            entered: Cell::new(std::ptr::null()),
            global_owner: RefCell::new(Weak::new()),
            placed: Cell::new(std::ptr::null()),
            calculation: Cell::default(),
            floats: Floats::default(),
            moved: imports::Moved::default(),
            copies: Copies::new(),
            result: Cell::new(Field::NONE),
            visit: Cell::new(0),
            slots: RefCell::default(),
            stacks: Pool::default(),
            console: RefCell::new(Console::default()),
        });
        let host = Self { tcb, loads: Cell::new(0) };
        tcb::set_current(Rc::as_ptr(&host.tcb));
        host.initialize()?;
        signals::install()?;
        low::map()?;
        Ok(host)
    }

    /// What shows other threads where this thread's program is.
    pub fn beacon(&self) -> Arc<Beacon> {
        Arc::clone(&self.tcb.beacon)
    }

    /// LOCAL-STORAGE, EXTERNAL and ALLOCATEd items come from this supply from now on. The first that is given stays.
    pub fn supplied_by(&self, supply: Arc<dyn Supply>) {
        let _ = self.tcb.supply.set(supply);
    }

    /// Programs that are loaded from now on have the process for themselves, as in batch: they may sleep, sort files and call
    /// the runtime's routines for files, screens and the environment.
    pub fn own_process(&self) {
        self.tcb.owns_process.set(true);
    }

    /// Initializes the runtime, in a coroutine: if it gives up, it leaves as a task would.
    fn initialize(&self) -> Result<(), Error> {
        let tcb = Rc::as_ptr(&self.tcb);
        let stack = self.tcb.stacks.take()?;
        let mut coroutine = Coroutine::with_stack(stack, move |yielder, _: i32| {
            // SAFETY: the host keeps its state alive, and no value of it is borrowed.
            unsafe {
                (*tcb).yielder.set(yielder);
                (*tcb).runtime.initialize();
            }
        });
        let outcome: CoroutineResult<Event, ()> = coroutine.resume(0);
        self.tcb.yielder.set(std::ptr::null());
        let ready = matches!(outcome, CoroutineResult::Return(()));
        if !ready {
            // SAFETY: the runtime's frames hold nothing that needs dropping.
            unsafe { coroutine.force_reset() };
        }
        self.tcb.stacks.give(coroutine.into_stack());
        if ready {
            return Ok(());
        }
        let why = String::from_utf8_lossy(&self.tcb.console.borrow().messages).into_owned();
        Err(Error::Load { path: self.tcb.runtime.directory.clone(), why })
    }

    /// Loads a program: a private copy of its module, with its own data. Loading a module again under the same name
    /// makes another program: that is how a new version comes in while tasks still use the old one.
    ///
    /// # Errors
    /// If the file is not a module of cobc, or has no program of that name.
    pub fn load(&self, module: &CompiledModule) -> Result<Program, Error> {
        let number = self.loads.replace(self.loads.get() + 1);
        let (library, entry) = Library::load(module, &self.tcb, number)?;
        let slot = Rc::new(Slot::new(module.name.clone(), entry, library, &self.tcb));
        let mut slots = self.tcb.slots.borrow_mut();
        slots.retain(|s| s.strong_count() > 0);
        slots.push(Rc::downgrade(&slot));
        drop(slots);
        Ok(Program(slot))
    }

    /// Lines that ACCEPT gives to programs, behind those that were given before.
    pub fn feed(&self, lines: impl IntoIterator<Item = String>) {
        self.tcb.console.borrow_mut().input.extend(lines);
    }

    /// A task with no link level yet.
    pub fn task(&self) -> Task {
        Task::new(Rc::clone(&self.tcb), None)
    }

    /// The same for a task that somebody may end while it runs: who says so is kept as long as it has a run.
    pub fn task_ended_by(&self, terminator: Arc<dyn AsRef<Termination> + Send + Sync>) -> Task {
        Task::new(Rc::clone(&self.tcb), Some(terminator))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        signals::leave();
        tcb::set_current(std::ptr::null());
        let _ = fs::remove_dir_all(&self.tcb.runtime.directory);
    }
}
