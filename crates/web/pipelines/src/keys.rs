//! Whose certificates are, and those that messages are signed by: a crate above that has a keyring brings it, once.

use std::sync::{Arc, OnceLock};

use kernel::region::Region;
use kernel::security::User;

/// A certificate with its key, both in DER.
pub struct Identity {
    /// The certificate.
    pub certificate: Vec<u8>,
    /// Its key: PKCS #8, or that of RSA by itself.
    pub key: Vec<u8>,
}

/// A keyring.
pub trait Keys: Send + Sync {
    /// The user of a certificate.
    fn user(&self, region: &Region, certificate: &[u8]) -> Option<Arc<User>>;

    /// The certificate of a label.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    fn identity(&self, region: &Region, label: &str) -> Result<Identity, String>;
}

/// The keyring of a region.
#[derive(Default)]
pub struct Keyring(OnceLock<Box<dyn Keys>>);

impl Keyring {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Sets the keyring. It is set once.
    pub fn bring(&self, keys: impl Keys + 'static) {
        let _ = self.0.set(Box::new(keys));
    }

    /// It, if there is one.
    pub fn get(&self) -> Option<&dyn Keys> {
        self.0.get().map(|it| &**it)
    }
}
