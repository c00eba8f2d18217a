//! The host of code: it has the storage of the programs, and answers their calls of the host where code stands.
//!
//! Code calls the host and goes on behind the call. It is left only where the host says so: the call has to wait, or control goes
//! elsewhere. What the host does meanwhile may move the storage, give linkage records other addresses, and take areas of shared
//! storage back, and it changes nothing else that code works on: a frame is only seen through [`Standing`].

use std::any::Any;
use std::sync::atomic::{AtomicU32, Ordering};

use cobol_ir::Program;
use cobol_ir::program::{BlockId, Line};
use cobol_run::{Abend, Activation, Answer, Call, Frame, Host, Machine, Passed, ProgramFault, Task};

use crate::{Calls, Reached, Unit, Within};

/// A host of code.
pub trait CodeHost {
    /// Facts that are the same at each execution of a program's calls of the host. They are found once, and stay with the program.
    type Cells: Any + Send + Sync;

    /// Those of a program. `None` if the host answers nothing where code stands.
    fn cells(program: &Program) -> Option<Self::Cells>;

    /// The storage, and what else code works with. `None` if there is no storage.
    fn parts(&mut self) -> Option<Parts<'_>>;

    /// Answers a call of the host. Returns true if the program goes on behind it. False leaves code: the host knows why.
    fn answer(&mut self, cells: &Self::Cells, at: Standing<'_>) -> bool;

    /// A mistake of ours has shown itself in an answer: code is left.
    fn failed(&mut self, panic: Box<dyn Any + Send>);
}

/// The things that code works with.
pub struct Parts<'p> {
    /// The storage of the task.
    pub storage: &'p mut Task,
    /// Shows lines, and stops routines.
    pub host: &'p mut dyn Host,
    /// Knowledge of CALLs. `None` if none of them is made within code.
    pub calls: Option<&'p mut Calls>,
}

/// A program that stands at a call of the host.
pub struct Standing<'r> {
    pub(crate) unit: &'r Unit,
    pub(crate) place: usize,
    pub(crate) frame: &'r mut Frame,
    pub(crate) site: u32,
    pub(crate) is_called: bool,
}

impl<'r> Standing<'r> {
    /// The call, by its place in [`Program::sites`].
    #[inline(always)]
    pub fn site(&self) -> u32 {
        self.site
    }

    /// The unit of the program, and its place there.
    #[inline(always)]
    pub fn program(&self) -> (&'r Unit, usize) {
        (self.unit, self.place)
    }

    /// Returns true if the program was CALLed within code: others stand below it on the machine's stack.
    #[inline(always)]
    pub fn is_called(&self) -> bool {
        self.is_called
    }

    /// The places of its segments.
    #[inline(always)]
    pub fn activation(&self) -> &Activation {
        &self.frame.activation
    }

    /// The addresses of its linkage records.
    pub fn linkage_mut(&mut self) -> &mut [u32] {
        self.frame.linkage_mut()
    }

    /// An argument of the call.
    ///
    /// # Errors
    /// It is not there.
    pub fn pass(&mut self, storage: &mut Task, argument: u32) -> Result<Passed, ProgramFault> {
        let code = self.unit.program(self.place).ok_or(ProgramFault::Host)?;
        Machine::resumed(code.program(), storage, self.frame).pass_one(self.site, argument)
    }
}

impl Unit {
    /// Runs a program from one of its entries on, as [`crate::Loaded::resume`] does, whose host answers its calls where code stands: code is
    /// left where that says so. `within`: what it may CALL within its code.
    ///
    /// # Errors
    /// As [`crate::Loaded::resume`].
    pub fn resume<H: CodeHost>(
        &self,
        (place, within): (usize, Option<Within>),
        frame: &mut Frame,
        at: BlockId,
        host: &mut H,
        flag: &AtomicU32,
    ) -> Result<Reached, Abend> {
        match self.program(place) {
            Some(code) => code.resume_of(Some((self, place)), frame, at, (host, flag), within),
            None => Err(Abend {
                fault: ProgramFault::Host,
                program: String::new(),
                line: Line { line: 0, member: None },
            }),
        }
    }
}

/// A host for which code is left at each call.
pub(crate) struct Leaves<'h> {
    pub(crate) storage: &'h mut Task,
    pub(crate) host: &'h mut dyn Host,
}

impl CodeHost for Leaves<'_> {
    type Cells = ();

    fn cells(_: &Program) -> Option<()> {
        None
    }

    fn parts(&mut self) -> Option<Parts<'_>> {
        Some(Parts { storage: self.storage, host: self.host, calls: None })
    }

    fn answer(&mut self, _: &(), _: Standing<'_>) -> bool {
        false
    }

    fn failed(&mut self, _: Box<dyn Any + Send>) {}
}

/// A host whose routines the flag stops, too.
pub(crate) struct Flagged<'h> {
    pub(crate) host: &'h mut dyn Host,
    pub(crate) flag: &'h AtomicU32,
}

impl Host for Flagged<'_> {
    fn display(&mut self, text: &[u8], advancing: bool) {
        self.host.display(text, advancing);
    }

    fn call(&mut self, call: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        self.host.call(call)
    }

    fn must_stop(&mut self) -> bool {
        self.flag.load(Ordering::Relaxed) != 0 || self.host.must_stop()
    }
}
