//! The bytes of a connection, whatever carries them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::send::Outgoing;
use crate::address::{ListenPlace, Tls, socket_path};

pub(crate) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// The system's authorities, where Linux distributions keep them.
const AUTHORITIES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

impl Stream {
    pub(crate) async fn open(place: &ListenPlace) -> io::Result<Self> {
        match place {
            ListenPlace::Socket { folder, port } => {
                Ok(Self::Unix(UnixStream::connect(socket_path(folder, *port)).await?))
            }
            ListenPlace::Host { host, port, tls } => {
                let stream = TcpStream::connect((host.as_str(), *port)).await?;
                stream.set_nodelay(true)?;
                match authorities(tls)? {
                    None => Ok(Self::Tcp(stream)),
                    Some(authorities) => Self::encrypted(stream, host, authorities).await,
                }
            }
        }
    }

    /// Asks for TLS, and shakes hands. A server that refuses is not spoken to in clear.
    async fn encrypted(mut stream: TcpStream, host: &str, authorities: RootCertStore) -> io::Result<Self> {
        let mut request = Outgoing::default();
        request.tls_request();
        stream.write_all(request.rest()).await?;
        if stream.read_u8().await? != b'S' {
            return Err(io::Error::other(
                "the server does not speak TLS; sslmode=disable connects without it",
            ));
        }
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let config = ClientConfig::builder().with_root_certificates(authorities).with_no_client_auth();
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
        Ok(Self::Tls(Box::new(stream)))
    }
}

/// Authorities that may vouch for the server; `None` without TLS.
fn authorities(tls: &Tls) -> io::Result<Option<RootCertStore>> {
    let file = match tls {
        Tls::Off => return Ok(None),
        Tls::Authority(file) => file.as_path(),
        Tls::System => AUTHORITIES.iter().map(std::path::Path::new).find(|file| file.exists()).ok_or_else(|| {
            io::Error::other("this machine has no list of authorities: install ca-certificates, or name one by sslrootcert=")
        })?,
    };
    let unreadable = |why: String| io::Error::other(format!("{}: {why}", file.display()));
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unreadable(error.to_string()))? {
        let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
        // The system's list may hold some of a kind that is not supported: the others count.
        let _ = store.add(certificate);
    }
    if store.is_empty() {
        return Err(unreadable("no certificate of an authority stands in it".to_owned()));
    }
    Ok(Some(store))
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Unix(stream) => Pin::new(stream).poll_read(cx, into),
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, into),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, into),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Unix(_) | Self::Tcp(_) => Poll::Ready(Ok(())),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
