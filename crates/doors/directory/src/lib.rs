//! Servers that know users: LDAP directories, and providers of identities whose tokens are taken; PassTickets of our own.
//!
//! ```text
//! sign_on(user, password) ──► Cached ──► Ldap ──► DirectoryEntry: who it is, and the groups
//! verify(token) ────────────► Tokens ──► Keys (fetched, with limits) ──► DirectoryEntry
//! ```
//!
//! Out of scope: users of files (`config`), what a user may do (`security`), and what a program sees of it.

mod cached;
mod keys;
mod ldap;
mod passtickets;
mod tls;
mod tokens;

use std::future::Future;
use std::pin::Pin;

pub use cached::Cached;
pub use keys::{Address, Keys};
pub use ldap::{Ldap, LdapSettings};
pub use passtickets::{PassTickets, Used};
pub use tls::{NoTrust, trust};
pub use tokens::{TokenError, TokenSettings, Tokens};

/// A user whom a server knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// The user id, in upper case.
    pub user: String,
    /// The groups, in upper case.
    pub groups: Vec<String>,
}

/// The reason why a sign-on fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// User or password is wrong: a directory does not tell which.
    #[error("the directory does not take this user with this password")]
    Wrong,
    /// The directory has locked the user.
    #[error("the directory has locked the user")]
    Locked,
    /// The password must be changed first, in the directory.
    #[error("the password has expired in the directory")]
    Expired,
    /// The directory does not answer, or not in time, or with an answer that cannot be understood.
    #[error("the directory cannot be asked: {0}")]
    Silent(String),
}

/// The future answer of a directory.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// A server that knows users. Its answers come within a time that it names itself.
pub trait Directory: Send + Sync {
    /// The user, if the password is right.
    fn sign_on<'a>(&'a self, user: &'a str, password: &'a str) -> Answer<'a, DirectoryEntry>;

    /// The user without a password; `None` if there is no such user.
    fn find<'a>(&'a self, user: &'a str) -> Answer<'a, Option<DirectoryEntry>>;
}

impl<D: Directory + ?Sized> Directory for std::sync::Arc<D> {
    fn sign_on<'a>(&'a self, user: &'a str, password: &'a str) -> Answer<'a, DirectoryEntry> {
        (**self).sign_on(user, password)
    }

    fn find<'a>(&'a self, user: &'a str) -> Answer<'a, Option<DirectoryEntry>> {
        (**self).find(user)
    }
}
