//! Statements about files: each is a call of the host, which answers FILE STATUS in the file's block; then come the phrases, or the
//! declaratives, or the program's own look at FILE STATUS. Without any of them the program ends.

use cobol_data::{Numeric, Type};
use cobol_source::At;
use cobol_syntax::tree::{
    Access, Advancing, Event, Handlers, OpenMode, Operand, Organization, Reference, Relation as Written,
    StatementKind, Use,
};

use super::conditions::relation;
use super::file_control::FileUse;
use super::places::{Extent, Located};
use super::{Lowered, Lowering};
use cobol_ir::program::files::{
    ANSWER_LENGTH, Advance, CODES_AT, CODES_LENGTH, FileArguments, FileOperation, MODE_AT, Owner,
    PAGE_END_AT, STATUS_AT, StartAt,
};
use cobol_ir::program::{
    Argument, BlockId, BytePlace, End, Form, Linear, Number, Operation, Receiver, Relation, Service, Site,
    Test, Text,
};

/// Work of a successful statement about a file, besides its phrases.
#[derive(Default)]
pub(super) struct Success<'a> {
    /// READ: INTO.
    into: Option<&'a Reference>,
    /// READ, RETURN: the length that the record has goes where DEPENDING ON says.
    depending: bool,
    /// OPEN.
    mode: Option<OpenMode>,
}

impl<'a> Success<'a> {
    /// Of a READ or RETURN.
    pub(super) fn of_read(into: Option<&'a Reference>) -> Self {
        Self { into, depending: true, mode: None }
    }
}

impl<'a> Lowering<'a> {
    pub(super) fn file_statement(&mut self, at: At, statement: &'a StatementKind) -> Lowered<()> {
        match statement {
            StatementKind::Open(list) => list.iter().try_for_each(|(mode, file)| self.open(*mode, file)),
            StatementKind::Close(list) => list.iter().try_for_each(|(closing, file)| {
                let file = self.file(file)?;
                self.ask_file(&file, FileOperation::Close(*closing), None, None)?;
                self.outcome(&file, None, Success::default())
            }),
            StatementKind::Read { file, next, into, key, handlers } => {
                let file = self.file(file)?;
                let operation = self.reading(&file, *next, key.as_ref(), handlers)?;
                self.ask_file(&file, operation, None, None)?;
                self.outcome(&file, Some(handlers), Success::of_read(into.as_ref()))
            }
            StatementKind::Write { record, from, advancing, handlers } => {
                let file = self.written(at, record, from.as_ref())?;
                let (advance, lines) = self.advancing(advancing.as_ref())?;
                self.ask_file(&file, FileOperation::Write(advance), Some(record), lines)?;
                self.outcome(&file, Some(handlers), Success::default())
            }
            StatementKind::Rewrite { record, from, handlers } => {
                let file = self.written(at, record, from.as_ref())?;
                self.ask_file(&file, FileOperation::Rewrite, Some(record), None)?;
                self.outcome(&file, Some(handlers), Success::default())
            }
            StatementKind::Delete { file, handlers } => {
                let file = self.file(file)?;
                self.ask_file(&file, FileOperation::Delete, None, None)?;
                self.outcome(&file, Some(handlers), Success::default())
            }
            StatementKind::Start { file, key, handlers } => {
                let file = self.file(file)?;
                let start = self.start(&file, key.as_ref())?;
                self.ask_file(&file, FileOperation::Start(start), None, None)?;
                self.outcome(&file, Some(handlers), Success::default())
            }
            _ => self.refuse(at, "this statement"),
        }
    }

    pub(super) fn open(&mut self, mode: OpenMode, file: &'a Reference) -> Lowered<()> {
        let file = self.file(file)?;
        self.open_file(&file, mode)
    }

    pub(super) fn open_file(&mut self, file: &FileUse<'a>, mode: OpenMode) -> Lowered<()> {
        self.ask_file(file, FileOperation::Open(mode), None, None)?;
        self.outcome(file, None, Success { mode: Some(mode), ..Success::default() })
    }

    /// READ of the next record, or by a key.
    fn reading(
        &mut self,
        file: &FileUse<'a>,
        next: bool,
        key: Option<&'a Reference>,
        handlers: &Handlers,
    ) -> Lowered<FileOperation> {
        let select = file.select.map_or((Organization::Sequential, Access::Sequential), |select| {
            (select.organization, select.access)
        });
        let in_order = match select {
            (Organization::Sequential | Organization::LineSequential, _) | (_, Access::Sequential) => true,
            (_, Access::Random) => false,
            // AT END makes no sense of a READ by key.
            (_, Access::Dynamic) => next || (key.is_none() && handlers.has(Event::AtEnd, false)),
        };
        if in_order {
            return Ok(FileOperation::ReadNext);
        }
        let key = match key {
            Some(key) => self.key_of(file, key)?.0,
            None => 0,
        };
        Ok(FileOperation::Read { key })
    }

    /// The file of a record that is written, after FROM has been moved to it.
    fn written(&mut self, at: At, record: &'a Reference, from: Option<&'a Operand>) -> Lowered<FileUse<'a>> {
        let file = self.file_of_record(record)?;
        if let Some(from) = from {
            let to = self.locate(record, Extent::Received)?;
            self.move_to(from, to, at)?;
        }
        Ok(file)
    }

    fn advancing(&mut self, advancing: Option<&'a Advancing>) -> Lowered<(Option<Advance>, Option<Number>)> {
        let Some(advancing) = advancing else { return Ok((None, None)) };
        let after = advancing.after;
        match &advancing.lines {
            None => Ok((Some(Advance { after, page: true }), None)),
            Some(Operand::Reference(reference)) if self.is_mnemonic(reference) => {
                // A channel of the printer: C01 is the first line of a page, the others are one line further.
                let page = self.names_first_line(reference);
                Ok((Some(Advance { after, page }), Some(Number::whole(1))))
            }
            Some(lines) => {
                let lines = self.operand_number(lines)?;
                Ok((Some(Advance { after, page: false }), Some(lines)))
            }
        }
    }

    fn is_mnemonic(&self, reference: &Reference) -> bool {
        matches!(self.program.target(reference.id), Some(cobol_check::NameTarget::Mnemonic(_)))
    }

    fn names_first_line(&self, reference: &Reference) -> bool {
        let Some(cobol_check::NameTarget::Mnemonic(at)) = self.program.target(reference.id) else {
            return false;
        };
        let mnemonics = &self.program.syntax.environment.mnemonics;
        mnemonics.get(at).is_some_and(|mnemonic| &*mnemonic.system.text == "C01")
    }

    fn start(&mut self, file: &FileUse<'a>, key: Option<&'a (Written, Reference)>) -> Lowered<StartAt> {
        let keys = &self.out.files[file.index as usize].keys;
        let whole = keys.first().map_or(0, |key| key.length);
        let Some((how, reference)) = key else {
            return Ok(StartAt { relation: Relation::Equal, key: 0, length: whole });
        };
        let relation = relation(*how);
        if keys.is_empty() {
            return Ok(StartAt { relation, key: 0, length: 0 });
        }
        let (key, length) = self.key_of(file, reference)?;
        Ok(StartAt { relation, key, length })
    }

    // The call.

    /// Calls the host about a file; `record` is the one that is written.
    pub(super) fn ask_file(
        &mut self,
        file: &FileUse<'a>,
        operation: FileOperation,
        record: Option<&'a Reference>,
        number: Option<Number>,
    ) -> Lowered<()> {
        if let Some(record) = record {
            self.length_of_record(file, record)?;
        }
        let (length, numeric) = file.length();
        let relative = match self.relative_key(file)? {
            Some((place, numeric)) => Argument::Field(place, numeric),
            None => Argument::None,
        };
        let mut arguments = vec![Argument::None; FileArguments::COUNT];
        arguments[FileArguments::RECORD] = Argument::Reference(file.area.clone());
        arguments[FileArguments::LENGTH] = Argument::Field(length, numeric);
        arguments[FileArguments::RELATIVE] = relative;
        arguments[FileArguments::NUMBER] = number.map_or(Argument::None, Argument::Number);
        if matches!(operation, FileOperation::Open(_) | FileOperation::Write(_))
            && let Some(linage) = self.linage(file)?
        {
            arguments[FileArguments::LINAGE..=FileArguments::COUNTER].clone_from_slice(&linage);
        }
        let service = Service::File(file.index, operation);
        let returning = Some(file.block(0, ANSWER_LENGTH));
        self.out.sites.push(Site { service, arguments, returning });
        let site = self.out.sites.len() as u32 - 1;
        let next = self.new_block();
        self.end(End::Host { site, next, failed: None }, next);
        Ok(())
    }

    /// The length of the record that is written: what DEPENDING ON says, else its own.
    fn length_of_record(&mut self, file: &FileUse<'a>, record: &'a Reference) -> Lowered<()> {
        let value = match &file.description.record.depending {
            Some(depending) => self.item_number(depending)?,
            None => {
                let place = self.locate(record, Extent::Present)?.place;
                Number::Linear(Box::new(place.length))
            }
        };
        let (place, numeric) = file.length();
        self.store_number(value, place, numeric);
        Ok(())
    }

    fn store_number(&mut self, value: Number, place: BytePlace, numeric: Numeric) {
        self.store_one(value, Receiver { place, form: Form::Number(numeric), rounded: false });
    }

    // What came of it.

    /// FILE STATUS to the program's items, then the phrases.
    pub(super) fn outcome(
        &mut self,
        file: &FileUse<'a>,
        handlers: Option<&'a Handlers>,
        success: Success<'a>,
    ) -> Lowered<()> {
        self.give_status(file)?;
        let [ok, failed, end] = std::array::from_fn(|_| self.new_block());
        let mode = success.mode;
        self.status_begins(file, b"0", ok, failed);
        self.block = ok;
        self.succeeded(file, handlers, success)?;
        self.jump(end, failed);
        for (event, class) in [(Event::AtEnd, b"1"), (Event::InvalidKey, b"2")] {
            if handlers.is_some_and(|handlers| handlers.has(event, false)) {
                let [own, other] = [self.new_block(), self.new_block()];
                self.status_begins(file, class, own, other);
                self.block = own;
                self.phrase(handlers, event, false);
                self.jump(end, other);
            }
        }
        self.unhandled(file, mode, end);
        self.block = end;
        Ok(())
    }

    fn status_begins(&mut self, file: &FileUse<'a>, class: &[u8; 1], yes: BlockId, no: BlockId) {
        self.block_says(file, STATUS_AT, class, yes, no);
    }

    /// Branches on a byte of the file's block: it is this one, or not.
    fn block_says(&mut self, file: &FileUse<'a>, at: u32, byte: &[u8; 1], yes: BlockId, no: BlockId) {
        let left = Text::Place(file.block(at, 1));
        let right = Text::Place(self.constant_place(byte));
        self.end(End::Branch { test: Test::Texts(Relation::Equal, left, right), yes, no }, no);
    }

    fn phrase(&mut self, handlers: Option<&'a Handlers>, event: Event, not: bool) {
        let own = handlers.into_iter().flat_map(|handlers| &handlers.list);
        for handler in own.filter(|handler| handler.event == event && handler.not == not) {
            self.statements(&handler.body);
        }
    }

    fn give_status(&mut self, file: &FileUse<'a>) -> Lowered<()> {
        let Some(select) = file.select else { return Ok(()) };
        let parts = [(STATUS_AT, 2), (CODES_AT, CODES_LENGTH)];
        for (reference, (at, length)) in select.status.iter().zip(parts) {
            let to = self.locate(reference, Extent::Received)?;
            let from = Text::Place(file.block(at, length));
            self.emit(Operation::Move { from, to: to.place, right: false });
        }
        Ok(())
    }

    fn succeeded(
        &mut self,
        file: &FileUse<'a>,
        handlers: Option<&'a Handlers>,
        success: Success<'a>,
    ) -> Lowered<()> {
        if let Some(mode) = success.mode {
            let from = Text::Place(self.constant_place(mode_byte(mode)));
            self.emit(Operation::Move { from, to: file.block(MODE_AT, 1), right: false });
        }
        if success.depending
            && let Some(depending) = &file.description.record.depending
        {
            let (place, numeric) = file.length();
            let located = self.locate(depending, Extent::Received)?;
            if let Type::Numeric(own) = located.kind().clone() {
                let own = self.numeric(own);
                self.store_number(Number::Field(place, numeric), located.place, own);
            }
        }
        if let Some(into) = success.into {
            self.read_into(file, into)?;
        }
        if handlers.is_some_and(|handlers| {
            handlers.has(Event::EndOfPage, false) || handlers.has(Event::EndOfPage, true)
        }) {
            let [ended, on, end] = std::array::from_fn(|_| self.new_block());
            self.block_says(file, PAGE_END_AT, b"1", ended, on);
            self.block = ended;
            self.phrase(handlers, Event::EndOfPage, false);
            self.jump(end, on);
            self.phrase(handlers, Event::EndOfPage, true);
            self.fall_into(end);
        }
        self.phrase(handlers, Event::AtEnd, true);
        self.phrase(handlers, Event::InvalidKey, true);
        Ok(())
    }

    /// INTO: a MOVE of the record that was read, as long as it is.
    fn read_into(&mut self, file: &FileUse<'a>, into: &'a Reference) -> Lowered<()> {
        let to = self.locate(into, Extent::Received)?;
        let variable = self.out.files[file.index as usize].variable;
        let mut place = file.area.clone();
        if let ([only], false) = (&*file.records, variable) {
            let item = self.program.items.get(*only);
            place.length = Linear::constant(item.length as i64);
            return self.move_located(Located { place, item, part: false }, to, into.at());
        }
        if variable {
            let (length, numeric) = file.length();
            place.length = Number::Field(length, numeric).into();
        }
        let right = to.item.justified && !to.part;
        self.emit(Operation::Move { from: Text::Place(place), to: to.place, right });
        Ok(())
    }

    /// Lowers the work behind a failure that no phrase takes.
    fn unhandled(&mut self, file: &FileUse<'a>, opening: Option<OpenMode>, end: BlockId) {
        let name = &file.description.name.text;
        let of_file = self.declaratives.iter().find(|(what, _)| match what {
            Use::Exception { files, .. } => files.iter().any(|own| own.name.text == *name),
            _ => false,
        });
        if let Some((_, section)) = of_file.copied() {
            self.perform_range(section, section);
            let next = self.new_block();
            self.jump(end, next);
            self.block = next;
            return;
        }
        let of_modes: Vec<(OpenMode, usize)> = self
            .declaratives
            .iter()
            .filter_map(|(what, section)| match what {
                Use::Exception { mode: Some(mode), .. } => Some((*mode, *section)),
                _ => None,
            })
            .collect();
        for (mode, section) in of_modes {
            if opening.is_some_and(|opening| opening != mode) {
                continue;
            }
            let [own, other] = [self.new_block(), self.new_block()];
            match opening {
                Some(_) => self.jump(own, own),
                None => self.block_says(file, MODE_AT, mode_byte(mode), own, other),
            }
            self.block = own;
            self.perform_range(section, section);
            self.jump(end, other);
        }
        self.unhandled_around(file, opening, end);
        if !file.has_status() {
            let _: Lowered<()> = self.ask_file(file, FileOperation::Failed, None, None);
        }
        self.jump(end, end);
    }

    /// The declaratives of programs around this one.
    fn unhandled_around(&mut self, file: &FileUse<'a>, opening: Option<OpenMode>, end: BlockId) {
        let name = &file.description.name.text;
        let is_lent = self.out.files[file.index as usize].owner != Owner::Own;
        for (mode, service) in self.declaratives_around(name, is_lent) {
            if mode.is_some() && opening.is_some() && opening != mode {
                continue;
            }
            let [own, other] = [self.new_block(), self.new_block()];
            match mode.filter(|_| opening.is_none()) {
                Some(mode) => self.block_says(file, MODE_AT, mode_byte(mode), own, other),
                None => self.jump(own, own),
            }
            self.block = own;
            self.out.sites.push(Site { service, arguments: Vec::new(), returning: None });
            let site = self.out.sites.len() as u32 - 1;
            let next = self.new_block();
            self.end(End::Host { site, next, failed: None }, next);
            self.jump(end, other);
            self.block = other;
        }
    }
}

/// Byte for a mode in a file's block.
fn mode_byte(mode: OpenMode) -> &'static [u8; 1] {
    match mode {
        OpenMode::Input => b"I",
        OpenMode::Output => b"O",
        OpenMode::InputOutput => b"U",
        OpenMode::Extend => b"E",
    }
}
