//! Those who look at every command of a region, and at CALLs of its services: command security, policies, a debugger, exits.
//!
//! As long as there is nobody, a command costs the test of one flag.

use std::sync::Arc;

use cobol_run::Passed;
use parking_lot::RwLock;

use super::{Call, Waiting};
use crate::name::Name8;
use crate::raise::Outcome;
use crate::region::{Looks, Region};
use crate::task::Task;

/// Somebody who looks at every command. Both looks may wait, and a panic in one ends the task, as one of the handler does.
pub trait Watcher: Send + Sync {
    /// Before its handler. What is raised is the command's outcome: no later watcher and no handler is asked.
    fn before<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a>;

    /// After it, of a LINK after its program has come back; never of a command that does not come back. What is returned is
    /// the command's outcome.
    fn after<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, outcome: Outcome) -> Waiting<'a>;

    /// Before a program begins, at its level. What is raised ends the task.
    fn begins<'a>(&'a self, _: &'a mut Task) -> Waiting<'a> {
        Box::pin(async { Ok(()) })
    }

    /// Before the CALL of a service of the region, which is no command. What is raised ends the task.
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

/// The watchers of a region.
#[derive(Default)]
pub struct Watchers {
    list: RwLock<Vec<Arc<dyn Watcher>>>,
}

impl Watchers {
    /// From now on it looks at commands, after those that were added before.
    pub fn add(region: &Region, watcher: Arc<dyn Watcher>) {
        region.part::<Self>().list.write().push(watcher);
        region.looks.set(Looks::WATCHED, true);
    }

    /// It does not look any more.
    pub fn remove(region: &Region, watcher: &Arc<dyn Watcher>) {
        let mut list = region.part::<Self>().list.write();
        list.retain(|there| !Arc::ptr_eq(there, watcher));
        region.looks.set(Looks::WATCHED, !list.is_empty());
    }

    fn all(region: &Region) -> Vec<Arc<dyn Watcher>> {
        region.part::<Self>().list.read().clone()
    }
}

/// Returns true if a watcher looks at the task's commands.
#[inline(always)]
pub(crate) fn is_watched(task: &Task) -> bool {
    task.region.looks.any(Looks::WATCHED)
}

/// The place before every handler.
#[inline]
pub(super) async fn before(task: &mut Task, call: &Call<'_>) -> Outcome {
    if !is_watched(task) {
        return Ok(());
    }
    for watcher in Watchers::all(&task.region) {
        watcher.before(task, call).await?;
    }
    Ok(())
}

/// The place after every handler.
#[inline]
pub(super) async fn after(task: &mut Task, call: &Call<'_>, mut outcome: Outcome) -> Outcome {
    if is_watched(task) {
        for watcher in Watchers::all(&task.region) {
            outcome = watcher.after(task, call, outcome).await;
        }
    }
    outcome
}

/// The place before a program begins.
pub(crate) async fn look_at_begin(task: &mut Task) -> Outcome {
    for watcher in Watchers::all(&task.region) {
        watcher.begins(task).await?;
    }
    Ok(())
}

/// The place before a CALL of a service.
pub(crate) async fn look_at_service(task: &mut Task, seen: &ServiceSeen<'_>) -> Outcome {
    for watcher in Watchers::all(&task.region) {
        watcher.before_service(task, seen).await?;
    }
    Ok(())
}

/// The place after its answer.
pub(crate) async fn look_at_answer(task: &mut Task, seen: &ServiceSeen<'_>) -> Outcome {
    for watcher in Watchers::all(&task.region) {
        watcher.after_service(task, seen).await?;
    }
    Ok(())
}
