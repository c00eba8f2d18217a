//! EXEC SQL of tasks over the region's own tables: statements run where the program stands, in the task's unit of work, and end
//! with it as records do. There is no connection, no thread and no session.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    let entry = resources.entry_of(task.transaction.name);
    resources.count(entry.as_deref());
    for (place, what) in tables.doubts(descriptor.token, package) {
        let source = package.sources.get(usize::from(place.source)).map_or("", String::as_str);
        tracing::warn!(
            target: "DB",
            "program {}, {source} line {}: {what}: SQLCODE -199 if it runs",
            package.program, place.line
        );
    }
    let mut thread = begin(task, tables);
    let asked = Asked {
        level: task.depth() as u16,
        token: descriptor.token,
        package,
        number: descriptor.statement,
        scope: resources.scope(entry.as_deref()),
        now: now(),
    };
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
    match ran? {
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
fn begin(task: &mut Task, tables: &Arc<OwnTables>) -> OwnThread {
    let owner = task.work.owner();
    let committed = task.work.commits();
    let part = part(task);
    let mut thread = part.thread.lock().take();
    if committed != part.committed + part.ends {
        // A unit of work without SQL was backed out: cursors WITH HOLD are closed with it.
        thread = thread.map(OwnThread::backed_out);
    }
    (part.committed, part.ends) = (committed, 0);
    if !std::mem::replace(&mut part.is_in_unit, true) {
        let has_committed = Arc::clone(&part.has_committed);
        has_committed.store(false, Ordering::Relaxed);
        task.work.at_commit(Box::new(move |_| has_committed.store(true, Ordering::Relaxed)));
    }
    thread.unwrap_or_else(|| OwnThread::new(tables, owner))
}

fn part(task: &mut Task) -> &mut TaskOwn {
    task.kept.part()
}

/// SQL state of a task over the region's own tables.
#[derive(Default)]
struct TaskOwn {
    /// None while a statement runs, and before the first one.
    thread: Arc<Mutex<Option<OwnThread>>>,
    is_in_unit: bool,
    has_committed: Arc<AtomicBool>,
    /// Number of units of work that the task had committed at its last statement, and of those that have ended since.
    committed: u32,
    ends: u32,
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
    thread: Arc<Mutex<Option<OwnThread>>>,
    has_committed: Arc<AtomicBool>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        let mut thread = self.thread.lock();
        match &mut *thread {
            Some(thread) if self.has_committed.load(Ordering::Relaxed) => thread.committed(),
            // Its cursors are closed with it.
            _ => *thread = thread.take().map(OwnThread::backed_out),
        }
    }
}
