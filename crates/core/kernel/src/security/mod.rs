//! Users, what they may do, and signing on.
//!
//! A terminal without a signed-on user runs as the default user. Passwords are known here as argon2 hashes only;
//! who checks one is the [`UserFile`].

mod accesses;
mod checking;
mod checks;
mod credentials;
mod rebuild;

use std::sync::Arc;

use ::security::{Decisions, Level, Profiles};

pub(crate) use accesses::{Doer, ResourceName, accesses, wanted};
pub use checking::check_at_door;
pub use checking::{SignOn, check};
pub use checks::{By, may_link_as, may_start_as};
pub use checks::{Checked, Security, may_attach, may_read, undecided};
pub use credentials::{Credentials, Secret, SignOnError, Standing, Verified};
pub use rebuild::{NotRebuilt, rebuild, rebuild_certificates};

use crate::name::Name8;
use crate::region::Region;
use crate::transactions::{Supplied, Transaction};

/// The users as whom a user may start work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartsAs {
    /// As all.
    Anybody,
    /// As these.
    Users(Vec<Name8>),
}

impl StartsAs {
    /// As no user.
    pub const NOBODY: Self = Self::Users(Vec::new());
}

/// A user.
#[derive(Clone, Debug)]
pub struct User {
    /// The user identifier.
    pub id: Name8,
    /// The name of a person.
    pub name: String,
    /// True if the user may run the application's transactions.
    pub run: bool,
    /// True if the user may look at the region.
    pub inquire: bool,
    /// True if the user may change the region.
    pub operate: bool,
    /// As whom the user may start work, beside its own name.
    pub starts_as: StartsAs,
    /// True if this is the default user: not a person who has signed on.
    pub is_default: bool,
    /// The groups, in upper case: profiles may name them.
    pub groups: Vec<String>,
    /// True if profiles do not count for this user: the region itself.
    pub unchecked: bool,
    /// Decisions of profiles about the user.
    pub decisions: Arc<Decisions>,
    /// Another user, whose rights limit these: that of a link.
    pub within: Option<Arc<User>>,
}

impl User {
    /// The user of a task that the region attaches for itself.
    pub fn region() -> Arc<Self> {
        Arc::new(Self {
            id: Name8::from("SYNCPNT"),
            name: String::from("the region"),
            run: true,
            inquire: true,
            operate: true,
            starts_as: StartsAs::Anybody,
            is_default: false,
            groups: Vec::new(),
            unchecked: true,
            decisions: Arc::default(),
            within: None,
        })
    }

    /// The user with no more rights than another one has, too.
    #[must_use]
    pub fn limited(&self, other: &Arc<Self>) -> Self {
        let mut user = self.clone();
        user.run &= other.run;
        user.inquire &= other.inquire;
        user.operate &= other.operate;
        user.unchecked &= other.unchecked;
        user.within = Some(Arc::clone(other));
        user
    }

    /// Returns true if the user may start work as another: the check of a surrogate.
    pub fn may_start_as(&self, user: Name8) -> bool {
        user == self.id
            || match &self.starts_as {
                StartsAs::Anybody => true,
                StartsAs::Users(users) => users.contains(&user),
            }
    }

    /// Returns true if the user may run a transaction.
    pub fn may_run(&self, transaction: &Transaction) -> bool {
        match transaction.supplied {
            Supplied::Open => true,
            Supplied::Inquire => self.inquire,
            Supplied::Operate => self.operate,
            Supplied::No => self.run,
            Supplied::Internal => false,
        }
    }
}

/// The users that a region knows.
pub struct Users {
    /// Those who can sign on.
    pub file: Arc<dyn UserFile>,
    /// The user of terminals without a signed-on user.
    pub default: Arc<User>,
}

impl Users {
    /// Those of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }
}

/// Keeper of users. Checking a password takes a while by design; it is done off the TCBs.
pub trait UserFile: Send + Sync {
    /// The user, if the credentials are right; a new password counts from then on.
    ///
    /// # Errors
    /// The reason.
    fn sign_on(&self, credentials: &Credentials) -> Result<Verified, SignOnError>;

    /// Reports to the audit a sign-on that failed before the credentials were looked at.
    fn not_signed_on(&self, _credentials: &Credentials, _why: &str) {}

    /// Takes note of a user who has signed off at a terminal, or was signed off: for the same.
    fn signed_off(&self, _user: &User, _terminal: &str) {}

    /// The user whom a token of a provider of identities names.
    ///
    /// # Errors
    /// It is none that is taken here, or the provider does not answer.
    fn token(&self, _token: &str, _signs_on: Option<&str>) -> Result<User, SignOnError> {
        Err(SignOnError::Silent)
    }

    /// A password for one sign-on of a user at an application, for a few minutes; `None`: none is issued now.
    fn pass_ticket(&self, _user: Name8, _application: &str) -> Option<String> {
        None
    }

    /// Returns true if no user can sign on.
    fn is_empty(&self) -> bool {
        false
    }

    /// The user of that identifier, without a password: for USERID of START and such.
    fn user(&self, user: &str) -> Option<User>;

    /// A user who is signed on, as the user is now; `None`: removed or revoked meanwhile.
    fn again(&self, user: &User) -> Option<User> {
        self.user(&user.id.to_string())
    }

    /// The profiles, read again.
    ///
    /// # Errors
    /// They cannot be read: those before stay.
    fn profiles(&self) -> Result<Arc<Profiles>, String> {
        Ok(Arc::default())
    }

    /// Reads the certificates that front doors show again: how many there are. It reads files: not for a TCB.
    ///
    /// # Errors
    /// A text for each that cannot be used and stays what it was.
    fn certificates_again(&self) -> Result<usize, Vec<String>> {
        Ok(0)
    }

    /// Takes note of a change of a resource or its definition: for the same.
    fn changed(&self, _change: &Change) {}

    /// Reports a refusal to the audit.
    fn refused(&self, _refusal: &Refusal) {}
}

/// A resource, or its definition, that a user has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The user.
    pub user: String,
    /// In which transaction; blank: in none.
    pub transaction: String,
    /// The command: `CREATE FILE`.
    pub command: String,
    /// The resource.
    pub resource: String,
    /// Its options.
    pub given: String,
}

/// Refused access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The user.
    pub user: String,
    /// In which transaction.
    pub transaction: String,
    /// At which terminal; empty: at none.
    pub terminal: String,
    /// The name of the resource's class.
    pub class: String,
    /// The resource, without what SECPRFX puts before it.
    pub resource: String,
    /// Level that the user wanted.
    pub wanted: Level,
    /// Reason of the refusal.
    pub why: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_user_may_sign_on_but_not_change_the_region() {
        let user = User {
            id: Name8::from("CICSUSER"),
            name: String::new(),
            run: true,
            inquire: false,
            operate: false,
            starts_as: StartsAs::Users(vec!["NIGHT".into()]),
            is_default: true,
            groups: Vec::new(),
            unchecked: false,
            decisions: Arc::default(),
            within: None,
        };
        assert!(user.may_start_as("NIGHT".into()) && user.may_start_as("CICSUSER".into()));
        assert!(!user.may_start_as("ADMIN".into()) && User::region().may_start_as("ADMIN".into()));
        let mut transaction = Transaction::new("CEMT".into(), "X".into());
        transaction.supplied = Supplied::Operate;
        assert!(!user.may_run(&transaction));
        transaction.supplied = Supplied::Open;
        assert!(user.may_run(&transaction));
    }
}
