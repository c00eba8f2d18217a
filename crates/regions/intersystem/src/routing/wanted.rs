//! The program of a LINK whose place a router says.

use std::sync::Arc;

use kernel::exec::Call;
use kernel::name::{Name, Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::task::Task;
use spec::{cond, opt};

use crate::shipping::NO_SUCH_SYSTEM;

/// The outcome of a LINK that no system takes.
pub(super) const NOBODY: Raise = Raise::Condition(cond::SYSIDERR, NO_SUCH_SYSTEM);
/// The usual transaction of mirror tasks.
const USUAL: &str = "CSMI";
/// RESP2 of INVREQ: TRANSID is blank.
const BLANK_TRANSACTION: i32 = 16;

/// The program of a LINK.
pub(super) struct Wanted {
    pub name: Name8,
    pub defined: Option<Arc<Program>>,
    /// TRANSID of the command.
    pub transaction: Option<TransactionName>,
    pub syncs: bool,
}

impl Wanted {
    pub fn of(task: &Task, call: &Call<'_>) -> Outcome<Self> {
        let name: Name8 = call.need_name(opt::PROGRAM)?;
        let transaction: Option<TransactionName> = call.name(opt::TRANSID)?;
        if transaction.is_some_and(|name| name.is_blank()) {
            return Err(cond::INVREQ.raise(BLANK_TRANSACTION));
        }
        let defined = Programs::of(&task.region).get(name);
        Ok(Self { name, defined, transaction, syncs: call.keyword(opt::SYNCONRETURN) })
    }

    /// The system and the name that the definition says: those of this region if it says nothing.
    pub fn place(&self, region: &Region) -> (Name<4>, Name8) {
        let remote = self.defined.as_ref().and_then(|program| program.remote);
        remote.map_or((region.options.sysid, self.name), |remote| (remote.system, remote.name))
    }

    /// Returns true if the definition says that it is in another region: it does not run here then.
    pub fn is_remote(&self) -> bool {
        self.defined.as_ref().is_some_and(|program| program.remote.is_some())
    }

    /// The transaction of its task in another region.
    pub fn mirror(&self) -> TransactionName {
        let defined = || self.defined.as_ref().and_then(|program| program.transaction);
        self.transaction.or_else(defined).unwrap_or(TransactionName::from(USUAL))
    }
}
