//! WRITE, REWRITE, DELETE, UNLOCK.

use std::sync::Arc;

use spec::{cmd, cond, opt};
use vsam::{Dataset, Organization};

use super::arguments::{dataset, file, key, put_key, token, wait};
use super::conditions::raise;
use super::resp2;
use super::task::Update;
use crate::exec::call::Bytes;
use crate::exec::{Answers, Call, Handler, Waiting};
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};
use crate::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::WRITE, Handler::Waits(write)),
    (cmd::REWRITE, Handler::Waits(rewrite)),
    (cmd::DELETE, Handler::Waits(delete)),
    (cmd::UNLOCK, Handler::Waits(unlock)),
];

/// The record of a command: FROM, with LENGTH or whole.
fn record(call: &Call<'_>) -> Outcome<Bytes> {
    /// Longer than any record; the data set's own limit is checked by itself.
    const LENGTH_MAX: usize = 1 << 24;
    if !call.has(opt::LENGTH) && call.size(opt::FROM) == 0 {
        return Err(cond::LENGERR.raise(resp2::NO_LENGTH));
    }
    Ok(call.outgoing(opt::FROM, opt::LENGTH, LENGTH_MAX)?.unwrap_or_default())
}

/// A fixed-length data set takes no other length.
fn check_length(dataset: &Dataset, record: &[u8]) -> Outcome {
    let cluster = dataset.cluster();
    if record.len() > cluster.maximum {
        return Err(cond::LENGERR.raise(resp2::RECORD_TOO_LONG));
    }
    let fixed = cluster.organization == Organization::Relative && cluster.average == cluster.maximum;
    if fixed && record.len() != cluster.maximum {
        return Err(cond::LENGERR.raise(resp2::LENGTH_NOT_FIXED));
    }
    Ok(())
}

/// WRITE: the key in RIDFLD must be the record's; the address of a record in an ESDS comes back in it.
fn write<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let file = file(task, call)?;
        let dataset = dataset(task, &file, |access| access.add).await?;
        let record = record(call)?;
        check_length(&dataset, &record)?;
        let given = match dataset.cluster().organization {
            Organization::EntrySequenced => None,
            _ => Some(write_key(call, &dataset)?),
        };
        let wait = wait(task, call);
        let control = Arc::clone(&task.control);
        let writing = dataset.write(task.work.changes(), given.as_deref(), &record, wait);
        let written = control.wait(WaitKind::RecordLock, writing).await?.map_err(raise)?;
        if dataset.cluster().organization == Organization::EntrySequenced {
            put_key(call, &written)?;
        }
        Ok(())
    })
}

/// The key of a new record; through a path, the alternate one.
fn write_key(call: &Call<'_>, dataset: &Dataset) -> Outcome<vsam::Key> {
    let length = dataset.key_length();
    if call.number(opt::KEYLENGTH)?.is_some_and(|n| n != length as i64) {
        return Err(cond::INVREQ.raise(resp2::KEY_LENGTH));
    }
    key(call, dataset, length)
}

/// The record that was read for update.
fn held(task: &mut Task, call: &Call<'_>, file: Name8, none: i32) -> Outcome<Update> {
    let token = token(call)?;
    let none = if token.is_some() { resp2::NO_SUCH_TOKEN } else { none };
    task.files.take(file, token).ok_or_else(|| cond::INVREQ.raise(none))
}

/// REWRITE: of the record that was read for update. It stays held if the record cannot be written.
fn rewrite<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let file = file(task, call)?;
        let dataset = dataset(task, &file, |access| access.update).await?;
        let record = record(call)?;
        check_length(&dataset, &record)?;
        let token = token(call)?;
        let update = held(task, call, file.name, resp2::NOT_UPDATING)?;
        let wait = wait(task, call);
        let control = Arc::clone(&task.control);
        let writing = update.dataset.rewrite(task.work.changes(), &update.base, &record, wait);
        let written = control.wait(WaitKind::RecordLock, writing).await?;
        if written.is_ok() {
            update.dataset.unlock(task.work.changes(), &update.base);
        } else if token.is_none() {
            task.files.updates.insert(file.name, update);
        }
        written.map_err(raise)
    })
}

/// DELETE: of the record that was read for update; or with RIDFLD, of the one with that key; or with GENERIC, of all
/// whose keys begin so.
fn delete<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let file = file(task, call)?;
        let dataset = dataset(task, &file, |access| access.delete).await?;
        if dataset.cluster().organization == Organization::EntrySequenced {
            return Err(cond::INVREQ.raise(resp2::NEVER_DELETED));
        }
        let wait = wait(task, call);
        let control = Arc::clone(&task.control);
        if !call.has(opt::RIDFLD) {
            let update = held(task, call, file.name, resp2::NO_KEY)?;
            let deleting = update.dataset.delete(task.work.changes(), &update.base, wait);
            let deleted = control.wait(WaitKind::RecordLock, deleting).await?;
            update.dataset.unlock(task.work.changes(), &update.base);
            return deleted.map_err(raise);
        }
        let wanted = super::arguments::Wanted::read(call, &dataset)?;
        if wanted.generic {
            let deleting = dataset.delete_generic(task.work.changes(), &wanted.key, wait);
            let count = control.wait(WaitKind::RecordLock, deleting).await?.map_err(raise)?;
            return call.put_number(opt::NUMREC, count as i64);
        }
        let deleting = dataset.delete_by_key(task.work.changes(), &wanted.key, wait);
        let found = control.wait(WaitKind::RecordLock, deleting).await?.map_err(raise)?;
        dataset.unlock(task.work.changes(), &found.base);
        if found.duplicate { Err(cond::DUPKEY.raise(resp2::DUPLICATE_KEY)) } else { Ok(()) }
    })
}

/// UNLOCK: nothing held is not an error, an unknown token is.
fn unlock<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let file = file(task, call)?;
        dataset(task, &file, |_| true).await?;
        let token = token(call)?;
        match task.files.take(file.name, token) {
            Some(update) => {
                update.dataset.unlock(task.work.changes(), &update.base);
                Ok(())
            }
            None if token.is_some() => Err(cond::INVREQ.raise(resp2::NO_SUCH_TOKEN)),
            None => Ok(()),
        }
    })
}
