//! A process with few descriptors: a region that starts lets somebody in, tells others that it is full, and no door stops another.

use std::io::Read;
use std::net::TcpStream;
use std::process::Command;

use crate::house::{FREE_PORT, PATIENCE, Region, application, product};

#[test]
fn with_few_descriptors_some_are_let_in_and_no_door_is_stopped_by_another() {
    let folder = application(&[("region.toml", FREE_PORT)]);
    let (mut started, mut refused) = (0, 0);
    for descriptors in [40, 60, 100, 200] {
        let region = match Region::limited(folder.path(), descriptors) {
            Ok(region) => region,
            Err(said) => {
                assert!(
                    said.contains("descriptors") && said.contains("raise the limit"),
                    "{descriptors}: {said}"
                );
                refused += 1;
                continue;
            }
        };
        started += 1;
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
        assert!(status.status.success(), "{descriptors}: {}", String::from_utf8_lossy(&status.stderr));
        drop(clients);
        region.signal("INT");
        let (status, log) = region.ended();
        assert!(status.success(), "{log}");
    }
    assert!(started > 0 && refused > 0, "{started} started, {refused} refused");
}

impl Region {
    /// Starts the region of a folder with so many descriptors; what it says if it does not start.
    fn limited(folder: &std::path::Path, descriptors: usize) -> Result<Self, String> {
        let mut command = Command::new("sh");
        let limited = format!("ulimit -n {descriptors} && exec \"$0\" \"$@\"");
        command.args(["-c", &limited, env!("CARGO_BIN_EXE_syncpoint")]);
        Self::launch_by(command, folder, &[])
    }
}
