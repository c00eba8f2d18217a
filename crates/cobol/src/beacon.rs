//! Where a thread's program is, as another thread may ask: for a thread that does not come back to its event loop.

use std::mem::offset_of;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::layout::{Module, STATEMENT_LINE_BITS};
use crate::memory;
use crate::signals::TICK;
use crate::tcb::Tcb;

/// Bytes of a program's name that are shown.
const NAME_WORDS: usize = 4;
const WORD: usize = size_of::<u64>();

/// What a thread shows of its running program.
#[derive(Debug)]
pub struct Beacon {
    thread: libc::pid_t,
    name: [AtomicU64; NAME_WORDS],
    line: AtomicU32,
}

impl Beacon {
    /// That of this thread.
    pub(crate) fn here() -> Self {
        // SAFETY: a system call without arguments.
        let thread = unsafe { libc::gettid() };
        Self { thread, name: Default::default(), line: AtomicU32::new(0) }
    }

    /// Asks the thread to show where it is: it does so as soon as it runs, whatever it is doing.
    pub fn ask(&self) {
        // SAFETY: a signal to a thread of this process, which has a handler for it.
        unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), self.thread, TICK) };
    }

    /// What it has shown: the program, and the line of the text that was compiled (0: not known); `None`: none runs.
    pub fn place(&self) -> Option<(String, u32)> {
        let words = self.name.each_ref().map(|word| word.load(Ordering::Relaxed).to_le_bytes());
        let name = words.as_flattened().split(|byte| *byte == 0).next().unwrap_or_default();
        let line = self.line.load(Ordering::Relaxed);
        (!name.is_empty()).then(|| (String::from_utf8_lossy(name).into_owned(), line))
    }

    /// Shows where the thread is. Called by the signal handler, on the thread itself: what it reads may be half changed.
    pub(crate) fn show(&self, tcb: &Tcb) {
        let (name, statement) = if tcb.running.get().is_null() { (0, 0) } else { module(tcb) };
        for (at, word) in self.name.iter().enumerate() {
            word.store(u64::from_le_bytes(read(name + at * WORD)), Ordering::Relaxed);
        }
        self.line.store(statement & ((1 << STATEMENT_LINE_BITS) - 1), Ordering::Relaxed);
    }
}

/// The address of the entered module's name, and its last statement.
fn module(tcb: &Tcb) -> (usize, u32) {
    // SAFETY: the runtime's global structure lives as long as the runtime.
    let module = unsafe { (*tcb.runtime.global()).current_module } as usize;
    let name = usize::from_ne_bytes(read(module + offset_of!(Module, name)));
    (name, u32::from_ne_bytes(read(module + offset_of!(Module, statement))))
}

/// Some bytes; zeros where there is no storage.
fn read<const N: usize>(address: usize) -> [u8; N] {
    let mut bytes = [0; N];
    if memory::read(address, &mut bytes).is_err() { [0; N] } else { bytes }
}
