//! WRITE, REWRITE, DELETE, UNLOCK.

use std::sync::Arc;

use spec::{cmd, cond, opt};
use vsam::{Key, Organization};

use super::TaskFiles;
use super::arguments::token;
use super::identity::{Identity, Wanted, key_length};
use super::resp2;
use super::tables::{Request, outcome};
use super::target::FileTarget;
use super::traced::answered;
use kernel::exec::{Answers, Call, at_once};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;
use kernel::trial::elsewhere;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::WRITE, at_once!(write)),
    (cmd::REWRITE, at_once!(rewrite)),
    (cmd::DELETE, at_once!(delete)),
    (cmd::UNLOCK, at_once!(unlock)),
];

/// The greatest number that fits NUMREC.
const NUMREC_MAX: u64 = i16::MAX as u64;

/// WRITE: the key in RIDFLD must be the record's; the address of a record in an ESDS comes back in it.
async fn write(task: &mut Task, call: &Call<'_>) -> Outcome {
    let target = FileTarget::of(task, call, |access| access.add).await?;
    target.admits(call, Request::Write)?;
    let dataset = target.dataset();
    let identity = Identity::of(call);
    let given = new_key(call, &target, identity)?;
    stay_whole(&target).await;
    target.admits_key(given.as_deref().unwrap_or_default())?;
    let record = target.record(call)?;
    let wait = target.wait(task, call);
    let control = Arc::clone(&task.control);
    let writing = dataset.write(task.work.changes_in(target.dataset()), given.as_deref(), &record, wait);
    let written = control.wait(target.waits_for(), writing).await?;
    let key = given.as_deref().unwrap_or_default();
    answered(task, &target, "WRITE", key, written.is_ok().then_some(&*record).ok_or(()));
    let written = written.map_err(|error| target.raise(error))?;
    task.kept.part::<TaskFiles>().changed(&target.file, &target.view.opened, &task.control);
    if given.is_none() { identity.put(call, &written) } else { Ok(()) }
}

/// The key of a new record: through a path the alternate one, none for an ESDS.
fn new_key(call: &Call<'_>, target: &FileTarget, identity: Identity) -> Outcome<Option<Key>> {
    let dataset = target.dataset();
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
async fn rewrite(task: &mut Task, call: &Call<'_>) -> Outcome {
    let none = if call.has(opt::TOKEN) { resp2::NO_SUCH_TOKEN } else { resp2::NOT_UPDATING };
    let target = FileTarget::begun(task, call, |access| access.update, none)?;
    let held = held(task, call, &target, none)?;
    let record = target.record(call)?;
    change_held(task, call, &target, held, Some(&record)).await
}

/// DELETE: of the record that was read for update; or with RIDFLD, of the one with that key; or with GENERIC, of all
/// whose keys begin so.
async fn delete(task: &mut Task, call: &Call<'_>) -> Outcome {
    let target = FileTarget::of(task, call, |access| access.delete).await?;
    check_deletable(call, &target)?;
    let dataset = target.dataset();
    if !call.has(opt::RIDFLD) {
        let none = if call.has(opt::TOKEN) { resp2::NO_SUCH_TOKEN } else { resp2::NO_KEY };
        let held = held(task, call, &target, none)?;
        return change_held(task, call, &target, held, None).await;
    }
    target.admits(call, Request::Delete)?;
    let wanted = Wanted::read(call, dataset)?;
    target.admits_key(&wanted.key)?;
    stay_whole(&target).await;
    if wanted.generic {
        // It deletes some records before it waits for others.
        elsewhere().await;
    }
    let wait = target.wait(task, call);
    let control = Arc::clone(&task.control);
    if wanted.generic {
        // What it has deleted before it fails stays deleted until the unit of work is backed out.
        task.kept.part::<TaskFiles>().changed(&target.file, &target.view.opened, &task.control);
        let deleting = dataset.delete_generic(task.work.changes_in(target.dataset()), &wanted.key, wait);
        let count = control.wait(target.waits_for(), deleting).await?;
        answered(task, &target, "DELETE GENERIC", &wanted.key, count.is_ok().then_some(&[][..]).ok_or(()));
        let count = count.map_err(|error| target.raise(error))?;
        return call.put_number(opt::NUMREC, count.min(NUMREC_MAX) as i64);
    }
    let deleting = dataset.delete_by_key(task.work.changes_in(target.dataset()), &wanted.key, wait);
    let found = control.wait(target.waits_for(), deleting).await?;
    answered(task, &target, "DELETE", &wanted.key, found.is_ok().then_some(&[][..]).ok_or(()));
    let found = found.map_err(|error| target.raise(error))?;
    dataset.unlock(task.work.changes_in(target.dataset()), &found.base);
    task.kept.part::<TaskFiles>().changed(&target.file, &target.view.opened, &task.control);
    if found.duplicate { Err(cond::DUPKEY.raise(resp2::DUPLICATE_KEY)) } else { Ok(()) }
}

fn check_deletable(call: &Call<'_>, target: &FileTarget) -> Outcome {
    match target.dataset().cluster().organization {
        Organization::EntrySequenced => Err(cond::INVREQ.raise(resp2::NEVER_DELETED)),
        Organization::Relative if call.keyword(opt::GENERIC) => {
            Err(cond::INVREQ.raise(resp2::GENERIC_OF_NO_KSDS))
        }
        _ => Ok(()),
    }
}

/// UNLOCK: nothing held is not an error, an unknown token is.
async fn unlock(task: &mut Task, call: &Call<'_>) -> Outcome {
    let target = FileTarget::of(task, call, |_| true).await?;
    let token = token(call)?;
    if token.is_some() {
        held(task, call, &target, resp2::NO_SUCH_TOKEN)?;
    }
    release(task, &target, token);
    Ok(())
}

/// A change that takes several locks, one after the other, may wait with some of them in its hands: it is not begun
/// where it could not go on.
async fn stay_whole(target: &FileTarget) {
    if target.dataset().has_unique_indexes() {
        elsewhere().await;
    }
}

/// Checks that a record was read for update; its token, if it has one.
fn held(task: &Task, call: &Call<'_>, target: &FileTarget, none: i32) -> Outcome<Option<u32>> {
    let token = token(call)?;
    let own = task.kept.get::<TaskFiles>();
    match own.and_then(|own| own.held(target.file.name, token)) {
        Some(_) => Ok(token),
        None => Err(cond::INVREQ.raise(none)),
    }
}

/// Rewrites a record that was read for update, or deletes it (`None`). If that fails it stays held, except that under
/// the contention model the slower task must read again.
async fn change_held(
    task: &mut Task,
    call: &Call<'_>,
    target: &FileTarget,
    token: Option<u32>,
    record: Option<&[u8]>,
) -> Outcome {
    stay_whole(target).await;
    let (dataset, kind, wait) = (target.dataset(), target.waits_for(), target.wait(task, call));
    // The caller has seen that it is there.
    let Some(held) = task.kept.part::<TaskFiles>().held(target.file.name, token) else { return Ok(()) };
    if let (Some(table), Some(was)) = (target.contended(), &held.was) {
        let replaced = match (table.check(&held.base, record), table.elsewhere()) {
            (Err(error), _) => Err(error),
            (Ok(()), None) => Ok(table.replace(&held.base, was, record)),
            (Ok(()), Some(shared)) => {
                task.control.wait(kind, shared.replace(dataset.store(), &held.base, was, record)).await?
            }
        };
        let replaced = replaced.map_err(|error| target.raise(error))?;
        release(task, target, token);
        return outcome(replaced);
    }
    let unit = task.work.changes_in(dataset);
    let changed = match record {
        Some(record) => task.control.wait(kind, dataset.rewrite(unit, &held.base, record, wait)).await?,
        None => task.control.wait(kind, dataset.delete(unit, &held.base, wait)).await?,
    };
    let (function, came) = (if record.is_some() { "REWRITE" } else { "DELETE" }, record.unwrap_or_default());
    if task.may_be_detailed() {
        let held = task.kept.get::<TaskFiles>().and_then(|own| own.held(target.file.name, token));
        let key = held.map_or(&[][..], |held| &held.base[..]);
        answered(task, target, function, key, changed.is_ok().then_some(came).ok_or(()));
    }
    changed.map_err(|error| target.raise(error))?;
    task.kept.part::<TaskFiles>().changed(&target.file, &target.view.opened, &task.control);
    // Whether its lock is held any longer is the data set's concern, now that it has changed.
    task.kept.part::<TaskFiles>().take(target.file.name, token);
    task.kept.part::<TaskFiles>().done_with(&target.file);
    Ok(())
}

/// A record is held no longer; its lock is given back, unless it was changed.
pub(super) fn release(task: &mut Task, target: &FileTarget, token: Option<u32>) {
    if let Some(update) = task.kept.part::<TaskFiles>().take(target.file.name, token) {
        target.dataset().unlock(task.work.changes_in(target.dataset()), &update.base);
    }
    task.kept.part::<TaskFiles>().done_with(&target.file);
}
