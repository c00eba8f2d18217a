//! The files of one program's run: each statement answered with a FILE STATUS.

use std::collections::HashMap;

use access::{Client, Request};
use datasets::{File, Shape};

use crate::control::{FileControl, FileOperation, FileOrganization, OpenMode};
use crate::data_set::{DataSetFile, Outcome};
use crate::dd::{Dd, Dds, Sequential};
use crate::plain::{Plain, Printer};
use crate::status::Status;

/// Changes after which there is a commit even while a record is read for update.
const CHANGES_MAX: u64 = 1000;
/// The same for bytes of changed records: half of a unit of work's limit, unless set otherwise.
const BYTES_MAX: usize = 8 << 20;

/// A statement about a file: what it says, and where the answer goes.
pub(crate) trait Statement {
    /// Reason why the program's storage cannot be reached.
    type Fault;

    /// Requested operation.
    fn operation(&self) -> FileOperation;
    /// The program's description of the file.
    fn control(&self) -> Result<FileControl, Self::Fault>;
    /// The record area.
    fn record(&self, control: &FileControl) -> Result<Vec<u8>, Self::Fault>;
    /// A record for the record area, cut to the longest one.
    fn set_record(&self, control: &FileControl, record: &[u8]) -> Result<(), Self::Fault>;
    /// FILE STATUS.
    fn set_status(&self, status: [u8; 2]) -> Result<(), Self::Fault>;
    /// Notes the mode in which the file is open, and the handle that is kept with it.
    fn set_open(&self, mode: Option<OpenMode>, handle: u64) -> Result<(), Self::Fault>;
    /// RELATIVE KEY.
    fn set_relative_key(&self, number: u64) -> Result<(), Self::Fault>;
}

/// The reason why a program does not go on behind a statement about a file.
pub(crate) enum Halt<F> {
    /// Its storage cannot be reached.
    Storage(F),
    /// Its changes cannot be kept: the completion code, and the reason.
    Lost(Loss),
}

impl<F> From<F> for Halt<F> {
    fn from(fault: F) -> Self {
        Self::Storage(fault)
    }
}

/// Changes that are not kept: the completion code of the program, and the reason.
pub(crate) type Loss = (&'static str, String);

/// The abend of a program whose changes could not be committed.
const COMMIT_ABEND: &str = "S0F4";
/// The abend of a program that ends with records that could not be written, for want of room or for another reason.
const NO_ROOM_ABEND: &str = "SB37";
const WRITE_ABEND: &str = "S001";

/// An open file.
enum Open {
    DataSet(Box<DataSetFile>),
    Plain(Box<Plain>),
    /// OPTIONAL, and not there: it is at its end.
    Absent {
        read: bool,
    },
}

impl Open {
    /// Returns true if it is a data set that never had records.
    fn was_absent(&self) -> bool {
        matches!(self, Self::DataSet(file) if file.was_absent())
    }
}

/// The files of a run.
pub(crate) struct Files<'a> {
    client: &'a mut Client,
    dds: &'a Dds,
    open: HashMap<u64, Open>,
    next_handle: u64,
    /// Changes between two commits; 0: only where the program says so or a file is closed.
    commit_every: u64,
    changes: u64,
    /// Bytes of the records that were changed.
    bytes: usize,
    /// A data set was opened: there is a unit of work to end.
    has_unit: bool,
    /// The changes that CLOSE could not keep, though the program went on.
    loss: Option<Loss>,
}

impl<'a> Files<'a> {
    pub fn new(client: &'a mut Client, dds: &'a Dds, commit_every: u64) -> Self {
        Self {
            client,
            dds,
            open: HashMap::new(),
            next_handle: 1,
            commit_every,
            changes: 0,
            bytes: 0,
            has_unit: false,
            loss: None,
        }
    }

    /// The way to the region's data.
    pub fn client(&mut self) -> &mut Client {
        self.client
    }

    /// Answers a statement. `log` takes the reason of one that failed, where its FILE STATUS does not tell it.
    pub fn answer<S: Statement>(
        &mut self,
        call: &S,
        print: Printer<'_>,
        log: &mut dyn FnMut(String),
    ) -> Result<(), Halt<S::Fault>> {
        let control = call.control()?;
        let status = match self.carry_out(call, &control, print)? {
            Ok(status) => status,
            Err((status, why)) => {
                // What programs expect, they deal with.
                if !why.is_empty() && matches!(status.0[0], b'3' | b'9') {
                    let status = String::from_utf8_lossy(&status.0).into_owned();
                    log(format!("{}: file status {status}: {why}", control.name));
                }
                status
            }
        };
        call.set_status(status.0)?;
        self.commit_if_due().map_err(Halt::Lost)
    }

    fn carry_out<S: Statement>(
        &mut self,
        call: &S,
        control: &FileControl,
        print: Printer<'_>,
    ) -> Result<Outcome, S::Fault> {
        match call.operation() {
            FileOperation::Open(mode) => self.open_file(call, control, mode),
            FileOperation::Close => self.close_file(call, control),
            FileOperation::ReadNext | FileOperation::ReadPrevious | FileOperation::Read => {
                self.read(call, control)
            }
            FileOperation::Start(relation) => {
                let record = call.record(control)?;
                Ok(match self.open.get_mut(&control.handle) {
                    Some(Open::DataSet(file)) => file.start(self.client, control, &record, relation),
                    Some(Open::Absent { .. }) => Err((Status::NOT_FOUND, String::new())),
                    _ => Err((Status::NOT_INPUT, String::new())),
                })
            }
            FileOperation::Write => self.write(call, control, print),
            FileOperation::Rewrite | FileOperation::Delete => self.change(call, control),
        }
    }

    fn open_file<S: Statement>(
        &mut self,
        call: &S,
        control: &FileControl,
        mode: OpenMode,
    ) -> Result<Outcome, S::Fault> {
        if self.open.contains_key(&control.handle) {
            return Ok(Err((Status::OPEN_ALREADY, String::new())));
        }
        let made = control.optional && self.makes(control, mode);
        let (open, status) = match self.opened(control, mode) {
            Ok(open) => {
                let absent = made || (control.optional && mode != OpenMode::Output && open.was_absent());
                (open, if absent { Status::OPTIONAL_ABSENT } else { Status::DONE })
            }
            Err((Status::ABSENT | Status::NO_DD, _)) if control.optional && mode == OpenMode::Input => {
                (Open::Absent { read: false }, Status::OPTIONAL_ABSENT)
            }
            Err(refused) => return Ok(Err(refused)),
        };
        let handle = self.next_handle;
        self.next_handle += 1;
        self.open.insert(handle, open);
        call.set_open(Some(mode), handle)?;
        Ok(Ok(status))
    }

    /// Makes a sequential file that is OPTIONAL, is not there, and may be written behind its end.
    fn makes(&self, control: &FileControl, mode: OpenMode) -> bool {
        let Some(files) = self.dds.of(&control.name).and_then(Dd::files) else { return false };
        let absent = matches!(mode, OpenMode::InputOutput | OpenMode::Extend) && Plain::is_absent(&files);
        let make = |file: &File| file.write(control.lengths.1, false)?.finish();
        absent && files.first().is_some_and(|file| make(file).is_ok())
    }

    fn opened(&mut self, control: &FileControl, mode: OpenMode) -> Outcome<Open> {
        let sequential =
            matches!(control.organization, FileOrganization::Sequential | FileOrganization::LineSequential);
        match self.dds.of(&control.name) {
            Some(Dd::DataSet(name)) => {
                self.has_unit = true;
                let file = DataSetFile::open(self.client, name, mode, control)?;
                Ok(Open::DataSet(Box::new(file)))
            }
            Some(Dd::Library(name)) => {
                Err((Status::MODE, format!("{name} is a library: a member of it is read and written")))
            }
            Some(Dd::Files(_) | Dd::Sequential(_) | Dd::Printed) if !sequential => {
                Err((Status::CONFLICT, "its DD statement is a file, not a data set".into()))
            }
            Some(Dd::Files(files)) => {
                Plain::open(files, mode, control, false).map(|file| Open::Plain(Box::new(file)))
            }
            Some(Dd::Sequential(sequential)) => self.open_sequential(sequential, mode, control),
            Some(Dd::Printed) if matches!(mode, OpenMode::Output | OpenMode::Extend) => {
                Ok(Open::Plain(Box::new(Plain::Printing)))
            }
            Some(Dd::Printed) => Err((Status::MODE, "what is printed cannot be read".into())),
            None => {
                let status = if sequential { Status::ABSENT } else { Status::NO_DD };
                Err((status, "there is no DD statement of this name".into()))
            }
        }
    }

    /// Opens a data set of the catalogue; one that is written for the first time takes its form from the program.
    fn open_sequential(
        &mut self,
        sequential: &'a Sequential,
        mode: OpenMode,
        control: &FileControl,
    ) -> Outcome<Open> {
        if let (Some(member), OpenMode::Input | OpenMode::InputOutput) = (&sequential.absent_member, mode)
            && Plain::is_absent(std::slice::from_ref(&sequential.file))
        {
            return Err((Status::ABSENT, format!("the member {member} is not there")));
        }
        if matches!(mode, OpenMode::Output | OpenMode::Extend) {
            let shape = match control.variable {
                true => Shape::Variable,
                false => Shape::Fixed(Some(control.lengths.1 + usize::from(sequential.control))),
            };
            let settled = sequential.settle(shape, self.client);
            settled.map_err(|error| (Status::from(&error), error.to_string()))?;
        }
        let file = sequential.shaped();
        let file = Plain::open(std::slice::from_ref(&file), mode, control, sequential.control)?;
        Ok(Open::Plain(Box::new(file)))
    }

    fn close_file<S: Statement>(&mut self, call: &S, control: &FileControl) -> Result<Outcome, S::Fault> {
        let Some(open) = self.open.remove(&control.handle) else {
            return Ok(Err((Status::NOT_OPEN, String::new())));
        };
        call.set_open(None, 0)?;
        Ok(self.close(open))
    }

    fn close(&mut self, open: Open) -> Outcome {
        match open {
            Open::DataSet(file) => {
                file.close_handles(self.client);
                drop(file);
                if let Err(error) = self.commit() {
                    self.lost(COMMIT_ABEND, format!("the commit failed: {error}"));
                    return Err((Status::from(&error), error.to_string()));
                }
            }
            Open::Plain(file) => {
                if let Err((status, why)) = file.close() {
                    let code = if status == Status::FULL { NO_ROOM_ABEND } else { WRITE_ABEND };
                    self.lost(code, why.clone());
                    return Err((status, why));
                }
            }
            Open::Absent { .. } => {}
        }
        Ok(Status::DONE)
    }

    fn read<S: Statement>(&mut self, call: &S, control: &FileControl) -> Result<Outcome, S::Fault> {
        let operation = call.operation();
        let record = call.record(control)?;
        let found = match self.open.get_mut(&control.handle) {
            Some(Open::DataSet(file)) if operation == FileOperation::Read => {
                file.read(self.client, control, &record).map(|found| (file.number_of(&found), found))
            }
            Some(Open::DataSet(file)) => {
                let backward = operation == FileOperation::ReadPrevious;
                file.read_on(self.client, backward).map(|found| (file.number_of(&found), found))
            }
            Some(Open::Plain(file)) => {
                return match file.read() {
                    Ok(record) => Self::put(call, control, &record, false),
                    Err(refused) => Ok(Err(refused)),
                };
            }
            Some(Open::Absent { .. }) if operation == FileOperation::Read => {
                Err((Status::NOT_FOUND, String::new()))
            }
            Some(Open::Absent { read }) => {
                let first = !std::mem::replace(read, true);
                Err((if first { Status::AT_END } else { Status::NO_PLACE }, String::new()))
            }
            None => Err((Status::NOT_INPUT, String::new())),
        };
        match found {
            Ok((number, found)) => {
                if let Some(number) = number {
                    call.set_relative_key(number)?;
                }
                // Only by an alternate key several records can be found.
                let duplicate = found.duplicate && control.key_of_reference > 0;
                Self::put(call, control, &found.record, duplicate)
            }
            Err(refused) => Ok(Err(refused)),
        }
    }

    /// Gives a record to the program.
    fn put<S: Statement>(
        call: &S,
        control: &FileControl,
        record: &[u8],
        duplicate: bool,
    ) -> Result<Outcome, S::Fault> {
        call.set_record(control, record)?;
        Ok(Ok(match () {
            () if record.len() > control.lengths.1 => Status::CUT,
            () if duplicate => Status::DUPLICATE_KEY,
            () => Status::DONE,
        }))
    }

    fn write<S: Statement>(
        &mut self,
        call: &S,
        control: &FileControl,
        print: Printer<'_>,
    ) -> Result<Outcome, S::Fault> {
        let (least, most) = control.lengths;
        if control.variable
            && !(least..=most).contains(&control.length)
            && self.open.contains_key(&control.handle)
        {
            return Ok(Err((Status::LENGTH, String::new())));
        }
        let mut record = call.record(control)?;
        record.truncate(control.length);
        match self.open.get_mut(&control.handle) {
            Some(Open::DataSet(file)) => match file.write(self.client, control, &record) {
                Ok((status, number)) => {
                    self.changes += 1;
                    self.bytes += record.len();
                    if let Some(number) = number {
                        call.set_relative_key(number.into())?;
                    }
                    Ok(Ok(status))
                }
                Err(refused) => Ok(Err(refused)),
            },
            Some(Open::Plain(file)) => {
                Ok(file.write(&record, control.advancing, print).map(|()| Status::DONE))
            }
            Some(Open::Absent { .. }) | None => Ok(Err((Status::NOT_OUTPUT, String::new()))),
        }
    }

    fn change<S: Statement>(&mut self, call: &S, control: &FileControl) -> Result<Outcome, S::Fault> {
        let mut record = call.record(control)?;
        let file = match self.open.get_mut(&control.handle) {
            Some(Open::DataSet(file)) => file,
            Some(Open::Plain(file)) if call.operation() == FileOperation::Rewrite => {
                record.truncate(control.length);
                return Ok(file.rewrite(&record));
            }
            _ => return Ok(Err((Status::NOT_CHANGE, String::new()))),
        };
        let changed = match call.operation() {
            FileOperation::Delete => file.delete(self.client, control, &record),
            _ => {
                record.truncate(control.length);
                file.rewrite(self.client, control, &record)
            }
        };
        if changed.is_ok() {
            self.changes += 1;
            self.bytes += record.len();
        }
        Ok(changed)
    }

    /// Commits when enough was changed, but not between the READ of a record and its REWRITE, unless there is too much.
    fn commit_if_due(&mut self) -> Result<(), Loss> {
        let due = self.commit_every > 0 && self.changes >= self.commit_every;
        let holds =
            || self.open.values().any(|open| matches!(open, Open::DataSet(file) if file.holds_lock()));
        let is_much = self.changes >= CHANGES_MAX.max(self.commit_every) || self.bytes >= BYTES_MAX;
        if self.commit_every > 0 && is_much || due && !holds() {
            self.commit_now()?;
        }
        Ok(())
    }

    fn commit_now(&mut self) -> Result<(), Loss> {
        self.commit().map_err(|error| (COMMIT_ABEND, format!("the commit failed: {error}")))
    }

    fn commit(&mut self) -> Result<(), access::AccessError> {
        self.unit_ends();
        self.client.done(Request::Commit)
    }

    fn back_out(&mut self) -> Result<(), Loss> {
        self.unit_ends();
        let done = self.client.done(Request::Backout);
        done.map_err(|error| (COMMIT_ABEND, format!("the backout failed: {error}")))
    }

    /// Notes what cannot be kept: the first loss is the one that the run ends with.
    fn lost(&mut self, code: &'static str, why: String) {
        self.loss.get_or_insert((code, why));
    }

    fn unit_ends(&mut self) {
        (self.changes, self.bytes) = (0, 0);
        for open in self.open.values_mut() {
            if let Open::DataSet(file) = open {
                file.forget_locks();
            }
        }
    }

    /// Closes what the program left open; with a commit, or with a backout where it ended abnormally.
    ///
    /// # Errors
    /// Something that the program has written or changed is not kept.
    pub fn end(mut self, well: bool, log: &mut dyn FnMut(String)) -> Result<(), Loss> {
        let undone = if well || !self.has_unit { Ok(()) } else { self.back_out() };
        let is_undone = undone.is_ok();
        if let Err((_, why)) = undone {
            log(why);
        }
        for (_, open) in std::mem::take(&mut self.open) {
            if let Err((_, why)) = self.close(open) {
                log(why);
            }
        }
        if let Some(loss) = self.loss.take() {
            return Err(loss);
        }
        // What was closed behind the backout is on the disk, too.
        match well {
            _ if !self.has_unit => Ok(()),
            true => self.commit_now(),
            false if is_undone => self.back_out(),
            false => Ok(()),
        }
    }
}
