//! CEMT: the resources of a region, and an operator's changes to them.
//!
//! Everything comes from the tables of `system`: the values of EXEC CICS INQUIRE are shown, the changes of EXEC CICS
//! SET may be asked for as a word or typed over. INQUIRE needs the right to inquire, all else the right to operate;
//! with SEC=YES each needs the right that the command itself would need.

mod command;
mod entry;
mod lines;
mod screen;
mod sheet;
mod shown;
mod view;

use spec::{CommandId, OptionId, cmd, cond};
use tn3270::datastream::Aid;

use command::{Command, Request, Selection, given, invalid, parse};
use entry::{ShownEntry, select, takes};
use screen::{COMMAND, DONE, Drawn, Surroundings, draw};
use view::{Aside, View};

use super::desk::{Desk, Reply};
use super::frame::Frame;
use crate::definitions::discard;
use crate::outside::{self, Operated};
use crate::system::{Shutdown, reset_time, shut_down};
use domains::commands::security::{certificates_rebuilt, rebuilt};
use domains::commands::statistics::record_wanted;
use domains::statistics::Statistics;
use kernel::clock::Stamp;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Given, Manager};
use kernel::security::{NotRebuilt, Security};
use kernel::task::{Task, WaitKind};

/// The message to a user who may only look.
const ONLY_INQUIRE: &str = "E You may INQUIRE, but not change the region.";

/// Returns true if a task's user may change anything.
fn may_change(task: &Task) -> bool {
    Security::of(&task.region).is_some() || task.user.operate
}

/// The command that ends a region so.
fn shutdown(how: Shutdown) -> CommandId {
    match how {
        Shutdown::Normal => cmd::PERFORM_SHUTDOWN,
        Shutdown::Immediate => cmd::PERFORM_SHUTDOWN_IMMEDIATE,
    }
}

/// CEMT.
pub(super) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        if task.terminal().is_none() {
            return without_terminal(task).await;
        }
        let mut desk = Desk::whole(task)?;
        let mut session = Session::default();
        let text = desk.opening();
        if let Some(last) = session.obey(desk.task, &text).await? {
            desk.say(last).await?;
            return Ok(Flow::Return);
        }
        loop {
            let drawn = session.show(&desk).await?;
            let reply = desk.read().await?;
            let over = match reply.aid {
                Aid::Pf(3 | 15) | Aid::Clear => {
                    desk.say("STATUS:  SESSION ENDED").await?;
                    true
                }
                Aid::Enter => session.enter(&desk, &drawn, &reply).await?,
                aid => {
                    session.turn(aid, &drawn, Frame(desk.size()).rows());
                    false
                }
            };
            if over {
                return Ok(Flow::Return);
            }
        }
    })
}

/// One command that comes with its task, and its answer as text in the task's channel.
async fn without_terminal(task: &mut Task) -> Outcome<Flow> {
    let level = task.level_mut();
    let text = level.input_message.take().unwrap_or_default();
    let channel = level.channel.clone().ok_or_else(|| cond::NOTALLOC.raise(0))?;
    let text = task.characters().text(&text);
    let mut session = Session::default();
    let answer = match session.obey(task, &text).await? {
        Some(last) => Operated { text: format!("{last}\n"), errors: 0 },
        None => lines::all(&session, &Manager::of(task)),
    };
    outside::answer(&channel, &answer);
    Ok(Flow::Return)
}

/// The state of a CEMT session.
#[derive(Default)]
struct Session {
    command: String,
    selection: Option<Selection>,
    choices: &'static [&'static str],
    /// The outcome of a command that is about no resources.
    told: Option<String>,
    mistakes: Vec<String>,
    notes: Vec<(Vec<u8>, String)>,
    /// The one resource of which everything is shown.
    full: Option<Vec<u8>>,
    /// Texts that are looked at in place of the resources.
    aside: Option<Aside>,
    above: usize,
}

impl Session {
    /// Carries a command out. If it returns last words, the transaction is over.
    async fn obey(&mut self, task: &Task, text: &str) -> Outcome<Option<&'static str>> {
        let Command { request, mistakes } = parse(text);
        let shown = text.trim();
        let shown = if shown.get(..4).is_some_and(|first| first.eq_ignore_ascii_case("CEMT")) {
            &shown[4..]
        } else {
            shown
        };
        *self = Self { command: shown.trim().to_owned(), mistakes, ..Self::default() };
        let by = Manager::of(task);
        // With SEC=YES profiles decide, command by command.
        let may_change = may_change(task);
        let may = |command| may_change && by.may_do(command, None);
        match request {
            Request::Choose(choices) => self.choices = choices,
            Request::Absent(shown) => self.told = Some(shown),
            Request::Inquire(selection) => self.inquire(&by, selection),
            Request::Rebuild if may(cmd::PERFORM_SECURITY_REBUILD) => {
                self.performed(match rebuilt(task).await? {
                    Ok(_) => Ok("The profiles were read again and are in force."),
                    Err(NotRebuilt::Unsecured) => Err("The region has no profiles: SEC=YES is not set."),
                    Err(NotRebuilt::Unreadable(_)) => {
                        Err("The profiles stay as they were: the region's log says what is wrong.")
                    }
                });
            }
            Request::RebuildCertificates if may(cmd::PERFORM_SSL_REBUILD) => {
                self.performed(match certificates_rebuilt(task).await? {
                    true => Ok("The certificates were read again."),
                    false => Err("A certificate stays what it was: the region's log says what is wrong."),
                });
            }
            Request::Record(wanted) if may(cmd::PERFORM_STATISTICS_RECORD) => {
                record_wanted(&by.region, &wanted);
                let written = Statistics::of(&by.region).written();
                self.performed(match by.wait(WaitKind::LOG, written).await? {
                    true => Ok("The statistics were recorded."),
                    false => Err("The statistics could not be written: the region's log says why."),
                });
            }
            Request::ResetTime if may(cmd::PERFORM_RESETTIME) => {
                reset_time();
                self.performed(Ok("The date and the time of day are those of the machine."));
            }
            Request::ShutDown(how) if may(shutdown(how)) => {
                shut_down(&by.region, how);
                return Ok(Some(match how {
                    Shutdown::Normal => "The region shuts down: no new tasks, those that run may end.",
                    Shutdown::Immediate => "The region shuts down at once.",
                }));
            }
            Request::ShutDown(_)
            | Request::Rebuild
            | Request::RebuildCertificates
            | Request::Record(_)
            | Request::ResetTime => {
                self.mistakes.push(ONLY_INQUIRE.to_owned());
                self.choices = &["INQUIRE"];
            }
            Request::Set(selection, changes) => {
                if selection.kind.kind.set.is_some_and(may) {
                    for entry in select(&by, &selection).iter().filter(|e| e.values.is_some()) {
                        self.change(&by, &selection, &entry.name, &changes).await?;
                    }
                } else {
                    self.mistakes.push(ONLY_INQUIRE.to_owned());
                }
                self.inquire(&by, selection);
            }
            Request::Discard(selection) => {
                let command = selection.kind.kind.defined.map(|defined| defined.discard);
                let may = command.map_or(may_change, may);
                if may && !selection.names.is_empty() {
                    for entry in select(&by, &selection).iter().filter(|e| e.values.is_some()) {
                        let done = match command {
                            Some(command) if !by.may_do(command, Some(&entry.name)) => {
                                Err(cond::NOTAUTH.raise(0))
                            }
                            _ => discard(&by, selection.kind.kind, &entry.name).await,
                        };
                        self.note(&entry.name, done)?;
                    }
                } else {
                    let why = if may { "E A name is needed." } else { ONLY_INQUIRE };
                    self.mistakes.push(why.to_owned());
                }
                self.inquire(&by, selection);
            }
        }
        Ok(None)
    }

    /// Shows what came of PERFORM.
    fn performed(&mut self, done: Result<&'static str, &'static str>) {
        match done {
            Ok(told) => self.told = Some(told.to_owned()),
            Err(why) => self.mistakes.push(why.to_owned()),
        }
    }

    /// SETs one resource, and notes the outcome.
    async fn change(
        &mut self,
        by: &Manager,
        selection: &Selection,
        name: &[u8],
        changes: &[(OptionId, Given)],
    ) -> Outcome {
        if changes.is_empty() {
            return Ok(());
        }
        let command = selection.kind.kind.set;
        let done = match command {
            Some(command) if !by.may_do(command, Some(name)) => Err(cond::NOTAUTH.raise(0)),
            _ => selection.kind.table().change(by, name, changes).await,
        };
        self.note(name, done)
    }

    /// Shows the selection from now on, if the user may look at the type.
    fn inquire(&mut self, by: &Manager, selection: Selection) {
        if by.may_do(selection.kind.kind.inquire, None) {
            self.selection = Some(selection);
        } else {
            self.mistakes.push(format!("E You may not INQUIRE {}.", selection.kind.word));
        }
    }

    /// Notes the outcome of a change. An abend goes on.
    fn note(&mut self, name: &[u8], done: Outcome) -> Outcome {
        let note = match done {
            Ok(()) => DONE.to_owned(),
            Err(Raise::Condition(condition, _)) => condition.name().to_owned(),
            Err(abend) => return Err(abend),
        };
        self.notes.push((name.to_vec(), note));
        Ok(())
    }

    /// The resources as they are now.
    fn entries(&self, by: &Manager) -> Vec<ShownEntry> {
        let mut entries = self.selection.as_ref().map_or_else(Vec::new, |s| select(by, s));
        // A resource that the command has discarded is shown once more, in place of a name that nothing has.
        for (name, _) in &self.notes {
            if !entries.iter().any(|entry| entry.name == *name) {
                entries.retain(|entry| entry.values.is_some() || !entry.stands_for(name));
                entries.push(ShownEntry { name: name.clone(), values: None });
            }
        }
        if let Some(name) = &self.full {
            entries.retain(|entry| entry.name == *name);
        }
        entries
    }

    /// Shows the resources.
    async fn show(&mut self, desk: &Desk<'_>) -> Outcome<Drawn> {
        let entries = self.entries(&Manager::of(desk.task));
        let drawn = self.draw(desk, &entries);
        desk.show(&drawn.panel).await?;
        Ok(drawn)
    }

    fn draw(&self, desk: &Desk<'_>, entries: &[ShownEntry]) -> Drawn {
        let options = &desk.task.region.options;
        let around = Surroundings {
            sysid: options.sysid.to_string(),
            applid: options.applid.to_string(),
            now: Stamp::now(),
        };
        let view = View {
            command: &self.command,
            kind: self.selection.as_ref().map(|selection| selection.kind),
            entries,
            notes: &self.notes,
            full: self.full.is_some(),
            choices: self.choices,
            told: self.told.as_deref(),
            mistakes: &self.mistakes,
            above: self.above,
            may_change: may_change(desk.task),
            aside: self.aside,
        };
        draw(&view, &around, Frame(desk.size()))
    }

    /// The keys that turn pages, and those of help and messages.
    fn turn(&mut self, key: Aid, drawn: &Drawn, rows: usize) {
        match key {
            Aid::Pf(8 | 11 | 20 | 23) if self.above + rows < drawn.rows => self.above += rows,
            Aid::Pf(7 | 10 | 19 | 22) => self.above = self.above.saturating_sub(rows),
            Aid::Pf(1 | 13) => (self.aside, self.above) = (Some(Aside::Help), 0),
            Aid::Pf(9 | 21) => (self.aside, self.above) = (Some(Aside::Messages), 0),
            _ => {}
        }
    }

    /// ENTER: another command, values typed over, or all values of the resource on the cursor's line.
    async fn enter(&mut self, desk: &Desk<'_>, drawn: &Drawn, reply: &Reply) -> Outcome<bool> {
        if let Some(text) = reply.at(COMMAND) {
            let text = text.to_owned();
            let last = self.obey(desk.task, &text).await?;
            if let Some(last) = last {
                desk.say(last).await?;
            }
            return Ok(last.is_some());
        }
        if self.aside.take().is_some() {
            self.above = 0;
            return Ok(false);
        }
        self.mistakes.clear();
        self.notes.clear();
        if self.overtype(desk, drawn, reply).await? {
            return Ok(false);
        }
        let line = drawn.spots.iter().find(|spot| spot.place.0 == reply.cursor.0);
        if let (Some(line), None) = (line, &self.full) {
            self.full = Some(line.name.clone());
            self.above = 0;
        }
        Ok(false)
    }

    /// Changes the values that were typed over. False if none was.
    async fn overtype(&mut self, desk: &Desk<'_>, drawn: &Drawn, reply: &Reply) -> Outcome<bool> {
        let Some(selection) = self.selection.take() else { return Ok(false) };
        let by = Manager::of(desk.task);
        let mut any = false;
        for spot in &drawn.spots {
            let (Some((option, shown)), Some(typed)) = (&spot.attribute, reply.at(spot.place)) else {
                continue;
            };
            if typed.eq_ignore_ascii_case(shown) || !may_change(desk.task) {
                continue;
            }
            any = true;
            if !selection.kind.kind.set.is_some_and(|set| by.may_do(set, None)) {
                self.mistakes.push(ONLY_INQUIRE.to_owned());
                continue;
            }
            let value = takes(selection.kind.table(), *option).and_then(|takes| given(takes, typed));
            match value {
                Some(value) => {
                    let change = [(*option, value)];
                    self.change(&by, &selection, &spot.name, &change).await?;
                }
                None => self.mistakes.push(invalid(typed)),
            }
        }
        self.selection = Some(selection);
        Ok(any)
    }
}
