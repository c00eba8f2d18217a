//! PROFILE definitions: how the transactions that name one deal with their terminals.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use csd::ResourceType;
use spec::{cmd, cond, opt};

use crate::definitions::Defined;
use crate::exec::{Answers, Handler};
use crate::name::Name8;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::region::Region;
use crate::system::{Key, Resource};
use crate::transactions::Transactions;

/// A profile. Transactions share the one that they name: it may be defined after them, and otherwise later.
#[derive(Debug, Default)]
pub struct Profile {
    /// Its name.
    pub name: Name8,
    defined: AtomicBool,
    upper_case: AtomicBool,
    alternate_screen: AtomicBool,
}

impl Profile {
    /// One that nobody has defined: the published defaults hold.
    pub(super) fn undefined(name: Name8) -> Self {
        Self { name, ..Self::default() }
    }

    /// UCTRAN: input is translated to upper case, whatever the terminal says.
    pub fn upper_case(&self) -> bool {
        self.upper_case.load(Ordering::Relaxed)
    }

    /// SCRNSIZE(ALTERNATE): tasks have the terminal's alternate screen size.
    pub fn alternate_screen(&self) -> bool {
        self.alternate_screen.load(Ordering::Relaxed)
    }

    /// Whether it is installed.
    pub(super) fn is_defined(&self) -> bool {
        self.defined.load(Ordering::Relaxed)
    }

    fn define(&self, defined: bool, upper_case: bool, alternate_screen: bool) {
        self.defined.store(defined, Ordering::Relaxed);
        self.upper_case.store(upper_case, Ordering::Relaxed);
        self.alternate_screen.store(alternate_screen, Ordering::Relaxed);
    }
}

/// What a PROFILE definition becomes.
pub(crate) static DEFINED: Defined = Defined {
    resource: ResourceType::Profile,
    create: cmd::CREATE_PROFILE,
    discard: cmd::DISCARD_PROFILE,
    reads: &["UCTRAN", "SCRNSIZE"],
    without_effect: &[("RTIMOUT", "a program waits for a terminal without end")],
    elsewhere: None,
    needs: &[],
    install: |region, definition| {
        let profile = Transactions::of(region).profile(Name8::from(definition.name.as_str()));
        profile.define(true, definition.flag("UCTRAN"), definition.is("SCRNSIZE", "ALTERNATE"));
        Ok(())
    },
    may_replace: |_, _| Ok(()),
    may_discard,
    remove: |region, name| Transactions::of(region).profile(Name8::new(name)).define(false, false, false),
    status: None,
};

/// RESP2 of DISCARD PROFILE.
mod resp2 {
    /// PROFILEIDERR: there is none of that name.
    pub const NOT_FOUND: i32 = 1;
    /// INVREQ: a transaction names it.
    pub const IN_USE: i32 = 2;
}

fn may_discard(region: &Region, name: &[u8]) -> Outcome {
    let name = Name8::new(name);
    let profiles = Transactions::of(region).profiles();
    if !profiles.iter().any(|profile| profile.name == name) {
        return Err(cond::PROFILEIDERR.raise(resp2::NOT_FOUND));
    }
    let in_use = Transactions::of(region).list().iter().any(|transaction| transaction.profile.name == name);
    if in_use { Err(cond::INVREQ.raise(resp2::IN_USE)) } else { Ok(()) }
}

/// INQUIRE PROFILE.
pub(crate) const HANDLERS: Answers =
    &[(cmd::INQUIRE_PROFILE, Handler::Now(|task, call| PROFILES.inquire(task, call)))];

/// The profiles: they tell their names.
pub(crate) static PROFILES: Resource<Arc<Profile>> = Resource {
    name: opt::PROFILE,
    key: Key::Name,
    names: |by| Transactions::of(&by.region).profiles().iter().map(|p| p.name.as_bytes().to_vec()).collect(),
    find: |by, name| {
        let name = Name8::new(name);
        Transactions::of(&by.region).profiles().into_iter().find(|profile| profile.name == name)
    },
    missing: Raise::Condition(cond::PROFILEIDERR, resp2::NOT_FOUND),
    rows: &[],
    settings: &[],
};
