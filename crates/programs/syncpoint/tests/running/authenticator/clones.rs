//! Clones of the Authenticator behind one port, with one record server: what one has accepted the others know, and terminals see
//! neither that clones are replaced nor more of a kill than the connections that its victim had.
//!
//! `SYNCPOINT_RESTARTS` says how often a clone is replaced.

use std::fs;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use super::house::{Hsm, Issuer, Wanted};
use crate::house::{PATIENCE, asked_for};
use crate::ports::free;
use crate::topologies::{Up, row, up};

/// Replacements in an ordinary run; each round replaces both clones.
const RESTARTS: u64 = 4;
const CLONES: u64 = 2;
/// More messages of each terminal than it can send in this time.
const ENDLESS: &str = "1000000";

/// Two clones that have not started; the port of their listener.
fn clones(issuer: &Issuer) -> SocketAddr {
    let [at, _] = free();
    let listener = issuer.application().join("sockets/listener.txt");
    let text = fs::read_to_string(&listener).expect("the listener");
    assert!(text.contains("PORT=0,"), "{text}");
    fs::write(listener, text.replace("PORT=0,", &format!("PORT={},", at.port()))).expect("written");
    let topology = format!(
        "[records]\nfolder = \"records\"\n[[region]]\nname = \"CLONE\"\nsysid = \"CLN\"\nclones = {CLONES}\n\
         folder = \"application\"\nset = [\"sit.WLMHEALTH=OFF\", \"ports.cool-down=1\"]\n"
    );
    fs::write(issuer.folder().join("topology.toml"), topology).expect("written");
    at
}

/// Waits until a clone is ready after its death.
fn is_back(issuer: &Issuer, name: &str) {
    let begun = Instant::now();
    while row(issuer.folder(), name)[2] != "ready" {
        assert!(begun.elapsed() < PATIENCE, "{name} does not come back");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn clones_share_accounts_and_are_replaced_and_killed_under_load() {
    let restarts = asked_for("SYNCPOINT_RESTARTS").unwrap_or(RESTARTS);
    let hsm = Hsm::start(&[]);
    let issuer = Issuer::new(&Wanted { log: true, cards: 64, terminals: 8, ..Wanted::with(&[&hsm]) });
    let at = clones(&issuer);
    let running = Up::start(issuer.folder());
    running.log.wait("all are ready");
    running.log.wait("AUTIMP: portfolio P001: 0");

    // They are replaced: each message has its answer.
    let options = ["--messages", ENDLESS, "--rate", "20/1", "--each-second"];
    let mut load = issuer.load_at(at.port(), &options);
    load.works();
    for _ in 0..restarts.div_ceil(CLONES) {
        let replaced = up(issuer.folder(), &["--replace", "CLONE"]);
        assert!(
            replaced.status.success(),
            "{}\n{}",
            String::from_utf8_lossy(&replaced.stderr),
            running.log.text()
        );
    }
    let said = load.stopped();
    assert!(said.contains(", 0 not as they should be"), "{said}\n{}", running.log.text());
    assert!(said.contains(" a second   response ") && said.contains("no errors"), "{said}");
    eprintln!("{restarts} restarts:\n{said}");

    // One is killed: what it had accepted is lost, and nothing else.
    let mut load = issuer.load_at(at.port(), &["--messages", ENDLESS, "--rate", "20/1"]);
    load.works();
    let process = row(issuer.folder(), "CLONE2").swap_remove(3);
    let killed = std::process::Command::new("kill").args(["-KILL", &process]).status();
    assert!(killed.expect("kill").success());
    running.log.wait("CLONE2 has died");
    load.works();
    is_back(&issuer, "CLONE2");
    load.works();
    let said = load.stopped();
    for line in said.lines().filter(|line| line.ends_with('!')) {
        assert!(line.contains("hung up"), "{said}\n{}", running.log.text());
    }

    // No counter that one clone has accepted is accepted by another.
    let (output, said) = issuer.load_at(at.port(), &["--replay-ledger"]).ended();
    assert!(output.status.success(), "a counter was forgotten:\n{said}\n{}", running.log.text());
    assert!(issuer.ledger().accepted() > 0);
}
