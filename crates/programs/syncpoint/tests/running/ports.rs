//! One port of several regions, each a process: its queue outlives each of them, and no client is reset when they are replaced.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::house::{FREE_PORT, PATIENCE, Region, application, asked_for, product, share_programs};

/// Says which region answers.
pub const WHO: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WHO.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER              PIC X(2).
           05  WHO-ANSWERS         PIC X(8).
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN APPLID(WHO-ANSWERS) END-EXEC
           EXEC CICS RETURN END-EXEC.
";

pub const CSD: &str = "
DEFINE PROGRAM(WHO) GROUP(APPL) CONCURRENCY(THREADSAFE)
DEFINE URIMAP(HELLO) GROUP(APPL) USAGE(SERVER) SCHEME(HTTP) HOST(*) PATH(/hello) HFSFILE(hello.txt) MEDIATYPE(text/plain)
";

/// Two ports that are free.
pub fn free() -> [SocketAddr; 2] {
    let any = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    any.map(|any| any.local_addr().expect("its address"))
}

/// The application of a clone.
fn clone(applid: &str, links: &Path, [conversation, web]: [SocketAddr; 2], sit: &str) -> TempDir {
    let region = format!(
        "applid = \"{applid}\"\n{FREE_PORT}[links]\nfolder = \"{}\"\n[ports]\nshared = true\ncool-down = 1\n\
         [web.services]\nSHOP = \"{web}\"\n[sit]\nMXT = 300\n{sit}\n\
         [[conversation]]\nprogram = \"WHO\"\nreceive = \"{conversation}\"\ncommarea = 10\nconnections = 200\nconnections-per-address = 200\n",
        links.display()
    );
    let files =
        [("region.toml", region.as_str()), ("who.cbl", WHO), ("a.csd", CSD), ("web/hello.txt", "hello")];
    let folder = application(&files);
    share_programs(folder.path(), "ports");
    folder
}

const AT_ONCE: &str = "WLMHEALTH = \"OFF\"";

/// Asks over a new connection which region answers.
pub fn asked(at: SocketAddr) -> std::io::Result<String> {
    answer(&mut asks(at)?)
}

/// A client that has asked.
fn asks(at: SocketAddr) -> std::io::Result<TcpStream> {
    let mut client = TcpStream::connect(at)?;
    client.set_read_timeout(Some(PATIENCE))?;
    client.write_all(b"\x00\x08????????")?;
    Ok(client)
}

fn answer(client: &mut TcpStream) -> std::io::Result<String> {
    let mut answer = [0; 10];
    client.read_exact(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer[2..]).trim_end().to_owned())
}

/// Asks for a page over a new connection.
fn page(at: SocketAddr) -> std::io::Result<String> {
    let mut client = TcpStream::connect(at)?;
    client.set_read_timeout(Some(PATIENCE))?;
    client.write_all(b"GET /hello HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    client.read_to_string(&mut answer)?;
    Ok(answer)
}

fn cemt(folder: &Path, request: &str) {
    let output =
        product().args(["cemt", ".", request]).current_dir(folder).output().expect("syncpoint starts");
    assert!(output.status.success(), "{request}: {}", String::from_utf8_lossy(&output.stdout));
}

/// Stops all threads of a region, and waits until they stand still.
fn stop(region: &Region) {
    region.signal("STOP");
    let threads = format!("/proc/{}/task", region.process());
    let stands = |thread: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('T'))
    };
    let begun = Instant::now();
    while !std::fs::read_dir(&threads).expect("a process").all(|thread| thread.is_ok_and(stands)) {
        assert!(begun.elapsed() < PATIENCE, "it does not stop");
    }
}

/// The regions that answer so many requests.
fn answering(at: SocketAddr, requests: usize) -> BTreeSet<String> {
    (0..requests).map(|_| asked(at).expect("an answer")).collect()
}

#[test]
fn clients_that_wait_for_a_region_which_is_killed_are_taken_by_another() {
    let (links, ports) = (tempfile::tempdir().expect("a folder"), free());
    let folders =
        ["CLONEA", "CLONEB"].map(|applid| clone(applid, &links.path().join("links"), ports, AT_ONCE));
    let [first, second] = folders.each_ref().map(|folder| Region::start(folder.path()));
    second.logs("another region has passed its socket on");
    // No region accepts, and the queue fills.
    stop(&first);
    stop(&second);
    let mut waiting: Vec<_> = (0..100).map(|_| asks(ports[0]).expect("it may wait")).collect();
    first.signal("KILL");
    drop(first);
    second.signal("CONT");
    for client in &mut waiting {
        assert_eq!(answer(client).expect("it is not reset"), "CLONEB");
    }
    // A newcomer has the socket of one that has it.
    let first = Region::start(folders[0].path());
    first.logs("another region has passed its socket on");
    stop(&second);
    assert_eq!(asked(ports[0]).expect("an answer"), "CLONEA");
    second.signal("CONT");
    first.ends_in_order();
    assert_eq!(asked(ports[0]).expect("an answer"), "CLONEB");
    second.ends_in_order();
    assert!(TcpStream::connect(ports[0]).is_err(), "the last one closes the port");
}

#[test]
fn a_region_takes_clients_by_its_health() {
    let (links, ports) = (tempfile::tempdir().expect("a folder"), free());
    let steps = "WLMHEALTH = \"(600,50)\"";
    let folders = ["CLONEA", "CLONEB"].map(|applid| clone(applid, &links.path().join("links"), ports, steps));
    let [one, other] = folders.each_ref().map(|folder| folder.path());
    let [first, second] = folders.each_ref().map(|folder| Region::start(folder.path()));
    // Both have just started: their health is 0, and there is no other region.
    assert!(asked(ports[0]).is_ok());
    cemt(one, "SET WLMHEALTH CLOSED");
    assert_eq!(answering(ports[0], 5), BTreeSet::from([String::from("CLONEB")]));
    cemt(other, "SET WLMHEALTH CLOSED");
    cemt(one, "SET WLMHEALTH OPEN");
    assert_eq!(answering(ports[0], 30), BTreeSet::from([String::from("CLONEA")]));
    cemt(other, "SET WLMHEALTH OPEN");
    cemt(one, "SET WLMHEALTH IMMCLOSE");
    assert_eq!(answering(ports[0], 30), BTreeSet::from([String::from("CLONEB")]));
    cemt(other, "SET WLMHEALTH IMMCLOSE");
    cemt(one, "SET WLMHEALTH OPEN");
    assert_eq!(answering(ports[0], 30), BTreeSet::from([String::from("CLONEA")]));
    assert!(page(ports[1]).expect("a page").ends_with("hello"));
    first.ends_in_order();
    second.ends_in_order();
}

/// Rules that have the health of a region follow a program: when that is disabled, clients are to go elsewhere.
fn follow_a_program(folder: &Path) {
    let rule = |name: &str, to: &str, health: &str| {
        format!(
            "<rule group=\"SYSTEM\" type=\"programEnableStatus\"><name>{name}</name><programEnableStatusCondition>\
             <programEnableStatusFilter><PROGRAM filterOperator=\"EQ\" filterValue=\"OTHER\"/>\
             <TO_ENABLESTATUS filterOperator=\"EQ\" filterValue=\"{to}\"/></programEnableStatusFilter>\
             </programEnableStatusCondition><action><setWlmHealth><openStatus>{health}</openStatus></setWlmHealth></action></rule>\n"
        )
    };
    let policy = format!(
        "<p:policy xmlns:p=\"http://www.ibm.com/xmlns/prod/cics/managedplatform/policy\" policySchemaVersion=\"6\" \
         policySchemaRelease=\"0\">\n{}{}</p:policy>\n",
        rule("leaves", "DISABLED", "IMMCLOSE"),
        rule("returns", "ENABLED", "OPEN")
    );
    let manifest = "<manifest xmlns=\"http://www.ibm.com/xmlns/prod/cics/bundle\" id=\"rules\" bundleMajorVer=\"1\" bundleMinorVer=\"0\" \
                    bundleMicroVer=\"0\"><define name=\"health\" type=\"http://www.ibm.com/xmlns/prod/cics/bundle/POLICY\" \
                    path=\"health.policy\"/></manifest>\n";
    let definitions =
        "DEFINE BUNDLE(RULES) GROUP(APPL) BUNDLEDIR(rules)\nDEFINE PROGRAM(OTHER) GROUP(APPL)\n";
    std::fs::create_dir_all(folder.join("rules/META-INF")).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write("rules/META-INF/cics.xml", manifest);
    write("rules/health.policy", &policy);
    write("b.csd", definitions);
    write("other.cbl", &WHO.replace("WHO.", "OTHER."));
}

#[test]
fn a_rule_sends_clients_elsewhere() {
    let (links, ports) = (tempfile::tempdir().expect("a folder"), free());
    let steps = "WLMHEALTH = \"(600,100)\"";
    let folders = ["CLONEA", "CLONEB"].map(|applid| clone(applid, &links.path().join("links"), ports, steps));
    let [one, other] = folders.each_ref().map(|folder| folder.path());
    follow_a_program(one);
    let [first, second] = folders.each_ref().map(|folder| Region::start(folder.path()));
    cemt(other, "SET WLMHEALTH CLOSED");
    cemt(other, "SET WLMHEALTH OPEN");
    cemt(one, "SET PROGRAM(OTHER) DISABLED");
    first.logs("rule leaves (NAME=OTHER, FROM=ENABLED, TO=DISABLED) defined by policy health in bundle RULES: the health of the region is set IMMCLOSE and is 0 now.");
    assert_eq!(answering(ports[0], 5), BTreeSet::from([String::from("CLONEB")]));
    cemt(other, "SET WLMHEALTH IMMCLOSE");
    cemt(one, "SET PROGRAM(OTHER) ENABLED");
    first.logs("the health of the region is set OPEN and is 100 now.");
    assert_eq!(answering(ports[0], 30), BTreeSet::from([String::from("CLONEA")]));
    first.ends_in_order();
    second.ends_in_order();
}

/// The same program, which thinks for a while first.
fn slow() -> String {
    let thinks =
        "       PROCEDURE DIVISION.\n           PERFORM 5000000 TIMES ADD 1 TO WS-COUNT END-PERFORM\n";
    let counts = "       WORKING-STORAGE SECTION.\n       01  WS-COUNT PIC S9(8) COMP VALUE 0.\n       LINKAGE SECTION.\n";
    WHO.replace("       PROCEDURE DIVISION.\n", thinks).replace("       LINKAGE SECTION.\n", counts)
}

#[test]
fn a_region_that_is_slow_gets_fewer_clients() {
    let (links, ports) = (tempfile::tempdir().expect("a folder"), free());
    let folders =
        ["CLONEA", "CLONEB"].map(|applid| clone(applid, &links.path().join("links"), ports, AT_ONCE));
    std::fs::write(folders[0].path().join("who.cbl"), slow()).expect("written");
    let regions = folders.each_ref().map(|folder| Region::start(folder.path()));
    // Both know their program before anybody is counted.
    for region in &regions {
        stop(region);
        let _ = asked(ports[0]);
        region.signal("CONT");
    }
    let all: Vec<String> = thread::scope(|scope| {
        let clients = [0; 8].map(|_| {
            scope.spawn(|| (0..40).map(|_| asked(ports[0]).expect("an answer")).collect::<Vec<_>>())
        });
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    });
    let slow = all.iter().filter(|who| *who == "CLONEA").count();
    eprintln!("{slow} of {} by the slow one", all.len());
    assert!(slow * 3 < all.len() - slow, "{slow} of {} are taken by the slow region", all.len());
    for region in regions {
        region.ends_in_order();
    }
}

#[test]
fn regions_are_replaced_under_load_and_no_client_is_reset() {
    let restarts = asked_for("SYNCPOINT_RESTARTS").unwrap_or(3);
    let (links, ports) = (tempfile::tempdir().expect("a folder"), free());
    let folders =
        ["CLONEA", "CLONEB"].map(|applid| clone(applid, &links.path().join("links"), ports, AT_ONCE));
    let mut regions = folders.each_ref().map(|folder| Some(Region::start(folder.path())));
    let (ends, answers, pages) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        let clients = [0; 3].map(|_| {
            scope.spawn(|| {
                while !ends.load(Ordering::Relaxed) {
                    let who = asked(ports[0]).unwrap_or_else(|error| panic!("no answer: {error}"));
                    assert!(who.starts_with("CLONE"), "{who}");
                    answers.fetch_add(1, Ordering::Relaxed);
                    let page = page(ports[1]).unwrap_or_else(|error| panic!("no page: {error}"));
                    assert!(page.starts_with("HTTP/1.1 200") && page.ends_with("hello"), "{page}");
                    pages.fetch_add(1, Ordering::Relaxed);
                }
            })
        });
        let replaced = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for restart in 0..restarts {
                let place = usize::from(restart % 2 == 1);
                let before = answers.load(Ordering::Relaxed);
                regions[place].take().expect("it runs").ends_in_order();
                regions[place] = Some(Region::start(folders[place].path()));
                let begun = Instant::now();
                while answers.load(Ordering::Relaxed) == before {
                    assert!(begun.elapsed() < PATIENCE, "nobody answers");
                    thread::sleep(Duration::from_millis(10));
                }
            }
        }));
        ends.store(true, Ordering::Relaxed);
        for client in clients {
            if client.join().is_err() {
                let logs: Vec<_> = regions.iter().flatten().map(Region::log).collect();
                panic!("a request has no answer:\n{}", logs.join("\n"));
            }
        }
        replaced.expect("each region is replaced");
    });
    eprintln!("{restarts} restarts, {} answers, {} pages", answers.into_inner(), pages.into_inner());
}
