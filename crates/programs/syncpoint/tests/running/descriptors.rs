//! A process with few descriptors: a region that starts lets clients in, refuses others by a message, and no door stops another.

use std::io::Read;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

use crate::house::{FREE_PORT, PATIENCE, Region, application, product};

#[test]
fn with_few_descriptors_some_are_let_in_and_no_door_is_stopped_by_another() {
    let folder = application(&[("region.toml", FREE_PORT)]);
    let least = least_descriptors(folder.path());
    for descriptors in [least, least + 1, least + 20, least + 140] {
        let region = Region::limited(folder.path(), descriptors).expect("the region starts");
        region.logs("connections = 5000 is more than the process can have");
        // Idle terminals, more than there may be descriptors at all.
        let clients: Vec<_> =
            (0..descriptors + 8).map(|_| TcpStream::connect(region.address).expect("a connection")).collect();
        let mut turned_away = 0;
        for mut client in &clients {
            client.set_read_timeout(Some(PATIENCE)).expect("a limit");
            // A client that is let in is greeted by a negotiation; any other reads a refusal, and the connection ends.
            let mut first = [0; 1];
            assert_eq!(client.read(&mut first).expect("an answer"), 1, "{descriptors}: nobody answers");
            client.set_read_timeout(Some(std::time::Duration::from_millis(50))).expect("a limit");
            let ended = client.read_to_end(&mut Vec::new()).is_ok();
            turned_away += usize::from(ended);
        }
        assert!(
            turned_away > 0 && turned_away < clients.len(),
            "{descriptors}: {turned_away} of {}",
            clients.len()
        );
        // Another door: the private socket.
        let status =
            product().args(["status", "."]).current_dir(folder.path()).output().expect("syncpoint starts");
        drop(clients);
        region.signal("INT");
        let (ended, log) = region.ended();
        let told = String::from_utf8_lossy(&status.stderr);
        assert!(status.status.success(), "{descriptors}, of which {least} are the least: {told}{log}");
        assert!(ended.success(), "{log}");
    }
}

#[test]
fn a_tool_that_finds_all_sessions_taken_reads_so() {
    let folder = application(&[("region.toml", FREE_PORT)]);
    let region = Region::start(folder.path());
    let socket = folder.path().join(".syncpoint/access");
    let status =
        || product().args(["status", "."]).current_dir(folder.path()).output().expect("syncpoint starts");
    // Tools that say nothing; the region accepts them in their order, before the one that asks.
    let idle: Vec<_> = (0..64).map(|_| UnixStream::connect(&socket).expect("a session")).collect();
    for _ in 0..20 {
        let refused = status();
        let told = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && told.contains("all 64 connections are in use"), "{told}");
    }
    drop(idle);
    region.logs("a session from outside cannot begin");
    region.ends_in_order();
}

/// Returns the least limit with which the region starts, as its refusal with fewer descriptors names it.
fn least_descriptors(folder: &Path) -> usize {
    let said = Region::limited(folder, 40).err().expect("40 descriptors are too few");
    let (_, least) = said.split_once("raise the limit (ulimit -n, LimitNOFILE=) to ").expect(&said);
    least.split(' ').next().and_then(|least| least.parse().ok()).expect(&said)
}

impl Region {
    /// Starts the region of a folder with so many descriptors; what it says if it does not start.
    fn limited(folder: &Path, descriptors: usize) -> Result<Self, String> {
        let mut command = Command::new("sh");
        let limited = format!("ulimit -n {descriptors} && exec \"$0\" \"$@\"");
        command.args(["-c", &limited, env!("CARGO_BIN_EXE_syncpoint")]);
        Self::launch_by(command, folder, &[])
    }
}
