//! DISCARD: definitions go. Tasks that use them now keep what they have.

use spec::{cmd, cond, opt};

use super::{file, program, transaction};
use crate::exec::{Answers, Call, Handler};
use crate::files::{EnableStatus, OpenStatus};
use crate::name::{Name8, TransactionName};
use crate::raise::{Outcome, RaiseCondition};
use crate::region::Region;
use crate::task::Task;
use crate::transactions::Supplied;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::DISCARD_FILE, Handler::Now(|task, call| named(task, call, "FILE"))),
    (cmd::DISCARD_PROGRAM, Handler::Now(|task, call| named(task, call, "PROGRAM"))),
    (cmd::DISCARD_TRANSACTION, Handler::Now(|task, call| named(task, call, "TRANSACTION"))),
];

/// RESP2 of INVREQ: the file is open.
const FILE_OPEN: i32 = 24;
/// RESP2 of INVREQ: the file is enabled.
const FILE_ENABLED: i32 = 25;
/// RESP2 of INVREQ: the program is the product's.
const PROGRAM_SUPPLIED: i32 = 11;
/// RESP2 of INVREQ: the transaction is the product's.
const TRANSACTION_SUPPLIED: i32 = 4;

fn named(task: &mut Task, call: &Call<'_>, kind: &str) -> Outcome {
    let option = match kind {
        "FILE" => opt::FILE,
        "PROGRAM" => opt::PROGRAM,
        _ => opt::TRANSACTION,
    };
    let name: Name8 = call.need_name(option)?;
    discard(&task.region, kind, name)
}

/// Discards a definition of one of the kinds that can be.
///
/// # Errors
/// The published conditions of DISCARD for the kind; INVREQ for a kind that cannot be discarded.
pub(crate) fn discard(region: &Region, kind: &str, name: Name8) -> Outcome {
    match kind {
        "FILE" => discard_file(region, name),
        "PROGRAM" => discard_program(region, name),
        "TRANSACTION" => discard_transaction(region, TransactionName::new(name)),
        _ => Err(cond::INVREQ.raise(0)),
    }
}

fn discard_file(region: &Region, name: Name8) -> Outcome {
    let found = region.files.get(name).ok_or_else(|| cond::FILENOTFOUND.raise(file::NOT_FOUND))?;
    if found.open_status() != OpenStatus::Closed {
        return Err(cond::INVREQ.raise(FILE_OPEN));
    }
    if found.enable_status().0 == EnableStatus::Enabled {
        return Err(cond::INVREQ.raise(FILE_ENABLED));
    }
    region.files.discard(name);
    Ok(())
}

fn discard_program(region: &Region, name: Name8) -> Outcome {
    let found = region.programs.get(name).ok_or_else(|| cond::PGMIDERR.raise(program::NOT_FOUND))?;
    if found.is_native() {
        return Err(cond::INVREQ.raise(PROGRAM_SUPPLIED));
    }
    region.programs.discard(name);
    Ok(())
}

fn discard_transaction(region: &Region, name: TransactionName) -> Outcome {
    let missing = || cond::TRANSIDERR.raise(transaction::NOT_FOUND);
    let found = region.transactions.get(name).ok_or_else(missing)?;
    if found.supplied != Supplied::No {
        return Err(cond::INVREQ.raise(TRANSACTION_SUPPLIED));
    }
    region.transactions.discard(name);
    Ok(())
}
