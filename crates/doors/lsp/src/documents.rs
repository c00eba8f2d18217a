//! The documents that an editor has open, within limits.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use toolchain::Unsaved;

use crate::json;
use crate::limits::{DOCUMENT_MAX, DOCUMENTS_MAX, DOCUMENTS_SIZE_MAX};
use crate::text::{Lines, replaced};
use crate::uri;

/// Kinds of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A COBOL program, or several.
    Program,
    /// Text that programs copy.
    Copybook,
    /// Maps.
    Map,
}

/// An open document.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its file; for one that was never saved, a place where it could be.
    pub path: PathBuf,
    /// Its text.
    pub text: Arc<str>,
    /// The text's lines.
    pub lines: Lines,
    /// Its version, as the client counts.
    pub version: Value,
    /// Its kind.
    pub kind: Kind,
}

/// All of them, by their URIs.
#[derive(Debug, Default)]
pub struct Documents {
    open: HashMap<String, Document>,
}

impl Documents {
    /// Takes a document up.
    ///
    /// # Errors
    /// The limit that it breaks, in words.
    pub fn open(
        &mut self,
        uri: &str,
        language: &str,
        text: &str,
        version: Value,
        root: &Path,
    ) -> Result<(), String> {
        if text.len() > DOCUMENT_MAX {
            return Err(format!("{uri} is longer than {DOCUMENT_MAX} bytes: it is left alone"));
        }
        if !self.open.contains_key(uri) && self.open.len() >= DOCUMENTS_MAX {
            return Err(format!("{DOCUMENTS_MAX} documents are open: {uri} is left alone"));
        }
        let size: usize = self.open.values().map(|document| document.text.len()).sum();
        if size + text.len() > DOCUMENTS_SIZE_MAX {
            return Err(format!("open documents have {size} bytes: {uri} is left alone"));
        }
        let path = uri::path(uri).map(|path| path.canonicalize().unwrap_or(path));
        let path = path.unwrap_or_else(|| root.join("UNTITLED.cbl"));
        let kind = kind_of(&path, language, text);
        let (text, lines): (Arc<str>, Lines) = (text.into(), Lines::of(text));
        self.open.insert(uri.to_owned(), Document { path, text, lines, version, kind });
        Ok(())
    }

    /// Changes a document as a notification says; the reason why it is closed instead, if it has become too long.
    ///
    /// # Errors
    /// The limit that it breaks, in words.
    pub fn change(&mut self, uri: &str, changes: &[Value], version: &Value) -> Result<(), String> {
        let Some(document) = self.open.get_mut(uri) else { return Ok(()) };
        for change in changes {
            let Some(text) = change["text"].as_str() else { continue };
            let changed = match json::range_from(&change["range"]) {
                Some(range) => replaced(&document.text, &document.lines, range, text),
                None => text.to_owned(),
            };
            if changed.len() > DOCUMENT_MAX {
                self.open.remove(uri);
                return Err(format!("{uri} is longer than {DOCUMENT_MAX} bytes: it is left alone"));
            }
            document.lines = Lines::of(&changed);
            document.text = changed.into();
        }
        document.version = version.clone();
        if document.kind == Kind::Copybook {
            document.kind = kind_of(&document.path, "", &document.text);
        }
        Ok(())
    }

    /// Lets a document go; its file.
    pub fn close(&mut self, uri: &str) -> Option<PathBuf> {
        self.open.remove(uri).map(|document| document.path)
    }

    /// A document.
    pub fn get(&self, uri: &str) -> Option<&Document> {
        self.open.get(uri)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = (&String, &Document)> {
        self.open.iter()
    }

    /// The URI of a file: as the client writes it, if the file is open.
    pub fn uri(&self, path: &Path) -> String {
        let open = self.open.iter().find(|(_, document)| document.path == path);
        open.map_or_else(|| uri::of(path), |(uri, _)| uri.clone())
    }

    /// The texts that stand for files.
    pub fn unsaved(&self) -> Unsaved {
        let mut unsaved = Unsaved::default();
        for document in self.open.values() {
            unsaved.insert(document.path.clone(), Arc::clone(&document.text));
        }
        unsaved
    }
}

fn kind_of(path: &Path, language: &str, text: &str) -> Kind {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let extension = extension.as_deref().unwrap_or_default();
    let upper = || text.to_ascii_uppercase();
    match extension {
        "bms" => Kind::Map,
        "asm" | "mac" | "map" => Kind::Map,
        _ if language == "bms" => Kind::Map,
        "cpy" | "dcl" | "inc" => Kind::Copybook,
        _ if upper().contains("PROGRAM-ID") => Kind::Program,
        _ if upper().contains("DFHMSD") => Kind::Map,
        _ => Kind::Copybook,
    }
}
