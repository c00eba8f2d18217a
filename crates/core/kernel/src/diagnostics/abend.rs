//! The dump of an abend that no program handles: taken where it comes, before anything of the task is let go.

use std::path::Path;

use keys::DiagnosticKeys;

use super::scene::describe;
use super::{DumpId, heard, write};
use crate::diagnostics::Diagnostics;
use crate::limits::DUMP_FOLDER_BYTES_MAX;
use crate::raise::Abend;
use crate::task::{Level, Task};

/// Takes the dump, unless the task has one already, or it is not wanted: NODUMP, DUMP(NO) of the transaction, an exit at a
/// level above, a purge.
pub(crate) async fn dump_abend(task: &mut Task, abend: Abend) {
    let region = std::sync::Arc::clone(&task.region);
    let has_exit = |level: &Level| level.handles.has_abend_exit();
    let exit_above = !abend.cancel && task.levels().any(has_exit);
    let takes_dumps = region.options.sections.get::<DiagnosticKeys>().dumps;
    let wanted = takes_dumps && abend.dump && task.transaction.dump && !task.control.is_purged();
    let Some(record) = task.abend.as_mut().filter(|record| wanted && !exit_above && !record.dumped) else {
        return;
    };
    record.dumped = true;
    let (code, program, reason) = (record.code, record.program, record.reason.clone());
    let Some(id) = Diagnostics::of(&region).next_dump_of(code, program) else { return };
    let title = format!(
        "abend {code} in program {program}: {}",
        reason.as_deref().unwrap_or("the program asked for it")
    );
    let text = describe(task, id, &title, task.window.as_deref());
    let written = written(&Diagnostics::of(&region).dumps, id, text).await;
    if written.is_ok() {
        heard(task, code);
    }
    tell(task, id, written);
}

/// Writes a dump if the folder has room for it: where it is, or why it is nowhere.
async fn written(folder: &Path, id: DumpId, text: String) -> Result<String, String> {
    let folder = folder.to_owned();
    let work = tokio::task::spawn_blocking(move || {
        let bytes = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let bytes: u64 = bytes.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum();
        if bytes > DUMP_FOLDER_BYTES_MAX {
            let folder = folder.display();
            return Err(format!("{folder} has {bytes} bytes already; remove what is not needed any more"));
        }
        write(&folder, id, &text).map_err(|error| error.to_string())
    });
    work.await.unwrap_or_else(|panic| Err(panic.to_string()))
}

fn tell(task: &Task, id: DumpId, written: Result<String, String>) {
    let (number, transaction, id) = (task.number, task.transaction.name, id.text());
    match written {
        Ok(path) => tracing::warn!(target: "DU", "task {number} ({transaction}): dump {id}: {path}"),
        Err(why) => {
            tracing::error!(target: "DU", "task {number} ({transaction}): dump {id} is not written: {why}")
        }
    }
}
