//! Certificates of two regions that are linked by TLS.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, SanType};
use sha2::{Digest, Sha256};

/// The file with the certificate of the authority that signs all of them.
pub(crate) const AUTHORITIES: &str = "authorities.pem";

/// The authority of one test.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    /// Makes one, and writes its certificate into a folder.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let mut params = CertificateParams::new(Vec::new()).map_err(io::Error::other)?;
        params.distinguished_name.push(DnType::CommonName, "Authority of a test");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let issuer = CertifiedIssuer::self_signed(params, key).map_err(io::Error::other)?;
        fs::write(folder.join(AUTHORITIES), issuer.pem())?;
        Ok(Self(issuer))
    }

    /// Writes a certificate for a host of the loopback address, and its key: `NAME.pem`, `NAME.key`. Returns its SHA-256 as a users
    /// file has it.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn sign(&self, folder: &Path, name: &str) -> io::Result<String> {
        let mut params = CertificateParams::new(vec![name.to_lowercase()]).map_err(io::Error::other)?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.subject_alt_names.push(SanType::IpAddress([127, 0, 0, 1].into()));
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let made = params.signed_by(&key, &self.0).map_err(io::Error::other)?;
        fs::write(folder.join(format!("{name}.pem")), made.pem())?;
        let path = folder.join(format!("{name}.key"));
        fs::write(&path, key.serialize_pem())?;
        fs::set_permissions(path, fs::Permissions::from_mode(OWNER_ALONE))?;
        let digest = Sha256::digest(made.der());
        Ok(digest.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":"))
    }
}

/// The rights of a file with a key.
const OWNER_ALONE: u32 = 0o600;
