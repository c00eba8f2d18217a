//! Spans of tasks at a collector: real regions, a real client, and what comes to the collector over HTTP.

mod collector;
#[path = "../common/mod.rs"]
mod common;
mod invoked;
mod lossy;
mod many;
mod secure;
mod tree;

use std::net::SocketAddr;
use std::time::Duration;

use collector::{Came, read};
use otlp::request::Read;
use testkit::house::House;
use testkit::timeline::{Happening, Timeline};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The longest wait.
const PATIENCE: Duration = Duration::from_secs(60);

/// The trace of a client, and its span there.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// Runs what needs an event loop of one thread.
fn on_loop(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a loop");
    tokio::task::LocalSet::new().block_on(&runtime, work);
}

/// Waits until something is so.
async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    if tokio::time::timeout(PATIENCE, waiting).await.is_err() {
        let told = Timeline::of_process().since(0);
        let last: Vec<_> = told.iter().rev().take(20).map(ToString::to_string).collect();
        panic!("in vain: {what}; the last that happened, backwards:\n{}", last.join("\n"));
    }
}

/// The number of messages of the log with this text.
fn said(text: &str) -> usize {
    let is_one = |happening: &Happening| matches!(happening, Happening::Message(it) if it.contains(text));
    Timeline::of_process().since(0).iter().filter(|happening| is_one(happening)).count()
}

/// The address of a region's web service.
fn web(house: &House) -> SocketAddr {
    house.running.addresses("web").first().copied().expect("a web service")
}

/// The answer to a GET with these further header lines.
async fn get(at: SocketAddr, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(at).await.expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    // What came before the end counts.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// A server that answers one request, and what came to it.
async fn peer() -> (u16, tokio::task::JoinHandle<Came>) {
    peer_that_says("200 X", "text/plain", "OK").await
}

/// The same with an answer of its own.
async fn peer_that_says(
    status: &'static str,
    media: &'static str,
    body: &'static str,
) -> (u16, tokio::task::JoinHandle<Came>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let served = tokio::task::spawn_local(async move {
        let (mut stream, _) = listener.accept().await.expect("a client");
        let came = read(&mut stream).await.expect("a request");
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        stream.write_all(answer.as_bytes()).await.expect("sent");
        came
    });
    (port, served)
}

/// The only span of a name in these.
fn named<'a>(spans: &'a [Read], name: &str) -> &'a Read {
    let mut all = spans.iter().filter(|span| span.name == name);
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ => panic!("not one {name}: {spans:#?}"),
    }
}

/// An attribute of a span or of its region.
fn told<'a>(span: &'a Read, key: &str) -> Option<&'a str> {
    span.attributes.iter().find(|(it, _)| it == key).map(|(_, text)| text.as_str())
}
