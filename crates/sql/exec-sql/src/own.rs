//! EXEC SQL of tasks over the region's own tables: statements run where the program stands, in the task's unit of work, and end
//! with it as records do. There is no connection, no thread and no session.

use std::any::Any;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use attachment::{Asked, Done, Failed, OwnTables, OwnThread};
use db2::call::Descriptor;
use db2::package::Package;
use kernel::raise::{Outcome, Raise};
use kernel::task::{Task, TaskPart};
use parking_lot::Mutex;
use sql::codes::Sqlca;

use crate::arguments::{Called, InPlace};
use crate::own_tables::now;
use crate::packages::no_package;
use crate::resources::Resources;
use crate::rollback::back_out;
use crate::waits;

/// Runs a statement of a task.
pub(crate) async fn answer(
    task: &mut Task,
    call: &Called<'_>,
    tables: &Arc<OwnTables>,
    resources: &Resources,
    (package, descriptor): (&Package, Descriptor),
) -> Outcome<Sqlca> {
    let was_tried = part(task).tried.take().filter(|tried| tried.descriptor == descriptor);
    let is_new = was_tried.is_none();
    if let Some(Tried { done: Some(done), .. }) = was_tried {
        return comes_to(task, descriptor, done).await;
    }
    let asked = asked(task, tables, resources, (package, descriptor), is_new);
    let mut thread = begin(task, tables);
    let control = Arc::clone(&task.control);
    let mut arguments = InPlace(call);
    let ran = {
        let execute = thread.execute(asked, task.work.changes(), &mut arguments);
        control.wait(waits::ANSWER.kind(), execute).await
    };
    if ran.is_err() {
        // A purged task's statement leaves nothing, whatever its program does about the abend.
        thread.gives_up(task.work.changes());
    }
    *part(task).thread.lock() = Some(thread);
    comes_to(task, descriptor, ran?).await
}

/// Runs a statement where its program stands; `None` if it is to be run again where it can wait: then nothing of it is there.
///
/// # Errors
/// The abend of the task.
pub(crate) fn tried(
    task: &mut Task,
    call: &Called<'_>,
    tables: &Arc<OwnTables>,
    resources: &Resources,
    (package, descriptor): (&Package, Descriptor),
) -> Outcome<Option<Sqlca>> {
    let asked = asked(task, tables, resources, (package, descriptor), true);
    let mut thread = begin(task, tables);
    let mut arguments = InPlace(call);
    let polled = {
        let execute = pin!(thread.execute(asked, task.work.changes(), &mut arguments));
        execute.poll(&mut Context::from_waker(Waker::noop()))
    };
    if polled.is_pending() {
        thread.gives_up(task.work.changes());
    }
    let part = part(task);
    *part.thread.lock() = Some(thread);
    let (tried, sqlca) = match polled {
        Poll::Ready(Ok(Done { sqlca, backs_out: false })) => (None, Some(sqlca)),
        Poll::Ready(done) => (Some(Tried { descriptor, done: Some(done) }), None),
        Poll::Pending => (Some(Tried { descriptor, done: None }), None),
    };
    part.tried = tried;
    Ok(sqlca)
}

/// Returns true if this statement was tried where its program stands, so that it is counted.
pub(crate) fn was_tried(task: &Task, descriptor: Descriptor) -> bool {
    let tried = task.kept.get::<TaskOwn>().and_then(|part| part.tried.as_ref());
    tried.is_some_and(|tried| tried.descriptor == descriptor)
}

/// A statement as tables know it. One that is new is counted, and the log names what its program has that is not built.
fn asked<'p>(
    task: &Task,
    tables: &Arc<OwnTables>,
    resources: &Resources,
    (package, descriptor): (&'p Package, Descriptor),
    is_new: bool,
) -> Asked<'p> {
    let entry = resources.entry_of(task.transaction.name);
    if is_new {
        resources.count(entry.as_deref());
        for (place, what) in tables.doubts(descriptor.token, package) {
            let source = package.sources.get(usize::from(place.source)).map_or("", String::as_str);
            tracing::warn!(
                target: "DB",
                "program {}, {source} line {}: {what}: SQLCODE -199 if it runs",
                package.program, place.line
            );
        }
    }
    Asked {
        level: task.depth() as u16,
        token: descriptor.token,
        package,
        number: descriptor.statement,
        scope: resources.scope(entry.as_deref()),
        now: now(),
    }
}

/// The meaning of a statement's end for its task.
async fn comes_to(task: &mut Task, descriptor: Descriptor, done: Result<Done, Failed>) -> Outcome<Sqlca> {
    match done {
        Ok(Done { sqlca, backs_out }) => {
            if backs_out {
                back_out(task).await?;
            }
            Ok(sqlca)
        }
        Err(Failed::Unreachable(_)) => Err(Raise::abend("ASRA")),
        Err(Failed::NoStatement(_)) => Ok(no_package(descriptor)),
    }
}

/// Returns true if the task's unit of work has used the region's own tables.
pub(crate) fn has_begun(task: &Task) -> bool {
    task.kept.get::<TaskOwn>().is_some_and(|part| part.is_in_unit)
}

/// The state of a task, which takes part in its unit of work from now on.
fn begin(task: &mut Task, tables: &Arc<OwnTables>) -> Box<OwnThread> {
    let owner = task.work.owner();
    let committed = task.work.commits();
    let part = part(task);
    let mut thread = part.thread.lock().take();
    if committed != part.committed + part.ends {
        // A unit of work without SQL was backed out: cursors WITH HOLD are closed with it.
        thread = thread.map(|thread| Box::new(thread.backed_out()));
    }
    (part.committed, part.ends) = (committed, 0);
    if !std::mem::replace(&mut part.is_in_unit, true) {
        let has_committed = Arc::clone(&part.has_committed);
        has_committed.store(false, Ordering::Relaxed);
        task.work.at_commit(Box::new(move |_| has_committed.store(true, Ordering::Relaxed)));
    }
    thread.unwrap_or_else(|| Box::new(OwnThread::new(tables, owner)))
}

fn part(task: &mut Task) -> &mut TaskOwn {
    task.kept.part()
}

/// SQL state of a task over the region's own tables.
#[derive(Default)]
struct TaskOwn {
    /// None while a statement runs, and before the first one.
    thread: Arc<Mutex<Option<Box<OwnThread>>>>,
    is_in_unit: bool,
    /// The statement that was tried last, if it is to run again.
    tried: Option<Tried>,
    has_committed: Arc<AtomicBool>,
    /// Number of units of work that the task had committed at its last statement, and of those that have ended since.
    committed: u32,
    ends: u32,
}

/// A statement that was tried where its program stands.
struct Tried {
    descriptor: Descriptor,
    /// Its end, if it has one that its task must wait for.
    done: Option<Result<Done, Failed>>,
}

impl TaskPart for TaskOwn {
    fn unit_ends(&mut self) -> Option<Box<dyn Any + Send>> {
        self.ends += 1;
        let is_in_unit = std::mem::take(&mut self.is_in_unit);
        let (thread, has_committed) = (Arc::clone(&self.thread), Arc::clone(&self.has_committed));
        is_in_unit.then(|| Box::new(Ending { thread, has_committed }) as _)
    }
}

/// The end of a unit of work, dropped when it is over.
struct Ending {
    thread: Arc<Mutex<Option<Box<OwnThread>>>>,
    has_committed: Arc<AtomicBool>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        let mut thread = self.thread.lock();
        match &mut *thread {
            Some(thread) if self.has_committed.load(Ordering::Relaxed) => thread.committed(),
            // Its cursors are closed with it.
            _ => *thread = thread.take().map(|thread| Box::new(thread.backed_out())),
        }
    }
}
