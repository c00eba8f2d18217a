//! XML PARSE: a loop over the events of a document, each with its processing procedure.

use cobol_data::{Area, Item, Type};
use cobol_source::At;
use cobol_syntax::tree::Markup;

use super::kinds::is_national_kind;
use super::places::Extent;
use super::{Lowered, Lowering};
use cobol_ir::program::{
    Bounds, BytePlace, DocumentForm, End, Form, Linear, Number, Operation, Receiver, Relation, Slot, Test,
    XmlNext, XmlPart, XmlRead, XmlRegister,
};

/// Registers of characters: how many there are changes with each event.
const REGISTERS: [(&str, XmlPart); 6] = [
    ("XML-TEXT", XmlPart::Text),
    ("XML-NAMESPACE", XmlPart::Namespace),
    ("XML-NAMESPACE-PREFIX", XmlPart::Prefix),
    ("XML-NTEXT", XmlPart::NationalText),
    ("XML-NNAMESPACE", XmlPart::NationalNamespace),
    ("XML-NNAMESPACE-PREFIX", XmlPart::NationalPrefix),
];
/// XML-CODE when the processing procedure has ended the parsing.
const ENDED_BY_PROGRAM: i64 = -1;
/// XML-CODE by which the processing procedure says that there is another segment.
const ANOTHER_SEGMENT: i64 = 1;

/// Returns true if a register has as many characters as an event gives it.
pub(super) fn varies(name: &str) -> bool {
    REGISTERS.iter().any(|(own, _)| *own == name)
}

impl<'a> Lowering<'a> {
    pub(super) fn xml_parse(&mut self, at: At, markup: &'a Markup) -> Lowered<()> {
        let failed = self.new_slot();
        self.emit(Operation::SetSlot(failed, 0));
        let lowered = self.xml_events(at, markup, failed);
        self.exception_handlers(failed, markup);
        lowered
    }

    /// The loop; ends where everything was read, or with `failed` set.
    fn xml_events(&mut self, at: At, markup: &'a Markup, failed: Slot) -> Lowered<()> {
        if let Some(phrase) = &markup.phrase {
            return self.refuse(phrase.at, format_args!("XML PARSE with {}", phrase.text));
        }
        let Some((from, through)) = &markup.procedure else { return self.refuse(at, "XML PARSE") };
        let document = self.locate(&markup.text, Extent::Present)?;
        let national = is_national_kind(document.kind());
        if !national && !matches!(document.kind(), Type::Alphanumeric | Type::Alphabetic | Type::Group) {
            return self.refuse(at, format_args!("XML PARSE of {}", document.kind().name()));
        }
        let (parser, compatible) = (self.parsers, self.is_compatible());
        if compatible && (markup.encoding.is_some() || markup.national || national) {
            return self
                .refuse(at, "ENCODING, RETURNING NATIONAL and national documents under XMLPARSE(COMPAT)");
        }
        let form = self.document_form(markup, national)?.unwrap_or(DocumentForm::Program);
        let national = national || markup.national;
        self.parsers += 1;
        let read = |again| {
            let document = document.place.clone();
            Operation::XmlRead(Box::new(XmlRead { parser, document, again, compatible, form, national }))
        };
        let code =
            self.register_number("XML-CODE").map(|(place, numeric)| (Number::Field(place, numeric), numeric));
        let [turn, event, exception, segment, stopped, done] = std::array::from_fn(|_| self.new_block());
        self.emit(read(false));
        self.fall_into(turn);
        let outcome = self.new_slot();
        let next = self.xml_next(parser, outcome);
        self.emit(next);
        self.end(End::Switch { slot: outcome, targets: vec![event, exception, segment], other: done }, event);
        self.perform_named(from, through.as_ref())?;
        let is = |code: &Number, value| Test::Numbers(Relation::Equal, code.clone(), Number::whole(value));
        match &code {
            Some((code, _)) => self.end(End::Branch { test: is(code, 0), yes: turn, no: stopped }, segment),
            None => self.jump(turn, segment),
        }
        self.perform_named(from, through.as_ref())?;
        match &code {
            Some((code, _)) => {
                let [again, other] = std::array::from_fn(|_| self.new_block());
                self.branch(is(code, ANOTHER_SEGMENT), again, other);
                self.continue_in(again);
                self.emit(read(true));
                self.jump(turn, other);
                self.end(End::Branch { test: is(code, 0), yes: turn, no: stopped }, exception);
            }
            None => self.jump(turn, exception),
        }
        // Nothing that the procedure does there changes what became of the document.
        let kept = self.new_slot();
        if let Some((code, _)) = &code {
            self.emit(Operation::Count { slot: kept, value: code.clone() });
        }
        self.perform_named(from, through.as_ref())?;
        self.set_code(Number::Slot(kept));
        self.emit(Operation::SetSlot(failed, 1));
        self.jump(done, stopped);
        self.set_code(Number::whole(ENDED_BY_PROGRAM));
        self.emit(Operation::SetSlot(failed, 1));
        self.fall_into(done);
        Ok(())
    }

    fn set_code(&mut self, value: Number) {
        if let Some((place, numeric)) = self.register_number("XML-CODE") {
            self.store_one(value, Receiver { place, form: Form::Number(numeric), rounded: false });
        }
    }

    fn xml_next(&mut self, parser: u32, outcome: Slot) -> Operation {
        let mut registers = Vec::new();
        for (name, part) in REGISTERS {
            if let Some((item, place)) = self.register_place(name) {
                let length = self.register_length(item);
                registers.push(XmlRegister { part, place, length });
            }
        }
        let code = self.register_number("XML-CODE");
        let event = self.register_place("XML-EVENT").map(|(_, place)| place);
        Operation::XmlNext(Box::new(XmlNext { parser, outcome, code, event, registers }))
    }

    /// All that a register has room for, if the program names it.
    fn register_place(&self, name: &str) -> Option<(&'a Item, BytePlace)> {
        let is = |item: &Item| {
            item.area == Area::Register && item.name.as_ref().is_some_and(|own| &*own.text == name)
        };
        let (id, item) = self.program.items.all().find(|(_, item)| is(item))?;
        let (segment, at) = self.storage.base(id, item)?;
        Some((item, BytePlace::fixed(segment, at, item.length as u32)))
    }

    fn register_length(&mut self, item: &Item) -> Slot {
        let fresh = self.new_slot();
        let Some(name) = &item.name else { return fresh };
        *self.register_lengths.entry(name.text.clone()).or_insert(fresh)
    }

    /// A register with as many characters as its event has given it.
    pub(super) fn with_own_length(&mut self, item: &Item, mut place: BytePlace) -> BytePlace {
        let is_register = item.area == Area::Register && item.kind != Type::IndexName;
        if is_register && item.name.as_ref().is_some_and(|name| varies(&name.text)) {
            let width = if is_national_kind(&item.kind) { 2 } else { 1 };
            let characters = Linear::from(Number::Slot(self.register_length(item)));
            place.length = Linear::constant(0).plus(width, characters);
            // It may be empty: no range of the item is demanded of it.
            place.bounds = Bounds::Task;
        }
        place
    }

    /// XMLPARSE(COMPAT), the parser of older compilers.
    fn is_compatible(&self) -> bool {
        let cards = self.checked.options.iter().rev();
        let mut own = cards.filter(|card| ["XMLPARSE", "XP"].contains(&card.name.as_str()));
        own.next().is_some_and(|card| card.value.trim_start_matches('(').starts_with('C'))
    }
}
