//! A record server as a process whose records lie in a database: started again, taken over from, kept out.

use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use records::{Engine, Recovery, Wait};
use share::Remote;
use sql::ListenPlace;
use sql::server::{Private, Server};

use crate::house::{product, signal};

/// A database that ends with the test, and the folders of servers beside it.
pub(crate) struct Site {
    folder: tempfile::TempDir,
    pub(crate) url: String,
    _server: Server,
}

impl Site {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o711)).expect("a mode");
        let private = Private { is_tied: true, ..Private::new(folder.path().join("postgresql")) };
        let server = Server::start(&private).await.expect("a server");
        let owner = server.owner();
        let ListenPlace::Socket { folder: socket, port } = owner.place else {
            panic!("a private server has a socket")
        };
        let url = format!("postgresql://{}@:{port}/{}?host={}", owner.user, owner.database, socket.display());
        Self { folder, url, _server: server }
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, name: &str) -> Command {
        let mut command = product();
        command.arg("records").arg(self.folder(name)).args(["--database", &self.url, "--lease", "3"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// A server, which may have to wait for the lease.
    fn start(&self, name: &str) -> Child {
        self.command(name).spawn().expect("a process")
    }
}

/// Waits until a server is ready.
fn is_ready(server: &mut Child) {
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    assert!(line.contains("is ready"), "{line}");
}

/// The words of a process that ends.
fn last_words(mut server: Child) -> String {
    let status = server.wait().expect("its end");
    let mut said = String::new();
    server.stderr.take().expect("its messages").read_to_string(&mut said).expect("text");
    assert!(!status.success(), "{said}");
    said
}

fn refused(command: &mut Command) -> String {
    let Output { status, stderr, .. } = command.output().expect("a process");
    let said = String::from_utf8_lossy(&stderr).into_owned();
    assert!(!status.success() && said.contains("SPCL042"), "{said}");
    said
}

async fn region(folder: &Path, applid: &str) -> std::sync::Arc<Remote> {
    Remote::open(&share::socket(folder), applid, 1_000).await.expect("a region")
}

async fn read(engine: &Remote, store: records::StoreId) -> Vec<u8> {
    let mut record = Vec::new();
    engine.begin(engine.locks().new_owner()).get(store, b"key", &mut record).await.expect("a record");
    record
}

#[tokio::test]
async fn a_server_that_is_killed_starts_at_once_and_one_that_hangs_is_taken_over_from_and_kept_out() {
    let site = Site::new().await;
    let (here, there) = (site.folder("here"), site.folder("there"));
    let mut first = site.start("here");
    is_ready(&mut first);
    let engine = region(&here, "REGA").await;
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store("accounts", Recovery::Recoverable).unwrap();
    unit.commit().await.unwrap();
    for round in 0..2_u8 {
        let mut unit = engine.begin(engine.locks().new_owner());
        unit.lock(store, b"key", Wait::Forever).await.unwrap();
        unit.put(store, b"key", &[round]).await.unwrap();
        unit.commit().await.unwrap();
        if round == 0 {
            first.kill().unwrap();
            first.wait().unwrap();
            // The same region goes on with it.
            first = site.start("here");
            is_ready(&mut first);
        }
    }
    // Its machine hangs, and another one takes over.
    signal(&first, "STOP");
    let mut second = site.start("there");
    is_ready(&mut second);
    let other = region(&there, "REGB").await;
    assert_eq!(read(&other, store).await, [1]);
    let mut unit = other.begin(other.locks().new_owner());
    unit.put(store, b"key", b"second").await.unwrap();
    unit.commit().await.unwrap();
    signal(&first, "CONT");
    let said = last_words(first);
    assert!(said.contains("SPCL042") && said.contains("lease"), "{said}");
    drop(engine);
    assert_eq!(read(&other, store).await, b"second");
    drop(other);
    // An orderly end gives the lease back: no server waits for it.
    signal(&second, "TERM");
    assert!(second.wait().unwrap().success());
    let begun = std::time::Instant::now();
    let mut third = site.start("here");
    is_ready(&mut third);
    assert!(begun.elapsed() < std::time::Duration::from_secs(3), "it has waited for the lease");
    // One that waits for it ends when it is asked to.
    let mut fourth = site.start("there");
    let mut said = BufReader::new(fourth.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("waits for it")));
    signal(&fourth, "TERM");
    assert!(fourth.wait().unwrap().success());
    signal(&third, "TERM");
    assert!(third.wait().unwrap().success());

    let said = refused(product().arg("records").arg(&here));
    assert!(said.contains("its records lie in a database"), "{said}");
    std::fs::create_dir_all(site.folder("own/log")).unwrap();
    let said = refused(&mut site.command("own"));
    assert!(said.contains("records of its own"), "{said}");
    let with_password = site.url.replace("syncpoint_owner@", "syncpoint_owner:guessed@");
    let said = refused(product().arg("records").arg(&there).args(["--database", &with_password]));
    assert!(said.contains("--password-file") && !said.contains("guessed"), "{said}");
    let said = refused(product().arg("records").arg(&there).args(["--database", "mysql://x"]));
    assert!(said.contains("postgresql://"), "{said}");
}
