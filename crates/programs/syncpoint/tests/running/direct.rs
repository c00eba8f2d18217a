//! The real process on its direct path, killed at random moments under load: every message that was answered is in the data,
//! whole and once, in records alone and in records and a table. `SYNCPOINT_KILLS` says how often. Beside it a port with TLS.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crate::certificates::{authority, certificate};
use crate::data::Data;
use crate::house::{Chance, FREE_PORT, Region, application, asked_for, product};
use crate::with_database::WithDatabase;

/// Kills in an ordinary run.
const KILLS: u64 = 3;
const CLIENTS: u32 = 4;
/// A kill comes after at most so many answers, and at most so many microseconds.
const ANSWERED: u64 = 80;
const LATER: u64 = 10_000;

/// Writes two records for each message, its number with A and with B.
const NOTES: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. NOTES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  LIST-ADDRESS            POINTER.
       01  CODE-PSYNC              PIC S9(09) COMP-5.
       01  NOTE                    PIC X(09).
       LINKAGE SECTION.
       COPY VSVCLIST.
       01  REQU                    PIC X(08).
       01  RESP                    PIC X(08).
       01  RESPL                   PIC S9(09) COMP.
       PROCEDURE DIVISION.
           CALL 'VSVPSYNC' USING LIST-ADDRESS RETURNING CODE-PSYNC
           PERFORM UNTIL CODE-PSYNC NOT = ZERO
              SET ADDRESS OF LIST-POINTER TO LIST-ADDRESS
              SET ADDRESS OF REQU TO LIST-ADR-REQU
              SET ADDRESS OF RESP TO LIST-ADR-RESP
              SET ADDRESS OF RESPL TO LIST-ADR-RESPL
              STRING 'A' REQU DELIMITED BY SIZE INTO NOTE
              EXEC CICS WRITE FILE('NOTES') FROM(NOTE) RIDFLD(NOTE)
              END-EXEC
              MOVE 'B' TO NOTE(1:1)
      * SECOND
              MOVE REQU TO RESP
              MOVE 8 TO RESPL
              CALL 'VSVPSYNC' USING LIST-ADDRESS RETURNING CODE-PSYNC
           END-PERFORM
           GOBACK.
";

/// A line of the program: what it writes second.
const SECOND: &str = "      * SECOND\n";
const SECOND_RECORD: &str = "
              EXEC CICS WRITE FILE('NOTES') FROM(NOTE) RIDFLD(NOTE)
              END-EXEC
";
const SECOND_ROW: &str = "
              EXEC SQL INSERT INTO NOTES VALUES (:NOTE) END-EXEC
              IF SQLCODE NOT = 0
                 EXEC CICS ABEND ABCODE('NSQL') NODUMP END-EXEC
              END-IF
";
const SQLCA: (&str, &str) =
    ("       01  NOTE ", "           EXEC SQL INCLUDE SQLCA END-EXEC.\n       01  NOTE ");

const REGION: &str = "
[direct]
listen = \"127.0.0.1:0\"

[[direct.scenario]]
path = \"/notes\"
program = \"NOTES\"
";

const DEFINITIONS: &str = "
DEFINE PROGRAM(NOTES) GROUP(KILLS) CONCURRENCY(THREADSAFE)
DEFINE FILE(NOTES) GROUP(KILLS) DSNAME(KILLS.NOTES)
       READ(YES) ADD(YES) RECOVERY(BACKOUTONLY)
";

const DATA_SETS: &str = "
 DEFINE CLUSTER (NAME(KILLS.NOTES) INDEXED KEYS(9 0) RECORDSIZE(9 9))
";

/// Sends one message after the other until the region is gone; `number` is the last that was answered.
fn work(address: &str, client: u32, number: &AtomicU32, all: &AtomicU32) {
    let Ok(stream) = TcpStream::connect(address) else { return };
    let mut stream = BufReader::new(stream);
    loop {
        let next = number.load(Ordering::Relaxed) + 1;
        let body = format!("{client}{next:07}");
        let request = format!("POST /notes HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n{body}");
        if stream.get_mut().write_all(request.as_bytes()).is_err() {
            return;
        }
        match answer(&mut stream) {
            Some((status, said)) if status == "200" && said == body.as_bytes() => {}
            Some((status, said)) => panic!("{body}: {status} {}", String::from_utf8_lossy(&said)),
            None => return,
        }
        number.store(next, Ordering::Relaxed);
        all.fetch_add(1, Ordering::Relaxed);
    }
}

/// Reads the status and body of an answer; `None` if the region is gone.
fn answer(stream: &mut BufReader<TcpStream>) -> Option<(String, Vec<u8>)> {
    let (mut status, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match (line.trim_end(), line.split_once(": ")) {
            ("", _) => break,
            (_, Some(("Content-Length", value))) => length = value.trim_end().parse().ok()?,
            (first, _) if status.is_empty() => status = first.split(' ').nth(1)?.to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((status, body))
}

/// The rows of the table, by the command line. It starts the database, and stops it.
fn rows(folder: &Path) -> Vec<String> {
    let query = folder.join("rows.sql");
    fs::write(&query, "SELECT NOTE FROM NOTES;").expect("written");
    let output = product().args(["sql", ".", "--input", "rows.sql"]).current_dir(folder).output();
    let text = String::from_utf8_lossy(&output.expect("it runs").stdout).into_owned();
    let is_note = |word: &&str| word.len() == 9 && word.starts_with('B');
    let mut rows: Vec<String> = text.split_whitespace().filter(is_note).map(str::to_owned).collect();
    rows.sort();
    rows
}

/// Returns the number of messages of each client that the data hold: each with both records, or with its record and its
/// row, none missing.
fn look(folder: &Path, has_rows: bool) -> Vec<u32> {
    let mut counts = vec![0; CLIENTS as usize];
    let mut records = Data::open(folder).records("KILLS.NOTES");
    if has_rows {
        assert!(records.iter().all(|record| record.starts_with('A')), "rows are in the table");
        records.extend(rows(folder));
    }
    let (a, b): (Vec<&String>, Vec<&String>) = records.iter().partition(|record| record.starts_with('A'));
    let of =
        |records: Vec<&String>| -> Vec<String> { records.iter().map(|one| one[1..].to_owned()).collect() };
    let (a, b) = (of(a), of(b));
    assert_eq!(a, b, "half a message");
    for note in a {
        let client: usize = note[..1].parse().expect("a client");
        counts[client] += 1;
        assert_eq!(note[1..].parse(), Ok(counts[client]), "client {client} has a gap");
    }
    counts
}

#[test]
fn every_answered_message_survives_kills_under_load() {
    let folder = application(&[
        ("region.toml", &format!("{FREE_PORT}{REGION}")),
        ("kills.csd", DEFINITIONS),
        ("kills.idcams", DATA_SETS),
        ("programs/NOTES.cbl", &NOTES.replace(SECOND, SECOND_RECORD)),
    ]);
    survives_kills(folder.path(), false);
}

#[test]
fn every_answered_message_survives_kills_in_records_and_a_table() {
    let program = NOTES.replace(SECOND, SECOND_ROW).replace(SQLCA.0, SQLCA.1);
    let folder = WithDatabase::of(application(&[
        ("region.toml", &format!("{FREE_PORT}[sql]\nscripts = \"tables.sql\"\n{REGION}")),
        ("kills.csd", DEFINITIONS),
        ("kills.idcams", DATA_SETS),
        ("tables.sql", "CREATE TABLE NOTES (NOTE CHAR(9) NOT NULL PRIMARY KEY);\n"),
        ("programs/NOTES.cbl", &program),
    ]));
    survives_kills(folder.path(), true);
}

#[test]
fn a_port_speaks_tls() {
    let folder = application(&[
        (
            "region.toml",
            &format!(
                "{FREE_PORT}certificate = \"region.pem\"\nkey = \"region.key\"\n{}",
                REGION.replace("[direct]\n", "[direct]\ntls = true\n")
            ),
        ),
        ("kills.csd", DEFINITIONS),
        ("kills.idcams", DATA_SETS),
        ("programs/NOTES.cbl", &NOTES.replace(SECOND, SECOND_RECORD)),
    ]);
    let signed_by = authority();
    fs::write(folder.path().join("authority.pem"), signed_by.pem()).expect("written");
    certificate(folder.path(), "region", &signed_by);
    let region = Region::start(folder.path());
    let address = region.logged("messages for scenarios come to ");
    let ask = |scheme: &str| {
        let url = format!("{scheme}://{address}/notes");
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--max-time", "30", "--cacert", "authority.pem", "--data"]);
        // Two messages on one connection.
        curl.args([
            "00000001",
            &url,
            "--next",
            "--silent",
            "--cacert",
            "authority.pem",
            "--data",
            "00000002",
            &url,
        ]);
        let output = curl.current_dir(folder.path()).output().expect("curl runs");
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    assert_eq!(ask("https"), "0000000100000002", "{}", region.log());
    // No client is served in clear.
    assert!(!ask("http").contains("00000001"));
    region.ends_in_order();
    assert_eq!(look(folder.path(), false)[0], 2);
}

fn survives_kills(folder: &Path, has_rows: bool) {
    let mut chance = Chance::asked_for();
    let mut there = vec![0; CLIENTS as usize];
    for kill in 1..=asked_for("SYNCPOINT_KILLS").unwrap_or(KILLS) {
        let region = Region::start(folder);
        let address = region.logged("messages for scenarios come to ");
        let numbers: Vec<AtomicU32> = there.iter().map(|number| AtomicU32::new(*number)).collect();
        let all = AtomicU32::new(0);
        let (moment, later) = (1 + chance.below(ANSWERED) as u32, Duration::from_micros(chance.below(LATER)));
        thread::scope(|scope| {
            for (client, number) in (0..).zip(&numbers) {
                let (address, all) = (&address, &all);
                scope.spawn(move || work(address, client, number, all));
            }
            while all.load(Ordering::Relaxed) < moment {
                assert!(region.is_running(), "the region has ended by itself:\n{}", region.log());
                thread::sleep(Duration::from_micros(100));
            }
            // A moment between two answers, not always just behind one.
            thread::sleep(later);
            region.signal("KILL");
        });
        region.ended();
        if has_rows {
            // What is in doubt between both is decided before anybody is served again.
            let region = Region::start(folder);
            region.logged("DFHDB2023I connected to ");
            region.ends_in_order();
        }
        let found = look(folder, has_rows);
        for ((client, told), count) in numbers.iter().enumerate().zip(&found) {
            let told = told.load(Ordering::Relaxed);
            // One more was on its way.
            assert!(
                (told..=told + 1).contains(count),
                "kill {kill}: client {client} was told {told}, {count} are there"
            );
        }
        there = found;
    }
    assert!(there.iter().sum::<u32>() > 0);
}
