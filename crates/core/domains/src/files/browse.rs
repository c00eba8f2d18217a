//! STARTBR, READNEXT, READPREV, RESETBR, ENDBR.
//!
//! A browse is known by its file and REQID. After each READNEXT or READPREV the record's key is in RIDFLD; a program
//! that puts another one there goes on from it.

use std::sync::Arc;

use records::Direction;
use spec::{cmd, cond, opt};
use tokio::sync::Mutex;
use vsam::{Dataset, Integrity};

use super::TaskFiles;
use super::identity::{Identity, Wanted, key_length};
use super::read::hold;
use super::resp2;
use super::tables::Request;
use super::target::FileTarget;
use super::task::{BrowseName, OpenBrowse};
use super::traced::answered;
use super::update::release;
use kernel::exec::{Answers, Call, at_once};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::STARTBR, at_once!(startbr)),
    (cmd::READNEXT, at_once!(readnext)),
    (cmd::READPREV, at_once!(readprev)),
    (cmd::RESETBR, at_once!(resetbr)),
    (cmd::ENDBR, at_once!(endbr)),
];

/// The browse's name: REQID is 0 where it is left out.
fn name(call: &Call<'_>, target: &FileTarget) -> Outcome<BrowseName> {
    Ok((target.file.name, call.number(opt::REQID)?.unwrap_or(0)))
}

/// STARTBR: GTEQ unless EQUAL.
async fn startbr(task: &mut Task, call: &Call<'_>) -> Outcome {
    let target = FileTarget::of(task, call, |access| access.browse).await?;
    target.admits(call, Request::Browse)?;
    let name = name(call, &target)?;
    if task.kept.part::<TaskFiles>().browse(name).is_some() {
        return Err(cond::INVREQ.raise(resp2::BROWSE_EXISTS));
    }
    let dataset = target.dataset();
    let wanted = start_key(call, dataset)?;
    let control = Arc::clone(&task.control);
    let starting = dataset.browse(task.work.changes_in(target.dataset()), wanted.search());
    let browse = control.wait(target.browse_waits_for(), starting).await?;
    answered(task, &target, "BROWSE", &wanted.key, browse.is_ok().then_some(&[][..]).ok_or(()));
    let browse = browse.map_err(|error| target.raise(error))?;
    let open = OpenBrowse { browse, identity: wanted.identity, seen: wanted.key, token: None };
    task.kept.part::<TaskFiles>().begin_browse(name, open);
    task.kept.part::<TaskFiles>().use_file(&target.file, &target.view.opened, &task.control);
    Ok(())
}

fn start_key(call: &Call<'_>, dataset: &Dataset) -> Outcome<Wanted> {
    let mut wanted = Wanted::read(call, dataset)?;
    wanted.at_least = !call.keyword(opt::EQUAL);
    Ok(wanted)
}

/// RESETBR.
async fn resetbr(task: &mut Task, call: &Call<'_>) -> Outcome {
    let target = FileTarget::begun(task, call, |access| access.browse, resp2::NO_BROWSE_RESET)?;
    target.admits(call, Request::Browse)?;
    let name = name(call, &target)?;
    let browse = browse(task, name, resp2::NO_BROWSE_RESET)?;
    let mut open = browse.lock().await;
    reset_in(task, call, &target, &mut open).await
}

async fn reset_in(task: &mut Task, call: &Call<'_>, target: &FileTarget, open: &mut OpenBrowse) -> Outcome {
    let wanted = start_key(call, target.dataset())?;
    let control = Arc::clone(&task.control);
    let resetting = open.browse.reset(task.work.changes_in(target.dataset()), wanted.search());
    let reset = control.wait(target.browse_waits_for(), resetting).await?;
    (open.seen, open.identity) = (wanted.key, wanted.identity);
    reset.map_err(|error| target.raise(error))
}

/// ENDBR: a record that it was read for update last, and that is untouched, is free again.
async fn endbr(task: &mut Task, call: &Call<'_>) -> Outcome {
    let target = FileTarget::begun(task, call, |access| access.browse, resp2::NO_BROWSE_END)?;
    let name = name(call, &target)?;
    let open = task
        .kept
        .part::<TaskFiles>()
        .end_browse(name)
        .ok_or_else(|| cond::INVREQ.raise(resp2::NO_BROWSE_END))?;
    let token = open.lock().await.token;
    if token.is_some() {
        release(task, &target, token);
    }
    task.kept.part::<TaskFiles>().done_with(&target.file);
    Ok(())
}

/// Returns a browse of the task. No other task has it, so locking it never waits.
fn browse(task: &Task, name: BrowseName, none: i32) -> Outcome<Arc<Mutex<OpenBrowse>>> {
    let own = task.kept.get::<TaskFiles>();
    own.and_then(|own| own.browse(name)).ok_or_else(|| cond::INVREQ.raise(none))
}

/// READNEXT.
async fn readnext(task: &mut Task, call: &Call<'_>) -> Outcome {
    step(task, call, Direction::Forward).await
}

/// READPREV.
async fn readprev(task: &mut Task, call: &Call<'_>) -> Outcome {
    step(task, call, Direction::Backward).await
}

async fn step(task: &mut Task, call: &Call<'_>, direction: Direction) -> Outcome {
    let none = match direction {
        Direction::Forward => resp2::NO_BROWSE_NEXT,
        Direction::Backward => resp2::NO_BROWSE_PREVIOUS,
    };
    let update = is_update(call);
    let target = FileTarget::begun(task, call, |access| access.browse && (access.update || !update), none)?;
    if update && !target.view.mode.rls {
        return Err(cond::INVREQ.raise(resp2::UPDATE_WITHOUT_RLS));
    }
    target.admits(call, Request::Browse)?;
    let name = name(call, &target)?;
    let browse = browse(task, name, none)?;
    let mut open = browse.lock().await;
    step_in(task, call, &target, &mut open, direction).await
}

fn is_update(call: &Call<'_>) -> bool {
    call.keyword(opt::UPDATE) || call.has(opt::TOKEN)
}

/// One step. With UPDATE the record is locked, until the program has changed it, unlocks it, or goes on.
async fn step_in(
    task: &mut Task,
    call: &Call<'_>,
    target: &Arc<FileTarget>,
    open: &mut OpenBrowse,
    direction: Direction,
) -> Outcome {
    if Identity::of(call) != open.identity {
        return Err(cond::INVREQ.raise(resp2::IDENTITY_CHANGED));
    }
    if open.browse.is_generic() && direction == Direction::Backward {
        return Err(cond::INVREQ.raise(resp2::BACKWARD_IN_GENERIC));
    }
    let update = is_update(call);
    if update && !call.has(opt::TOKEN) {
        return Err(cond::INVREQ.raise(resp2::NO_SUCH_TOKEN));
    }
    reposition(call, target, open)?;
    if let Some(token) = open.token.take() {
        release(task, target, Some(token));
    }
    let integrity = if update { Integrity::Repeatable } else { target.integrity(call) };
    let wait = target.wait(task, call);
    let control = Arc::clone(&task.control);
    let mut record = Vec::new();
    let stepping = open.browse.step_with(
        task.work.changes_in(target.dataset()),
        direction,
        integrity,
        wait,
        &mut record,
    );
    let found = control.wait(target.waits_for(), stepping).await?;
    let function = if direction == Direction::Forward { "READNEXT" } else { "READPREV" };
    let key = found.as_ref().map_or(&[][..], |found| &found.key[..]);
    answered(task, target, function, key, found.is_ok().then_some(&record[..]).ok_or(()));
    let found = found.map_err(|error| target.raise(error))?;
    if update {
        open.token = hold(task, call, target, found.base, None)?;
    }
    open.identity.put(call, &found.key)?;
    open.seen = found.key;
    target.deliver(task, call, &record)?;
    if found.duplicate { Err(cond::DUPKEY.raise(resp2::DUPLICATE_KEY)) } else { Ok(()) }
}

/// A key in RIDFLD other than the one that the program has seen is where it goes on.
fn reposition(call: &Call<'_>, target: &FileTarget, open: &mut OpenBrowse) -> Outcome {
    let full = target.dataset().key_length();
    let length = key_length(call)?.unwrap_or(open.seen.len());
    if length > full {
        return Err(cond::INVREQ.raise(resp2::KEY_LENGTH));
    }
    let now = open.identity.read(call, length)?;
    if now != open.seen {
        open.browse.reposition(&now).map_err(|error| target.raise(error))?;
    }
    Ok(())
}
