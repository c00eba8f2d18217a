//! Running a program: one link level of a task as a generator of steps.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use corosensei::{Coroutine, CoroutineResult, Yielder};
use smallvec::SmallVec;

use crate::answer::{Answering, Answers, Lent};
use crate::calculation::Calculation;
use crate::call::{ExecCall, ServiceCall};
use crate::ending::{ErrorClass, Fault, FaultKind, Place, RuntimeError, Termination};
use crate::error::{Error, StorageFault};
use crate::file::FileCall;
use crate::image::{Level, Slot};
use crate::inspect::{Entered, entered};
use crate::memory;
use crate::program::Program;
use crate::signals::{self, NO_LIMIT, Running};
use crate::stack::TaskStack;
use crate::storage::{Overlay, element_end, low};
use crate::tcb::{Ended, Event, Tcb};

/// What a program's run came to.
#[derive(Debug)]
pub enum Step<'r> {
    /// A command. Resume with what its CALL is to return: 0, or the number of a label.
    Exec(ExecCall<'r>),
    /// A CALL of one of the host's services. Resume with what the CALL is to return.
    Service(ServiceCall<'r>),
    /// A statement about one of COBOL's own files. Resume with 0.
    File(FileCall<'r>),
    /// A CALL of a program that this level has not entered yet: answer with [`Run::provide`], then resume. Without an
    /// answer the program does not exist.
    NeedProgram(String),
    /// A line of DISPLAY output. Resume with 0.
    Display(String),
    /// The program came back (GOBACK) with this RETURN-CODE.
    Returned(i32),
    /// STOP RUN.
    StopRun(i32),
    /// The COBOL runtime gave up.
    RuntimeError(RuntimeError),
    /// A CALL of a program that nobody provided, without ON EXCEPTION.
    MissingProgram(String),
    /// The processor refused an instruction, the program is a runaway, or it was to end.
    Fault(Fault),
}

/// A task's link levels on this TCB: the programs it has entered and not left.
#[derive(Clone)]
pub struct Task {
    tcb: Rc<Tcb>,
    shared: Rc<Shared>,
}

/// Who may say of a task that it is to end.
pub(crate) type Terminator = Arc<dyn AsRef<Termination> + Send + Sync>;

/// What all runs of a task share.
struct Shared {
    levels: RefCell<SmallVec<[Rc<Level>; 2]>>,
    terminator: Option<Terminator>,
}

impl Task {
    pub(crate) fn new(tcb: Rc<Tcb>, terminator: Option<Terminator>) -> Self {
        Self { tcb, shared: Rc::new(Shared { levels: RefCell::default(), terminator }) }
    }

    /// Starts a program as the task's next link level, with fresh WORKING-STORAGE: attach, LINK, or XCTL after the
    /// transferring level was dropped. The program gets the addresses of its EIB and COMMAREA (0: none).
    ///
    /// Levels end in the opposite order of their start, as LINK has it.
    ///
    /// # Errors
    /// If there is no stack for it.
    pub fn start(&self, program: &Program, eib: usize, commarea: usize) -> Result<Run, Error> {
        let parent = self.shared.levels.borrow().last().cloned();
        let level = Level::new(parent, eib, &self.tcb);
        self.shared.levels.borrow_mut().push(Rc::clone(&level));
        let mut run = Run {
            coroutine: None,
            trap: None,
            yielder: std::ptr::null(),
            level,
            slot: Rc::clone(&program.0),
            commarea,
            held: None,
            goes_on: None,
            outside: Duration::ZERO,
            task: self.clone(),
        };
        run.prepare(self.tcb.stacks.take()?);
        Ok(run)
    }

    /// Whether a program is active at some level: a LINK to it displaces the caller's storage, so its COMMAREA must
    /// not lie there.
    pub fn has_entered(&self, program: &Program) -> bool {
        self.shared.levels.borrow().last().is_some_and(|l| l.has_entered(&program.0))
    }

    /// A check zone of the last level's own storage that a program has written over: to be looked for where it ends.
    pub fn overlay(&self) -> Option<Overlay> {
        self.shared.levels.borrow().last().and_then(|level| level.overlay())
    }

    /// The programs that the task has entered on this TCB and not left, the last level's first.
    pub fn entered(&self) -> Vec<Entered> {
        self.shared.levels.borrow().last().map(|last| entered(last)).unwrap_or_default()
    }

    /// Copies from an address that a program of the task gave.
    ///
    /// # Errors
    /// If it is not storage.
    pub fn read(&self, address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
        self.place();
        memory::read_element(address, into, || self.data_end(address))
    }

    /// Copies to an address that a program of the task gave.
    ///
    /// # Errors
    /// If it is not storage, or not writable.
    pub fn write(&self, address: usize, from: &[u8]) -> Result<(), StorageFault> {
        self.place();
        // SAFETY: the task's own programs could write there as well; what they may, the region does for them.
        unsafe { memory::write_element(address, from) }
    }

    /// Returns true if so many bytes at an address lie in one storage element, as far as elements are known.
    pub fn is_whole(&self, address: usize, length: usize) -> bool {
        match element_end(address) {
            Ok(end) => end.or_else(|| self.data_end(address)).is_none_or(|end| length <= end - address),
            Err(_) => false,
        }
    }

    fn data_end(&self, address: usize) -> Option<usize> {
        self.shared.levels.borrow().last().and_then(|level| level.tcb().data_end(address))
    }

    fn place(&self) {
        if let Some(level) = self.shared.levels.borrow().last() {
            level.place();
        }
    }
}

type ProgramCoroutine = Coroutine<i32, Event, Ended, TaskStack>;

/// What is handed out when the DISPLAY lines before it are.
enum Outcome {
    Exec,
    Service(usize),
    File(u16, usize, usize),
    NeedProgram(String),
    Returned(i32),
    StopRun(i32),
    RuntimeError(RuntimeError),
    MissingProgram(String),
    Fault(Fault),
}

/// One link level of a task: a program in a coroutine.
pub struct Run {
    coroutine: Option<ProgramCoroutine>,
    trap: Option<Running>,
    yielder: *const Yielder<i32, Event>,
    level: Rc<Level>,
    slot: Rc<Slot>,
    commarea: usize,
    held: Option<Outcome>,
    /// The program has not given way at the last step, whose answer has taken so much processor time.
    goes_on: Option<Duration>,
    /// The part of such times that was less than a tick.
    outside: Duration,
    task: Task,
}

impl Run {
    /// Goes on with the program, until it wants something or ends.
    ///
    /// # Panics
    /// If the program has ended.
    pub fn resume(&mut self, reply: i32) -> Step<'_> {
        self.step(reply, Answering::NOBODY)
    }

    /// Like [`Run::resume`], but lets `answers` see first what the program asks: what it answers costs no switch of
    /// stacks back and forth; where it gives `None` there is a step. What comes behind DISPLAY output that was not
    /// handed out yet is always a step.
    ///
    /// # Panics
    /// If the program has ended, or `answers` panics.
    pub fn resume_answering(&mut self, reply: i32, answers: &mut impl Answers) -> Step<'_> {
        let level = Rc::clone(&self.level);
        let lent = Lent::new(&level, answers);
        self.step(reply, Answering::by(&lent))
    }

    #[inline(always)]
    fn step(&mut self, reply: i32, answering: Answering) -> Step<'_> {
        let outcome = match self.held.take() {
            Some(outcome) => outcome,
            None => self.advance(reply, answering),
        };
        let line = self.task.tcb.console.borrow_mut().next();
        if let Some(line) = line {
            self.held = Some(outcome);
            return Step::Display(line);
        }
        match outcome {
            Outcome::Exec => Step::Exec(ExecCall::new(&self.level)),
            Outcome::Service(index) => Step::Service(ServiceCall::new(&self.level, index)),
            Outcome::File(code, block, file) => Step::File(FileCall::new(&self.level, (code, block, file))),
            Outcome::NeedProgram(name) => Step::NeedProgram(name),
            Outcome::Returned(code) => Step::Returned(code),
            Outcome::StopRun(code) => Step::StopRun(code),
            Outcome::RuntimeError(message) => Step::RuntimeError(message),
            Outcome::MissingProgram(name) => Step::MissingProgram(name),
            Outcome::Fault(fault) => Step::Fault(fault),
        }
    }

    /// Answers [`Step::NeedProgram`].
    pub fn provide(&mut self, program: &Program) {
        *self.level.answer.borrow_mut() = Some(Rc::clone(&program.0));
    }

    /// Enters the level's program again, at the label with this number in its list: HANDLE ABEND. Its storage is as
    /// it was left, its PERFORMs and CALLs are gone. Allowed at any time, also after the program has ended.
    ///
    /// # Errors
    /// If there is no stack for it.
    pub fn restart(&mut self, label: i32) -> Result<(), Error> {
        self.abandon();
        self.held = None;
        self.level.place();
        self.level.rewind();
        self.level.label.set(label);
        self.prepare(self.task.tcb.stacks.take()?);
        Ok(())
    }

    /// Limits how much processor time the program may use between two steps; `None`: as much as it likes. The limit
    /// is kept to some hundredths of a second. What is answered in place does not begin it anew, unless the one who
    /// answers says so ([`ExecCall::renew_limit`]).
    pub fn limit(&mut self, limit: Option<Duration>) {
        let ticks = limit.map_or(NO_LIMIT, |l| {
            let ticks = l.as_nanos().div_ceil(signals::TICK_TIME.as_nanos());
            u32::try_from(ticks).unwrap_or(NO_LIMIT).max(1)
        });
        if let Some(trap) = &self.trap {
            trap.limit.set(ticks);
        }
    }

    /// The program has not given way at this step: its limit goes on when it is resumed. `outside`: processor time that the
    /// answer has taken, which is the program's, too.
    pub fn has_not_given_way(&mut self, outside: Duration) {
        self.goes_on = Some(outside);
    }

    /// The name of the level's program.
    pub fn program(&self) -> &str {
        &self.slot.name
    }

    /// Makes the coroutine that will enter the program.
    fn prepare(&mut self, stack: TaskStack) {
        let bottom = stack.bottom();
        let entry = self.slot.entry;
        // Without a COMMAREA there is low storage to look at.
        let commarea = if self.commarea == 0 { low::start() } else { self.commarea };
        let eib = self.level.eib;
        let tcb = Rc::as_ptr(&self.task.tcb);
        let coroutine = Coroutine::with_stack(stack, move |yielder, _| {
            // SAFETY: the run keeps the TCB's state alive while it has a coroutine.
            unsafe { (*tcb).yielder.set(yielder) };
            // SAFETY: cobc gives a program's entry this type: an address for each USING item, an int in return.
            let entry: unsafe extern "C" fn(usize, usize) -> i32 = unsafe { std::mem::transmute(entry) };
            // SAFETY: whatever the program does with its addresses, it does to its task.
            Ended::Returned(unsafe { entry(eib, commarea) })
        });
        let limit = self.trap.as_ref().map_or(NO_LIMIT, |before| before.limit.get());
        let terminator = self.task.shared.terminator.as_ref();
        self.trap = Some(Running {
            ticks_left: Cell::new(limit),
            limit: Cell::new(limit),
            termination: terminator.map_or(std::ptr::null(), |t| std::ptr::from_ref((**t).as_ref())),
            trap: coroutine.trap_handler(),
            stack_bottom: bottom,
        });
        self.coroutine = Some(coroutine);
        self.yielder = std::ptr::null();
    }

    #[inline(always)]
    fn advance(&mut self, reply: i32, answering: Answering) -> Outcome {
        let tcb = &self.task.tcb;
        let coroutine = self.coroutine.as_mut().expect("a run that has not ended");
        self.level.place();
        if !coroutine.started() {
            if let Some(message) = self.slot.lacks_external(&self.level) {
                self.task.tcb.console.borrow_mut().messages.extend_from_slice(message.as_bytes());
                return self.end(CoroutineResult::Yield(Event::GaveUp));
            }
            self.level.enter(&self.slot);
        }
        if let Some(running) = &self.trap {
            match self.goes_on.take() {
                None => running.renew(),
                Some(outside) => self.outside = running.spend(self.outside + outside),
            }
        }
        // The resumer may itself be the answer to another program's command.
        let outer = (
            tcb.running.replace(Rc::as_ptr(&self.level)),
            tcb.yielder.replace(self.yielder),
            tcb.answering.replace(answering),
            tcb.interrupted.replace(self.trap.as_ref().map_or(std::ptr::null(), std::ptr::from_ref)),
        );
        let result = coroutine.resume(reply);
        tcb.interrupted.set(outer.3);
        tcb.answering.set(outer.2);
        self.yielder = tcb.yielder.replace(outer.1);
        tcb.running.set(outer.0);
        match result {
            CoroutineResult::Yield(Event::Exec) => Outcome::Exec,
            CoroutineResult::Yield(Event::Service(index)) => Outcome::Service(index),
            CoroutineResult::Yield(Event::File(code, block, file)) => Outcome::File(code, block, file),
            CoroutineResult::Yield(Event::NeedProgram(name)) => Outcome::NeedProgram(name),
            ended => self.end(ended),
        }
    }

    #[cold]
    fn end(&mut self, result: CoroutineResult<Event, Ended>) -> Outcome {
        self.abandon();
        self.task.tcb.calculating(Calculation::clear);
        self.task.tcb.endable.set(false);
        if let Some(panic) = self.task.tcb.panic.take() {
            std::panic::resume_unwind(panic);
        }
        let mut console = self.task.tcb.console.borrow_mut();
        console.flush();
        let messages = match &result {
            CoroutineResult::Yield(Event::GaveUp) => console.take_messages(),
            _ => String::new(),
        };
        console.display_messages();
        drop(console);
        match result {
            CoroutineResult::Return(Ended::Returned(code)) => Outcome::Returned(code),
            CoroutineResult::Return(Ended::Fault) => self.faulted(FaultKind::of(&signals::record())),
            CoroutineResult::Yield(Event::Missing(name)) => Outcome::MissingProgram(name),
            CoroutineResult::Yield(Event::Over(kind)) => self.faulted(kind),
            CoroutineResult::Yield(Event::StackUsedUp) => self.faulted(FaultKind::StackOverflow),
            CoroutineResult::Yield(Event::NotNumeric) => self.faulted(FaultKind::Data),
            CoroutineResult::Yield(Event::SizeError) => self.faulted(FaultKind::Arithmetic),
            CoroutineResult::Yield(Event::Stop(code)) => Outcome::StopRun(code),
            CoroutineResult::Yield(_) => Outcome::RuntimeError(self.runtime_error(&messages)),
        }
    }

    fn runtime_error(&self, messages: &str) -> RuntimeError {
        let message = messages.trim().trim_start_matches("libcob: ").trim_start_matches("error: ");
        // SAFETY: the runtime's global structure; this run's state is still in place.
        let exception = unsafe { (*self.task.tcb.runtime.global()).exception_code };
        RuntimeError { message: message.to_owned(), class: ErrorClass::of(exception), place: self.place() }
    }

    fn faulted(&self, kind: FaultKind) -> Outcome {
        Outcome::Fault(Fault { kind, place: self.place() })
    }

    fn place(&self) -> Place {
        Place::last(&self.task.tcb, &self.slot.name)
    }

    /// Leaves the program where it stands.
    fn abandon(&mut self) {
        let Some(mut coroutine) = self.coroutine.take() else { return };
        // SAFETY: on the coroutine's stack are C frames and those of `imports`, which hold nothing to drop while
        // they wait, and the closure of `prepare`, whose captures are plain numbers.
        unsafe { coroutine.force_reset() };
        self.task.tcb.stacks.give(coroutine.into_stack());
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.abandon();
        self.task.shared.levels.borrow_mut().retain(|l| !Rc::ptr_eq(l, &self.level));
    }
}
