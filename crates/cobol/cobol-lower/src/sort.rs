//! SORT, MERGE, RELEASE, RETURN. The host keeps the records and puts them in order; USING and GIVING are the statements that
//! the language reference says they are, one after the other.

use cobol_data::{Item, ItemId, Type};
use cobol_source::At;
use cobol_syntax::tree::{Closing, Handlers, Name, OpenMode, Operand, Reference, Sort, Subscript};

use super::file_control::FileUse;
use super::files::Success;
use super::places::Extent;
use super::{Lowered, Lowering};
use cobol_ir::program::files::{FileOperation, STATUS_AT, SortKey, SortOrder};
use cobol_ir::program::{BlockId, End, Form, Linear, Number, Operation, Receiver, Relation, Test, Text};

/// Bytes of a table that is sorted, at most: nothing stops a SORT of it on its way.
const TABLE_MAX: usize = 16 << 20;

impl<'a> Lowering<'a> {
    pub(super) fn sort(&mut self, at: At, sort: &'a Sort) -> Lowered<()> {
        if !matches!(
            self.program.target(sort.file.id),
            Some(cobol_check::NameTarget::File(_) | cobol_check::NameTarget::GlobalFile(..))
        ) {
            return self.sort_table(at, sort);
        }
        let file = self.file(&sort.file)?;
        let order = self.sort_order(sort)?;
        self.ask_file(&file, FileOperation::SortBegins(Box::new(order)), None, None)?;
        match &sort.input {
            Some((from, through)) => self.perform_named(from, through.as_ref())?,
            None => {
                for input in &sort.using {
                    self.take_all(&file, input)?;
                }
            }
        }
        self.ask_file(&file, FileOperation::SortTurns, None, None)?;
        match &sort.output {
            Some((from, through)) => self.perform_named(from, through.as_ref())?,
            None => self.give_all(&file, &sort.giving)?,
        }
        self.ask_file(&file, FileOperation::SortEnds, None, None)
    }

    /// SORT of a table, by these keys, or by those of its description.
    fn sort_table(&mut self, at: At, sort: &'a Sort) -> Lowered<()> {
        let reference = &sort.file;
        let Some((id, item)) = self.item(reference.id) else { return self.refuse(at, "SORT of this") };
        let Some(occurs) = &item.occurs else { return self.refuse(at, "SORT of this") };
        let mut subscripts = Vec::new();
        for subscript in &reference.subscripts {
            if let Subscript::Value(value) = subscript {
                subscripts.push(self.whole(value)?);
            }
        }
        if subscripts.len() + 1 != item.dimensions.len() {
            let help = "write a subscript for each table around it, and none or ALL for the table itself";
            return self.mistaken(at, "SORT of a table within others needs to know which one", help);
        }
        // The first of its occurrences.
        subscripts.push(Linear::constant(1));
        let stride = occurs.stride as u32;
        let count = match (&occurs.depending, occurs.max) {
            (Some(depending), _) => self.item_number(depending)?,
            (None, Some(max)) => Number::whole(max as i64),
            (None, None) => return self.refuse(at, "OCCURS UNBOUNDED"),
        };
        if occurs.max.is_none_or(|max| max.saturating_mul(occurs.stride) > TABLE_MAX) {
            return self.refuse(at, "SORT of a table of more than 16 MiB");
        }
        let by = if sort.keys.is_empty() { &occurs.keys } else { &sort.keys };
        if by.is_empty() {
            return self.mistaken(
                at,
                "SORT of this table has no key",
                "write ASCENDING KEY name, in the SORT or behind OCCURS",
            );
        }
        let collated = self.is_collated(sort);
        let mut keys = Vec::new();
        for (reference, ascending) in by {
            let key = self.table_key(reference, item, id)?;
            keys.push(self.sort_key(reference, key, key.offset - item.offset, (*ascending, collated))?);
        }
        let mut table = self.place_of(id, subscripts, Extent::Present, at)?;
        table.length = Linear::default().plus(stride.into(), count.into());
        let collating = self.sort_collating(sort)?;
        let order = Box::new(SortOrder { keys, collating });
        self.emit(Operation::SortTable { table, stride, order });
        Ok(())
    }

    /// A key of a table: the occurrence itself, or an item of it.
    fn table_key(&mut self, reference: &'a Reference, table: &Item, id: ItemId) -> Lowered<&'a Item> {
        let Some((own, key)) = self.item(reference.id) else {
            return self.refuse(reference.at(), "this key");
        };
        let is_within = own == id || self.program.items.groups(own).any(|group| group == id);
        let moves = key.moves_behind.len() != table.moves_behind.len();
        if !is_within || key.dimensions.len() != table.dimensions.len() || moves {
            return self.refuse(reference.at(), "a key behind or within a table");
        }
        Ok(key)
    }

    pub(super) fn perform_named(
        &mut self,
        from: &'a Reference,
        through: Option<&'a Reference>,
    ) -> Lowered<()> {
        let first = self.procedure(from)?;
        let last = through.map_or(Ok(first), |through| self.procedure(through))?;
        self.perform_range(first, last);
        Ok(())
    }

    fn sort_order(&mut self, sort: &'a Sort) -> Lowered<SortOrder> {
        let collated = self.is_collated(sort);
        let mut keys = Vec::new();
        for (reference, ascending) in &sort.keys {
            let Some((_, item)) = self.item(reference.id) else {
                return self.refuse(reference.at(), "this key");
            };
            if !item.moves_behind.is_empty() || !item.dimensions.is_empty() {
                return self.refuse(reference.at(), "a key behind or within a table");
            }
            keys.push(self.sort_key(reference, item, item.offset, (*ascending, collated))?);
        }
        Ok(SortOrder { keys, collating: self.sort_collating(sort)? })
    }

    fn sort_key(
        &mut self,
        reference: &Reference,
        item: &Item,
        offset: usize,
        (ascending, collated): (bool, bool),
    ) -> Lowered<SortKey> {
        let numeric = match &item.kind {
            Type::Numeric(numeric) => Some(self.numeric(*numeric)),
            Type::Group | Type::Alphabetic | Type::Alphanumeric => None,
            Type::AlphanumericEdited(_) | Type::NumericEdited(_) => None,
            // They are in the order of their bytes.
            Type::Utf8(_) | Type::National | Type::NationalEdited(_) if !collated => None,
            kind => return self.refuse(reference.at(), format_args!("{} as a key", kind.name())),
        };
        Ok(SortKey { offset: offset as u32, length: item.length as u32, numeric, descending: !ascending })
    }

    /// Returns true if the statement, or the program, has a COLLATING SEQUENCE.
    fn is_collated(&self, sort: &Sort) -> bool {
        sort.collating.is_some() || self.program.syntax.environment.collating.is_some()
    }

    /// COLLATING SEQUENCE of the statement, or of the program.
    fn sort_collating(&mut self, sort: &'a Sort) -> Lowered<Option<Box<[u8; 256]>>> {
        let environment = &self.program.syntax.environment;
        match sort.collating.as_ref().or(environment.collating.as_ref()) {
            Some(name) => self.collating(name),
            None => Ok(None),
        }
    }

    /// USING: all records of a file.
    fn take_all(&mut self, sort: &FileUse<'a>, input: &'a Reference) -> Lowered<()> {
        let input = self.file(input)?;
        self.open_file(&input, OpenMode::Input)?;
        let [turn, record, end] = std::array::from_fn(|_| self.new_block());
        self.fall_into(turn);
        self.ask_file(&input, FileOperation::ReadNext, None, None)?;
        self.ends_quietly(&input, record, end)?;
        self.copy_record(&input, sort);
        self.ask_file(sort, FileOperation::Release, None, None)?;
        self.jump(turn, end);
        self.close_file(&input)
    }

    /// GIVING: all records to each of these files.
    fn give_all(&mut self, sort: &FileUse<'a>, giving: &'a [Reference]) -> Lowered<()> {
        let mut outputs = Vec::new();
        for output in giving {
            let output = self.file(output)?;
            self.open_file(&output, OpenMode::Output)?;
            outputs.push(output);
        }
        let [turn, record, end] = std::array::from_fn(|_| self.new_block());
        self.fall_into(turn);
        self.ask_file(sort, FileOperation::Return, None, None)?;
        self.ends_quietly(sort, record, end)?;
        for output in &outputs {
            self.copy_record(sort, output);
            self.ask_file(output, FileOperation::Write(None), None, None)?;
            self.outcome(output, None, Success::default())?;
        }
        self.jump(turn, end);
        outputs.iter().try_for_each(|output| self.close_file(output))
    }

    fn close_file(&mut self, file: &FileUse<'a>) -> Lowered<()> {
        self.ask_file(file, FileOperation::Close(Closing::File), None, None)?;
        self.outcome(file, None, Success::default())
    }

    /// Goes on with a record; at the end, or after a failure that has been dealt with, somewhere else.
    fn ends_quietly(&mut self, file: &FileUse<'a>, record: BlockId, end: BlockId) -> Lowered<()> {
        let starts = |lowering: &mut Self, class: &[u8; 1], yes, no| {
            let left = Text::Place(file.block(STATUS_AT, 1));
            let right = Text::Place(lowering.constant_place(class));
            lowering.end(End::Branch { test: Test::Texts(Relation::Equal, left, right), yes, no }, no);
        };
        let [other, failed] = std::array::from_fn(|_| self.new_block());
        starts(self, b"0", record, other);
        starts(self, b"1", end, failed);
        self.outcome(file, None, Success::default())?;
        self.jump(end, record);
        Ok(())
    }

    /// The record of one file to the other's area, with its length.
    fn copy_record(&mut self, from: &FileUse<'a>, to: &FileUse<'a>) {
        let variable = |lowering: &Self, file: &FileUse<'a>| lowering.out.files[file.index as usize].variable;
        let mut place = from.area.clone();
        let longest = self.out.files[to.index as usize].lengths.1;
        let (length, numeric) = from.length();
        let length = Number::Field(length, numeric);
        if variable(self, from) {
            place.length = length.clone().into();
        }
        self.emit(Operation::Move { from: Text::Place(place), to: to.area.clone(), right: false });
        let own = match variable(self, to) && variable(self, from) {
            true => length,
            false => Number::whole(i64::from(longest)),
        };
        let (place, numeric) = to.length();
        self.store_one(own, Receiver { place, form: Form::Number(numeric), rounded: false });
    }

    pub(super) fn release(&mut self, record: &'a Reference, from: Option<&'a Operand>) -> Lowered<()> {
        let file = self.file_of_record(record)?;
        if let Some(from) = from {
            let to = self.locate(record, Extent::Received)?;
            self.move_to(from, to, record.at())?;
        }
        self.ask_file(&file, FileOperation::Release, Some(record), None)
    }

    pub(super) fn return_statement(
        &mut self,
        file: &'a Reference,
        into: Option<&'a Reference>,
        handlers: &'a Handlers,
    ) -> Lowered<()> {
        let file = self.file(file)?;
        self.ask_file(&file, FileOperation::Return, None, None)?;
        self.outcome(&file, Some(handlers), Success::of_read(into))
    }

    /// The place of each character in an alphabet; none in the native one.
    fn collating(&mut self, name: &'a Name) -> Lowered<Option<Box<[u8; 256]>>> {
        let alphabets = &self.program.syntax.environment.alphabets;
        let Some(alphabet) = alphabets.iter().find(|alphabet| alphabet.name.text == name.text) else {
            return self.refuse(name.at, format_args!("the alphabet {}", name.text));
        };
        Ok(self.places_of(alphabet)?.map(Box::new))
    }
}
