//! Partners that send what they should not, or stop in the middle.

mod common;

use std::rc::Rc;
use std::time::Duration;

use common::{Echo, begin, hello, here, timer, told};
use link::frame::{self, Head, Kind, MORE};
use link::{Ended, Link, Patience, Queue, Sessions, Vitals};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::time::timeout;

const LONG: Duration = Duration::from_secs(3_600);
const IN_FLIGHT: u32 = 2;

fn head(kind: Kind, conversation: u32) -> Head {
    Head { conversation, kind, flags: 0, vitals: Vitals::default() }
}

fn framed(kind: Kind, conversation: u32, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::put(&mut bytes, head(kind, conversation), body);
    bytes
}

/// A good Hello as bytes, which a real link has sent.
async fn hello_bytes() -> Vec<u8> {
    let (one, mut other) = tokio::io::duplex(1 << 20);
    let asks = begin(one, Rc::<Echo>::default(), timer(), Patience::HERE);
    let ours = hello("REGA", IN_FLIGHT);
    tokio::select! {
        biased;
        _ = Link::connect(asks, &ours, |_| Ok(())) => panic!("nobody has answered"),
        bytes = async {
            let mut bytes = vec![0; 1 << 16];
            let count = other.read(&mut bytes).await.expect("a Hello");
            bytes.truncate(count);
            bytes
        } => bytes,
    }
}

/// A link whose partner is this stream; Hello has been said.
async fn linked() -> (Link, DuplexStream) {
    let (mut one, other) = tokio::io::duplex(1 << 20);
    let owns = begin(other, Rc::<Echo>::default(), timer(), Patience::HERE);
    one.write_all(&hello_bytes().await).await.expect("a stream");
    let link = Link::accept(owns, |_| Ok(hello("REGB", IN_FLIGHT))).await.expect("a link");
    (link, one)
}

#[tokio::test(start_paused = true)]
async fn what_may_not_come_ends_the_link_with_its_reason() {
    here(async {
        let more = {
            let mut bytes = Vec::new();
            frame::put(&mut bytes, Head { flags: MORE, ..head(Kind::Request, 0) }, b"");
            bytes
        };
        let table: [(&str, Vec<u8>); 9] = [
            ("unknown kind 84", b"GET / HTTP/1.1\r\n\r\n".to_vec()),
            (
                "bytes, of which 65536 are the most",
                framed(Kind::Request, 0, b"")
                    .iter()
                    .enumerate()
                    .map(|(n, b)| if n == 2 { 9 } else { *b })
                    .collect(),
            ),
            ("a second Hello", framed(Kind::Hello, 0, b"x")),
            ("which was not sent", framed(Kind::Reply, 0, b"x")),
            ("which was not sent", framed(Kind::Reply, u32::MAX, b"x")),
            ("request 2, where 2 may be in flight", framed(Kind::Request, IN_FLIGHT, b"x")),
            ("request 0 twice", [framed(Kind::Request, 0, b"wait"), framed(Kind::Request, 0, b"x")].concat()),
            (
                "a request after the last one",
                [framed(Kind::Closing, 0, b""), framed(Kind::Request, 0, b"x")].concat(),
            ),
            ("goes on without going on", more),
        ];
        for (why, bytes) in table {
            let (link, mut partner) = linked().await;
            partner.write_all(&bytes).await.expect("a stream");
            let ended = timeout(LONG, link.ended()).await.expect(why);
            assert!(matches!(ended, Ended::Malformed(_)) && told(&ended).contains(why), "{ended}");
            // The partner may read why; nothing comes behind it.
            let mut rest = Vec::new();
            partner.read_to_end(&mut rest).await.expect("an end");
            assert!(String::from_utf8_lossy(&rest).contains(why), "{why}");
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn cancelling_what_is_not_there_is_harmless() {
    here(async {
        let (link, mut partner) = linked().await;
        for conversation in [0, 1, u32::MAX] {
            partner.write_all(&framed(Kind::Cancel, conversation, b"")).await.expect("a stream");
        }
        partner.write_all(&framed(Kind::Request, 0, b"x")).await.expect("a stream");
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert!(link.is_open());
        drop(partner);
        assert!(matches!(link.ended().await, Ended::Lost(_)));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_partner_that_stops_in_the_middle_of_a_frame_is_let_go() {
    here(async {
        let request = framed(Kind::Request, 0, b"some bytes");
        for length in 1..request.len() {
            let (link, mut partner) = linked().await;
            partner.write_all(&request[..length]).await.expect("a stream");
            let ended = timeout(LONG, link.ended()).await.expect("it ends");
            assert!(told(&ended).contains("a frame that does not end"), "{length} bytes: {ended}");
        }
        // One that sends a byte now and then is no better.
        let (link, mut partner) = linked().await;
        let trickle = async {
            for byte in framed(Kind::Request, 0, &[b'x'; 600]) {
                if partner.write_all(&[byte]).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        };
        tokio::select! {
            ended = link.ended() => assert!(told(&ended).contains("does not end"), "{ended}"),
            () = trickle => panic!("the link has waited for it"),
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_partner_that_says_no_hello_is_let_go() {
    here(async {
        let hello = hello_bytes().await;
        for length in [0, 1, 11, 12, hello.len() - 1] {
            let (mut one, other) = tokio::io::duplex(1 << 20);
            one.write_all(&hello[..length]).await.expect("a stream");
            let owns = begin(other, Rc::<Echo>::default(), timer(), Patience::HERE);
            let accepted = timeout(LONG, Link::accept(owns, |_| panic!("no Hello"))).await.expect("in time");
            let why = told(&accepted.err().expect("no link"));
            assert!(why.contains("no Hello has come within 5 s"), "{length}: {why}");
        }
        let (mut one, other) = tokio::io::duplex(1 << 20);
        one.write_all(&framed(Kind::Request, 0, b"x")).await.expect("a stream");
        let owns = begin(other, Rc::<Echo>::default(), timer(), Patience::HERE);
        let refused = Link::accept(owns, |_| panic!("no Hello")).await.err().expect("no link");
        assert!(told(&refused).contains("Request before Hello"), "{refused}");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_partner_that_reads_nothing_is_let_go() {
    here(async {
        let (mut one, other) = tokio::io::duplex(1 << 14);
        one.write_all(&hello_bytes().await).await.expect("a stream");
        let owns = begin(other, Rc::<Echo>::default(), timer(), Patience::HERE);
        let link = Link::accept(owns, |_| Ok(hello("REGB", IN_FLIGHT))).await.expect("a link");
        let sessions = Sessions::new(1, Queue::default());
        sessions.open(1);
        let session = sessions.allocate(Duration::ZERO, true).await.expect("a session");
        let asking = link.request(session, &vec![0; 1 << 20]).expect("in flight");
        // It lives: its heartbeats come.
        let beats = async {
            loop {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let _ = one.write_all(&framed(Kind::Beat, 0, b"")).await;
            }
        };
        tokio::select! {
            reply = asking => assert!(reply.is_err()),
            () = beats => {}
            () = tokio::time::sleep(LONG) => panic!("the link has waited for it"),
        }
        assert!(told(&link.ended().await).contains("has read nothing for 30 s"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn bytes_by_chance_end_a_link_or_leave_it_alone() {
    here(async {
        let hello = hello_bytes().await;
        let good = [
            framed(Kind::Request, 0, b"read"),
            framed(Kind::Beat, 0, b""),
            framed(Kind::Request, 1, b"wait"),
            framed(Kind::Cancel, 1, b""),
        ]
        .concat();
        for seed in 0..2_000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut bytes = [hello.clone(), good.clone()].concat();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(0..bytes.len());
                bytes[at] = random.u8(..);
            }
            bytes.truncate(random.usize(1..=bytes.len()));
            let (mut one, other) = tokio::io::duplex(1 << 20);
            one.write_all(&bytes).await.expect("a stream");
            let owns = begin(other, Rc::<Echo>::default(), timer(), Patience::ELSEWHERE);
            let accepted = timeout(LONG, Link::accept(owns, |_| Ok(common::hello("REGB", IN_FLIGHT)))).await;
            if let Ok(link) = accepted.expect("in time") {
                // Nothing more comes: it is lost in time, whatever has come.
                timeout(Duration::from_secs(11), link.ended()).await.expect("it ends");
            }
        }
    })
    .await;
}

/// A frame as a partner may send it, or nearly so.
fn any_frame(random: &mut fastrand::Rng) -> Vec<u8> {
    let kinds =
        [Kind::Hello, Kind::Refused, Kind::Request, Kind::Reply, Kind::Cancel, Kind::Beat, Kind::Closing];
    // Requests and replies are what most frames are.
    let kind = match random.u8(..10) {
        0 => kinds[random.usize(..kinds.len())],
        1 => Kind::Cancel,
        2 => Kind::Beat,
        number if number < 7 => Kind::Request,
        _ => Kind::Reply,
    };
    let body = match kind {
        Kind::Cancel | Kind::Beat | Kind::Closing => Vec::new(),
        _ if random.u8(..8) == 0 => vec![random.u8(..); random.usize(..=link::limits::FRAME_MAX)],
        _ if random.bool() => b"wait".to_vec(),
        _ => (0..random.usize(..20)).map(|_| random.u8(..)).collect(),
    };
    let mut flags = 0;
    if matches!(kind, Kind::Request | Kind::Reply) && random.u8(..4) == 0 {
        flags |= MORE;
    }
    if kind == Kind::Reply && random.u8(..4) == 0 {
        flags |= frame::FAILED;
    }
    let mut bytes = Vec::new();
    frame::put(&mut bytes, Head { flags, ..head(kind, random.u32(..3)) }, &body);
    bytes
}

/// Frames that are whole, in any order, to a link that asks and answers: it ends with a reason, or goes on, and no task waits for ever.
#[tokio::test(start_paused = true)]
async fn frames_in_any_order_end_a_link_or_leave_it_alone() {
    here(async {
        let hello = hello_bytes().await;
        let (mut ended, mut went_on) = (0, 0);
        for seed in 0..3_000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (mut one, other) = tokio::io::duplex(4 << 20);
            one.write_all(&hello).await.expect("a stream");
            let host = Rc::<Echo>::default();
            let owns = begin(other, Rc::clone(&host) as _, timer(), Patience::HERE);
            let link = Link::accept(owns, |_| Ok(common::hello("REGB", IN_FLIGHT))).await.expect("a link");
            let sessions = Sessions::new(IN_FLIGHT, Queue::default());
            sessions.open(IN_FLIGHT);
            let session = sessions.allocate(Duration::ZERO, true).await.expect("a session");
            let asking = link.request(session, b"asked").expect("in flight");
            for _ in 0..random.usize(1..30) {
                // The link may have ended.
                let _ = one.write_all(&any_frame(&mut random)).await;
                if random.u8(..4) == 0 {
                    host.kept.borrow_mut().pop();
                }
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            if link.is_open() {
                went_on += 1
            } else {
                ended += 1
            }
            host.kept.borrow_mut().clear();
            drop(one);
            timeout(LONG, asking).await.map(drop).expect("an answer, or a reason");
            timeout(LONG, link.ended()).await.expect("it ends with its stream");
            assert_eq!(sessions.counts(false).in_use, 0, "seed {seed}: its session is free");
        }
        assert!(ended > 100 && went_on > 100, "{ended} ended, {went_on} went on");
    })
    .await;
}
