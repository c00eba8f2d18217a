//! Faults of programs, runaway programs and programs that are ended from outside: a signal on a task's stack becomes
//! the end of that task's run.
//!
//! The handler runs on an alternate stack of its thread, so that it can answer a stack overflow. What is not ours,
//! by the instruction or by the stack pointer, goes to the handler that was there before.

use std::cell::Cell;
use std::ffi::{c_int, c_ulong, c_void};
use std::sync::{Once, OnceLock};
use std::time::Duration;

use corosensei::trap::CoroutineTrapHandler;

use crate::elf::PAGE;
use crate::ending::{FaultKind, Termination};
use crate::error::Error;
use crate::memory;
use crate::tcb::{self, Ended, Tcb};

/// The signals by which the processor refuses an instruction.
const SIGNALS: [c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// Bytes of a thread's alternate stack: room for a frame with all vector registers.
const ALTERNATE_STACK_SIZE: usize = 64 * 1024;

/// The coroutine that runs on this thread, as the handler needs it.
pub struct Running {
    /// Ticks until the program is a runaway.
    pub ticks_left: Cell<u32>,
    /// Ticks that it has when its limit starts again.
    pub limit: Cell<u32>,
    /// Where somebody says that it is to end; null if nobody can.
    pub termination: *const Termination,
    pub trap: CoroutineTrapHandler<Ended>,
    /// Lowest usable address of its stack: below is the guard.
    pub stack_bottom: usize,
}

/// Ticks of a program that may run as long as it likes.
pub const NO_LIMIT: u32 = u32::MAX;

impl Running {
    /// The limit starts again.
    #[inline(always)]
    pub fn renew(&self) {
        self.ticks_left.set(self.limit.get());
    }

    /// Takes whole ticks off its limit for time that it had while it did not run; the rest of that time comes back.
    pub fn spend(&self, outside: Duration) -> Duration {
        let ticks = u32::try_from(outside.as_nanos() / TICK_TIME.as_nanos()).unwrap_or(u32::MAX);
        self.ticks_left.set(self.ticks_left.get().saturating_sub(ticks));
        outside.saturating_sub(TICK_TIME.saturating_mul(ticks))
    }

    /// Whether it has used up its time, or is to end.
    fn is_over(&self) -> bool {
        self.ticks_left.get() == 0 || self.is_to_end()
    }

    /// Whether somebody says that the program is to end.
    fn is_to_end(&self) -> bool {
        // SAFETY: the run keeps alive what it points to, and this is the run that was interrupted.
        unsafe { self.termination.as_ref() }.is_some_and(Termination::is_requested)
    }
}

/// The limit of the program that runs starts again.
#[inline(always)]
pub fn renew_limit(tcb: &Tcb) {
    // SAFETY: set while the run that owns it resumes its coroutine.
    if let Some(running) = unsafe { tcb.interrupted.get().as_ref() } {
        running.renew();
    }
}

/// Why the running program is to end now, if it is.
pub fn over(tcb: &Tcb) -> Option<FaultKind> {
    // SAFETY: set while the run that owns it resumes its coroutine.
    let running = unsafe { tcb.interrupted.get().as_ref() }.filter(|running| running.is_over())?;
    Some(if running.is_to_end() { FaultKind::Terminated } else { FaultKind::Runaway })
}

/// The signal of a thread's ticking clock.
pub const TICK: c_int = libc::SIGVTALRM;

/// How much processor time passes between two ticks.
pub const TICK_TIME: Duration = Duration::from_millis(10);

/// What the handler saw.
#[derive(Clone, Copy, Debug, Default)]
pub struct Record {
    pub signal: c_int,
    /// The address that was accessed, for storage faults.
    pub address: usize,
    /// The instruction; 0 if the program left by itself.
    pub instruction: usize,
    pub stack_overflow: bool,
    /// Somebody has said that the program is to end.
    pub terminated: bool,
}

thread_local! {
    /// Whether programs of this thread are kept from running: [`arrest`].
    static ARRESTED: Cell<bool> = const { Cell::new(false) };
    static RECORD: Cell<Record> = const {
        Cell::new(Record { signal: 0, address: 0, instruction: 0, stack_overflow: false, terminated: false })
    };
    static TEXT: Cell<&'static [(usize, usize)]> = const { Cell::new(&[]) };
    static ALTERNATE: Cell<*mut c_void> = const { Cell::new(std::ptr::null_mut()) };
    static CLOCK: Cell<Option<libc::timer_t>> = const { Cell::new(None) };
}

static PREVIOUS: [OnceLock<libc::sigaction>; SIGNALS.len()] = [const { OnceLock::new() }; SIGNALS.len()];

/// What runs on this thread, as the handler needs it.
fn running<'a>() -> Option<&'a Running> {
    // SAFETY: set while the run that owns it resumes its coroutine.
    unsafe { tcb::current()?.interrupted.get().as_ref() }
}

/// Bytes between the caller's frame and the bottom of the running task's stack.
pub fn stack_left() -> usize {
    let here = 0u8;
    running().map_or(usize::MAX, |r| (&raw const here as usize).saturating_sub(r.stack_bottom))
}

/// Records that the running program leaves by itself.
pub fn record_leaving() {
    RECORD.with(|r| r.set(Record::default()));
}

/// What the handler saw last on this thread.
pub fn record() -> Record {
    RECORD.with(Cell::get)
}

/// Tells the handler where a program of this thread has its code.
pub fn add_text(text: (usize, usize)) {
    replace_text(text_ranges().iter().copied().chain([text]).collect());
}

/// Tells the handler that a program goes.
pub fn remove_text(text: (usize, usize)) {
    replace_text(text_ranges().iter().copied().filter(|t| *t != text).collect());
}

fn text_ranges() -> &'static [(usize, usize)] {
    TEXT.with(Cell::get)
}

fn replace_text(ranges: Vec<(usize, usize)>) {
    // What was arrested is gone by now, or is found again by the next tick.
    release();
    let old = TEXT.with(|t| t.replace(Box::leak(ranges.into_boxed_slice())));
    if !old.is_empty() {
        // SAFETY: leaked by an earlier call on this thread, and the handler sees the new one.
        drop(unsafe { Box::from_raw(std::ptr::from_ref(old).cast_mut()) });
    }
}

/// Installs the handlers for the process, this thread's alternate stack and its clock.
pub fn install() -> Result<(), Error> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (signal, previous) in SIGNALS.into_iter().zip(&PREVIOUS) {
            let _ = previous.set(handle(signal, on_fault, libc::SA_NODEFER));
        }
        handle(TICK, on_tick, libc::SA_RESTART);
    });
    // SAFETY: a fresh anonymous mapping, given to the kernel as this thread's alternate stack until `leave`.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let stack = libc::mmap(std::ptr::null_mut(), ALTERNATE_STACK_SIZE, protection, flags, -1, 0);
        let alternate = libc::stack_t { ss_sp: stack, ss_flags: 0, ss_size: ALTERNATE_STACK_SIZE };
        if stack == libc::MAP_FAILED || libc::sigaltstack(&raw const alternate, std::ptr::null_mut()) != 0 {
            return Err(Error::system("an alternate signal stack")(std::io::Error::last_os_error()));
        }
        ALTERNATE.with(|a| a.set(stack));
    }
    start_clock()
}

type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Sets a signal's handler; returns what was there.
fn handle(signal: c_int, handler: Handler, flags: c_int) -> libc::sigaction {
    // SAFETY: zeroes are a valid sigaction; the handler has the type that SA_SIGINFO asks for.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let mut old: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | flags;
        libc::sigaction(signal, &raw const action, &raw mut old);
        old
    }
}

/// Starts the clock that ticks as this thread uses the processor.
fn start_clock() -> Result<(), Error> {
    let interval = libc::timespec { tv_sec: 0, tv_nsec: TICK_TIME.subsec_nanos().into() };
    let ticking = libc::itimerspec { it_interval: interval, it_value: interval };
    // SAFETY: zeroes are a valid sigevent; all structures live through the calls.
    unsafe {
        let mut event: libc::sigevent = std::mem::zeroed();
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = TICK;
        event.sigev_notify_thread_id = libc::gettid();
        let mut clock: libc::timer_t = std::ptr::null_mut();
        if libc::timer_create(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut event, &raw mut clock) != 0
            || libc::timer_settime(clock, 0, &raw const ticking, std::ptr::null_mut()) != 0
        {
            return Err(Error::system("a clock for runaway tasks")(std::io::Error::last_os_error()));
        }
        CLOCK.with(|c| c.set(Some(clock)));
    }
    Ok(())
}

/// Stops this thread's clock and gives its alternate stack back.
pub fn leave() {
    if let Some(clock) = CLOCK.with(Cell::take) {
        // SAFETY: made by `start_clock`, deleted once.
        unsafe { libc::timer_delete(clock) };
    }
    let stack = ALTERNATE.with(|a| a.replace(std::ptr::null_mut()));
    if !stack.is_null() {
        let none = libc::stack_t {
            ss_sp: std::ptr::null_mut(),
            ss_flags: libc::SS_DISABLE,
            ss_size: ALTERNATE_STACK_SIZE,
        };
        // SAFETY: the mapping made by `install`, no longer in use by the kernel.
        unsafe {
            libc::sigaltstack(&raw const none, std::ptr::null_mut());
            libc::munmap(stack, ALTERNATE_STACK_SIZE);
        }
    }
}

/// Signals that mean nothing to this process, and whose default would end it: strangers and limits of the system send them.
const MEANINGLESS: [c_int; 11] = [
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGPIPE,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGSTKFLT,
    libc::SIGXCPU,
    libc::SIGXFSZ,
];

/// An action as the kernel has it.
#[repr(C)]
#[derive(Default)]
struct KernelAction {
    handler: usize,
    flags: c_ulong,
    restorer: usize,
    mask: u64,
}

/// The signals that the C library keeps for itself and sends to threads of its own process, before those of real time.
const LIBRARY: std::ops::Range<c_int> = 32..34;

/// Ignores the signals of the C library when strangers send them, where it has no handler of its own: it sets one when it needs it.
/// Its own functions refuse to set an action for them.
fn ignore_signals_of_the_library() {
    for signal in LIBRARY {
        let mut old = KernelAction::default();
        let ignored = KernelAction { handler: libc::SIG_IGN, ..KernelAction::default() };
        let (none, size) = (std::ptr::null::<KernelAction>(), size_of::<u64>());
        // SAFETY: the kernel reads and writes actions of exactly this form; an ignored signal has no handler that could return.
        unsafe {
            let asked = libc::syscall(libc::SYS_rt_sigaction, signal, none, &raw mut old, size);
            if asked == 0 && old.handler == libc::SIG_DFL {
                libc::syscall(libc::SYS_rt_sigaction, signal, &raw const ignored, none, size);
            }
        }
    }
}

/// Lets signals pass that mean nothing to this process, those of real time and of the C library among them. Who has a handler for one
/// keeps it, and programs that this process starts have the defaults.
pub fn let_signals_pass() {
    ignore_signals_of_the_library();
    unsafe extern "C" fn nothing(_: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {}
    let real_time = libc::SIGRTMIN()..=libc::SIGRTMAX();
    for signal in MEANINGLESS.into_iter().chain(real_time) {
        // SAFETY: zeroes are a valid sigaction, which is only filled.
        let old = unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut old);
            old
        };
        if old.sa_sigaction == libc::SIG_DFL {
            handle(signal, nothing, libc::SA_RESTART);
        }
    }
}

unsafe extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes this thread's context, to be changed at will.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let instruction = registers[libc::REG_RIP as usize] as usize;
    if let Some(recovery) = memory::recovery(instruction) {
        registers[libc::REG_RIP as usize] = recovery as i64;
        return;
    }
    // SAFETY: SIGSEGV and SIGBUS carry an address; for the others the field is the instruction.
    let address = unsafe { (*info).si_addr() } as usize;
    let comes_back = signal == libc::SIGSEGV && address == instruction && in_program(instruction);
    if comes_back && release() {
        // Another program may come first, and the limit may have begun anew: then it goes on.
        if let Some(running) = interrupted(registers).filter(|running| running.is_over()) {
            // SAFETY: the interrupted instruction is a program's own.
            unsafe { end_run(TICK, 0, running, registers) };
        }
        return;
    }
    let Some(running) = interrupted(registers) else {
        // SAFETY: the arguments of this very call.
        return unsafe { pass_on(signal, info, context) };
    };
    // SAFETY: a fault interrupts at the instruction that caused it.
    unsafe { end_run(signal, address, running, registers) };
}

unsafe extern "C" fn on_tick(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes where the signal comes from.
    match unsafe { (*info).si_code } {
        libc::SI_TIMER => {}
        // Not the clock: somebody asks where the thread is.
        libc::SI_TKILL => return tcb::current().map_or((), |tcb| tcb.beacon.show(tcb)),
        // A stranger's: it costs no program its time.
        _ => return,
    }
    // SAFETY: the kernel passes this thread's context, to be changed at will.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let Some(running) = running() else { return };
    // What is answered in place is the program's time, too.
    let left = running.ticks_left.get().saturating_sub(1);
    running.ticks_left.set(left);
    if !running.is_over() {
        return;
    }
    let instruction = registers[libc::REG_RIP as usize] as usize;
    // In its own code, and in few functions of the runtime, nobody misses the rest. Elsewhere in the runtime, in libc and
    // with who answers it a lock may be held, or a change be half made: there it ends as soon as it comes back.
    if interrupted(registers).is_some() && (in_program(instruction) || is_endable(instruction)) {
        // SAFETY: the interrupted instruction is a program's own, or in such a function.
        unsafe { end_run(signal, 0, running, registers) };
    } else {
        arrest();
    }
}

/// Keeps all programs of this thread from running: the one that comes back to its code faults there, and is then ended.
fn arrest() {
    if !ARRESTED.replace(true) {
        text_ranges().iter().for_each(|text| protect(*text, libc::PROT_READ));
    }
}

/// Lets the programs of this thread run again; whether they were kept from it.
fn release() -> bool {
    let arrested = ARRESTED.replace(false);
    if arrested {
        text_ranges().iter().for_each(|text| protect(*text, libc::PROT_READ | libc::PROT_EXEC));
    }
    arrested
}

/// Sets what may be done with the code of a program.
fn protect((start, end): (usize, usize), protection: c_int) {
    let start = start & !(PAGE - 1);
    // SAFETY: the pages of a loaded program's code, which only this thread runs.
    unsafe { libc::mprotect(start as *mut c_void, end - start, protection) };
}

type Registers = [i64; 23];

/// The run on whose stack this thread was interrupted.
fn interrupted<'a>(registers: &Registers) -> Option<&'a Running> {
    let running = running()?;
    running.trap.stack_ptr_in_bounds(registers[libc::REG_RSP as usize] as usize).then_some(running)
}

/// Records what happened and makes the interrupted coroutine return.
///
/// # Safety
/// Called by a signal handler that interrupted this run, at an instruction after which nobody misses the rest.
unsafe fn end_run(signal: c_int, address: usize, running: &Running, registers: &mut Registers) {
    let instruction = registers[libc::REG_RIP as usize] as usize;
    let record = Record {
        signal,
        address,
        instruction,
        stack_overflow: address < running.stack_bottom && running.trap.stack_ptr_in_bounds(address),
        terminated: signal == TICK && running.is_to_end(),
    };
    RECORD.with(|r| r.set(record));
    // SAFETY: the stack pointer lies in the coroutine, whose frames are C's and those of `imports`: nothing in them
    // needs dropping. The registers are set as the trap handler asks.
    let next = unsafe { running.trap.setup_trap_handler(|| Ended::Fault) };
    for (register, value) in [
        (libc::REG_RIP, next.rip),
        (libc::REG_RSP, next.rsp),
        (libc::REG_RBP, next.rbp),
        (libc::REG_RDI, next.rdi),
        (libc::REG_RSI, next.rsi),
    ] {
        registers[register as usize] = value as i64;
    }
}

/// Whether an instruction is the runtime's, in a function in which a program may be ended.
fn is_endable(instruction: usize) -> bool {
    tcb::current().is_some_and(|tcb| {
        let (start, end) = tcb.runtime.text;
        tcb.endable.get() && (start..end).contains(&instruction)
    })
}

/// Whether an instruction is a loaded program's.
fn in_program(instruction: usize) -> bool {
    text_ranges().iter().any(|(start, end)| (*start..*end).contains(&instruction))
}

/// Hands a signal to the handler that was there before ours.
///
/// # Safety
/// Called by a signal handler with its own arguments.
unsafe fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let index = SIGNALS.iter().position(|s| *s == signal);
    let previous = index.and_then(|i| PREVIOUS[i].get());
    match previous.map(|p| (p.sa_sigaction, p.sa_flags)) {
        Some((handler, flags)) if handler != libc::SIG_DFL && handler != libc::SIG_IGN => {
            // SAFETY: the handler was installed with the type that its flags tell.
            unsafe {
                if flags & libc::SA_SIGINFO != 0 {
                    let handler: Handler = std::mem::transmute(handler);
                    handler(signal, info, context);
                } else {
                    let handler: unsafe extern "C" fn(c_int) = std::mem::transmute(handler);
                    handler(signal);
                }
            }
        }
        // SAFETY: the default action ends the process when the instruction faults again.
        _ => unsafe {
            libc::signal(signal, libc::SIG_DFL);
        },
    }
}
