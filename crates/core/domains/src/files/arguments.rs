//! The common part of the file commands: the file, the mode of the request, the wait, the record.

use std::sync::Arc;
use std::time::Duration;

use records::Wait;
use spec::{cond, opt};
use vsam::{Dataset, Integrity, Organization};

use super::TaskFiles;
use super::definition::{Access, Mode, RemoteFile};
use super::file::{File, View};
use super::registry::NotOpened;
use super::resp2;
use super::tables::{DataTable, Request, TableKind};
use crate::files::Files;
use kernel::exec::call::{Bytes, Delivery};
use kernel::exec::{Call, leads};
use kernel::lines::often;
use kernel::meters::UsedKind;
use kernel::name::{Name, Name8};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::{Task, WaitKind};

/// The longest record that a program can give or take: lengths are halfwords.
const RECORD_LENGTH_MAX: usize = 32_767;

/// The rules by which records are delivered; excess bytes are cut off.
const DELIVERY: Delivery = Delivery::PLAIN.resp2(resp2::AREA_TOO_SMALL);

/// The file of a command, as it finds it.
pub(super) struct FileTarget {
    pub file: Arc<File>,
    pub view: View,
}

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
        let target = match edition.known(name) {
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
                    Files::of(&task.region).edition().remember(&target, number);
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
        let known = Files::of(&task.region).edition().known(name);
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

    fn check(&self, call: &Call<'_>, allows: impl Fn(Access) -> bool) -> Outcome {
        if !allows(self.view.access) {
            return Err(cond::INVREQ.raise(resp2::NOT_ALLOWED));
        }
        self.check_mode(call)
    }

    fn mode(&self) -> Mode {
        self.view.mode
    }

    fn check_mode(&self, call: &Call<'_>) -> Outcome {
        if self.mode().rls {
            return Ok(());
        }
        let only_rls = [
            (opt::CONSISTENT, resp2::CONSISTENT_WITHOUT_RLS),
            (opt::REPEATABLE, resp2::REPEATABLE_WITHOUT_RLS),
            (opt::NOSUSPEND, resp2::NOSUSPEND_WITHOUT_RLS),
        ];
        match only_rls.iter().find(|(option, _)| call.keyword(*option)) {
            Some((_, resp2)) => Err(cond::INVREQ.raise(*resp2)),
            None => Ok(()),
        }
    }

    /// The read integrity that a command asks for, or the file's.
    pub fn integrity(&self, call: &Call<'_>) -> Integrity {
        match self.mode() {
            _ if call.keyword(opt::UNCOMMITTED) => Integrity::Uncommitted,
            _ if call.keyword(opt::CONSISTENT) => Integrity::Consistent,
            _ if call.keyword(opt::REPEATABLE) => Integrity::Repeatable,
            Mode { rls: true, integrity, .. } => integrity,
            _ => Integrity::Uncommitted,
        }
    }

    /// Returns the kind of wait of a command for a record that another has.
    pub fn waits_for(&self) -> WaitKind {
        match self.mode().rls {
            _ if self.dataset().is_shared() => WaitKind::RECORD_SERVER,
            true => WaitKind::RECORD_LOCK,
            false => WaitKind::RECORD_ENQUEUE,
        }
    }

    /// Returns the kind of wait of a command that looks for the place of a browse.
    pub fn browse_waits_for(&self) -> WaitKind {
        if self.dataset().is_shared() { WaitKind::RECORD_SERVER } else { WaitKind::FILE }
    }

    /// Returns the longest wait of a command for a record: DTIMOUT; in RLS mode without one, FTIMEOUT.
    pub fn wait(&self, task: &Task, call: &Call<'_>) -> Wait {
        let seconds = match task.transaction.deadlock_timeout_s {
            _ if call.keyword(opt::NOSUSPEND) => return Wait::No,
            0 if self.mode().rls => task.region.options.file_timeout_s,
            0 => return Wait::Forever,
            seconds => seconds,
        };
        Wait::AtMost(Duration::from_secs(seconds.into()))
    }

    /// The record of a command: FROM, with LENGTH or whole. A fixed-length file takes no other length.
    pub fn record(&self, call: &Call<'_>) -> Outcome<Bytes> {
        if !call.has(opt::LENGTH) && call.size(opt::FROM) == 0 {
            return Err(cond::LENGERR.raise(resp2::NO_LENGTH));
        }
        let length = call.number(opt::LENGTH)?.unwrap_or_else(|| call.size(opt::FROM) as i64);
        let too_long = || cond::LENGERR.raise(resp2::RECORD_TOO_LONG);
        let longest = self.longest();
        let length = usize::try_from(length).ok().filter(|length| *length <= longest.min(RECORD_LENGTH_MAX));
        let length = length.ok_or_else(too_long)?;
        if self.is_fixed() && length != longest {
            return Err(cond::LENGERR.raise(resp2::LENGTH_NOT_FIXED));
        }
        Ok(call.bytes_of(opt::FROM, length)?.unwrap_or_default())
    }

    /// Gives a record to the program.
    ///
    /// # Errors
    /// LENGERR for one that does not fit, which is cut; and for a length that a fixed-length file never has.
    pub fn deliver(&self, task: &mut Task, call: &Call<'_>, record: &[u8]) -> Outcome {
        // Only records of one length make the length that was given a mistake.
        let checked = self.mode().fixed && call.has(opt::INTO);
        let given = if checked { call.number(opt::LENGTH)? } else { None };
        let shown = &record[..record.len().min(RECORD_LENGTH_MAX)];
        call.deliver(shown, DELIVERY, |data| task.hold(data))?;
        if shown.len() < record.len() {
            return Err(cond::LENGERR.raise(resp2::AREA_TOO_SMALL));
        }
        if given.is_some_and(|length| length != record.len() as i64) {
            return Err(cond::LENGERR.raise(resp2::LENGTH_NEVER_READ));
        }
        Ok(())
    }

    /// The file's data set.
    pub fn dataset(&self) -> &Arc<Dataset> {
        &self.view.opened.dataset
    }

    /// The file's table, if it is one with rules of its own.
    pub fn table(&self) -> Option<&Arc<DataTable>> {
        self.view.opened.table.as_ref()
    }

    /// Returns success if the file's table allows the request now.
    ///
    /// # Errors
    /// INVREQ, LOADING.
    pub fn admits(&self, call: &Call<'_>, request: Request) -> Outcome {
        self.table().map_or(Ok(()), |table| table.admits(call, request))
    }

    /// Returns success if the file's table has already loaded the part in which a record with this key would be.
    ///
    /// # Errors
    /// LOADING.
    pub fn admits_key(&self, key: &[u8]) -> Outcome {
        self.table().map_or(Ok(()), |table| table.admits_key(key))
    }

    /// Returns the file's table, if a change to it is made only if no other task was faster.
    pub fn contended(&self) -> Option<&DataTable> {
        self.table().map(|table| &**table).filter(|table| table.is_contended())
    }

    /// The condition or abend for an error of the file's data set or table.
    pub fn raise(&self, error: vsam::Error) -> Raise {
        match error {
            vsam::Error::Engine(records::Error::Limit(_)) if self.table().is_some() => {
                cond::NOSPACE.raise(resp2::TABLE_FULL)
            }
            vsam::Error::Engine(records::Error::Lost(why))
                if self.table().is_some_and(|table| table.elsewhere().is_some()) =>
            {
                often!(error, target: "FC", "file {}: {why}", self.file.name);
                cond::SYSIDERR.raise(resp2::NO_POOL)
            }
            error => self.view.mode.raise(error),
        }
    }

    fn longest(&self) -> usize {
        self.dataset().cluster().maximum
    }

    fn is_fixed(&self) -> bool {
        let cluster = self.dataset().cluster();
        self.mode().fixed
            || cluster.organization == Organization::Relative && cluster.average == cluster.maximum
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
