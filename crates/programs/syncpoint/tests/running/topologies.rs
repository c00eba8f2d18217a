//! `syncpoint up`: a record server, clones and a router, each a process: started, watched, replaced, ended.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sql::ListenPlace;
use sql::server::{Private, Server};
use tempfile::TempDir;

use crate::house::{FREE_PORT, Log, PATIENCE, application, product, signal};
use crate::ports::{CSD, WHO, asked, free};

/// A topology that runs. It is killed when it goes out of scope, and its regions with it.
pub struct Up {
    child: Child,
    pub log: Arc<Log>,
}

impl Up {
    pub fn start(folder: &Path) -> Self {
        let mut command = product();
        command.args(["up", "."]).current_dir(folder).env("NO_COLOR", "1");
        let mut child = command.stderr(Stdio::piped()).spawn().expect("syncpoint starts");
        let log = Log::of(child.stderr.take().expect("its log"));
        Self { child, log }
    }

    /// Waits for its end; returns true if that was in order.
    fn ends(&mut self) -> bool {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.success();
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end:\n{}", self.log.text());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends it in order.
    pub fn ends_in_order(&mut self) {
        signal(&self.child, "TERM");
        assert!(self.ends(), "{}", self.log.whole());
    }

    /// Asserts that the log has these texts in this order.
    fn says_in_order(&self, texts: &[&str]) {
        let log = self.log.text();
        let mut rest = log.as_str();
        for text in texts {
            let Some((_, behind)) = rest.split_once(text) else {
                panic!("no “{text}” where it belongs:\n{log}")
            };
            rest = behind;
        }
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Two clones behind one port, a router and a record server; the place of the clones.
fn topology(more: &str) -> (TempDir, std::net::SocketAddr) {
    let [conversation, _] = free();
    let clones = format!(
        "{FREE_PORT}[ports]\ncool-down = 1\n[sit]\nWLMHEALTH = \"OFF\"\n[[conversation]]\nprogram = \"WHO\"\n\
         receive = \"{conversation}\"\ncommarea = 10\n"
    );
    let text = format!(
        "{more}[records]\nfolder = \"records\"\n\
         [[region]]\nname = \"TOR\"\npart = \"router\"\nfolder = \"tor\"\n\
         [[region]]\nname = \"CLONE\"\nsysid = \"CL\"\nclones = 2\nfolder = \"app\"\n"
    );
    let folder = application(&[
        ("topology.toml", &text),
        ("tor/region.toml", FREE_PORT),
        ("app/region.toml", &clones),
        ("app/who.cbl", WHO),
        ("app/a.csd", CSD),
    ]);
    (folder, conversation)
}

/// Runs the command on a folder.
pub fn up(folder: &Path, arguments: &[&str]) -> Output {
    product().args(["up", "."]).args(arguments).current_dir(folder).output().expect("syncpoint starts")
}

/// The columns of a process in the status page.
pub fn row(folder: &Path, name: &str) -> Vec<String> {
    let page = String::from_utf8_lossy(&up(folder, &["--status"]).stdout).into_owned();
    let row = page.lines().find(|line| line.starts_with(name));
    let row = row.unwrap_or_else(|| panic!("no {name}:\n{page}"));
    row.split_whitespace().map(str::to_owned).collect()
}

fn is_there(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    // A process that was not waited for yet has ended all the same.
    stat.is_ok_and(|stat| !stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('Z')))
}

#[test]
fn a_topology_is_started_watched_replaced_and_ended() {
    let (folder, at) = topology("");
    let folder = folder.path();
    let mut running = Up::start(folder);
    running.log.wait("all are ready");
    running.says_in_order(&["up       | records is ready", "CLONE2 is ready", "TOR is ready"]);
    running.says_in_order(&["CLONE1 is ready", "TOR is ready"]);
    assert!(up(folder, &["--status"]).status.success());
    let [_, part, state, process, _, restarts, health, ..] = &row(folder, "CLONE1")[..] else {
        panic!("columns")
    };
    // The record server of a topology is that of its regions.
    let records = product().args(["records", "records", "--status"]).current_dir(folder).output();
    let records = String::from_utf8_lossy(&records.expect("syncpoint starts").stdout).into_owned();
    for name in ["CLONE1", "CLONE2", "TOR"] {
        assert!(records.contains(name), "{name} has its records elsewhere:\n{records}");
    }
    let shown = [part, state, restarts, health].map(String::as_str);
    assert_eq!(shown, ["application", "ready", "0", "100"]);
    let again = up(folder, &[]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("a topology runs already"));

    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        let client = scope.spawn(|| {
            let mut count = 0;
            while !ends.load(Ordering::Relaxed) {
                asked(at).unwrap_or_else(|error| panic!("no answer: {error}"));
                count += 1;
            }
            count
        });
        let replaced = up(folder, &["--replace", "clone"]);
        ends.store(true, Ordering::Relaxed);
        assert!(client.join().expect("each request has an answer") > 0);
        let said = String::from_utf8_lossy(&replaced.stdout).into_owned();
        assert!(replaced.status.success(), "{said}{}", String::from_utf8_lossy(&replaced.stderr));
        assert_eq!(said, "CLONE1 is replaced\nCLONE1 is ready\nCLONE2 is replaced\nCLONE2 is ready\ndone\n");
    });
    assert!(!is_there(process), "another process has come in its place");
    let unknown = up(folder, &["--replace", "NONE"]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("the topology has no NONE"));

    // One that dies is started again.
    let process = row(folder, "CLONE2").swap_remove(3);
    let killed = std::process::Command::new("kill").args(["-KILL", &process]).status();
    assert!(killed.expect("kill").success());
    running.log.wait("CLONE2 has died");
    let begun = Instant::now();
    while row(folder, "CLONE2")[2] != "ready" {
        assert!(begun.elapsed() < PATIENCE, "it does not come back:\n{}", running.log.text());
    }
    assert_eq!(row(folder, "CLONE2")[5], "2");

    signal(&running.child, "TERM");
    assert!(running.ends(), "{}", running.log.whole());
    running.says_in_order(&["TOR has ended", "CLONE1 has ended", "records has ended"]);
    running.says_in_order(&["TOR has ended", "CLONE2 has ended", "records has ended"]);
    running.says_in_order(&["CLONE1   | "]);
    let none = up(folder, &["--status"]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("no topology runs"));
}

#[test]
fn no_process_outlives_the_topology() {
    let (folder, _) = topology("");
    let mut running = Up::start(folder.path());
    running.log.wait("all are ready");
    let processes =
        ["records", "CLONE1", "CLONE2", "TOR"].map(|name| row(folder.path(), name).swap_remove(3));
    assert!(processes.iter().all(|process| is_there(process)));
    signal(&running.child, "KILL");
    running.ends();
    let begun = Instant::now();
    while processes.iter().any(|process| is_there(process)) {
        assert!(begun.elapsed() < PATIENCE, "somebody stays");
        thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test]
async fn a_topology_in_another_folder_stands_by_and_takes_the_records_over() {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::set_permissions(place.path(), Permissions::from_mode(0o711)).expect("a mode");
    let private = Private { is_tied: true, ..Private::new(place.path().join("postgresql")) };
    let server = Server::start(&private).await.expect("a server");
    let owner = server.owner();
    let ListenPlace::Socket { folder, port } = owner.place else { panic!("a private server has a socket") };
    let url = format!("postgresql://{}@:{port}/{}?host={}", owner.user, owner.database, folder.display());
    let topology = format!(
        "[records]\nfolder = \"records\"\ndatabase = \"{url}\"\nschema = \"of_two\"\nlease = 3\n\
         [[region]]\nname = \"TOR\"\npart = \"router\"\nfolder = \"tor\"\n"
    );
    let region = format!("{FREE_PORT}[records]\nfolder = \"../../storage/records\"\n");
    let machine = || application(&[("topology.toml", &topology), ("tor/region.toml", &region)]);
    let (one, other) = (machine(), machine());
    let mut first = Up::start(one.path());
    first.log.wait("all are ready");
    let mut second = Up::start(other.path());
    second.log.wait("this server waits for it");
    assert_eq!(row(other.path(), "records")[2], "starts");
    assert_eq!(row(other.path(), "TOR")[2], "waits");
    // Its server dies: the same folder has the lease again at once.
    let process = row(one.path(), "records").swap_remove(3);
    let killed = std::process::Command::new("kill").args(["-KILL", &process]).status();
    assert!(killed.expect("kill").success());
    first.log.wait("records has died");
    let begun = Instant::now();
    while row(one.path(), "records")[2] != "ready" {
        assert!(begun.elapsed() < PATIENCE, "it does not come back:\n{}", first.log.text());
    }
    assert_eq!(row(one.path(), "TOR")[5], "0", "its region goes on with it");
    signal(&first.child, "KILL");
    first.ends();
    second.log.wait("all are ready");
    second.says_in_order(&["records is ready", "TOR is ready"]);
    signal(&second.child, "TERM");
    assert!(second.ends(), "{}", second.log.whole());
}

#[test]
fn mistakes_are_told_before_or_by_the_one_that_does_not_start() {
    let (folder, _) = topology("limit = 3\n");
    let said = up(folder.path(), &[]);
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(!said.status.success() && text.contains("`limit` is not a key"), "{text}");
    assert!(text.contains("topology.toml:1:1"), "{text}");

    let (folder, _) = topology("");
    std::fs::write(folder.path().join("tor/region.toml"), "applied = \"X\"\n").expect("written");
    let said = up(folder.path(), &[]);
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(!said.status.success() && text.contains("TOR has not started, so all are ended"), "{text}");
    assert!(text.contains("TOR      | ") && text.contains("`applied` is not a key"), "{text}");
    assert!(text.contains("CLONE1 has ended") && text.contains("records has ended"), "{text}");

    std::fs::remove_file(folder.path().join("tor/region.toml")).expect("removed");
    let said = up(folder.path(), &[]);
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(text.contains("tor has no region.toml") && text.contains("topology.toml:"), "{text}");
}
