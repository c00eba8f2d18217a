//! A terminal that comes in through TLS, and one that does not.

use std::fs::{OpenOptions, Permissions, set_permissions};
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use ebcdic::CodePage;
use ports::{Certificate, CertificateError, Ending, read_certificates_again, serve};
use terminal::{Door, Limits, Pilot, Welcome};
use tn3270::datastream::{Capabilities, Size};
use tn3270::telnet::{DeviceType, Functions, Wish};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::LocalSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

#[path = "../examples/echo/region.rs"]
mod region;
use region::{Echo, EchoRegion};

const PATIENCE: Duration = Duration::from_secs(60);

/// A file that only its owner may read.
fn private(path: &Path, text: &str) {
    let mut file =
        OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path).expect("a file");
    file.write_all(text.as_bytes()).expect("written");
}

/// A certificate for localhost, written as its owner would keep it.
fn make_certificate(folder: &Path) -> Certificate {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    std::fs::write(folder.join("chain.pem"), made.cert.pem()).expect("a file");
    private(&folder.join("key.pem"), &made.signing_key.serialize_pem());
    Certificate::read(&folder.join("chain.pem"), &folder.join("key.pem"), None).expect("a usable certificate")
}

fn trusting(folder: &Path) -> TlsConnector {
    let certificate = CertificateDer::from_pem_file(folder.join("chain.pem")).expect("PEM");
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

/// Runs a test with a door with TLS: the region behind it, its address, and a connector that trusts it.
async fn secured(limits: Limits, test: impl AsyncFnOnce(&Echo, SocketAddr, &TlsConnector)) {
    let folder = tempfile::tempdir().expect("a folder");
    secured_in(folder.path(), limits, test).await;
}

/// The same, with the certificate in a folder.
async fn secured_in(folder: &Path, limits: Limits, test: impl AsyncFnOnce(&Echo, SocketAddr, &TlsConnector)) {
    let certificate = make_certificate(folder);
    let echo = Rc::new(Echo::default());
    let region = Rc::new(EchoRegion(Rc::clone(&echo)));
    let door = Door::new(region, "ECHO", limits);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("its address");
    let trusting = trusting(folder);
    let test = test(&echo, address, &trusting);
    let ending = Ending::default();
    let client = |stream, peer| Rc::clone(&door).welcome(Welcome::Secure(certificate.clone()), stream, peer);
    LocalSet::new()
        .run_until(async {
            tokio::select! {
                () = serve(listener, &ending, client) => panic!("nobody closes the door"),
                done = tokio::time::timeout(PATIENCE, test) => done.expect("it ends"),
            }
        })
        .await;
}

/// A terminal that comes in through TLS.
async fn comes_in(address: SocketAddr, trusting: &TlsConnector) -> Pilot<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let name = ServerName::try_from("localhost").expect("a name");
    let secured = trusting.connect(name, stream).await.expect("a handshake");
    let wish = Wish { device: DeviceType::new("IBM-DYNAMIC"), lu: None, functions: Some(Functions::DISPLAY) };
    let capabilities = Capabilities::unqueried(Size { rows: 43, columns: 80 });
    let mut pilot = Pilot::new(secured, wish, capabilities, CodePage::Ibm037, PATIENCE);
    pilot.wait_text("READY").await.expect("the echo's screen");
    pilot
}

#[tokio::test]
async fn a_terminal_comes_in_through_tls_and_one_that_speaks_in_clear_does_not() {
    secured(Limits::default(), async |echo, address, trusting| {
        let _pilot = comes_in(address, trusting).await;
        assert_eq!(echo.names(), 1);

        let mut clear = TcpStream::connect(address).await.expect("a connection");
        clear.write_all(b"GET / HTTP/1.0\r\n\r\n").await.expect("bytes go out");
        let mut answer = Vec::new();
        // An alert, or nothing: the connection ends.
        let _ = clear.read_to_end(&mut answer).await;
        assert!(!answer.windows(2).any(|bytes| bytes == [0xff, 0xfd]), "no telnet negotiation in clear");
        assert_eq!(echo.names(), 1);
    })
    .await;
}

/// More than there may be handshakes at a time.
const IDLE: usize = 300;

#[tokio::test]
async fn connections_that_say_nothing_keep_no_terminal_out() {
    let forever = Duration::from_secs(3_600);
    let limits = Limits { negotiation_max: forever, handshake_max: forever, ..Limits::default() };
    secured(limits, async |_, address, trusting| {
        let mut idle = Vec::new();
        for _ in 0..IDLE {
            idle.push(TcpStream::connect(address).await.expect("a connection"));
        }
        let _pilot = comes_in(address, trusting).await;
    })
    .await;
}

#[tokio::test]
async fn handshakes_that_stop_halfway_keep_no_terminal_out_for_long() {
    let limits = Limits { handshake_max: Duration::from_millis(100), ..Limits::default() };
    secured(limits, async |_, address, trusting| {
        let mut half = Vec::new();
        for _ in 0..IDLE {
            let mut stream = TcpStream::connect(address).await.expect("a connection");
            stream.write_all(b"\x16\x03\x01\x02\x00").await.expect("half a greeting");
            half.push(stream);
        }
        let _pilot = comes_in(address, trusting).await;
    })
    .await;
}

#[tokio::test]
async fn an_address_has_no_more_connections_than_it_may_have() {
    let limits = Limits { connections_per_address: 2, ..Limits::default() };
    secured(limits, async |echo, address, trusting| {
        let pilots = (comes_in(address, trusting).await, comes_in(address, trusting).await);
        let mut third = TcpStream::connect(address).await.expect("a connection");
        assert!(matches!(third.read_to_end(&mut Vec::new()).await, Ok(0) | Err(_)), "it is let go");
        drop(pilots);
        while echo.names() > 0 {
            tokio::task::yield_now().await;
        }
        let _another = comes_in(address, trusting).await;
    })
    .await;
}

#[tokio::test]
async fn a_certificate_is_read_again_and_connections_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    secured_in(folder, Limits::default(), async |echo, address, first| {
        let mut before = comes_in(address, first).await;
        // A certificate that is damaged, and one that does not fit its key: the one before stays.
        let (chain, key) = (folder.join("chain.pem"), folder.join("key.pem"));
        let whole = std::fs::read_to_string(&chain).expect("PEM");
        let other = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
        for damaged in ["not PEM", &whole[..whole.len() / 2], &other.cert.pem()] {
            std::fs::write(&chain, damaged).expect("written");
            let wrong = read_certificates_again().expect_err("it cannot be used");
            assert!(wrong.iter().any(|why| why.contains("chain.pem")), "{wrong:?}");
            let _pilot = comes_in(address, first).await;
        }
        private(&key, &other.signing_key.serialize_pem());
        // Certificates of other tests of this process are in use, too.
        let wrong = read_certificates_again().err().unwrap_or_default();
        let own = folder.display().to_string();
        assert!(wrong.iter().all(|why| !why.contains(&own)), "{wrong:?}");
        let _after = comes_in(address, &trusting(folder)).await;
        let stream = TcpStream::connect(address).await.expect("a connection");
        let name = ServerName::try_from("localhost").expect("a name");
        assert!(first.connect(name, stream).await.is_err(), "the former one is not shown any more");
        // An existing connection goes on.
        before.wait_text("READY").await.expect("the echo's screen");
        assert!(echo.names() >= 2);
    })
    .await;
}

#[test]
fn a_file_that_is_no_certificate_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chain.pem");
    private(&path, "not PEM");
    match Certificate::read(&path, &path, None) {
        Err(CertificateError::File { path: named, .. }) => assert_eq!(named, path),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("that is no certificate"),
    }
}

#[test]
fn a_key_that_everybody_can_read_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    make_certificate(folder.path());
    let key = folder.path().join("key.pem");
    set_permissions(&key, Permissions::from_mode(0o644)).expect("rights");
    let read = Certificate::read(&folder.path().join("chain.pem"), &key, None);
    assert!(matches!(read, Err(CertificateError::Open(named)) if named == key));
}
