//! The place of the tests: a server, a user without rights, and a schema of the user's for each test.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use depot::{Database, Holder, Options};
use records::{Limits, Local};
use sql::server::{Private, Server};
use sql::{Address, Session, Settings};
use tokio::runtime::Builder;
use tokio::task::LocalSet;

/// The user whose schemas hold records: it may connect, and nothing else.
pub const USER: &str = "keeper";

/// A server that ends with this process.
struct Place {
    address: Address,
    /// Others that run the same tests wait for it.
    _lock: File,
}

/// A folder of a test's own, below the build's.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A server for tests: quick, since no power cut is in them.
pub fn private(folder: &Path) -> Private {
    let settings = vec!["fsync=off".to_owned()];
    Private { settings, sessions: 80, is_tied: true, ..Private::new(folder) }
}

fn place() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(|| std::thread::spawn(start).join().unwrap())
}

fn start() -> Place {
    let folder = folder(concat!("depot-", env!("CARGO_CRATE_NAME")));
    fs::create_dir_all(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    let server = block_on(async {
        let server = Server::start(&private(&folder)).await.unwrap();
        make_user(&server.owner()).await;
        server
    });
    Place { address: server.owner(), _lock: lock }
}

/// Makes the user, if it is not there.
pub async fn make_user(owner: &Address) {
    let mut session = Session::connect(owner, &Settings::default()).await.unwrap();
    let none = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS";
    let there = session.script(format!("SELECT 1 FROM pg_roles WHERE rolname = '{USER}'")).await.unwrap();
    if there.rows.is_empty() {
        session.script(format!("CREATE ROLE {USER} LOGIN {none}")).await.unwrap();
    }
    let connects = format!("GRANT CONNECT ON DATABASE {} TO {USER}", sql::server::DATABASE);
    session.script(connects).await.unwrap();
    session.close().await;
}

/// Runs something on a thread like a server's.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, work)
}

/// The owner's address of the server.
pub fn owner() -> Address {
    place().address.clone()
}

/// A user's address at the same server.
pub fn as_user(owner: &Address) -> Address {
    Address { user: USER.to_owned(), ..owner.clone() }
}

/// Carries a text out as the owner.
pub async fn does(text: impl AsRef<[u8]>) -> sql::Answer {
    let mut session = Session::connect(&owner(), &Settings::default()).await.unwrap();
    let answer = session.script(text).await.unwrap();
    session.close().await;
    answer
}

/// An empty schema of the user's.
pub async fn schema(name: &str) {
    does(format!("DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name} AUTHORIZATION {USER}")).await;
}

/// The lease of tests that do not wait for its end.
pub const LONG: Duration = Duration::from_secs(60);

/// The choices with which a server in a folder opens its database.
pub fn options(folder: &Path, schema: &str, lease: Duration) -> Options {
    Options {
        address: as_user(&owner()),
        schema: schema.to_owned(),
        holder: Holder::of(folder).unwrap(),
        lease,
    }
}

/// Limits under which segments change and checkpoints happen, and not everything is kept in main storage.
pub fn limits() -> Limits {
    Limits { segment_bytes: 64 * 1024, checkpoint_changes: 300, kept_bytes: 20_000, ..Limits::default() }
}

/// A server of records in this process.
pub struct Opened {
    pub engine: Arc<Local>,
    pub database: Database,
}

/// Opens the records of a schema.
pub async fn open(folder: &Path, schema: &str, lease: Duration) -> Opened {
    let database = Database::open(options(folder, schema, lease)).await.unwrap();
    let engine = database.engine(limits(), None).unwrap();
    Opened { engine, database }
}
