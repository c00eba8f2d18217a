//! Lines that DSNC DISPLAY shows.

use std::sync::Arc;

use kernel::control::TaskControl;
use kernel::dispatcher::Dispatcher;
use kernel::region::Region;

use crate::resources::Resources;
use crate::{statistics, waits};

/// Lines of threads on one screen.
const THREADS_MAX: usize = 18;

const DONE: &str = "DFHDB2020 The display command is complete.";

/// Units of work that have a thread, those of a transaction or all.
pub(super) fn threads(region: &Region, transaction: Option<&str>) -> Vec<String> {
    let resources = Resources::of(region);
    let is_meant = |task: &Arc<TaskControl>| {
        resources.holders.has(task.number)
            && transaction.is_none_or(|name| task.transaction.name.to_string() == name)
    };
    let tasks: Vec<_> = Dispatcher::of(region).tasks().into_iter().filter(is_meant).collect();
    let mut lines = vec![
        format!("DFHDB2013 {} threads of the database", tasks.len()),
        String::from("DB2ENTRY S PRI-AUTH TRAN TASK  UOW-ID"),
    ];
    lines.extend(tasks.iter().take(THREADS_MAX).map(|task| line(region, task)));
    if tasks.len() > THREADS_MAX {
        lines.push(format!("and {} more", tasks.len() - THREADS_MAX));
    }
    lines.push(String::from(DONE));
    lines
}

fn line(region: &Region, task: &TaskControl) -> String {
    let resources = Resources::of(region);
    let entry =
        resources.entry_holding(task.number).map_or_else(|| String::from("*POOL"), |name| name.to_string());
    let is_executing = task.waits_for() == Some(waits::ANSWER.kind());
    let (state, user) = (if is_executing { '*' } else { 'A' }, task.user.name.to_string());
    let (transaction, unit) = (task.transaction.name.to_string(), task.unit());
    format!("{entry:<8} {state} {user:<8} {transaction:<4} {:05} {unit:016X}", task.number)
}

/// Counts for the pool and each entry.
pub(super) fn statistics(region: &Region) -> Vec<String> {
    let mut lines = vec![String::from("DFHDB2014 Statistics report follows")];
    lines.extend(statistics::lines(Resources::of(region)));
    lines.push(String::from(DONE));
    lines
}
