//! Requests of the protocol, by name: each answered from the session.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::documents::{Document, Kind};
use crate::features::{colour, complete, format, hover, maps, navigate, outline, rename};
use crate::limits::RENAMED_MAX;
use crate::session::Session;
use crate::text::{Lines, Position};
use crate::{analysis::Spot, json};

/// A request that is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The protocol's number.
    pub code: i64,
    /// The reason.
    pub message: String,
}

/// The request is none that is known.
pub const UNKNOWN_METHOD: i64 = -32601;
/// Its parameters are not those of the protocol.
pub const WRONG_PARAMETERS: i64 = -32602;
/// It cannot be done.
const FAILED: i64 = -32803;

type Answer = Result<Value, Refusal>;
type Handler = fn(&mut Session, &Value) -> Answer;

/// The requests.
const REQUESTS: &[(&str, Handler)] = &[
    ("textDocument/definition", definition),
    ("textDocument/references", references),
    ("textDocument/documentHighlight", highlights),
    ("textDocument/prepareRename", prepare_rename),
    ("textDocument/rename", rename),
    ("textDocument/hover", hover),
    ("textDocument/completion", completion),
    ("textDocument/signatureHelp", signature),
    ("textDocument/documentSymbol", symbols),
    ("textDocument/foldingRange", folds),
    ("textDocument/semanticTokens/full", tokens),
    ("textDocument/formatting", formatting),
    ("textDocument/rangeFormatting", formatting),
    ("syncpoint/preview", preview),
];

/// Abilities of the server, as `initialize` answers.
pub fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "renameProvider": {"prepareProvider": true},
        "hoverProvider": true,
        "completionProvider": {"triggerCharacters": ["(", ":", "'"]},
        "signatureHelpProvider": {"triggerCharacters": ["(", " "]},
        "documentSymbolProvider": true,
        "foldingRangeProvider": true,
        "semanticTokensProvider": {"legend": {"tokenTypes": colour::LEGEND, "tokenModifiers": []}, "full": true},
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "experimental": {"syncpointPreview": true},
    })
}

/// Answers a request.
///
/// # Errors
/// The request is unknown, its parameters are none, or it cannot be done.
pub fn answer(session: &mut Session, method: &str, parameters: &Value) -> Answer {
    let known = REQUESTS.iter().find(|(name, _)| *name == method);
    let (_, handler) = known
        .ok_or_else(|| Refusal { code: UNKNOWN_METHOD, message: format!("there is no request {method}") })?;
    handler(session, parameters)
}

fn wrong(what: &str) -> Refusal {
    Refusal { code: WRONG_PARAMETERS, message: format!("the request has no {what}") }
}

fn failed(message: String) -> Refusal {
    Refusal { code: FAILED, message }
}

fn document(parameters: &Value) -> Result<&str, Refusal> {
    json::document(parameters).ok_or_else(|| wrong("textDocument"))
}

fn place(parameters: &Value) -> Result<(&str, Position), Refusal> {
    let at = json::position_of(&parameters["position"]).ok_or_else(|| wrong("position"))?;
    Ok((document(parameters)?, at))
}

fn definition(session: &mut Session, parameters: &Value) -> Answer {
    let (uri, at) = place(parameters)?;
    let found = session.view(uri, |view| navigate::definition(view, at)).unwrap_or_default();
    Ok(found.iter().map(json::location).collect())
}

fn references(session: &mut Session, parameters: &Value) -> Answer {
    let (uri, at) = place(parameters)?;
    let with = parameters["context"]["includeDeclaration"].as_bool().unwrap_or(true);
    let found = session.view(uri, |view| navigate::references(view, at, with)).unwrap_or_default();
    Ok(found.iter().map(json::location).collect())
}

fn highlights(session: &mut Session, parameters: &Value) -> Answer {
    let (uri, at) = place(parameters)?;
    let found = session.view(uri, |view| navigate::highlights(view, at)).unwrap_or_default();
    let one = |(range, changes)| json!({"range": json::range(range), "kind": if changes { 3 } else { 2 }});
    Ok(found.into_iter().map(one).collect())
}

fn hover(session: &mut Session, parameters: &Value) -> Answer {
    let (uri, at) = place(parameters)?;
    let text = session.view(uri, |view| hover::hover(view, at)).flatten();
    Ok(text.map_or(Value::Null, |text| json!({"contents": {"kind": "markdown", "value": text}})))
}

fn completion(session: &mut Session, parameters: &Value) -> Answer {
    let (uri, at) = place(parameters)?;
    let found = session.view(uri, |view| complete::complete(view, at)).unwrap_or_default();
    Ok(json::completion(&found, session.snippets))
}

fn signature(session: &mut Session, parameters: &Value) -> Answer {
    let (uri, at) = place(parameters)?;
    let found = session.view(uri, |view| complete::signature(view, at)).flatten();
    Ok(found.as_ref().map_or(Value::Null, json::signature))
}

fn outline_of(session: &mut Session, uri: &str) -> Vec<outline::OutlineEntry> {
    let map = session.documents.get(uri).filter(|document| document.kind == Kind::Map);
    match map {
        Some(map) => maps::outline(&map.text, &map.lines),
        None => session.view(uri, outline::outline).unwrap_or_default(),
    }
}

fn symbols(session: &mut Session, parameters: &Value) -> Answer {
    let entries = outline_of(session, document(parameters)?);
    Ok(json::symbols(&entries))
}

fn folds(session: &mut Session, parameters: &Value) -> Answer {
    let uri = document(parameters)?;
    let found = session.view(uri, outline::folds).unwrap_or_default();
    if found.is_empty() {
        let entries = outline_of(session, uri);
        let all = entries.iter().chain(entries.iter().flat_map(|entry| &entry.parts));
        let folds: Vec<_> = all
            .map(|entry| (entry.range.start.line, entry.range.end.line, outline::Fold::Code))
            .filter(|(first, last, _)| first < last)
            .collect();
        return Ok(json::folds(&folds));
    }
    Ok(json::folds(&found))
}

fn tokens(session: &mut Session, parameters: &Value) -> Answer {
    let words = session.view(document(parameters)?, colour::colours).unwrap_or_default();
    Ok(json::tokens(&words))
}

fn formatting(session: &mut Session, parameters: &Value) -> Answer {
    let Some(found) = session.documents.get(document(parameters)?) else { return Ok(Value::Null) };
    if found.kind == Kind::Map {
        return Ok(json!([]));
    }
    let range = json::range_from(&parameters["range"]);
    let (first, last) = range.map_or((0, usize::MAX), |range| (range.start.line, range.end.line));
    Ok(json::edits(&format::format(&found.text, first, last)))
}

fn preview(session: &mut Session, parameters: &Value) -> Answer {
    let uri = document(parameters)?;
    let found = session.documents.get(uri).ok_or_else(|| wrong("document that is open"))?.clone();
    let at = json::position_of(&parameters["position"]);
    let named = parameters["map"].as_str().map(str::to_owned);
    let named = named.or_else(|| maps::map_at(&found.text, &found.lines, at?));
    let folder = session.folder(&found.path);
    let assembly = folder.drafts.mapsets(&found.path, &found.text);
    let shown = maps::preview(&assembly.mapsets, named.as_deref()).map_err(failed)?;
    Ok(json!({"map": shown.map, "maps": shown.maps, "svg": shown.svg}))
}

fn prepare_rename(session: &mut Session, parameters: &Value) -> Answer {
    let (uri, at) = place(parameters)?;
    let found = session.view(uri, |view| rename::prepare(view, at));
    let (range, name) = found.unwrap_or_else(|| Err("no program is here".to_owned())).map_err(failed)?;
    Ok(json!({"range": json::range(range), "placeholder": name}))
}

fn rename(session: &mut Session, parameters: &Value) -> Answer {
    let (uri, at) = place(parameters)?;
    let to = parameters["newName"].as_str().ok_or_else(|| wrong("newName"))?;
    let both = session.view(uri, |view| (rename::rename(view, at, to), rename::shared(view, at)));
    let (own, shared) = both.ok_or_else(|| failed("no program is here".to_owned()))?;
    let mut edits = own.map_err(failed)?;
    if let Some((path, spot, name)) = shared {
        in_others(session, &path, spot, to, &mut edits).map_err(|why| failed(format!("{name}: {why}")))?;
    }
    for own in edits.values_mut() {
        own.sort_by_key(|edit| edit.range);
        own.dedup();
    }
    Ok(json::workspace_edit(&edits))
}

/// Renames what a copybook describes in all programs that copy it.
fn in_others(
    session: &mut Session,
    copybook: &Path,
    spot: Spot,
    to: &str,
    edits: &mut rename::Edits,
) -> Result<(), String> {
    let folder = session.folder(copybook);
    if !folder.is_application {
        return Err("no region.toml says which programs copy it".to_owned());
    }
    let member =
        copybook.file_stem().map(|stem| stem.to_string_lossy().to_ascii_uppercase()).unwrap_or_default();
    let unsaved = session.documents.unsaved();
    for name in folder.drafts.copy_names() {
        let Some(path) = folder.drafts.copied_file(&name, None).filter(|path| path != copybook) else {
            continue;
        };
        let text = folder.drafts.text(&path, &unsaved).unwrap_or_default().to_ascii_uppercase();
        if text.contains(&format!("COPY {member}")) {
            return Err(format!("{name} copies {member}, and programs copy both"));
        }
    }
    let programs = folder.that_copy(&member, &unsaved, RENAMED_MAX + 1);
    if programs.len() > RENAMED_MAX {
        return Err(format!("more than {RENAMED_MAX} programs copy {member}"));
    }
    let file = folder.drafts.name(copybook);
    for path in programs {
        let Some(analysis) = session.program(&path, &|| false) else { continue };
        let text = folder.drafts.text(&path, &unsaved).unwrap_or_default();
        let lines = Lines::of(&text);
        let document = Document { path, text: text.into(), lines, version: Value::Null, kind: Kind::Program };
        let more =
            session.view_of(&document, &analysis, |view| rename::rename_described(view, &file, spot, to))?;
        merge(edits, more);
    }
    Ok(())
}

fn merge(edits: &mut rename::Edits, more: rename::Edits) {
    let more: BTreeMap<_, _> = more;
    for (path, own) in more {
        edits.entry(path).or_default().extend(own);
    }
}
