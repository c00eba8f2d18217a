//! The private socket of a topology that runs: its state, and the replacement of a region.
//!
//! A question is a line, `status` or `replace NAME`; the answer is lines to the end of the connection. Of `status` each is a process,
//! its parts separated by tabs; of `replace` the last one begins with `done` or `failed`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use access::{Client, Operation, Reply, Request};
use diagnostics::Diagnostic;
use link::carrier::is_same_user;
use ports::LocalPath;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::{sleep, timeout};

use super::crew::{Crew, LOOK_EVERY};
use super::member::{Member, MemberState};
use crate::application::Messages;
use crate::codes;

/// The socket in the folder of states.
const SOCKET: &str = "up";
const OWNER: u32 = 0o700;
/// Bytes of a question, and the time for it.
const QUESTION_MAX: u64 = 64;
const QUESTION_TIME: Duration = Duration::from_secs(5);
/// The time for a region to say how it is.
const STATUS_PATIENCE: Duration = Duration::from_secs(2);

fn failed(folder: &Path, why: &dyn std::fmt::Display) -> Messages {
    vec![Diagnostic::error(
        codes::NO_SOCKET,
        format!("the socket in {} cannot be had: {why}", folder.display()),
    )]
}

/// The socket, open until it is dropped.
pub(crate) struct Control {
    answers: JoinHandle<()>,
    path: PathBuf,
}

impl Control {
    /// Opens it.
    ///
    /// # Errors
    /// The topology runs already; the folder cannot be used.
    pub fn open(folder: &Path, crew: &Rc<Crew>) -> Result<Self, Messages> {
        let made = fs::DirBuilder::new().recursive(true).mode(OWNER).create(folder);
        made.map_err(|error| failed(folder, &error))?;
        let opened = LocalPath::new(folder, SOCKET).and_then(|path| path.listen());
        let Some(listener) = opened.map_err(|error| failed(folder, &error))? else {
            let text = format!("a topology runs already on {}", folder.display());
            let help = "syncpoint up DIR --status says how it is";
            return Err(vec![Diagnostic::error(codes::NO_TOPOLOGY, text).help(help)]);
        };
        let crew = Rc::clone(crew);
        let answers = spawn_local(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) if is_same_user(&stream).unwrap_or(false) => {
                        drop(spawn_local(answer(stream, Rc::clone(&crew))));
                    }
                    Ok(_) => {}
                    Err(_) => sleep(LOOK_EVERY).await,
                }
            }
        });
        Ok(Self { answers, path: folder.join(SOCKET) })
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.answers.abort();
        // A socket that stays behind does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

/// Answers a question.
async fn answer(stream: tokio::net::UnixStream, crew: Rc<Crew>) {
    let (reads, mut writes) = stream.into_split();
    let mut line = String::new();
    let mut reads = tokio::io::BufReader::new(reads.take(QUESTION_MAX));
    if !matches!(timeout(QUESTION_TIME, reads.read_line(&mut line)).await, Ok(Ok(1..))) {
        return;
    }
    // A client that has left needs no answer.
    let _ = match line.trim_end().split_once(' ') {
        None if line.trim_end() == "status" => writes.write_all(described(&crew).as_bytes()).await,
        Some(("replace", name)) => replaced(&crew, &name.to_ascii_uppercase(), &mut writes).await,
        _ => writes.write_all(b"failed: this is no question\n").await,
    };
}

fn described(crew: &Crew) -> String {
    let described = |member: &Member| {
        let process = member.process().map_or_else(|| String::from("-"), |process| process.to_string());
        let folder = member.folder.as_ref().map(|folder| folder.display().to_string()).unwrap_or_default();
        let (state, seconds) = (member.state.word(), member.since.elapsed().as_secs());
        let Member { name, part, restarts, .. } = member;
        format!("{name}\t{part}\t{state}\t{process}\t{seconds}\t{restarts}\t{folder}\n")
    };
    crew.members.borrow().iter().map(described).collect()
}

/// Replaces a process, or the clones of a name one after another: each is ready before the next one ends.
async fn replaced(
    crew: &Crew,
    name: &str,
    out: &mut tokio::net::unix::OwnedWriteHalf,
) -> std::io::Result<()> {
    let is =
        |member: &Member| member.name.eq_ignore_ascii_case(name) || member.group.eq_ignore_ascii_case(name);
    let places: Vec<usize> = {
        let members = crew.members.borrow();
        members.iter().enumerate().filter(|(_, member)| is(member)).map(|(place, _)| place).collect()
    };
    if places.is_empty() {
        return out.write_all(format!("failed: the topology has no {name}\n").as_bytes()).await;
    }
    for place in places {
        let state = |place: usize| crew.members.borrow()[place].state;
        let name = crew.members.borrow()[place].name.clone();
        if crew.ends.get()
            || matches!(state(place), MemberState::Waits | MemberState::Starts | MemberState::Ends { .. })
        {
            let text = format!("failed: {name} {} now\n", state(place).word());
            return out.write_all(text.as_bytes()).await;
        }
        out.write_all(format!("{name} is replaced\n").as_bytes()).await?;
        crew.members.borrow_mut()[place].replace();
        while !matches!(state(place), MemberState::Ready) {
            if crew.ends.get() || state(place).is_over() {
                return out.write_all(format!("failed: {name} {}\n", state(place).word()).as_bytes()).await;
            }
            sleep(LOOK_EVERY).await;
        }
        out.write_all(format!("{name} is ready\n").as_bytes()).await?;
    }
    out.write_all(b"done\n").await
}

/// Asks the topology that runs; the lines of its answer go to `each`.
fn ask(folder: &Path, question: &str, mut each: impl FnMut(&str)) -> Result<(), Messages> {
    let connected = LocalPath::new(folder, SOCKET).and_then(UnixStream::connect);
    let Ok(mut stream) = connected else {
        let text = format!("no topology runs on {}", folder.display());
        return Err(vec![Diagnostic::error(codes::NO_TOPOLOGY, text).help("syncpoint up DIR starts it")]);
    };
    stream.write_all(question.as_bytes()).map_err(|error| failed(folder, &error))?;
    let lines = BufReader::new(stream).lines();
    for line in lines {
        each(&line.map_err(|error| failed(folder, &error))?);
    }
    Ok(())
}

/// Prints how the topology is, with what its regions say of themselves. It fails if one of them is not ready.
pub(crate) fn status(folder: &Path) -> Result<(), Messages> {
    let mut unwell = Vec::new();
    println!(
        "{:<8} {:<12} {:<12} {:>8} {:>9} {:>8} {:>6} {:>7} {:>9}",
        "NAME", "PART", "STATE", "PROCESS", "SECONDS", "RESTARTS", "HEALTH", "TASKS", "ATTACHED"
    );
    ask(folder, "status\n", |line| {
        let parts: Vec<&str> = line.split('\t').collect();
        let [name, part, state, process, seconds, restarts, place] = parts[..] else { return };
        let gauges = if state == "ready" { gauges(place) } else { Default::default() };
        let [health, tasks, attached] = gauges.map(|value| value.unwrap_or_else(|| String::from("-")));
        println!(
            "{name:<8} {part:<12} {state:<12} {process:>8} {seconds:>9} {restarts:>8} {health:>6} {tasks:>7} {attached:>9}"
        );
        if state != "ready" {
            unwell.push(format!("{name} {state}"));
        }
    })?;
    if unwell.is_empty() {
        return Ok(());
    }
    Err(vec![Diagnostic::error(codes::NOT_WELL, format!("not ready: {}", unwell.join(", ")))])
}

/// Returns health, tasks and attached tasks of the region that runs on a state.
fn gauges(state: &str) -> [Option<String>; 3] {
    let client = (!state.is_empty())
        .then(|| Client::of_region(Path::new(state), "syncpoint up", Some(STATUS_PATIENCE)).ok().flatten());
    let asked = client.flatten().map(|mut client| client.ask(Request::Region(Operation::Status)));
    let Some(Ok(Reply::Status(status))) = asked else { return Default::default() };
    ["health", "tasks", "tasks_attached"].map(|name| {
        let gauge = status.gauges.iter().find(|gauge| gauge.name == name);
        gauge.map(|gauge| gauge.value.to_string())
    })
}

/// Replaces a region of the topology that runs, and waits until it is ready.
pub(crate) fn replace(folder: &Path, name: &str) -> Result<(), Messages> {
    let mut last = String::from("failed: the topology has ended");
    ask(folder, &format!("replace {name}\n"), |line| {
        if !line.starts_with("failed") {
            println!("{line}");
        }
        line.clone_into(&mut last);
    })?;
    match last.strip_prefix("failed: ") {
        None if last == "done" => Ok(()),
        why => {
            let text = format!("{name} was not replaced: {}", why.unwrap_or("the topology has ended"));
            Err(vec![Diagnostic::error(codes::NOT_WELL, text)])
        }
    }
}
