//! Answering what a program asks where it stands: off to the thread's own stack, and back.
//!
//! A program's stack is small, and what a fault on it means is settled: so nothing is ever answered there. Where the
//! thread's own stack is free is found out once for each resume; from then on the way there and back is a few
//! instructions.

use std::any::Any;
use std::arch::naked_asm;
use std::ffi::c_int;
use std::panic::AssertUnwindSafe;

use crate::call::{ExecCall, ServiceCall};
use crate::image::Level;
use crate::program::Program;
use crate::tcb::{self, Event, Tcb};

/// Who answers a program where it stands. It runs on the thread's own stack, and may start other programs. What it gives
/// `None` for is a step.
pub trait Answers {
    /// A command: what its CALL returns.
    fn command(&mut self, call: &ExecCall<'_>) -> Option<i32>;

    /// A CALL of one of the host's services: what it returns.
    fn service(&mut self, _call: &ServiceCall<'_>) -> Option<i32> {
        None
    }

    /// A program that the level CALLs for the first time.
    fn program(&mut self, _name: &str) -> Option<Program> {
        None
    }
}

/// A closure answers commands alone.
impl<F: FnMut(&ExecCall<'_>) -> Option<i32>> Answers for F {
    fn command(&mut self, call: &ExecCall<'_>) -> Option<i32> {
        self(call)
    }
}

/// What a program asks.
#[derive(Clone, Copy)]
pub enum Asked<'a> {
    /// A command.
    Command,
    /// A service, by its index.
    Service(usize),
    /// A program, by its name: [`Level::answer`] has it then.
    Program(&'a str),
}

impl From<Asked<'_>> for Event {
    fn from(asked: Asked<'_>) -> Self {
        match asked {
            Asked::Command => Self::Exec,
            Asked::Service(index) => Self::Service(index),
            Asked::Program(name) => Self::NeedProgram(name.to_owned()),
        }
    }
}

/// Who answers the running program in place.
#[derive(Clone, Copy)]
pub struct Answering {
    /// Answers once: what the CALL returns, or [`LEFT`] or [`PANICKED`].
    function: Function,
    /// What the function is given: a [`Lent`] of its own type; null if nobody answers.
    lent: *const (),
    /// Where the thread's own stack is free; 0 as long as that is not known.
    stack: usize,
}

/// Is given what was [`Answering::lent`], and what is asked.
type Function = unsafe extern "C" fn(lent: *const (), asked: *const Asked<'_>) -> i64;

/// What is asked is left to be a step.
const LEFT: i64 = -1;
/// The answer panicked.
const PANICKED: i64 = -2;

/// Who answers the programs of a level, lent for one resume.
pub struct Lent<'a, A> {
    level: &'a Level,
    answers: *mut A,
}

impl<'a, A> Lent<'a, A> {
    /// For the programs of a level.
    pub fn new(level: &'a Level, answers: &'a mut A) -> Self {
        Self { level, answers }
    }
}

impl Answering {
    /// Everything is a step.
    pub const NOBODY: Self = Self { function: left, lent: std::ptr::null(), stack: 0 };

    /// For one resume.
    pub fn by<A: Answers>(lent: &Lent<'_, A>) -> Self {
        Self { function: answer::<A>, lent: std::ptr::from_ref(lent).cast(), stack: 0 }
    }
}

/// `CALL 'DFHEI1'`: a command.
pub unsafe extern "C" fn command() -> c_int {
    ask(Asked::Command)
}

/// Asks who answers the running program, or leaves it with what it asks: what its CALL returns.
#[inline(always)]
pub fn ask(asked: Asked<'_>) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    let Answering { function, lent, stack } = tcb.answering.get();
    let reply = match stack {
        0 => ask_first(tcb, &asked),
        // SAFETY: the stack is free below that address, as `ask_first` found; who answers is lent to the program.
        _ => unsafe { call_on(lent, &raw const asked, stack, function) },
    };
    if reply < 0 { leave(tcb, reply, asked) } else { reply as c_int }
}

/// Asks for the first time since the program was resumed, and remembers where the thread's own stack is free.
#[cold]
#[inline(never)]
fn ask_first(tcb: &Tcb, asked: &Asked<'_>) -> i64 {
    /// Who answers runs on this very thread, on another stack of it.
    struct SameThread<'a>(Answering, &'a Asked<'a>);
    // SAFETY: never sent anywhere.
    unsafe impl Send for SameThread<'_> {}
    impl SameThread<'_> {
        /// What the function says, and an address of the stack that it ran on.
        fn call(self) -> (i64, usize) {
            let here = 0u8;
            // SAFETY: who answers is lent to the running program.
            (unsafe { (self.0.function)(self.0.lent, self.1) }, &raw const here as usize)
        }
    }
    // SAFETY: only a coroutine's program comes here, and a coroutine sets its yielder first.
    let Some(yielder) = (unsafe { tcb.yielder.get().as_ref() }) else { return 0 };
    let answering = SameThread(tcb.answering.get(), asked);
    if answering.0.lent.is_null() {
        return LEFT;
    }
    let (reply, free) = yielder.on_parent_stack(move || answering.call());
    if reply >= 0 {
        // What the call had there is over, so all below is free until the program is left.
        tcb.answering.set(Answering { stack: free & !(STACK_ALIGNMENT - 1), ..tcb.answering.get() });
    }
    reply
}

const STACK_ALIGNMENT: usize = 16;

/// Leaves the program with what was not answered.
#[cold]
#[inline(never)]
fn leave(tcb: &Tcb, reply: i64, asked: Asked<'_>) -> c_int {
    // SAFETY: a run sets the pointer before it resumes its coroutine, whose program has just made the CALL.
    unsafe {
        if let Some(level) = tcb.running.get().as_ref() {
            level.results.keep(tcb);
        }
    }
    let event = if reply == PANICKED { Event::Panicked } else { asked.into() };
    tcb.suspend(event).unwrap_or(0)
}

/// Nobody answers.
unsafe extern "C" fn left(_: *const (), _: *const Asked<'_>) -> i64 {
    LEFT
}

/// Has an `A` answer.
///
/// # Safety
/// It is lent to the running program, which asks just now; nobody else uses it meanwhile.
unsafe extern "C" fn answer<A: Answers>(lent: *const (), asked: *const Asked<'_>) -> i64 {
    // SAFETY: as the caller says.
    let (lent, asked) = unsafe { (&*lent.cast::<Lent<'_, A>>(), *asked) };
    let answered = std::panic::catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as the caller says.
        let answers = unsafe { &mut *lent.answers };
        let reply = match asked {
            // SAFETY: the level's program has just made the call.
            Asked::Command => answers.command(&unsafe { ExecCall::of_running(lent.level) })?,
            Asked::Service(index) => answers.service(&ServiceCall::new(lent.level, index))?,
            Asked::Program(name) => {
                *lent.level.answer.borrow_mut() = Some(answers.program(name)?.0);
                0
            }
        };
        // Whoever answered may have run other programs.
        lent.level.place();
        Some(reply.cast_unsigned().into())
    }));
    match answered {
        Ok(reply) => reply.unwrap_or(LEFT),
        Err(panic) => panicked(lent.level, panic),
    }
}

/// Keeps a panic for who resumed the program.
#[cold]
#[inline(never)]
fn panicked(level: &Level, panic: Box<dyn Any + Send>) -> i64 {
    level.tcb().panic.set(Some(panic));
    PANICKED
}

/// Calls a function on another stack of this thread.
///
/// # Safety
/// Below the address `stack` are free bytes of that stack; it is aligned as a stack pointer must be before a call.
#[unsafe(naked)]
unsafe extern "C" fn call_on(
    lent: *const (),
    asked: *const Asked<'_>,
    stack: usize,
    function: Function,
) -> i64 {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rsp, rdx",
        "call rcx",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}
