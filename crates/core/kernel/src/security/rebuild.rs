//! The profiles of a region, read again.

use super::{Security, Users};
use crate::region::Region;

/// Reasons why the profiles stay as they were.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRebuilt {
    /// The region runs without SEC=YES.
    #[error("the region has no profiles: SEC=YES is not set")]
    Unsecured,
    /// They cannot be read.
    #[error("the profiles stay as they were: {0}")]
    Unreadable(String),
}

/// Reads the profiles again, and takes them if they can be read: how many there are. It reads files: not for a TCB.
///
/// # Errors
/// Those before stay; the log says why.
pub fn rebuild(region: &Region) -> Result<usize, NotRebuilt> {
    let security = Security::of(region).ok_or(NotRebuilt::Unsecured)?;
    let profiles = Users::of(region).file.profiles().map_err(|why| {
        let not = NotRebuilt::Unreadable(why);
        tracing::error!(target: "XS", "{not}");
        not
    })?;
    let count = profiles.count();
    security.rebuild(profiles);
    tracing::info!(target: "XS", "{count} profiles are in force");
    Ok(count)
}

/// Reads the certificates of the front doors again, and says in the log what has come of it: true if all can be used.
/// Connections that are there go on. It reads files: not for a TCB.
pub fn rebuild_certificates(region: &Region) -> bool {
    match Users::of(region).file.certificates_again() {
        Ok(count) => {
            tracing::info!(target: "SO", "{count} certificates were read again; who connects from now on is shown them");
            true
        }
        Err(wrong) => {
            for why in wrong {
                tracing::error!(target: "SO", "a certificate stays what it was: {why}");
            }
            false
        }
    }
}
