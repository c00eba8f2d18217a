//! One port of several regions: who has it, who takes its clients, and what they resume.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use ports::{Allows, Gate, OpenedPort, Sharing, Which, open_for};
use tokio::time::timeout;

/// A region's word on clients, which a test changes.
#[derive(Clone)]
struct Word(Arc<Mutex<Allows>>);

impl Word {
    fn is(&self, allows: Allows) {
        *self.0.lock() = allows;
    }
}

impl Gate for Word {
    fn allows(&self) -> Allows {
        *self.0.lock()
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).expect("changed");
    folder
}

fn region(folder: &Path, name: &str) -> (Arc<Sharing>, Word) {
    let word = Word(Arc::new(Mutex::new(Allows::All)));
    let sharing = Sharing::begin(folder, name, Which::All, Box::new(word.clone())).expect("a share");
    (sharing, word)
}

fn free() -> SocketAddr {
    let any = TcpListener::bind("127.0.0.1:0").expect("a port");
    any.local_addr().expect("its address")
}

fn opened(sharing: &Arc<Sharing>, at: SocketAddr) -> OpenedPort {
    open_for(Some(sharing), at, 64, 1).unwrap_or_else(|why| panic!("{why}"))
}

/// The only socket of a port, on this thread's event loop.
fn listens(port: OpenedPort) -> ports::Listener {
    let socket = port.sockets.into_iter().next().expect("a socket");
    socket.here().expect("it listens")
}

/// The number of clients that are accepted until none comes for a while.
async fn accepts(listener: &ports::Listener) -> usize {
    let mut count = 0;
    while timeout(Duration::from_millis(400), listener.accept()).await.is_ok_and(|client| client.is_ok()) {
        count += 1;
    }
    count
}

fn clients(at: SocketAddr, count: usize) -> Vec<TcpStream> {
    (0..count).map(|_| TcpStream::connect(at).expect("a connection")).collect()
}

#[tokio::test]
async fn a_second_region_has_the_socket_of_the_first_and_takes_what_it_leaves() {
    let (folder, at) = (folder(), free());
    let (first, _) = region(folder.path(), "REGA");
    let port = opened(&first, at);
    let (second, _) = region(folder.path(), "REGB");
    let other = listens(opened(&second, at));
    let waiting = clients(at, 5);
    // The first one ends without a word, with clients in the queue.
    drop((port, first));
    assert_eq!(accepts(&other).await, 5, "none is lost");
    let more = clients(at, 2);
    assert_eq!(accepts(&other).await, 2);
    for mut client in waiting.into_iter().chain(more) {
        client.set_read_timeout(Some(Duration::from_secs(5))).expect("a time");
        client.write_all(b"x").expect("it is not reset");
        assert_eq!(client.read(&mut [0]).expect("it ends in order"), 0);
    }
    drop((other, second));
    assert!(TcpStream::connect(at).is_err(), "the last one closes the port");
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left, ["lock.ports"], "sockets go with their regions");
}

#[tokio::test]
async fn a_region_takes_what_its_gate_allows() {
    let (folder, at) = (folder(), free());
    let (first, word) = region(folder.path(), "REGA");
    let (second, other_word) = region(folder.path(), "REGB");
    let (one, other) = (listens(opened(&first, at)), listens(opened(&second, at)));
    word.is(Allows::Nothing);
    let _clients = clients(at, 3);
    assert_eq!(accepts(&one).await, 0);
    assert_eq!(accepts(&other).await, 3);
    // A client that no other region takes is taken after a while.
    word.is(Allows::LeftOver);
    other_word.is(Allows::Nothing);
    let _clients = clients(at, 3);
    assert_eq!(accepts(&one).await, 3);
    word.is(Allows::All);
    first.leave();
    let _clients = clients(at, 2);
    assert_eq!(accepts(&one).await, 0, "it has left");
    other_word.is(Allows::Paced(Duration::from_millis(5)));
    assert_eq!(accepts(&other).await, 2);
    // It does not rest while clients wait that no other region takes: with its rests this would take half a minute.
    other_word.is(Allows::Paced(Duration::from_millis(300)));
    let _clients = clients(at, 60);
    let begun = Instant::now();
    assert_eq!(accepts(&other).await, 60);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn one_thread_polls_at_a_time_and_another_helps_while_that_one_is_busy() {
    let (folder, at) = (folder(), free());
    let (sharing, _) = region(folder.path(), "REGA");
    let port = open_for(Some(&sharing), at, 64, 2).unwrap_or_else(|why| panic!("{why}"));
    let mut sockets = port.sockets.into_iter();
    let (polling, waiting) = (sockets.next().expect("one"), sockets.next().expect("another"));
    let (polling, waiting) = (polling.here().expect("it listens"), waiting.here().expect("it listens"));
    // The baton is taken, and its thread does not come back to it.
    let mut stuck = std::pin::pin!(polling.accept());
    assert!(timeout(Duration::from_millis(20), &mut stuck).await.is_err());
    let _clients = clients(at, 3);
    assert_eq!(accepts(&waiting).await, 3);
    let _clients = clients(at, 1);
    assert!(timeout(Duration::from_secs(5), stuck).await.is_ok_and(|client| client.is_ok()));
}

#[test]
fn a_folder_or_a_port_that_others_have_is_refused() {
    let (folder, at) = (folder(), free());
    let (first, _) = region(folder.path(), "REGA");
    let word = || Box::new(Word(Arc::new(Mutex::new(Allows::All))));
    let again = Sharing::begin(folder.path(), "REGA", Which::All, word());
    assert!(again.err().expect("a second REGA").to_string().contains("runs already"));
    let _program = TcpListener::bind(at).expect("the port");
    let why = open_for(Some(&first), at, 64, 1).err().expect("it is taken");
    assert!(why.help().contains("another program may use this port"));
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o750)).expect("changed");
    let open = Sharing::begin(folder.path(), "REGC", Which::All, word());
    assert!(open.err().expect("others see it").to_string().contains("chmod 700"));
}

#[test]
fn strange_questions_and_dead_sockets_hinder_no_region() {
    use std::os::unix::net::{UnixListener, UnixStream};
    let (folder, at) = (folder(), free());
    let (first, _) = region(folder.path(), "REGA");
    let _port = opened(&first, at);
    for question in [&b""[..], b"\n", b"port\n", b"port nowhere\n", b"port 127.0.0.1:1\n", &[b'x'; 500]] {
        let mut asked = UnixStream::connect(folder.path().join("REGA.ports")).expect("a socket");
        let _ = asked.write_all(question);
        let _ = asked.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = asked.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer == b"-", "{question:?}: {answer:?}");
    }
    // One that is dead, one that says nonsense, one that passes nothing.
    drop(UnixListener::bind(folder.path().join("AAAA.ports")).expect("a socket"));
    let liar = UnixListener::bind(folder.path().join("AAAB.ports")).expect("a socket");
    let lies = std::thread::spawn(move || {
        for says in [&b"+"[..], b"?"] {
            let (mut asked, _) = liar.accept().expect("somebody asks");
            asked.write_all(says).expect("said");
        }
    });
    for name in ["REGB", "REGC"] {
        let (sharing, _) = region(folder.path(), name);
        assert_eq!(opened(&sharing, at).address, at, "{name}");
    }
    lies.join().expect("both have asked");
}

#[test]
fn only_ports_that_are_named_are_shared() {
    let folder = folder();
    let gate = Box::new(Word(Arc::new(Mutex::new(Allows::All))));
    let sharing = Sharing::begin(folder.path(), "REGA", Which::These(vec![4_000]), gate).expect("a share");
    let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
    assert_eq!([4_000, 4_001, 0].map(|port| sharing.shares(at(port))), [true, false, false]);
}

mod tls {
    use ports::{Certificate, ClientCertificates, Clients, Limits};
    use tokio::net::{TcpListener, TcpStream};
    use tokio_rustls::TlsConnector;
    use tokio_rustls::rustls::pki_types::ServerName;
    use tokio_rustls::rustls::{ClientConfig, HandshakeKind, RootCertStore};

    use super::*;

    /// A certificate for localhost, in a folder, and who trusts it.
    fn localhost(folder: &Path) -> RootCertStore {
        let made =
            rcgen::generate_simple_self_signed(vec![String::from("localhost")]).expect("a certificate");
        let (chain, key) = (folder.join("own.pem"), folder.join("own.key"));
        std::fs::write(chain, made.cert.pem()).expect("written");
        std::fs::write(&key, made.signing_key.serialize_pem()).expect("written");
        std::fs::set_permissions(key, std::fs::Permissions::from_mode(0o600)).expect("changed");
        let mut roots = RootCertStore::empty();
        roots.add(made.cert.der().clone()).expect("an authority");
        roots
    }

    /// Shakes hands with a region; how it was done.
    async fn shaken(certificate: &Certificate, connector: &TlsConnector) -> HandshakeKind {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = listener.local_addr().expect("its address");
        let clients = Clients::new(Limits::new(4, 4));
        let serves = async {
            let (stream, peer) = listener.accept().await.expect("a client");
            let arrival = clients.arrive(peer.ip()).unwrap_or_else(|why| panic!("{why}"));
            let mut stream = arrival.shake_hands(certificate, stream).await.expect("hands are shaken");
            tokio::io::AsyncWriteExt::write_all(&mut stream, b"x").await.expect("said");
        };
        let asks = async {
            let stream = TcpStream::connect(at).await.expect("a connection");
            let name = ServerName::try_from("localhost").expect("a name");
            let mut stream = connector.connect(name, stream).await.expect("hands are shaken");
            // The ticket comes with the first byte.
            tokio::io::AsyncReadExt::read_exact(&mut stream, &mut [0]).await.expect("a byte");
            stream.get_ref().1.handshake_kind().expect("it is over")
        };
        tokio::join!(serves, asks).1
    }

    #[tokio::test]
    async fn a_session_that_one_region_has_begun_is_resumed_by_another() {
        let folder = folder();
        let roots = localhost(folder.path());
        let (first, _) = region(folder.path(), "REGA");
        let (second, _) = region(folder.path(), "REGB");
        let (chain, key) = (folder.path().join("own.pem"), folder.path().join("own.key"));
        let read = |clients| Certificate::read(&chain, &key, clients).expect("a certificate");
        let of = |sharing: &Sharing, clients, name| {
            read(clients).shared(sharing.tickets().expect("a secret"), name).expect("it is shared")
        };
        let asked = ClientCertificates { authorities: &chain, required: false, revoked: None };
        let (one, other) = (of(&first, None, "SHOP"), of(&second, None, "SHOP"));
        let (asks, safe) = (of(&second, Some(asked), "SHOP"), of(&second, None, "SAFE"));
        for (then, kind) in [
            (&one, HandshakeKind::Resumed),
            (&other, HandshakeKind::Resumed),
            (&asks, HandshakeKind::Full),
            (&safe, HandshakeKind::Full),
        ] {
            let config = ClientConfig::builder().with_root_certificates(roots.clone()).with_no_client_auth();
            let connector = TlsConnector::from(Arc::new(config));
            assert_eq!(shaken(&one, &connector).await, HandshakeKind::Full);
            assert_eq!(shaken(then, &connector).await, kind);
        }
    }
}

/// The number of clients that a region takes when it closes a port.
async fn left(listener: &ports::Listener) -> usize {
    let mut count = 0;
    while listener.left().await.is_some() {
        count += 1;
    }
    count
}

#[tokio::test]
async fn the_last_region_takes_whoever_waits_when_it_closes_the_port() {
    let (folder, at) = (folder(), free());
    let (first, _) = region(folder.path(), "REGA");
    let (second, _) = region(folder.path(), "REGB");
    let (one, other) = (listens(opened(&first, at)), listens(opened(&second, at)));
    let _clients = clients(at, 3);
    first.leave();
    assert_eq!(left(&one).await, 0, "they are the other region's");
    drop((one, first));
    second.leave();
    assert_eq!((accepts(&other).await, left(&other).await), (0, 3));
}

#[tokio::test]
async fn of_two_regions_that_close_a_port_at_once_one_takes_whoever_waits() {
    let (folder, at) = (folder(), free());
    let (first, _) = region(folder.path(), "REGA");
    let (second, _) = region(folder.path(), "REGB");
    let (one, other) = (listens(opened(&first, at)), listens(opened(&second, at)));
    let _clients = clients(at, 5);
    first.leave();
    second.leave();
    assert_eq!(left(&one).await + left(&other).await, 5);
}

#[tokio::test]
async fn of_two_regions_that_close_one_port_and_go_on_one_takes_whoever_waits() {
    let (folder, at) = (folder(), free());
    let (first, _) = region(folder.path(), "REGA");
    let (second, _) = region(folder.path(), "REGB");
    let (one, other) = (listens(opened(&first, at)), listens(opened(&second, at)));
    let _clients = clients(at, 5);
    assert_eq!((left(&one).await, left(&other).await), (0, 5), "the first one has not gone yet, and closes");
    // Both open the port again.
    assert_eq!((accepts(&one).await, accepts(&other).await), (0, 0));
    let _clients = clients(at, 2);
    assert_eq!((left(&other).await, accepts(&one).await), (0, 2));
}

#[tokio::test]
async fn a_region_that_hangs_keeps_no_thread_from_accepting() {
    let (folder, at) = (folder(), free());
    let (first, _) = region(folder.path(), "REGA");
    let mut sockets =
        open_for(Some(&first), at, 64, 2).unwrap_or_else(|why| panic!("{why}")).sockets.into_iter();
    let (one, other) = (sockets.next().expect("a socket"), sockets.next().expect("another"));
    let (one, other) = (one.here().expect("it listens"), other.here().expect("it listens"));
    let hangs = tokio::net::UnixListener::bind(folder.path().join("HANG.ports")).expect("a socket");
    let _clients = clients(at, 1);
    let test = async {
        let asks = tokio::task::spawn_local(async move { one.left().await.is_some() });
        let _asked = hangs.accept().await.expect("it is asked");
        let begun = Instant::now();
        assert!(other.accept().await.is_ok() && begun.elapsed() < Duration::from_millis(500));
        assert!(!asks.await.expect("it is answered"), "the client is taken already");
    };
    tokio::task::LocalSet::new().run_until(test).await;
}

#[tokio::test]
async fn a_port_of_one_region_has_its_clients_at_the_end() {
    let port =
        open_for(None, SocketAddr::from(([127, 0, 0, 1], 0)), 64, 1).unwrap_or_else(|why| panic!("{why}"));
    let (at, listener) = (port.address, listens(port));
    let _clients = clients(at, 3);
    assert_eq!(left(&listener).await, 3);
}
