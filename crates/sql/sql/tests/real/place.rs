//! Place of the tests: a server, and a schema for each test.

use std::fs::{self, File};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use sql::server::{CannotStart, Private, Server};
use sql::{Address, Session, Settings};
use tokio::runtime::Builder;
use tokio::task::LocalSet;

/// A server that ends with this process.
struct Place {
    address: Address,
    owner: Address,
    /// Others that run the same tests wait for it.
    _lock: File,
}

/// Time that a server of an earlier run may take to end.
const END: Duration = Duration::from_secs(30);

/// The folder of a test's own, below the build's.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A server for tests: quick, since nothing in it must survive.
pub fn private(folder: &Path) -> Private {
    let settings = vec!["fsync=off".to_owned(), "deadlock_timeout=50ms".to_owned()];
    Private { settings, sessions: 40, is_tied: true, ..Private::new(folder) }
}

/// The address of the tests' server. From then on no other run of these tests uses the folders of this one.
pub fn address() -> Address {
    place().address.clone()
}

/// The same as its owner.
#[allow(dead_code, reason = "not all who use this module look after the server")]
pub fn owner() -> Address {
    place().owner.clone()
}

fn place() -> &'static Place {
    static PLACE: OnceLock<Result<Place, String>> = OnceLock::new();
    let place = PLACE.get_or_init(|| std::thread::spawn(start).join().unwrap());
    place.as_ref().unwrap_or_else(|error| panic!("{error}"))
}

fn start() -> Result<Place, String> {
    let folder = folder("postgresql");
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    wait_for_end(&folder);
    let started = block_on(Server::start(&private(&folder)));
    let server = match started {
        // What an earlier state of this project has left.
        Err(CannotStart::OtherRelease { .. } | CannotStart::Schema(_)) => {
            fs::remove_dir_all(&folder).unwrap();
            block_on(Server::start(&private(&folder)))
        }
        started => started,
    };
    let server = server.map_err(|error| error.to_string())?;
    block_on(look_behind(&server.owner()));
    Ok(Place { address: server.address(), owner: server.owner(), _lock: lock })
}

/// Lets the tests' sessions see what a program's do not: they look at other sessions, wait, and end them.
async fn look_behind(owner: &Address) {
    let mut session = Session::connect(owner, &sql::server::plain()).await.unwrap();
    let rights = "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pg_catalog TO syncpoint; \
                  GRANT SELECT ON ALL TABLES IN SCHEMA pg_catalog TO syncpoint";
    session.script(rights).await.unwrap();
    session.close().await;
}

/// The process of the server that runs in a folder.
pub fn pid(folder: &Path) -> Option<u32> {
    let text = fs::read_to_string(folder.join("data/postmaster.pid")).ok()?;
    let pid = text.lines().next()?.parse().ok()?;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // One that has ended and was not waited for is a Z.
    (stat.contains("(postgres) ") && !stat.contains(") Z ")).then_some(pid)
}

/// Waits until the server of an earlier run has noticed that it is to end.
pub fn wait_for_end(folder: &Path) {
    let until = Instant::now() + END;
    while let Some(pid) = pid(folder) {
        assert!(Instant::now() < until, "process {pid} does not end");
        std::thread::yield_now();
    }
}

/// Runs a test on a thread like a region's.
pub fn block_on<T>(test: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, test)
}

/// Settings in which names without a schema are those of a test.
pub fn settings(schema: &str) -> Settings {
    Settings { search_path: format!("{schema}, db2, pg_catalog"), ..Settings::default() }
}

/// A session with an empty schema of a test's own.
pub async fn session(schema: &str) -> Session {
    let mut session = another(schema).await;
    session.script(format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}")).await.unwrap();
    session
}

/// One more session of a test.
pub async fn another(schema: &str) -> Session {
    Session::connect(&address(), &settings(schema)).await.unwrap()
}
