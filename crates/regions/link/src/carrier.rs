//! Carriers of a link: a unix socket between regions of one machine, TCP with TLS at both ends between machines.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use ports::CertificateError;
use rustix::net::{RecvFlags, recv};
use tokio::io::{AsyncRead, AsyncWrite, Interest};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::frame::{self, HEAD};
use crate::hello::Purpose;
use crate::limits::HELLO_TIME;

/// The two sides of a stream.
pub type Halves = (Pin<Box<dyn AsyncRead>>, Pin<Box<dyn AsyncWrite>>);

/// A unix socket.
pub fn unix(stream: UnixStream) -> Halves {
    let (source, sink) = stream.into_split();
    (Box::pin(source), Box::pin(sink))
}

/// Any other stream: one with TLS.
pub fn other(stream: impl AsyncRead + AsyncWrite + 'static) -> Halves {
    let (source, sink) = tokio::io::split(stream);
    (Box::pin(source), Box::pin(sink))
}

/// Returns true if the process at the other end belongs to this process's user, or to root.
///
/// # Errors
/// The system does not say.
pub fn is_same_user(stream: &UnixStream) -> io::Result<bool> {
    let peer = stream.peer_cred()?.uid();
    Ok(peer == rustix::process::geteuid().as_raw() || peer == 0)
}

/// Returns true if the first frame says that the connection is for requests of one thread. Nothing is read; what is there later than
/// a Hello may be, or in pieces, is not said to be that.
pub async fn is_for_work(stream: &UnixStream) -> bool {
    let mut head = [0; HEAD];
    let peek = || -> io::Result<usize> {
        Ok(recv(stream, &mut head[..], RecvFlags::PEEK | RecvFlags::DONTWAIT).map(|(count, _)| count)?)
    };
    let peeked = timeout(HELLO_TIME, stream.async_io(Interest::READABLE, peek)).await;
    matches!(peeked, Ok(Ok(HEAD))) && frame::is_hello_of(&head, Purpose::Work.number())
}

/// Connects to a region of this machine.
///
/// # Errors
/// It is not there, or belongs to another user.
pub async fn connect_unix(path: &Path) -> io::Result<Halves> {
    let stream = UnixStream::connect(path).await?;
    if !is_same_user(&stream)? {
        return Err(io::Error::other("the socket belongs to another user"));
    }
    Ok(unix(stream))
}

/// The way: how this region shows itself to others, and whom it believes. Its files are read at each connection, so that renewed ones
/// count at once.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The certificate, with those that lead to its authority.
    pub chain: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// The authorities of partners.
    pub authorities: PathBuf,
}

/// A connection to another machine.
pub struct Connected {
    /// Its two sides.
    pub halves: Halves,
    /// The certificate of the partner: its SHA-256.
    pub certificate: String,
    /// The place where it is.
    pub address: SocketAddr,
}

impl Identity {
    fn failed(path: &Path, why: impl ToString) -> CertificateError {
        CertificateError::File { path: path.to_owned(), why: why.to_string() }
    }

    /// Reads the files.
    ///
    /// # Errors
    /// One cannot be used.
    pub fn read(&self) -> Result<TlsConnector, CertificateError> {
        let (certificates, key) = ports::identity(&self.chain, &self.key)?;
        let failed = |why: &dyn ToString| Self::failed(&self.authorities, why.to_string());
        let mut roots = RootCertStore::empty();
        let all = CertificateDer::pem_file_iter(&self.authorities);
        for authority in all.and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(|why| failed(&why))? {
            roots.add(authority).map_err(|why| failed(&why))?;
        }
        if roots.is_empty() {
            return Err(failed(&"it holds no certificate"));
        }
        let config = ClientConfig::builder().with_root_certificates(roots);
        let config = config.with_client_auth_cert(certificates, key);
        let config = config.map_err(|why| Self::failed(&self.chain, why))?;
        Ok(TlsConnector::from(Arc::new(config)))
    }

    /// Connects to a region of another machine.
    ///
    /// # Errors
    /// It is not there, or does not show a certificate of its host that an authority has signed.
    pub async fn connect(&self, host: &str, port: u16) -> io::Result<Connected> {
        let connector = self.read().map_err(io::Error::other)?;
        let stream = TcpStream::connect((host, port)).await?;
        let _ = stream.set_nodelay(true);
        let address = stream.peer_addr()?;
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let stream = ports::shake_hands_with(&connector, name, stream).await?;
        let (_, tls) = stream.get_ref().get_ref();
        let own = tls.peer_certificates().and_then(<[_]>::first);
        let certificate = own.map(|own| ports::fingerprint(own.as_ref())).unwrap_or_default();
        Ok(Connected { halves: other(stream), certificate, address })
    }
}
