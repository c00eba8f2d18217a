//! A private PostgreSQL server: made, started, adopted, stopped.
//!
//! In scope: the server's programs and where they are, its folder, its process. It and `toolchain` are the only
//! places that start other programs. Out of scope: what is asked of the server.

mod account;
mod beginning;
mod binaries;
mod cluster;
mod dump;
mod making;
mod process;
mod program;
mod roles;
mod signals;
mod socket;
mod turn;

use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use thiserror::Error;
use tokio::time::{Instant, sleep};

use crate::address::Address;
use crate::limits;
use crate::schema;
use crate::session::Session;
use crate::wire::Settings;
use account::Account;
use beginning::Beginning;
use binaries::Binaries;
use cluster::Cluster;
pub use dump::{CannotDump, Moment, load};
pub use turn::Turn;

/// Parts of a private server.
#[derive(Clone, Debug)]
pub struct Private {
    /// Its folder, which this module makes, and only it writes to.
    pub folder: PathBuf,
    /// A folder above it that is its starter's alone: where the server is another user, that user's group may pass through.
    pub through: Option<PathBuf>,
    /// Folder of the server's programs; by default Debian's folders and PATH are searched.
    pub binaries: Option<PathBuf>,
    /// As whom it runs when the region runs as root: PostgreSQL refuses to be root itself.
    pub user: String,
    /// The number in its socket's name, and its port where more settings have it listen to the network.
    pub port: u16,
    /// Sessions at once.
    pub sessions: u16,
    /// More settings, as `postgres -c` takes them.
    pub settings: Vec<String>,
    /// True if the server ends with the thread that starts it, however that ends. Otherwise it goes on, and the next
    /// start adopts it.
    pub is_tied: bool,
}

impl Private {
    /// The usual one, in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            through: None,
            binaries: None,
            user: "postgres".to_owned(),
            port: PORT,
            sessions: limits::SERVER_SESSIONS,
            settings: Vec::new(),
            is_tied: false,
        }
    }
}

/// Reasons why there is no private server.
#[derive(Debug, Error)]
pub enum CannotStart {
    /// PostgreSQL is not installed.
    #[error(
        "PostgreSQL is not installed: there is no `postgres` in {looked}. On Debian: apt-get install postgresql. \
         Elsewhere name its folder, or connect to a server with [sql.NAME] url"
    )]
    NoBinaries {
        /// Places that were searched.
        looked: String,
    },
    /// A program of PostgreSQL cannot be run, or failed.
    #[error("{program}: {why}")]
    Program {
        /// Which.
        program: PathBuf,
        /// The program's own message.
        why: String,
    },
    /// The release is too old.
    #[error("{program} is PostgreSQL {found}; {} or newer is needed", binaries::OLDEST)]
    TooOld {
        /// The program.
        program: PathBuf,
        /// Its release.
        found: u32,
    },
    /// The data was made by another release.
    #[error(
        "the data in {folder} is of PostgreSQL {made}, the programs are of {found}. Save it with the old programs \
         (pg_dumpall --file=FILE), move the folder away, start once with the new ones, and load it (psql --file=FILE)"
    )]
    OtherRelease {
        /// The data's folder.
        folder: PathBuf,
        /// The release that made it.
        made: String,
        /// The release that is installed.
        found: u32,
    },
    /// The account for it does not exist.
    #[error(
        "PostgreSQL refuses to run as root, and there is no user `{0}` on this machine: name another, or start the region as an ordinary user"
    )]
    NoAccount(String),
    /// A file or folder.
    #[error("{path}: {error}")]
    Io {
        /// Which.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// Its user cannot get to its folder.
    #[error(
        "the user `{user}` may not enter {folder}: PostgreSQL cannot run there. Choose another state folder, or start the region as an ordinary user"
    )]
    Closed {
        /// Name of the user.
        user: String,
        /// Which folder.
        folder: PathBuf,
    },
    /// A folder of another user stands where the socket goes.
    #[error("{0} belongs to another user, or others may enter it: remove it")]
    SocketFolder(PathBuf),
    /// It ended at once.
    #[error("PostgreSQL ended when it was started. Its last words, in {log}:\n{words}")]
    Ended {
        /// Path of the log.
        log: PathBuf,
        /// Last words of the log.
        words: String,
    },
    /// It did not answer in time.
    #[error("PostgreSQL does not answer ({last}); see {log}")]
    NoAnswer {
        /// Last error.
        last: String,
        /// Its log.
        log: PathBuf,
    },
    /// Another process makes, starts or stops it, for longer than that takes.
    #[error(
        "another process makes or starts the private PostgreSQL in {0} and does not come to an end: look for another syncpoint command"
    )]
    InUse(PathBuf),
    /// The schema that the region needs cannot be made.
    #[error("the schemas db2 and sysibm cannot be made: {0}")]
    Schema(String),
}

/// A private server that runs.
#[derive(Debug)]
pub struct Server {
    cluster: Cluster,
    process: Process,
    /// True if the server ran already.
    is_adopted: bool,
}

/// Its process: a child, or one that an earlier region has left.
#[derive(Debug)]
enum Process {
    Child(Child),
    Adopted(u32),
}

/// The role of programs, and of people who type statements: it has its tables, and nothing else.
pub const USER: &str = "syncpoint";
/// The role that owns the server. No statement of a program or a person runs as it.
const OWNER: &str = "syncpoint_owner";
/// The database of the region.
pub const DATABASE: &str = "syncpoint";
/// The usual number in a socket's name.
const PORT: u16 = 5432;
/// The message of a server that finds processes of a former one at its data.
const ORPHANS: &str = "pre-existing shared memory block";
/// Between two looks whether a server answers.
const LOOK: Duration = Duration::from_millis(10);

impl Server {
    /// Makes the server's folder if there is none, and starts the server, or adopts the one that runs there already. Where the
    /// future is dropped before it has its result, what it has started is ended in order, in limited time, and no unfinished data
    /// stay; a server that ran already goes on.
    ///
    /// # Errors
    /// See [`CannotStart`].
    pub async fn start(private: &Private) -> Result<Self, CannotStart> {
        let binaries = Binaries::find(private.binaries.as_deref())?;
        let account = Account::for_server(&private.user)?;
        let cluster = Cluster::folder(private, account)?;
        let _turn = turn::take(&cluster).await?;
        cluster.prepare(&binaries).await?;
        if let Some(server) = Self::adopt(&cluster).await? {
            return make_database(&cluster).await.map(|()| server);
        }
        let beginning = Self::spawn(&cluster, private, &binaries).await?;
        // One in which the database cannot be made is of no use, and is given up.
        make_database(&cluster).await?;
        Self::of(cluster, beginning)
    }

    /// The server of an earlier region, if it runs: asked by its socket, since a number of a process says little.
    async fn adopt(cluster: &Cluster) -> Result<Option<Self>, CannotStart> {
        let deadline = Instant::now() + limits::SERVER_START;
        while let Some(pid) = cluster.running() {
            match roles::connect(cluster).await {
                Ok(mut session) => {
                    let ours = cluster.is_answered_by(&mut session).await;
                    session.close().await;
                    if !ours {
                        return Err(CannotStart::SocketFolder(cluster.socket_folder().to_owned()));
                    }
                    return Ok(Some(Self {
                        cluster: cluster.clone(),
                        process: Process::Adopted(pid),
                        is_adopted: true,
                    }));
                }
                // It starts or ends just now.
                Err(error) if Instant::now() > deadline => {
                    return Err(CannotStart::NoAnswer { last: error.to_string(), log: cluster.log() });
                }
                Err(_) => sleep(LOOK).await,
            }
        }
        Ok(None)
    }

    /// Starts it, and waits until it answers.
    async fn spawn(
        cluster: &Cluster,
        private: &Private,
        binaries: &Binaries,
    ) -> Result<Beginning, CannotStart> {
        let mut beginning = Beginning::server(process::spawn(cluster, private, binaries)?);
        let deadline = Instant::now() + limits::SERVER_START;
        loop {
            let last = match roles::connect(cluster).await {
                Ok(session) => {
                    session.close().await;
                    return Ok(beginning);
                }
                Err(error) => error,
            };
            let log = cluster.log();
            if let Ok(Some(_)) = beginning.ended() {
                // Processes of one that was killed have not heard of it yet: they end by themselves.
                if Instant::now() < deadline && cluster.last_words().contains(ORPHANS) {
                    sleep(LOOK).await;
                    beginning = Beginning::server(process::spawn(cluster, private, binaries)?);
                    continue;
                }
                return Err(CannotStart::Ended { words: cluster.last_words(), log });
            }
            if Instant::now() > deadline {
                // It is of no use, and must not be in the way of the next attempt.
                beginning.kill();
                return Err(CannotStart::NoAnswer { last: last.to_string(), log });
            }
            sleep(LOOK).await;
        }
    }

    /// The server that has begun.
    fn of(cluster: Cluster, beginning: Beginning) -> Result<Self, CannotStart> {
        match beginning.succeeds() {
            Some(child) => Ok(Self { cluster, process: Process::Child(child), is_adopted: false }),
            None => Err(CannotStart::Ended { words: cluster.last_words(), log: cluster.log() }),
        }
    }

    /// Returns the address of the region's database, for programs and for people who type statements.
    pub fn address(&self) -> Address {
        self.cluster.address(DATABASE)
    }

    /// The same database for what looks after it. Nothing that programs have made may be called over such a session.
    pub fn owner(&self) -> Address {
        owner(&self.cluster)
    }

    /// Waits until no process makes, starts or stops the server in its folder. No other process does so until the turn is dropped.
    ///
    /// # Errors
    /// See [`CannotStart`].
    pub async fn turn(&self) -> Result<Turn, CannotStart> {
        turn::take(&self.cluster).await
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        match &self.process {
            Process::Child(child) => child.id(),
            Process::Adopted(pid) => *pid,
        }
    }

    /// Returns true if an earlier region had started the server.
    pub fn is_adopted(&self) -> bool {
        self.is_adopted
    }

    /// Returns true if the server has ended. It must then be started again: the system has let go of its process
    /// after this call.
    pub fn has_ended(&mut self) -> bool {
        match &mut self.process {
            Process::Child(child) => !matches!(child.try_wait(), Ok(None)),
            Process::Adopted(_) => self.cluster.running().is_none(),
        }
    }

    /// Stops it: what has not committed is undone, what has is on the disk. Waits for its end.
    ///
    /// # Errors
    /// Its process cannot be asked, or does not end.
    pub async fn stop(mut self) -> std::io::Result<()> {
        let pid = self.pid();
        for (signal, time) in signals::STOPPING {
            if self.has_ended() {
                break;
            }
            signals::signal(pid, signal)?;
            tokio::task::spawn_blocking(move || signals::wait(pid, time)).await??;
        }
        if let Process::Child(child) = &mut self.process {
            child.wait()?;
        }
        Ok(())
    }
}

/// The region's database as the server's owner sees it.
fn owner(cluster: &Cluster) -> Address {
    cluster.address_of(OWNER, DATABASE)
}

/// Makes the region's database, roles and schemas, as far as they are not there.
async fn make_database(cluster: &Cluster) -> Result<(), CannotStart> {
    let failed = |error: &dyn std::fmt::Display| CannotStart::Schema(error.to_string());
    let mut first = roles::connect(cluster).await.map_err(|error| failed(&error))?;
    let made = roles::make(&mut first).await;
    first.close().await;
    made.map_err(|error| failed(&error))?;
    let connected = Session::connect(&owner(cluster), &plain()).await;
    let mut session = connected.map_err(|error| failed(&error))?;
    let installed = schema::install_private(&mut session).await;
    session.close().await;
    installed.map_err(|error| failed(&error))
}

/// Settings of sessions that look after the server. Names are PostgreSQL's own alone: what programs make under such a name is
/// not found.
pub fn plain() -> Settings {
    Settings { encoding: "UTF8".to_owned(), search_path: "pg_catalog".to_owned(), ..Settings::default() }
}
