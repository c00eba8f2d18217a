//! The auxiliary trace: every command of the tasks that are selected, before and after, in files of records.
//!
//! ```text
//! door of commands ──► before ──► Entry (ENTRY) ─┐
//!                      after  ──► Entry (EXIT) ──┼──► Recorder ──► trace-000001.rec ──► syncpoint trace
//! ENTER TRACENUM ──────────────► Entry (USER) ───┤
//! domains, beyond level 1 ─────► Entry (EVENT) ──┤
//! end of a task ───────────────► Entry (END) ────┘
//! ```
//!
//! While it is stopped there is no watcher, and the door costs what it costs without. Its files are sealed where data are.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use instruments::format::{ColumnForm, Encoder, KindLayout, Layout, LayoutColumn};
use keys::TraceSelection;
use parking_lot::{Mutex, RwLock};

use super::levels::{self, FirstLevels, Levels, Tracing, has};
use crate::control::{Detail, DetailPoint, Details};
use crate::exec::{Call, Waiting, Watcher, Watchers};
use crate::name::{Name8, TerminalName, TransactionName};
use crate::raise::{AbendCode, Outcome, Raise};
use crate::recorder::Recorder;
use crate::region::{Looks, Region, RegionOptions};
use crate::task::{Task, TaskControl, TaskPart};
use crate::ticks;

/// The trace when a region starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// INTTR: the internal trace is written.
    pub internal: bool,
    /// AUXTR: the auxiliary trace is written.
    pub auxiliary: bool,
    /// USERTR: entries of programs are made.
    pub user: bool,
    /// SYSTR: entries of commands are made.
    pub system: bool,
    /// STNTR, SPCTR and those of single components: levels from the start.
    pub levels: Vec<FirstLevels>,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self { internal: true, auxiliary: false, user: true, system: true, levels: Vec::new() }
    }
}

/// The state of the auxiliary trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuxiliaryStatus {
    /// It is written.
    Started,
    /// It is not, and its file is open.
    Paused,
    /// It is not.
    Stopped,
}

/// The trace of a region.
pub struct Trace {
    folder: PathBuf,
    lanes: usize,
    selection: TraceSelection,
    levels: Arc<RwLock<Levels>>,
    user: AtomicBool,
    system: AtomicBool,
    internal: AtomicBool,
    auxiliary: Mutex<(AuxiliaryStatus, Option<Arc<Writer>>)>,
}

impl Trace {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// A trace of a region that begins with these options, with a lane for each TCB.
    pub fn new(options: TraceOptions, region: &RegionOptions, lanes: usize) -> Self {
        let TraceOptions { internal, user, system, levels, .. } = options;
        let (folder, selection) =
            (region.record_folder.clone(), region.sections.get::<TraceSelection>().clone());
        let [internal, user, system] = [internal, user, system].map(AtomicBool::new);
        let auxiliary = Mutex::new((AuxiliaryStatus::Stopped, None));
        let levels = Levels::of_components(&selection.components).with(&levels);
        let levels = Arc::new(RwLock::new(levels));
        Self { folder, lanes, selection, levels, user, system, internal, auxiliary }
    }

    /// Returns true if entries of programs are made.
    pub fn takes_user(&self) -> bool {
        self.user.load(Ordering::Relaxed)
    }

    /// Entries of programs are made from now on, or not.
    pub fn set_user(&self, on: bool) {
        self.user.store(on, Ordering::Relaxed);
    }

    /// Returns true if entries of commands are made.
    pub fn takes_system(&self) -> bool {
        self.system.load(Ordering::Relaxed)
    }

    /// Entries of commands are made from now on, or not.
    pub fn set_system(&self, on: bool) {
        self.system.store(on, Ordering::Relaxed);
    }

    /// Returns true if the internal trace is written.
    pub fn is_internal(&self) -> bool {
        self.internal.load(Ordering::Relaxed)
    }

    /// The internal trace is written from now on, or not: the caller sees to the tables.
    pub fn set_internal(&self, on: bool) {
        self.internal.store(on, Ordering::Relaxed);
    }

    /// The state of the auxiliary trace.
    pub fn auxiliary(&self) -> AuxiliaryStatus {
        self.auxiliary.lock().0
    }

    /// Starts, pauses or stops the auxiliary trace. Blocks until its file has what was taken.
    ///
    /// # Errors
    /// The operating system's, if there can be no thread that writes.
    pub fn set_auxiliary(&self, region: &Region, status: AuxiliaryStatus) -> std::io::Result<()> {
        let mut state = self.auxiliary.lock();
        if state.0 == status {
            return Ok(());
        }
        match (status, &state.1) {
            (AuxiliaryStatus::Started, None) => {
                let recorder = Recorder::start(self.folder.clone(), "trace", &layout(), self.lanes)?;
                let selection = self.selection.clone();
                let levels = Arc::clone(&self.levels);
                let written = AtomicBool::new(true);
                let writer = Arc::new_cyclic(|own| Writer {
                    recorder,
                    written,
                    selection,
                    levels,
                    own: Weak::clone(own),
                });
                state.1 = Some(Arc::clone(&writer));
                Watchers::add(region, writer);
            }
            (AuxiliaryStatus::Started, Some(writer)) => {
                writer.written.store(true, Ordering::Relaxed);
                Watchers::add(region, Arc::clone(writer) as _);
            }
            (_, Some(writer)) => {
                writer.written.store(false, Ordering::Relaxed);
                let watcher: Arc<dyn Watcher> = Arc::clone(writer) as _;
                Watchers::remove(region, &watcher);
                writer.recorder.flush();
            }
            (_, None) => {}
        }
        if status == AuxiliaryStatus::Stopped
            && let Some(writer) = state.1.take()
        {
            writer.recorder.stop();
        }
        state.0 = status;
        drop(state);
        self.looks_beyond_1(region);
        Ok(())
    }

    /// Domains ask for entries beyond level 1 from now on, or they do not: the trace or its levels have changed.
    fn looks_beyond_1(&self, region: &Region) {
        let state = self.auxiliary.lock();
        let is_written = state.0 == AuxiliaryStatus::Started;
        region.looks.set(Looks::DETAILED, is_written && self.levels.read().go_beyond_1());
    }

    /// The standard and the special levels of a component; `None` if there is none of that name.
    pub fn levels(&self, component: &str) -> Option<(u32, u32)> {
        self.levels.read().of(component)
    }

    /// Changes the levels of a component in one way of tracing; false: there is no such component.
    pub fn set_levels(&self, region: &Region, component: &str, tracing: Tracing, levels: u32) -> bool {
        let is_one = self.levels.write().set(component, tracing, levels);
        self.looks_beyond_1(region);
        is_one
    }

    /// The tracing of a transaction.
    pub fn transaction(&self, name: TransactionName) -> Tracing {
        self.levels.read().transaction(name.trimmed())
    }

    /// Changes the tracing of a transaction; false: as many as may differ from the standard do so.
    pub fn set_transaction(&self, region: &Region, name: TransactionName, tracing: Tracing) -> bool {
        let has_room = self.levels.write().set_transaction(name.trimmed(), tracing);
        self.looks_beyond_1(region);
        has_room
    }

    /// The tracing of a terminal.
    pub fn terminal(&self, name: TerminalName) -> Tracing {
        self.levels.read().terminal(name.trimmed())
    }

    /// Changes the tracing of a terminal; false: as many as may differ from the standard do so.
    pub fn set_terminal(&self, region: &Region, name: TerminalName, tracing: Tracing) -> bool {
        let has_room = self.levels.write().set_terminal(name.trimmed(), tracing);
        self.looks_beyond_1(region);
        has_room
    }

    /// Returns true if a task is traced.
    pub fn takes_task(&self, task: &Task) -> bool {
        self.levels.read().of_task(task) != Tracing::Suppressed
    }

    /// A task is traced from now on, or not, whatever its transaction and its terminal say.
    pub fn set_task(task: &mut Task, on: bool) {
        levels::set_single(task, on);
    }

    /// Adds an entry of a program to the auxiliary trace, if that is written.
    pub(super) fn user(&self, task: &Task, entry: &UserEntry<'_>) {
        let writer = {
            let state = self.auxiliary.lock();
            state.1.clone().filter(|_| state.0 == AuxiliaryStatus::Started)
        };
        if let Some(writer) = writer.filter(|writer| writer.takes(task, "AP", true)) {
            writer.write(&task.control, Point::User, |record| {
                record.number(Column::Level as usize, 1);
                record.text(Column::Component as usize, b"AP");
                record.text(Column::Program as usize, task.level().program.as_bytes());
                record.number(Column::Number as usize, entry.number.into());
                record.text(Column::Resource as usize, entry.resource.as_bytes());
                record.text(Column::Data as usize, entry.data.as_bytes());
            });
        }
    }
}

/// An entry of a program.
pub(super) struct UserEntry<'a> {
    pub number: u16,
    pub resource: Name8,
    /// FROM in hexadecimal.
    pub data: &'a str,
}

/// The place at which an entry is made.
#[derive(Clone, Copy)]
enum Point {
    Entry,
    Exit,
    User,
    End,
    Event,
}

impl From<DetailPoint> for Point {
    fn from(point: DetailPoint) -> Self {
        match point {
            DetailPoint::Entry => Self::Entry,
            DetailPoint::Exit => Self::Exit,
            DetailPoint::Event => Self::Event,
        }
    }
}

impl Point {
    fn word(self) -> &'static [u8] {
        match self {
            Self::Entry => b"ENTRY",
            Self::Exit => b"EXIT",
            Self::User => b"USER",
            Self::End => b"END",
            Self::Event => b"EVENT",
        }
    }
}

/// The columns of an entry, in the order of [`COLUMNS`].
#[derive(Clone, Copy)]
enum Column {
    Stamp,
    Nanoseconds,
    Task,
    Transaction,
    Terminal,
    User,
    Point,
    Component,
    Command,
    Program,
    Statement,
    Depth,
    Condition,
    Resp2,
    Number,
    Resource,
    Data,
    Level,
}

const COLUMNS: [(ColumnForm, &str); 18] = [
    (ColumnForm::Stamp, "AT"),
    (ColumnForm::Value, "NANOSECONDS"),
    (ColumnForm::Value, "TASK"),
    (ColumnForm::Text, "TRANSACTION"),
    (ColumnForm::Text, "TERMINAL"),
    (ColumnForm::Text, "USER"),
    (ColumnForm::Text, "POINT"),
    (ColumnForm::Text, "COMPONENT"),
    (ColumnForm::Text, "COMMAND"),
    (ColumnForm::Text, "PROGRAM"),
    (ColumnForm::Value, "STATEMENT"),
    (ColumnForm::Value, "DEPTH"),
    (ColumnForm::Text, "CONDITION"),
    (ColumnForm::Value, "RESP2"),
    (ColumnForm::Value, "NUMBER"),
    (ColumnForm::Text, "RESOURCE"),
    (ColumnForm::Text, "DATA"),
    (ColumnForm::Value, "LEVEL"),
];

fn layout() -> Layout {
    let columns = COLUMNS.iter().map(|(form, name)| LayoutColumn { form: *form, names: (*name).to_owned() });
    Layout { kinds: vec![KindLayout { name: "entry".to_owned(), columns: columns.collect() }] }
}

/// Writes entries.
struct Writer {
    recorder: Recorder,
    /// The trace is started: tasks that had entries beyond level 1 may still ask when it is not.
    written: AtomicBool,
    selection: TraceSelection,
    levels: Arc<RwLock<Levels>>,
    own: Weak<Self>,
}

/// The end of a task of which entries were made.
struct Following {
    writer: Arc<Writer>,
    control: Arc<TaskControl>,
}

impl TaskPart for Following {
    fn task_ends(&mut self, abend: Option<AbendCode>, _: Option<&str>) {
        self.writer.write(&self.control, Point::End, |record| {
            record.text(Column::Condition as usize, abend.unwrap_or_default().as_bytes());
        });
    }
}

impl Writer {
    /// Returns true if a task is one of those that `[trace]` chooses.
    fn selects(&self, task: &Task) -> bool {
        let TraceSelection { transactions, terminals, users, .. } = &self.selection;
        let terminal = || task.facility.terminal_name().unwrap_or_default();
        has(transactions, task.transaction.name.trimmed())
            && has(users, task.user.id.trimmed())
            && (terminals.is_empty() || has(terminals, terminal().trimmed()))
    }

    /// Returns true if a task has entries of a component; `standard`: standard tracing is on.
    fn takes(&self, task: &Task, component: &str, standard: bool) -> bool {
        self.selects(task) && self.levels.read().takes(task, component, standard)
    }

    /// Returns true if a task has entries of a command.
    fn takes_command(&self, task: &Task, call: &Call<'_>) -> bool {
        let component = component(spec::command(call.command()).group);
        self.takes(task, component, Trace::of(&task.region).takes_system())
    }

    fn write(&self, control: &TaskControl, point: Point, more: impl FnOnce(&mut Encoder<'_>)) {
        let now = ticks::now();
        self.recorder.append(control.tcb(), |bytes| {
            let mut record = Encoder::begin(bytes, 0);
            record.number(Column::Stamp as usize, ticks::wall_us(now));
            record.number(Column::Nanoseconds as usize, now);
            record.number(Column::Task as usize, control.number.into());
            for (column, text) in [
                (Column::Transaction, control.transaction.name.as_bytes().as_slice()),
                (Column::Terminal, control.facility.terminal_name().unwrap_or_default().as_bytes()),
                (Column::User, control.user.id.as_bytes()),
                (Column::Point, point.word()),
            ] {
                record.text(column as usize, text);
            }
            more(&mut record);
            record.end()
        });
    }

    fn command(&self, task: &Task, call: &Call<'_>, point: Point, outcome: Outcome) {
        let command = spec::command(call.command());
        let component = component(command.group);
        if !self.takes_command(task, call) {
            return;
        }
        self.write(&task.control, point, |record| {
            record.number(Column::Level as usize, 1);
            record.text(Column::Component as usize, component.as_bytes());
            record.text(Column::Command as usize, command.name.as_bytes());
            record.text(Column::Program as usize, task.level().program.as_bytes());
            record.number(Column::Statement as usize, call.statement().into());
            record.number(Column::Depth as usize, task.depth() as u64);
            match outcome {
                Ok(()) => {}
                Err(Raise::Condition(condition, resp2)) => {
                    record.text(Column::Condition as usize, condition.name().as_bytes());
                    record.number(Column::Resp2 as usize, u64::from(resp2.unsigned_abs()));
                }
                Err(Raise::Abend(code)) => record.text(Column::Condition as usize, code.as_bytes()),
            }
        });
    }
}

impl Writer {
    /// The task's entries beyond level 1 are made from now on as it is traced now.
    fn details(&self, task: &mut Task) {
        let tracing = self.levels.read().of_task(task);
        let is_traced = tracing != Tracing::Suppressed && self.selects(task);
        let is_taken = tracing == Tracing::Special || Trace::of(&task.region).takes_system();
        let by = self.own.upgrade().filter(|_| is_traced && is_taken);
        if let Some(by) = &by {
            Self::follow(by, task);
        }
        task.control.set_details(by.map(|by| (by as Arc<dyn Details>, tracing == Tracing::Special)));
    }

    /// The task's end has an entry, too.
    fn follow(by: &Arc<Self>, task: &mut Task) {
        if task.kept.get::<Following>().is_none() {
            let (writer, control) = (Arc::clone(by), Arc::clone(&task.control));
            task.kept.put(Following { writer, control });
        }
    }
}

impl Details for Writer {
    fn takes(&self, component: &str, level: u8, special: bool) -> bool {
        self.written.load(Ordering::Relaxed) && self.levels.read().takes_level(component, level, special)
    }

    fn note(&self, control: &TaskControl, detail: &Detail<'_>) {
        let Detail { component, level, point, function, resource, number, data } = *detail;
        self.write(control, point.into(), |record| {
            record.number(Column::Level as usize, level.into());
            record.text(Column::Component as usize, component.as_bytes());
            record.text(Column::Command as usize, function.as_bytes());
            if let Some((program, _)) = control.stands() {
                record.text(Column::Program as usize, program.as_bytes());
            }
            record.text(Column::Resource as usize, resource);
            record.number(Column::Number as usize, number);
            record.text(Column::Data as usize, data.as_bytes());
        });
    }
}

impl Watcher for Writer {
    fn before<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
        if task.may_be_detailed() {
            self.details(task);
        }
        if task.kept.get::<Following>().is_none()
            && self.takes_command(task, call)
            && let Some(by) = self.own.upgrade()
        {
            Self::follow(&by, task);
        }
        self.command(task, call, Point::Entry, Ok(()));
        Box::pin(std::future::ready(Ok(())))
    }

    fn after<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, outcome: Outcome) -> Waiting<'a> {
        self.command(task, call, Point::Exit, outcome);
        Box::pin(std::future::ready(outcome))
    }

    fn begins<'a>(&'a self, task: &'a mut Task) -> Waiting<'a> {
        if task.may_be_detailed() {
            self.details(task);
        }
        Box::pin(std::future::ready(Ok(())))
    }
}

/// The component of a group of commands, by the two letters of the published components.
fn component(group: &str) -> &'static str {
    const COMPONENTS: [(&str, &str); 16] = [
        ("file control", "FC"),
        ("temporary storage", "TS"),
        ("transient data", "TD"),
        ("interval control", "IC"),
        ("program control", "PG"),
        ("channels", "PG"),
        ("storage control", "SM"),
        ("terminal control", "TC"),
        ("BMS", "BM"),
        ("task control", "KC"),
        ("journaling", "LG"),
        ("web", "WB"),
        ("document services", "DH"),
        ("security", "XS"),
        ("named counters", "NC"),
        ("events", "EP"),
    ];
    COMPONENTS.iter().find(|(begin, _)| group.starts_with(begin)).map_or("EI", |(_, component)| component)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_stands_at_its_number_and_each_group_of_the_application_has_a_component() {
        assert_eq!(COLUMNS.len(), Column::Level as usize + 1);
        assert_eq!(COLUMNS[Column::Command as usize].1, "COMMAND");
        for (group, expected) in
            [("file control", "FC"), ("temporary storage", "TS"), ("system programming: set", "EI")]
        {
            assert_eq!(component(group), expected);
            assert!(levels::COMPONENTS.contains(&component(group)));
        }
    }

    #[test]
    fn an_empty_list_takes_every_name_and_a_star_any_end() {
        let list = [String::from("PAY*"), String::from("BOOK")];
        for (name, expected) in [("PAY1", true), ("PAY", true), ("BOOK", true), ("BOOKS", false)] {
            assert_eq!(has(&list, name.as_bytes()), expected, "{name}");
        }
        assert!(has(&[], b"ANY"));
    }
}
