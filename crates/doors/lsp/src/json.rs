//! Values as the protocol writes them, and parts of requests as values.

use diagnostics::{Diagnostic, Severity, TextPlace};
use serde_json::{Value, json};

use crate::features::complete::{Candidate, Completion, Signature, Sort};
use crate::features::outline::{Fold, OutlineEntry, Part};
use crate::features::rename::Edits;
use crate::text::{Edit, Position, Range, range_of};
use crate::uri;
use crate::view::Location;

/// A number of a request as it is used here; nothing for one that is none, or too great.
fn number(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// A place of a request.
pub fn position_of(value: &Value) -> Option<Position> {
    Some(Position { line: number(&value["line"])?, unit: number(&value["character"])? })
}

/// A part of a text in a request.
pub fn range_from(value: &Value) -> Option<Range> {
    Some(Range { start: position_of(&value["start"])?, end: position_of(&value["end"])? })
}

fn position(at: Position) -> Value {
    json!({"line": at.line, "character": at.unit})
}

/// A part of a text.
pub fn range(range: Range) -> Value {
    json!({"start": position(range.start), "end": position(range.end)})
}

/// A part of a file.
pub fn location(location: &Location) -> Value {
    json!({"uri": uri::of(&location.path), "range": range(location.range)})
}

/// A place that a message names.
pub fn range_of_place(place: &TextPlace) -> Range {
    let line =
        place.source.text.get(place.source.line_start(place.line)..).and_then(|rest| rest.lines().next());
    range_of(line.unwrap_or(""), place.line, place.column, place.length)
}

/// A message about a file. `through` are places with their files that lead to it.
pub fn diagnostic(message: &Diagnostic, at: Range, through: &[(std::path::PathBuf, Range)]) -> Value {
    let severity = match message.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    };
    let parts = [&message.message, &message.label, &message.help];
    let text: Vec<&str> = parts.iter().map(|part| part.as_str()).filter(|part| !part.is_empty()).collect();
    let through: Vec<Value> = through
        .iter()
        .map(|(path, at)| json!({"location": {"uri": uri::of(path), "range": range(*at)}, "message": "copied from here"}))
        .collect();
    json!({
        "range": range(at),
        "severity": severity,
        "code": message.code,
        "source": "syncpoint",
        "message": text.join("\n"),
        "relatedInformation": through,
    })
}

/// Changes of one text.
pub fn edits(edits: &[Edit]) -> Value {
    edits.iter().map(|edit| json!({"range": range(edit.range), "newText": edit.text})).collect()
}

/// Changes of several files.
pub fn workspace_edit(changes: &Edits) -> Value {
    let changes = changes.iter().map(|(path, own)| (uri::of(path), edits(own)));
    json!({"changes": changes.collect::<serde_json::Map<String, Value>>()})
}

/// An outline.
pub fn symbols(entries: &[OutlineEntry]) -> Value {
    entries
        .iter()
        .map(|entry| {
            json!({
                "name": if entry.name.is_empty() { "FILLER" } else { &entry.name },
                "detail": entry.detail,
                "kind": kind(entry.part),
                "range": range(entry.range),
                "selectionRange": range(entry.selection),
                "children": symbols(&entry.parts),
            })
        })
        .collect()
}

/// The protocol's number for a kind of parts.
pub fn kind(part: Part) -> u32 {
    match part {
        Part::Program => 2,
        Part::Section => 3,
        Part::Paragraph => 12,
        Part::Group | Part::Map => 23,
        Part::Item | Part::Field => 8,
        Part::Condition => 22,
        Part::File => 1,
    }
}

/// Candidates.
pub fn completion(completion: &Completion, snippets: bool) -> Value {
    let item = |one: &Candidate| {
        let kind = match one.sort {
            Sort::Word => 14,
            Sort::Option => 10,
            Sort::Item => 6,
            Sort::Procedure => 3,
            Sort::Member => 17,
            Sort::Column => 5,
            Sort::Table => 22,
        };
        let text = if snippets { one.written.clone() } else { one.written.replace("$0", "") };
        json!({
            "label": one.label,
            "kind": kind,
            "detail": one.detail,
            "insertTextFormat": if snippets && one.written.contains("$0") { 2 } else { 1 },
            "textEdit": {"range": range(completion.range), "newText": text},
        })
    };
    json!({"isIncomplete": completion.is_cut, "items": completion.candidates.iter().map(item).collect::<Vec<_>>()})
}

/// The form of a command.
pub fn signature(signature: &Signature) -> Value {
    let options: Vec<Value> = signature.options.iter().map(|option| json!({"label": option})).collect();
    let mut one = json!({"label": signature.label, "parameters": options});
    if !signature.conditions.is_empty() {
        one["documentation"] = json!(format!("Conditions: {}", signature.conditions));
    }
    json!({"signatures": [one], "activeSignature": 0, "activeParameter": signature.active})
}

/// Parts that fold.
pub fn folds(folds: &[(usize, usize, Fold)]) -> Value {
    folds
        .iter()
        .map(|(first, last, fold)| match fold {
            Fold::Code => json!({"startLine": first, "endLine": last}),
            Fold::Comment => json!({"startLine": first, "endLine": last, "kind": "comment"}),
        })
        .collect()
}

/// The words of a text, each by its distance from the one before.
pub fn tokens(words: &[(Range, crate::features::colour::Colour)]) -> Value {
    let mut data: Vec<usize> = Vec::with_capacity(words.len() * 5);
    let mut last = Position::default();
    for (at, colour) in words {
        let start = at.start;
        let unit = if start.line == last.line { start.unit - last.unit } else { start.unit };
        data.extend([start.line - last.line, unit, at.end.unit - start.unit, *colour as usize, 0]);
        last = start;
    }
    json!({"data": data})
}

/// The URI of a request's document.
pub fn document(parameters: &Value) -> Option<&str> {
    parameters["textDocument"]["uri"].as_str()
}
