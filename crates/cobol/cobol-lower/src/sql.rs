//! EXEC SQL: `cobol-exec` has read what a block asks for; here it becomes a call of the host, and WHENEVER
//! the tests behind it.

use cobol_data::{Area, Item, ItemId, Numeric, Representation, Type};
use cobol_exec::{Area as Answers, Call, Request};
use cobol_source::At;
use db2::Event;
use db2::call::SYMBOL;

use super::places::{Extent, Located};
use super::{Lowered, Lowering};
use cobol_ir::program::{
    Argument, BytePlace, End, Form, Linear, Number, Operation, Receiver, Relation, Service, Site, Test, Text,
};

/// The record that programs give to SQL.
const RECORD: &str = "SQLCA";
/// The communication area of a program that has only items of it: its length, and where they stand in it.
const LENGTH: u32 = 136;
const CODE_AT: i64 = 12;
const WARNING_AT: i64 = 120;
const STATE_AT: i64 = 131;
/// Value of SQLCODE behind the last row.
const NOT_FOUND: i64 = 100;
/// SQLCODE as it lies in the area.
const CODE: Numeric = Numeric { digits: 9, scale: 0, signed: true, representation: Representation::Native };

/// Places of a statement's results.
struct Answer {
    area: BytePlace,
    code: Number,
    warning: BytePlace,
}

impl<'a> Lowering<'a> {
    pub(super) fn exec_sql(&mut self, at: At, block: &Request) -> Lowered<()> {
        let Some(call) = &block.call else { return Ok(()) };
        let answer = self.sql_answer(at, block.area)?;
        self.sql_call(at, call, &answer)?;
        self.hand_on(at, block.area, &answer)?;
        self.whenever(at, block, &answer)
    }

    fn sql_call(&mut self, at: At, call: &Call, answer: &Answer) -> Lowered<()> {
        let descriptor = self.constant_place(&call.descriptor.encode());
        let mut arguments = vec![Argument::Content(descriptor), Argument::Reference(answer.area.clone())];
        for item in &call.arguments {
            let mut place = self.place_of(*item, Vec::new(), Extent::Received, at)?;
            // A table is passed from its first occurrence to the last that it can have.
            if let Some(occurs) = &self.program.items.get(*item).occurs {
                place.length = Linear::constant((occurs.stride * occurs.max.unwrap_or(1)) as i64);
            }
            arguments.push(Argument::Reference(place));
        }
        let service = Service::Call(SYMBOL.to_owned());
        self.out.sites.push(Site { service, arguments, returning: None });
        let site = self.out.sites.len() as u32 - 1;
        let next = self.new_block();
        self.end(End::Host { site, next, failed: None }, next);
        Ok(())
    }

    fn sql_answer(&mut self, at: At, area: Answers) -> Lowered<Answer> {
        if let Answers::Items { .. } = area {
            let area = self.sql_area();
            let part = |at: i64, length: u32| {
                let mut place = area.clone();
                place.at.constant += at;
                place.length.constant = length.into();
                place
            };
            let code = Number::Field(part(CODE_AT, CODE.length() as u32), CODE);
            return Ok(Answer { code, warning: part(WARNING_AT, 1), area });
        }
        let record = self.named(RECORD);
        let part = |name| self.part_named(record?, name);
        let (Some(record), [Some(code), Some(warning)]) = (record, ["SQLCODE", "SQLWARN0"].map(part)) else {
            return self.refuse(at, "EXEC SQL without a SQLCA in this program");
        };
        let area = self.place_of(record, Vec::new(), Extent::Present, at)?;
        let warning = self.place_of(warning, Vec::new(), Extent::Present, at)?;
        let place = self.place_of(code, Vec::new(), Extent::Present, at)?;
        match self.program.items.get(code).kind {
            Type::Numeric(numeric) => {
                let numeric = self.numeric(numeric);
                Ok(Answer { area, code: Number::Field(place, numeric), warning })
            }
            _ => self.refuse(at, "this SQLCODE"),
        }
    }

    /// The area of a program that has only items of it: one for all its statements.
    fn sql_area(&mut self) -> BytePlace {
        if let Some(area) = &self.sql_area {
            return area.clone();
        }
        let area = self.hidden_storage(LENGTH);
        self.sql_area = Some(area.clone());
        area
    }

    /// SQLCODE and SQLSTATE as items by themselves get what the area holds.
    fn hand_on(&mut self, at: At, area: Answers, answer: &Answer) -> Lowered<()> {
        let Answers::Items { code, state } = area else { return Ok(()) };
        if code {
            let to = self.item_by_itself(at, "SQLCODE")?;
            let Type::Numeric(numeric) = *to.kind() else { return self.refuse(at, "this SQLCODE") };
            let form = Form::Number(self.numeric(numeric));
            self.store_one(answer.code.clone(), Receiver { place: to.place, form, rounded: false });
        }
        if state {
            let to = self.item_by_itself(at, "SQLSTATE")?;
            let mut from = answer.area.clone();
            from.at.constant += STATE_AT;
            from.length.constant = 5;
            self.emit(Operation::Move { from: Text::Place(from), to: to.place, right: false });
        }
        Ok(())
    }

    fn item_by_itself(&mut self, at: At, name: &str) -> Lowered<Located<'a>> {
        let items = &self.program.items;
        let is_it = |(id, item): &(ItemId, &Item)| {
            item.name.as_ref().is_some_and(|own| &*own.text == name) && self.levels_out(*id).is_some()
        };
        let found = items.all().filter(is_it).min_by_key(|(id, _)| self.levels_out(*id));
        let Some((id, item)) = found else { return self.refuse(at, format_args!("{name} here")) };
        let place = self.place_of(id, Vec::new(), Extent::Received, at)?;
        Ok(Located { place, item, part: false })
    }

    /// The tests behind a statement.
    fn whenever(&mut self, at: At, block: &Request, answer: &Answer) -> Lowered<()> {
        for (event, label) in &block.go_to {
            let target = self.label_of(at, label)?;
            let next = self.new_block();
            let code = answer.code.clone();
            match event {
                Event::Error => {
                    self.branch(Test::Numbers(Relation::Less, code, Number::whole(0)), target, next);
                }
                Event::NotFound => {
                    self.branch(Test::Numbers(Relation::Equal, code, Number::whole(NOT_FOUND)), target, next);
                }
                Event::Warning => {
                    let [positive, warned] = [self.new_block(), self.new_block()];
                    let zero = Number::whole(0);
                    self.branch(Test::Numbers(Relation::Greater, code.clone(), zero), positive, warned);
                    self.continue_in(positive);
                    let end = Number::whole(NOT_FOUND);
                    self.branch(Test::Numbers(Relation::Unequal, code, end), target, warned);
                    self.continue_in(warned);
                    let warning = Text::Place(answer.warning.clone());
                    let sign = Text::Place(self.constant_place(b"W"));
                    self.branch(Test::Texts(Relation::Equal, warning, sign), target, next);
                }
            }
            self.continue_in(next);
        }
        Ok(())
    }

    /// The section or paragraph of a name: names in SQL have no qualification.
    fn label_of(&mut self, at: At, label: &str) -> Lowered<cobol_ir::program::BlockId> {
        let named =
            |(_, own): &(usize, &cobol_check::ProcedureDef)| own.name.text.eq_ignore_ascii_case(label);
        let mut found = self.program.procedures.iter().enumerate().filter(named);
        let only = found.next().filter(|_| found.next().is_none());
        match only.and_then(|(index, _)| self.procedures.list.get(index)) {
            Some(procedure) => Ok(procedure.start),
            None => self.refuse(at, format_args!("WHENEVER with GO TO {label}")),
        }
    }

    /// The item of a name: the program's own come first, then those of the programs around it that are GLOBAL.
    fn named(&self, name: &str) -> Option<ItemId> {
        let items = &self.program.items;
        let is_it = |item: &Item| item.name.as_ref().is_some_and(|own| &*own.text == name);
        let found = || items.all().filter(|(_, item)| is_it(item)).map(|(id, _)| id);
        let nearest = found().filter_map(|id| self.levels_out(id)).min()?;
        let mut found = found().filter(|id| self.levels_out(*id) == Some(nearest));
        found.next().filter(|_| found.next().is_none())
    }

    /// The number of programs between this one and the one that describes an item; `None` if it is not seen here.
    fn levels_out(&self, id: ItemId) -> Option<usize> {
        let items = &self.program.items;
        let (item, record) = (items.get(id), items.get(items.get(id).record));
        match item.area {
            Area::Around(level) => (item.global || record.global).then_some(level),
            _ => Some(0),
        }
    }

    /// The item of a name within a record.
    fn part_named(&self, record: ItemId, name: &str) -> Option<ItemId> {
        let items = &self.program.items;
        let is_it = |(id, item): &(ItemId, &Item)| {
            item.name.as_ref().is_some_and(|own| &*own.text == name)
                && items.groups(*id).any(|group| group == record)
        };
        items.all().find(is_it).map(|(id, _)| id)
    }
}
