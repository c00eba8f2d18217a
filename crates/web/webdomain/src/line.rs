//! Connections to servers, with TLS or without, which servers are trusted, and who the region is to them.

use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use pipelines::keys::Identity;
use ports::{ClientPlace, Spent, Suites, Tally};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ALL_VERSIONS, ClientConfig, RootCertStore};

/// Whatever carries bytes.
pub(crate) trait Carries: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Carries for T {}

/// A connection to a server, with its place among all.
pub(crate) struct Line {
    stream: Box<dyn Carries>,
    /// Counts of TLS, if it has any.
    tally: Option<Arc<Tally>>,
    _place: ClientPlace,
}

impl Line {
    /// The registered number of its cipher suite, in four hexadecimal digits; blank: without TLS.
    pub fn cipher(&self) -> String {
        self.tally.as_ref().map(|tally| format!("{:04X}", tally.cipher())).unwrap_or_default()
    }

    /// Takes bytes and processor time of TLS since they were taken last.
    pub fn spent(&self) -> Option<Spent> {
        self.tally.as_ref().map(|tally| tally.take())
    }
}

impl Deref for Line {
    type Target = Box<dyn Carries>;

    fn deref(&self) -> &Self::Target {
        &self.stream
    }
}

impl DerefMut for Line {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.stream
    }
}

/// File in which a machine keeps the authorities that the world trusts.
const OF_THE_MACHINE: &str = "/etc/ssl/certs/ca-certificates.crt";
/// The file of a keyring that has those of a region's own servers.
const OF_THE_KEYRING: &str = "servers.pem";

/// Connects to a server; with `trust`, by TLS, and its certificate must be good for its name.
pub(crate) async fn connect(
    place: ClientPlace,
    host: &str,
    port: u16,
    trust: Option<Arc<ClientConfig>>,
) -> io::Result<Line> {
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    let Some(trust) = trust else { return Ok(Line { stream: Box::new(stream), tally: None, _place: place }) };
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    let stream = ports::shake_hands_with(&TlsConnector::from(trust), name, stream).await?;
    let tally = Some(Arc::clone(stream.tally()));
    Ok(Line { stream: Box::new(stream), tally, _place: place })
}

/// Returns true if the server has closed a connection on which nothing is under way.
pub(crate) fn has_ended(line: &mut Line) -> bool {
    let mut byte = [0];
    let mut read = ReadBuf::new(&mut byte);
    let mut context = Context::from_waker(Waker::noop());
    // Bytes without a request are no better than the end.
    Pin::new(&mut line.stream).poll_read(&mut context, &mut read).is_ready()
}

/// Returns true if a label is the name of a file of the keyring.
pub(crate) fn is_label(label: &str) -> bool {
    !label.contains(['/', '\0']) && !label.starts_with('.')
}

/// The certificate of a label, with its key.
pub(crate) fn identity(keyring: &Path, label: &str) -> io::Result<Identity> {
    if !is_label(label) {
        return Err(io::Error::other("this is no label of a certificate"));
    }
    let file = |kind: &str| keyring.join(format!("{label}.{kind}"));
    let (chain, key) = ports::identity(&file("pem"), &file("key")).map_err(io::Error::other)?;
    let certificate = chain.first().ok_or_else(|| io::Error::other("its file has no certificate"))?.to_vec();
    Ok(Identity { certificate, key: key.secret_der().to_vec() })
}

/// Trust in servers for others than tasks, as WEB OPEN has it without a URIMAP. With a label, servers that ask for it get the keyring's
/// certificate of that name.
///
/// # Errors
/// There is no such certificate, or it is of no use.
pub fn trust_in_servers(keyring: &Path, label: Option<&str>) -> io::Result<Arc<ClientConfig>> {
    if label.is_some_and(|label| !is_label(label)) {
        return Err(io::Error::other("this is no label of a certificate"));
    }
    trust(keyring, label, &Suites::default())
}

/// Trust in servers that the authorities of the machine have signed, and those of the keyring's `servers.pem`. With a label,
/// servers that ask for it get the keyring's certificate of that name.
pub(crate) fn trust(keyring: &Path, label: Option<&str>, suites: &Suites) -> io::Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    for file in [Path::new(OF_THE_MACHINE), &keyring.join(OF_THE_KEYRING)] {
        // A missing file names no certificate.
        let Ok(certificates) = CertificateDer::pem_file_iter(file) else { continue };
        roots.add_parsable_certificates(certificates.flatten());
    }
    let builder = ClientConfig::builder_with_provider(suites.provider());
    let builder = builder.with_protocol_versions(ALL_VERSIONS).map_err(io::Error::other)?;
    let builder = builder.with_root_certificates(roots);
    let Some(label) = label else { return Ok(Arc::new(builder.with_no_client_auth())) };
    let file = |kind: &str| keyring.join(format!("{label}.{kind}"));
    let (chain, key) = ports::identity(&file("pem"), &file("key")).map_err(io::Error::other)?;
    builder.with_client_auth_cert(chain, key).map(Arc::new).map_err(io::Error::other)
}
