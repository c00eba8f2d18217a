//! Credentials of a user, and the results of their checks.

use std::net::IpAddr;

use super::User;
use crate::name::Name8;

/// Proofs of a user.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// A password, or a PassTicket in its place.
    Password(String),
    /// A passphrase.
    Phrase(String),
}

impl Secret {
    /// Characters that a password has at most; what is longer is a passphrase.
    const PASSWORD_MAX: usize = ::security::rules::PASSWORD_MAX;

    /// A typed proof of either kind.
    pub fn typed(text: String) -> Self {
        if text.chars().count() > Self::PASSWORD_MAX { Self::Phrase(text) } else { Self::Password(text) }
    }

    /// Its characters.
    pub fn text(&self) -> &str {
        let (Self::Password(text) | Self::Phrase(text)) = self;
        text
    }
}

/// Credentials to be checked.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Claimed user.
    pub user: Name8,
    /// Proof of the user.
    pub secret: Secret,
    /// New proof, if the check succeeds and the rules allow it.
    pub new: Option<String>,
    /// True if the user signs on; else only the answer is wanted.
    pub signs_on: bool,
    /// From where.
    pub address: Option<IpAddr>,
    /// At which terminal; empty: at none.
    pub terminal: String,
}

/// A user whose credentials were right.
pub struct Verified {
    /// The user.
    pub user: User,
    /// State of the password.
    pub standing: Standing,
}

/// State of a user's password or passphrase. Times are seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// When it was set; only the day is known.
    pub changed: Option<i64>,
    /// When it expires; `None`: never.
    pub expires: Option<i64>,
    /// For how many days more it may be used; `None`: for ever.
    pub days_left: Option<u32>,
    /// When it was right last, in this run of the region.
    pub last_used: Option<i64>,
    /// Number of wrong ones in a row from the same address.
    pub wrong: u32,
}

/// Reasons why a sign-on fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignOnError {
    /// No such user.
    UnknownUser,
    /// The password is another.
    WrongPassword,
    /// The user may not sign on any more, or not now.
    Revoked,
    /// The password is right and must be changed first.
    Expired,
    /// The new password is not taken: what is wrong with it.
    NewRefused(String),
    /// The directory that knows the user does not answer, or cannot keep a new password.
    Silent,
}
