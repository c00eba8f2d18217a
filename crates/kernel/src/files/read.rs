//! READ.

use std::sync::Arc;

use spec::{cmd, cond, opt};

use super::arguments::{Target, wait};
use super::identity::Wanted;
use super::resp2;
use super::task::Update;
use crate::exec::{Answers, Call, Handler, Waiting};
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers = &[(cmd::READ, Handler::Waits(read))];

/// READ. With UPDATE the record is locked, and REWRITE, DELETE or UNLOCK ends that: one at a time for each file unless
/// TOKEN tells them apart.
fn read<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let update = call.keyword(opt::UPDATE) || call.has(opt::TOKEN);
        let allows = |access: super::Access| if update { access.update } else { access.read };
        let target = Target::of(task, call, allows).await?;
        if update && !call.has(opt::TOKEN) && task.files.updates.contains_key(&target.file.name) {
            return Err(cond::INVREQ.raise(resp2::ALREADY_UPDATING));
        }
        let wanted = Wanted::read(call, &target.view.dataset)?;
        let wait = wait(task, call);
        let mode = target.view.mode;
        let dataset = &target.view.dataset;
        let mut record = Vec::new();
        let control = Arc::clone(&task.control);
        let unit = task.work.changes();
        let found = if update {
            let reading = dataset.read_for_update(unit, wanted.search(), wait, &mut record);
            let found = control.wait(WaitKind::RecordLock, reading).await?.map_err(|e| mode.raise(e))?;
            hold(task, call, &target, found.base.clone())?;
            found
        } else {
            let integrity = target.integrity(call);
            let reading = dataset.read_with(unit, wanted.search(), integrity, wait, &mut record);
            control.wait(WaitKind::RecordLock, reading).await?.map_err(|e| mode.raise(e))?
        };
        target.deliver(task, call, &record)?;
        if found.duplicate { Err(cond::DUPKEY.raise(resp2::DUPLICATE_KEY)) } else { Ok(()) }
    })
}

/// Keeps a record for the REWRITE, DELETE or UNLOCK to come: its token, if it has one.
///
/// # Errors
/// AFCG for a record that the task holds for update already.
pub(super) fn hold(
    task: &mut Task,
    call: &Call<'_>,
    target: &Target,
    base: vsam::Key,
) -> Outcome<Option<u32>> {
    let update = Update { file: target.file.name, dataset: Arc::clone(&target.view.dataset), base };
    if task.files.holds(&update) {
        return Err(Raise::abend("AFCG"));
    }
    task.files.use_file(&target.file, &target.view.dataset, &task.control);
    if call.has(opt::TOKEN) {
        let token = task.files.keep(update);
        call.put(opt::TOKEN, &token.to_be_bytes())?;
        return Ok(Some(token));
    }
    task.files.updates.insert(update.file, update);
    Ok(None)
}
