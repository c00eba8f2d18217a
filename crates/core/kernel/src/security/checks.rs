//! Checks of SEC=YES: the transaction at its attach, surrogates, and a user's level for a resource.
//!
//! Profiles decide; what they have said of a user is kept with the user until they change (`Generation`). Without SEC=YES
//! nothing is asked here. The accesses of each command's record are checked at the door (`exec`).

use std::sync::Arc;

use ::security::{Class, Classes, Decisions, Generation, Level, Profiles, Reason, Subject};
use parking_lot::RwLock;

use super::{Refusal, User, Users};
use crate::name::Name8;
use crate::region::Region;
use crate::transactions::{Supplied, Transaction};

/// Checks of SEC=YES, by the system initialization parameters.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Under which names the profiles of each class stand.
    pub classes: Classes,
    /// Prefix of each resource's name, with its period: SECPRFX.
    pub prefix: String,
    /// CMDSEC=ALWAYS.
    pub commands_always: bool,
    /// RESSEC=ALWAYS.
    pub resources_always: bool,
}

/// The profiles of a region.
pub struct Security {
    checked: Checked,
    profiles: RwLock<Arc<Profiles>>,
    generation: Generation,
}

impl Security {
    /// Profiles that were just read.
    pub fn new(checked: Checked, profiles: Arc<Profiles>) -> Self {
        Self { checked, profiles: RwLock::new(profiles), generation: Generation::default() }
    }

    /// The profiles of a region; `None` without SEC=YES.
    pub fn of(region: &Region) -> Option<&Self> {
        region.secured.then(|| region.part::<Self>())
    }

    /// Takes profiles that were read again: nothing that was decided before counts any more.
    pub fn rebuild(&self, profiles: Arc<Profiles>) {
        *self.profiles.write() = profiles;
        self.generation.advance();
    }

    /// Level of a user for a resource. One in no checked class is open to all.
    pub fn level(&self, user: &User, class: Class, resource: &[u8]) -> Level {
        let Some(name) = self.checked.classes.name(class).filter(|_| !user.unchecked) else {
            return Level::Alter;
        };
        let decide = || self.decide(user, name, resource).0;
        let level = user.decisions.level(self.generation.now(), class, resource, decide);
        match &user.within {
            Some(other) => level.min(self.level(other, class, resource)),
            None => level,
        }
    }

    /// Level of a user by the profiles under a name, and the reason.
    pub fn decide(&self, user: &User, class: &str, resource: &[u8]) -> (Level, Reason) {
        let resource = self.checked.prefix.clone() + &String::from_utf8_lossy(resource);
        let id = user.id.to_string();
        let who = Subject { user: &id, groups: &user.groups };
        let decision = self.profiles.read().decide(who, class, &resource);
        (decision.level, decision.reason)
    }

    /// Returns true if a class is checked in a transaction.
    pub(crate) fn is_wanted(&self, class: Class, transaction: &Transaction) -> bool {
        // Of what the region itself begins only as much is checked as it says there.
        let always = match transaction.supplied {
            Supplied::Internal => (false, false),
            Supplied::Inquire | Supplied::Operate => (true, true),
            Supplied::No | Supplied::Open => (self.checked.commands_always, self.checked.resources_always),
        };
        match class {
            Class::Cmd => always.0 || transaction.command_security,
            _ => always.1 || transaction.resource_security,
        }
    }

    /// Reports a refusal, in the log and to the audit.
    pub(crate) fn refuse(&self, region: &Region, by: &By<'_>, class: Class, resource: &[u8], wanted: Level) {
        let name = self.checked.classes.name(class).unwrap_or_default();
        let (level, reason) = self.decide(by.user, name, resource);
        let resource = String::from_utf8_lossy(resource).into_owned();
        let why = format!("{reason}: {level}");
        let refusal = Refusal {
            user: by.user.id.to_string(),
            transaction: by.transaction.name.to_string(),
            terminal: by.terminal.clone(),
            class: name.to_owned(),
            resource,
            wanted,
            why,
        };
        Users::of(region).file.refused(&refusal);
        if by.tells {
            let Refusal { user, transaction, class, resource, wanted, why, .. } = refusal;
            tracing::warn!(
                target: "XS",
                "{user} in {transaction} may not {wanted} {resource:?} of class {class} ({why})"
            );
        }
    }
}

/// The user who asks, and the place.
pub struct By<'a> {
    /// The user.
    pub user: &'a User,
    /// In which transaction.
    pub transaction: &'a Transaction,
    /// At which terminal; empty: at none.
    pub terminal: String,
    /// True if a line may be written.
    pub tells: bool,
}

/// Returns true if a user may attach a transaction: without SEC=YES by the rights of the users file, with it by class
/// XTRAN. Transactions of the region itself are open to no user, and those of sign-on to all.
pub fn may_attach(region: &Region, user: &User, transaction: &Transaction) -> bool {
    let Some(security) = Security::of(region) else { return user.may_run(transaction) };
    match transaction.supplied {
        Supplied::Internal => false,
        Supplied::Open => true,
        Supplied::No | Supplied::Inquire | Supplied::Operate => {
            let name = transaction.name.to_string();
            let may = security.level(user, Class::Tran, name.as_bytes()) >= Level::Read;
            if !may {
                let by = By { user, transaction, terminal: String::new(), tells: true };
                security.refuse(region, &by, Class::Tran, name.as_bytes(), Level::Read);
            }
            may
        }
    }
}

/// Returns true if a user may start work as another: the check of a surrogate.
pub fn may_start_as(region: &Region, user: &User, transaction: &Transaction, other: Name8) -> bool {
    may_act_as(region, user, transaction, other, "DFHSTART")
}

/// Returns true if the user of a job may have programs run as another: the check of a surrogate of the external interface.
pub fn may_link_as(region: &Region, user: &User, transaction: &Transaction, other: Name8) -> bool {
    may_act_as(region, user, transaction, other, "DFHEXCI")
}

fn may_act_as(region: &Region, user: &User, transaction: &Transaction, other: Name8, how: &str) -> bool {
    let Some(security) = Security::of(region) else { return user.may_start_as(other) };
    let name = format!("{other}.{how}");
    let may = other == user.id || security.level(user, Class::User, name.as_bytes()) >= Level::Read;
    if !may {
        let by = By { user, transaction, terminal: String::new(), tells: true };
        security.refuse(region, &by, Class::User, name.as_bytes(), Level::Read);
    }
    may
}

/// Returns true if a user may read a resource without a task: a page of the web. `resource` with its prefix.
pub fn may_read(region: &Region, user: &User, class: Class, resource: &str) -> bool {
    let Some(security) = Security::of(region) else { return true };
    let may = security.level(user, class, resource.as_bytes()) >= Level::Read;
    if !may {
        let name = security.checked.classes.name(class).unwrap_or_default();
        let (level, reason) = security.decide(user, name, resource.as_bytes());
        Users::of(region).file.refused(&Refusal {
            user: user.id.to_string(),
            transaction: String::new(),
            terminal: String::new(),
            class: name.to_owned(),
            resource: resource.to_owned(),
            wanted: Level::Read,
            why: format!("{reason}: {level}"),
        });
    }
    may
}

/// Decisions for a new user: none yet.
pub fn undecided() -> Arc<Decisions> {
    Arc::default()
}
