//! The certificate of a door, and the rules for those that its clients show.

use std::path::Path;

use config::{Located, RegionConfig, at};
use diagnostics::Diagnostic;
use ports::{Certificate, ClientCertificates};
use webdomain::revoked_certificates;

use crate::codes;

/// The PEM files that a section of the configuration names.
pub(super) struct Named<'a> {
    /// The certificate with its chain.
    pub chain: &'a Located<String>,
    /// Its key.
    pub key: &'a Located<String>,
    /// The authorities that sign clients' certificates; `None` if clients are asked for none.
    pub authorities: Option<&'a Located<String>>,
    /// True if a client without a certificate is turned away.
    pub required: bool,
}

impl Named<'_> {
    /// Reads the files, and the lists of revoked certificates of the keyring if clients are asked for theirs.
    ///
    /// # Errors
    /// A file that cannot be used, or a list that CRLPROFILE names and that is not there.
    pub(super) fn read(&self, root: &Path, config: &RegionConfig) -> Result<Certificate, Vec<Diagnostic>> {
        let revoked = self.authorities.map(|authorities| {
            let keyring = root.join(&config.web.keyring.value);
            revoked_certificates(&keyring, config.sit.crl_profile.as_deref())
                .map_err(|why| vec![at(Diagnostic::error(codes::CERTIFICATE, why), authorities)])
        });
        let revoked = revoked.transpose()?.flatten();
        let authorities = self.authorities.map(|file| root.join(&file.value));
        let clients = authorities.as_deref().map(|authorities| ClientCertificates {
            authorities,
            required: self.required,
            revoked: revoked.as_deref(),
        });
        let read = Certificate::read(&root.join(&self.chain.value), &root.join(&self.key.value), clients);
        read.map_err(|error| {
            let message = Diagnostic::error(codes::CERTIFICATE, error.to_string());
            vec![
                at(message, self.chain).help("all files must be PEM; the certificate comes before its chain"),
            ]
        })
    }
}
