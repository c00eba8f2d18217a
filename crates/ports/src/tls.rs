//! TLS: the certificate of a door, and the handshake before its first word.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
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
    /// Certificate and key do not go together, or are of a kind that is not supported.
    #[error("the certificate cannot be used with this key: {0}")]
    Unfit(String),
}

impl Certificate {
    /// A certificate with its chain, and its key, from PEM files.
    ///
    /// # Errors
    /// See [`CertificateError`].
    pub fn read(chain: &Path, key: &Path) -> Result<Self, CertificateError> {
        let failed = |path: &Path, why: String| CertificateError::File { path: path.to_owned(), why };
        let certificates = CertificateDer::pem_file_iter(chain)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| failed(chain, error.to_string()))?;
        let key = PrivateKeyDer::from_pem_file(key).map_err(|error| failed(key, error.to_string()))?;
        let config = ServerConfig::builder()
            .with_no_client_auth()
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
