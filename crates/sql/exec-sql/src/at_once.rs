//! EXEC SQL over the region's own tables, answered where the program stands, as ASSIGN is.
//!
//! A statement is tried: if it comes to its end without having to wait, its program goes on behind it. One that must wait, gives way, or
//! takes its unit of work back is asked for again where that can be done, and is not counted twice. All others are not tried.

use std::sync::Arc;

use db2::package::Action;
use kernel::meters::Figure;
use kernel::raise::Outcome;
use kernel::services::Answered;
use kernel::task::Task;
use spec::measures::EXEC_SQL;
use sql::codes::Sqlca;

use crate::arguments::Called;
use crate::own;
use crate::region::Attachment;

/// Tries a statement.
///
/// # Errors
/// The abend of the task.
pub(crate) fn answer<'a>(task: &mut Task, call: Called<'_>) -> Outcome<Answered<'a>> {
    let Some(sqlca) = tried(task, &call)? else { return Ok(Answered::Left) };
    call.write(1, 0, &sqlca.bytes())?;
    Ok(Answered::Now(0))
}

fn tried(task: &mut Task, call: &Called<'_>) -> Outcome<Option<Sqlca>> {
    let region = Arc::clone(&task.region);
    let attachment = Attachment::of(&region);
    if !attachment.has_own() || attachment.stand_in().is_some() || task.may_be_detailed() {
        return Ok(None);
    }
    let descriptor = call.descriptor()?;
    let Some(package) = attachment.package(descriptor.token) else { return Ok(None) };
    let statement = package.statement(descriptor.statement);
    if !statement.is_some_and(|statement| may_be_quick(&statement.action)) {
        return Ok(None);
    }
    let line = attachment.line(&package.program, task.transaction.name);
    let Some(tables) = attachment.own(line) else { return Ok(None) };
    let Ok(tables) = attachment.own_for(tables, own::has_begun(task)) else { return Ok(None) };
    task.has_asked(EXEC_SQL)?;
    let watch = task.stopwatch();
    let tried = own::tried(task, call, &tables, &attachment.resources, (&package, descriptor));
    task.stops(watch, Figure::Sql);
    tried
}

/// Returns true for statements that mostly need not wait, and that may be begun again if they must. A rowset may not: its cursor would go
/// on behind the rows that it has read so far.
fn may_be_quick(action: &Action) -> bool {
    matches!(
        action,
        Action::Row
            | Action::Change(_)
            | Action::Positioned { .. }
            | Action::Open { .. }
            | Action::Fetch { is_rowset: false, .. }
            | Action::Close { .. }
            | Action::SetRegister { .. }
    )
}
