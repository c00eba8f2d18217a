//! Statements about files: to the files of the step; and those of SORT.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::sync::Arc;

use cobol_ir::program::files::{
    Access, Advance, CODES_LENGTH, Closing, File, FileArguments, FileOperation, OpenMode as Mode,
    Organization, Owner, PAGE_END_AT, StartAt,
};
use cobol_ir::program::{Line, Relation as Compared};
use cobol_run::Passed;

use native::Unit;

use super::linage::{Page, Pages};
use super::sorting::Sorter;
use super::{Level, Run, Stopped, Taken, failed};
use crate::control::{
    AccessMode, FileControl, FileKey, FileOperation as Asked, FileOrganization, OpenMode, Relation,
};
use crate::ending::RUNTIME_ABEND;
use crate::files::{Halt, Statement};
use crate::plain;
use crate::status::Status;

/// A file of a program of a run.
pub(super) type FileId = (usize, usize, u32);

/// State of a file.
#[derive(Clone, Copy, Default)]
pub(super) struct OpenFile {
    mode: Option<OpenMode>,
    handle: u64,
    /// CLOSE WITH LOCK.
    is_locked: bool,
    last: [u8; 2],
    /// LINAGE.
    pages: Option<Pages>,
    /// The last WRITE has come to the end of a page.
    page_ends: bool,
}

/// A statement with its answer.
struct ProgramStatement {
    operation: Asked,
    control: FileControl,
    area: Vec<u8>,
    record: RefCell<Option<Vec<u8>>>,
    status: Cell<[u8; 2]>,
    open: Cell<Option<(Option<OpenMode>, u64)>>,
    relative_key: Cell<Option<u64>>,
}

impl Statement for ProgramStatement {
    type Fault = Infallible;

    fn operation(&self) -> Asked {
        self.operation
    }

    fn control(&self) -> Result<FileControl, Infallible> {
        Ok(self.control.clone())
    }

    fn record(&self, _: &FileControl) -> Result<Vec<u8>, Infallible> {
        Ok(self.area.clone())
    }

    fn set_record(&self, control: &FileControl, record: &[u8]) -> Result<(), Infallible> {
        *self.record.borrow_mut() = Some(record[..record.len().min(control.lengths.1)].to_vec());
        Ok(())
    }

    fn set_status(&self, status: [u8; 2]) -> Result<(), Infallible> {
        self.status.set(status);
        Ok(())
    }

    fn set_open(&self, mode: Option<OpenMode>, handle: u64) -> Result<(), Infallible> {
        self.open.set(Some((mode, handle)));
        Ok(())
    }

    fn set_relative_key(&self, number: u64) -> Result<(), Infallible> {
        self.relative_key.set(Some(number));
        Ok(())
    }
}

impl Run<'_, '_> {
    /// Whose file it is that a program of a unit names: an EXTERNAL one has its name in the run, and none of a unit.
    fn file_id(&mut self, unit: &Arc<Unit>, place: usize, index: u32, file: &File) -> FileId {
        let of_unit = Arc::as_ptr(unit) as usize;
        match file.owner {
            Owner::Own => (of_unit, place, index),
            Owner::Around { program, file } => (of_unit, program as usize, file),
            Owner::External => {
                let known = self.external_files.iter().position(|name| *name == file.name);
                let at = known.unwrap_or_else(|| {
                    self.external_files.push(file.name.clone());
                    self.external_files.len() - 1
                });
                (0, 0, at as u32)
            }
        }
    }

    /// A statement about a file.
    pub(super) fn file(
        &mut self,
        level: &Level,
        index: u32,
        operation: &FileOperation,
        taken: &Taken,
    ) -> Result<(), Stopped> {
        let code = level.unit.program(level.place).ok_or_else(|| failed("a file of no program"))?;
        let file = &code.program().files[index as usize];
        let id = self.file_id(&level.unit, level.place, index, file);
        let status = match operation {
            FileOperation::Failed => {
                let status = self.open.get(&id).map_or(*b"00", |open| open.last);
                let line = code.program().blocks.get(level.block.0 as usize);
                let line = line.and_then(|block| code.program().lines.get(block.line as usize));
                return Err(unhandled(file, status, line, &code.program().name));
            }
            operation if operation.is_of_sort() => self.sort_step(id, file, operation, taken)?,
            operation => self.step_of_file(id, file, operation, taken)?,
        };
        self.open.entry(id).or_default().last = status;
        let (at, length) = taken.returning.ok_or_else(|| failed("a file without a block"))?;
        let answer = self.storage.task.bytes_mut(at, length as usize);
        answer.fill(0);
        answer[..status.len()].copy_from_slice(&status);
        if self.open.get(&id).is_some_and(|open| open.page_ends) {
            answer[PAGE_END_AT as usize] = b'1';
        }
        let codes = &mut answer[status.len()..][..CODES_LENGTH as usize];
        if file.organization != Organization::Sequential {
            codes.copy_from_slice(&vsam_codes(status));
        }
        Ok(())
    }

    fn step_of_file(
        &mut self,
        id: FileId,
        file: &File,
        operation: &FileOperation,
        taken: &Taken,
    ) -> Result<[u8; 2], Stopped> {
        let known = self.open.get(&id).copied().unwrap_or_default();
        match operation {
            FileOperation::Open(_) if known.is_locked => return Ok(Status::LOCKED.0),
            FileOperation::Close(Closing::Tape { stays_open: true }) if known.mode.is_some() => {
                return Ok(Status::NO_TAPE.0);
            }
            FileOperation::Write(_) | FileOperation::Rewrite if file.variable && known.mode.is_some() => {
                let length = self.number(taken, FileArguments::LENGTH);
                if !(i64::from(file.lengths.0)..=i64::from(file.lengths.1)).contains(&length) {
                    return Ok(Status::LENGTH.0);
                }
            }
            _ => {}
        }
        let mut statement = self.statement(known, file, operation, taken);
        let mut pages = known.pages;
        let mut page_ends = false;
        match (operation, self.page(taken)) {
            (FileOperation::Open(_), page) => pages = page.map(Pages::new),
            (FileOperation::Write(advance), Some(page)) => {
                let lines = self.number(taken, FileArguments::NUMBER);
                if let Some(pages) = &mut pages {
                    let turned = pages.write(*advance, lines, page);
                    let advance = Advance { after: turned.after, page: false };
                    statement.control.advancing = advancing(Some(advance), turned.lines);
                    page_ends = turned.is_end;
                }
            }
            _ => {}
        }
        let output = RefCell::new(&mut *self.output);
        let answered =
            self.files.answer(&statement, &mut |line| output.borrow_mut().print(line), &mut |text| {
                output.borrow_mut().log(text)
            });
        answered.map_err(|halt| match halt {
            Halt::Storage(never) => match never {},
            Halt::Lost((code, why)) => Stopped::Abend(code.into(), why),
        })?;
        let open = self.open.entry(id).or_default();
        if let Some((mode, handle)) = statement.open.get() {
            (open.mode, open.handle) = (mode, handle);
        }
        let status = statement.status.get();
        let done = status[0] == b'0';
        if done {
            (open.pages, open.page_ends) = (pages, page_ends);
            if let Some(pages) = pages {
                self.storage.set_number(taken.arguments.get(FileArguments::COUNTER), pages.counter);
            }
        } else {
            open.page_ends = false;
        }
        if let Some(record) = statement.record.take() {
            self.give_record(taken, &record);
        }
        if let Some(number) = statement.relative_key.get() {
            let number = i64::try_from(number).unwrap_or(i64::MAX);
            let key = taken.arguments.get(FileArguments::RELATIVE);
            if *operation == FileOperation::ReadNext && number > greatest(key) {
                return Ok(Status::KEY_TOO_SMALL.0);
            }
            self.storage.set_number(key, number);
        }
        Ok(match operation {
            FileOperation::Close(Closing::Lock) if done => {
                self.open.entry(id).or_default().is_locked = true;
                status
            }
            FileOperation::Close(Closing::Tape { .. }) if status == *b"00" => Status::NO_TAPE.0,
            _ => status,
        })
    }

    /// Returns the number that an argument of a statement holds; 0 if there is none.
    fn number(&self, taken: &Taken, argument: usize) -> i64 {
        self.storage.number(taken.arguments.get(argument)).unwrap_or(0)
    }

    /// Returns the length of the record that a statement writes.
    fn length(&self, taken: &Taken) -> usize {
        usize::try_from(self.number(taken, FileArguments::LENGTH)).unwrap_or(0)
    }

    /// LINAGE, as it stands now.
    fn page(&self, taken: &Taken) -> Option<Page> {
        let number = |at: usize| self.storage.number(taken.arguments.get(FileArguments::LINAGE + at));
        let (top, bottom) = (number(2).unwrap_or(0), number(3).unwrap_or(0));
        Some(Page { lines: number(0)?, footing: number(1), top, bottom })
    }

    /// A record for the record area, with its length.
    pub(super) fn give_record(&mut self, taken: &Taken, record: &[u8]) {
        if let Some(Passed::Area(at, length)) = taken.arguments.first() {
            let fits = record.len().min(*length as usize);
            self.storage.task.bytes_mut(*at, fits).copy_from_slice(&record[..fits]);
            self.storage.set_number(taken.arguments.get(FileArguments::LENGTH), fits as i64);
        }
    }

    /// The record area as it is.
    pub(super) fn record_area(&self, taken: &Taken) -> Vec<u8> {
        match taken.arguments.first() {
            Some(Passed::Area(at, length)) => self.storage.task.bytes(*at, *length as usize).to_vec(),
            _ => Vec::new(),
        }
    }

    fn statement(
        &self,
        known: OpenFile,
        file: &File,
        operation: &FileOperation,
        taken: &Taken,
    ) -> ProgramStatement {
        let mut control = FileControl {
            name: file.assigned.clone(),
            organization: match file.organization {
                Organization::Sequential => FileOrganization::Sequential,
                Organization::LineSequential => FileOrganization::LineSequential,
                Organization::Indexed => FileOrganization::Indexed,
                Organization::Relative => FileOrganization::Relative,
            },
            access: match file.access {
                Access::Sequential => AccessMode::Sequential,
                Access::Random => AccessMode::Random,
                Access::Dynamic => AccessMode::Dynamic,
            },
            open: known.mode,
            optional: file.optional,
            variable: file.variable,
            lengths: (file.lengths.0 as usize, file.lengths.1 as usize),
            length: self.length(taken),
            relative_key: u64::try_from(self.number(taken, FileArguments::RELATIVE)).unwrap_or(0),
            keys: file
                .keys
                .iter()
                .map(|key| FileKey {
                    parts: vec![(key.offset as usize, key.length as usize)],
                    duplicates: key.duplicates,
                })
                .collect(),
            key_of_reference: 0,
            key_length: 0,
            advancing: 0,
            handle: known.handle,
        };
        let operation = match operation {
            FileOperation::Open(mode) => Asked::Open(match mode {
                Mode::Input => OpenMode::Input,
                Mode::Output => OpenMode::Output,
                Mode::InputOutput => OpenMode::InputOutput,
                Mode::Extend => OpenMode::Extend,
            }),
            FileOperation::Close(_) => Asked::Close,
            FileOperation::Read { key } => {
                control.key_of_reference = *key as usize;
                Asked::Read
            }
            FileOperation::Start(StartAt { relation, key, length }) => {
                (control.key_of_reference, control.key_length) = (*key as usize, *length as usize);
                Asked::Start(match relation {
                    Compared::Greater => Relation::Greater,
                    Compared::GreaterOrEqual => Relation::GreaterOrEqual,
                    Compared::Less => Relation::Less,
                    Compared::LessOrEqual => Relation::LessOrEqual,
                    Compared::Equal | Compared::Unequal => Relation::Equal,
                })
            }
            FileOperation::Write(advance) => {
                control.advancing = advancing(*advance, self.number(taken, FileArguments::NUMBER));
                Asked::Write
            }
            FileOperation::Rewrite => Asked::Rewrite,
            FileOperation::Delete => Asked::Delete,
            _ => Asked::ReadNext,
        };
        ProgramStatement {
            operation,
            control,
            area: self.record_area(taken),
            record: RefCell::default(),
            status: Cell::new(Status::DONE.0),
            open: Cell::default(),
            relative_key: Cell::default(),
        }
    }

    /// Closes the files of a program that is INITIAL when it comes back.
    pub(super) fn close_files(&mut self, unit: &Arc<Unit>, place: usize) -> Result<(), Stopped> {
        let Some(code) = unit.program(place) else { return Ok(()) };
        let own = code.program().files.iter().enumerate().filter(|(_, file)| file.owner == Owner::Own);
        for (index, file) in own {
            let id = self.file_id(unit, place, index as u32, file);
            if self.open.get(&id).is_some_and(|open| open.mode.is_some()) {
                self.step_of_file(id, file, &FileOperation::Close(Closing::File), &Taken::default())?;
            }
        }
        Ok(())
    }

    // SORT and MERGE.

    fn sort_step(
        &mut self,
        id: FileId,
        file: &File,
        operation: &FileOperation,
        taken: &Taken,
    ) -> Result<[u8; 2], Stopped> {
        let gave_up = |error: std::io::Error| failed(&format!("SORT of {}: {error}", file.name));
        let outside = || failed(&format!("{} of {} outside of its SORT", operation.name(), file.name));
        if let FileOperation::SortBegins(order) = operation {
            if self.sorts.contains_key(&id) {
                return Err(failed(&format!("SORT of {} within itself", file.name)));
            }
            self.sorts.insert(id, Sorter::new(order.as_ref().clone()));
            return Ok(Status::DONE.0);
        }
        if *operation == FileOperation::SortEnds {
            self.sorts.remove(&id);
            return Ok(Status::DONE.0);
        }
        let mut record = self.record_area(taken);
        let length = self.length(taken);
        let sorter = self.sorts.get_mut(&id).ok_or_else(outside)?;
        match operation {
            FileOperation::Release => {
                record.truncate(length);
                if !sorter.release(record).map_err(gave_up)? {
                    return Err(outside());
                }
            }
            FileOperation::SortTurns => sorter.turn().map_err(gave_up)?,
            _ => match sorter.next().map_err(gave_up)? {
                Some(record) => self.give_record(taken, &record),
                None => return Ok(Status::AT_END.0),
            },
        }
        Ok(Status::DONE.0)
    }
}

/// The greatest number that RELATIVE KEY holds.
fn greatest(key: Option<&Passed>) -> i64 {
    match key {
        Some(Passed::Field(_, _, numeric)) => {
            10_i64.checked_pow(u32::from(numeric.digits)).map_or(i64::MAX, |power| power - 1)
        }
        _ => i64::MAX,
    }
}

/// ADVANCING.
fn advancing(advance: Option<Advance>, lines: i64) -> u32 {
    let Some(Advance { after, page }) = advance else { return 0 };
    let side = if after { plain::AFTER } else { plain::BEFORE };
    let how = if page { plain::PAGE } else { u32::try_from(lines).unwrap_or(0).min(plain::LINES) };
    side | how
}

/// The program ends: no statement looks at the status of a statement that failed.
fn unhandled(file: &File, status: [u8; 2], line: Option<&Line>, program: &str) -> Stopped {
    let status = String::from_utf8_lossy(&status).into_owned();
    let place = line.map_or(String::new(), |line| format!(" at line {}", line.line));
    let text = format!(
        "file status {status} of {}, which the program does not handle,{place} of {program}",
        file.name
    );
    Stopped::Abend(RUNTIME_ABEND.into(), text)
}

/// The second item of FILE STATUS: VSAM's return code, function and feedback, each a halfword.
fn vsam_codes(status: [u8; 2]) -> [u8; 6] {
    let (code, feedback): (u8, u8) = match &status {
        b"10" | b"46" => (8, 4),
        b"21" => (8, 12),
        b"22" => (8, 8),
        b"23" => (8, 16),
        b"24" => (8, 28),
        b"44" => (8, 108),
        b"93" => (8, 20),
        _ => (0, 0),
    };
    [0, code, 0, 0, 0, feedback]
}
