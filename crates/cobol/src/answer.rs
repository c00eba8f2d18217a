//! Answering a command where the program stands: off to the thread's own stack, and back.
//!
//! A program's stack is small, and what a fault on it means is settled: so commands are never answered there. Where the
//! thread's own stack is free is found out once for each resume; from then on the way there and back is a few
//! instructions.

use std::any::Any;
use std::arch::naked_asm;
use std::ffi::c_int;
use std::panic::AssertUnwindSafe;

use crate::call::ExecCall;
use crate::image::Level;
use crate::tcb::{self, Event, Tcb};

/// Who answers the running program's commands in place.
#[derive(Clone, Copy)]
pub struct Answering {
    /// Answers one command: what the CALL returns, or [`LEFT`] or [`PANICKED`].
    function: unsafe extern "C" fn(lent: *const ()) -> i64,
    /// What the function is given: a [`Lent`] of its own type; null if nobody answers.
    lent: *const (),
    /// Where the thread's own stack is free; 0 as long as that is not known.
    stack: usize,
}

/// The command is left to be a step.
const LEFT: i64 = -1;
/// The answer panicked.
const PANICKED: i64 = -2;

/// A closure that answers a program's commands, lent for one resume.
pub struct Lent<'a, F> {
    level: &'a Level,
    closure: *mut F,
}

impl<'a, F> Lent<'a, F> {
    /// For the programs of a level.
    pub fn new(level: &'a Level, closure: &'a mut F) -> Self {
        Self { level, closure }
    }
}

impl Answering {
    /// Every command is a step.
    pub const NOBODY: Self = Self { function: left, lent: std::ptr::null(), stack: 0 };

    /// The closure answers, until [`Self::replace`] puts another in its place.
    pub fn by<F: FnMut(&ExecCall<'_>) -> Option<i32>>(lent: &Lent<'_, F>) -> Self {
        Self { function: answer::<F>, lent: std::ptr::from_ref(lent).cast(), stack: 0 }
    }
}

/// `CALL 'DFHEI1'`: a command.
pub unsafe extern "C" fn command() -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    let Answering { function, lent, stack } = tcb.answering.get();
    if stack == 0 {
        return first_command(tcb);
    }
    // SAFETY: the stack is free below that address, as `first_command` found; the closure is lent to the program.
    unsafe { call_on(lent, stack, function) }
}

/// Answers the first command since the program was resumed, and remembers where the thread's own stack is free.
#[cold]
#[inline(never)]
fn first_command(tcb: &Tcb) -> c_int {
    /// The closure runs on this very thread, on another stack of it.
    struct SameThread(Answering);
    // SAFETY: never sent anywhere.
    unsafe impl Send for SameThread {}
    impl SameThread {
        /// What the function says, and an address of the stack that it ran on.
        fn call(self) -> (i64, usize) {
            let here = 0u8;
            // SAFETY: the closure is lent to the running program.
            (unsafe { (self.0.function)(self.0.lent) }, &raw const here as usize)
        }
    }
    // SAFETY: only a coroutine's program comes here, and a coroutine sets its yielder first.
    let Some(yielder) = (unsafe { tcb.yielder.get().as_ref() }) else { return 0 };
    let answering = SameThread(tcb.answering.get());
    if answering.0.lent.is_null() {
        return leave(LEFT);
    }
    let (reply, free) = yielder.on_parent_stack(move || answering.call());
    if reply < 0 {
        return leave(reply);
    }
    // What the call had there is over, so all below is free until the program is left.
    tcb.answering.set(Answering { stack: free & !(STACK_ALIGNMENT - 1), ..tcb.answering.get() });
    reply as c_int
}

const STACK_ALIGNMENT: usize = 16;

/// Leaves the program with a command that was not answered.
#[cold]
#[inline(never)]
extern "C" fn leave(reply: i64) -> c_int {
    let event = if reply == PANICKED { Event::Panicked } else { Event::Exec };
    tcb::current().and_then(|tcb| tcb.suspend(event)).unwrap_or(0)
}

/// Nobody answers.
unsafe extern "C" fn left(_: *const ()) -> i64 {
    LEFT
}

/// Answers a command with a closure of this type.
///
/// # Safety
/// The closure is lent to the running program, which has just made the call; nobody else uses it now.
unsafe extern "C" fn answer<F: FnMut(&ExecCall<'_>) -> Option<i32>>(lent: *const ()) -> i64 {
    // SAFETY: as the caller says.
    let lent = unsafe { &*lent.cast::<Lent<'_, F>>() };
    let answered = std::panic::catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as the caller says; the level's program has just made the call.
        let (closure, call) = unsafe { (&mut *lent.closure, ExecCall::of_running(lent.level)) };
        let Some(reply) = closure(&call) else { return LEFT };
        // Whoever answered may have run other programs.
        lent.level.place();
        reply.cast_unsigned().into()
    }));
    answered.unwrap_or_else(|panic| panicked(lent.level, panic))
}

/// Keeps a panic for who resumed the program.
#[cold]
#[inline(never)]
fn panicked(level: &Level, panic: Box<dyn Any + Send>) -> i64 {
    level.tcb().panic.set(Some(panic));
    PANICKED
}

/// Calls a function on another stack; what it says is the reply, or the program is left.
///
/// # Safety
/// Below the address `stack` are free bytes of a stack of this thread; it is aligned as a stack pointer must be before
/// a call.
#[unsafe(naked)]
unsafe extern "C" fn call_on(
    lent: *const (),
    stack: usize,
    function: unsafe extern "C" fn(lent: *const ()) -> i64,
) -> c_int {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rsp, rsi",
        "call rdx",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "test rax, rax",
        "js 2f",
        "ret",
        "2:",
        "mov rdi, rax",
        "jmp {leave}",
        ".cfi_endproc",
        leave = sym leave,
    )
}
