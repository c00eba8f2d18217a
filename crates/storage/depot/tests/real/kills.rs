//! Real processes, killed at any moment, and a database that is: a ledger kept outside proves that each acknowledged unit of work
//! is there, as a whole.
//!
//! This test starts itself again as the process to be killed. `DEPOT_KILLS` says how often.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use depot::{Database, Holder, Options};
use records::{Batch, Direction, Engine, Local, Origin, Recovery, Wait};
use sql::server::Server;
use sql::{Address, ListenPlace, Session, Settings};

use crate::place::{as_user, block_on, limits, make_user, private};

const KILLS: usize = 6;
const ACCOUNTS: u32 = 20;
const LEASE: Duration = Duration::from_secs(3);
const SOON: Duration = Duration::from_secs(60);
/// In the environment of the process to be killed.
const FOLDER: &str = "DEPOT_KILL_FOLDER";
const SOCKET: &str = "DEPOT_KILL_SOCKET";
const SCHEMA: &str = "kills";

fn address(socket: &Path) -> Address {
    Address::socket(socket, 5432, crate::place::USER, sql::server::DATABASE)
}

async fn open(folder: &Path, socket: &Path) -> Database {
    let (address, schema) = (address(socket), SCHEMA.to_owned());
    let holder = Holder::of(folder).unwrap();
    Database::open(Options { address, schema, holder, lease: LEASE }).await.unwrap()
}

fn number(bytes: &[u8]) -> i64 {
    std::str::from_utf8(bytes).unwrap().parse().unwrap()
}

/// The work of the process until it is killed, or kept out: it moves money between accounts, adds to the ledger, and says so once it is
/// durable.
#[test]
fn the_process_to_be_killed() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let socket = PathBuf::from(std::env::var_os(SOCKET).unwrap());
    block_on(async {
        let database = open(&folder, &socket).await;
        let engine = database.engine(limits(), None).unwrap();
        println!("\nready");
        let work = tokio::task::spawn_local(work(engine));
        let why = database.lost().await;
        println!("lost {why}");
        work.abort();
        std::process::exit(3);
    });
}

async fn work(engine: std::sync::Arc<Local>) {
    let owner = engine.locks().new_owner();
    if engine.find("ledger").is_none() {
        let mut unit = engine.begin(owner);
        unit.create_store("accounts", Recovery::Recoverable).unwrap();
        unit.create_store("ledger", Recovery::Recoverable).unwrap();
        unit.commit().await.unwrap();
    }
    let (accounts, ledger) = (engine.find("accounts").unwrap(), engine.find("ledger").unwrap());
    let mut last = Batch::default();
    engine.begin(owner).range(ledger, Origin::Start, Direction::Backward, 1, &mut last).await.unwrap();
    let mut count = last.first().map_or(0, |(key, _)| u32::from_be_bytes(key.try_into().unwrap()));
    loop {
        count += 1;
        let mut unit = engine.begin(owner);
        for (account, amount) in [(count % ACCOUNTS, -1), ((count * 7 + 1) % ACCOUNTS, 1)] {
            let (key, mut balance) = (account.to_be_bytes(), Vec::new());
            let there = unit.lock_and_get(accounts, &key, Wait::Forever, &mut balance).await.unwrap();
            let balance = if there { number(&balance) } else { 0 } + amount;
            unit.put(accounts, &key, balance.to_string().as_bytes()).await.unwrap();
        }
        unit.put(ledger, &count.to_be_bytes(), b"done").await.unwrap();
        if unit.commit().await.is_err() {
            // What ends this process says why.
            return std::future::pending().await;
        }
        println!("{count}");
    }
}

/// A process, and the lines that it says.
struct Worker {
    child: Child,
    lines: Receiver<String>,
    /// The last count that it has acknowledged.
    said: u32,
}

impl Worker {
    fn start(folder: &Path, socket: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["the_process_to_be_killed", "--nocapture", "--test-threads=1"]);
        command.env(FOLDER, folder).env(SOCKET, socket);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (tell, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines() {
                if !line.is_ok_and(|line| tell.send(line).is_ok()) {
                    return;
                }
            }
        });
        Self { child, lines, said: 0 }
    }

    fn hears(&mut self, line: &str) {
        if let Ok(count) = line.trim().parse() {
            self.said = count;
        }
    }

    /// Waits for a line that begins so.
    fn wait_for(&mut self, beginning: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(SOON).unwrap();
            self.hears(&line);
            if line.starts_with(beginning) {
                return line;
            }
        }
    }

    /// Waits until it has acknowledged so many more.
    fn works(&mut self, more: u32) {
        let (before, mut seen) = (self.said, 0);
        while seen < more {
            let line = self.lines.recv_timeout(SOON).unwrap();
            self.hears(&line);
            seen += u32::from(self.said != before);
        }
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([format!("-{name}"), self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Waits for its end; what it has acknowledged.
    fn ends(mut self) -> u32 {
        self.child.wait().unwrap();
        while let Ok(line) = self.lines.recv_timeout(SOON) {
            self.hears(&line);
        }
        self.said
    }

    fn kill(self) -> u32 {
        self.signal("KILL");
        self.ends()
    }
}

/// All acknowledged entries are there without a gap, and all accounts together have nothing.
async fn check(folder: &Path, socket: &Path, acknowledged: u32) {
    let database = open(folder, socket).await;
    let engine = database.engine(limits(), None).unwrap();
    let (accounts, ledger) = (engine.find("accounts").unwrap(), engine.find("ledger").unwrap());
    let (mut unit, mut batch) = (engine.begin(engine.locks().new_owner()), Batch::default());
    unit.range(ledger, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.unwrap();
    let counts: Vec<u32> = batch.iter().map(|(key, _)| u32::from_be_bytes(key.try_into().unwrap())).collect();
    assert_eq!(counts, (1..=counts.len() as u32).collect::<Vec<_>>());
    assert!(
        counts.len() as u32 >= acknowledged,
        "{acknowledged} were acknowledged, {} are there",
        counts.len()
    );
    unit.range(accounts, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.unwrap();
    assert_eq!(batch.iter().map(|(_, balance)| number(balance)).sum::<i64>(), 0);
    // As many as one for each that is there, and perhaps one that was not heard.
    assert!(
        counts.len() as u32 <= acknowledged + 1,
        "{acknowledged} were acknowledged, {} are there",
        counts.len()
    );
}

/// A database of this test's own, which is killed too.
struct Killed {
    folder: PathBuf,
    server: Option<Server>,
}

impl Killed {
    fn start(folder: &Path) -> Self {
        let server = Some(block_on(Server::start(&private(folder))).unwrap());
        Self { folder: folder.to_owned(), server }
    }

    fn owner(&self) -> Address {
        self.server.as_ref().unwrap().owner()
    }

    fn socket(&self) -> PathBuf {
        match self.owner().place {
            ListenPlace::Socket { folder, .. } => folder,
            ListenPlace::Host { .. } => unreachable!("a private server has a socket"),
        }
    }

    /// As `pg_ctl restart -m immediate`.
    fn restart(&mut self) {
        let server = self.server.take().unwrap();
        let quit = Command::new("kill").args(["-QUIT", &server.pid().to_string()]).status();
        assert!(quit.unwrap().success());
        block_on(async {
            let mut server = server;
            while !server.has_ended() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            self.server = Some(Server::start(&private(&self.folder)).await.unwrap());
        });
    }
}

#[test]
fn nothing_acknowledged_is_lost_whatever_is_killed() {
    let kills = std::env::var("DEPOT_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("depot-killed");
    let lock = std::fs::File::create(place.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    let mut database = Killed::start(&place);
    block_on(async {
        make_user(&database.owner()).await;
        let mut session = Session::connect(&database.owner(), &Settings::default()).await.unwrap();
        let user = as_user(&database.owner()).user;
        let made =
            format!("DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA} AUTHORIZATION {user}");
        session.script(made).await.unwrap();
        session.close().await;
    });
    let socket = database.socket();
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folders = [one.path(), other.path()];
    let mut acknowledged = 0;
    for round in 0..kills {
        let folder = folders[round % 2];
        let mut worker = Worker::start(folder, &socket);
        worker.wait_for("ready");
        worker.works(20 + 13 * (round as u32 % 5));
        acknowledged = acknowledged.max(match round % 3 {
            0 => worker.kill(),
            // The database alone: the server goes on.
            1 => {
                database.restart();
                worker.works(20);
                worker.kill()
            }
            // A server that is stopped, and goes on when another one has taken over.
            _ => {
                worker.signal("STOP");
                let mut second = Worker::start(folders[(round + 1) % 2], &socket);
                second.wait_for("ready");
                second.works(30);
                worker.signal("CONT");
                let said = worker.wait_for("lost");
                assert!(said.contains("lease"), "{said}");
                worker.ends();
                second.works(30);
                second.kill()
            }
        });
        block_on(check(folder, &socket, acknowledged));
    }
}
