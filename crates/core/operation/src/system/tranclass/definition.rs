//! TRANCLASS definitions.

use csd::ResourceType;
use spec::{cmd, cond};

use kernel::dispatcher::Dispatcher;
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::registry::Defined;
use kernel::transactions::Transactions;

/// The rules for a TRANCLASS definition.
pub(in crate::system) static DEFINED: Defined = Defined {
    resource: ResourceType::Tranclass,
    create: cmd::CREATE_TRANCLASS,
    discard: cmd::DISCARD_TRANCLASS,
    reads: &["MAXACTIVE", "PURGETHRESH"],
    without_effect: &[],
    elsewhere: None,
    needs: &[&["MAXACTIVE"]],
    refuses: |_| Ok(()),
    install: |region, definition| {
        let most = definition.number("MAXACTIVE").unwrap_or_default() as usize;
        let name = Name8::from(definition.name.as_str());
        Dispatcher::of(region).set_class_max(name, most);
        let waiting = definition.number("PURGETHRESH").map(|most| most as usize);
        Dispatcher::of(region).set_class_waiting_max(name, waiting);
        Dispatcher::of(region).admit_waiting(region);
        Ok(())
    },
    // Its tasks and transactions have the new limit.
    may_replace: |_, _| Ok(()),
    may_discard,
    remove: |region, name| {
        Dispatcher::of(region).remove_class(Name8::new(name));
        Dispatcher::of(region).admit_waiting(region);
    },
    status: None,
};

/// RESP2 of DISCARD TRANCLASS.
mod resp2 {
    /// TCIDERR: no class has that name.
    pub const NOT_FOUND: i32 = 1;
    /// INVREQ: tasks of the class run or wait.
    pub const IN_USE: i32 = 2;
    /// INVREQ: transactions belong to it.
    pub const HAS_TRANSACTIONS: i32 = 12;
}

fn may_discard(region: &Region, name: &[u8]) -> Outcome {
    let name = Name8::new(name);
    let classes = Dispatcher::of(region).classes();
    let found = classes.iter().find(|class| class.name == name);
    let found = found.ok_or_else(|| cond::TCIDERR.raise(resp2::NOT_FOUND))?;
    if Transactions::of(region).list().iter().any(|transaction| transaction.class == name) {
        return Err(cond::INVREQ.raise(resp2::HAS_TRANSACTIONS));
    }
    let unused = found.running == 0 && found.queued == 0;
    if unused { Ok(()) } else { Err(cond::INVREQ.raise(resp2::IN_USE)) }
}
