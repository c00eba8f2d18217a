//! A task as its dump shows it: what it was about, its last commands, its locks, its programs with their storage.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::storage::{COMMAREA, INTERFACE_BLOCK, Reader, described, fields, section};
use super::{DumpId, own};
use crate::clock::Stamp;
use crate::exec::Call;
use crate::limits::{DUMP_AREA_BYTES_MAX, DUMP_BYTES_MAX};
use crate::name::Name8;
use crate::programs::{OwnLevel, Programs, Section, StorageItem};
use crate::storage::{StorageAddress, Window};
use crate::task::{Level, Task};
use crate::{bytes, locks};

/// The programs that a task has entered, with what is known of their storage.
pub(super) struct EnteredPrograms {
    entered: Vec<(cobol::Entered, Vec<StorageItem>)>,
}

impl EnteredPrograms {
    /// Looks up what is known; that may read files.
    pub async fn of(task: &Task, entered: Vec<cobol::Entered>) -> Self {
        let library = std::sync::Arc::clone(Programs::of(&task.region).library());
        let modules: Vec<PathBuf> = entered.iter().map(|program| program.module.clone()).collect();
        let look = move || modules.iter().map(|module| library.storage(module)).collect::<Vec<_>>();
        let known = tokio::task::spawn_blocking(look).await.unwrap_or_default();
        let items = known.into_iter().map(Option::unwrap_or_default).chain(std::iter::repeat_with(Vec::new));
        Self { entered: entered.into_iter().zip(items).collect() }
    }
}

/// The whole text of a dump.
pub(super) fn describe(
    task: &Task,
    id: DumpId,
    title: &str,
    programs: &EnteredPrograms,
    window: Option<&Window>,
    read: Reader<'_>,
) -> String {
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
    let mut rest = programs.entered.as_slice();
    for (number, level) in (1..=task.depth()).rev().zip(task.levels()) {
        let own = task.own_levels.iter().find(|own| own.depth == number).zip(window);
        let here = if own.is_some() { &[] } else { of_level(&mut rest, level.program) };
        describe_level(&mut dump, number, level, here, own, read);
        if let Some((own, window)) = own {
            own::describe(&mut dump, own, window);
        }
        if dump.len() > DUMP_BYTES_MAX {
            dump.truncate(dump.floor_char_boundary(DUMP_BYTES_MAX));
            dump += "\nThe dump ends here: it is as long as a dump may be.\n";
            break;
        }
    }
    dump
}

/// The programs of a level, taken from the front; none if it has no program here: it runs on another TCB, or is not COBOL.
fn of_level<'p>(
    rest: &mut &'p [(cobol::Entered, Vec<StorageItem>)],
    program: Name8,
) -> &'p [(cobol::Entered, Vec<StorageItem>)] {
    let Some((first, _)) = rest.first() else { return &[] };
    let member = first.module.file_name().unwrap_or_default().to_string_lossy();
    // Modules are named by their member and a hash.
    if !member.to_ascii_uppercase().starts_with(&format!("{program}-")) {
        return &[];
    }
    let count = rest.iter().take_while(|(entered, _)| entered.below == first.below).count();
    let (here, behind) = rest.split_at(count);
    *rest = behind;
    here
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

fn describe_level(
    dump: &mut String,
    number: usize,
    level: &Level,
    programs: &[(cobol::Entered, Vec<StorageItem>)],
    own: Option<(&OwnLevel, &Window)>,
    read: Reader<'_>,
) {
    let _ = writeln!(dump, "\nLEVEL {number}: PROGRAM {}", level.program);
    if !level.invoked_by.is_blank() {
        let _ = writeln!(dump, "invoked by {}", level.invoked_by);
    }
    let items = programs.first().map_or(&[][..], |(_, items)| items);
    dump.push_str("\nEXEC INTERFACE BLOCK\n");
    let own = |name| own.and_then(|(own, window)| own::interface(own, window, name));
    *dump += &own(INTERFACE_BLOCK).unwrap_or_else(|| by_description(items, false, &level.eib.bytes()));
    if let Some(commarea) = &level.commarea {
        let mut bytes = vec![0; commarea.length().min(DUMP_AREA_BYTES_MAX)];
        let _ = writeln!(dump, "\nCOMMAREA, {} bytes", commarea.length());
        // A COMMAREA that cannot be read is part of what the dump shows.
        *dump += &own(COMMAREA).unwrap_or_else(|| match read(commarea.address(), &mut bytes) {
            true => by_description(items, true, &bytes),
            false => String::from("  not readable\n"),
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
    for (entered, items) in programs {
        describe_storage(dump, entered, items, read);
    }
}

/// The storage of the hosted program that asks for a command; `None` if no such program does.
pub(crate) async fn hosted_storage(task: &Task, call: &Call<'_>) -> Option<String> {
    let place = call.place(task.level().program)?;
    let read = |address: StorageAddress, into: &mut [u8]| call.read_at(address, into).is_ok();
    storage_of(task, &place.program, call.entered(), &read).await
}

/// The same where it CALLs a service.
pub(crate) async fn storage_of_caller(task: &Task, call: &cobol::ServiceCall<'_>) -> Option<String> {
    let place = call.place(&task.level().program.to_string());
    let read = |address: StorageAddress, into: &mut [u8]| call.read(address.in_host(), into).is_ok();
    storage_of(task, &place.program, call.entered(), &read).await
}

async fn storage_of(
    task: &Task,
    name: &str,
    mut entered: Vec<cobol::Entered>,
    read: Reader<'_>,
) -> Option<String> {
    entered.retain(|program| program.below == 0 && program.name.eq_ignore_ascii_case(name));
    let programs = EnteredPrograms::of(task, entered).await;
    let (entered, items) = programs.entered.first()?;
    let mut shown = String::new();
    describe_storage(&mut shown, entered, items, read);
    Some(shown)
}

/// Bytes of a container that are shown.
const CONTAINER_SHOWN: usize = 4096;

fn describe_storage(dump: &mut String, entered: &cobol::Entered, items: &[StorageItem], read: Reader<'_>) {
    if items.is_empty() {
        let _ = writeln!(dump, "\nStorage of {}: its description is not there", entered.name);
        return;
    }
    for (wanted, heading) in [
        (Section::Working, "WORKING-STORAGE"),
        (Section::Local, "LOCAL-STORAGE"),
        (Section::Linkage, "LINKAGE"),
    ] {
        let shown = section(items, wanted, entered, read);
        if !shown.is_empty() {
            let _ = write!(dump, "\n{heading} OF {}\n{shown}", entered.name);
        }
    }
}

/// Bytes by the program's description of them where they fit it, else as they are.
fn by_description(items: &[StorageItem], commarea: bool, bytes: &[u8]) -> String {
    match described(items, commarea) {
        Some(layout) if layout.length() <= bytes.len() => {
            let (known, beyond) = bytes.split_at(layout.length());
            // What the block is rounded up by is nothing.
            let beyond = if commarea && !beyond.is_empty() { bytes::lines(beyond) } else { String::new() };
            format!("{}{beyond}", fields(layout, known))
        }
        _ => bytes::lines(bytes),
    }
}
