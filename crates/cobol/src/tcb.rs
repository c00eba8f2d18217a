//! What one TCB thread shares between its programs: the runtime, who is in place, what runs.

use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use corosensei::Yielder;
use foldhash::HashMap;

use crate::answer::Answering;
use crate::beacon::Beacon;
use crate::calculation::Calculation;
use crate::ending::FaultKind;
use crate::floats::Floats;
use crate::image::{Level, Slot};
use crate::imports::Moved;
use crate::layout::Field;
use crate::results::Copies;
use crate::runtime::Runtime;
use crate::signals::Running;
use crate::stack::Pool;
use crate::storage::supply::Supply;

/// Why a coroutine gave control back before its program ended.
pub enum Event {
    /// A command: the call's parameters are those of the runtime's current module.
    Exec,
    /// A service by its index among the host's services.
    Service(usize),
    /// A CALL of a program that the task has not entered yet.
    NeedProgram(String),
    /// A statement about a file: its code, and the addresses of the file's control block and of libcob's own description.
    File(u16, usize, usize),
    /// The command's answer panicked: never resumed.
    Panicked,
    /// STOP RUN: never resumed.
    Stop(i32),
    /// A run-time error, its message written: never resumed.
    GaveUp,
    /// A division by zero, or a number that is too large, without ON SIZE ERROR: never resumed.
    SizeError,
    /// A calculation with what is not a number: never resumed.
    NotNumeric,
    /// It has used up its time, or is to end: never resumed.
    Over(FaultKind),
    /// A CALL too deep for the stack: never resumed.
    StackUsedUp,
    /// A CALL of a program that nobody has: never resumed.
    Missing(String),
}

/// How a coroutine ended.
pub enum Ended {
    /// The program came back.
    Returned(i32),
    /// The signal handler ended it.
    Fault,
}

/// Bytes of DISPLAY output that a program may leave behind between two steps; more are dropped.
const DISPLAYED_MAX: usize = 1 << 20;

/// What programs and the runtime wrote to their standard streams.
#[derive(Default)]
pub struct Console {
    /// Complete lines of DISPLAY.
    pub lines: VecDeque<String>,
    /// The line that is being written.
    partial: Vec<u8>,
    /// Bytes in `lines`.
    size: usize,
    /// The runtime's messages.
    pub messages: Vec<u8>,
    /// Lines for ACCEPT.
    pub input: VecDeque<String>,
}

impl Console {
    /// Takes what DISPLAY wrote.
    pub fn display(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|b| *b == b'\n') {
            self.partial.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.partial.pop();
                self.end_line();
            }
        }
    }

    /// Ends the line that is being written, if there is one.
    pub fn flush(&mut self) {
        if !self.partial.is_empty() {
            self.end_line();
        }
    }

    /// Takes the runtime's messages.
    pub fn take_messages(&mut self) -> String {
        let messages = std::mem::take(&mut self.messages);
        String::from_utf8_lossy(&messages).into_owned()
    }

    /// Treats the runtime's messages as DISPLAY output: warnings, and what was displayed upon SYSERR.
    pub fn display_messages(&mut self) {
        let messages = std::mem::take(&mut self.messages);
        self.display(&messages);
        self.flush();
    }

    /// Whether lines wait to be handed out.
    pub fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    fn end_line(&mut self) {
        // A program's characters are those of ISO 8859-1, a byte each.
        let line: String = self.partial.drain(..).map(char::from).collect();
        if self.size + line.len() <= DISPLAYED_MAX {
            self.size += line.len();
            self.lines.push_back(line);
        }
    }

    /// The oldest line.
    #[inline]
    pub fn next(&mut self) -> Option<String> {
        // Hardly ever is there one.
        if !self.has_lines() {
            return None;
        }
        let line = self.lines.pop_front()?;
        self.size -= line.len();
        Some(line)
    }
}

/// The state of one TCB thread.
pub struct Tcb {
    /// The private runtime.
    pub runtime: Runtime,
    /// Names of the services that suspend a program; a service's index is its place here.
    pub services: Vec<String>,
    /// Who supplies the storage of its programs' runs; nobody counts it where there is none.
    pub supply: OnceCell<Arc<dyn Supply>>,
    /// What it shows to other threads.
    pub beacon: Arc<Beacon>,
    /// Whether programs have the process for themselves, as in batch.
    pub owns_process: Cell<bool>,
    /// Whether the running program is in a function of the runtime in which it may be ended.
    pub endable: Cell<bool>,
    /// Where CALLs of commands and services go, by name.
    pub own_addresses: HashMap<String, usize>,
    /// The level whose coroutine runs now; null between runs.
    pub running: Cell<*const Level>,
    /// Its way out.
    pub yielder: Cell<*const Yielder<i32, Event>>,
    /// Who answers its commands in place.
    pub answering: Cell<Answering>,
    /// What the signal handler must know of it; null between runs.
    pub interrupted: Cell<*const Running>,
    /// A panic of who answered, on its way to who resumed.
    pub panic: Cell<Option<Box<dyn Any + Send>>>,
    /// libcob's description of the file of the statement that is under way, where it is known.
    pub file: Cell<usize>,
    /// The program entered last: the one that calls DFHEIN.
    pub entered: Cell<*const Slot>,
    /// Whose state the runtime's global structure holds.
    pub global_owner: RefCell<Weak<Level>>,
    /// The level that has everything in place, as far as nobody was displaced since; compared, never followed.
    pub placed: Cell<*const Level>,
    /// The calculation that is under way, in a program that divides.
    pub calculation: Cell<Calculation>,
    /// Which of its numbers come from floating point.
    pub floats: Floats,
    /// What a MOVE to several fields moves.
    pub moved: Moved,
    /// What functions of ours return of zoned numbers.
    pub copies: Copies,
    /// What a function of ours has returned last.
    pub result: Cell<Field>,
    /// Counts walks over a task's images.
    pub visit: Cell<u64>,
    /// Loaded programs by the address of their data, sorted.
    pub slots: RefCell<Vec<Weak<Slot>>>,
    /// Stacks that no task uses.
    pub stacks: Pool,
    /// Standard streams.
    pub console: RefCell<Console>,
}

thread_local! {
    static CURRENT: Cell<*const Tcb> = const { Cell::new(std::ptr::null()) };
}

/// Makes a thread's state known to the functions that programs call; null when it goes.
pub fn set_current(tcb: *const Tcb) {
    CURRENT.with(|c| c.set(tcb));
}

/// Whether this thread has a host.
pub fn has_current() -> bool {
    !CURRENT.with(Cell::get).is_null()
}

/// Whether a program runs on this thread, or a runtime that is being initialized.
pub fn has_running() -> bool {
    current().is_some_and(|tcb| !tcb.yielder.get().is_null())
}

/// This thread's state; `None` outside a TCB thread.
#[inline(always)]
pub fn current<'a>() -> Option<&'a Tcb> {
    // SAFETY: the host sets the pointer when it is made and clears it when it goes; both on this thread.
    unsafe { CURRENT.with(Cell::get).as_ref() }
}

impl Tcb {
    /// Takes what the running program wrote to its standard output.
    pub fn displayed(&self, bytes: &[u8]) {
        let mut console = self.console.borrow_mut();
        console.display(bytes);
        if console.has_lines() {
            // They come before the next command, so that is a step.
            self.answering.set(Answering::NOBODY);
        }
    }

    /// The loaded program whose data contains an address.
    pub fn slot_at(&self, address: usize) -> Option<Rc<Slot>> {
        self.slots.borrow().iter().filter_map(Weak::upgrade).find(|s| s.data_contains(address))
    }

    /// The end of the data of the loaded program that an address lies in; `None` if it lies in none.
    #[inline(never)]
    pub fn data_end(&self, address: usize) -> Option<usize> {
        self.slot_at(address).map(|slot| slot.library.segments.data.1)
    }

    /// Whether storage at this address belongs to a loaded program, whatever task it runs for.
    pub fn keeps(&self, address: usize) -> bool {
        self.slots.borrow().iter().filter_map(Weak::upgrade).any(|s| s.keeps(address))
    }

    /// The loaded program whose code contains an address.
    pub fn slot_with_text(&self, address: usize) -> Option<Rc<Slot>> {
        self.slots.borrow().iter().filter_map(Weak::upgrade).find(|s| s.library.text_contains(address))
    }

    /// Does something with the calculation that is under way. A fault in the midst of it forgets what was known.
    pub fn calculating<R>(&self, what: impl FnOnce(&mut Calculation) -> R) -> R {
        let mut calculation = self.calculation.take();
        let result = what(&mut calculation);
        self.calculation.set(calculation);
        result
    }

    /// Leaves the running coroutine with an event until it is resumed.
    ///
    /// Returns what the program's CALL is to return; `None` if no coroutine runs.
    #[inline(always)]
    pub fn suspend(&self, event: Event) -> Option<i32> {
        // SAFETY: set by the coroutine that runs now, on whose stack the yielder lives.
        let yielder = unsafe { self.yielder.get().as_ref()? };
        Some(yielder.suspend(event))
    }
}
