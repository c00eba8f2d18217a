//! Entries of the trace beyond level 1: what the record engine was asked for, and what came of it.

use super::target::FileTarget;
use kernel::task::Task;

/// The component of file control.
const COMPONENT: &str = "FC";

/// The engine has answered: with a record, an empty one of functions without a record; `Err`: with an error.
pub(super) fn answered(
    task: &Task,
    target: &FileTarget,
    function: &str,
    key: &[u8],
    came: Result<&[u8], ()>,
) {
    if !task.may_be_detailed() {
        return;
    }
    let (file, record) = (target.file.name, came.unwrap_or_default());
    let entry = (function, file.trimmed(), record.len() as u64);
    task.traces_detail(COMPONENT, entry, || {
        let how = if came.is_ok() { "" } else { ", not done" };
        format!("data set {}, key of {} bytes{how}", target.dataset().cluster().name, key.len())
    });
    for (what, data) in [("KEY", key), ("RECORD", record)] {
        if !data.is_empty() {
            task.traces_data(COMPONENT, (what, file.trimmed()), data);
        }
    }
}
