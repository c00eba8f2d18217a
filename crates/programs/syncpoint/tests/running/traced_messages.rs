//! Bytes of sockets and of the web in the auxiliary trace: a task of EZASOKET, and one of a web request that asks a server.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::thread::{self, JoinHandle};

use tempfile::TempDir;
use tn3270::datastream::Aid;

use crate::house::{FREE_PORT, Region, application};
use crate::traced::{calls, said, trace_of};

/// Says HELLO to a peer by EZASOKET, and reads its six bytes.
const SOCKS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SOCKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  S           PIC 9(4) BINARY VALUE 0.
       01  ERRNO       PIC 9(8) BINARY VALUE 0.
       01  RETCODE     PIC S9(8) BINARY VALUE 0.
       01  AF          PIC 9(8) BINARY VALUE 2.
       01  SOCTYPE     PIC 9(8) BINARY VALUE 1.
       01  PROTO       PIC 9(8) BINARY VALUE 0.
       01  NBYTE       PIC 9(8) BINARY VALUE 5.
       01  BUF         PIC X(6).
       01  SOCKNAME.
           05  FAMILY  PIC 9(4) BINARY VALUE 2.
           05  PORT    PIC 9(4) BINARY VALUE {port}.
           05  ADDR    PIC X(4) VALUE X'7F000001'.
           05  FILLER  PIC X(8) VALUE LOW-VALUES.
       PROCEDURE DIVISION.
           CALL 'EZASOKET' USING 'SOCKET          ' AF SOCTYPE PROTO
                ERRNO RETCODE
           MOVE RETCODE TO S
           CALL 'EZASOKET' USING 'CONNECT         ' S SOCKNAME ERRNO
                RETCODE
           CALL 'EZASOKET' USING 'WRITE           ' S NBYTE 'HELLO'
                ERRNO RETCODE
           MOVE 6 TO NBYTE
           CALL 'EZASOKET' USING 'READ            ' S NBYTE BUF ERRNO
                RETCODE
           CALL 'EZASOKET' USING 'CLOSE           ' S ERRNO RETCODE
           EXEC CICS RETURN END-EXEC.
";

/// Reads what a client has sent, asks a server, and answers.
const SHOPS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SHOPS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  PRT         PIC S9(8) COMP VALUE {port}.
       01  TOK         PIC X(8).
       01  BODY-TEXT   PIC X(20).
       01  L           PIC S9(8) COMP VALUE 20.
       01  MT          PIC X(56) VALUE 'text/plain'.
       PROCEDURE DIVISION.
           EXEC CICS WEB RECEIVE INTO(BODY-TEXT) LENGTH(L)
                     MAXLENGTH(20) END-EXEC
           EXEC CICS WEB OPEN HOST('127.0.0.1') HOSTLENGTH(9)
                     PORTNUMBER(PRT) SESSTOKEN(TOK) END-EXEC
           MOVE 20 TO L
           EXEC CICS WEB CONVERSE SESSTOKEN(TOK) POST
                     PATH('/ask') PATHLENGTH(4)
                     FROM('ASK') FROMLENGTH(3)
                     MEDIATYPE(MT)
                     INTO(BODY-TEXT) TOLENGTH(L) MAXLENGTH(20) END-EXEC
           EXEC CICS WEB SEND FROM('DONE') FROMLENGTH(4)
                     MEDIATYPE('text/plain') END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE PROGRAM(SOCKS) GROUP(T) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(SOCK) GROUP(T) PROGRAM(SOCKS)
DEFINE PROGRAM(SHOPS) GROUP(T) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(SHOP) GROUP(T) PROGRAM(DFHWBA)
DEFINE TCPIPSERVICE(SHOP) GROUP(T) PORTNUMBER(80) PROTOCOL(HTTP)
DEFINE URIMAP(SHOP) GROUP(T) HOST(*) PATH(/shop) PROGRAM(SHOPS) TRANSACTION(SHOP)
";

/// Reads what a client says until it has said this, and answers.
fn answers(mut stream: TcpStream, until: &[u8], answer: &[u8]) {
    let mut came = Vec::new();
    let mut byte = [0];
    while !came.ends_with(until) && stream.read_exact(&mut byte).is_ok() {
        came.push(byte[0]);
    }
    stream.write_all(answer).expect("sent");
}

/// A peer that answers one client when it has heard a word.
fn peer(until: &'static [u8], answer: &'static [u8]) -> (u16, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    (port, thread::spawn(move || answers(listener.accept().expect("a client").0, until, answer)))
}

/// The answer to a POST.
fn posts(at: SocketAddr) -> String {
    let mut stream = TcpStream::connect(at).expect("a connection");
    let request = "POST /shop HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n0123456789";
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// Makes a transaction special at a terminal.
fn make_special(region: &Region, transaction: &str) {
    let mut terminal = region.terminal();
    terminal.start("CETR");
    terminal.sees("POSSIBLE CHOICES");
    terminal.press(Aid::Pf(5));
    terminal.sees("TRANSACTION STATUS");
    // A name fills its field, and the cursor goes on to the status.
    terminal.type_text(transaction);
    terminal.type_text("SPECIAL");
    terminal.press(Aid::Enter);
    terminal.sees("DONE");
}

/// The folder of a region with some settings that has ended; SOCK and SHOP have run in it. `special`: this transaction was.
fn has_talked(settings: &str, special: Option<&str>) -> TempDir {
    let (socket, said_hello) = peer(b"HELLO", b"WORLD!");
    let (web, asked) = peer(
        b"\r\n\r\nASK",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n\r\nRATES",
    );
    let region = format!(
        "{FREE_PORT}[security]\ndefault-rights = [\"run\", \"inquire\", \"operate\"]\n[web.services]\nSHOP = \"127.0.0.1:0\"\n\
         [sit]\nAUXTR = \"ON\"\n{settings}"
    );
    let with_port = |program: &str, port: u16| program.replace("{port}", &port.to_string());
    let folder = application(&[
        ("region.toml", &region),
        ("t.csd", DEFINITIONS),
        ("programs/SOCKS.cbl", &with_port(SOCKS, socket)),
        ("programs/SHOPS.cbl", &with_port(SHOPS, web)),
    ]);
    let region = Region::start(folder.path());
    if let Some(transaction) = special {
        make_special(&region, transaction);
    }
    let (well, text) = said(folder.path(), &["start", ".", "SOCK"]);
    assert!(well, "{text}");
    let answer = posts(region.logged("TCPIPSERVICE SHOP listens on ").parse().expect("an address"));
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("DONE"), "{answer}\n{}", region.log());
    said_hello.join().expect("it was asked");
    asked.join().expect("it was asked");
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
    folder
}

/// The lines of a transaction's tree that are entries of a component beyond level 1: they have no command's name.
fn entries(folder: &TempDir, transaction: &str, verbs: &[&str]) -> Vec<String> {
    let words = calls(&trace_of(folder, transaction, &["--tree"]));
    let is_entry = |line: &&String| verbs.iter().any(|verb| line.split(' ').nth(1) == Some(*verb));
    words.iter().filter(is_entry).cloned().collect()
}

const VERBS: [&str; 4] = ["RECEIVE", "RECEIVED", "SEND", "SENT"];

#[test]
fn levels_2_and_3_show_what_sockets_and_the_web_send_and_receive() {
    let folder = has_talked("STNTR = \"1\"\nSTNTRSO = \"ALL\"\nSTNTRWB = \"1-3\"\n", None);
    let of_socket =
        ["SOCKS SEND 5", "SOCKS SENT 5 X'48454C4C4F'", "SOCKS RECEIVE 6", "SOCKS RECEIVED 6 X'574F524C4421'"];
    assert_eq!(entries(&folder, "SOCK", &VERBS), of_socket);
    let of_web = [
        "SHOPS RECEIVE SHOP 10",
        "SHOPS RECEIVED SHOP 10 X'30313233343536373839'",
        "SHOPS SEND CLIENT 3",
        "SHOPS SENT CLIENT 3 X'41534B'",
        "SHOPS RECEIVE CLIENT 5",
        "SHOPS RECEIVED CLIENT 5 X'5241544553'",
        "SHOPS SEND SHOP 4",
        "SHOPS SENT SHOP 4 X'444F4E45'",
    ];
    assert_eq!(entries(&folder, "SHOP", &VERBS), of_web);
    // Each stands below its command.
    let tree = calls(&trace_of(&folder, "SHOP", &["--tree"]));
    let place =
        |line: &str| tree.iter().position(|it| it == line).unwrap_or_else(|| panic!("{line}: {tree:#?}"));
    assert_eq!(place(of_web[0]), place("SHOPS WEB RECEIVE") + 1, "{tree:#?}");
    assert_eq!(place(of_web[2]), place("SHOPS WEB CONVERSE") + 1, "{tree:#?}");
    let full = trace_of(&folder, "SOCK", &["--full", "--component", "SO"]);
    for field in
        ["POINT        EVENT", "LEVEL        2", "LEVEL        3", "NUMBER       5", "NUMBER       6"]
    {
        assert!(full.contains(field), "{field}: {full}");
    }
    assert!(!trace_of(&folder, "SOCK", &["--component", "WB"]).contains("RECEIVE"));
    assert!(trace_of(&folder, "SHOP", &["--component", "WB"]).contains("RECEIVED"));
}

#[test]
fn level_2_has_no_data_and_special_levels_are_those_of_special_transactions() {
    let folder = has_talked("STNTR = \"1,2\"\n", None);
    assert_eq!(entries(&folder, "SOCK", &VERBS), ["SOCKS SEND 5", "SOCKS RECEIVE 6"]);
    let of_web =
        ["SHOPS RECEIVE SHOP 10", "SHOPS SEND CLIENT 3", "SHOPS RECEIVE CLIENT 5", "SHOPS SEND SHOP 4"];
    assert_eq!(entries(&folder, "SHOP", &VERBS), of_web);
    let special = "STNTR = \"1\"\nSPCTR = \"1\"\nSPCTRSO = \"ALL\"\nSPCTRWB = \"1-3\"\n";
    for (transaction, entries_of) in [("SOCK", [4, 0]), ("SHOP", [0, 8])] {
        let folder = has_talked(special, Some(transaction));
        let seen = ["SOCK", "SHOP"].map(|it| entries(&folder, it, &VERBS).len());
        assert_eq!(seen, entries_of, "{transaction} is special");
    }
}

/// Returns true if a file of the trace has these bytes.
fn is_written(folder: &Path, text: &str) -> bool {
    let files = std::fs::read_dir(folder.join(".syncpoint/instruments")).expect("instruments");
    let has = |bytes: Vec<u8>| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    files.flatten().any(|file| has(std::fs::read(file.path()).expect("a file")))
}

#[test]
fn without_levels_beyond_1_no_byte_of_a_message_is_in_a_file() {
    let folder = has_talked("", None);
    assert!(entries(&folder, "SOCK", &VERBS).is_empty() && entries(&folder, "SHOP", &VERBS).is_empty());
    for text in ["48454C4C4F", "HELLO", "0123456789", "30313233343536373839"] {
        assert!(!is_written(folder.path(), text), "{text}");
    }
}
