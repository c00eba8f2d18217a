//! A region of a few lines, and clients that speak bytes.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::rc::Rc;
use std::sync::Arc;

use http::{Fields, RequestHead};
use ports::{Certificate, Served};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::LocalSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use web::{Answer, Door, Found, Host, Limits, Peer, Reply, Request, Welcome};

/// Answers by the path.
#[derive(Default)]
pub struct Region {
    /// Events so far.
    pub seen: RefCell<Vec<String>>,
    /// A request has begun that waits for its client to leave, or has seen it leave.
    pub happened: Notify,
    /// Signal that a request that has answered early waits for.
    pub goes_on: Notify,
    /// Clients are to leave with their answers.
    pub sends_away: Cell<bool>,
}

impl Region {
    fn note(&self, what: impl Into<String>) {
        self.seen.borrow_mut().push(what.into());
        self.happened.notify_one();
    }
}

impl Host for Region {
    type Target = String;

    fn find(&self, head: &RequestHead, _: &Peer) -> Found<String> {
        match head.path() {
            "/static" => Found::Answer(Answer::text(200, "a file")),
            "/no" => Found::Answer(Answer::text(401, "no")),
            path => Found::Attach(path.to_owned()),
        }
    }

    async fn attach(&self, path: String, request: Request, mut reply: Reply) {
        let mut answer = Answer::text(200, "");
        match path.as_str() {
            "/nothing" => return,
            "/none" => answer.status = 204,
            "/peer" => answer.body = format!("{:?}", request.peer).into_bytes(),
            "/phrase" => answer.phrase = Some(b"KEY=0017".to_vec()),
            "/chunks" | "/broken" => {
                let _ = reply.begin(answer).await;
                for piece in ["one", "two"] {
                    let _ = reply.chunk(piece.as_bytes().to_vec()).await;
                }
                let mut trailer = Fields::default();
                trailer.push("X-Sum", "2").expect("a header");
                if path == "/chunks" {
                    let _ = reply.end(trailer).await;
                }
                return;
            }
            "/replaced" => {
                reply.keep(Answer::text(500, "first")).expect("nothing was sent");
                answer.body = b"second".to_vec();
            }
            "/wait" => {
                self.note("waits");
                request.gone.gone().await;
                self.note("gone");
            }
            "/early" => {
                let _ = reply.send(Answer::text(200, "early")).await;
                tokio::select! {
                    () = request.gone.gone() => self.note("gone"),
                    () = self.goes_on.notified() => self.note("went on"),
                }
                return;
            }
            "/fields" => {
                for (name, value) in
                    [("Content-Length", "99"), ("Connection", "close"), ("X-Own", "1"), ("Server", "own")]
                {
                    answer.fields.push(name, value).expect("a header");
                }
            }
            "/endless" => {
                let _ = reply.begin(answer).await;
                while reply.chunk(vec![b'x'; 60_000]).await.is_ok() {}
                self.note("stopped");
                return;
            }
            _ => answer.body = request.body,
        }
        let _ = reply.keep(answer);
    }

    fn sends_away(&self) -> bool {
        self.sends_away.get()
    }

    fn server(&self) -> Option<&str> {
        Some("Test")
    }
}

/// A door that is open.
pub struct Open {
    pub region: Rc<Region>,
    pub door: Rc<Door<Region>>,
    pub address: SocketAddr,
    served: Served,
}

pub fn open(limits: Limits, welcome: Welcome) -> Open {
    let region = Rc::new(Region::default());
    let door = Door::new(Rc::clone(&region), limits);
    let (listener, address) = ports::listen(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
    let mut served = Served::default();
    let serving = Rc::clone(&door);
    served.serve(listener, move |stream, peer| Rc::clone(&serving).welcome(welcome.clone(), stream, peer));
    Open { region, door, address, served }
}

impl Open {
    pub fn sends_away(&self, away: bool) {
        self.region.sends_away.set(away);
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("a connection")
    }

    /// Sends bytes, says that no more will come, and reads all that is answered.
    pub async fn exchange(&self, bytes: &[u8]) -> String {
        exchange(self.connect().await, bytes).await
    }

    /// The same over TLS, by a client that trusts the door's certificate.
    pub async fn exchange_by_tls(&self, connector: &TlsConnector, bytes: &[u8]) -> String {
        let name = "localhost".try_into().expect("a name");
        let stream = connector.connect(name, self.connect().await).await.expect("a handshake");
        exchange(stream, bytes).await
    }
}

async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin, bytes: &[u8]) -> String {
    // The door may have refused what comes first, and so does not read the rest.
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// A certificate for `localhost` that offers protocols, and a client that trusts it.
pub fn certificate(offers: &[&str]) -> (Certificate, TlsConnector) {
    let folder = tempfile::tempdir().expect("a folder");
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let (chain, key) = (folder.path().join("chain.pem"), folder.path().join("key.pem"));
    std::fs::write(&chain, own.cert.pem()).expect("written");
    std::fs::write(&key, own.signing_key.serialize_pem()).expect("written");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("the owner's alone");
    let mut roots = RootCertStore::empty();
    roots.add(own.cert.der().clone()).expect("a root");
    let client = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let certificate = Certificate::read(&chain, &key, None).expect("a certificate").offering(offers);
    (certificate, TlsConnector::from(Arc::new(client)))
}

/// Reads until a text has come.
pub async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut read = Vec::new();
    loop {
        let seen = String::from_utf8_lossy(&read).into_owned();
        if seen.contains(text) {
            return seen;
        }
        match stream.read_buf(&mut read).await {
            Ok(1..) => {}
            end => panic!("{end:?} after {seen:?}"),
        }
    }
}

pub async fn local(test: impl Future<Output = ()>) {
    LocalSet::new().run_until(test).await;
}
