//! The folder of certificates: which of them a service may show, and the lists of revoked ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use x509_parser::pem::Pem;
use x509_parser::prelude::{CertificateRevocationList, FromDer};

use crate::line::is_label;

/// Certificates that a service may show beside its own.
const SHOWN_MAX: usize = 256;
/// The list that counts where CRLPROFILE names none.
const REVOKED: &str = "revoked";

/// All pairs of `LABEL.pem` and `LABEL.key` but a service's own, in the order of their labels.
pub(crate) fn others(keyring: &Path, own: &str) -> Vec<(PathBuf, PathBuf)> {
    let Ok(entries) = fs::read_dir(keyring) else { return Vec::new() };
    let pair = |chain: PathBuf| {
        let key = chain.with_extension("key");
        let is_pair = chain.extension().is_some_and(|kind| kind == "pem") && key.exists();
        let is_other = chain.file_stem().is_some_and(|label| label != own);
        (is_pair && is_other).then_some((chain, key))
    };
    let mut pairs: Vec<_> = entries.flatten().filter_map(|entry| pair(entry.path())).collect();
    pairs.sort();
    pairs.truncate(SHOWN_MAX);
    pairs
}

/// The file of revoked certificates, for each door that asks clients for theirs: that of CRLPROFILE, which must be there, or
/// `revoked.pem` if that is there. The log tells of a list that has expired: what it says counts all the same.
///
/// # Errors
/// CRLPROFILE names no file of the keyring.
pub fn revoked_certificates(keyring: &Path, profile: Option<&str>) -> Result<Option<PathBuf>, String> {
    let label = profile.unwrap_or(REVOKED);
    let file = keyring.join(format!("{label}.pem"));
    if !is_label(label) || !file.exists() {
        return match profile {
            Some(label) => Err(format!("CRLPROFILE = \"{label}\" needs {label}.pem in the keyring")),
            None => Ok(None),
        };
    }
    for issuer in expired(&file) {
        tracing::warn!(
            target: "SO", "the list of certificates that {issuer} has revoked, in {}, has expired: get a new one, and have it \
             read by PERFORM SSL REBUILD", file.display()
        );
    }
    Ok(Some(file))
}

/// The issuers of lists in a file that have expired.
fn expired(file: &Path) -> Vec<String> {
    let Ok(bytes) = fs::read(file) else { return Vec::new() };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut issuers = Vec::new();
    for pem in Pem::iter_from_buffer(&bytes).flatten() {
        let Ok((_, list)) = CertificateRevocationList::from_der(&pem.contents) else { continue };
        let ends = list.next_update().map(|time| time.timestamp());
        if ends.is_some_and(|ends| ends < i64::try_from(now).unwrap_or(i64::MAX)) {
            issuers.push(list.issuer().to_string());
        }
    }
    issuers
}
