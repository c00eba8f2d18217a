//! The sample Authenticator, whole: a test HSM, a region, simulated terminals.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::house::{FREE_PORT, Region};

/// Where the sample's listener and its first HSM are.
const LISTENER_PORT: &str = "PORT=7200";
const HSM_PORT: &str = "01500";

fn syncpoint(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.args(arguments).current_dir(folder);
    command.output().expect("it runs")
}

/// A test HSM on a free port. It is killed when it goes out of scope.
struct Hsm(Child);

impl Hsm {
    fn start() -> (Self, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
        command.args(["hsm", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut first = String::new();
        BufReader::new(child.stdout.as_mut().expect("its output")).read_line(&mut first).expect("a line");
        let port = first.split([' ', ';']).find_map(|word| word.strip_prefix("127.0.0.1:")).expect("a port");
        let port = port.to_owned();
        (Self(child), port)
    }
}

impl Drop for Hsm {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A copy of the sample that uses free ports.
fn copy(from: &Path, to: &Path, hsm_port: &str) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target, hsm_port);
            continue;
        }
        let text = fs::read_to_string(&path).expect("text");
        let text = match entry.file_name().to_str() {
            Some("listener.txt") => text.replace(LISTENER_PORT, "PORT=0"),
            Some("config.txt") => text.replacen(HSM_PORT, &format!("{hsm_port:0>5}"), 1),
            Some("region.toml") => text + "\n" + FREE_PORT,
            _ => text,
        };
        fs::write(target, text).expect("written");
    }
}

#[test]
fn cards_are_authenticated_and_what_is_wrong_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_hsm, hsm_port) = Hsm::start();
    let application = folder.path().join("application");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/authenticator");
    copy(&sample, &application, &hsm_port);
    let batch = application.join("import.txt");
    let batch = batch.to_str().expect("a path");
    let made =
        syncpoint(folder.path(), &["cards", "tracks", "--cards", "40", "--terminals", "4", "--batch", batch]);
    assert!(made.status.success());

    let region = Region::start(&application);
    region.logs("portfolio P001: 000000040 new");
    const SAYS: &str = "listener CSKL listens on port ";
    region.logs(SAYS);
    let log = region.log();
    let port = log.split_once(SAYS).and_then(|(_, rest)| rest.split_whitespace().next()).expect("a port");
    let target = format!("127.0.0.1:{port}");
    let mix = "wrong=10,replayed=10,unknown-bin=10,malformed=10,short=5,oversized=5";
    let load = syncpoint(
        folder.path(),
        &["load", &target, "--tracks", "tracks", "--messages", "50", "--mix", mix, "--ledger", "ledger"],
    );
    let said = String::from_utf8_lossy(&load.stdout).into_owned();
    assert!(load.status.success(), "{said}\n{}", region.log());
    for line in ["× 00 authentic", "× 05 wrong code", "× 63 replayed counter", "× 14 unknown BIN"] {
        assert!(said.contains(line), "no “{line}” in\n{said}");
    }
    let replay = syncpoint(
        folder.path(),
        &["load", &target, "--tracks", "tracks", "--replay-ledger", "--ledger", "ledger"],
    );
    assert!(replay.status.success(), "{}", String::from_utf8_lossy(&replay.stdout));
}
