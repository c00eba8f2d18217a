//! The programs around the Authenticator as a person types them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Output, Stdio};

use expect_test::expect;

fn cards() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint-cards"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn an_hsm_answers_until_it_is_told_to_stop() {
    let mut hsm = cards().args(["hsm", "--listen", "127.0.0.1:0"]).spawn().expect("it starts");
    let mut lines = BufReader::new(hsm.stdout.take().expect("its output"));
    let mut first = String::new();
    lines.read_line(&mut first).expect("a line");
    let address = first.split([' ', ';']).find(|word| word.contains(':')).expect("an address");

    let mut host = TcpStream::connect(address).expect("it listens");
    host.write_all(b"\x00\x0BHEADB20001a").expect("sent");
    let mut answer = [0; 11];
    host.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"\x00\x09HEADB300a");

    // The shell's own: a small machine has no other.
    let kill = format!("kill {}", hsm.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().is_ok_and(|status| status.success()));
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("its last words");
    assert!(hsm.wait().expect("it ends").success());
    assert!(rest.contains("connections  1 accepted, 1 at a time, 0 refused"), "{rest}");
    assert!(rest.contains("B2                   1 × 00 no error"), "{rest}");
}

#[test]
fn cards_are_made_and_a_load_without_an_authenticator_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| -> Output {
        cards().args(arguments).current_dir(folder.path()).output().expect("it runs")
    };
    let made = run(&["cards", "tracks", "--cards", "4", "--terminals", "2"]);
    expect![[r#"
        tracks holds 4 cards in 2 files.
    "#]]
    .assert_eq(&text(&made.stdout));
    // No server listens on port 0.
    let load = run(&["load", "127.0.0.1:0", "--tracks", "tracks", "--messages", "2", "--ledger", "ledger"]);
    assert!(!load.status.success());
    assert!(text(&load.stdout).contains("4 × not connected !"), "{}", text(&load.stdout));
    assert!(text(&load.stderr).contains("SPCL018"));
    let replay = run(&["load", "127.0.0.1:0", "--tracks", "tracks", "--replay-ledger", "--ledger", "ledger"]);
    assert!(replay.status.success(), "nothing was accepted: nothing is sent again");
}

#[test]
fn a_size_that_cannot_be_had_says_why() {
    let size = cards().args(["size", "--cpu-us", "60", "--rate", "100", "--response-ms", "1"]).output();
    let size = size.expect("it runs");
    assert!(!size.status.success());
    expect![[r#"
        error[SPCL019]: a response takes 1.263 ms even without queues: 1.000 ms cannot be had

    "#]]
    .assert_eq(&text(&size.stderr));
}
