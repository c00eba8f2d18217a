//! DUMP TRANSACTION and DUMP: what there is of a task, as a text file.

use std::fmt::Write as _;

use spec::{cmd, cond, opt};

use super::{DumpId, text};
use crate::exec::{Answers, Call, Handler, Waiting};
use crate::interval::clock::Stamp;
use crate::limits::DUMP_AREA_BYTES_MAX;
use crate::name::Name;
use crate::raise::{Outcome, RaiseCondition};
use crate::task::{Level, Task, WaitKind};

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
        let id = task.region.diagnostics.next_dump()?;
        let text = describe(task, call, id, code, &from);
        let folder = task.region.diagnostics.dumps.clone();
        let path = folder.join(id.file());
        let shown = path.display().to_string();
        let write = tokio::task::spawn_blocking(move || {
            std::fs::create_dir_all(&folder)?;
            std::fs::write(path, text)
        });
        if let Ok(Err(error)) = task.wait(WaitKind::File, write).await? {
            tracing::error!(target: "DU", "task {}: dump {shown} cannot be written: {error}", task.number);
            return Err(cond::IOERR.raise(NOT_WRITTEN));
        }
        tracing::warn!(target: "DU", "task {} ({}): dump {} {code}: {shown}", task.number, task.transaction.name, id.text());
        call.put(opt::DUMPID, format!("{:<9}", id.text()).as_bytes())
    })
}

/// FROM with LENGTH or FLENGTH.
fn from(call: &Call<'_>) -> Outcome<Vec<u8>> {
    let length = if call.has(opt::FLENGTH) { opt::FLENGTH } else { opt::LENGTH };
    Ok(call.outgoing(opt::FROM, length, DUMP_AREA_BYTES_MAX)?.unwrap_or_default().to_vec())
}

fn describe(task: &Task, call: &Call<'_>, id: DumpId, code: Name<4>, from: &[u8]) -> String {
    let options = &task.region.options;
    let mut dump = format!("dump {} {code}\n", id.text());
    let mut line = |what: &str, text: String| {
        let _ = writeln!(dump, "{what:<12} {text}");
    };
    line("time", Stamp::now().local().to_string());
    line("region", format!("{} {}", options.applid, options.sysid));
    line("task", format!("{} {} attached {}", task.number, task.transaction.name, task.started.local()));
    line("user", task.user.id.to_string());
    line("terminal", task.terminal.as_ref().map_or_else(|| String::from("none"), |t| t.name.to_string()));
    line("start code", String::from_utf8_lossy(task.start_code.as_bytes()).into_owned());
    line("storage", format!("{} bytes", task.storage.bytes()));
    line(
        "abend",
        task.abend
            .as_ref()
            .map_or_else(|| String::from("none"), |abend| format!("{} in {}", abend.code, abend.program)),
    );
    for (number, level) in (1..=task.depth()).rev().zip(task.levels()) {
        describe_level(&mut dump, call, number, level);
    }
    if !from.is_empty() {
        let _ = write!(dump, "\nFROM\n{}", text::lines(from));
    }
    dump
}

fn describe_level(dump: &mut String, call: &Call<'_>, number: usize, level: &Level) {
    let _ = writeln!(dump, "\nlevel {number}: program {}", level.program);
    if !level.invoked_by.is_blank() {
        let _ = writeln!(dump, "  invoked by {}", level.invoked_by);
    }
    let _ = write!(dump, "  EIB\n{}", text::lines(&level.eib.bytes()));
    if let Some(commarea) = &level.commarea {
        let mut bytes = vec![0; commarea.length()];
        // A COMMAREA that cannot be read is part of what the dump shows.
        let text = match call.read_at(commarea.address(), &mut bytes) {
            Ok(()) => text::lines(&bytes),
            Err(_) => String::from("    not readable\n"),
        };
        let _ = write!(dump, "  COMMAREA, {} bytes\n{text}", commarea.length());
    }
    for channel in level.channel.iter().chain(&level.own_channels) {
        let _ = writeln!(dump, "  channel {}", channel.name);
        for name in channel.names() {
            let length = channel.get(name).map_or(0, |container| container.data.len());
            let _ = writeln!(dump, "    container {name}, {length} bytes");
        }
    }
}
