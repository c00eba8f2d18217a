//! A record server as a process: its socket, its end, its death.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use records::{Engine, Recovery, Wait};
use share::Remote;

/// A server that is ready.
pub(crate) struct Process(Child);

impl Process {
    /// Kills it, and waits until it is gone.
    pub(crate) fn kill(mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ends");
    }

    /// Ends it in order.
    pub(crate) fn end(mut self) {
        crate::house::signal(&self.0, "TERM");
        assert!(self.0.wait().expect("it ends").success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn start(folder: &Path) -> Process {
    start_with(folder, &[])
}

/// The same with options.
pub(crate) fn start_with(folder: &Path, options: &[&str]) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.arg("records").arg(folder).args(options).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("its output");
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    assert!(line.contains("is ready"), "{line}");
    Process(child)
}

async fn begin(folder: &Path, applid: &str) -> std::sync::Arc<Remote> {
    Remote::open(&share::socket(folder), applid, 1_000).await.expect("the server takes it")
}

#[tokio::test]
async fn regions_share_records_and_a_server_that_is_killed_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = start(folder.path());
    let mode = std::fs::metadata(share::socket(folder.path())).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "the socket is its owner's alone");
    let (one, other) = (begin(folder.path(), "REGA").await, begin(folder.path(), "REGB").await);
    let mut unit = one.begin(one.locks().new_owner());
    let accounts = unit.create_store("accounts", Recovery::Recoverable).unwrap();
    unit.commit().await.unwrap();
    let mut record = Vec::new();
    for (number, engine) in [&one, &other, &one].into_iter().enumerate() {
        if number == 2 {
            server.0.kill().unwrap();
            server.0.wait().unwrap();
            server = start(folder.path());
        }
        let mut unit = engine.begin(engine.locks().new_owner());
        let there = unit.lock_and_get(accounts, b"a", Wait::Forever, &mut record).await;
        assert_eq!(there, Ok(number > 0));
        record.push(b'x');
        unit.put(accounts, b"a", &record).await.unwrap();
        unit.commit().await.unwrap();
    }
    assert_eq!(record, b"xxx");
    drop(one);
    // The name is free again when the region has gone in order.
    let again = begin(folder.path(), "REGA").await;
    let mut unit = again.begin(again.locks().new_owner());
    assert_eq!(unit.get(accounts, b"a", &mut record).await, Ok(true));
    // An orderly end: regions hear it, the socket is gone.
    let ended = Command::new("kill").arg(server.0.id().to_string()).status().unwrap();
    assert!(ended.success());
    assert!(server.0.wait().unwrap().success());
    assert!(!share::socket(folder.path()).exists());
    drop((unit, again, other));
}

#[test]
fn a_folder_has_one_server() {
    let folder = tempfile::tempdir().unwrap();
    let _server = start(folder.path());
    let mut second = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let second = second.arg("records").arg(folder.path()).output().expect("it runs");
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(!second.status.success() && said.contains("SPCL042") && said.contains("in use"), "{said}");
    let state = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(state.path().join("data/base")).unwrap();
    let refused = Command::new(env!("CARGO_BIN_EXE_syncpoint")).arg("records").arg(state.path()).output();
    let said = String::from_utf8_lossy(&refused.expect("it runs").stderr).into_owned();
    assert!(said.contains("SPCL042") && said.contains("the state of a region"), "{said}");
}

fn status(folder: &Path, options: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.arg("records").arg(folder).arg("--status").args(options);
    command.output().expect("it runs")
}

#[tokio::test]
async fn a_server_says_what_it_does_for_each_region_and_store() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = status(folder.path(), &[]);
    let said = String::from_utf8_lossy(&nobody.stderr).into_owned();
    assert!(!nobody.status.success() && said.contains("SPCL042"), "{said}");
    let server = start(folder.path());
    let (one, other) = (begin(folder.path(), "REGA").await, begin(folder.path(), "REGB").await);
    let mut unit = one.begin(one.locks().new_owner());
    let accounts = unit.create_store("accounts", Recovery::Recoverable).unwrap();
    unit.commit().await.unwrap();
    let mut unit = one.begin(one.locks().new_owner());
    unit.lock(accounts, b"a", Wait::Forever).await.unwrap();
    unit.put(accounts, b"a", b"1").await.unwrap();
    let mut theirs = other.begin(other.locks().new_owner());
    let late = theirs.lock(accounts, b"a", Wait::AtMost(std::time::Duration::from_millis(20))).await;
    assert_eq!(late, Err(records::Error::TimedOut));
    unit.commit().await.unwrap();
    other.keep(accounts, None);
    let mut record = Vec::new();
    for _ in 0..3 {
        assert_eq!(theirs.get(accounts, b"a", &mut record).await, Ok(true));
    }
    theirs.lock_name(b"N", records::Lifetime::Unit, Wait::No).await.unwrap();
    let json = status(folder.path(), &["--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let [rega, regb] = [&json["regions"][0], &json["regions"][1]];
    assert_eq!((rega["applid"].as_str(), regb["applid"].as_str()), (Some("REGA"), Some("REGB")), "{json}");
    assert_eq!((rega["counts"]["units"].as_u64(), rega["counts"]["forced"].as_u64()), (Some(2), Some(2)));
    let store = |region: &serde_json::Value, count: &str| {
        let stores = region["stores"].as_array().expect("stores");
        let store = stores.iter().find(|store| store["store"] == "accounts").expect("the store");
        store["counts"][count].as_u64()
    };
    assert_eq!(store(rega, "changes"), Some(1), "{json}");
    for (count, number) in [("timeouts", 1), ("lock_waits", 1), ("copies_used", 2), ("copies_refused", 0)] {
        assert_eq!(store(regb, count), Some(number), "{count}: {json}");
    }
    assert_eq!(regb["holding"].as_u64(), Some(1), "{json}");
    drop(one);
    let text = String::from_utf8(status(folder.path(), &[]).stdout).expect("text");
    assert!(text.contains("REGA (gone)") && text.contains("REGB (1 hold locks, 0 wait)"), "{text}");
    assert!(text.contains("  accounts"), "{text}");
    // A server that is killed leaves no copy that counts, and no name.
    server.kill();
    let _server = start(folder.path());
    let again = begin(folder.path(), "REGA").await;
    let mut unit = again.begin(again.locks().new_owner());
    assert_eq!(unit.lock_name(b"N", records::Lifetime::Unit, Wait::Forever).await, Ok(()), "it is free");
    unit.put(accounts, b"a", b"2").await.unwrap();
    unit.commit().await.unwrap();
    assert!(theirs.commit().await.is_ok(), "it has changed nothing");
    let mut unit = other.begin(other.locks().new_owner());
    assert_eq!(unit.get(accounts, b"a", &mut record).await, Ok(true));
    assert_eq!(record, b"2");
}
