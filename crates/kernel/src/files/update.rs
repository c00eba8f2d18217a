//! WRITE, REWRITE, DELETE, UNLOCK.

use std::sync::Arc;

use spec::{cmd, cond, opt};
use vsam::Organization;

use super::arguments::{Target, token, wait};
use super::identity::{Identity, Wanted, key_length};
use super::resp2;
use crate::exec::{Answers, Call, Handler, Waiting};
use crate::raise::{Outcome, RaiseCondition};
use crate::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::WRITE, Handler::Waits(write)),
    (cmd::REWRITE, Handler::Waits(rewrite)),
    (cmd::DELETE, Handler::Waits(delete)),
    (cmd::UNLOCK, Handler::Waits(unlock)),
];

/// WRITE: the key in RIDFLD must be the record's; the address of a record in an ESDS comes back in it.
fn write<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let target = Target::of(task, call, |access| access.add).await?;
        let dataset = &target.view.dataset;
        let identity = Identity::of(call);
        let given = new_key(call, &target, identity)?;
        let record = target.record(call)?;
        let wait = wait(task, call);
        let control = Arc::clone(&task.control);
        let writing = dataset.write(task.work.changes(), given.as_deref(), &record, wait);
        let written = control.wait(WaitKind::RecordLock, writing).await?;
        let written = written.map_err(|error| target.view.mode.raise(error))?;
        task.files.changed(&target.file, dataset, &task.control);
        if given.is_none() { identity.put(call, &written) } else { Ok(()) }
    })
}

/// The key of a new record: through a path the alternate one, none for an ESDS.
fn new_key(call: &Call<'_>, target: &Target, identity: Identity) -> Outcome<Option<vsam::Key>> {
    let dataset = &target.view.dataset;
    identity.check(dataset)?;
    if dataset.cluster().organization == Organization::EntrySequenced && !dataset.is_path() {
        let too_far = identity == Identity::Rba && dataset.next_address() > u32::MAX.into();
        return if too_far { Err(cond::NOSPACE.raise(resp2::NO_SPACE)) } else { Ok(None) };
    }
    let length = dataset.key_length();
    if identity == Identity::Key && key_length(call)?.is_some_and(|given| given != length) {
        return Err(cond::INVREQ.raise(resp2::KEY_LENGTH));
    }
    identity.read(call, length).map(Some)
}

/// REWRITE: of the record that was read for update. It stays held if the record cannot be written.
fn rewrite<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let none = if call.has(opt::TOKEN) { resp2::NO_SUCH_TOKEN } else { resp2::NOT_UPDATING };
        let target = Target::begun(task, call, |access| access.update, none)?;
        let (token, base) = held(task, call, &target, none)?;
        let record = target.record(call)?;
        let dataset = &target.view.dataset;
        let wait = wait(task, call);
        let control = Arc::clone(&task.control);
        let writing = dataset.rewrite(task.work.changes(), &base, &record, wait);
        let written = control.wait(WaitKind::RecordLock, writing).await?;
        written.map_err(|error| target.view.mode.raise(error))?;
        release(task, &target, token);
        task.files.changed(&target.file, dataset, &task.control);
        Ok(())
    })
}

/// DELETE: of the record that was read for update; or with RIDFLD, of the one with that key; or with GENERIC, of all
/// whose keys begin so.
fn delete<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let target = Target::of(task, call, |access| access.delete).await?;
        check_deletable(call, &target)?;
        let dataset = &target.view.dataset;
        let mode = target.view.mode;
        let wait = wait(task, call);
        let control = Arc::clone(&task.control);
        if !call.has(opt::RIDFLD) {
            let none = if call.has(opt::TOKEN) { resp2::NO_SUCH_TOKEN } else { resp2::NO_KEY };
            let (token, base) = held(task, call, &target, none)?;
            let deleting = dataset.delete(task.work.changes(), &base, wait);
            let deleted = control.wait(WaitKind::RecordLock, deleting).await?;
            deleted.map_err(|error| mode.raise(error))?;
            release(task, &target, token);
            task.files.changed(&target.file, dataset, &task.control);
            return Ok(());
        }
        let wanted = Wanted::read(call, dataset)?;
        // What a generic delete has deleted before it fails stays deleted until the unit of work is backed out.
        task.files.changed(&target.file, dataset, &task.control);
        if wanted.generic {
            let deleting = dataset.delete_generic(task.work.changes(), &wanted.key, wait);
            let count = control.wait(WaitKind::RecordLock, deleting).await?.map_err(|e| mode.raise(e))?;
            return call.put_number(opt::NUMREC, count as i64);
        }
        let deleting = dataset.delete_by_key(task.work.changes(), &wanted.key, wait);
        let found = control.wait(WaitKind::RecordLock, deleting).await?.map_err(|e| mode.raise(e))?;
        dataset.unlock(task.work.changes(), &found.base);
        if found.duplicate { Err(cond::DUPKEY.raise(resp2::DUPLICATE_KEY)) } else { Ok(()) }
    })
}

fn check_deletable(call: &Call<'_>, target: &Target) -> Outcome {
    match target.view.dataset.cluster().organization {
        Organization::EntrySequenced => Err(cond::INVREQ.raise(resp2::NEVER_DELETED)),
        Organization::Relative if call.keyword(opt::GENERIC) => {
            Err(cond::INVREQ.raise(resp2::GENERIC_OF_NO_KSDS))
        }
        _ => Ok(()),
    }
}

/// UNLOCK: nothing held is not an error, an unknown token is.
fn unlock<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let target = Target::of(task, call, |_| true).await?;
        let token = token(call)?;
        if token.is_some() {
            held(task, call, &target, resp2::NO_SUCH_TOKEN)?;
        }
        release(task, &target, token);
        Ok(())
    })
}

/// The record that was read for update: its token, and its key in the cluster.
fn held(task: &Task, call: &Call<'_>, target: &Target, none: i32) -> Outcome<(Option<u32>, vsam::Key)> {
    let token = token(call)?;
    let update = task.files.held(target.file.name, token).ok_or_else(|| cond::INVREQ.raise(none))?;
    Ok((token, update.base.clone()))
}

/// A record is held no longer; its lock is given back, unless it was changed.
pub(super) fn release(task: &mut Task, target: &Target, token: Option<u32>) {
    if let Some(update) = task.files.take(target.file.name, token) {
        update.dataset.unlock(task.work.changes(), &update.base);
    }
    task.files.done_with(&target.file);
}
