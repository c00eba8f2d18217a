//! TLS: the certificate of a door, and the handshake before its first word.

use std::fmt::Display;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tokio_rustls::server::TlsStream;

use crate::clients::Arrival;

/// What a door shows of itself, and can prove.
#[derive(Clone)]
pub struct Certificate(TlsAcceptor);

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read, or is not PEM.
    #[error("{path}: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Others on the machine may have the key.
    #[error("{0} can be read or written by others than its owner: chmod 600 it, and have a new key made")]
    Open(PathBuf),
    /// Certificate and key do not go together, or are of a kind that is not supported.
    #[error("the certificate cannot be used with this key: {0}")]
    Unfit(String),
}

/// Certificates of clients: who must have signed them.
#[derive(Clone, Copy, Debug)]
pub struct ClientCertificates<'a> {
    /// PEM file of the authorities.
    pub authorities: &'a Path,
    /// Whether a client without one is turned away.
    pub required: bool,
}

/// The rights of everybody but the owner.
const OTHERS: u32 = 0o077;

impl Certificate {
    /// A certificate with its chain, and its key, from PEM files; and whose certificates clients are asked for.
    ///
    /// # Errors
    /// See [`CertificateError`].
    pub fn read(
        chain: &Path,
        key: &Path,
        clients: Option<ClientCertificates<'_>>,
    ) -> Result<Self, CertificateError> {
        let certificates = certificates(chain)?;
        let mode = key.metadata().map_err(|error| failed(key, &error))?.permissions().mode();
        if mode & OTHERS != 0 {
            return Err(CertificateError::Open(key.to_owned()));
        }
        let key = PrivateKeyDer::from_pem_file(key).map_err(|error| failed(key, &error))?;
        let builder = ServerConfig::builder();
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(clients) => builder.with_client_cert_verifier(verifier(clients)?),
        };
        let config = builder
            .with_single_cert(certificates, key)
            .map_err(|error| CertificateError::Unfit(error.to_string()))?;
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    /// The same certificate, with application protocols (ALPN) that clients may choose among, the preferred one first.
    #[must_use]
    pub fn offering(&self, protocols: &[&str]) -> Self {
        let mut config = ServerConfig::clone(self.0.config());
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        Self(TlsAcceptor::from(Arc::new(config)))
    }
}

fn failed(path: &Path, why: &dyn Display) -> CertificateError {
    CertificateError::File { path: path.to_owned(), why: why.to_string() }
}

/// All certificates of a PEM file.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| failed(path, &error))
}

/// What looks at the certificates of clients.
fn verifier(clients: ClientCertificates<'_>) -> Result<Arc<dyn ClientCertVerifier>, CertificateError> {
    let ClientCertificates { authorities, required } = clients;
    let mut roots = RootCertStore::empty();
    for certificate in certificates(authorities)? {
        roots.add(certificate).map_err(|error| failed(authorities, &error))?;
    }
    let builder = WebPkiClientVerifier::builder(Arc::new(roots));
    let builder = if required { builder } else { builder.allow_unauthenticated() };
    builder.build().map_err(|error| failed(authorities, &error))
}

/// The certificate that a client has proved to be its own: its SHA-256 in hexadecimal.
pub fn client_certificate(stream: &TlsStream<TcpStream>) -> Option<String> {
    let (_, connection) = stream.get_ref();
    let own = connection.peer_certificates()?.first()?;
    let digest = Sha256::digest(own.as_ref());
    Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Why no TLS connection was made.
#[derive(Debug, thiserror::Error)]
pub enum NoHandshake {
    /// The client did not begin in time, or stopped halfway.
    #[error("the client did not shake hands in time")]
    TooSlow,
    /// It does not speak TLS, or not as this door does.
    #[error(transparent)]
    Failed(#[from] io::Error),
}

impl Arrival {
    /// Shakes hands. A client takes its turn once it has begun to speak, and keeps nobody of another address waiting for
    /// longer than a handshake may take.
    ///
    /// # Errors
    /// See [`NoHandshake`].
    pub async fn shake_hands(
        &self,
        certificate: &Certificate,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, NoHandshake> {
        let limits = self.clients.limits();
        let begins = async {
            // What is wrong with the connection shows in the handshake.
            let _ = stream.peek(&mut [0]).await;
            // Neither is ever closed.
            (self.neighbours().acquire().await, self.clients.handshakes().acquire().await)
        };
        let _turns = timeout(limits.greeting, begins).await.map_err(|_| NoHandshake::TooSlow)?;
        let shaken = timeout(limits.handshake, certificate.0.accept(stream)).await;
        Ok(shaken.map_err(|_| NoHandshake::TooSlow)??)
    }
}
