//! Which certificate a door shows: its own, or the one of several that fits the name by which a client calls it (SNI).

use std::sync::Arc;

use tokio_rustls::rustls::client::verify_server_name;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::server::{ClientHello, ParsedCertificate, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

/// A door's own certificate, and others that it may show.
#[derive(Debug)]
pub(crate) struct Shown {
    pub own: Arc<CertifiedKey>,
    pub others: Vec<Arc<CertifiedKey>>,
}

impl ResolvesServerCert for Shown {
    /// Its own where that fits, or nothing does: a client that wants another name says so itself.
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let name = hello.server_name().and_then(|name| ServerName::try_from(name.to_owned()).ok());
        let fits = |key: &Arc<CertifiedKey>| {
            let signs = key.key.choose_scheme(hello.signature_schemes()).is_some();
            signs && name.as_ref().is_some_and(|name| is_good_for(key, name))
        };
        let mut known = std::iter::once(&self.own).chain(&self.others);
        Some(Arc::clone(known.find(|key| fits(key)).unwrap_or(&self.own)))
    }
}

fn is_good_for(key: &CertifiedKey, name: &ServerName<'_>) -> bool {
    let certificate = key.cert.first().and_then(|first| ParsedCertificate::try_from(first).ok());
    certificate.is_some_and(|certificate| verify_server_name(&certificate, name).is_ok())
}
