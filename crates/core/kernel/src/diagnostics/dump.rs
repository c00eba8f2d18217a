//! DUMP TRANSACTION and DUMP: what there is of a task, as a text file.

use std::fmt::Write as _;

use spec::{cmd, cond, opt};

use super::scene::describe;
use super::{heard, write};
use crate::bytes;
use crate::diagnostics::Diagnostics;
use crate::exec::{Answers, Call, Handler, Waiting};
use crate::limits::DUMP_AREA_BYTES_MAX;
use crate::name::Name;
use crate::raise::{AbendCode, Outcome, RaiseCondition};
use crate::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::DUMP_TRANSACTION, Handler::Waits(dump)), (cmd::DUMP, Handler::Waits(dump))];

/// RESP2 of INVREQ for a dump code with blanks in it, and of IOERR.
const DUMP_CODE: i32 = 13;
const NOT_WRITTEN: i32 = 9;

/// DUMP: the task, its programs, and FROM. The tables of the region that it may name are not in it.
fn dump<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let code: Name<4> = call.name(opt::DUMPCODE)?.unwrap_or_default();
        if code.trimmed().iter().any(u8::is_ascii_whitespace) {
            return Err(cond::INVREQ.raise(DUMP_CODE));
        }
        let from = from(call)?;
        let id = Diagnostics::of(&task.region).next_dump(AbendCode::new(code.as_bytes()))?;
        let title = format!("by command, code {code}");
        let mut text = call.with_window(|window| describe(task, id, &title, window.as_deref()));
        if !from.is_empty() {
            let _ = write!(text, "\nFROM\n{}", bytes::lines(&from));
        }
        let folder = Diagnostics::of(&task.region).dumps.clone();
        let shown = folder.join(id.file()).display().to_string();
        let write = tokio::task::spawn_blocking(move || write(&folder, id, &text));
        if let Ok(Err(error)) = task.wait(WaitKind::FILE, write).await? {
            tracing::error!(target: "DU", "task {}: dump {shown} cannot be written: {error}", task.number);
            return Err(cond::IOERR.raise(NOT_WRITTEN));
        }
        tracing::warn!(target: "DU", "task {} ({}): dump {} {code}: {shown}", task.number, task.transaction.name, id.text());
        heard(task, AbendCode::new(code.as_bytes()));
        call.put(opt::DUMPID, format!("{:<9}", id.text()).as_bytes())
    })
}

/// FROM with LENGTH or FLENGTH.
fn from(call: &Call<'_>) -> Outcome<Vec<u8>> {
    let length = if call.has(opt::FLENGTH) { opt::FLENGTH } else { opt::LENGTH };
    Ok(call.outgoing(opt::FROM, length, DUMP_AREA_BYTES_MAX)?.unwrap_or_default().to_vec())
}
