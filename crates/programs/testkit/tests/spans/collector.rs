//! A collector of a test's own, which takes what a region sends, and misbehaves as a test wants it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use otlp::request::{Read, decode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// A request that has come.
#[derive(Clone, Debug)]
pub struct Came {
    /// Its head.
    pub head: String,
    /// Its body.
    pub body: Vec<u8>,
}

/// A collector's way with requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// It takes it.
    Takes,
    /// It reads it and says nothing.
    Hangs,
    /// It answers with this status.
    Says(u16),
}

/// Requests that have come, and the mood.
pub struct Shared {
    pub came: RefCell<Vec<Came>>,
    pub mood: Cell<Mood>,
    /// Its side of TLS; `None`: it speaks without.
    pub tls: RefCell<Option<TlsAcceptor>>,
}

/// A collector that listens.
pub struct Collector {
    pub port: u16,
    pub shared: Rc<Shared>,
    listens: RefCell<Option<JoinHandle<()>>>,
}

impl Collector {
    /// One at a port that was free a moment ago, where it does not listen yet.
    pub fn new(mood: Mood) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let shared =
            Rc::new(Shared { came: RefCell::default(), mood: Cell::new(mood), tls: RefCell::default() });
        Self { port, shared, listens: RefCell::default() }
    }

    /// It listens from now on.
    pub async fn comes(&self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.expect("its port");
        let listens = tokio::task::spawn_local(accept(listener, Rc::clone(&self.shared)));
        self.listens.replace(Some(listens));
    }

    /// It goes away, with its connections.
    pub async fn goes(&self) {
        if let Some(listens) = self.listens.take() {
            listens.abort();
            // Its port is free then.
            let _ = listens.await;
        }
    }

    /// All spans that have come.
    pub fn spans(&self) -> Vec<Read> {
        let came = self.shared.came.borrow();
        came.iter().flat_map(|came| decode(&came.body).expect("spans")).collect()
    }

    /// The lines of `[opentelemetry]` that lead to it.
    pub fn section(&self, more: &str) -> String {
        self.section_by("http", more)
    }

    /// The same by TLS.
    pub fn secure_section(&self, more: &str) -> String {
        self.section_by("https", more)
    }

    fn section_by(&self, scheme: &str, more: &str) -> String {
        format!("[opentelemetry]\nendpoint = \"{scheme}://127.0.0.1:{}/otlp\"\n{more}", self.port)
    }
}

async fn accept(listener: TcpListener, shared: Rc<Shared>) {
    // Its connections end with it.
    let mut all = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let (shared, tls) = (Rc::clone(&shared), shared.tls.borrow().clone());
        all.spawn_local(async move {
            match tls {
                None => serve(stream, shared).await,
                // A client that does not believe it goes away.
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        serve(stream, shared).await;
                    }
                }
            }
        });
    }
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, shared: Rc<Shared>) {
    while let Some(came) = read(&mut stream).await {
        let status = match shared.mood.get() {
            Mood::Takes => {
                shared.came.borrow_mut().push(came);
                200
            }
            Mood::Hangs => std::future::pending().await,
            Mood::Says(status) => status,
        };
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n"
        );
        if stream.write_all(head.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Reads a request of HTTP/1.1 with Content-Length, or without a body.
pub async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Came> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let mut body = bytes.split_off(head);
    let head = String::from_utf8(bytes).ok()?;
    let length = header(&head, "content-length").map_or(0, |length| length.parse().expect("a length"));
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Came { head, body })
}

/// A header of a head.
pub fn header(head: &str, name: &str) -> Option<String> {
    let named = |line: &str| {
        let (it, value) = line.split_once(':')?;
        it.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    };
    head.lines().find_map(named)
}
