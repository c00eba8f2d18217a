//! The server: a thread that reads, and one that answers. What a client sends cannot end it but `exit` and the end of the stream.

use std::collections::{HashSet, VecDeque};
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::folder::Host;
use crate::limits::{CANCELLED_MAX, WAITING_MAX};
use crate::requests::{self, Refusal};
use crate::session::Session;
use crate::uri;
use crate::wire::{self, Incoming};

/// `initialize` has not come yet.
const NOT_INITIALIZED: i64 = -32002;
/// Nothing is answered after `shutdown`.
const INVALID: i64 = -32600;
/// The text is no JSON.
const NO_JSON: i64 = -32700;
/// The client has taken the request back.
const TAKEN_BACK: i64 = -32800;
/// A mistake of ours.
const OURS: i64 = -32603;

/// Knowledge that the reading thread has before the other one does.
#[derive(Default)]
struct Ahead {
    /// Changes of texts that have been read.
    changes: AtomicU64,
    /// Requests that were taken back.
    cancelled: Mutex<(HashSet<String>, VecDeque<String>)>,
}

impl Ahead {
    fn note(&self, message: &Value) {
        match message["method"].as_str() {
            Some(method) if is_change(method) => {
                self.changes.fetch_add(1, Ordering::Release);
            }
            Some("$/cancelRequest") => {
                let mut cancelled = self.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
                let id = message["params"]["id"].to_string();
                let (known, order) = &mut *cancelled;
                if known.insert(id.clone()) {
                    order.push_back(id);
                }
                if order.len() > CANCELLED_MAX
                    && let Some(oldest) = order.pop_front()
                {
                    known.remove(&oldest);
                }
            }
            _ => {}
        }
    }

    fn is_taken_back(&self, id: &Value) -> bool {
        let mut cancelled = self.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, order) = &mut *cancelled;
        let id = id.to_string();
        let was = known.remove(&id);
        if was {
            order.retain(|one| *one != id);
        }
        was
    }
}

/// Returns true if a notification changes a text.
fn is_change(method: &str) -> bool {
    matches!(
        method,
        "textDocument/didOpen"
            | "textDocument/didChange"
            | "textDocument/didClose"
            | "textDocument/didSave"
            | "workspace/didChangeWatchedFiles"
    )
}

/// Stages of a session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    Open,
    ShutDown,
}

struct Server<W> {
    session: Session,
    stage: Stage,
    output: W,
    ahead: Arc<Ahead>,
    /// Changes of texts that have been carried out.
    changes: u64,
}

/// Serves a client until it says `exit` or its stream ends; true if it had shut the server down before.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write, host: Host) -> bool {
    let (sender, receiver) = sync_channel(WAITING_MAX);
    let ahead = Arc::new(Ahead::default());
    let reading = Arc::clone(&ahead);
    std::thread::spawn(move || read(input, &sender, &reading));
    let mut server = Server { session: Session::new(host), stage: Stage::New, output, ahead, changes: 0 };
    server.run(&receiver);
    server.stage == Stage::ShutDown
}

fn read(mut input: impl BufRead, sender: &SyncSender<Incoming>, ahead: &Ahead) {
    while let Ok(Some(incoming)) = wire::read(&mut input) {
        if let Incoming::Message(message) = &incoming {
            ahead.note(message);
        }
        if sender.send(incoming).is_err() {
            return;
        }
    }
}

impl<W: Write> Server<W> {
    fn run(&mut self, receiver: &Receiver<Incoming>) {
        loop {
            let next = match self.session.has_work() {
                false => receiver.recv().map_err(|_| TryRecvError::Disconnected),
                true => receiver.try_recv(),
            };
            let goes_on = match next {
                Ok(Incoming::Message(message)) => self.message(&message),
                Ok(Incoming::Garbage(what)) => self.garbage(&what),
                Err(TryRecvError::Empty) => self.work(),
                Err(TryRecvError::Disconnected) => false,
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Sends what there is; false if the editor is gone.
    fn send(&mut self) -> bool {
        let outbox = self.session.take_outbox();
        outbox.iter().all(|message| wire::write(&mut self.output, message).is_ok())
    }

    fn garbage(&mut self, what: &str) -> bool {
        let error = json!({"code": NO_JSON, "message": what});
        self.session.outbox.push(json!({"jsonrpc": "2.0", "id": null, "error": error}));
        self.send()
    }

    /// Finds messages of one document, unless a newer text has been read meanwhile.
    fn work(&mut self) -> bool {
        let (ahead, carried_out) = (Arc::clone(&self.ahead), self.changes);
        let stop = || ahead.changes.load(Ordering::Acquire) > carried_out;
        let session = &mut self.session;
        let done = catch_unwind(AssertUnwindSafe(move || session.work(&stop)));
        if done.is_err() {
            self.session.notice(
                "a text could not be read: a mistake of the compiler's; please report it with the text",
            );
        }
        self.send()
    }

    /// Carries a message out; false if it ends the server.
    fn message(&mut self, message: &Value) -> bool {
        let method = message["method"].as_str();
        let id = message.get("id").filter(|id| id.is_string() || id.is_number());
        match (method, id) {
            (Some("exit"), _) => return false,
            (Some(method), Some(id)) => self.request(method, id, &message["params"]),
            (Some(method), None) => self.notification(method, &message["params"]),
            // A response: nothing was asked that needs one.
            (None, _) => {}
        }
        self.send()
    }

    fn request(&mut self, method: &str, id: &Value, parameters: &Value) {
        let refused = |code, message: &str| Err(Refusal { code, message: message.to_owned() });
        let answer = match (self.stage, method) {
            _ if self.ahead.is_taken_back(id) => refused(TAKEN_BACK, "the request was taken back"),
            (Stage::New, "initialize") => Ok(self.initialize(parameters)),
            (Stage::New, _) => refused(NOT_INITIALIZED, "the first request is initialize"),
            (Stage::ShutDown, _) => refused(INVALID, "the server is shut down"),
            (Stage::Open, "initialize") => refused(INVALID, "the server is initialized already"),
            (Stage::Open, "shutdown") => {
                self.stage = Stage::ShutDown;
                Ok(Value::Null)
            }
            (Stage::Open, method) => self.answer(method, parameters),
        };
        let response = match answer {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(Refusal { code, message }) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
            }
        };
        self.session.outbox.push(response);
    }

    fn answer(&mut self, method: &str, parameters: &Value) -> Result<Value, Refusal> {
        let session = &mut self.session;
        let answered = catch_unwind(AssertUnwindSafe(move || requests::answer(session, method, parameters)));
        let message =
            "the request could not be answered: a mistake of the server's; please report it with the text";
        answered.unwrap_or_else(|_| Err(Refusal { code: OURS, message: message.to_owned() }))
    }

    fn initialize(&mut self, parameters: &Value) -> Value {
        self.stage = Stage::Open;
        let first = parameters["workspaceFolders"][0]["uri"].as_str();
        let root = first.or(parameters["rootUri"].as_str()).and_then(uri::path);
        let root = root.or_else(|| parameters["rootPath"].as_str().map(PathBuf::from));
        if let Some(root) = root {
            self.session.root = root;
        }
        let item = &parameters["capabilities"]["textDocument"]["completion"]["completionItem"];
        self.session.snippets = item["snippetSupport"].as_bool().unwrap_or(false);
        json!({
            "capabilities": requests::capabilities(),
            "serverInfo": {"name": "syncpoint", "version": self.session.host.version},
        })
    }

    fn notification(&mut self, method: &str, parameters: &Value) {
        if is_change(method) {
            self.changes += 1;
        }
        if self.stage != Stage::Open {
            return;
        }
        let document = &parameters["textDocument"];
        let Some(uri) = document["uri"].as_str() else {
            if method == "workspace/didChangeWatchedFiles" {
                self.session.files_changed();
            }
            return;
        };
        match method {
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default();
                let language = document["languageId"].as_str().unwrap_or_default();
                self.session.open(uri, language, text, document["version"].clone());
            }
            "textDocument/didChange" => {
                let changes = parameters["contentChanges"].as_array().map_or(&[][..], Vec::as_slice);
                self.session.change(uri, changes, &document["version"]);
            }
            "textDocument/didClose" => self.session.close(uri),
            "textDocument/didSave" => self.session.files_changed(),
            _ => {}
        }
    }
}
