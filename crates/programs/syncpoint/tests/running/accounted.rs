//! The region's own account of its processor time beside the operating system's, and its counts beside the client's.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use instruments::format::{FileEntry, Reader, Value};

use crate::house::{FREE_PORT, PATIENCE, Region, application};

/// Clients that ask as fast as they get answers.
const CLIENTS: usize = 3;
/// Nanoseconds of processor time that the process is to have under load.
const LOAD_NS: u64 = 4_000_000_000;
/// READs and ASKTIMEs of one request, and all of its commands: WEB SEND and RETURN, too.
const READS: u64 = 20;
const COMMANDS: u64 = 2 * READS + 2;

const PROGRAM: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ASKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ACCOUNT                 PIC X(20).
       PROCEDURE DIVISION.
           PERFORM 20 TIMES
               EXEC CICS READ FILE('ACCOUNTS') INTO(ACCOUNT)
                         RIDFLD('0001') END-EXEC
               EXEC CICS ASKTIME END-EXEC
           END-PERFORM
           EXEC CICS WEB SEND FROM('DONE') FROMLENGTH(4)
                     MEDIATYPE('text/plain') END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TCPIPSERVICE(SHOP) GROUP(WEB) PORTNUMBER(80)
DEFINE URIMAP(ASKS) GROUP(WEB) USAGE(SERVER) HOST(*) PATH(/asks) PROGRAM(ASKS) TRANSACTION(ASKS)
DEFINE TRANSACTION(ASKS) GROUP(WEB) PROGRAM(DFHWBA)
DEFINE PROGRAM(ASKS) GROUP(WEB) CONCURRENCY(THREADSAFE)
DEFINE FILE(ACCOUNTS) GROUP(WEB) DSNAME(BANK.ACCOUNTS) READ(YES)
";

const DATA_SETS: &str = " DEFINE CLUSTER (NAME(BANK.ACCOUNTS) INDEXED KEYS(4 0) RECORDSIZE(20 20))\n";
const LOAD: &str = "[[load]]\ndataset = \"BANK.ACCOUNTS\"\nfile = \"accounts.txt\"\n";

/// The first bytes of an answer.
const GOOD: &[u8] = b"HTTP/1.1 200";

/// Asks once, over a connection that is kept.
fn ask(stream: &mut TcpStream) {
    stream.write_all(b"GET /asks HTTP/1.1\r\nHost: a\r\n\r\n").expect("it takes the request");
    let (mut answer, mut piece) = (Vec::new(), [0; 1024]);
    while !answer.ends_with(b"\r\n\r\nDONE") {
        let length = stream.read(&mut piece).expect("it answers");
        answer.extend_from_slice(&piece[..length]);
        let is_good = length > 0 && (answer.len() < GOOD.len() || answer.starts_with(GOOD));
        assert!(is_good, "{}", String::from_utf8_lossy(&answer));
    }
}

/// Nanoseconds of processor time that the operating system has counted for a process.
fn of_system(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("the process lives");
    let behind_name = stat.rsplit_once(')').expect("its name").1;
    let fields: Vec<&str> = behind_name.split_whitespace().collect();
    // Fields 14 and 15 of the whole line, in hundredths of a second.
    let ticks = |place: usize| fields[place].parse::<u64>().expect("a number");
    (ticks(11) + ticks(12)) * 10_000_000
}

/// Has the region record all of its statistics.
fn record(folder: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.args(["cemt", ".", "PERFORM STATISTICS ALL RECORD"]).current_dir(folder).env("NO_COLOR", "1");
    let output = command.output().expect("syncpoint starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("The statistics were recorded."), "{text}");
}

/// A value of a kind of statistics, by resource and field.
type Figures = BTreeMap<(String, String, String), u64>;

/// The collections that were asked for, in their order.
fn collections(folder: &Path) -> Vec<Figures> {
    let path = folder.join(".syncpoint/instruments/statistics-000001.rec");
    let bytes = fs::read(path).expect("the file of statistics");
    let mut found: Vec<(u64, Figures)> = Vec::new();
    for entry in Reader::new(&bytes).expect("a file of ours") {
        let FileEntry::Record(record) = entry.expect("a whole record") else { panic!("records are lost") };
        if record.text("REASON") != "REQ" {
            continue;
        }
        let at = record.number("COLLECTED");
        if found.last().is_none_or(|(last, _)| *last != at) {
            found.push((at, Figures::new()));
        }
        let figures = &mut found.last_mut().expect("one is there").1;
        for (column, value) in &record.values {
            let field = record.kind.columns[*column].fields[0].clone();
            if let Value::Number(number) = value {
                let key = (record.kind.name.clone(), record.text("RESOURCE").into_owned(), field);
                figures.insert(key, *number);
            }
        }
    }
    found.into_iter().map(|(_, figures)| figures).collect()
}

/// The counts between two collections.
struct Between(Vec<Figures>);

impl Between {
    fn of(&self, resource: &str, field: &str) -> u64 {
        let is = |key: &(String, String, String)| key.1 == resource && key.2 == field;
        self.sum(is)
    }

    fn sum(&self, is: impl Fn(&(String, String, String)) -> bool) -> u64 {
        let [first, last] = [0, 1].map(|place: usize| {
            self.0[place].iter().filter(|(key, _)| is(key)).map(|(_, value)| value).sum::<u64>()
        });
        last - first
    }
}

/// Both are the same within two in a hundred of the second.
fn agree(ours: u64, theirs: u64, what: &str) {
    assert!(ours.abs_diff(theirs) * 50 <= theirs, "{what}: {ours} of {theirs}");
}

fn use_it(at: SocketAddr, asked: &AtomicU64, enough: &AtomicBool) {
    let mut stream = TcpStream::connect(at).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    loop {
        ask(&mut stream);
        asked.fetch_add(1, Ordering::Relaxed);
        if enough.load(Ordering::Relaxed) {
            return;
        }
    }
}

#[test]
fn the_parts_of_the_region_s_processor_time_are_the_operating_system_s_and_its_counts_the_client_s() {
    let folder = application(&[
        ("region.toml", &format!("{FREE_PORT}[web.services]\nSHOP = \"127.0.0.1:0\"\n{LOAD}")),
        ("web.csd", DEFINITIONS),
        ("web.idcams", DATA_SETS),
        ("accounts.txt", "0001ADA             \n"),
        ("programs/ASKS.cbl", PROGRAM),
    ]);
    let region = Region::start(folder.path());
    let at = region.logged("TCPIPSERVICE SHOP listens on ").parse().expect("an address");
    use_it(at, &AtomicU64::new(0), &AtomicBool::new(true));
    record(folder.path());
    let (asked, enough) = (AtomicU64::new(0), AtomicBool::new(false));
    let before = of_system(region.process());
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| use_it(at, &asked, &enough))).collect();
        let begun = Instant::now();
        while of_system(region.process()) - before < LOAD_NS && begun.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(20));
        }
        enough.store(true, Ordering::Relaxed);
        clients.into_iter().for_each(|client| client.join().expect("every request has its answer"));
    });
    let system = of_system(region.process()) - before;
    record(folder.path());
    region.ends_in_order();
    let between = Between(collections(folder.path()));
    assert_eq!(between.0.len(), 2, "collections");
    let asked = asked.load(Ordering::Relaxed);

    // What the client has counted.
    assert_eq!(between.of("SHOP", "SOR_REQUESTS"), asked);
    assert_eq!(between.of("TRANSACTION.ASKS", "SPKTASKS"), asked);
    assert_eq!(between.of("TRANSACTION.ASKS", "SPKREQS"), asked * COMMANDS);
    assert_eq!(between.of("ACCOUNTS", "A17DSRD"), asked * READS);

    // What the operating system has counted.
    let parts = between.sum(|(kind, _, field)| kind == "processor" && field == "SPUCPU");
    let part = |name: &str| between.of(name, "SPUCPU");
    let shares: Vec<_> = between.0[1]
        .keys()
        .filter(|(_, _, field)| field == "SPUCPU")
        .map(|(_, part, _)| format!("{part} {}", between.of(part, "SPUCPU") / 1_000))
        .collect();
    println!("{asked} requests, {system} ns: {}", shares.join(", "));
    agree(between.of("", "SPUPROC"), system, "the process by its own clock");
    agree(parts, system, "the parts of the process");
    let transactions = between.sum(|(_, name, field)| name.starts_with("TRANSACTION.") && field == "SPKCPU");
    agree(transactions, part("TASKS"), "the tasks of all transactions");
    let tcbs = between.of("", "DSTDS_CICSTCB_CPUTIME");
    assert!(part("TASKS") + part("BESIDE") <= tcbs + tcbs / 50, "no more than the threads had: {shares:?}");
    assert!(part("ENDED") * 50 <= system, "threads that nobody has seen: {shares:?}");
    assert!(part("TASKS") * 5 >= system, "tasks have a good part of it: {shares:?}");
}
