//! A task: one execution of a transaction.
//!
//! A task is a value: it moves to another TCB whole, when a program that must run there is LINKed. What belongs to a
//! program's activation is in its [`Level`]; what belongs to the unit of work is in `recovery`, and what others may know of the
//! task in `control`.

mod browse;
mod chain;
mod channels;
mod eib;
mod handles;
mod kept;
mod level;
mod measured;
mod oversight;
mod recent;
mod rest;
mod spanned;
mod storage;
mod syncpoint;
mod sysout;
mod traced;
pub(crate) mod turn;
mod violation;

use ebcdic::Characters;
use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use areas::Area;
use records::Wait;

pub use browse::Browse;
pub use chain::Chain;
pub use eib::Eib;
pub use handles::{AbendExit, Action, Handles, Label};
pub use kept::{KeptParts, TaskPart};
pub use level::{Commarea, Level};
pub use oversight::{Amount, Measure, Overseer, Oversight, Plan, Reach, Threshold};
pub use recent::Recent;
pub(crate) use recent::TracedCommand;
pub use violation::freed;

pub use crate::control::{
    Connection, Detail, DetailPoint, Details, Facility, First, Hop, HopBeyond, Origin, Request,
    RequestMeasures, StartCode, StartedBy, TaskControl, TaskParts,
};
pub use crate::terminals::NextTask;
pub use crate::waits::WaitKind;

use crate::channels::Account;
use crate::meters::{Figure, Requests, ResourceRequests, Share};
use crate::name::Name8;
use crate::programs::{ProgramLevel, Uses};
use crate::raise::{Abend, AbendCode, Outcome, Raise};
use crate::recovery::UnitOfWork;
use crate::region::Region;
use crate::security::User;
use crate::storage::{Owners, StorageAddress, TaskStorage, Window};

/// The abend that a task has last had: ASSIGN ABCODE, ABPROGRAM.
#[derive(Clone, Debug)]
pub struct AbendRecord {
    /// The code that exits see; the task's original one.
    pub code: AbendCode,
    /// The program in which it came.
    pub program: Name8,
    /// True if a dump was wanted.
    pub dump: bool,
    /// The reason and the place, in words for a person; `None` if the code says it all.
    pub reason: Option<String>,
    /// True if it has left a dump, or might have.
    pub(crate) dumped: bool,
}

impl AbendRecord {
    /// An abend in a program, before it has left a dump.
    pub(crate) fn new(abend: Abend, program: Name8, reason: Option<String>) -> Self {
        Self { code: abend.code, program, dump: abend.dump, reason, dumped: false }
    }
}

/// A task. What others may know of it, too, is in its [`TaskControl`], as whose it is read: `task.number`, `task.user`.
pub struct Task {
    /// The region it runs in.
    pub region: Arc<Region>,
    /// Control block of the task, as the region sees it from outside: identity, purge, wait.
    pub control: Arc<TaskControl>,
    /// Its unit of work.
    pub work: UnitOfWork,
    /// Storage it has got.
    pub storage: TaskStorage,
    /// On whose behalf its programs run now: mostly the user that it was attached for.
    pub user: Arc<User>,
    /// The storage of its programs; `None` until there is one.
    pub(crate) window: Option<Box<Window>>,
    /// Its levels of programs that do not run now: a command of theirs is answered, or a dump is taken.
    pub(crate) program_levels: Vec<ProgramLevel>,
    /// The level of its first program, for the next task that begins with it: the dispatcher knows what it is.
    pub(crate) left: Option<Box<dyn Any + Send>>,
    /// Time that it has kept its thread.
    pub(crate) turn: turn::Turn,
    /// Part of a line that its programs have DISPLAYed.
    pub(crate) begun: sysout::Begun,
    /// Its bytes in containers; `None` until it has some.
    pub(crate) containers: Option<Arc<Account>>,
    /// Its transaction work area.
    pub twa: Area,
    /// Its dispatching priority, 0 to 255.
    pub priority: u8,
    /// State of domains and services for it.
    pub kept: KeptParts,
    /// The programs it has LOADed.
    pub loads: Uses,
    /// Request of its RETURN.
    pub next: NextTask,
    /// Place of the original of a COMMAREA that was a copy, and its bytes: between the end of a level and its caller.
    pub(crate) commarea_back: Option<(StorageAddress, Vec<u8>)>,
    /// Outcome of the command that has LINKed to a supplied program, if that is not NORMAL: the program gives it as
    /// it returns.
    pub came_to: Option<Raise>,
    /// Start of its two-digit years: CEESCEN.
    pub(crate) century: le::Century,
    /// Its last abend.
    pub abend: Option<AbendRecord>,
    /// Reason of the abend that is about to be recorded.
    pub(crate) abend_reason: Option<String>,
    /// The commands that it has last had answered.
    pub recent: Recent,
    /// The commands that it has had answered.
    pub requests: Requests,
    /// Counter of the resource that the command in hand uses.
    pub(crate) resource: Option<Arc<Share>>,
    /// The same for records of the resource class.
    pub(crate) using: Option<Box<measured::Using>>,
    /// Its thresholds, if it has any.
    overseen: Option<Box<oversight::Overseen>>,
    /// Commands until the next look at its thresholds; 0: as many as the number has room for.
    until_look: Cell<u32>,
    browses: BTreeMap<i64, Browse>,
    /// The running program's.
    level: Option<Box<Level>>,
    /// Those above it, the first program's first.
    #[expect(clippy::vec_box, reason = "a level goes there, and back, without being copied")]
    callers: Vec<Box<Level>>,
}

impl Deref for Task {
    type Target = TaskControl;

    fn deref(&self) -> &TaskControl {
        &self.control
    }
}

impl Task {
    /// Owners of the areas that its programs may be given.
    pub(crate) fn owners(&self) -> Owners<'_> {
        Owners { storage: &self.storage, twa: &self.twa }
    }

    /// A task that has not run yet, with what domains have for it.
    pub fn new(region: &Arc<Region>, control: Arc<TaskControl>, mut kept: KeptParts) -> Self {
        let twa = Area::new(control.transaction.twa_length);
        let priority = control.transaction.priority;
        let mut work = UnitOfWork::begin(region, &control);
        control.begin_unit(work.owner().0);
        control.holds_as(work.owner());
        kept.begins(&mut work);
        let overseen = oversight::Overseen::begin(region, &control);
        let until_look = Cell::new(overseen.as_ref().map_or(0, |overseen| overseen.first_look()));
        Self {
            work,
            overseen,
            until_look,
            region: Arc::clone(region),
            user: Arc::clone(&control.user),
            control,
            storage: TaskStorage::of(&region.dsa),
            window: None,
            program_levels: Vec::new(),
            left: None,
            turn: turn::Turn::default(),
            containers: None,
            twa,
            priority,
            kept,
            loads: Uses::default(),
            next: NextTask::default(),
            commarea_back: None,
            came_to: None,
            century: le::Century::default(),
            abend: None,
            begun: sysout::Begun::default(),
            abend_reason: None,
            recent: Recent::default(),
            requests: Requests::default(),
            resource: None,
            using: None,
            browses: BTreeMap::new(),
            level: None,
            callers: Vec::new(),
        }
    }

    /// The command in hand uses this resource: it is counted there, too.
    pub fn uses(&mut self, resource: &ResourceRequests) {
        self.resource = Some(Arc::clone(resource.share()));
    }

    /// The running program's level.
    ///
    /// # Panics
    /// Before the first program and after the last: no command runs then.
    #[inline]
    pub fn level(&self) -> &Level {
        self.level.as_deref().expect("a program is running")
    }

    /// The running program's level.
    ///
    /// # Panics
    /// As [`Self::level`].
    #[inline]
    pub fn level_mut(&mut self) -> &mut Level {
        self.level.as_deref_mut().expect("a program is running")
    }

    /// In what the running program holds its text.
    #[inline]
    pub fn characters(&self) -> Characters {
        self.level().characters
    }

    /// All levels, the running program's first.
    pub fn levels(&self) -> impl Iterator<Item = &Level> {
        self.level.iter().chain(self.callers.iter().rev()).map(|level| &**level)
    }

    /// Returns INPUTMSG that no RECEIVE has taken yet: the running program's, or that of the nearest program above it.
    pub fn input_message(&self) -> Option<&Vec<u8>> {
        self.levels().find_map(|level| level.input_message.as_ref())
    }

    /// Takes it: the next RECEIVE waits for the terminal, or has that of a program further above.
    pub fn take_input_message(&mut self) -> Option<Vec<u8>> {
        let levels = self.level.iter_mut().chain(self.callers.iter_mut().rev());
        levels.into_iter().find_map(|level| level.input_message.take())
    }

    /// Depth of the running program: 1 for the first.
    pub fn depth(&self) -> usize {
        self.callers.len() + usize::from(self.level.is_some())
    }

    /// A level by how deep it is: 1 for the first.
    pub(crate) fn level_at(&mut self, depth: usize) -> Option<&mut Level> {
        match depth == self.depth() {
            true => self.level.as_deref_mut(),
            false => self.callers.get_mut(depth.checked_sub(1)?).map(|level| &mut **level),
        }
    }

    /// The level above the running program's.
    pub fn caller(&self) -> Option<&Level> {
        self.callers.last().map(|level| &**level)
    }

    /// The same, to be changed.
    pub fn caller_mut(&mut self) -> Option<&mut Level> {
        self.callers.last_mut().map(|level| &mut **level)
    }

    /// Enters a level below the running program's.
    pub(crate) fn enter(&mut self, level: Box<Level>) {
        let with_channel = level.channel.is_some();
        if let Some(caller) = self.level.replace(level) {
            self.callers.push(caller);
            if with_channel {
                self.adds(Figure::LinksWithChannel, 1);
            }
        }
    }

    /// Leaves the running program's level: its COMMAREA.
    pub(crate) fn leave(&mut self) -> Option<Commarea> {
        let commarea = self.level.as_mut().and_then(|level| level.commarea.take());
        self.level = self.callers.pop();
        commarea
    }

    /// Leaves it, and gives it to the one that asks. The first level stays.
    pub(crate) fn leave_level(&mut self) -> Option<Box<Level>> {
        let caller = self.callers.pop()?;
        self.level.replace(caller)
    }

    /// Returns true if the log takes another line now that the running program causes.
    pub fn may_write_line(&self) -> bool {
        self.region.lines.may_write(self.level().program, Instant::now())
    }

    /// Patience of the task with locks of others: as DTIMOUT says.
    pub fn patience(&self) -> Wait {
        match self.transaction.deadlock_timeout_s {
            0 => Wait::Forever,
            seconds => Wait::AtMost(Duration::from_secs(seconds.into())),
        }
    }

    /// Keeps data as storage of the task, for SET: its address.
    ///
    /// # Errors
    /// The abend for a task that takes too much.
    pub fn hold(&mut self, data: &[u8]) -> Outcome<StorageAddress> {
        self.storage.hold(data)
    }
}
