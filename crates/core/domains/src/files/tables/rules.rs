//! The requests that a table admits, and when.

use records::Replaced;
use spec::{cond, opt};

use super::DataTable;
use crate::files::attributes::TableKind;
use crate::files::resp2;
use kernel::exec::Call;
use kernel::raise::{Outcome, Raise, RaiseCondition};

/// The request of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::files) enum Request {
    /// READ without UPDATE.
    Read,
    /// READ UPDATE.
    ReadForUpdate,
    /// STARTBR and what follows.
    Browse,
    /// WRITE.
    Write,
    /// DELETE with RIDFLD.
    Delete,
}

impl DataTable {
    /// Refuses what a table does not know: addresses, mass insertion, and reading for update by anything but a key.
    ///
    /// # Errors
    /// INVREQ; LOADING for what a user-maintained table does not do while it is loaded.
    pub(in crate::files) fn admits(&self, call: &Call<'_>, request: Request) -> Outcome {
        let vague = call.keyword(opt::GENERIC) || call.keyword(opt::GTEQ);
        let address = call.keyword(opt::RBA) || call.keyword(opt::XRBA) || call.keyword(opt::RRN);
        let mass = request == Request::Write && call.keyword(opt::MASSINSERT);
        if address || mass || (vague && request == Request::ReadForUpdate) {
            return Err(cond::INVREQ.raise(resp2::NOT_FOR_TABLES));
        }
        let of_order = vague || request == Request::Browse;
        let refused = of_order || (self.kind == TableKind::User && request != Request::Read);
        if refused && self.is_loading() { Err(LOADING) } else { Ok(()) }
    }

    /// Refuses a key of a coupling-facility data table to which loading has not come yet.
    ///
    /// # Errors
    /// LOADING.
    pub(in crate::files) fn admits_key(&self, key: &[u8]) -> Outcome {
        let early = self.kind == TableKind::Coupling && self.is_loading() && !self.has_come_to(key);
        if early { Err(LOADING) } else { Ok(()) }
    }
}

const LOADING: Raise = Raise::Condition(cond::LOADING, resp2::LOADING);

/// Maps the outcome of a change under the contention model to the program's condition.
///
/// # Errors
/// CHANGED, NOTFND.
pub(in crate::files) fn outcome(replaced: Replaced) -> Outcome {
    match replaced {
        Replaced::Done => Ok(()),
        Replaced::Changed => Err(cond::CHANGED.raise(resp2::CHANGED)),
        Replaced::Gone => Err(cond::NOTFND.raise(resp2::NOT_FOUND)),
    }
}
