//! Those who look at commands of a region, at programs that begin, and at CALLs of its services: captures of events, the auxiliary
//! trace, a debugger, exits.
//!
//! As long as there is no watcher, a command costs the test of one flag. A watcher says once which commands it wants: the others stay
//! where their programs stand, and cost the test of one more bit.

use std::sync::Arc;

use cobol_run::Passed;
use parking_lot::RwLock;
use spec::CommandId;

use super::{Call, Waiting};
use crate::name::Name8;
use crate::raise::Outcome;
use crate::region::{COMMAND_WORDS, Looks, Region, place_of};
use crate::task::Task;

/// The things that a watcher looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    commands: [u64; COMMAND_WORDS],
    /// Every command.
    all: bool,
    begins: bool,
    services: bool,
}

impl Wants {
    /// Every command, every program that begins, every CALL of a service.
    pub const EVERYTHING: Self =
        Self { commands: [u64::MAX; COMMAND_WORDS], all: true, begins: true, services: true };
    const NOTHING: Self = Self { commands: [0; COMMAND_WORDS], all: false, begins: false, services: false };

    /// These commands, and programs that begin if `begins`; no CALLs of services.
    pub fn commands(commands: impl IntoIterator<Item = CommandId>, begins: bool) -> Self {
        let mut own = Self { begins, ..Self::NOTHING };
        for command in commands {
            let (word, bit) = place_of(command);
            own.commands[word] |= bit;
        }
        own
    }

    /// Returns true if it has a command.
    fn has(&self, command: CommandId) -> bool {
        let (word, bit) = place_of(command);
        self.commands[word] & bit != 0
    }

    /// The things that one of two wants.
    fn or(mut self, other: &Self) -> Self {
        self.commands.iter_mut().zip(&other.commands).for_each(|(own, other)| *own |= other);
        self.all |= other.all;
        self.begins |= other.begins;
        self.services |= other.services;
        self
    }
}

/// A part of the region that looks at commands. Both looks may wait, and a panic in one ends the task, as one of the handler does.
pub trait Watcher: Send + Sync {
    /// The things that it looks at, asked once, when it is added: it sees nothing else.
    fn wants(&self) -> Wants {
        Wants::EVERYTHING
    }

    /// Called before its handler. A condition or an abend that it raises is the command's outcome: no later watcher and no handler is
    /// asked.
    fn before<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a>;

    /// After it, of a LINK after its program has come back; never of a command that does not come back. What is returned is
    /// the command's outcome.
    fn after<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, outcome: Outcome) -> Waiting<'a>;

    /// Called before a program begins, at its level. An abend that it raises ends the task.
    fn begins<'a>(&'a self, _: &'a mut Task) -> Waiting<'a> {
        Box::pin(async { Ok(()) })
    }

    /// Called before the CALL of a service of the region, which is no command. An abend that it raises ends the task.
    fn before_service<'a>(&'a self, _: &'a mut Task, _: &'a ServiceSeen<'_>) -> Waiting<'a> {
        Box::pin(async { Ok(()) })
    }

    /// After it has been answered, before the program goes on; never of one whose task has ended.
    fn after_service<'a>(&'a self, _: &'a mut Task, _: &'a ServiceSeen<'_>) -> Waiting<'a> {
        Box::pin(async { Ok(()) })
    }
}

/// A service of the region that a program CALLs, as watchers see it. The program's task has its window.
pub struct ServiceSeen<'s> {
    name: &'s str,
    arguments: &'s [Passed],
    program: Name8,
}

impl<'s> ServiceSeen<'s> {
    /// The CALL of a program.
    pub(crate) fn of_program(name: &'s str, arguments: &'s [Passed], program: Name8) -> Self {
        Self { name, arguments, program }
    }

    /// The service's name.
    pub fn name(&self) -> &'s str {
        self.name
    }

    /// The program that CALLs it, by the first letters of its own name.
    pub fn program(&self) -> Name8 {
        self.program
    }

    /// The bytes of its arguments; `None` for one that is OMITTED, or is no storage.
    pub fn arguments(&self, task: &Task) -> Vec<Option<Vec<u8>>> {
        self.arguments.iter().map(|passed| own_bytes(task, passed)).collect()
    }
}

fn own_bytes(task: &Task, passed: &Passed) -> Option<Vec<u8>> {
    match passed {
        Passed::Area(at, length) | Passed::Field(at, length, _) => {
            let window = task.window.as_ref()?;
            Some(window.read(*at, window.present(*at, *length))?.into_owned())
        }
        Passed::Copy(bytes) => Some(bytes.to_vec()),
        _ => None,
    }
}

/// The watchers of a region, each with what it looks at.
#[derive(Default)]
pub struct Watchers {
    list: RwLock<Vec<(Arc<dyn Watcher>, Wants)>>,
}

impl Watchers {
    /// From now on it looks at what it wants, after those that were added before.
    pub fn add(region: &Region, watcher: Arc<dyn Watcher>) {
        let wants = watcher.wants();
        Self::change(region, |list| list.push((watcher, wants)));
    }

    /// It does not look any more.
    pub fn remove(region: &Region, watcher: &Arc<dyn Watcher>) {
        Self::change(region, |list| list.retain(|(there, _)| !Arc::ptr_eq(there, watcher)));
    }

    fn change(region: &Region, change: impl FnOnce(&mut Vec<(Arc<dyn Watcher>, Wants)>)) {
        let mut list = region.part::<Self>().list.write();
        change(&mut list);
        let wanted = list.iter().fold(Wants::NOTHING, |all, (_, own)| all.or(own));
        region.looks.choose(&wanted.commands);
        region.looks.set(Looks::WATCHED, wanted.all);
        region.looks.set(Looks::BEGINS, wanted.begins);
        region.looks.set(Looks::SERVICES, wanted.services);
    }

    /// Those that want something.
    fn wanting(region: &Region, is_it: impl Fn(&Wants) -> bool) -> Vec<Arc<dyn Watcher>> {
        let list = region.part::<Self>().list.read();
        list.iter().filter(|(_, wants)| is_it(wants)).map(|(watcher, _)| Arc::clone(watcher)).collect()
    }
}

/// Returns true if a watcher looks at a command of the task.
#[inline(always)]
pub(crate) fn is_watched(task: &Task, command: CommandId) -> bool {
    task.region.looks.has(command)
}

/// Returns true if a watcher looks at programs that begin.
pub(crate) fn begins_are_watched(task: &Task) -> bool {
    task.region.looks.any(Looks::BEGINS)
}

/// Returns true if a watcher looks at CALLs of services.
pub(crate) fn services_are_watched(task: &Task) -> bool {
    task.region.looks.any(Looks::SERVICES)
}

/// The place before every handler.
#[inline]
pub(super) async fn before(task: &mut Task, call: &Call<'_>) -> Outcome {
    if !is_watched(task, call.command()) {
        return Ok(());
    }
    for watcher in Watchers::wanting(&task.region, |wants| wants.has(call.command())) {
        watcher.before(task, call).await?;
    }
    Ok(())
}

/// The place after every handler.
#[inline]
pub(super) async fn after(task: &mut Task, call: &Call<'_>, mut outcome: Outcome) -> Outcome {
    if is_watched(task, call.command()) {
        for watcher in Watchers::wanting(&task.region, |wants| wants.has(call.command())) {
            outcome = watcher.after(task, call, outcome).await;
        }
    }
    outcome
}

/// The place before a program begins.
pub(crate) async fn look_at_begin(task: &mut Task) -> Outcome {
    for watcher in Watchers::wanting(&task.region, |wants| wants.begins) {
        watcher.begins(task).await?;
    }
    Ok(())
}

/// The place before a CALL of a service.
pub(crate) async fn look_at_service(task: &mut Task, seen: &ServiceSeen<'_>) -> Outcome {
    for watcher in Watchers::wanting(&task.region, |wants| wants.services) {
        watcher.before_service(task, seen).await?;
    }
    Ok(())
}

/// The place after its answer.
pub(crate) async fn look_at_answer(task: &mut Task, seen: &ServiceSeen<'_>) -> Outcome {
    for watcher in Watchers::wanting(&task.region, |wants| wants.services) {
        watcher.after_service(task, seen).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use spec::cmd;

    use super::*;

    #[test]
    fn a_watcher_wants_what_it_names_and_two_want_what_one_of_them_does() {
        let one = Wants::commands([cmd::READ, cmd::WRITEQ_TS], false);
        let other = Wants::commands([cmd::XCTL], true);
        for (wants, read, xctl, begins) in
            [(one, true, false, false), (other, false, true, true), (one.or(&other), true, true, true)]
        {
            assert_eq!((wants.has(cmd::READ), wants.has(cmd::XCTL), wants.begins), (read, xctl, begins));
            assert!(!wants.has(cmd::ASSIGN) && !wants.all && !wants.services);
        }
        let both = one.or(&Wants::EVERYTHING);
        assert!(spec::commands().iter().all(|command| both.has(command.id)) && both.all && both.services);
    }

    #[test]
    fn looks_have_the_commands_that_were_chosen_last() {
        let looks = Looks::default();
        looks.choose(&Wants::commands([cmd::READ], false).commands);
        assert!(looks.any(Looks::CHOSEN) && looks.has(cmd::READ) && !looks.has(cmd::ASSIGN));
        looks.set(Looks::WATCHED, true);
        assert!(looks.has(cmd::ASSIGN));
        looks.set(Looks::WATCHED, false);
        looks.choose(&Wants::NOTHING.commands);
        assert!(!looks.any(Looks::CHOSEN) && !looks.has(cmd::READ));
    }
}
