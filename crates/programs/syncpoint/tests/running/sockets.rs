//! Clients of a listener, in numbers; and a region that ends while tasks wait for clients.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::Command;

use crate::house::{FREE_PORT, PATIENCE, Region, application, asked_for};

/// A program that takes the socket that the listener gives, says something, and closes it.
fn child(name: &str, storage: &str, says: &str) -> String {
    format!(
        "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. {name}.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  TIM.
           05  GIVE-TAKE-SOCKET  PIC 9(8) COMP.
           05  LSTN-NAME         PIC X(8).
           05  LSTN-SUBNAME      PIC X(8).
           05  FILLER            PIC X(52).
       01  S                     PIC 9(4) BINARY.
       01  ERRNO                 PIC 9(8) BINARY.
       01  RETCODE               PIC S9(8) BINARY.
       01  CLIENTID.
           05  FILLER            PIC 9(8) BINARY VALUE 2.
           05  CID-NAME          PIC X(8).
           05  CID-TASK          PIC X(8).
           05  FILLER            PIC X(20) VALUE LOW-VALUES.
{storage}
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(TIM) END-EXEC
           MOVE LSTN-NAME        TO CID-NAME
           MOVE LSTN-SUBNAME     TO CID-TASK
           MOVE GIVE-TAKE-SOCKET TO S
           CALL 'EZASOKET' USING 'TAKESOCKET' S CLIENTID ERRNO RETCODE
           MOVE RETCODE          TO S
{says}
           CALL 'EZASOKET' USING 'CLOSE' S ERRNO RETCODE
           EXEC CICS RETURN END-EXEC.
"
    )
}

/// The data and statements of PONG.
const PONG: (&str, &str) = (
    "       01  NBYTE                 PIC 9(8) BINARY VALUE 4.",
    "           CALL 'EZASOKET' USING 'WRITE' S NBYTE 'PONG' ERRNO RETCODE",
);

/// FLOOD says the numbers up to 1,500,000, in more bytes at once than a socket takes.
const FLOOD: (&str, &str) = (
    "       01  NBYTE                 PIC 9(8) BINARY VALUE 1000000.
       01  WS-SAID               PIC 9(8) VALUE ZERO.
       01  WS-NUMBERS.
           05  WS-NUMBER         PIC 9(8) OCCURS 125000
                                 INDEXED WS-N.",
    "           PERFORM 12 TIMES
              PERFORM VARYING WS-N FROM 1 BY 1
                                 UNTIL WS-N > 125000
                 ADD 1           TO WS-SAID
                 MOVE WS-SAID    TO WS-NUMBER(WS-N)
              END-PERFORM
              CALL 'EZASOKET' USING 'WRITE' S NBYTE WS-NUMBERS
                   ERRNO RETCODE
              IF RETCODE NOT = NBYTE
                 DISPLAY 'SENT ' RETCODE ' ERRNO ' ERRNO
              END-IF
           END-PERFORM",
);

const CSD: &str = "
DEFINE PROGRAM(PONG) GROUP(APPL) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(PONG) GROUP(APPL) PROGRAM(PONG)
DEFINE PROGRAM(FLOOD) GROUP(APPL) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(FLOD) GROUP(APPL) PROGRAM(FLOOD)
";

/// Gets its messages by LINK, and leaves answers: the message itself.
const ECHO: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ECHO.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA             PIC X(20).
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
";

const MANY: &str = "
         EZACICD TYPE=LISTENER,PORT=0,NUMSOCK=20000,BACKLOG=4096,
               GIVTIME=60
";

/// Every user of a terminal may look at listeners.
const RIGHTS: &str = "[security]\ndefault-rights = [\"run\", \"inquire\", \"operate\"]\n";

/// As few sockets as a listener can be told to have.
const FEW: &str = " EZACICD TYPE=LISTENER,PORT=0,NUMSOCK=50,BACKLOG=200\n";

/// Connections at once, if the descriptors of this process are enough. More of them: SOCKET_CLIENTS=10000.
const CONNECTIONS: usize = 2_000;

fn connections() -> usize {
    asked_for("SOCKET_CLIENTS").map_or(CONNECTIONS, |number| number as usize)
}

fn start(listener: &str) -> (tempfile::TempDir, Region, u16) {
    let lists = "[plt]\nstartup = [\"EZACIC20\"]\nshutdown = [\"EZACIC20\"]\n";
    let region = format!("[sockets]\nlisteners = \"listeners.txt\"\n{lists}{RIGHTS}{FREE_PORT}");
    let files = [
        ("region.toml", region.as_str()),
        ("appl.csd", CSD),
        ("listeners.txt", listener),
        ("programs/PONG.cbl", &child("PONG", PONG.0, PONG.1)),
        ("programs/FLOOD.cbl", &child("FLOOD", FLOOD.0, FLOOD.1)),
    ];
    let folder = application(&files);
    let region = Region::start(folder.path());
    const SAYS: &str = "listener CSKL listens on port ";
    let port = region.logged(SAYS).parse().expect("a port");
    (folder, region, port)
}

#[test]
fn thousands_of_clients_connect_and_say_nothing_and_all_are_served_when_they_speak() {
    let (_folder, region, port) = start(MANY);
    let mut clients = Vec::new();
    while clients.len() < connections() {
        match TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
            Ok(client) => clients.push(client),
            // EMFILE: this process has no descriptor left.
            Err(error) if error.kind() == ErrorKind::Other || error.raw_os_error() == Some(24) => break,
            Err(error) => panic!("client {}: {error}", clients.len()),
        }
    }
    println!("{} connections at once", clients.len());
    // Room for the answers' reader and whatever else this process opens.
    clients.truncate(clients.len().saturating_sub(16).max(1));
    for client in &mut clients {
        client.write_all(b"PONG").expect("said");
    }
    for (number, client) in clients.iter_mut().enumerate() {
        client.set_read_timeout(Some(PATIENCE)).expect("set");
        let mut answer = String::new();
        client
            .read_to_string(&mut answer)
            .unwrap_or_else(|error| panic!("client {number}: {error}; the region's log:\n{}", region.log()));
        assert_eq!(answer, "PONG", "client {number}; the region's log:\n{}", region.log());
    }
}

#[test]
fn a_client_that_is_slow_to_read_gets_all_that_was_written_once() {
    let (_folder, region, port) = start(MANY);
    let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("connected");
    client.write_all(b"FLOD").expect("said");
    // Nothing is read before the writer has to wait.
    region.terminal().until("CEMT INQUIRE TASK", "Tra(FLOD) Fac() Sus Use(CICSUSER) Hty(SOCKET)");
    client.set_read_timeout(Some(PATIENCE)).expect("set");
    let mut numbers = String::new();
    client.read_to_string(&mut numbers).unwrap_or_else(|error| panic!("{error}:\n{}", region.log()));
    for (at, number) in numbers.as_bytes().chunks(8).enumerate() {
        assert_eq!(number, format!("{:08}", at + 1).as_bytes(), "the region's log:\n{}", region.log());
    }
    assert_eq!(numbers.len(), 12_000_000, "the region's log:\n{}", region.log());
    assert!(!region.log().contains("SENT"), "{}", region.log());
}

#[test]
fn a_listener_does_not_keep_a_region_that_ends() {
    let (_folder, region, port) = start(MANY);
    let silent = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("connected");
    let log = region.ends_in_order();
    assert!(log.contains("listener CSKL has stopped"), "{log}");
    drop(silent);
}

#[test]
fn a_conversation_does_not_keep_a_region_that_ends() {
    let conversation = "[[conversation]]\nprogram = \"ECHO\"\nreceive = \"127.0.0.1:0\"\ncommarea = 20\n";
    let folder = application(&[
        ("region.toml", &format!("{FREE_PORT}{conversation}")),
        ("appl.csd", "DEFINE PROGRAM(ECHO) GROUP(APPL) CONCURRENCY(THREADSAFE)\n"),
        ("programs/ECHO.cbl", ECHO),
    ]);
    let region = Region::start(folder.path());
    let address = region.logged("program ECHO has its messages from ");
    let mut client = TcpStream::connect(&address).expect("connected");
    client.write_all(b"\x00\x05HELLO").expect("said");
    let mut answer = [0; 7];
    client.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"\x00\x05HELLO");
    region.ends_in_order();
    assert_eq!(client.read(&mut answer).expect("the end"), 0);
}

#[test]
fn above_its_sockets_a_listener_accepts_no_client_until_one_goes() {
    let (folder, region, port) = start(FEW);
    let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("connected");
    let silent: Vec<TcpStream> = (0..100).map(|_| connect()).collect();
    let mut late = connect();
    late.write_all(b"PONG").expect("said");
    // Its own socket is one of the 50.
    region.terminal().until("EZAO INQUIRE", "49 clients wait");
    drop(silent);
    let mut answer = String::new();
    late.set_read_timeout(Some(PATIENCE)).expect("set");
    late.read_to_string(&mut answer).unwrap_or_else(|error| panic!("{error}:\n{}", region.log()));
    assert_eq!(answer, "PONG", "{}", region.log());
    region.ends_in_order();
    let report = Command::new(env!("CARGO_BIN_EXE_syncpoint"))
        .args(["report", "statistics", "--kind", "listener"])
        .current_dir(folder.path())
        .output()
        .expect("it runs");
    let report = String::from_utf8_lossy(&report.stdout);
    let figure = |field| -> u64 {
        let words =
            report.lines().find_map(|line| line.split_once(field)?.1.split_whitespace().next()?.parse().ok());
        words.unwrap_or_else(|| panic!("no {field}:\n{report}"))
    };
    assert!(figure("SPKPEAK") == 49 && figure("SPKFULL") > 0, "{report}");
}
