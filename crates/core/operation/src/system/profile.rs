//! PROFILE definitions, INQUIRE PROFILE.

use std::sync::Arc;

use csd::ResourceType;
use spec::{cmd, cond, opt};

use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Key, Resource};
use kernel::transactions::{Profile, ProfileOptions, Transactions};

/// The rules for a PROFILE definition.
pub(super) static DEFINED: Defined = Defined {
    resource: ResourceType::Profile,
    create: cmd::CREATE_PROFILE,
    discard: cmd::DISCARD_PROFILE,
    reads: &["UCTRAN", "SCRNSIZE", "RTIMOUT"],
    without_effect: &[],
    elsewhere: None,
    needs: &[],
    refuses: |_| Ok(()),
    install: |region, definition| {
        let profile = Transactions::of(region).profile(Name8::from(definition.name.as_str()));
        profile.define(ProfileOptions {
            upper_case: definition.flag("UCTRAN"),
            alternate_screen: definition.is("SCRNSIZE", "ALTERNATE"),
            read_limit_s: definition.seconds("RTIMOUT").unwrap_or(0),
        });
        Ok(())
    },
    may_replace: |_, _| Ok(()),
    may_discard,
    remove: |region, name| Transactions::of(region).profile(Name8::new(name)).undefine(),
    status: None,
};

/// RESP2 of DISCARD PROFILE.
mod resp2 {
    /// PROFILEIDERR: no profile has that name.
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

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::INQUIRE_PROFILE, Handler::Now(|task, call| PROFILES.inquire(task, call)))];

/// The profiles: they tell their names.
pub(super) static PROFILES: Resource<Arc<Profile>> = Resource {
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
