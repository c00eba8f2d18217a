//! TLS: the certificate of a door, and the handshake before its first word.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// What a door shows of itself, and can prove.
#[derive(Clone)]
pub struct Certificate(pub(crate) TlsAcceptor);

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
}
