//! The file that a command names: found, opened by its first use, or on another system.

use std::sync::Arc;

use spec::{cond, opt};

use super::attributes::{Access, RemoteFile, TableKind};
use super::file::{File, View};
use super::found::{known, remember};
use super::registry::NotOpened;
use super::target::FileTarget;
use super::{Files, TaskFiles, resp2};
use kernel::exec::{Call, leads};
use kernel::lines::often;
use kernel::meters::UsedKind;
use kernel::name::{Name, Name8};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::{Task, WaitKind};

/// The command in hand uses a file.
#[inline]
fn uses(task: &mut Task, file: &File) {
    task.uses(&file.requests);
    begins_use(task, file);
}

/// The records of the resource class tell its times from here on.
#[inline]
fn begins_use(task: &mut Task, file: &File) {
    task.begins_use(UsedKind::File, file.name.as_bytes());
}

impl FileTarget {
    /// The file of a command, if it is usable and allows what is asked for.
    ///
    /// Order of checks: region, file, its state, what it allows, what only files in RLS mode can do.
    pub async fn of(task: &mut Task, call: &Call<'_>, allows: impl Fn(Access) -> bool) -> Outcome<Arc<Self>> {
        let name = file_name(task, call)?;
        let edition = Files::of(&task.region).edition();
        let target = match known(edition, name) {
            Some(known) => {
                begins_use(task, &known.file);
                known
            }
            None => {
                let number = edition.number();
                let file = find(task, name)?;
                if let Some(remote) = file.remote {
                    return Err(elsewhere(task, call, remote));
                }
                // The wait for a data set that is not open yet is the file's.
                begins_use(task, &file);
                let view = view(task, &file).await?;
                let target = Arc::new(Self { file, view });
                // One that the task may use only because it has begun to is looked at again every time.
                if matches!(target.file.view(), Ok(Some(_))) {
                    remember(Files::of(&task.region).edition(), &target, number);
                }
                target
            }
        };
        task.uses(&target.file.requests);
        target.check(call, allows)?;
        Ok(target)
    }

    /// The same for a command that goes on with what the task has begun, whatever has become of the file since. Where
    /// nothing was begun it is INVREQ, with the RESP2 of that.
    pub fn begun(
        task: &mut Task,
        call: &Call<'_>,
        allows: impl Fn(Access) -> bool,
        none: i32,
    ) -> Outcome<Arc<Self>> {
        let name = file_name(task, call)?;
        let known = known(Files::of(&task.region).edition(), name);
        if let Some(target) =
            known.filter(|target| task.kept.part::<TaskFiles>().in_use(&target.file).is_some())
        {
            uses(task, &target.file);
            target.check(call, allows)?;
            return Ok(target);
        }
        let file = find(task, name)?;
        if let Some(remote) = file.remote {
            return Err(elsewhere(task, call, remote));
        }
        match task.kept.part::<TaskFiles>().in_use(&file) {
            Some(used) => {
                let view = file.view_in_use(&used.opened);
                let target = Arc::new(Self { file, view });
                uses(task, &target.file);
                target.check(call, allows)?;
                Ok(target)
            }
            None if !allows(file.attribute(|attributes| attributes.access)) => {
                Err(cond::INVREQ.raise(resp2::NOT_ALLOWED))
            }
            None => Err(cond::INVREQ.raise(none)),
        }
    }
}

/// The name of a command's file. EIBDS and EIBRSRCE show it, also if there is none of that name.
fn file_name(task: &mut Task, call: &Call<'_>) -> Outcome<Name8> {
    let name: Option<Name8> = call.name(opt::FILE)?;
    let name = match name {
        Some(name) => name,
        None => call.need_name(opt::DATASET)?,
    };
    task.level_mut().eib.set_dataset(name);
    let system: Option<Name<4>> = call.name(opt::SYSID)?;
    if system.is_some_and(|system| system != task.region.options.sysid) {
        return Err(leads(task, call, system.unwrap_or_default(), None, NOBODY_THERE));
    }
    Ok(name)
}

/// The outcome of a command on a file of another system that cannot be asked.
const NOBODY_THERE: Raise = Raise::Condition(cond::SYSIDERR, resp2::NO_SUCH_SYSTEM);

fn find(task: &Task, name: Name8) -> Outcome<Arc<File>> {
    Files::of(&task.region).get(name).ok_or_else(|| cond::FILENOTFOUND.raise(resp2::FILE_NOT_DEFINED))
}

/// A command on a file that is defined as one of another system.
#[cold]
fn elsewhere(task: &mut Task, call: &Call<'_>, remote: RemoteFile) -> Raise {
    let option = if call.has(opt::FILE) { opt::FILE } else { opt::DATASET };
    leads(task, call, remote.system, Some((option, remote.name.trimmed())), NOBODY_THERE)
}

/// The file's state for this task: one that uses the file goes on, others need it enabled. Its first use opens it.
async fn view(task: &Task, file: &Arc<File>) -> Outcome<View> {
    let refused = match file.view() {
        Ok(Some(view)) => return Ok(view),
        Ok(None) => None,
        Err(raise) => Some(raise),
    };
    let own = task.kept.get::<TaskFiles>();
    match (own.and_then(|own| own.in_use(file)), refused) {
        (Some(used), _) => return Ok(file.view_in_use(&used.opened)),
        (None, Some(raise)) => return Err(raise),
        (None, None) => {}
    }
    let region = &task.region;
    let opened = task.wait(WaitKind::FILE, Files::of(region).open(file, region)).await?;
    let opened = opened.map_err(|error| {
        often!(error, target: "FC", "file {}: {} cannot be opened: {error}", file.name, file.dataset_name());
        let is_lost = matches!(error, NotOpened::Dataset(vsam::Error::Engine(records::Error::Lost(_))));
        match file.attribute(|attributes| attributes.table.kind) {
            TableKind::Coupling if is_lost => cond::SYSIDERR.raise(resp2::NO_POOL),
            _ => cond::NOTOPEN.raise(resp2::NOT_OPEN),
        }
    })?;
    Ok(file.view_in_use(&opened))
}

/// TOKEN as the program gives it back.
pub(super) fn token(call: &Call<'_>) -> Outcome<Option<u32>> {
    let bytes = call.bytes_of(opt::TOKEN, size_of::<u32>())?;
    Ok(bytes.and_then(|bytes| bytes.as_slice().try_into().ok()).map(u32::from_be_bytes))
}
