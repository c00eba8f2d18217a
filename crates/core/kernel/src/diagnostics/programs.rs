//! Programs in a dump: the paragraphs performed, and each item by its name with its value.

use std::fmt::Write as _;

use cobol_ir::program::{Line, Segment};
use cobol_run::view::{Seen, Spot, Value, View, performed};

use super::storage::{COMMAREA, INTERFACE_BLOCK, line, runs, shown_text};
use crate::bytes::{self, hexadecimal};
use crate::limits::DUMP_RECORD_BYTES_MAX;
use crate::programs::{EnteredProgram, ProgramLevel};
use crate::storage::Window;
use crate::words::escaped;

/// The records that CICS passes, which stand under headings of their own.
const INTERFACE: [&str; 2] = [INTERFACE_BLOCK, COMMAREA];

/// The programs of a level: where each stands, and its storage.
pub(super) fn describe(dump: &mut String, level: &ProgramLevel, window: &Window) {
    for program in level.programs.iter().rev() {
        paragraphs(dump, program);
    }
    for entered in &level.programs {
        let (Some(code), Some(frame)) = (entered.code(), &entered.frame) else { continue };
        let shared = Seen::of(code.program(), &frame.activation, &window.storage);
        let view = View::new(code.program(), &frame.activation, window.storage.memory(), &shared);
        storage(dump, &code.program().name, &view);
    }
}

/// Place of a program, and each PERFORM that has led there.
fn paragraphs(dump: &mut String, entered: &EnteredProgram) {
    let (Some(code), Some(frame)) = (entered.code(), &entered.frame) else { return };
    let program = code.program();
    let _ = writeln!(dump, "\nPARAGRAPHS OF {}, THE INNERMOST FIRST", program.name);
    for one in performed(program, frame, entered.at, entered.line) {
        let place = program.lines.get(one.line as usize).map(place);
        let name = one.procedure.unwrap_or_else(|| String::from("(the first statements)"));
        let _ = writeln!(dump, "  {name:<32}  {}", place.unwrap_or_default());
    }
}

fn place(line: &Line) -> String {
    match &line.member {
        None => format!("line {}", line.line),
        Some(member) => format!("{member} line {}", line.line),
    }
}

/// The interface block or the COMMAREA, as the level's first program describes it. `None` if that does not see it.
pub(super) fn interface(level: &ProgramLevel, window: &Window, name: &str) -> Option<String> {
    let entered = level.programs.first()?;
    let (code, frame) = (entered.code()?, entered.frame.as_ref()?);
    let shared = Seen::of(code.program(), &frame.activation, &window.storage);
    let view = View::new(code.program(), &frame.activation, window.storage.memory(), &shared);
    let spot = view.records(is_linkage).into_iter().find(|spot| view.name(spot) == name)?;
    let is_seen = !matches!(view.value(&spot), Value::NotAddressed);
    is_seen.then(|| record(&view, &spot))
}

/// The storage of a program, item by item.
pub(crate) fn storage(dump: &mut String, name: &str, view: &View<'_>) {
    type Wanted = fn(Segment) -> bool;
    let sections: [(&str, Wanted); 3] = [
        ("WORKING-STORAGE", |segment| segment == Segment::Working),
        ("LOCAL-STORAGE", |segment| segment == Segment::Local),
        ("LINKAGE", is_linkage),
    ];
    for (heading, wanted) in sections {
        let records = view.records(wanted);
        let own = records.iter().filter(|spot| INTERFACE.iter().all(|name| view.name(spot) != *name));
        let shown: String = own.map(|spot| record(view, spot)).collect();
        if !shown.is_empty() {
            let _ = write!(dump, "\n{heading} OF {name}\n{shown}");
        }
    }
}

fn is_linkage(segment: Segment) -> bool {
    matches!(segment, Segment::Linkage(_))
}

/// A record with its items; of bytes that are described several times, the first description.
fn record(view: &View<'_>, spot: &Spot) -> String {
    let (item, name) = (view.item(spot), view.name(spot));
    if item.redefines {
        return format!("  {name} redefines another\n");
    }
    match view.value(spot) {
        Value::Group(bytes) if bytes.len() <= DUMP_RECORD_BYTES_MAX => {
            let mut fields = Vec::new();
            leaves(view, spot, &mut fields);
            let mut dump = format!("  {:02} {name}\n", item.level);
            for (path, value) in runs(fields.into_iter()) {
                dump += &line(3, 0, &path, &value);
            }
            dump
        }
        Value::Group(bytes) => format!(
            "  {:02} {name}, {} bytes\n{}",
            item.level,
            bytes.len(),
            bytes::lines(&bytes[..DUMP_RECORD_BYTES_MAX])
        ),
        Value::NotAddressed => format!("  {name} is not addressed\n"),
        value => line(1, item.level, &name, &text(&value)),
    }
}

fn leaves(view: &View<'_>, spot: &Spot, into: &mut Vec<(String, String)>) {
    let parts = view.parts(spot);
    if parts.is_empty() && !spot.is_table {
        if view.item(spot).name.is_some() {
            into.push((view.name(spot), text(&view.value(spot))));
        }
        return;
    }
    for part in parts.iter().filter(|part| !view.item(part).redefines) {
        leaves(view, part, into);
    }
}

fn text(value: &Value<'_>) -> String {
    match value {
        Value::National(text) => format!("N'{}'", escaped(text.trim_end_matches([' ', '\0']))),
        Value::Utf8(text) => format!("U'{}'", escaped(text.trim_end_matches([' ', '\0']))),
        value => value.shown(shown_text, hexadecimal),
    }
}
