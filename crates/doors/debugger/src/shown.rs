//! Frames, scopes, items and values as an editor unfolds them.
//!
//! An editor names what it unfolds by numbers, which are good as long as the task rests.

use ebcdic::Characters;
use std::path::Path;

use cobol_ir::program::{Line, Segment};
use cobol_run::view::{Spot, Value, View};
use kernel::debugging::Scene;
use serde_json::{Value as Json, json};

/// Bytes of a value that are shown.
const SHOWN_BYTES_MAX: usize = 256;
/// Numbers that one stop may have: an editor unfolds the items that a user looks at.
const REFERENCES_MAX: usize = 100_000;

/// The record of the interface block.
const INTERFACE_BLOCK: &str = "DFHEIBLK";

/// The meaning of a number.
#[derive(Clone, Debug)]
pub(crate) enum Unfolded {
    /// A frame: task, program of its scene.
    Frame(u32, usize),
    /// A section of a program.
    Section(u32, usize, Section),
    /// An item with parts.
    Item(u32, usize, Spot),
}

/// A section of the data division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Working,
    Local,
    Linkage,
    Interface,
}

const SECTIONS: [(Section, &str); 4] = [
    (Section::Working, "WORKING-STORAGE"),
    (Section::Local, "LOCAL-STORAGE"),
    (Section::Linkage, "LINKAGE"),
    (Section::Interface, "EXEC interface block"),
];

/// The numbers that are given.
#[derive(Debug, Default)]
pub(crate) struct References(Vec<Unfolded>);

impl References {
    /// A number for something; 0, which unfolds nothing, when there are too many.
    pub(crate) fn number(&mut self, what: Unfolded) -> usize {
        if self.0.len() >= REFERENCES_MAX {
            return 0;
        }
        self.0.push(what);
        self.0.len()
    }

    pub(crate) fn get(&self, number: usize) -> Option<&Unfolded> {
        self.0.get(number.checked_sub(1)?)
    }

    /// Tasks have gone on: what they looked like is of the past.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Section {
    fn has(self, view: &View<'_>, spot: &Spot) -> bool {
        let is_interface = view.name(spot) == INTERFACE_BLOCK;
        match self {
            Self::Interface => is_interface,
            _ if is_interface => false,
            Self::Working => view.item(spot).segment == Segment::Working,
            Self::Local => view.item(spot).segment == Segment::Local,
            Self::Linkage => matches!(view.item(spot).segment, Segment::Linkage(_)),
        }
    }
}

/// The frames of a task: paragraphs of its programs, the innermost first.
pub(crate) fn frames(scene: &Scene, root: &Path, references: &mut References) -> Vec<Json> {
    let mut frames = Vec::new();
    for (place, entered) in scene.programs().iter().enumerate() {
        let program = entered.program().map_or("?", |program| program.name.as_str());
        for (paragraph, line) in entered.stack() {
            let id = references.number(Unfolded::Frame(scene.task, place));
            let name = paragraph.map_or_else(|| program.to_owned(), |name| format!("{name} in {program}"));
            let path = line.and_then(|line| match &line.member {
                Some(member) => Some(root.join(member)),
                None => entered.source.as_ref().map(|source| root.join(source)),
            });
            let source = path.map(
                |path| json!({"name": path.file_name().map(|name| name.to_string_lossy()), "path": path}),
            );
            frames.push(json!({"id": id, "name": name, "line": line.map_or(0, |line: &Line| line.line), "column": 1, "source": source}));
        }
    }
    frames
}

/// The sections of a frame's program that have anything.
pub(crate) fn scopes(scene: &Scene, place: usize, references: &mut References) -> Vec<Json> {
    let Some(view) = scene.view(place) else { return Vec::new() };
    let records = view.records(|_| true);
    let filled = SECTIONS.iter().filter(|(section, _)| records.iter().any(|spot| section.has(&view, spot)));
    filled
        .map(|(section, name)| {
            let reference = references.number(Unfolded::Section(scene.task, place, *section));
            json!({"name": name, "variablesReference": reference, "expensive": false})
        })
        .collect()
}

/// The records of a section.
pub(crate) fn records(
    scene: &Scene,
    place: usize,
    section: Section,
    references: &mut References,
) -> Vec<Json> {
    let Some(view) = scene.view(place) else { return Vec::new() };
    let records = view.records(|_| true).into_iter().filter(|spot| section.has(&view, spot));
    records.map(|spot| variable(scene, place, &view, &spot, references)).collect()
}

/// The parts of an item.
pub(crate) fn parts(scene: &Scene, place: usize, spot: &Spot, references: &mut References) -> Vec<Json> {
    let Some(view) = scene.view(place) else { return Vec::new() };
    view.parts(spot).iter().map(|part| variable(scene, place, &view, part, references)).collect()
}

fn variable(scene: &Scene, place: usize, view: &View<'_>, spot: &Spot, references: &mut References) -> Json {
    let mut shown = value(scene, place, view, spot, references);
    shown["name"] = json!(view.name(spot));
    shown["value"] = shown["result"].take();
    shown
}

/// An item's value, as an answer to `evaluate` has it.
pub(crate) fn value(
    scene: &Scene,
    place: usize,
    view: &View<'_>,
    spot: &Spot,
    references: &mut References,
) -> Json {
    let value = view.value(spot);
    let unfolds = matches!(value, Value::Group(_));
    let reference =
        if unfolds { references.number(Unfolded::Item(scene.task, place, spot.clone())) } else { 0 };
    json!({"result": text(&value), "type": view.item(spot).kind.name(), "variablesReference": reference})
}

/// A value as people read it: of a group its characters.
fn text(value: &Value<'_>) -> String {
    match value {
        Value::Group(bytes) => characters(bytes),
        value => value.shown(characters, hexadecimal),
    }
}

/// Characters in quotation marks; in hexadecimal, if some cannot be shown.
fn characters(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(SHOWN_BYTES_MAX)];
    let more = if cut.len() < bytes.len() { "…" } else { "" };
    match cut {
        _ if !cut.is_empty() && cut.iter().all(|byte| *byte == 0) => String::from("LOW-VALUES"),
        _ if cut.iter().any(|byte| Characters::default().character(*byte).is_control()) => hexadecimal(bytes),
        _ => format!("'{}'{more}", Characters::default().text(cut)),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(SHOWN_BYTES_MAX)];
    let digits: String = cut.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("X'{digits}'{}", if cut.len() < bytes.len() { "…" } else { "" })
}
