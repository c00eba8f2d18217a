//! READ.

use std::sync::Arc;

use spec::{cmd, cond, opt};
use vsam::{Found, Integrity, Key};

use super::TaskFiles;
use super::identity::Wanted;
use super::resp2;
use super::tables::{Request, Was};
use super::target::FileTarget;
use super::task::Update;
use super::traced::answered;
use kernel::exec::{Answers, Call, at_once};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers = &[(cmd::READ, at_once!(read))];

/// READ. With UPDATE the record is locked, and REWRITE, DELETE or UNLOCK ends that: one at a time for each file unless
/// TOKEN tells them apart.
async fn read(task: &mut Task, call: &Call<'_>) -> Outcome {
    let update = call.keyword(opt::UPDATE) || call.has(opt::TOKEN);
    let allows = |access: super::Access| if update { access.update } else { access.read };
    let target = FileTarget::of(task, call, allows).await?;
    target.admits(call, if update { Request::ReadForUpdate } else { Request::Read })?;
    if update && !call.has(opt::TOKEN) && task.kept.part::<TaskFiles>().is_updating(target.file.name) {
        return Err(cond::INVREQ.raise(resp2::ALREADY_UPDATING));
    }
    let wanted = Wanted::read(call, target.dataset())?;
    target.admits_key(&wanted.key)?;
    let mut record = std::mem::take(&mut task.kept.part::<TaskFiles>().record);
    let duplicate = if update {
        let read = read_for_update(task, call, &target, &wanted, &mut record).await;
        answered(task, &target, "READ UPDATE", &wanted.key, came(&read, &record));
        let (found, was) = read?;
        let (base, duplicate) = found.map_or((wanted.key, false), |found| (found.base, found.duplicate));
        hold(task, call, &target, base, was)?;
        duplicate
    } else {
        let read = read_only(task, call, &target, &wanted, &mut record).await;
        answered(task, &target, "READ", &wanted.key, came(&read, &record));
        read?.is_some_and(|found| found.duplicate)
    };
    let delivered = target.deliver(task, call, &record);
    task.kept.part::<TaskFiles>().record = record;
    delivered?;
    if duplicate { Err(cond::DUPKEY.raise(resp2::DUPLICATE_KEY)) } else { Ok(()) }
}

/// The record, if a read has found one.
fn came<'r, T>(read: &Outcome<T>, record: &'r [u8]) -> Result<&'r [u8], ()> {
    if read.is_ok() { Ok(record) } else { Err(()) }
}

/// The record that was found; `None` if it was asked for by its whole key, since nothing needs to be returned then.
type Said = Option<Box<Found>>;

/// Reads and locks a record; under the contention model nothing is locked, but it is known as it was.
async fn read_for_update(
    task: &mut Task,
    call: &Call<'_>,
    target: &FileTarget,
    wanted: &Wanted,
    record: &mut Vec<u8>,
) -> Outcome<(Said, Option<Was>)> {
    let not_found = || target.raise(vsam::Error::NotFound);
    if let Some(table) = target.contended() {
        let Some(shared) = table.elsewhere() else {
            return Ok((None, Some(table.read(&wanted.key, record).ok_or_else(not_found)?)));
        };
        let reading = shared.read(target.dataset().store(), &wanted.key, record);
        let was =
            task.control.wait(target.waits_for(), reading).await?.map_err(|error| target.raise(error))?;
        return Ok((None, Some(was.ok_or_else(not_found)?)));
    }
    let (dataset, kind, wait) = (target.dataset(), target.waits_for(), target.wait(task, call));
    let unit = task.work.changes_in(dataset);
    if dataset.is_exact(wanted.search()) {
        let reading = dataset.get_for_update(unit, &wanted.key, wait, record);
        let there = task.control.wait(kind, reading).await?.map_err(|error| target.raise(error))?;
        return if there { Ok((None, None)) } else { Err(not_found()) };
    }
    let reading = dataset.read_for_update(unit, wanted.search(), wait, record);
    let found = task.control.wait(kind, reading).await?.map_err(|error| target.raise(error))?;
    Ok((Some(Box::new(found)), None))
}

/// Reads a record; one of a user-maintained table that has not been loaded yet comes from the source.
async fn read_only(
    task: &mut Task,
    call: &Call<'_>,
    target: &FileTarget,
    wanted: &Wanted,
    record: &mut Vec<u8>,
) -> Outcome<Said> {
    let (dataset, kind, integrity) = (target.dataset(), target.waits_for(), target.integrity(call));
    let wait = target.wait(task, call);
    let unit = task.work.changes_in(dataset);
    let found = if integrity == Integrity::Uncommitted && dataset.is_exact(wanted.search()) {
        let there = match dataset.get(unit, &wanted.key, record).now() {
            Ok(there) => there,
            Err(later) => task.control.wait(kind, later).await?,
        };
        there.map_err(vsam::Error::from).and_then(|there| there.then_some(None).ok_or(vsam::Error::NotFound))
    } else {
        let reading = dataset.read_with(unit, wanted.search(), integrity, wait, record);
        task.control.wait(kind, reading).await?.map(|found| Some(Box::new(found)))
    };
    match (found, target.table()) {
        (Err(vsam::Error::NotFound), Some(table)) if table.is_loading() => {
            let bringing = table.bring(task.work.changes(), &wanted.key, record);
            let brought = task.control.wait(WaitKind::FILE, bringing).await?;
            brought.map(|_| None).map_err(|error| target.raise(error))
        }
        (found, _) => found.map_err(|error| target.raise(error)),
    }
}

/// Keeps a record for the REWRITE, DELETE or UNLOCK to come: its token, if it has one.
///
/// # Errors
/// AFCG for a record that the task holds for update already.
pub(super) fn hold(
    task: &mut Task,
    call: &Call<'_>,
    target: &Arc<FileTarget>,
    base: Key,
    was: Option<Was>,
) -> Outcome<Option<u32>> {
    let update = Update { target: Arc::clone(target), base, was };
    if task.kept.part::<TaskFiles>().holds(&update) {
        return Err(Raise::abend("AFCG"));
    }
    task.kept.part::<TaskFiles>().use_file(&target.file, &target.view.opened, &task.control);
    let token = call.has(opt::TOKEN).then(|| task.kept.part::<TaskFiles>().new_token());
    if let Some(token) = token {
        call.put(opt::TOKEN, &token.to_be_bytes())?;
    }
    task.kept.part::<TaskFiles>().keep(token, update);
    Ok(token)
}
