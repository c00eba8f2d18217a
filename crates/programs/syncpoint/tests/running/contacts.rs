//! The sample of the two paths: the same programs answer the same messages by a task for each, and on the direct path.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::house::{PATIENCE, Region};

/// A copy of the sample that listens on ports of its own.
fn sample() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    // The private PostgreSQL runs as another user where the region is root.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("permitted");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/contacts");
    let status = Command::new("cp").arg("-r").arg(from.join(".")).arg(folder.path()).status();
    assert!(status.is_ok_and(|status| status.success()), "copied");
    let file = folder.path().join("region.toml");
    let text = fs::read_to_string(&file).expect("a configuration");
    let text = [":3270\"", ":8080\"", ":8090\""].iter().fold(text, |text, port| text.replace(port, ":0\""));
    fs::write(file, text).expect("written");
    folder
}

/// The status and body of an answer.
fn ask(address: &str, path: &str, body: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.split(' ').nth(1).unwrap_or_default().to_owned(), body.trim_end_matches('\0').to_owned())
}

#[test]
fn both_paths_answer_the_same() {
    let folder = sample();
    let region = Region::start(folder.path());
    let direct = region.logged("messages for scenarios come to ");
    let normal = region.logged("TCPIPSERVICE CONTACTS listens on ");
    // The private PostgreSQL is there when it answers.
    let begun = Instant::now();
    while ask(&direct, "/sql", "Q 00000007").0 != "200" {
        assert!(begun.elapsed() < PATIENCE, "no statement is answered:\n{}", region.log());
        thread::sleep(Duration::from_millis(100));
    }
    let contact =
        |id: &str, name: &str, phone: &str, qualifier: &str| format!("{id}{name:30}{phone:20}{qualifier:10}");
    let bond = contact("00000007", "BOND", "555-0007", "AGENT");
    let changed = contact("00000100", "NEW", "555-0000", "CHANGED");
    let created = contact("00000100", "NEW", "555-0100", "FRESH");
    for path in ["/sql", "/vsam"] {
        for address in [&normal, &direct] {
            let said = |body: &str| {
                let (status, body) = ask(address, path, body);
                (status, body.trim_end().to_owned())
            };
            let ok = |state: char, action: char, rest: &str| {
                (String::from("200"), format!("{action}{state}{rest}").trim_end().to_owned())
            };
            assert_eq!(said("Q 00000007"), ok('0', 'Q', &bond), "{path} {address}");
            assert_eq!(said("Q 99999999").1[..2], *"QN", "{path} {address}");
            assert_eq!(said(&format!("M {created}")), ok('0', 'M', &changed), "{path} {address}");
            // It is gone: the next one can be created.
            assert_eq!(said("Q 00000100").1[..2], *"QN", "{path} {address}");
            // What a message leaves out is X'00' in the record and in the row.
            assert_eq!(said("M 00000101NAME").1[..2], *"M0", "{path} {address}");
            // One that is there already cannot: what was begun is backed out, and the next message is served.
            assert_eq!(said(&format!("M {bond}")).0, "500", "{path} {address}");
            assert_eq!(said("Q 00000007"), ok('0', 'Q', &bond), "{path} {address}");
        }
    }
}

#[test]
fn the_converted_program_is_shown_and_what_cannot_be_is_said_at_its_line() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/contacts");
    let shown = |program: &str, name: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_syncpoint"))
            .args(["direct", &format!("cobol/{program}.cbl"), "--name", name, "--application", "."])
            .current_dir(&sample)
            .env("NO_COLOR", "1")
            .output()
            .expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    let (done, text, told) = shown("CONTVSM", "CONTVSD");
    assert!(done, "{told}");
    assert!(
        text.contains("PROGRAM-ID. CONTVSD.") && text.contains("PROGRAM-ID. CONTVSM IS INITIAL."),
        "{text}"
    );
    let (done, _, told) = shown("CONTWEB", "CONTWBD");
    assert!(!done);
    assert!(told.contains("WEB cannot be converted") && told.contains("CONTWEB.cbl:27"), "{told}");
}
