//! Clients of HTTP that keep their connections, while the region ends in order: each request that was sent has its answer, and no
//! connection ends but behind an answer that says so, or before its client has asked anything for a while.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::house::{FREE_PORT, PATIENCE, Region, application};

const CLIENTS: usize = 6;

const HELLO: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       PROCEDURE DIVISION.
           EXEC CICS WEB SEND FROM('HELLO') FROMLENGTH(5)
                     MEDIATYPE('text/plain') END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const CSD: &str = "
DEFINE TCPIPSERVICE(SHOP) GROUP(WEB) PORTNUMBER(80)
DEFINE URIMAP(HELLO) GROUP(WEB) USAGE(SERVER) HOST(*) PATH(/hello) PROGRAM(HELLO)
DEFINE PROGRAM(HELLO) GROUP(WEB) CONCURRENCY(THREADSAFE)
";

/// Asks once; returns the answer's head, or nothing if the connection is over.
fn ask(stream: &mut TcpStream) -> Option<String> {
    stream.write_all(b"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n").ok()?;
    let (mut answer, mut piece) = (Vec::new(), [0; 1024]);
    while !answer.ends_with(b"\r\n\r\nHELLO") {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(length) => answer.extend_from_slice(&piece[..length]),
        }
    }
    Some(String::from_utf8_lossy(&answer).into_owned())
}

/// Asks again and again, over one connection until an answer ends it. Returns when no region accepts any more.
fn use_it(at: SocketAddr, begun: &AtomicUsize, sent_away: &AtomicUsize, ends: &AtomicBool) {
    let mut is_first = true;
    while let Ok(mut stream) = TcpStream::connect(at) {
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let mut asked = 0;
        loop {
            let Some(answer) = ask(&mut stream) else {
                // One that was accepted by the system at the very end, and by no region, has got nothing wrong.
                assert!(
                    asked == 0 && ends.load(Ordering::Relaxed),
                    "a request has no answer, {asked} had one"
                );
                return;
            };
            asked += 1;
            if std::mem::take(&mut is_first) {
                begun.fetch_add(1, Ordering::Relaxed);
            }
            if answer.contains("Connection: close") {
                sent_away.fetch_add(1, Ordering::Relaxed);
                break;
            }
            thread::sleep(Duration::from_millis(3));
        }
    }
}

#[test]
fn no_request_of_a_kept_connection_is_lost_when_the_region_ends() {
    let folder = application(&[
        ("region.toml", &format!("{FREE_PORT}[web.services]\nSHOP = \"127.0.0.1:0\"\n")),
        ("web.csd", CSD),
        ("programs/HELLO.cbl", HELLO),
    ]);
    let region = Region::start(folder.path());
    let at = region.logged("TCPIPSERVICE SHOP listens on ").parse().expect("an address");
    let (begun, sent_away, ends) = Default::default();
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| use_it(at, &begun, &sent_away, &ends));
        }
        // One that has asked once and asks nothing more does not hold the end up.
        let mut idle = TcpStream::connect(at).expect("a connection");
        assert!(ask(&mut idle).is_some());
        while begun.load(Ordering::Relaxed) < CLIENTS {
            thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(sent_away.load(Ordering::Relaxed), 0, "as long as the region does not end");
        ends.store(true, Ordering::Relaxed);
        region.ends_in_order();
    });
    assert!(sent_away.load(Ordering::Relaxed) >= CLIENTS, "{sent_away:?}");
}
