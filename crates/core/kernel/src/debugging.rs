//! Programs under a debugger: where a task rests, and what it looked like then.
//!
//! A debugger is asked in front of each statement whether the task rests there. One that rests gives a [`Scene`], a copy of
//! all that can be looked at, and goes on when the debugger says so: a debugger that looks holds up its task and no other,
//! and what it does not say cannot be read from a task that runs. As long as there is no debugger, programs run their
//! machine code, and this costs the test of one flag.
//!
//! Out of scope: a protocol, breakpoints (crate `debugger`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cobol_ir::program::Line;
use cobol_run::view::{Seen, View, performed};
use cobol_run::{Frame, RESERVED};
use parking_lot::RwLock;
use tokio::sync::oneshot;

use crate::diagnostics::own_storage;
use crate::exec::{Call, interface_behind};
use crate::name::{Name8, TransactionName};
use crate::programs::{EnteredProgram, Programs};
use crate::raise::Outcome;
use crate::region::{Looks, Region};
use crate::storage::Window;
use crate::task::{Task, WaitKind};

/// Debugger of a region's programs.
pub trait Debugger: Send + Sync {
    /// A statement is next in a program of a task: whether the task rests.
    fn rests_at(&self, here: &Here<'_>) -> bool;

    /// A task rests. It goes on when something comes, or nothing can come any more.
    fn resting(&self, scene: Scene) -> oneshot::Receiver<GoOn>;
}

/// The task goes on, with these bytes changed in its window.
#[derive(Debug, Default)]
pub struct GoOn {
    /// Addresses, and the bytes that stand there from now on.
    pub changes: Vec<(u32, Vec<u8>)>,
}

/// A statement that is next.
pub struct Here<'h> {
    /// The task's number.
    pub task: u32,
    /// The statement.
    pub line: &'h Line,
    /// The program, as its source names it.
    pub program: &'h str,
    depth: &'h dyn Fn() -> usize,
    source: &'h dyn Fn() -> Option<PathBuf>,
}

impl Here<'_> {
    /// Depth of the program: in LINKs, CALLs and PERFORMs.
    pub fn depth(&self) -> usize {
        (self.depth)()
    }

    /// Returns true if it stands in a file of this name, which is in small letters and without folders.
    pub fn is_in(&self, file: &str) -> bool {
        let is_named = |path: &Path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().eq_ignore_ascii_case(file))
        };
        match &self.line.member {
            Some(member) => is_named(Path::new(member)),
            None => (self.source)().is_some_and(|path| is_named(&path)),
        }
    }
}

/// A task that rests.
#[derive(Debug)]
pub struct Scene {
    /// Its number.
    pub task: u32,
    /// Its transaction.
    pub transaction: TransactionName,
    /// Reason why it rests, if that is not the statement: a command, and its outcome.
    pub reason: Option<String>,
    /// Depth of its innermost program.
    pub depth: usize,
    programs: Vec<Entered>,
    memory: Vec<u8>,
}

/// A program that is entered: the innermost of a task stands in front.
#[derive(Debug)]
pub struct Entered {
    /// Its source.
    pub source: Option<PathBuf>,
    code: Arc<native::Unit>,
    program: usize,
    frame: Frame,
    /// The storage that tasks share, as it sees it.
    shared: Seen,
    stack: Vec<cobol_run::view::Performed>,
}

impl Scene {
    /// A task whose programs have put themselves where others find them.
    fn of(task: &Task, window: &Window, interface: &[u8], reason: Option<String>) -> Self {
        let programs = Programs::of(&task.region);
        let mut memory = window.storage.memory().to_vec();
        let mut entered = Vec::new();
        for level in task.program_levels.iter().rev() {
            for own in level.programs.iter().rev() {
                entered.extend(Entered::of(own, window, source_of(programs, own)));
            }
        }
        show_interface(interface, &entered, &mut memory);
        Self {
            task: task.number,
            transaction: task.transaction.name,
            reason,
            depth: entered.iter().map(|program| program.stack.len()).sum(),
            programs: entered,
            memory,
        }
    }

    /// Its programs, the innermost first.
    pub fn programs(&self) -> &[Entered] {
        &self.programs
    }

    /// The items of one of its programs.
    pub fn view(&self, program: usize) -> Option<View<'_>> {
        let entered = self.programs.get(program)?;
        Some(View::new(entered.program()?, &entered.frame.activation, &self.memory, &entered.shared))
    }

    /// Changes bytes of this copy, as the task will when it goes on.
    pub fn change(&mut self, at: u32, bytes: &[u8]) {
        self.programs.iter_mut().for_each(|entered| entered.shared.change(at, bytes));
        let at = at as usize;
        if let Some(into) = self.memory.get_mut(at..at.saturating_add(bytes.len())) {
            into.copy_from_slice(bytes);
        }
    }
}

/// The interface block as the last command has left it: the program sees it when it goes on.
fn show_interface(bytes: &[u8], entered: &[Entered], memory: &mut [u8]) {
    let Some(innermost) = entered.first() else { return };
    let linkage = innermost.program().map_or(&[][..], |program| &program.linkage);
    let block = linkage.iter().position(|record| record.name == "DFHEIBLK");
    let at =
        block.and_then(|place| innermost.frame.activation.linkage.get(place)).map_or(0, |at| *at as usize);
    if at >= RESERVED
        && let Some(into) = memory.get_mut(at..at + bytes.len())
    {
        into.copy_from_slice(bytes);
    }
}

/// The source of a program.
fn source_of(programs: &Programs, own: &EnteredProgram) -> Option<PathBuf> {
    let name = Name8::from(own.unit.program(0)?.program().name.as_str());
    let module = programs.module_now(name)?;
    Some(module.source.clone())
}

impl Entered {
    fn of(own: &EnteredProgram, window: &Window, source: Option<PathBuf>) -> Option<Self> {
        let frame = *own.frame.clone()?;
        let shared = Seen::of(own.code()?.program(), &frame.activation, &window.storage);
        let stack = performed(own.code()?.program(), &frame, own.at, own.line);
        Some(Self { source, code: Arc::clone(&own.unit), program: own.program, frame, shared, stack })
    }

    /// The program.
    pub fn program(&self) -> Option<&cobol_ir::Program> {
        Some(self.code.program(self.program)?.program())
    }

    /// Its places, innermost first: paragraph and line.
    pub fn stack(&self) -> impl Iterator<Item = (Option<&str>, Option<&Line>)> {
        let lines = self.program().map_or(&[][..], |program| &program.lines);
        self.stack.iter().map(|one| (one.procedure.as_deref(), lines.get(one.line as usize)))
    }
}

/// The debugger of a region.
#[derive(Default)]
pub struct Debuggers(RwLock<Option<Arc<dyn Debugger>>>);

impl Debuggers {
    /// The party that is asked at each statement of programs from now on; `None` if there is none.
    pub fn set(region: &Region, debugger: Option<Arc<dyn Debugger>>) {
        region.looks.set(Looks::DEBUGGED, debugger.is_some());
        *region.part::<Self>().0.write() = debugger;
    }

    fn of(region: &Region) -> Option<Arc<dyn Debugger>> {
        region.part::<Self>().0.read().clone()
    }
}

/// Returns true if there is a debugger.
#[inline]
pub(crate) fn is_debugged(region: &Region) -> bool {
    region.looks.any(Looks::DEBUGGED)
}

/// Returns true if a task rests in front of a statement; `callers` are the programs around the one that runs.
pub(crate) fn rests_at(task: &Task, callers: &[EnteredProgram], own: &EnteredProgram) -> bool {
    let Some(debugger) = Debuggers::of(&task.region) else { return false };
    let Some(program) = own.code().map(|code| code.program()) else { return false };
    let Some(line) = program.lines.get(own.line as usize) else { return false };
    let of = |own: &EnteredProgram| match (own.code(), &own.frame) {
        (Some(code), Some(frame)) => performed(code.program(), frame, own.at, own.line).len(),
        _ => 0,
    };
    let depth = || {
        let above = task.program_levels.iter().flat_map(|level| &level.programs);
        above.chain(callers).map(of).sum::<usize>() + of(own)
    };
    let source = || source_of(Programs::of(&task.region), own);
    debugger.rests_at(&Here {
        task: task.number,
        line,
        program: &program.name,
        depth: &depth,
        source: &source,
    })
}

/// The task rests until its debugger lets it go on. Its programs have put themselves where others find them, and it has its
/// window.
///
/// # Errors
/// The task is purged.
pub(crate) async fn rest(task: &mut Task) -> Outcome {
    let (Some(debugger), Some(window)) = (Debuggers::of(&task.region), &task.window) else { return Ok(()) };
    let interface = task.level().eib.bytes();
    let going_on = debugger.resting(Scene::of(task, window, &interface, None));
    // A debugger that has gone lets everything go on.
    let go_on = task.wait(WaitKind::DEBUGGER, going_on).await?.unwrap_or_default();
    if let Some(window) = &mut task.window {
        changed(window, &go_on);
    }
    Ok(())
}

/// The same at a command, in front of it, or behind it where it has come to something.
///
/// # Errors
/// The task is purged.
pub async fn rest_at_command(
    task: &mut Task,
    call: &Call<'_>,
    came_to: Option<&Outcome>,
    reason: String,
) -> Outcome {
    let Some(debugger) = Debuggers::of(&task.region) else { return Ok(()) };
    let behind = came_to.and_then(|outcome| interface_behind(task, call, outcome));
    let interface = behind.unwrap_or_else(|| task.level().eib.bytes());
    let scene = call.with_window(|window| Some(Scene::of(task, window?, &interface, Some(reason))));
    let Some(scene) = scene else { return Ok(()) };
    let going_on = debugger.resting(scene);
    let go_on = task.wait(WaitKind::DEBUGGER, going_on).await?.unwrap_or_default();
    call.with_window(|window| {
        if let Some(window) = window {
            changed(window, &go_on);
        }
    });
    Ok(())
}

/// The storage of the program that asks for a command, item by item, as a dump shows it; `None` if no program asks.
pub fn storage_at_command(task: &Task, call: &Call<'_>) -> Option<String> {
    call.with_window(|window| shown(task, window?))
}

/// The same at a CALL of a service.
pub fn storage_at_service(task: &Task) -> Option<String> {
    shown(task, task.window.as_ref()?)
}

/// The storage of the innermost program, whose window this is.
fn shown(task: &Task, window: &Window) -> Option<String> {
    let scene = Scene::of(task, window, &task.level().eib.bytes(), None);
    let name = &scene.programs.first()?.program()?.name;
    let mut shown = String::new();
    own_storage(&mut shown, name, &scene.view(0)?);
    Some(shown)
}

fn changed(window: &mut Window, go_on: &GoOn) {
    for (at, bytes) in &go_on.changes {
        window.put(*at, bytes);
    }
}
