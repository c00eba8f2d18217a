//! The private socket of a running region.
//!
//! A session has a thread of its own: its requests may wait for records, or move whole data sets, and no task of the
//! region is to notice.

use std::fs;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use datasets::DataSets;
use parking_lot::Mutex;
use ports::{Clients, Limits, LocalPath, Presence, Served};
use tokio::sync::watch;

use crate::external::External;
use crate::operator::Operator;
use crate::protocol::{Failure, Operation, Reply, Request, SqlAsked};
use crate::session::Session;
use crate::wire;

/// The socket's name in the state folder.
const SOCKET: &str = "access";
/// Sessions at the same time.
const SESSIONS_MAX: usize = 64;
/// Pipes of the external interface among them: operators and tools find a place beside them.
const PIPES_MAX: usize = 48;
/// The longest time without a word during a long command.
const SILENCE_MAX: Duration = Duration::from_secs(1);
/// The wait for the answer to an operator's request when the region ends: the request may be what ends it.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The wait for sessions to end when the region does.
const END_WAIT: Duration = Duration::from_secs(5);

/// The longest wait for a program that runs: it ends with its task.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Becomes true when the region ends.
type Ended = watch::Receiver<bool>;
/// A handle to each session, by which it is ended.
type Sessions = Arc<Mutex<Vec<Handle>>>;

/// A session as the region sees it.
struct Handle {
    number: u64,
    stream: UnixStream,
    /// A program runs for it: that is a task, which may end when the region does.
    links: Arc<AtomicBool>,
    /// It is a pipe of the external interface.
    is_pipe: bool,
}

impl Handle {
    fn links(&self) -> bool {
        self.links.load(Ordering::Relaxed)
    }
}

/// The path to the socket of a folder.
pub(crate) fn socket_path(folder: &Path) -> io::Result<LocalPath> {
    LocalPath::new(folder, SOCKET)
}

/// A region's socket; closed, with all its sessions, by [`Server::close`].
pub struct Server {
    served: Served,
    clients: Arc<Clients>,
    ending: watch::Sender<bool>,
    sessions: Sessions,
    path: PathBuf,
}

/// Opens the socket in a state folder. `operator` does what only a region can do. It must be called within a
/// `LocalSet`, on which it listens.
///
/// # Errors
/// If the socket cannot be made.
pub fn serve(state: &Path, site: Arc<DataSets>, operator: Option<Arc<dyn Operator>>) -> io::Result<Server> {
    let path = state.join(SOCKET);
    let listener = socket_path(state)?.listen()?.ok_or(io::ErrorKind::AddrInUse)?;
    let (ending, ended) = watch::channel(false);
    let clients = Clients::new(Limits::new(SESSIONS_MAX, SESSIONS_MAX));
    let sessions = Sessions::default();
    let mut next_session = {
        let (clients, sessions, mut number) = (Arc::clone(&clients), Arc::clone(&sessions), 0);
        move |stream: tokio::net::UnixStream| -> io::Result<(UnixStream, Counted)> {
            number += 1;
            let mut stream = stream.into_std()?;
            stream.set_nonblocking(false)?;
            let place = match clients.enter() {
                Ok(place) => place,
                Err(full) => {
                    // A tool that is refused reads the reason; the few bytes of it never block.
                    wire::send(
                        &mut stream,
                        &Reply::Failed(Failure::Full(format!("the region is busy: {full}"))),
                    )?;
                    return Err(io::Error::other(full));
                }
            };
            let counted = Counted::new(&sessions, number, &stream, place)?;
            Ok((stream, counted))
        }
    };
    let works_on = WorksOn { site, operator };
    let mut served = Served::default();
    served.serve(listener, move |stream, ()| {
        match next_session(stream) {
            Ok((stream, guard)) => start(stream, works_on.clone(), ended.clone(), guard),
            Err(error) => tracing::warn!(target: "FC", "a session from outside cannot begin: {error}"),
        }
        // It goes on in its thread.
        std::future::ready(())
    });
    Ok(Server { served, clients, ending, sessions, path })
}

/// The objects on which sessions work.
#[derive(Clone)]
struct WorksOn {
    site: Arc<DataSets>,
    operator: Option<Arc<dyn Operator>>,
}

impl Server {
    /// Ends all sessions: what they have not committed is backed out. Those whose programs run go on to [`Server::stop`].
    pub async fn close(&mut self) {
        // It lets go of the data sets.
        self.served.stop(Duration::ZERO).await;
        let _ = fs::remove_file(&self.path);
        self.ending.send_replace(true);
        // Nothing more is taken; what is being answered may still be said.
        for (how, wait) in [(Shutdown::Read, LAST_WORDS), (Shutdown::Both, END_WAIT)] {
            for session in
                self.sessions.lock().iter().filter(|session| how == Shutdown::Read || !session.links())
            {
                let _ = session.stream.shutdown(how);
            }
            if tokio::time::timeout(wait, self.clients.gone()).await.is_ok()
                || self.sessions.lock().iter().all(Handle::links)
            {
                return;
            }
        }
        tracing::warn!(target: "FC", "a session from outside does not end");
    }

    /// Ends the sessions whose programs have run: no task does any more, and what these have come to may still be said.
    pub async fn stop(&mut self) {
        if tokio::time::timeout(LAST_WORDS, self.clients.gone()).await.is_err() {
            for session in self.sessions.lock().iter() {
                let _ = session.stream.shutdown(Shutdown::Both);
            }
        }
    }
}

/// A session in the list of those that there are, as long as it is there.
struct Counted {
    sessions: Sessions,
    number: u64,
    links: Arc<AtomicBool>,
    _place: Presence,
}

impl Counted {
    fn new(sessions: &Sessions, number: u64, stream: &UnixStream, place: Presence) -> io::Result<Self> {
        let links = Arc::new(AtomicBool::new(false));
        let handle =
            Handle { number, stream: stream.try_clone()?, links: Arc::clone(&links), is_pipe: false };
        sessions.lock().push(handle);
        Ok(Self { sessions: Arc::clone(sessions), number, links, _place: place })
    }

    /// Makes the session a pipe. Returns true if there is room for one more.
    fn becomes_pipe(&self) -> bool {
        let mut sessions = self.sessions.lock();
        if sessions.iter().filter(|session| session.is_pipe).count() >= PIPES_MAX {
            return false;
        }
        sessions.iter_mut().filter(|s| s.number == self.number).for_each(|own| own.is_pipe = true);
        true
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.sessions.lock().retain(|session| session.number != self.number);
    }
}

/// Runs a session on a thread of its own.
fn start(stream: UnixStream, works_on: WorksOn, ended: Ended, guard: Counted) {
    let run = move || answer_all(stream, works_on, ended, &guard);
    let spawned = std::thread::Builder::new().name("access".into()).spawn(move || match run() {
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            tracing::info!(target: "FC", "a session from outside ended: {error}");
        }
        _ => {}
    });
    if let Err(error) = spawned {
        tracing::warn!(target: "FC", "a session from outside has no thread: {error}");
    }
}

/// Answers one request after the other, until the other side or the region ends.
fn answer_all(mut stream: UnixStream, works_on: WorksOn, mut ended: Ended, own: &Counted) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let mut session = Session::new(works_on.site, works_on.operator);
    loop {
        let request: Request = wire::receive(&mut stream)?;
        tell(&request);
        if matches!(request, Request::Region(Operation::External(External::Open { .. })))
            && !own.becomes_pipe()
        {
            let full = Failure::Full(format!("the region has {PIPES_MAX} pipes already"));
            wire::send(&mut stream, &Reply::Failed(full))?;
            continue;
        }
        let patience = match &request {
            Request::Region(Operation::External(External::Link(_))) => {
                own.links.store(true, Ordering::Relaxed);
                LONGEST
            }
            Request::Region(_) => LAST_WORDS,
            _ => Duration::ZERO,
        };
        let mut teller = Teller::new(&stream)?;
        let mut tell = |what: &str, count: u64| teller.tell(what, count);
        let answered = runtime.block_on(async {
            tokio::select! {
                biased;
                reply = session.answer(request, &mut tell) => Some(reply),
                () = over(&mut ended, patience) => None,
            }
        });
        let Some(reply) = answered else { return Ok(()) };
        if let Err(error) = wire::send(&mut stream, &reply) {
            let failure = Failure::Full(error.to_string());
            wire::send(&mut stream, &Reply::Failed(failure))?;
        }
        own.links.store(false, Ordering::Relaxed);
    }
}

/// Logs a request: the program that works on the region's data, or the operator's wish. Requests for the status are
/// left out, and INQUIRE is for those who look for a fault: a monitor and `syncpoint top` send them all the time.
fn tell(request: &Request) {
    match request {
        Request::Hello { name, .. } => tracing::debug!(target: "FC", "{name} begins a session from outside"),
        Request::Open { name } => tracing::info!(target: "FC", "a session from outside opens {name}"),
        Request::Utility { name, .. } => tracing::info!(target: "FC", "IDCAMS from outside: {name}"),
        Request::Region(Operation::Cemt { command }) if command.trim_start().starts_with(['I', 'i']) => {
            tracing::debug!(target: "SI", "CEMT from outside: {}", command.escape_debug());
        }
        Request::Region(Operation::Cemt { command }) => {
            tracing::info!(target: "SI", "CEMT from outside: {}", command.escape_debug());
        }
        Request::Region(Operation::Start { transaction, .. }) => {
            tracing::info!(target: "SI", "transaction {} is started from outside", transaction.escape_debug());
        }
        Request::Sql { asked: SqlAsked::Text(text), .. }
            if !text.trim_start().to_uppercase().starts_with("SELECT") =>
        {
            let words: Vec<&str> = text.split_whitespace().take(SQL_WORDS).collect();
            tracing::info!(target: "DB", "SQL from outside: {}", words.join(" ").escape_debug());
        }
        _ => {}
    }
}

/// Words of a statement from outside that the log has: its verb and its object, no values.
const SQL_WORDS: usize = 3;

/// Waits until the region ends, and so much longer.
async fn over(ended: &mut Ended, patience: Duration) {
    // A region that is gone without a word has ended, too.
    let _ = ended.wait_for(|ended| *ended).await;
    tokio::time::sleep(patience).await;
}

/// Tells the other side how far a command is, where that lasts.
struct Teller {
    stream: UnixStream,
    told: Instant,
}

impl Teller {
    fn new(stream: &UnixStream) -> io::Result<Self> {
        Ok(Self { stream: stream.try_clone()?, told: Instant::now() })
    }

    fn tell(&mut self, what: &str, count: u64) {
        if self.told.elapsed() >= SILENCE_MAX {
            self.told = Instant::now();
            // Whether the other side is still there shows with the answer.
            let _ = wire::send(&mut self.stream, &Reply::Progress { what: what.to_owned(), count });
        }
    }
}
