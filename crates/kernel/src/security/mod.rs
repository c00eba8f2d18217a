//! Users, what they may do, and signing on.
//!
//! A terminal that nobody has signed on at runs as the default user. Passwords are known here as argon2 hashes only;
//! who checks one is the [`UserFile`].

use std::sync::Arc;

use crate::name::{Name8, TransactionName};
use crate::transactions::{Supplied, Transaction};

/// A user.
#[derive(Debug)]
pub struct User {
    /// The user identifier.
    pub id: Name8,
    /// The name of a person.
    pub name: String,
    /// Which of the application's transactions: `*` and `?` as in `AC*`.
    pub transactions: Vec<String>,
    /// Whether the user may run supplied transactions that show or change the region.
    pub operator: bool,
    /// Whether this is the default user: not a person who has signed on.
    pub is_default: bool,
}

impl User {
    /// The user of a task that the region attaches for itself.
    pub fn region() -> Arc<Self> {
        Arc::new(Self {
            id: Name8::from("SYNCPNT"),
            name: String::from("the region"),
            transactions: vec![String::from("*")],
            operator: true,
            is_default: false,
        })
    }

    /// Whether the user may run a transaction.
    pub fn may_run(&self, transaction: &Transaction) -> bool {
        match transaction.supplied {
            Supplied::Open => true,
            Supplied::Operator => self.operator,
            Supplied::No => self.may_run_named(transaction.name),
        }
    }

    fn may_run_named(&self, name: TransactionName) -> bool {
        self.transactions.iter().any(|pattern| matches(pattern.as_bytes(), name.trimmed()))
    }
}

/// Whether a name fits a pattern: `*` for any characters, `?` for one.
pub fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            matches(rest, name) || name.split_first().is_some_and(|(_, tail)| matches(pattern, tail))
        }
        (Some((b'?', rest)), Some((_, tail))) => matches(rest, tail),
        (Some((p, rest)), Some((n, tail))) => p == n && matches(rest, tail),
        _ => false,
    }
}

/// Why a sign-on fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignOnError {
    /// No such user.
    UnknownUser,
    /// The password is another.
    WrongPassword,
    /// The user may not sign on any more.
    Revoked,
}

/// The users of a region. Checking a password takes a while by design; it is done off the TCBs.
pub trait UserFile: Send + Sync {
    /// The user, if the password is right.
    ///
    /// # Errors
    /// Why not.
    fn sign_on(&self, user: &str, password: &str) -> Result<User, SignOnError>;

    /// The user of that identifier, without a password: for USERID of START and such.
    fn user(&self, user: &str) -> Option<User>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_names() {
        for (pattern, name, fits) in [
            ("*", "CC00", true),
            ("AC*", "ACCT", true),
            ("AC*", "BACC", false),
            ("C?00", "CC00", true),
            ("", "X", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn the_default_user_may_sign_on_but_not_change_the_region() {
        let user = User {
            id: Name8::from("CICSUSER"),
            name: String::new(),
            transactions: vec!["*".into()],
            operator: false,
            is_default: true,
        };
        let mut transaction = Transaction::new("CEMT".into(), "X".into());
        transaction.supplied = Supplied::Operator;
        assert!(!user.may_run(&transaction));
        transaction.supplied = Supplied::Open;
        assert!(user.may_run(&transaction));
    }
}
