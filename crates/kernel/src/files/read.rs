//! READ.

use std::sync::Arc;

use spec::{cmd, cond, opt};

use super::arguments::{Wanted, dataset, file, wait};
use super::conditions::raise;
use super::resp2;
use super::task::Update;
use crate::exec::call::Delivery;
use crate::exec::{Answers, Call, Handler, Waiting};
use crate::raise::{Outcome, RaiseCondition};
use crate::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers = &[(cmd::READ, Handler::Waits(read))];

/// Where records go; what does not fit is cut.
pub(super) const DELIVERY: Delivery = Delivery::PLAIN.resp2(resp2::AREA_TOO_SMALL);

/// READ. With UPDATE the record is locked, and REWRITE, DELETE or UNLOCK ends that: one at a time for each file unless
/// TOKEN tells them apart.
fn read<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let file = file(task, call)?;
        let update = call.keyword(opt::UPDATE) || call.has(opt::TOKEN);
        let dataset =
            dataset(task, &file, if update { |access| access.update } else { |access| access.read }).await?;
        if update && !call.has(opt::TOKEN) && task.files.updates.contains_key(&file.name) {
            return Err(cond::INVREQ.raise(resp2::ALREADY_UPDATING));
        }
        let wanted = Wanted::read(call, &dataset)?;
        let mut record = Vec::new();
        let control = Arc::clone(&task.control);
        let found = if update {
            let wait = wait(task, call);
            let reading = dataset.read_for_update(task.work.changes(), wanted.search(), wait, &mut record);
            let found = control.wait(WaitKind::RecordLock, reading).await?.map_err(raise)?;
            let update = Update { file: file.name, dataset, base: found.base.clone() };
            hold(task, call, update)?;
            found
        } else {
            let reading = dataset.read(task.work.changes(), wanted.search(), &mut record);
            control.wait(WaitKind::File, reading).await?.map_err(raise)?
        };
        call.deliver(&record, DELIVERY, |data| task.hold(data))?;
        if found.duplicate { Err(cond::DUPKEY.raise(resp2::DUPLICATE_KEY)) } else { Ok(()) }
    })
}

/// Keeps a record for the REWRITE, DELETE or UNLOCK to come.
pub(super) fn hold(task: &mut Task, call: &Call<'_>, update: Update) -> Outcome {
    if call.has(opt::TOKEN) {
        let token = task.files.keep(update);
        return call.put(opt::TOKEN, &token.to_be_bytes());
    }
    task.files.updates.insert(update.file, update);
    Ok(())
}
