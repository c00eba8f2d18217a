//! The thread of a connection: it makes it, sees that it lasts, and runs the private server.
//!
//! Its place is the connection's phase; an order, or the time of the next look, takes it from one to the next.

use std::fmt::Display;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use attachment::Tcb;
use kernel::notices::{Notice, Notices};
use kernel::region::Region;
use parking_lot::Mutex;
use sql::server::{CannotStart, Private, Server, plain};
use sql::{Address, CannotConnect, Failure, Session, schema};
use thiserror::Error;
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::spawn_local;

use crate::connection::{Connection, Link, Phase};
use crate::declared::Declared;
use crate::limits::{END, LOOK_EVERY, RECONNECT_EVERY};
use crate::messages::Message;
use crate::noted::{Note, Noted};
use crate::pairs::{self, NoPair};
use crate::resources::Resources;
use crate::scripts::{self, CannotRun};
use crate::settings::{ServerPlace, Settings};

/// Orders to the thread.
pub(crate) enum Order {
    /// The connection is to be made.
    Connect,
    /// A statement has found no server at the other end.
    Look,
    /// It is time to see whether the private server's process is there.
    Glance,
    /// A package is to be noted at the server.
    Note(Note),
    /// It is over.
    Stop {
        /// True if a private server stops, too.
        stops: bool,
        /// It has.
        done: oneshot::Sender<()>,
    },
}

/// The thread, from outside.
pub(crate) struct Home {
    orders: mpsc::UnboundedSender<Order>,
    /// True once it is to end: an attempt under way is given up.
    ends: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Home {
    /// Starts it, for a server with this number and DB2ID.
    ///
    /// # Errors
    /// The system's own.
    pub(crate) fn start(
        region: &Arc<Region>,
        settings: Settings,
        (number, name): (u16, &str),
        connection: &Arc<Connection>,
    ) -> io::Result<Self> {
        let (orders, receiver) = mpsc::unbounded_channel();
        let (ends, ending) = watch::channel(false);
        let (region, connection) = (Arc::downgrade(region), Arc::clone(connection));
        let name = name.to_owned();
        let (ready, started) = std::sync::mpsc::sync_channel(1);
        let thread = std::thread::Builder::new().name(format!("sql {name}")).spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default());
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _ = ready.send(Err(error));
                    return;
                }
            };
            let _ = ready.send(Ok(()));
            let keeper = Keeper {
                region,
                settings,
                line: number,
                name,
                connection,
                orders: receiver,
                ending,
                server: None,
            };
            runtime.block_on(keeper.run());
        })?;
        started.recv().map_err(|_| io::Error::other("it ended before it was ready"))??;
        Ok(Self { orders, ends, thread })
    }

    /// Asks for something; false where the thread has ended.
    pub(crate) fn send(&self, order: Order) -> bool {
        self.orders.send(order).is_ok()
    }

    /// Ends it, and a private server if `stops`. A server that is being made or started is not waited for: it is given up.
    pub(crate) async fn stop(self, stops: bool) {
        self.ends.send_replace(true);
        let (done, stopped) = oneshot::channel();
        self.send(Order::Stop { stops, done });
        match tokio::time::timeout(END, stopped).await {
            // It does nothing more.
            Ok(_) => drop(self.thread.join()),
            Err(_) => tracing::error!(target: "DB", "the private server does not stop"),
        }
    }
}

/// State of the thread.
struct Keeper {
    region: Weak<Region>,
    /// Those of its server.
    settings: Settings,
    /// Which server it is.
    line: u16,
    /// Its DB2ID, if it is a further one.
    name: String,
    connection: Arc<Connection>,
    orders: mpsc::UnboundedReceiver<Order>,
    /// True once the thread is to end.
    ending: watch::Receiver<bool>,
    /// The private server, once it was started.
    server: Option<Server>,
}

/// Reasons why there is no connection.
#[derive(Debug, Error)]
pub(crate) enum NotMade {
    #[error(transparent)]
    Start(#[from] CannotStart),
    #[error(transparent)]
    Connect(#[from] CannotConnect),
    #[error(
        "what Db2's statements need cannot be made in the database: {0}. Its user needs the right to make schemas there \
         (GRANT CREATE ON DATABASE); or somebody who has it runs, once and after each new version, what syncpoint sql DIR \
         --dba-script prints"
    )]
    Schema(Failure),
    #[error(transparent)]
    Pair(#[from] NoPair),
    #[error(transparent)]
    Script(#[from] CannotRun),
    #[error("the region ends")]
    Over,
    #[error(
        "the region's own tables (engine = \"region\" in [sql]) are reached by programs of the region alone: batch programs and \
         `syncpoint sql` do not work on them yet"
    )]
    Own,
}

impl Keeper {
    async fn run(mut self) {
        loop {
            match self.next().await {
                Some(Order::Stop { stops, done }) => {
                    self.stop(stops).await;
                    let _ = done.send(());
                    return;
                }
                Some(order) => self.carry_out(order).await,
                // The region was given up.
                None => return,
            }
        }
    }

    /// Carries an order out, unless the thread is to end first: its end waits for no server that is made or started, and for none
    /// that does not answer.
    async fn carry_out(&mut self, order: Order) {
        let mut ending = self.ending.clone();
        let work = async {
            match order {
                Order::Connect => self.make().await,
                Order::Look => self.look(true).await,
                Order::Glance => self.look(false).await,
                Order::Note(note) => self.note(&note).await,
                Order::Stop { .. } => {}
            }
        };
        let is_given_up = tokio::select! {
            biased;
            _ = ending.wait_for(|ends| *ends) => true,
            () = work => false,
        };
        if is_given_up && self.connection.phase() == Phase::Connecting {
            tracing::info!(target: "DB", "the connection that is being made is given up: the region ends");
            self.connection.failed(NotMade::Over.to_string(), false, false);
        }
    }

    /// The next order, or what it is time for.
    async fn next(&mut self) -> Option<Order> {
        let (time, due) = match self.connection.phase() {
            Phase::Connecting => (RECONNECT_EVERY, Order::Connect),
            Phase::Connected if self.server.is_some() => (LOOK_EVERY, Order::Glance),
            _ => return self.orders.recv().await,
        };
        tokio::time::timeout(time, self.orders.recv()).await.unwrap_or(Some(due))
    }

    /// One attempt, unless there is a connection.
    async fn make(&mut self) {
        if self.connection.phase() != Phase::Connecting {
            return;
        }
        match self.try_make().await {
            Ok(link) => {
                let address = link.address.clone();
                self.connection.made(link);
                self.tell(Message::Connected, &address);
                self.has_changed();
            }
            Err(why) => {
                let is_no_pair = matches!(why, NotMade::Pair(NoPair::Other));
                let why = why.to_string();
                if self.connection.failed(why.clone(), is_no_pair, self.tries_again()) {
                    self.tell(Message::NotMade, &why);
                }
                self.has_changed();
            }
        }
    }

    /// Those who follow the status of the connection look at it.
    fn has_changed(&self) {
        if let Some(region) = self.region.upgrade().filter(|region| Notices::are_wanted(region)) {
            Notices::tell(&region, None, Notice::Changed);
        }
    }

    /// Returns true if a failed attempt is repeated (STANDBYMODE).
    fn tries_again(&self) -> bool {
        let conn = self.region.upgrade().and_then(|region| Resources::of(&region).conn());
        match conn.map(|conn| conn.attributes.get("STANDBYMODE")).as_deref() {
            Some("NOCONNECT") => false,
            // There was a connection: it is not to be made again.
            Some("CONNECT") => self.connection.link().is_none(),
            _ => true,
        }
    }

    async fn try_make(&mut self) -> Result<Arc<Link>, NotMade> {
        let region = self.region.upgrade().ok_or(NotMade::Over)?;
        let (address, owner) = match self.settings.place.clone() {
            ServerPlace::At(address) => {
                prepare(&address, &self.settings).await?;
                (address, None)
            }
            ServerPlace::Private(private) => {
                let server = self.private(&private).await?;
                (server.address(), Some(server.owner()))
            }
        };
        if let Some(owner) = &owner {
            pairs::pair(&region, &self.name, owner).await?;
        }
        scripts::run(&address, &self.settings).await?;
        let link = match self.connection.link() {
            Some(link) if link.address == address => link,
            _ => self.link(&region, address, owner),
        };
        // What is in doubt there holds locks that the next statements may want.
        region.coordinator.introduce(Arc::clone(&link.participant) as _);
        let is_resolved = region.coordinator.resynchronise(&*link.participant).await.is_some();
        if let Some(server) = &self.server
            && is_resolved
        {
            give(server).await;
        }
        if is_resolved && self.connection.link().is_none() {
            // No task of this run has a unit of work yet.
            link.participant.forget_all().await;
        }
        Ok(link)
    }

    /// The private server, which runs then.
    async fn private(&mut self, private: &Private) -> Result<&Server, CannotStart> {
        if self.server.as_mut().is_some_and(|server| server.has_ended()) {
            self.server = None;
        }
        let server = match self.server.take() {
            Some(server) => server,
            None => {
                let server = Server::start(private).await?;
                let how = if server.is_adopted() { "runs already" } else { "is started" };
                tracing::info!(target: "DB", "the private PostgreSQL {how}: process {}", server.pid());
                server
            }
        };
        Ok(self.server.insert(server))
    }

    /// A new link. Its participant is asked on this thread, and as the server's owner where that is private: units of work that
    /// an earlier version has prepared there are the owner's.
    fn link(&self, region: &Region, address: Address, owner: Option<Address>) -> Arc<Link> {
        /// Number of links so far, to all servers.
        static LINKS: AtomicU64 = AtomicU64::new(0);
        let applid = region.options.applid;
        let sessions = self.settings.sessions(&applid.to_string());
        let tcb = match owner {
            Some(owner) => {
                Tcb::new(owner, sql::Settings { search_path: plain().search_path, ..sessions.clone() })
            }
            None => Tcb::new(address.clone(), sessions.clone()),
        };
        let (participant, home) = attachment::Server::new(
            &participant(region, &self.settings, &self.name),
            applid.as_bytes(),
            &tcb,
        );
        drop(spawn_local(home.run()));
        Arc::new(Link {
            number: LINKS.fetch_add(1, Ordering::Relaxed),
            line: self.line,
            address,
            sessions,
            participant,
            doors: Mutex::default(),
            declared: Declared::default(),
            noted: Noted::default(),
        })
    }

    /// Looks after the server, which `answers` or not; the connection is made again if it does not.
    async fn look(&mut self, answers: bool) {
        let Some(link) = self.connection.link().filter(|_| self.connection.phase() == Phase::Connected)
        else {
            return;
        };
        let has_ended = self.server.as_mut().is_some_and(Server::has_ended);
        if !has_ended && (!answers || is_there(&link).await) {
            return;
        }
        self.connection.begins();
        self.tell(Message::Lost, &link.address);
        self.has_changed();
        self.make().await;
    }

    /// Notes a package, as the owner of a private server.
    async fn note(&self, note: &Note) {
        match (&self.server, self.connection.link()) {
            (Some(server), _) => note.write(&server.owner(), &plain()).await,
            (None, Some(link)) => note.write(&link.address, &link.sessions).await,
            (None, None) => {}
        }
    }

    fn tell(&self, message: Message, what: &dyn Display) {
        if let Some(region) = self.region.upgrade() {
            message.tell(&region, what);
        }
    }

    async fn stop(&mut self, stops: bool) {
        let Some(server) = self.server.take().filter(|_| stops) else { return };
        if let Err(error) = server.stop().await {
            tracing::error!(target: "DB", "the private PostgreSQL does not stop: {error}");
        }
    }
}

/// Gives to programs what an earlier version left with the owner and units of work in doubt had locked.
async fn give(server: &Server) {
    let Ok(mut owner) = Session::connect(&server.owner(), &plain()).await else { return };
    if let Err(why) = schema::give_to_programs(&mut owner).await {
        tracing::warn!(target: "DB", "what an earlier version has made cannot be given to programs: {why}");
    }
    owner.close().await;
}

/// The name of the server in units of work where no DB2ID gives another.
const PARTICIPANT: &str = "DB2";

/// Returns the name of a server in units of work: its DB2ID, or the DB2ID of DB2CONN that no server has.
pub(crate) fn participant(region: &Region, settings: &Settings, name: &str) -> String {
    if !name.is_empty() {
        return name.to_owned();
    }
    let id = Resources::of(region).conn().map(|conn| conn.attributes.get("DB2ID"));
    let id = id.filter(|id| !id.is_empty() && settings.named.iter().all(|named| named.name != *id));
    id.unwrap_or_else(|| PARTICIPANT.to_owned())
}

/// Makes what Db2's statements need in a database that the region does not run itself.
pub(crate) async fn prepare(address: &Address, settings: &Settings) -> Result<(), NotMade> {
    let mut session = Session::connect(address, &scripts::settings(settings)).await?;
    let made = schema::install(&mut session).await;
    session.close().await;
    made.map_err(NotMade::Schema)
}

async fn is_there(link: &Link) -> bool {
    match Session::connect(&link.address, &link.sessions).await {
        Ok(session) => {
            session.close().await;
            true
        }
        Err(_) => false,
    }
}
