//! Which servers are trusted.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// The file in which the machine keeps the authorities that the world trusts.
const OF_THE_MACHINE: &str = "/etc/ssl/certs/ca-certificates.crt";

/// The reason why no server can be trusted.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {why}")]
pub struct NoTrust {
    /// The file of authorities.
    pub file: String,
    /// The fault in it.
    pub why: String,
}

/// Trust in servers whose certificates the authorities of a PEM file have signed; without a file, those of the machine.
///
/// # Errors
/// The file cannot be read, or names no authority.
pub fn trust(authorities: Option<&Path>) -> Result<Arc<ClientConfig>, NoTrust> {
    let file = authorities.unwrap_or(Path::new(OF_THE_MACHINE));
    let failed = |why: String| NoTrust { file: file.display().to_string(), why };
    let certificates = CertificateDer::pem_file_iter(file).map_err(|error| failed(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        let certificate = certificate.map_err(|error| failed(error.to_string()))?;
        // An unreadable certificate among those of the machine is skipped.
        if roots.add(certificate).is_err() && authorities.is_some() {
            return Err(failed(String::from("a certificate in it cannot be understood")));
        }
    }
    if roots.is_empty() {
        return Err(failed(io::Error::from(io::ErrorKind::NotFound).to_string()));
    }
    Ok(Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()))
}
