//! A task as its dump shows it: what it was about, its last commands, its locks, its programs with their storage.

use std::fmt::Write as _;

use super::storage::{COMMAREA, INTERFACE_BLOCK};
use super::{DumpId, entries, programs};
use crate::clock::Stamp;
use crate::limits::{DUMP_AREA_BYTES_MAX, DUMP_BYTES_MAX};
use crate::programs::{ProgramLevel, Programs};
use crate::storage::{self, Window};
use crate::task::{Level, Task};
use crate::{bytes, locks};

/// The whole text of a dump.
pub(super) fn describe(task: &Task, id: DumpId, title: &str, window: Option<&Window>) -> String {
    let mut dump =
        format!("Dump {} of task {} ({})\n{title}\n\n", id.text(), task.number, task.transaction.name);
    head(&mut dump, task);
    commands(&mut dump, task);
    let locks = locks::lines(task);
    dump += "\nLOCKS AND ENQUEUES\n";
    if locks.is_empty() {
        dump += "  none\n";
    }
    locks.iter().for_each(|line| dump += &format!("  {line}\n"));
    dump += "\nTHE LAST ENTRIES OF THE TRACE\n";
    entries::lines(task).iter().for_each(|line| dump += &format!("  {line}\n"));
    for (number, level) in (1..=task.depth()).rev().zip(task.levels()) {
        let own = task.program_levels.iter().find(|own| own.depth == number).zip(window);
        describe_level(&mut dump, number, level, own);
        if let Some((own, window)) = own {
            programs::describe(&mut dump, own, window);
        }
        if dump.len() > DUMP_BYTES_MAX {
            dump.truncate(dump.floor_char_boundary(DUMP_BYTES_MAX));
            dump += "\nThe dump ends here: it is as long as a dump may be.\n";
            break;
        }
    }
    dump
}

fn head(dump: &mut String, task: &Task) {
    let options = &task.region.options;
    let mut line = |what: &str, text: String| {
        let _ = writeln!(dump, "{what:<12} {text}");
    };
    line("time", Stamp::now().local().to_string());
    line("region", format!("{} {}", options.applid, options.sysid));
    line("attached", task.attached.stamp().local().to_string());
    line("user", task.user.id.to_string());
    line("terminal", task.terminal().map_or_else(|| String::from("none"), |t| t.name.to_string()));
    line("start code", String::from_utf8_lossy(task.start_code.as_bytes()).into_owned());
    line("storage", format!("{} bytes", task.storage.bytes()));
    if let Some(abend) = &task.abend {
        line("abend", format!("{} in {}", abend.code, abend.program));
    }
}

/// The last commands with their lines and what came of them.
fn commands(dump: &mut String, task: &Task) {
    let _ = writeln!(dump, "\nTHE LAST COMMANDS, THE LATEST FIRST ({} in all)", task.recent.count());
    for answered in task.recent.latest() {
        let outcome = match answered.outcome {
            None => String::from("-"),
            Some((condition, 0)) => format!("{} ({})", condition.name(), condition.resp()),
            Some((condition, resp2)) => format!("{} ({}) RESP2 {resp2}", condition.name(), condition.resp()),
        };
        let name = spec::command(answered.command).name;
        let module = Programs::of(&task.region).module_now(answered.program);
        let statement = module.and_then(|module| (module.statements)(answered.statement));
        // A program that was CALLed counts its statements itself: what does not fit is another one's.
        let statement = statement.filter(|statement| statement.text.starts_with(name));
        let (place, what) = match statement {
            Some(statement) => (format!("{} line {}", statement.source, statement.line), statement.text),
            None => (String::from("-"), name.to_owned()),
        };
        let program = answered.program.to_string();
        let _ = writeln!(dump, "  {program:<8}  {place:<36}  {outcome:<24}  {what}");
    }
}

fn describe_level(dump: &mut String, number: usize, level: &Level, own: Option<(&ProgramLevel, &Window)>) {
    let _ = writeln!(dump, "\nLEVEL {number}: PROGRAM {}", level.program);
    if !level.invoked_by.is_blank() {
        let _ = writeln!(dump, "invoked by {}", level.invoked_by);
    }
    dump.push_str("\nEXEC INTERFACE BLOCK\n");
    let own = |name| own.and_then(|(own, window)| programs::interface(own, window, name));
    *dump += &own(INTERFACE_BLOCK).unwrap_or_else(|| bytes::lines(&level.eib.bytes()));
    if let Some(commarea) = &level.commarea {
        let mut bytes = vec![0; commarea.length().min(DUMP_AREA_BYTES_MAX)];
        let _ = writeln!(dump, "\nCOMMAREA, {} bytes", commarea.length());
        // A COMMAREA that cannot be read is part of what the dump shows.
        *dump += &own(COMMAREA).unwrap_or_else(|| match storage::read(commarea.address(), &mut bytes) {
            Ok(()) => bytes::lines(&bytes),
            Err(_) => String::from("  not readable\n"),
        });
    }
    for channel in level.channel.iter().chain(&level.own_channels) {
        let _ = writeln!(dump, "\nCHANNEL {}", channel.name);
        for name in channel.names() {
            let Some(container) = channel.get(name) else { continue };
            let data = &container.data;
            let shown = &data[..data.len().min(CONTAINER_SHOWN)];
            let _ = write!(dump, "  container {name}, {} bytes\n{}", data.len(), bytes::lines(shown));
        }
    }
}

/// Bytes of a container that are shown.
const CONTAINER_SHOWN: usize = 4096;
