//! One editor: its requests, their answers, and what it hears.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use cobol_run::bytes_of;
use kernel::debugging::Debuggers;
use kernel::exec::{Watcher, Watchers};
use kernel::region::Region;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::shown::{self, References, Unfolded};
use crate::stops::{Commands, Step, Stopped, Stops};
use crate::wire;

/// The choices under which tasks rest at commands, by the names that the protocol has for them.
const FILTERS: [(&str, &str); 3] = [
    ("before", "in front of each EXEC CICS"),
    ("after", "behind each EXEC CICS"),
    ("conditions", "behind each EXEC CICS whose response is not NORMAL"),
];

/// A request that cannot be carried out, and what to do.
type Refused = String;

struct Session {
    region: Arc<Region>,
    /// The application's folder: where names of sources lead from.
    root: PathBuf,
    stops: Arc<Stops>,
    watcher: Option<Arc<dyn Watcher>>,
    references: References,
    sent: u64,
}

/// Serves an editor until it goes. Every task goes on then.
///
/// # Errors
/// The connection has failed, or what came was no message.
pub(crate) async fn serve(
    region: Arc<Region>,
    root: PathBuf,
    stream: impl AsyncRead + AsyncWrite + Unpin,
) -> io::Result<()> {
    let (stops, mut told) = Stops::new();
    Debuggers::set(&region, Some(Arc::clone(&stops) as _));
    let mut session =
        Session { region, root, stops, watcher: None, references: References::default(), sent: 0 };
    session.talk(stream, &mut told).await
}

/// However it ends, all tasks go on.
impl Drop for Session {
    fn drop(&mut self) {
        Debuggers::set(&self.region, None);
        self.unwatch();
        self.stops.end();
    }
}

impl Session {
    async fn talk(
        &mut self,
        stream: impl AsyncRead + AsyncWrite + Unpin,
        told: &mut UnboundedReceiver<Stopped>,
    ) -> io::Result<()> {
        let (reads, mut writes) = tokio::io::split(stream);
        let (requests, mut coming) = tokio::sync::mpsc::channel(1);
        let reading = async move {
            let mut reads = BufReader::new(reads);
            loop {
                let read = wire::read(&mut reads).await;
                let over = !matches!(read, Ok(Some(_)));
                if requests.send(read).await.is_err() || over {
                    return;
                }
            }
        };
        let answering = async {
            loop {
                let (messages, over) = tokio::select! {
                    Some(stopped) = told.recv() => (vec![self.stopped(&stopped)], false),
                    request = coming.recv() => match request {
                        Some(Ok(Some(request))) => self.request(&request),
                        Some(Err(error)) => return Err(error),
                        Some(Ok(None)) | None => return Ok(()),
                    },
                };
                for message in messages {
                    let numbered = self.numbered(message);
                    wire::write(&mut writes, &numbered).await?;
                }
                if over {
                    return Ok(());
                }
            }
        };
        tokio::select! {
            ended = answering => ended,
            () = async { reading.await; std::future::pending().await } => Ok(()),
        }
    }

    fn numbered(&mut self, mut message: Value) -> Value {
        self.sent += 1;
        message["seq"] = json!(self.sent);
        message
    }

    fn stopped(&mut self, stopped: &Stopped) -> Value {
        let Stopped { task, reason, text } = stopped;
        let body = json!({
            "reason": reason.word(), "threadId": task, "text": text, "description": text, "allThreadsStopped": false,
        });
        json!({"type": "event", "event": "stopped", "body": body})
    }

    /// Returns the answer to a request, with the events after it; and true if the session is over.
    fn request(&mut self, request: &Value) -> (Vec<Value>, bool) {
        let command = request["command"].as_str().unwrap_or_default();
        let arguments = &request["arguments"];
        let answer = self.answer(command, arguments);
        let mut response = json!({"type": "response", "request_seq": request["seq"], "command": command, "success": answer.is_ok()});
        match answer {
            Ok(body) => response["body"] = body,
            Err(why) => response["message"] = json!(why),
        }
        let mut messages = vec![response];
        if command == "initialize" {
            messages.push(json!({"type": "event", "event": "initialized"}));
        }
        (messages, command == "disconnect")
    }

    fn answer(&mut self, command: &str, arguments: &Value) -> Result<Value, Refused> {
        match command {
            "initialize" => Ok(capabilities()),
            "launch" | "attach" | "configurationDone" | "disconnect" => Ok(Value::Null),
            "setBreakpoints" => self.set_breakpoints(arguments),
            "setExceptionBreakpoints" => Ok(self.set_commands(arguments)),
            "threads" => Ok(self.threads()),
            "stackTrace" => self.stack(arguments),
            "scopes" => self.scopes(arguments),
            "variables" => self.variables(arguments),
            "evaluate" => self.evaluate(arguments),
            "setVariable" => self.set_variable(arguments),
            "pause" => {
                self.stops.pause();
                Ok(Value::Null)
            }
            "continue" => self.go_on(arguments, |_| Step::Go),
            "stepIn" => self.go_on(arguments, |_| Step::Into),
            "next" => self.go_on(arguments, Step::NotBelow),
            "stepOut" => self.go_on(arguments, |depth| Step::NotBelow(depth.saturating_sub(1))),
            other => Err(format!("{other} is not built")),
        }
    }

    fn set_breakpoints(&mut self, arguments: &Value) -> Result<Value, Refused> {
        let path = arguments["source"]["path"].as_str().ok_or("a breakpoint needs the path of its source")?;
        let asked = arguments["breakpoints"].as_array().map_or(&[][..], Vec::as_slice);
        let lines: Vec<u32> =
            asked.iter().filter_map(|one| u32::try_from(one["line"].as_u64()?).ok()).collect();
        self.stops.set_breakpoints(path, lines.iter().copied().collect::<BTreeSet<_>>());
        let shown: Vec<Value> = lines.iter().map(|line| json!({"verified": true, "line": line})).collect();
        Ok(json!({"breakpoints": shown}))
    }

    fn set_commands(&mut self, arguments: &Value) -> Value {
        let asked = arguments["filters"].as_array().map_or(&[][..], Vec::as_slice);
        let has = |name: &str| asked.iter().any(|filter| filter == name);
        let commands = Commands { before: has("before"), after: has("after"), conditions: has("conditions") };
        self.stops.set_commands(commands);
        let wanted = commands != Commands::default();
        if wanted && self.watcher.is_none() {
            let watcher: Arc<dyn Watcher> = Arc::clone(&self.stops) as _;
            Watchers::add(&self.region, Arc::clone(&watcher));
            self.watcher = Some(watcher);
        }
        if !wanted {
            self.unwatch();
        }
        Value::Null
    }

    fn unwatch(&mut self) {
        if let Some(watcher) = self.watcher.take() {
            Watchers::remove(&self.region, &watcher);
        }
    }

    fn threads(&self) -> Value {
        let tasks = self.stops.tasks().into_iter();
        let threads: Vec<Value> = tasks.map(|(number, name)| json!({"id": number, "name": name})).collect();
        json!({"threads": threads})
    }

    fn stack(&mut self, arguments: &Value) -> Result<Value, Refused> {
        let (root, references) = (&self.root, &mut self.references);
        let frames = self.stops.with(task(arguments)?, |one| shown::frames(&one.scene, root, references));
        let frames = frames.ok_or_else(runs)?;
        Ok(json!({"totalFrames": frames.len(), "stackFrames": frames}))
    }

    fn scopes(&mut self, arguments: &Value) -> Result<Value, Refused> {
        let (task, place) = self.frame(&arguments["frameId"])?;
        let references = &mut self.references;
        let scopes = self.stops.with(task, |one| shown::scopes(&one.scene, place, references));
        Ok(json!({"scopes": scopes.ok_or_else(runs)?}))
    }

    fn frame(&self, number: &Value) -> Result<(u32, usize), Refused> {
        match self.unfolded(number) {
            Some(Unfolded::Frame(task, place)) => Ok((*task, *place)),
            _ => Err(runs()),
        }
    }

    fn unfolded(&self, number: &Value) -> Option<&Unfolded> {
        self.references.get(usize::try_from(number.as_u64()?).ok()?)
    }

    fn variables(&mut self, arguments: &Value) -> Result<Value, Refused> {
        let what = self.unfolded(&arguments["variablesReference"]).cloned().ok_or_else(runs)?;
        let references = &mut self.references;
        let shown = match &what {
            Unfolded::Section(task, place, section) => {
                self.stops.with(*task, |one| shown::records(&one.scene, *place, *section, references))
            }
            Unfolded::Item(task, place, spot) => {
                self.stops.with(*task, |one| shown::parts(&one.scene, *place, spot, references))
            }
            Unfolded::Frame(..) => None,
        };
        Ok(json!({"variables": shown.ok_or_else(runs)?}))
    }

    /// Finds an item by its name: the one that a user points at, or watches.
    fn evaluate(&mut self, arguments: &Value) -> Result<Value, Refused> {
        let (task, place) = self.frame(&arguments["frameId"])?;
        let name = arguments["expression"].as_str().unwrap_or_default();
        let references = &mut self.references;
        let found = self.stops.with(task, |one| {
            let view = one.scene.view(place)?;
            let spot = view.find(name)?;
            Some(shown::value(&one.scene, place, &view, &spot, references))
        });
        found
            .ok_or_else(runs)?
            .ok_or_else(|| format!("no item {name}, or several of the name: NAME OF GROUP, NAME(1)"))
    }

    fn set_variable(&mut self, arguments: &Value) -> Result<Value, Refused> {
        let what = self.unfolded(&arguments["variablesReference"]).cloned().ok_or_else(runs)?;
        let (Unfolded::Section(task, place, _) | Unfolded::Item(task, place, _)) = what else {
            return Err(runs());
        };
        let name = arguments["name"].as_str().unwrap_or_default();
        let text = arguments["value"].as_str().unwrap_or_default();
        let references = &mut self.references;
        let changed = self.stops.with(task, |one| {
            let view = one.scene.view(place).ok_or_else(runs)?;
            let parts = match &what {
                Unfolded::Item(_, _, spot) => view.parts(spot),
                _ => view.records(|_| true),
            };
            let spot = parts.into_iter().find(|part| view.name(part) == name).ok_or_else(runs)?;
            let (at, length) = view.place(&spot).map_err(|_| format!("{name} is not addressed"))?;
            let bytes = bytes_of(text, &view.item(&spot).kind, length);
            let bytes = bytes.ok_or_else(|| format!("{text} does not fit {name}"))?;
            one.scene.change(at, &bytes);
            one.changes.push((at, bytes));
            let view = one.scene.view(place).ok_or_else(runs)?;
            let mut shown = shown::value(&one.scene, place, &view, &spot, references);
            shown["value"] = shown["result"].take();
            Ok::<_, Refused>(shown)
        });
        changed.ok_or_else(runs)?
    }

    fn go_on(&mut self, arguments: &Value, step: impl FnOnce(usize) -> Step) -> Result<Value, Refused> {
        let task = task(arguments)?;
        if !self.stops.go_on(task, |scene| step(scene.depth)) {
            return Err(runs());
        }
        if self.stops.tasks().is_empty() {
            self.references.clear();
        }
        Ok(json!({"allThreadsContinued": false}))
    }
}

fn task(arguments: &Value) -> Result<u32, Refused> {
    let number = arguments["threadId"].as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| String::from("the request names no task"))
}

fn runs() -> Refused {
    String::from("the task does not rest any more")
}

fn capabilities() -> Value {
    let filters: Vec<Value> = FILTERS
        .iter()
        .map(|(filter, label)| json!({"filter": filter, "label": label, "default": false}))
        .collect();
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsEvaluateForHovers": true,
        "supportsSetVariable": true,
        "exceptionBreakpointFilters": filters,
    })
}
