//! A terminal that comes in through TLS, and one that does not.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use terminal::{Certificate, CertificateError, Door, Limits, Pilot, Welcome, serve};
use tn3270::code_page::PrintingAscii;
use tn3270::datastream::{Capabilities, Size};
use tn3270::telnet::{DeviceType, Functions, Wish};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::LocalSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

#[path = "../examples/echo/region.rs"]
mod region;
use region::{Echo, EchoRegion};

const PATIENCE: Duration = Duration::from_secs(60);

/// A certificate for localhost, written as its owner would keep it.
fn make_certificate(folder: &Path) -> Certificate {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    std::fs::write(folder.join("chain.pem"), made.cert.pem()).expect("a file");
    std::fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).expect("a file");
    Certificate::read(&folder.join("chain.pem"), &folder.join("key.pem")).expect("a usable certificate")
}

fn trusting(folder: &Path) -> TlsConnector {
    let certificate = CertificateDer::from_pem_file(folder.join("chain.pem")).expect("PEM");
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

#[tokio::test]
async fn a_terminal_comes_in_through_tls_and_one_that_speaks_in_clear_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let certificate = make_certificate(folder.path());
    let echo = Rc::new(Echo::default());
    let region = Rc::new(EchoRegion(Rc::clone(&echo)));
    let door = Door::new(region, "ECHO", Limits::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("its address");
    let test = async {
        let stream = TcpStream::connect(address).await.expect("a connection");
        let name = ServerName::try_from("localhost").expect("a name");
        let secured = trusting(folder.path()).connect(name, stream).await.expect("a handshake");
        let wish =
            Wish { device: DeviceType::new("IBM-DYNAMIC"), lu: None, functions: Some(Functions::DISPLAY) };
        let capabilities = Capabilities::unqueried(Size { rows: 43, columns: 80 });
        let mut pilot = Pilot::new(secured, wish, capabilities, PrintingAscii, PATIENCE);
        pilot.wait_text("READY").await.expect("the echo's screen");
        assert_eq!(echo.names(), 1);

        let mut clear = TcpStream::connect(address).await.expect("a connection");
        clear.write_all(b"GET / HTTP/1.0\r\n\r\n").await.expect("bytes go out");
        let mut answer = Vec::new();
        // An alert, or nothing: the connection ends.
        let _ = clear.read_to_end(&mut answer).await;
        assert!(!answer.windows(2).any(|bytes| bytes == [0xff, 0xfd]), "no telnet negotiation in clear");
        assert_eq!(echo.names(), 1);
    };
    LocalSet::new()
        .run_until(async {
            tokio::select! {
                never = serve(listener, Rc::clone(&door), Welcome::Secure(certificate)) => match never {},
                done = tokio::time::timeout(PATIENCE, test) => done.expect("both connections end"),
            }
        })
        .await;
}

#[test]
fn a_file_that_is_no_certificate_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chain.pem");
    std::fs::write(&path, "not PEM").expect("a file");
    match Certificate::read(&path, &path) {
        Err(CertificateError::File { path: named, .. }) => assert_eq!(named, path),
        Err(CertificateError::Unfit(why)) => assert!(why.contains("cert") || why.contains("Cert"), "{why}"),
        Ok(_) => panic!("that is no certificate"),
    }
}
