//! Outline and folding: the parts of a program in its own text.

use cobol_check::CheckedProgram;
use cobol_data::{Area, ItemId};
use cobol_source::At;
use toolchain::Draft;

use crate::text::{Position, Range, range_of, units};
use crate::view::View;

/// Kinds of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A program or mapset.
    Program,
    /// A group.
    Group,
    /// An item.
    Item,
    /// A condition-name.
    Condition,
    /// A file.
    File,
    /// A section.
    Section,
    /// A paragraph.
    Paragraph,
    /// A map.
    Map,
    /// A field of a map.
    Field,
}

/// A part with those in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEntry {
    /// Its name.
    pub name: String,
    /// A few words about it.
    pub detail: String,
    /// Its kind.
    pub part: Part,
    /// Its whole text.
    pub range: Range,
    /// Its name in the text.
    pub selection: Range,
    /// The parts in it.
    pub parts: Vec<Self>,
}

impl OutlineEntry {
    /// A part that ends with the line of its name.
    pub fn new(name: &str, detail: String, part: Part, selection: Range) -> Self {
        Self { name: name.to_owned(), detail, part, range: selection, selection, parts: Vec::new() }
    }
}

/// Lets each part end in front of the next one, the last of them at `end`; `width` says how long a line is.
pub fn spread(entries: &mut [OutlineEntry], end: usize, width: &dyn Fn(usize) -> usize) {
    for at in 0..entries.len() {
        let next =
            entries.get(at + 1).map_or(end, |next| next.selection.start.line.saturating_sub(1).min(end));
        let entry = &mut entries[at];
        let last = next.max(entry.selection.end.line);
        entry.range.start.unit = 0;
        entry.range.end = Position { line: last, unit: width(last).max(entry.selection.end.unit) };
        spread(&mut entry.parts, last, width);
    }
}

/// The parts of the programs of a document.
pub fn outline(view: &View<'_>) -> Vec<OutlineEntry> {
    let mut entries: Vec<OutlineEntry> = Vec::new();
    for draft in &view.analysis.drafts {
        entries.extend(draft.checked.programs.iter().filter_map(|program| of_program(view, draft, program)));
    }
    entries.sort_by_key(|entry| entry.selection.start);
    let width = |line: usize| units(view.line(line));
    spread(&mut entries, view.lines.count().saturating_sub(1), &width);
    entries
}

/// Some characters of the document, if a place is in it.
fn here(view: &View<'_>, draft: &Draft, at: At, length: usize) -> Option<Range> {
    let place = draft.checked.frames().origin(at).place;
    let is_here = place.source.name == view.name();
    is_here.then(|| range_of(view.line(place.line.saturating_sub(1)), place.line, place.column, length))
}

fn of_program(view: &View<'_>, draft: &Draft, program: &CheckedProgram) -> Option<OutlineEntry> {
    let name = &program.syntax.name;
    let selection = here(view, draft, name.at, name.text.chars().count())?;
    let mut entry = OutlineEntry::new(&name.text, "program".to_owned(), Part::Program, selection);
    for file in &program.files {
        if let Some(at) = here(view, draft, file.name.at, file.name.text.chars().count()) {
            entry.parts.push(OutlineEntry::new(&file.name.text, "file".to_owned(), Part::File, at));
        }
    }
    for &record in &program.records {
        if !matches!(program.items.get(record).area, Area::Around(_) | Area::Register) {
            entry.parts.extend(of_item(view, draft, program, record));
        }
    }
    let mut section: Option<usize> = None;
    for procedure in &program.procedures {
        let length = procedure.name.text.chars().count();
        let Some(at) = here(view, draft, procedure.name.at, length) else { continue };
        let part = if procedure.is_section { Part::Section } else { Part::Paragraph };
        let one = OutlineEntry::new(&procedure.name.text, String::new(), part, at);
        match section.filter(|_| procedure.section.is_some()) {
            Some(at) => entry.parts[at].parts.push(one),
            None => entry.parts.push(one),
        }
        if procedure.is_section {
            section = Some(entry.parts.len() - 1);
        }
    }
    entry.parts.extend(program.contained.iter().filter_map(|inner| of_program(view, draft, inner)));
    entry.parts.sort_by_key(|part| part.selection.start);
    Some(entry)
}

fn of_item(view: &View<'_>, draft: &Draft, program: &CheckedProgram, id: ItemId) -> Option<OutlineEntry> {
    let item = program.items.get(id);
    if program
        .syntax
        .procedure
        .as_ref()
        .is_some_and(|procedure| item.name.as_ref().is_some_and(|name| name.at == procedure.at))
    {
        // The compiler supplies it.
        return None;
    }
    let at = item.name.as_ref().map_or(item.at, |name| name.at);
    let selection = here(view, draft, at, item.name.as_ref().map_or(2, |name| name.text.chars().count()))?;
    let detail = item.picture.as_ref().map(|picture| format!("PIC {picture}"));
    let detail = detail.unwrap_or_else(|| item.kind.name().to_owned());
    let part = if item.parts.is_empty() { Part::Item } else { Part::Group };
    let mut entry =
        OutlineEntry::new(item.display_name(), format!("{:02} {detail}", item.level), part, selection);
    for &condition in &item.conditions {
        let condition = program.items.get(condition);
        let Some(name) = &condition.name else { continue };
        if let Some(at) = here(view, draft, name.at, name.text.chars().count()) {
            entry.parts.push(OutlineEntry::new(&name.text, "88".to_owned(), Part::Condition, at));
        }
    }
    entry.parts.extend(item.parts.iter().filter_map(|part| of_item(view, draft, program, *part)));
    Some(entry)
}

/// Kinds of what folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fold {
    /// Text of the program.
    Code,
    /// Comments.
    Comment,
}

/// Parts of a document that fold: first and last line.
pub fn folds(view: &View<'_>) -> Vec<(usize, usize, Fold)> {
    let mut folds = Vec::new();
    fn add(entries: &[OutlineEntry], folds: &mut Vec<(usize, usize, Fold)>) {
        for entry in entries {
            folds.push((entry.selection.start.line, entry.range.end.line, Fold::Code));
            add(&entry.parts, folds);
        }
    }
    add(&outline(view), &mut folds);
    let name = view.name();
    for draft in &view.analysis.drafts {
        for block in &draft.checked.blocks {
            let tokens = &draft.checked.tokens[block.range.clone()];
            if let (Some(first), Some(last)) = (tokens.first(), tokens.last())
                && first.at.frame == last.at.frame
                && draft.checked.frames().source_name(first.at.frame) == name
            {
                folds.push((first.at.line as usize - 1, last.at.line as usize - 1, Fold::Code));
            }
        }
    }
    comments(view, &mut folds);
    folds.retain(|(first, last, _)| first < last);
    folds.sort_unstable();
    folds.dedup();
    folds
}

fn comments(view: &View<'_>, folds: &mut Vec<(usize, usize, Fold)>) {
    let mut first = None;
    for line in 0..=view.lines.count() {
        let is_comment = line < view.lines.count() && view.layout.is_comment(view.line(line));
        match first {
            None if is_comment => first = Some(line),
            Some(begun) if !is_comment => {
                folds.push((begun, line - 1, Fold::Comment));
                first = None;
            }
            _ => {}
        }
    }
}
