//! STARTBR, READNEXT, READPREV, RESETBR, ENDBR.
//!
//! A browse is known by its file and REQID. After each READNEXT or READPREV the record's key is in RIDFLD; a program
//! that puts another one there goes on from it.

use std::sync::Arc;

use spec::{cmd, cond, opt};
use vsam::{Browse, Dataset, Found, Key};

use super::arguments::{Wanted, dataset, file, key, put_key, wait};
use super::conditions::raise;
use super::file::File;
use super::read::{DELIVERY, hold};
use super::resp2;
use super::task::{OpenBrowse, Update};
use crate::exec::{Answers, Call, Handler, Waiting};
use crate::name::Name8;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::STARTBR, Handler::Waits(startbr)),
    (cmd::READNEXT, Handler::Waits(readnext)),
    (cmd::READPREV, Handler::Waits(readprev)),
    (cmd::RESETBR, Handler::Waits(resetbr)),
    (cmd::ENDBR, Handler::Waits(endbr)),
];

type BrowseName = (Name8, i64);

/// The file and the browse's name: REQID is 0 where it is left out.
async fn place(task: &mut Task, call: &Call<'_>) -> Outcome<(Arc<File>, Arc<Dataset>, BrowseName)> {
    let file = file(task, call)?;
    let dataset = dataset(task, &file, |access| access.browse).await?;
    let request = call.number(opt::REQID)?.unwrap_or(0);
    let name = (file.name, request);
    Ok((file, dataset, name))
}

/// STARTBR: GTEQ unless EQUAL.
fn startbr<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let (_, dataset, name) = place(task, call).await?;
        if task.files.browses.contains_key(&name) {
            return Err(cond::INVREQ.raise(resp2::BROWSE_EXISTS));
        }
        let wanted = start_key(call, &dataset)?;
        let control = Arc::clone(&task.control);
        let starting = dataset.browse(task.work.changes(), wanted.search());
        let browse = control.wait(WaitKind::File, starting).await?.map_err(raise)?;
        task.files.browses.insert(name, OpenBrowse { browse, seen: wanted.key });
        Ok(())
    })
}

fn start_key(call: &Call<'_>, dataset: &Dataset) -> Outcome<Wanted> {
    let mut wanted = Wanted::read(call, dataset)?;
    wanted.at_least = !call.keyword(opt::EQUAL);
    Ok(wanted)
}

/// RESETBR.
fn resetbr<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let (_, dataset, name) = place(task, call).await?;
        let mut open = take(task, name, resp2::NO_BROWSE_RESET)?;
        let outcome = match start_key(call, &dataset) {
            Err(raise) => Err(raise),
            Ok(wanted) => {
                let control = Arc::clone(&task.control);
                let resetting = open.browse.reset(task.work.changes(), wanted.search());
                let reset = control.wait(WaitKind::File, resetting).await?;
                open.seen = wanted.key;
                reset.map_err(raise)
            }
        };
        task.files.browses.insert(name, open);
        outcome
    })
}

/// ENDBR.
fn endbr<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let (_, _, name) = place(task, call).await?;
        take(task, name, resp2::NO_BROWSE_END).map(drop)
    })
}

fn take(task: &mut Task, name: BrowseName, none: i32) -> Outcome<OpenBrowse> {
    task.files.browses.remove(&name).ok_or_else(|| cond::INVREQ.raise(none))
}

/// Which way a browse goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Next,
    Previous,
}

/// READNEXT.
fn readnext<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(step(task, call, Step::Next))
}

/// READPREV.
fn readprev<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(step(task, call, Step::Previous))
}

async fn step(task: &mut Task, call: &Call<'_>, step: Step) -> Outcome {
    let (file, dataset, name) = place(task, call).await?;
    let none = match step {
        Step::Next => resp2::NO_BROWSE_NEXT,
        Step::Previous => resp2::NO_BROWSE_PREVIOUS,
    };
    let mut open = take(task, name, none)?;
    let outcome = step_in(task, call, &mut open, &dataset, step, file.name).await;
    task.files.browses.insert(name, open);
    outcome
}

async fn step_in(
    task: &mut Task,
    call: &Call<'_>,
    open: &mut OpenBrowse,
    dataset: &Arc<Dataset>,
    step: Step,
    file: Name8,
) -> Outcome {
    reposition(call, open, dataset)?;
    let mut record = Vec::new();
    let found = read(task, &mut open.browse, step, &mut record).await?;
    if call.keyword(opt::UPDATE) || call.has(opt::TOKEN) {
        lock(task, call, dataset, &found, &mut record, file).await?;
    }
    open.seen = found.key.clone();
    put_key(call, &found.key)?;
    call.deliver(&record, DELIVERY, |data| task.hold(data))?;
    if found.duplicate { Err(cond::DUPKEY.raise(resp2::DUPLICATE_KEY)) } else { Ok(()) }
}

/// A key in RIDFLD other than the one that the program has seen is where it goes on.
fn reposition(call: &Call<'_>, open: &mut OpenBrowse, dataset: &Dataset) -> Outcome {
    let full = dataset.key_length();
    let length = match call.number(opt::KEYLENGTH)? {
        None => open.seen.len(),
        Some(n) => usize::try_from(n).map_err(|_| cond::INVREQ.raise(resp2::NEGATIVE_KEY_LENGTH))?,
    };
    if length > full {
        return Err(cond::INVREQ.raise(resp2::KEY_LENGTH));
    }
    let now: Key = key(call, dataset, length)?;
    if now != open.seen {
        open.browse.reposition(&now).map_err(raise)?;
    }
    Ok(())
}

async fn read(task: &mut Task, browse: &mut Browse, step: Step, record: &mut Vec<u8>) -> Outcome<Found> {
    let control = Arc::clone(&task.control);
    let unit = task.work.changes();
    let found = match step {
        Step::Next => control.wait(WaitKind::File, browse.next(unit, record)).await?,
        Step::Previous => control.wait(WaitKind::File, browse.prev(unit, record)).await?,
    };
    found.map_err(|error| match error {
        vsam::Error::Invalid(_) if step == Step::Previous => {
            cond::INVREQ.raise(resp2::BACKWARD_AFTER_GENERIC)
        }
        error => raise(error),
    })
}

/// Browse for update: the record is locked, and read again, since it may have changed before it was.
async fn lock(
    task: &mut Task,
    call: &Call<'_>,
    dataset: &Arc<Dataset>,
    found: &Found,
    record: &mut Vec<u8>,
    file: Name8,
) -> Outcome {
    if !call.has(opt::TOKEN) {
        return Err(Raise::Condition(cond::INVREQ, resp2::NO_SUCH_TOKEN));
    }
    let control = Arc::clone(&task.control);
    let wait = wait(task, call);
    let locking = dataset.read_for_update(task.work.changes(), vsam::Search::equal(&found.key), wait, record);
    let locked = control.wait(WaitKind::RecordLock, locking).await?.map_err(raise)?;
    hold(task, call, Update { file, dataset: Arc::clone(dataset), base: locked.base })
}
