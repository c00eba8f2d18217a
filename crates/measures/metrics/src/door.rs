//! A client: its one request, and the answer.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use http::request::{RequestHead, Version};
use http::{Event, Incoming, Limits, write};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::Host;
use crate::exposition::{self, MEDIA};
use crate::limits::{ANSWER_TIME, FAREWELL, HEAD_MAX, REQUEST_TIME, TARGET_MAX};

/// An answer.
struct Answer {
    status: u16,
    media: &'static str,
    body: String,
}

impl Answer {
    fn word(status: u16, word: &str) -> Self {
        Self { status, media: "text/plain; charset=utf-8", body: format!("{word}\n") }
    }
}

/// Serves a client, whose mistakes are its own affair.
pub(crate) async fn serve(mut stream: TcpStream, host: Arc<dyn Host>, turn: Arc<Mutex<()>>) {
    let (answer, with_body) = match timeout(REQUEST_TIME, request(&mut stream)).await {
        Err(_) => (Answer::word(408, "the request did not come in time"), true),
        Ok(Err(_)) => return,
        Ok(Ok(Err(status))) => (Answer::word(status, "this is no request that is answered here"), true),
        Ok(Ok(Ok(head))) => (answer(&head, host, turn).await, head.method() != "HEAD"),
    };
    // A client that takes its time is let go.
    let _ = timeout(ANSWER_TIME, send(&mut stream, &answer, with_body)).await;
}

/// Reads the head of a request, or the status by which it is refused.
async fn request(stream: &mut TcpStream) -> io::Result<Result<Box<RequestHead>, u16>> {
    let mut incoming = Incoming::new(Limits { head: HEAD_MAX, target: TARGET_MAX, body: 0 });
    let mut bytes = [0; 2048];
    loop {
        match incoming.next_event() {
            Err(refusal) => return Ok(Err(refusal.status())),
            Ok(Some(Event::Head(head))) => return Ok(Ok(head)),
            Ok(_) => {}
        }
        match stream.read(&mut bytes).await? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => incoming.take(&bytes[..read]),
        }
    }
}

/// Returns true if a request names this machine: a page that has got another name to lead here does not.
fn is_for_here(head: &RequestHead) -> bool {
    let Some(host) = head.host() else { return head.version() == Version::Http10 };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

async fn answer(head: &RequestHead, host: Arc<dyn Host>, turn: Arc<Mutex<()>>) -> Answer {
    if !is_for_here(head) {
        return Answer::word(421, "name this machine by its address or as localhost");
    }
    if !["GET", "HEAD"].contains(&head.method()) {
        return Answer::word(405, "GET and HEAD are answered here");
    }
    let path = head.path();
    if !["/metrics", "/health"].contains(&path) {
        return Answer::word(404, "/metrics and /health are here");
    }
    let wants_metrics = path == "/metrics";
    let _turn = turn.lock().await;
    let read = move || if wants_metrics { metrics(&*host) } else { health(&*host) };
    // Not on a thread that runs tasks.
    match tokio::task::spawn_blocking(read).await {
        Ok(answer) => answer,
        Err(error) => {
            tracing::error!(target: "ST", "the figures cannot be read: {error}");
            Answer::word(500, "the figures cannot be read")
        }
    }
}

fn metrics(host: &dyn Host) -> Answer {
    match host.families().map(exposition::text) {
        Some(Ok(body)) => Answer { status: 200, media: MEDIA, body },
        Some(Err(_)) => Answer::word(500, "the figures cannot be written"),
        None => Answer::word(503, "the region has ended"),
    }
}

fn health(host: &dyn Host) -> Answer {
    let (serves, body) = host.health();
    Answer { status: if serves { 200 } else { 503 }, media: "application/json", body: format!("{body}\n") }
}

async fn send(stream: &mut TcpStream, answer: &Answer, with_body: bool) -> io::Result<()> {
    let mut bytes = Vec::new();
    write::status_line(Version::Http11, answer.status, None, &mut bytes);
    let length = answer.body.len().to_string();
    for (name, value) in [
        ("Content-Type", answer.media),
        ("Content-Length", length.as_str()),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("Connection", "close"),
    ] {
        write::field(name.as_bytes(), value.as_bytes(), &mut bytes);
    }
    if answer.status == 405 {
        write::field(b"Allow", b"GET, HEAD", &mut bytes);
    }
    bytes.extend_from_slice(b"\r\n");
    if with_body {
        bytes.extend_from_slice(answer.body.as_bytes());
    }
    stream.write_all(&bytes).await?;
    stream.shutdown().await?;
    // Bytes that a client has sent and the door has not read would make the system take the answer back.
    let mut rest = [0; 2048];
    let drained = async { while !matches!(stream.read(&mut rest).await, Ok(0) | Err(_)) {} };
    let _ = timeout(FAREWELL, drained).await;
    Ok(())
}
