//! The file of a command: its data set or table, the mode of the request, the wait, the record.

use std::sync::Arc;
use std::time::Duration;

use records::Wait;
use spec::{cond, opt};
use vsam::{Dataset, Integrity, Organization};

use super::attributes::{Access, Mode};
use super::file::{File, View};
use super::resp2;
use super::tables::{DataTable, Request};
use kernel::exec::Call;
use kernel::exec::call::{Bytes, Delivery};
use kernel::lines::often;
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

impl FileTarget {
    pub fn check(&self, call: &Call<'_>, allows: impl Fn(Access) -> bool) -> Outcome {
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
