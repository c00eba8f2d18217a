//! The state of a session: open documents, their analyses, and messages that the client has.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use diagnostics::Diagnostic;
use serde_json::{Value, json};

use crate::analysis::Analysis;
use crate::documents::{Document, Documents, Kind};
use crate::folder::{Folder, Host};
use crate::json;
use crate::layout::Layout;
use crate::limits::{ANALYSES_MAX, DIAGNOSTICS_MAX, EDITED_MAX};
use crate::text::Range;
use crate::view::View;

/// A session with a client.
pub struct Session {
    pub(crate) host: Host,
    /// Open documents.
    pub documents: Documents,
    folders: Vec<(PathBuf, Rc<Folder>)>,
    analyses: VecDeque<(u64, Rc<Analysis>)>,
    /// The edit after which a file is as it is.
    edited: HashMap<PathBuf, u64>,
    /// Edits so far.
    edits: u64,
    /// The edit at which files were last changed from outside.
    outside: u64,
    /// Programs that were found to copy a copybook.
    programs: HashMap<PathBuf, PathBuf>,
    /// Documents whose messages are not those of their text.
    due: VecDeque<String>,
    /// Messages that each document has given, by the files that they are about.
    shown: HashMap<String, BTreeMap<String, Vec<Value>>>,
    /// Messages for the client.
    pub(crate) outbox: Vec<Value>,
    /// The folder that the client has open.
    pub(crate) root: PathBuf,
    /// True if the client fills in what completions leave open.
    pub(crate) snippets: bool,
}

/// A message about a part of a file.
struct Told {
    uri: String,
    message: Value,
}

impl Session {
    /// A session in which nothing is open.
    pub fn new(host: Host) -> Self {
        Self {
            host,
            documents: Documents::default(),
            folders: Vec::new(),
            analyses: VecDeque::new(),
            edited: HashMap::new(),
            edits: 0,
            outside: 0,
            programs: HashMap::new(),
            due: VecDeque::new(),
            shown: HashMap::new(),
            outbox: Vec::new(),
            root: PathBuf::from("."),
            snippets: false,
        }
    }

    /// Takes the messages for the client.
    pub fn take_outbox(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.outbox)
    }

    /// Shows the client a notice.
    pub(crate) fn notice(&mut self, text: &str) {
        let parameters = json!({"type": 2, "message": text});
        self.notify("window/showMessage", parameters);
    }

    pub(crate) fn notify(&mut self, method: &str, parameters: Value) {
        self.outbox.push(json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    /// Opens a document.
    pub fn open(&mut self, uri: &str, language: &str, text: &str, version: Value) {
        let root = self.root.clone();
        match self.documents.open(uri, language, text, version, &root) {
            Ok(()) => self.touched(uri),
            Err(reason) => self.notice(&reason),
        }
    }

    /// Changes a document.
    pub fn change(&mut self, uri: &str, changes: &[Value], version: &Value) {
        let path = self.documents.get(uri).map(|document| document.path.clone());
        let Err(reason) = self.documents.change(uri, changes, version) else { return self.touched(uri) };
        self.notice(&reason);
        if let Some(path) = path {
            self.gone(uri, &path);
        }
    }

    /// Closes a document: its file counts again.
    pub fn close(&mut self, uri: &str) {
        if let Some(path) = self.documents.close(uri) {
            self.gone(uri, &path);
        }
    }

    fn gone(&mut self, uri: &str, path: &Path) {
        self.note_edit(path);
        self.due.retain(|due| due != uri);
        self.show(uri, BTreeMap::new());
        self.users_are_due(path);
    }

    /// Has everything looked at again: files have changed that are not open.
    pub fn files_changed(&mut self) {
        self.edits += 1;
        self.outside = self.edits;
        self.folders.clear();
        self.programs.clear();
        let all: Vec<String> = self.documents.all().map(|(uri, _)| uri.clone()).collect();
        all.iter().for_each(|uri| self.is_due(uri));
    }

    fn touched(&mut self, uri: &str) {
        let Some(document) = self.documents.get(uri) else { return };
        let path = document.path.clone();
        self.note_edit(&path);
        self.is_due(uri);
        self.users_are_due(&path);
    }

    /// Notes that a file is another one from now on. Edits of too many files are forgotten, and with them what was made before them.
    fn note_edit(&mut self, path: &Path) {
        self.edits += 1;
        if self.edited.len() >= EDITED_MAX && !self.edited.contains_key(path) {
            self.edited.clear();
            self.analyses.clear();
            self.programs.clear();
        }
        self.edited.insert(path.to_owned(), self.edits);
    }

    /// Open programs that copy a file are looked at again.
    fn users_are_due(&mut self, path: &Path) {
        let users: Vec<PathBuf> = self
            .analyses
            .iter()
            .filter(|(_, one)| one.copies(path))
            .map(|(_, one)| one.path.clone())
            .collect();
        let open: Vec<String> = self
            .documents
            .all()
            .filter(|(_, document)| users.contains(&document.path))
            .map(|(uri, _)| uri.clone())
            .collect();
        open.iter().for_each(|uri| self.is_due(uri));
    }

    fn is_due(&mut self, uri: &str) {
        if !self.due.iter().any(|due| due == uri) {
            self.due.push_back(uri.to_owned());
        }
    }

    /// Returns true if a document's messages are not those of its text.
    pub fn has_work(&self) -> bool {
        !self.due.is_empty()
    }

    /// Finds the messages of one document, unless `stop` says that it is in vain.
    pub fn work(&mut self, stop: &dyn Fn() -> bool) {
        let Some(uri) = self.due.pop_front() else { return };
        match self.messages(&uri, stop) {
            Some(messages) => self.show(&uri, messages),
            None if stop() => self.is_due(&uri),
            None => {}
        }
    }

    /// The application of a file.
    pub(crate) fn folder(&mut self, path: &Path) -> Rc<Folder> {
        let root = Folder::of(path);
        if let Some((_, folder)) = self.folders.iter().find(|(known, _)| *known == root) {
            return Rc::clone(folder);
        }
        let folder = Rc::new(Folder::open(&root, &self.host));
        if self.folders.len() >= ANALYSES_MAX {
            self.folders.remove(0);
        }
        self.folders.push((root, Rc::clone(&folder)));
        folder
    }

    /// The analysis of a document: of the program that it is, or of one that copies it.
    pub(crate) fn analysis(&mut self, uri: &str, stop: &dyn Fn() -> bool) -> Option<Rc<Analysis>> {
        let document = self.documents.get(uri)?.clone();
        match document.kind {
            Kind::Program => self.program(&document.path, stop),
            Kind::Copybook => self.program_that_copies(&document.path, stop),
            Kind::Map => None,
        }
    }

    /// The analysis of a program's file.
    pub(crate) fn program(&mut self, path: &Path, stop: &dyn Fn() -> bool) -> Option<Rc<Analysis>> {
        if let Some(known) = self.known(path) {
            return Some(known);
        }
        let folder = self.folder(path);
        let unsaved = self.documents.unsaved();
        let text = folder.drafts.text(path, &unsaved)?;
        let drafts = folder.drafts.programs(path, &text, &unsaved, stop)?;
        let analysis = Rc::new(Analysis::new(path.to_owned(), folder.drafts.name(path), drafts));
        self.analyses.retain(|(_, one)| one.path != path);
        if self.analyses.len() >= ANALYSES_MAX {
            self.analyses.pop_front();
        }
        self.analyses.push_back((self.edits, Rc::clone(&analysis)));
        Some(analysis)
    }

    fn known(&self, path: &Path) -> Option<Rc<Analysis>> {
        let (made, analysis) = self.analyses.iter().find(|(_, one)| one.path == path)?;
        let is_older = |path: &Path| self.edited.get(path).is_some_and(|edit| edit > made);
        let mut copied = analysis.drafts.iter().flat_map(|draft| &draft.copied);
        let is_stale = self.outside > *made || is_older(path) || copied.any(|(_, path)| is_older(path));
        (!is_stale).then(|| Rc::clone(analysis))
    }

    fn program_that_copies(&mut self, copybook: &Path, stop: &dyn Fn() -> bool) -> Option<Rc<Analysis>> {
        let open =
            self.analyses.iter().rev().find(|(_, one)| one.copies(copybook)).map(|(_, one)| one.path.clone());
        let known = open.or_else(|| self.programs.get(copybook).cloned());
        if let Some(path) = known {
            let analysis = self.program(&path, stop)?;
            if analysis.copies(copybook) {
                return Some(analysis);
            }
        }
        let folder = self.folder(copybook);
        let member = copybook.file_stem()?.to_string_lossy().to_ascii_uppercase();
        let found = folder.that_copy(&member, &self.documents.unsaved(), 3);
        for path in found.iter().filter(|path| *path != copybook) {
            let analysis = self.program(path, stop)?;
            if analysis.copies(copybook) {
                self.programs.insert(copybook.to_owned(), path.clone());
                return Some(analysis);
            }
        }
        None
    }

    /// Has something answered about a document.
    pub(crate) fn view<T>(&mut self, uri: &str, answer: impl FnOnce(&View<'_>) -> T) -> Option<T> {
        let analysis = self.analysis(uri, &|| false)?;
        let document = self.documents.get(uri)?.clone();
        Some(self.view_of(&document, &analysis, answer))
    }

    /// The same for any text and analysis.
    pub(crate) fn view_of<T>(
        &mut self,
        document: &Document,
        analysis: &Analysis,
        answer: impl FnOnce(&View<'_>) -> T,
    ) -> T {
        let folder = self.folder(&document.path);
        let unsaved = self.documents.unsaved();
        let program = analysis.drafts.first().map_or(&*document.text, |draft| &draft.checked.source.text);
        answer(&View {
            analysis,
            folder: &folder,
            unsaved: &unsaved,
            path: &document.path,
            text: &document.text,
            lines: &document.lines,
            layout: Layout::of(program),
        })
    }

    /// Everything to be told of a document, by file.
    fn messages(&mut self, uri: &str, stop: &dyn Fn() -> bool) -> Option<BTreeMap<String, Vec<Value>>> {
        let document = self.documents.get(uri)?.clone();
        let folder = self.folder(&document.path);
        let list = match document.kind {
            Kind::Map => folder.drafts.mapsets(&document.path, &document.text).messages,
            Kind::Program => all_messages(&*self.program(&document.path, stop)?),
            Kind::Copybook => match self.program_that_copies(&document.path, stop) {
                Some(program) => {
                    let name = folder.drafts.name(&document.path);
                    let is_here = |message: &Diagnostic| {
                        message.place.as_ref().is_some_and(|place| place.source.name == name)
                    };
                    all_messages(&program).into_iter().filter(is_here).collect()
                }
                None if stop() => return None,
                None => folder.drafts.copybook(&document.path, &document.text, &self.documents.unsaved()),
            },
        };
        let list = (self.host.levelled)(list, &folder.config);
        let mut by_file: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        by_file.insert(uri.to_owned(), Vec::new());
        for message in &list {
            let Told { uri, message } = self.told(uri, &folder, message);
            let of_file = by_file.entry(uri).or_default();
            if of_file.len() < DIAGNOSTICS_MAX && !of_file.contains(&message) {
                of_file.push(message);
            }
        }
        Some(by_file)
    }

    /// A message at the file that it is about; at the COPY, where that is no file.
    fn told(&self, uri: &str, folder: &Folder, message: &Diagnostic) -> Told {
        let own = self.documents.get(uri).map(|document| document.path.clone()).unwrap_or_default();
        let file = |name: &str| {
            if folder.drafts.name(&own) == name { Some(own.clone()) } else { folder.drafts.path(name) }
        };
        let through: Vec<(PathBuf, Range)> = message
            .through
            .iter()
            .filter_map(|place| Some((file(&place.source.name)?, json::range_of_place(place))))
            .collect();
        let place = message.place.as_ref();
        let at = place.and_then(|place| Some((file(&place.source.name)?, json::range_of_place(place))));
        let (path, range) = match (at, through.first()) {
            (Some(at), _) => at,
            (None, Some(copy)) => copy.clone(),
            (None, None) => (own.clone(), Range::default()),
        };
        let uri = if path == own { uri.to_owned() } else { self.documents.uri(&path) };
        Told { uri, message: json::diagnostic(message, range, &through) }
    }

    /// Shows the client what a document tells now.
    fn show(&mut self, uri: &str, now: BTreeMap<String, Vec<Value>>) {
        let before = self.shown.remove(uri).unwrap_or_default();
        let mut files: Vec<String> = before.keys().chain(now.keys()).cloned().collect();
        files.sort_unstable();
        files.dedup();
        if !now.is_empty() {
            self.shown.insert(uri.to_owned(), now);
        }
        for file in files {
            let mut all: Vec<Value> = Vec::new();
            for told in self.shown.values().filter_map(|shown| shown.get(&file)).flatten() {
                if all.len() < DIAGNOSTICS_MAX && !all.contains(told) {
                    all.push(told.clone());
                }
            }
            let version = self.documents.get(&file).map_or(Value::Null, |document| document.version.clone());
            let mut parameters = json!({"uri": file, "diagnostics": all});
            if !version.is_null() {
                parameters["version"] = version;
            }
            self.notify("textDocument/publishDiagnostics", parameters);
        }
    }
}

fn all_messages(analysis: &Analysis) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = Vec::new();
    for message in analysis.drafts.iter().flat_map(|draft| &draft.messages) {
        if !all.contains(message) {
            all.push(message.clone());
        }
    }
    all
}
