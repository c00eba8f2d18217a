//! Strangers at the socket of a region: what they say is refused with a reason, and its partner is served all the same.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use fastrand::Rng;
use link::carrier::unix;
use link::{
    Asked, Begin, Ended, Hello, Host, Link, Names, NoReply, Patience, Purpose, Queue, Sessions, Timer, Vitals,
};
use spec::cond;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::pair::{Pair, answers, said, until, with_both};

/// Time that a region waits for a silent client, and some more.
const PATIENCE: Duration = Duration::from_secs(20);
/// Connections that say nothing.
const SILENT: usize = 1_000;
/// Requests that are none.
const REQUESTS: u64 = 5_000;

async fn connected(pair: &Pair) -> UnixStream {
    UnixStream::connect(pair.folder.join("PARTNER")).await.expect("its socket")
}

/// The partner is served.
async fn goes_on(pair: &Pair) {
    let text = "WRITEQ TS QUEUE(ANY) SYSID(PART) FROM('ONE')";
    answers(&pair.asker.running.region, text, cond::NORMAL).await;
}

/// A frame's head with this length and kind.
fn head(length: u32, kind: u8) -> Vec<u8> {
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend([0, 0, 0, 0, kind, 0, 100, 0]);
    bytes
}

#[test]
fn garbage_is_refused_with_its_reason() {
    with_both("partners-garbage", async |pair| {
        let hello_of = |body: &[u8]| [head(body.len() as u32, 1), body.to_vec()].concat();
        // A version, and then a count of characters that no memory holds.
        let oversized = hello_of(&[1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]);
        let table: [(&str, Vec<u8>); 7] = [
            ("unknown kind 84", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_vec()),
            ("frame Hello of 4294967295 bytes", head(u32::MAX, 1)),
            ("frame Request of 4294967295 bytes", head(u32::MAX, 3)),
            ("Request before Hello", [head(1, 3), vec![0]].concat()),
            ("a Hello that is none", oversized),
            ("version 77 of links", hello_of(&[77, 0, 1])),
            ("a Hello without a version", hello_of(&[])),
        ];
        for (why, bytes) in table {
            let mut stream = connected(pair).await;
            stream.write_all(&bytes).await.expect("sent");
            let mut answer = Vec::new();
            let read = timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
            assert!(read.is_ok(), "{why}: the connection stays");
            assert!(
                String::from_utf8_lossy(&answer).contains(why),
                "{why}: {}",
                String::from_utf8_lossy(&answer)
            );
            until(why, || said(why)).await;
            goes_on(pair).await;
        }
    });
}

#[test]
fn those_who_stop_in_the_middle_or_say_nothing_are_let_go() {
    with_both("partners-silent", async |pair| {
        let mut all = Vec::new();
        for number in 0..SILENT {
            let mut stream = connected(pair).await;
            // Some stop in the head of a frame, some in its body.
            let bytes = [head(200, 1), vec![0; 100]].concat();
            stream.write_all(&bytes[..number % bytes.len()]).await.expect("sent");
            all.push(stream);
        }
        goes_on(pair).await;
        for mut stream in all {
            let gone = timeout(PATIENCE, async { while stream.read_u8().await.is_ok() {} }).await;
            assert!(gone.is_ok(), "a connection stays");
        }
        until("the log says so", || said("no Hello has come within 5 s")).await;
        goes_on(pair).await;
    });
}

/// The end of a link that asks.
#[derive(Default)]
struct Quiet(Cell<usize>);

impl Host for Quiet {
    fn vitals(&self) -> Vitals {
        Vitals::default()
    }

    fn asked(&self, asked: Asked, _: &[u8]) {
        self.0.set(self.0.get() + 1);
        asked.fail("nobody answers here");
    }
}

fn hello(applid: &str, purpose: Purpose) -> Hello {
    Hello {
        applid: applid.into(),
        sysid: "REGX".into(),
        network: String::new(),
        run: 1,
        log: 1,
        build: "stranger".into(),
        user: "NOBODY".into(),
        code_page: "037".into(),
        purpose,
        sends: 40,
        takes: 40,
        names: Names::default(),
        traces: false,
        origins: false,
    }
}

async fn linked(pair: &Pair, applid: &str, purpose: Purpose) -> Result<Link, Ended> {
    let (source, sink) = unix(connected(pair).await);
    let host = Rc::<Quiet>::default();
    let begin = Begin { source, sink, host, clock: Rc::new(Timer::default()), patience: Patience::HERE };
    Link::connect(begin, &hello(applid, purpose), |_| Ok(())).await
}

#[test]
fn a_name_that_is_not_defined_is_refused_and_a_thread_without_its_region() {
    with_both("partners-names", async |pair| {
        let table = [
            ("NOBODY", Purpose::Life, "no CONNECTION has NETNAME(NOBODY)"),
            ("NOBODY", Purpose::Work, "no CONNECTION has NETNAME(NOBODY)"),
            ("REGX", Purpose::Work, "a connection for its threads comes before its link"),
        ];
        for (applid, purpose, why) in table {
            let refused = linked(pair, applid, purpose).await.err().expect("no link");
            assert!(refused.to_string().contains(why), "{refused}");
            until(why, || said(&format!("a link is refused: {why}")) || said(why)).await;
        }
        goes_on(pair).await;
    });
}

#[test]
fn a_partner_makes_no_more_connections_than_it_has_threads() {
    with_both("partners-many", async |pair| {
        let mut links = vec![linked(pair, "REGX", Purpose::Life).await.expect("its life")];
        let refused = loop {
            match linked(pair, "REGX", Purpose::Work).await {
                Ok(link) => links.push(link),
                Err(why) => break why,
            }
            assert!(links.len() < 2_000, "they have no limit");
        };
        assert!(refused.to_string().contains("has 256 connections already"), "{refused}");
        goes_on(pair).await;
        // The life is lost, and the others with it.
        links[0].cut("the end");
        for link in &links[1..] {
            assert!(timeout(PATIENCE, link.ended()).await.is_ok(), "a connection stays");
        }
        goes_on(pair).await;
    });
}

#[test]
fn more_requests_than_sessions_end_the_link() {
    with_both("partners-sessions", async |pair| {
        let link = linked(pair, "REGX", Purpose::Life).await.expect("a link");
        let sessions = Sessions::new(100, Queue::default());
        sessions.open(100);
        let mut asking = Vec::new();
        for _ in 0..20 {
            let session = sessions.allocate(Duration::ZERO, false).await.expect("a session");
            asking.extend(link.request(session, b"x").ok());
        }
        let ended = timeout(PATIENCE, link.ended()).await.expect("it ends").to_string();
        assert!(ended.contains("request 9, where 9 may be in flight"), "{ended}");
        goes_on(pair).await;
    });
}

/// Requests that begin as those of regions do, and go on as they like.
#[test]
fn requests_that_are_none_are_answered_and_do_no_harm() {
    with_both("partners-requests", async |pair| {
        let mut link = linked(pair, "REGX", Purpose::Life).await.expect("a link");
        let sessions = Sessions::new(1, Queue::default());
        sessions.open(1);
        for seed in 0..REQUESTS {
            let mut rng = Rng::with_seed(seed);
            let mut body: Vec<u8> = (0..rng.usize(1..60)).map(|_| rng.u8(..)).collect();
            if rng.bool() {
                // Small numbers are kinds of requests and of work, counts, and names of conversations.
                body.iter_mut().take(8).for_each(|byte| *byte %= 8);
            }
            if rng.u8(..4) == 0 {
                body.insert(0, 0xFF);
            }
            let session = sessions.allocate(Duration::ZERO, true).await.expect("a session");
            let asking = match link.request(session, &body) {
                Ok(asking) => asking,
                Err(_) => {
                    link = linked(pair, "REGX", Purpose::Life).await.expect("a link again");
                    continue;
                }
            };
            match timeout(PATIENCE, asking).await.expect("an answer") {
                Ok(_) | Err(NoReply::Unanswered(_)) => {}
                Err(why) => panic!("seed {seed}: {why:?}"),
            }
        }
        goes_on(pair).await;
    });
}
