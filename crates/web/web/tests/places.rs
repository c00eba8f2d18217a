//! MAXSOCKETS: connections that idle make room for others, whatever version of HTTP they speak.

mod common;

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use ports::{Places, Served};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use web::{Door, Limits, Welcome};

/// A door whose connections share so many places.
struct Shared {
    region: Rc<common::Region>,
    places: Arc<Places>,
    address: SocketAddr,
    _served: Served,
}

fn shared(most: usize) -> Shared {
    let (region, places) = (Rc::<common::Region>::default(), Places::new(most));
    let door = Door::new(Rc::clone(&region), Limits::default());
    let welcome = Welcome { http2: true, ..Welcome::default() };
    let (listener, address) = ports::listen(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
    let (mut served, of_all) = (Served::default(), Arc::clone(&places));
    served.serve(listener, move |stream, client| {
        let (door, welcome, places) = (Rc::clone(&door), welcome.clone(), Arc::clone(&of_all));
        async move {
            let mut place = places.place().await;
            let seat = place.seat();
            door.seat(welcome, stream, client, Some(seat)).await;
        }
    });
    Shared { region, places, address, _served: served }
}

/// Types of frames.
const HEADERS: u8 = 1;
const GOAWAY: u8 = 7;
/// Flags of HEADERS: nothing follows, neither of the headers nor of a body.
const WHOLE: u8 = 0x05;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a short frame").to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A client of HTTP/2 that sends what it must, and answers nothing.
struct Client(TcpStream);

impl Client {
    async fn new(at: SocketAddr) -> Self {
        let mut stream = TcpStream::connect(at).await.expect("a connection");
        stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.expect("sent");
        stream.write_all(&frame(4, 0, 0, &[])).await.expect("sent");
        Self(stream)
    }

    /// GET of a path, as HPACK has it: names by their numbers, values as they are.
    async fn ask(&mut self, stream: u32, path: &str) {
        let length = |text: &str| u8::try_from(text.len()).expect("a short text");
        let mut headers = vec![0x82, 0x86, 0x04, length(path)];
        headers.extend(path.as_bytes());
        headers.extend([0x01, 1, b'a']);
        self.0.write_all(&frame(HEADERS, WHOLE, stream, &headers)).await.expect("sent");
    }

    /// The types of the frames that come until one of a type, or to the end.
    async fn frames(&mut self, last: Option<u8>) -> Vec<u8> {
        let mut kinds = Vec::new();
        let mut head = [0; 9];
        while self.0.read_exact(&mut head).await.is_ok() {
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
            let mut payload = vec![0; length as usize];
            self.0.read_exact(&mut payload).await.expect("a whole frame");
            kinds.push(head[3]);
            if last == Some(head[3]) {
                break;
            }
        }
        kinds
    }
}

async fn get(at: SocketAddr) -> String {
    let mut stream = TcpStream::connect(at).await.expect("a connection");
    stream.write_all(b"GET /static HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    answer
}

#[tokio::test]
async fn a_connection_of_http_2_that_idles_makes_room() {
    common::local(async {
        let shared = shared(1);
        let mut idle = Client::new(shared.address).await;
        idle.ask(1, "/static").await;
        assert!(idle.frames(Some(HEADERS)).await.contains(&HEADERS), "it is answered");
        assert!(get(shared.address).await.ends_with("a file"), "another has its place");
        let farewell = idle.frames(None).await;
        assert!(farewell.contains(&GOAWAY), "it was told to come again elsewhere: {farewell:?}");
        assert_eq!(shared.places.taken(false).left, 1);
    })
    .await;
}

#[tokio::test]
async fn a_connection_of_http_2_that_has_never_asked_makes_room() {
    common::local(async {
        let shared = shared(1);
        let mut idle = Client::new(shared.address).await;
        assert!(get(shared.address).await.ends_with("a file"));
        assert!(idle.frames(None).await.contains(&GOAWAY));
    })
    .await;
}

#[tokio::test]
async fn a_connection_of_http_2_whose_request_is_at_work_keeps_its_place() {
    common::local(async {
        let shared = shared(1);
        let mut busy = Client::new(shared.address).await;
        busy.ask(1, "/wait").await;
        shared.region.happened.notified().await;
        let mut other = TcpStream::connect(shared.address).await.expect("a connection");
        other.write_all(b"GET /static HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("sent");
        while shared.places.taken(false).waiting == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(shared.places.taken(false).left, 0, "nobody idles");
        // With its client gone its request is, too.
        drop(busy);
        common::read_until(&mut other, "a file").await;
    })
    .await;
}
