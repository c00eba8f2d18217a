//! Proves of a program what its runner relies on: every place that never varies lies in its segment, nothing is stored among
//! literals, and every number of the frame, block, picture, site and statement that is named is there.
//!
//! A place that varies is checked when it is used; here stands only that it says so.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::Range;

use cobol_runtime::floating::Width;

use cobol_types::Representation;

use crate::program::files::{ANSWER_LENGTH, FileArguments};
use crate::program::{
    Argument, BlockId, Borders, Bounds, BytePlace, Content, Element, Encoding, End, Form, Generate, Held,
    Inspect, JsonItem, JsonParse, JsonTakes, Linear, NationalText, Number, Numeric, Operation, Program, Real,
    Receiver, Segment, Service, Shown, Slot, Test, Text, TextFunction, TextReceiver, UnicodeFunction,
    Unstring, Utf8Place, Utf8Text, Wanted,
};

/// Bytes of one place, at most.
const LENGTH_MAX: u32 = 256 << 20;

/// Digits of the value of a function, at most: 31 in front of the decimal point or behind it, and as many as fit.
const DIGITS_MAX: i32 = 36;
/// Bytes of the address that ALLOCATE is answered with.
const ADDRESS_LENGTH: u32 = 4;

/// Mistake in a program: one of the lowering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsound {
    /// The block.
    pub block: BlockId,
    /// Description of the mistake.
    pub what: String,
}

impl fmt::Display for Unsound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {}: {}", self.block.0, self.what)
    }
}

/// Verifies a program.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn verify(program: &Program) -> Result<(), Unsound> {
    for (index, block) in program.blocks.iter().enumerate() {
        let verifier = Verifier::of(program);
        let outcome = verifier.block(block);
        outcome.map_err(|what| Unsound { block: BlockId(index as u32), what })?;
    }
    let others = program.entries.iter().flat_map(|entry| &entry.parameters).chain(&program.returning);
    let linkage = program
        .parameters
        .iter()
        .chain(others)
        .all(|parameter| (*parameter as usize) < program.linkage.len())
        && (program.entries.is_empty() || program.slots > 0)
        && program.borrowed.iter().all(|own| (own.linkage as usize) < program.linkage.len());
    let constants = program.constants.len();
    let tables = program.editings.iter().all(|editing| {
        (editing.at as usize).checked_add(editing.length()).is_some_and(|end| end <= constants)
            && editing.places.iter().all(|place| *place < editing.size)
    });
    let templates = program.working.is_sound() && program.local.is_sound();
    let labels = program.labels.iter().all(|label| (label.0 as usize) < program.blocks.len());
    match linkage && labels && tables && templates && !program.blocks.is_empty() {
        true => Ok(()),
        false => {
            Err(Unsound { block: BlockId(0), what: "parameters, tables, labels or templates".to_owned() })
        }
    }
}

/// Returns true if a program uses a place that varies without bounds, to look at or to change: that may be anywhere in the task's
/// storage.
pub fn may_stray(program: &Program) -> bool {
    let found = Cell::new(false);
    let verifier = Verifier { strays: Some(&found), ..Verifier::of(program) };
    // A program that is not sound is never run.
    program.blocks.iter().all(|block| verifier.block(block).is_ok());
    found.get()
}

/// Returns true if a statement of a program names its COMMAREA, or an item of it: every program with commands describes one.
pub fn names_commarea(program: &Program) -> bool {
    let found = Cell::new(false);
    let verifier = Verifier { commarea: Some(&found), ..Verifier::of(program) };
    // A program that is not sound is never run.
    program.blocks.iter().all(|block| verifier.block(block).is_ok());
    found.get()
}

/// The bytes of WORKING-STORAGE that a program may change, or lets others change, in the order of their places. `None` if it may change
/// bytes that it does not name: it stores where a subscript without bounds leads, or in storage of others that may be shorter than it
/// says, or it hands an address out.
pub fn changed_working(program: &Program) -> Option<Vec<Range<usize>>> {
    let changes = RefCell::new(Some(Vec::new()));
    let verifier = Verifier { changes: Some(&changes), ..Verifier::of(program) };
    // A program that is not sound is never run.
    program.blocks.iter().all(|block| verifier.block(block).is_ok());
    let mut changes: Vec<Range<usize>> = changes.into_inner()?;
    // A program or a service that it CALLs gives one back.
    if let Some((Segment::Working, at)) = program.return_code {
        changes.push(at as usize..at as usize + RETURN_CODE);
    }
    changes.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(changes.len());
    for range in changes {
        match merged.last_mut() {
            // A few bytes more are written sooner than another piece is.
            Some(last) if range.start <= last.end + MERGED_MAX => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    Some(merged)
}

/// Bytes of RETURN-CODE.
const RETURN_CODE: usize = size_of::<i16>();

/// Bytes between two parts that are written together, at most.
const MERGED_MAX: usize = 64;

struct Verifier<'p> {
    program: &'p Program,
    /// Notes a place that varies without bounds, if that is asked for.
    strays: Option<&'p Cell<bool>>,
    /// Notes the bytes of WORKING-STORAGE that are changed, if that is asked for; `None` from the first on that may lie anywhere.
    changes: Option<&'p RefCell<Option<Vec<Range<usize>>>>>,
    /// Notes a place in the COMMAREA, if that is asked for.
    commarea: Option<&'p Cell<bool>>,
}

type Verified = Result<(), String>;

impl<'p> Verifier<'p> {
    /// One that notes nothing.
    fn of(program: &'p Program) -> Self {
        Self { program, strays: None, changes: None, commarea: None }
    }

    fn block(&self, block: &crate::program::Block) -> Verified {
        for step in &block.steps {
            self.line(step.line)?;
            self.operation(&step.operation)?;
        }
        self.line(block.line)?;
        match &block.end {
            End::Jump(to) => self.target(*to),
            End::Branch { test, yes, no } => {
                self.test(test)?;
                self.target(*yes)?;
                self.target(*no)
            }
            End::Switch { slot, targets, other } => {
                self.slot(*slot)?;
                targets.iter().chain([other]).try_for_each(|target| self.target(*target))
            }
            End::Select { value, targets, other } => {
                self.number(value)?;
                targets.iter().chain([other]).try_for_each(|target| self.target(*target))
            }
            End::Host { site, next, failed } => {
                self.site(*site)?;
                [*next].iter().chain(failed).try_for_each(|target| self.target(*target))
            }
            End::Leave(_) => Ok(()),
        }
    }

    fn operation(&self, operation: &Operation) -> Verified {
        match operation {
            Operation::Move { from, to, .. } | Operation::MoveNational { from, to } => {
                self.text(from)?;
                self.stored(to)
            }
            Operation::MoveUtf8 { from, to } => {
                self.text(from)?;
                self.utf8(to)?;
                self.stored(&to.place)
            }
            Operation::EditNational { from, to, picture } => {
                self.text(from)?;
                self.national_picture(*picture, to)?;
                self.stored(to)
            }
            Operation::EditText { from, to, picture } => {
                self.text(from)?;
                self.picture(*picture, to)?;
                self.stored(to)
            }
            Operation::Store { value, to, error } => {
                self.number(value)?;
                error.iter().try_for_each(|slot| self.slot(*slot))?;
                to.iter().try_for_each(|receiver| self.receiver(receiver))
            }
            Operation::Hold { held, value, error, .. } => {
                self.number(value)?;
                error.iter().try_for_each(|slot| self.slot(*slot))?;
                self.held(*held)
            }
            Operation::Replicate { place, unit } => {
                self.stored(place)?;
                let length = place.fixed_length().unwrap_or(0);
                check(*unit > 0 && *unit <= length && length.is_multiple_of(*unit), || {
                    format!("{unit} bytes over {length}")
                })
            }
            Operation::Count { slot, value } => {
                self.number(value)?;
                self.slot(*slot)
            }
            Operation::GoNowhere => Ok(()),
            Operation::SetSlot(slot, _) | Operation::AddSlot(slot, _) => self.slot(*slot),
            Operation::CopySlot { from, to } => {
                self.slot(*from)?;
                self.slot(*to)
            }
            Operation::SetAddress { linkage, value } => {
                self.number(value)?;
                self.segment(Segment::Linkage(*linkage)).map(drop)
            }
            Operation::String { sources, into, pointer, overflow } => {
                self.string(sources, into, pointer.as_ref(), *overflow)
            }
            Operation::Utf8(statement) => match &**statement {
                Utf8Text::String { sources, into, pointer, overflow } => {
                    self.utf8(into)?;
                    self.string(sources, &into.place, pointer.as_ref(), *overflow)
                }
                Utf8Text::Unstring(unstring) => self.unstring(unstring),
            },
            Operation::National(statement) => match &**statement {
                NationalText::String { sources, into, pointer, overflow } => {
                    self.string(sources, into, pointer.as_ref(), *overflow)
                }
                NationalText::Unstring(unstring) => self.unstring(unstring),
                NationalText::Inspect(inspect) => self.inspect(inspect),
            },
            Operation::Unstring(unstring) => self.unstring(unstring),
            Operation::Inspect(inspect) => self.inspect(inspect),
            Operation::KeepSign { from, to, numeric } => {
                self.place(from)?;
                self.stored(to)?;
                self.field(to, *numeric)
            }
            Operation::Routine(_, source, target) => {
                source.iter().try_for_each(|source| self.place(source))?;
                self.stored(target)
            }
            Operation::SortTable { table, stride, .. } => {
                check(*stride > 0, || "a table of no bytes".to_owned())?;
                self.stored(table)
            }
            Operation::Generate(generate) => self.generate(generate),
            Operation::JsonParse(parse) => self.json_parse(parse),
            Operation::XmlRead(read) => self.place(&read.document),
            Operation::XmlNext(next) => {
                self.slot(next.outcome)?;
                next.code.iter().try_for_each(|code| self.counter(code))?;
                next.event.iter().try_for_each(|place| self.stored(place))?;
                next.registers.iter().try_for_each(|register| {
                    self.slot(register.length)?;
                    self.stored(&register.place)
                })
            }
            Operation::Exhibit(exhibit) => {
                self.stored(&exhibit.again)?;
                exhibit.items.iter().try_for_each(|item| {
                    item.name.iter().try_for_each(|name| self.place(name))?;
                    self.shown(&item.shown)?;
                    item.watched.iter().try_for_each(|(now, before)| {
                        self.place(now)?;
                        self.stored(before)
                    })
                })
            }
            Operation::Display { items, .. } => items.iter().try_for_each(|item| self.shown(item)),
        }
    }

    fn shown(&self, shown: &Shown) -> Verified {
        match shown {
            Shown::Text(place) => self.place(place),
            Shown::Function(function) => self.function(function),
            Shown::Number(place, numeric, _) => self.field(place, *numeric),
            Shown::Whole(number, _) => self.number(number),
            Shown::Floating(real, _) => self.real(real),
        }
    }

    fn generate(&self, generate: &Generate) -> Verified {
        self.element(&generate.root)?;
        let texts = generate.xml.namespace.iter().chain(&generate.xml.prefix);
        texts.into_iter().try_for_each(|text| self.text(text))?;
        self.stored(&generate.into)?;
        generate.count.iter().try_for_each(|counter| self.counter(counter))?;
        self.slot(generate.code)
    }

    fn element(&self, element: &Element) -> Verified {
        if let Some((slot, count)) = &element.table {
            self.slot(*slot)?;
            self.number(count)?;
        }
        element.left_out.iter().try_for_each(|test| self.test(test))?;
        match &element.content {
            Content::Parts(parts) => parts.iter().try_for_each(|part| self.element(part)),
            Content::Characters { text, .. } | Content::Edited(text) | Content::National(text) => {
                self.text(text)
            }
            Content::Number(number) => self.number(number),
            Content::Truth(test) => self.test(test),
        }
    }

    fn json_parse(&self, parse: &JsonParse) -> Verified {
        self.place(&parse.text)?;
        [parse.code, parse.status, parse.size].into_iter().try_for_each(|slot| self.slot(slot))?;
        self.json_item(&parse.root)
    }

    fn json_item(&self, item: &JsonItem) -> Verified {
        if let Some((slot, count)) = &item.table {
            self.slot(*slot)?;
            self.number(count)?;
        }
        match &item.takes {
            JsonTakes::Parts(parts) => parts.iter().try_for_each(|part| self.json_item(part)),
            JsonTakes::Nothing => Ok(()),
            JsonTakes::Characters { place, .. } | JsonTakes::National(place) => self.stored(place),
            JsonTakes::Utf8(to) => {
                self.utf8(to)?;
                self.stored(&to.place)
            }
            JsonTakes::Edited { place, picture } => {
                self.picture(*picture, place)?;
                self.stored(place)
            }
            JsonTakes::Number(receiver) => self.receiver(receiver),
            JsonTakes::Truth { place, truth, falsehood } => {
                self.text(truth)?;
                self.text(falsehood)?;
                self.stored(place)
            }
        }
    }

    fn string(
        &self,
        sources: &[(Text, Option<Text>)],
        into: &BytePlace,
        pointer: Option<&(BytePlace, Numeric)>,
        overflow: Slot,
    ) -> Verified {
        for (text, delimiter) in sources {
            self.text(text)?;
            delimiter.iter().try_for_each(|text| self.text(text))?;
        }
        self.stored(into)?;
        pointer.iter().try_for_each(|counter| self.counter(counter))?;
        self.slot(overflow)
    }

    fn unstring(&self, unstring: &Unstring) -> Verified {
        self.text(&unstring.from)?;
        unstring.delimiters.iter().try_for_each(|(text, _)| self.text(text))?;
        for receiver in &unstring.into {
            self.text_receiver(&receiver.to)?;
            receiver.delimiter.iter().try_for_each(|to| self.text_receiver(to))?;
            receiver.count.iter().try_for_each(|counter| self.counter(counter))?;
        }
        let counters = unstring.pointer.iter().chain(&unstring.tallying);
        counters.into_iter().try_for_each(|counter| self.counter(counter))?;
        self.slot(unstring.overflow)
    }

    fn text_receiver(&self, receiver: &TextReceiver) -> Verified {
        match receiver {
            TextReceiver::Characters { place, .. } => self.stored(place),
            TextReceiver::Utf8(to) => {
                self.utf8(to)?;
                self.stored(&to.place)
            }
            TextReceiver::Number(place, numeric) => {
                self.stored(place)?;
                self.field(place, *numeric)
            }
        }
    }

    fn inspect(&self, inspect: &Inspect) -> Verified {
        match inspect {
            Inspect::Tally { text, phrases, counters } => {
                self.text(text)?;
                for phrase in phrases {
                    self.wanted(&phrase.wanted)?;
                    self.borders(&phrase.borders)?;
                    check((phrase.counter as usize) < counters.len(), || "no such counter".to_owned())?;
                }
                counters.iter().try_for_each(|counter| self.counter(counter))
            }
            Inspect::Replace { place, phrases } => {
                self.stored(place)?;
                phrases.iter().try_for_each(|phrase| {
                    self.wanted(&phrase.wanted)?;
                    self.text(&phrase.by)?;
                    self.borders(&phrase.borders)
                })
            }
            Inspect::Convert { place, from, to, borders } => {
                self.stored(place)?;
                self.text(from)?;
                self.text(to)?;
                self.borders(borders)
            }
        }
    }

    fn wanted(&self, wanted: &Wanted) -> Verified {
        match wanted {
            Wanted::Characters => Ok(()),
            Wanted::All(text) | Wanted::Leading(text) | Wanted::First(text) => self.text(text),
        }
    }

    fn borders(&self, borders: &Borders) -> Verified {
        borders.before.iter().chain(&borders.after).try_for_each(|text| self.text(text))
    }

    /// A number that a statement counts with.
    fn counter(&self, (place, numeric): &(BytePlace, Numeric)) -> Verified {
        self.stored(place)?;
        self.field(place, *numeric)
    }

    fn receiver(&self, receiver: &Receiver) -> Verified {
        self.stored(&receiver.place)?;
        match &receiver.form {
            Form::Number(numeric) => self.field(&receiver.place, *numeric),
            Form::Floating(width) => self.floating(&receiver.place, *width),
            Form::Edited { picture, .. } => self.picture(*picture, &receiver.place),
            Form::NationalEdited { picture, .. } => self.national_picture(*picture, &receiver.place),
        }
    }

    fn test(&self, test: &Test) -> Verified {
        match test {
            Test::Numbers(_, left, right) => {
                self.number(left)?;
                self.number(right)
            }
            Test::Texts(_, left, right) | Test::Nationals(_, left, right) | Test::Utf8s(_, left, right) => {
                self.text(left)?;
                self.text(right)
            }
            Test::Class(text, _) => self.text(text),
            Test::Numeric(place, numeric) => self.field(place, *numeric),
            Test::Positive(slot) => self.slot(*slot),
        }
    }

    fn text(&self, text: &Text) -> Verified {
        match text {
            Text::Place(place) => self.place(place),
            Text::Repeated(place) => {
                self.place(place)?;
                let constant = place.segment == Segment::Constant && place.fixed_length() > Some(0);
                check(constant, || "what is repeated is no literal".to_owned())
            }
            Text::Digits(number, _) => self.number(number),
            Text::Unsigned(place, numeric) => self.field(place, *numeric),
            Text::Function(function) => self.function(function),
        }
    }

    fn function(&self, function: &TextFunction) -> Verified {
        match function {
            TextFunction::Trim { text, .. }
            | TextFunction::Of(_, text)
            | TextFunction::Translated { text, .. } => self.text(text),
            TextFunction::National { text, from: encoding }
            | TextFunction::Display { text, to: encoding } => {
                self.text(text)?;
                match encoding {
                    Encoding::Numbered(number) => self.number(number),
                    _ => Ok(()),
                }
            }
            TextFunction::Hexadecimal(text)
            | TextFunction::OfHexadecimal(text)
            | TextFunction::Bits(text)
            | TextFunction::OfBits(text) => self.text(text),
            TextFunction::Join(texts) | TextFunction::Extreme { texts, .. } => {
                texts.iter().try_for_each(|text| self.text(text))
            }
            TextFunction::Substitute { text, pairs } => {
                check(pairs.len().is_multiple_of(2), || "SUBSTITUTE without pairs".to_owned())?;
                self.text(text)?;
                pairs.iter().try_for_each(|text| self.text(text))
            }
            TextFunction::Formatted { day, seconds, offset, .. } => {
                [day, seconds, offset].into_iter().flatten().try_for_each(|number| self.number(number))
            }
            TextFunction::Utf8(of) => self.utf8(of),
            TextFunction::Utf8Case { text, .. } => self.text(text),
            TextFunction::FormattedNow(_, place) => self.place(place),
            TextFunction::Unique => Ok(()),
            TextFunction::Character(number) | TextFunction::Plain(number) => self.number(number),
            TextFunction::UnicodePart { text, start, length, .. } => {
                self.number(start)?;
                self.number(length)?;
                self.text(text)
            }
            TextFunction::Part { text, start, length } => {
                self.text(text)?;
                self.linear(start)?;
                length.iter().try_for_each(|length| self.linear(length))
            }
        }
    }

    fn number(&self, number: &Number) -> Verified {
        match number {
            Number::Literal { .. } => Ok(()),
            Number::Field(place, numeric) => self.field(place, *numeric),
            Number::Text(place) => self.place(place),
            Number::Address(place) => {
                // A program that has the address may store there.
                if place.segment == Segment::Working {
                    self.notes_change(None);
                }
                self.place(place)
            }
            Number::Edited(place, picture, _) => self.picture(*picture, place),
            Number::NationalEdited(place, picture, _) => self.national_picture(*picture, place),
            Number::Held(held, _) => self.held(*held),
            Number::Slot(slot) => self.slot(*slot),
            Number::Linear(linear) => self.linear(linear),
            Number::Negative(inner) | Number::Absolute(inner) => self.number(inner),
            Number::Read(_, text, shape) => {
                check(shape.digits() <= DIGITS_MAX, || format!("{} digits", shape.digits()))?;
                self.text(text)
            }
            Number::Function(_, arguments, shape) => {
                check(shape.digits() <= DIGITS_MAX, || format!("{} digits", shape.digits()))?;
                check(!arguments.is_empty(), || "a function of nothing".to_owned())?;
                arguments.iter().try_for_each(|argument| self.number(argument))
            }
            Number::Power(power) => {
                check(power.shape.digits() <= 31, || format!("{} digits", power.shape.digits()))?;
                self.number(&power.base)?;
                self.number(&power.exponent)
            }
            Number::Real(real) => self.real(real),
            Number::Unicode(unicode) => {
                match &unicode.function {
                    UnicodeFunction::Position(number) | UnicodeFunction::Width(number) => {
                        self.number(number)?;
                    }
                    UnicodeFunction::Length | UnicodeFunction::Supplementary | UnicodeFunction::Invalid => {}
                }
                self.text(&unicode.text)
            }
            Number::PlaceAmong { texts, .. } => texts.iter().try_for_each(|text| self.text(text)),
            Number::Binary(_, left, right, shape) => {
                self.number(left)?;
                self.number(right)?;
                check(shape.digits() <= 31, || format!("{} digits", shape.digits()))
            }
        }
    }

    fn real(&self, real: &Real) -> Verified {
        match real {
            Real::Field(place, width) => self.floating(place, *width),
            Real::Literal(_) => Ok(()),
            Real::Fixed(number) => self.number(number),
            Real::Held(held) => self.held(*held),
            Real::Negative(inner) | Real::Absolute(inner) => self.real(inner),
            Real::Binary(_, left, right) | Real::Power { base: left, exponent: right, .. } => {
                self.real(left)?;
                self.real(right)
            }
            Real::Function(_, arguments) => {
                check(!arguments.is_empty(), || "a function of nothing".to_owned())?;
                arguments.iter().try_for_each(|argument| self.real(argument))
            }
            Real::Random(place, seed) => {
                self.stored(place)?;
                check(place.fixed_length() == Some(4), || "the state of RANDOM".to_owned())?;
                seed.iter().try_for_each(|seed| self.number(seed))
            }
            Real::Read(text) => self.text(text),
        }
    }

    /// A place that holds floating point is as long as that.
    fn floating(&self, place: &BytePlace, width: Width) -> Verified {
        self.place(place)?;
        let length = place.fixed_length();
        check(length == Some(width.length() as u32), || format!("{length:?} bytes for {width:?}"))
    }

    /// A place that holds a number is as long as the number.
    fn field(&self, place: &BytePlace, numeric: Numeric) -> Verified {
        self.place(place)?;
        let length = place.fixed_length();
        check(length == Some(numeric.length() as u32), || {
            format!("{length:?} bytes for a number of {}", numeric.length())
        })
    }

    fn picture(&self, picture: u32, place: &BytePlace) -> Verified {
        self.picture_of(picture, place, 1)
    }

    fn national_picture(&self, picture: u32, place: &BytePlace) -> Verified {
        self.picture_of(picture, place, 2)
    }

    /// A place has a character for each of a picture, of so many bytes.
    fn picture_of(&self, picture: u32, place: &BytePlace, width: u32) -> Verified {
        self.place(place)?;
        let size = self.program.pictures.get(picture as usize).map(|picture| width * picture.size as u32);
        check(size.is_some() && place.fixed_length() == size, || format!("picture {picture}"))
    }

    /// An item of so many characters has room for each of them.
    fn utf8(&self, of: &Utf8Place) -> Verified {
        self.place(&of.place)?;
        if let (Some(characters), Some(length)) = (of.characters, of.place.fixed_length()) {
            check(u64::from(length) >= u64::from(characters), || format!("{length} bytes of UTF-8"))?;
        }
        let Some((start, length)) = &of.part else { return Ok(()) };
        self.linear(start)?;
        length.iter().try_for_each(|length| self.linear(length))
    }

    fn stored(&self, place: &BytePlace) -> Verified {
        check(place.segment != Segment::Constant, || "a literal would be changed".to_owned())?;
        if self.changes.is_some() {
            self.notes_change(self.changed_by(place));
        }
        self.place(place)
    }

    /// The bytes of WORKING-STORAGE that a store changes; `None` if these may be any.
    fn changed_by(&self, place: &BytePlace) -> Option<Range<usize>> {
        let range = match (place.as_fixed(), place.bounds) {
            (Some((at, length)), _) => at as usize..at as usize + length as usize,
            (None, Bounds::Item { from, to }) => from as usize..to as usize,
            (None, Bounds::Task) => return None,
        };
        match place.segment {
            Segment::Working => Some(range),
            Segment::Linkage(index) if self.program.commarea() != Some(index as usize) => None,
            _ => Some(0..0),
        }
    }

    fn notes_change(&self, change: Option<Range<usize>>) {
        let Some(changes) = self.changes else { return };
        let mut changes = changes.borrow_mut();
        match (change, changes.as_mut()) {
            (None, _) => *changes = None,
            (Some(range), Some(changes)) if !range.is_empty() => changes.push(range),
            _ => {}
        }
    }

    /// A place that never varies lies in its segment; what varies is made of numbers that are there.
    fn place(&self, place: &BytePlace) -> Verified {
        let segment = self.segment(place.segment)?;
        if let Some((at, length)) = place.as_fixed() {
            let end = at.checked_add(length);
            // A record of the linkage section is as long as its caller made it: its description is what is promised.
            return check(end.is_some_and(|end| end <= segment), || {
                format!("{at} + {length} of {segment} bytes of {:?}", place.segment)
            });
        }
        if let Bounds::Item { from, to } = place.bounds {
            check(from <= to && to <= segment, || format!("bounds {from} to {to} of {segment} bytes"))?;
        }
        check(place.segment != Segment::Constant, || "a literal that varies".to_owned())?;
        if let Some(strays) = self.strays.filter(|_| place.bounds == Bounds::Task) {
            strays.set(true);
        }
        check(place.fixed_length().is_none_or(|length| length <= LENGTH_MAX), || "a length".to_owned())?;
        self.linear(&place.at)?;
        self.linear(&place.length)
    }

    fn linear(&self, linear: &Linear) -> Verified {
        linear.terms.iter().try_for_each(|(_, number)| self.number(number))
    }

    fn segment(&self, segment: Segment) -> Result<u32, String> {
        match segment {
            Segment::Working => Ok(self.program.working.len() as u32),
            Segment::Local => Ok(self.program.local.len() as u32),
            Segment::Constant => Ok(self.program.constants.len() as u32),
            Segment::Linkage(index) => {
                if let Some(found) = self.commarea.filter(|_| self.program.commarea() == Some(index as usize))
                {
                    found.set(true);
                }
                let linkage = self.program.linkage.get(index as usize);
                linkage.map(|linkage| linkage.length).ok_or_else(|| format!("linkage record {index}"))
            }
        }
    }

    fn site(&self, site: u32) -> Verified {
        let Some(site) = self.program.sites.get(site as usize) else { return Err(format!("site {site}")) };
        if let Service::CallNamed(place) | Service::CancelNamed(place) = &site.service {
            self.place(place)?;
        }
        if let Service::File(file, _) = &site.service {
            let known = (*file as usize) < self.program.files.len();
            let area = matches!(site.arguments.first(), Some(Argument::Reference(_)));
            let answer = site.returning.as_ref().and_then(BytePlace::fixed_length) == Some(ANSWER_LENGTH);
            let whole = known && area && answer && site.arguments.len() == FileArguments::COUNT;
            check(whole, || format!("a statement about file {file}"))?;
        }
        if let Service::Allocate | Service::Free = &site.service {
            let answer = site.returning.as_ref().map(BytePlace::fixed_length);
            let wanted = (site.service == Service::Allocate).then_some(Some(ADDRESS_LENGTH));
            let whole = matches!(site.arguments.as_slice(), [Argument::Number(_)]) && answer == wanted;
            check(whole, || "a statement about storage".to_owned())?;
        }
        if site.service == Service::IsCalled {
            let whole = site.arguments.is_empty() && site.returning.is_none();
            check(whole, || "a question of EXIT PROGRAM".to_owned())?;
        }
        site.returning.iter().try_for_each(|place| self.stored(place))?;
        site.arguments.iter().try_for_each(|argument| match argument {
            // The called program changes it, and knows the place.
            Argument::Reference(place) | Argument::Field(place, _) | Argument::Pointer(place) => {
                let is_number = match argument {
                    Argument::Field(_, numeric) => matches!(
                        numeric.representation,
                        Representation::Binary | Representation::Native | Representation::Bytes { .. }
                    ),
                    argument => matches!(argument, Argument::Pointer(_)),
                };
                if let Some(range) = self.changed_by(place).filter(|_| !is_number && self.changes.is_some()) {
                    // A length beside it may be greater than the item.
                    let end = if place.segment == Segment::Working { self.program.working.len() } else { 0 };
                    self.notes_change(Some(range.start..end));
                }
                self.stored(place)
            }
            Argument::Address(index) => self.segment(Segment::Linkage(*index)).map(|_| ()),
            Argument::Number(number) => self.number(number),
            Argument::Content(place) => self.place(place),
            Argument::Value(number, _) => self.number(number),
            Argument::Label(label) => {
                check((*label as usize) < self.program.labels.len(), || format!("label {label}"))
            }
            Argument::None => Ok(()),
        })
    }

    fn target(&self, target: BlockId) -> Verified {
        check((target.0 as usize) < self.program.blocks.len(), || format!("no block {}", target.0))
    }

    fn slot(&self, slot: Slot) -> Verified {
        check(slot.0 < self.program.slots, || format!("no slot {}", slot.0))
    }

    fn held(&self, held: Held) -> Verified {
        check(held.0 < self.program.held, || format!("nothing held {}", held.0))
    }

    fn line(&self, line: u32) -> Verified {
        check((line as usize) < self.program.lines.len(), || format!("no statement {line}"))
    }
}

fn check(holds: bool, what: impl FnOnce() -> String) -> Verified {
    if holds { Ok(()) } else { Err(what()) }
}
