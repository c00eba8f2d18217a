//! Peers that are none: the server refuses each with a reason, and goes on with the others.

mod common;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use common::{open, put, read, store};
use records::Recovery;
use share::{Door, Remote, Server, socket};
use tokio::sync::oneshot;

/// Runs `attack` beside a server and a region that works before, between and after.
fn beside_a_server(attack: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().expect("it works");
    let place = folder.path().to_owned();
    let ((ready, is_ready), (ends, ended)) = (std::sync::mpsc::channel(), oneshot::channel::<()>());
    let server = std::thread::spawn({
        let place = place.clone();
        move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it works");
            tokio::task::LocalSet::new().block_on(&runtime, async {
                let server =
                    Server::open(open(&place), Rc::new(link::Timer::default())).await.expect("it works");
                let door = Door::open(&place, server).expect("it works");
                ready.send(()).expect("it works");
                let _ = ended.await;
                door.close().await;
            });
        }
    });
    is_ready.recv().expect("it works");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it works");
    let (region, accounts) = runtime.block_on(async {
        let region = Remote::open(&socket(&place), "REGA", 1_000).await.expect("it works");
        let accounts = store(&*region, "accounts", Recovery::Recoverable).await;
        put(&*region, accounts, &[("a", "1")]).await;
        (region, accounts)
    });
    attack(&socket(&place));
    runtime.block_on(async {
        put(&*region, accounts, &[("b", "2")]).await;
        assert_eq!(read(&*region, accounts, "b").await.as_deref(), Some("2"), "the server goes on");
    });
    drop(region);
    drop(ends);
    server.join().expect("the server is well");
}

fn frame(kind: u8, length: u32, conversation: u32, body: &[u8]) -> Vec<u8> {
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend(conversation.to_le_bytes());
    bytes.extend([kind, 0, 100, 0]);
    bytes.extend(body);
    bytes
}

/// The words that come back until the server ends the connection.
fn told(socket: &Path, bytes: &[u8]) -> String {
    let mut stream = UnixStream::connect(socket).expect("the socket is there");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it works");
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn garbage_and_counts_without_end_are_refused() {
    beside_a_server(|socket| {
        let table: [(&str, Vec<u8>, &str); 5] = [
            ("text", b"GET / HTTP/1.1\r\nHost: records\r\n\r\n".to_vec(), ""),
            ("a frame of four gigabytes", frame(1, u32::MAX, 0, b""), "of which"),
            ("a request before Hello", frame(3, 1, 0, b"x"), "before Hello"),
            ("a Hello that is none", frame(1, 4, 0, b"\x01\x00zz"), "Hello"),
            ("a Hello of another version", frame(1, 2, 0, b"\x09\x00"), "version 9"),
        ];
        for (what, bytes, reason) in table {
            let answer = told(socket, &bytes);
            assert!(answer.contains(reason), "{what}: {answer:?}");
        }
    });
}

#[test]
fn a_partner_that_stops_in_the_middle_of_a_frame_holds_no_task_up() {
    beside_a_server(|socket| {
        let mut hangs = UnixStream::connect(socket).expect("the socket is there");
        hangs.write_all(&frame(1, 100, 0, b"half of a")).expect("it works");
        // It keeps its connection until the server gives it up, and others work meanwhile.
        std::mem::forget(hangs);
    });
}

#[test]
fn a_region_that_asks_what_is_no_request_hears_so_and_keeps_its_session() {
    beside_a_server(|socket| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it works");
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let (source, sink) = link::carrier::connect_unix(socket).await.expect("it works");
            struct Nobody;
            impl link::Host for Nobody {
                fn vitals(&self) -> link::Vitals {
                    link::Vitals::default()
                }
                fn asked(&self, asked: link::Asked, _: &[u8]) {
                    asked.reply(&[]);
                }
            }
            let begin = link::Begin {
                source,
                sink,
                host: Rc::new(Nobody),
                clock: Rc::new(link::Timer::default()),
                patience: link::Patience::HERE,
            };
            let hello = |commands: &str| link::Hello {
                applid: "HOSTILE".into(),
                sysid: "HOST".into(),
                network: String::new(),
                run: 1,
                log: 0,
                build: String::new(),
                user: String::new(),
                code_page: String::new(),
                purpose: link::Purpose::Life,
                sends: 16,
                takes: 16,
                names: link::Names { commands: vec![commands.into()], options: Vec::new() },
                traces: false,
                origins: false,
            };
            let link =
                link::Link::connect(begin, &hello(share::PROTOCOL), |_| Ok(())).await.expect("it works");
            let sessions = link::Sessions::new(16, link::Queue::default());
            sessions.open(16);
            let mut random = fastrand::Rng::with_seed(7);
            for length in 0..400 {
                let body: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(length % 60).collect();
                let session = sessions.allocate(Duration::ZERO, true).await.expect("it works");
                // Some of them are requests by chance, and refused or answered as such.
                let _ = tokio::time::timeout(
                    Duration::from_millis(200),
                    link.request(session, &body).expect("it works"),
                )
                .await;
            }
            assert!(link.is_open(), "it keeps its session");
            let (source, sink) = link::carrier::connect_unix(socket).await.expect("it works");
            let begin = link::Begin {
                source,
                sink,
                host: Rc::new(Nobody),
                clock: Rc::new(link::Timer::default()),
                patience: link::Patience::HERE,
            };
            let refused = link::Link::connect(begin, &hello("RECORDS-9"), |_| Ok(())).await.err();
            let refused = refused.expect("refused").to_string();
            assert!(refused.contains("RECORDS-9") && refused.contains(share::PROTOCOL), "{refused}");
        });
    });
}
