//! The thread that speaks with the database: a session for each lane, the lease renewed, its loss noticed.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::time::Duration;

use sql::{Answer, CannotConnect, Failure, Session, Settings};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Mutex, oneshot, watch};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::lane::{Ask, Job, Kind, Queues, Row};
use crate::lease::{self, Found, Held};
use crate::limits::{PART, PATIENCE, READ, READERS, RENEWED_AFTER, RETRY};
use crate::{CannotOpen, Options, schema};

/// The receiver of the word that the lease is here.
type Ready = oneshot::Sender<Result<(), CannotOpen>>;

/// The state that all sessions share.
struct Shared {
    options: Options,
    settings: Settings,
    term: Cell<u64>,
    /// The lease ends then, if it is not renewed.
    ends: Cell<Instant>,
    /// The moment in which it was renewed last.
    renewed: Cell<Instant>,
    over: watch::Sender<Option<String>>,
    /// The database is not there, as far as the log knows.
    is_missing: Cell<bool>,
}

/// The outcome of an attempt.
enum Tried {
    Answer(io::Result<Vec<Row>>),
    /// The session is lost, or the server has it begin again.
    Again,
}

/// Starts the thread. It ends when the lanes are gone.
pub(crate) fn start(
    options: Options,
    queues: Queues,
    over: watch::Sender<Option<String>>,
    ready: Ready,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let work = move || LocalSet::new().block_on(&runtime, run(options, queues, over, ready));
    std::thread::Builder::new().name("records-db".to_owned()).spawn(work).map(drop)
}

async fn run(options: Options, queues: Queues, over: watch::Sender<Option<String>>, ready: Ready) {
    let settings = Settings {
        search_path: schema::quoted(&options.schema),
        // As the server shows its sessions.
        application: format!("syncpoint records {}", options.schema),
        ..Settings::default()
    };
    let held = match open(&options, &settings, &ready).await {
        Ok(Some(held)) => held,
        Ok(None) => return,
        Err(error) => return drop(ready.send(Err(error))),
    };
    let shared = Rc::new(Shared {
        options,
        settings,
        term: Cell::new(held.term),
        ends: Cell::new(held.ends),
        renewed: Cell::new(Instant::now()),
        over,
        is_missing: Cell::new(false),
    });
    if ready.send(Ok(())).is_err() {
        return;
    }
    spawn_local(watch_end(Rc::clone(&shared)));
    spawn_local(renew(Rc::clone(&shared)));
    let reads = Rc::new(Mutex::new(queues.reads));
    let all: Vec<_> = (0..READERS)
        .map(|_| Rc::clone(&reads))
        .chain([queues.log, queues.fills, queues.base].map(|queue| Rc::new(Mutex::new(queue))))
        .map(|queue| spawn_local(serve(Rc::clone(&shared), queue)))
        .collect();
    for lane in all {
        let _ = lane.await;
    }
}

/// Connects, makes the tables, and takes the lease; does nothing if no caller waits for it any more.
async fn open(options: &Options, settings: &Settings, ready: &Ready) -> Result<Option<Held>, CannotOpen> {
    let (begun, mut is_said) = (Instant::now(), false);
    let mut session = loop {
        match connect(options, settings).await {
            Ok(session) => break session,
            Err(error) if !is_passing(&error) || begun.elapsed() > PATIENCE => return Err(error.into()),
            Err(error) if !is_said => {
                tracing::warn!(target: "RM", "the database of the records is not there yet: {error}");
                is_said = true;
            }
            Err(_) => {}
        }
        if ready.is_closed() {
            return Ok(None);
        }
        sleep(RETRY).await;
    };
    schema::make(&mut session, &options.schema, (schema::FORMAT, schema::TABLES)).await?;
    let held = lease::take(&mut session, &options.holder, options.lease, || ready.is_closed()).await?;
    session.close().await;
    Ok(held)
}

/// Returns true if a connection may come about a little later.
pub(crate) fn is_passing(error: &CannotConnect) -> bool {
    match error {
        CannotConnect::Unreachable { .. } | CannotConnect::TooSlow { .. } => true,
        CannotConnect::Refused { fault, .. } => is_passing_state(&fault.state),
        _ => false,
    }
}

/// The server is starting, ending, out of places, a copy that does not take changes yet; or two transactions were in each other's way.
fn is_passing_state(state: &[u8; 5]) -> bool {
    matches!(state, b"53300" | b"25006") || matches!(&state[..2], b"57" | b"40" | b"08")
}

/// A session whose commits wait for the disk of the database, whatever its configuration says.
pub(crate) async fn connect(options: &Options, settings: &Settings) -> Result<Session, CannotConnect> {
    let mut session = Session::connect(&options.address, settings).await?;
    match force(&mut session).await {
        Ok(()) => Ok(session),
        Err(Failure::Refused(fault)) => {
            Err(CannotConnect::Refused { address: options.address.to_string(), fault })
        }
        Err(failure) => Err(CannotConnect::Unreachable {
            address: options.address.to_string(),
            error: io::Error::other(failure.to_string()),
        }),
    }
}

async fn force(session: &mut Session) -> Result<(), Failure> {
    let answer = session.script("SHOW synchronous_commit").await?;
    if answer.rows.row(0).next() == Some(Some(b"off")) {
        session.script("SET synchronous_commit = on").await?;
    }
    Ok(())
}

impl Shared {
    /// The reason that nothing is done any more, if there is one.
    fn over(&self) -> Option<String> {
        self.over.borrow().clone()
    }

    fn end(&self, why: String) {
        self.over.send_if_modified(|over| {
            let is_first = over.is_none();
            if is_first {
                *over = Some(why);
            }
            is_first
        });
    }

    fn is_renewed(&self, sent: Instant) {
        self.renewed.set(sent);
        let ends = lease::ends(sent, self.options.lease);
        self.ends.set(self.ends.get().max(ends));
    }

    fn is_found(&self, found: Found) {
        match found {
            Found::Ours(term) => self.term.set(term),
            Found::Others(place) if place.is_empty() => {
                self.end("the lease of the records was given back, or the database was restored".to_owned());
            }
            Found::Others(place) => {
                self.end(format!("the lease of the records was lost: they are served by {place}"))
            }
        }
    }

    /// The text for a session, in this term.
    fn text(&self, ask: &Ask, term: u64) -> String {
        let (text, fence) = (&ask.text, || lease::fence(term, self.options.lease, &ask.sets));
        match ask.kind {
            Kind::Read => format!("{text}; {}", lease::look(term)),
            Kind::Change if text.is_empty() => fence(),
            Kind::Change => format!("{text}; {}", fence()),
            Kind::Part => text.clone(),
            Kind::Commit => format!("{}; COMMIT", fence()),
            Kind::Last => format!("{}; {}", fence(), lease::give_back(&self.options.holder)),
        }
    }
}

/// The rows of an answer but for the one of the fence, which is the last.
fn rows(answer: &Answer, kind: Kind) -> Vec<Row> {
    let count = if kind == Kind::Part { answer.rows.len() } else { answer.rows.len().saturating_sub(1) };
    let row = |row| answer.rows.row(row).map(|value| value.map(<[u8]>::to_vec)).collect();
    (0..count).map(row).collect()
}

/// Carries out what comes in a queue, over a session of its own.
async fn serve(shared: Rc<Shared>, queue: Rc<Mutex<UnboundedReceiver<Job>>>) {
    let lane = Lane::new(shared, READ);
    loop {
        let next = queue.lock().await.recv().await;
        let Some(Job { ask, answer }) = next else { break };
        let answered = lane.answer(&ask).await;
        // One who does not wait any more has ended with its process.
        let _ = answer.send(answered);
    }
    if let Some(session) = lane.session.take() {
        session.close().await;
    }
}

/// One of the queues, with its session.
struct Lane {
    shared: Rc<Shared>,
    session: RefCell<Option<Session>>,
    /// The term of changes whose end is not known, since the session was lost.
    doubtful: Cell<Option<u64>>,
    /// The time for an answer, after which the connection is taken for lost.
    patience: Duration,
}

impl Lane {
    fn new(shared: Rc<Shared>, patience: Duration) -> Self {
        Self { shared, session: RefCell::default(), doubtful: Cell::default(), patience }
    }

    async fn answer(&self, ask: &Ask) -> io::Result<Vec<Row>> {
        let mut over = self.shared.over.subscribe();
        loop {
            if let Some(why) = self.shared.over() {
                return Err(io::Error::other(why));
            }
            let tried = tokio::select! {
                biased;
                tried = self.attempt(ask) => tried,
                // An answer that still comes has no receiver any more.
                _ = over.wait_for(Option::is_some) => {
                    self.session.take();
                    continue;
                }
            };
            match tried {
                Tried::Answer(answer) => return answer,
                Tried::Again if ask.kind == Kind::Part || ask.kind == Kind::Commit => {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                Tried::Again => {}
            }
        }
    }

    /// The session; begun, if there is none.
    async fn take_session(&self) -> Option<Session> {
        if let Some(session) = self.session.take() {
            return Some(session);
        }
        let shared = &self.shared;
        let mut session = match connect(&shared.options, &shared.settings).await {
            Ok(session) => session,
            Err(error) => {
                if !shared.is_missing.replace(true) {
                    tracing::warn!(target: "RM", "the database of the records is gone, and looked for: {error}");
                }
                if !is_passing(&error) {
                    shared.end(error.to_string());
                }
                sleep(RETRY).await;
                return None;
            }
        };
        if shared.is_missing.replace(false) {
            tracing::info!(target: "RM", "the database of the records is here again");
        }
        if self.doubtful.get().is_some_and(|term| term == shared.term.get()) {
            let found = lease::begin_term(&mut session, &shared.options.holder).await.ok()?;
            shared.is_found(found);
        }
        self.doubtful.set(None);
        Some(session)
    }

    async fn attempt(&self, ask: &Ask) -> Tried {
        let shared = &self.shared;
        let Some(mut session) = self.take_session().await else { return Tried::Again };
        let (term, sent) = (shared.term.get(), Instant::now());
        if ask.kind != Kind::Read {
            // Until there is an answer.
            self.doubtful.set(Some(term));
        }
        let is_part = matches!(ask.kind, Kind::Part | Kind::Commit);
        let patience = if is_part { PART } else { self.patience };
        let answered = timeout(patience, session.script(shared.text(ask, term))).await;
        let Ok(answered) = answered else { return Tried::Again };
        match answered {
            Ok(answer) => {
                self.doubtful.set(None);
                match ask.kind {
                    Kind::Change | Kind::Commit => shared.is_renewed(sent),
                    Kind::Last => shared.end("the record server has ended".to_owned()),
                    Kind::Read | Kind::Part => {}
                }
                let rows = rows(&answer, ask.kind);
                self.session.replace(Some(session));
                Tried::Answer(Ok(rows))
            }
            Err(Failure::Refused(fault)) => {
                self.doubtful.set(None);
                let (state, is_fatal) = (fault.state, fault.is_fatal);
                if state == *lease::FENCED {
                    if term == shared.term.get()
                        && let Ok(found) = lease::find(&mut session, &shared.options.holder).await
                    {
                        shared.is_found(found);
                    }
                } else if is_passing_state(&state) {
                    sleep(RETRY).await;
                } else {
                    let kind =
                        if state == *b"53100" { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
                    // The session goes with its transaction.
                    return Tried::Answer(Err(io::Error::new(
                        kind,
                        format!("the database refuses: {fault}"),
                    )));
                }
                if !is_fatal && !is_part {
                    self.session.replace(Some(session));
                }
                Tried::Again
            }
            Err(failure) => {
                if !shared.is_missing.replace(true) {
                    tracing::warn!(target: "RM", "the database of the records is gone, and looked for: {failure}");
                }
                Tried::Again
            }
        }
    }
}

/// Renews the lease where nothing else does.
async fn renew(shared: Rc<Shared>) {
    let pause = shared.options.lease / RENEWED_AFTER;
    let lane = Lane::new(Rc::clone(&shared), pause);
    while shared.over().is_none() {
        let due = shared.renewed.get() + pause;
        if Instant::now() < due {
            sleep_until(due).await;
        } else if lane.answer(&Ask::change(String::new())).await.is_err() {
            return;
        }
    }
}

/// Ends everything when the lease has ended without being renewed.
async fn watch_end(shared: Rc<Shared>) {
    loop {
        let ends = shared.ends.get();
        if Instant::now() < ends {
            sleep_until(ends).await;
        } else {
            let lease = shared.options.lease.as_secs();
            return shared.end(format!(
                "the lease of the records could not be renewed for {lease} seconds: the database {} does not answer",
                shared.options.address
            ));
        }
    }
}
