//! JSON PARSE: values of a text to the items that have their names.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::slice;

use cobol_runtime::json::{Event, Reader, Wrong};
use cobol_runtime::{national, utf8};

use super::abend::ProgramFault;
use super::edit;
use super::json_numbers::{decimal_of, is_whole, large_of};
use super::machine::{Host, Machine};
use super::xml::in_utf8;
use cobol_ir::program::{BytePlace, Form, JsonItem, JsonParse, JsonTakes, Number, Receiver, Utf8Place};

/// Exception codes.
const INVALID: i64 = 100;
const EMPTY: i64 = 101;
const BEHIND: i64 = 102;
const DIFFERENT: i64 = 103;
const INCOMPATIBLE: i64 = 104;
const NOTHING_MATCHED: i64 = 106;
const TRUTH: i64 = 107;
const ARRAY: i64 = 108;

/// Conditions that are no exceptions.
const NO_NAME: i64 = 1;
const NO_ITEM: i64 = 2;
const AGAIN: i64 = 4;
const FEW_ELEMENTS: i64 = 8;
const MANY_ELEMENTS: i64 = 16;
const NULL: i64 = 32;
const NULL_ELEMENT: i64 = 64;
const SIZE: i64 = 128;
const CUT: i64 = 256;
const SUBSTITUTED: i64 = 512;

/// Texts of WITH DETAIL for conditions.
const CONDITIONS: [(i64, &str); 10] = [
    (NO_NAME, "an item has no value of its name, and stays as it is"),
    (NO_ITEM, "a name is no item's"),
    (AGAIN, "an item has the same value twice"),
    (FEW_ELEMENTS, "a table has more occurrences than its array has values"),
    (MANY_ELEMENTS, "an array has more values than its table has occurrences"),
    (NULL, "an item stays as it is, for its value is null"),
    (NULL_ELEMENT, "an occurrence stays as it is, for its value is null"),
    (SIZE, "a number has more digits than its item"),
    (CUT, "a string is longer than its item"),
    (SUBSTITUTED, "a string has characters that the program's have not"),
];
/// Texts of WITH DETAIL for exceptions.
const EXCEPTIONS: [(i64, &str); 8] = [
    (INVALID, "the text is no JSON"),
    (EMPTY, "the text is empty"),
    (BEHIND, "something stands behind the outermost object"),
    (DIFFERENT, "an item has two different values; it has the first one"),
    (INCOMPATIBLE, "a value does not go into the item of its name"),
    (NOTHING_MATCHED, "no name is an item's"),
    (TRUTH, "true or false has the name of an item without CONVERTING"),
    (ARRAY, "the outermost value is an array"),
];
/// Substitute for a character that the program's characters lack.
const SUBSTITUTE: u8 = 0x1A;

/// Reasons why it cannot go on.
enum Failed {
    Fault(ProgramFault),
    Code(i64),
}

impl From<ProgramFault> for Failed {
    fn from(fault: ProgramFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Wrong> for Failed {
    fn from(wrong: Wrong) -> Self {
        Self::Code(match wrong {
            Wrong::Empty => EMPTY,
            Wrong::Behind(_) => BEHIND,
            Wrong::Invalid(_) | Wrong::TooDeep => INVALID,
        })
    }
}

/// A text while it is read.
struct Parsing<'t> {
    parse: &'t JsonParse,
    reader: Reader<'t>,
    status: i64,
    /// An elementary item has had its name.
    matched: bool,
    /// The occurrences that it is within.
    around: Vec<i64>,
    /// Numbers of values that items have: no more of them than the receiver has room for.
    given: HashMap<(u32, Vec<i64>), u64>,
}

impl<'t> Parsing<'t> {
    fn next(&mut self) -> Result<Event<'t>, Failed> {
        let position = self.reader.position();
        Ok(self.reader.next_event()?.ok_or(Wrong::Invalid(position))?)
    }

    /// Goes on to the end of a value that nothing takes.
    fn skip(&mut self, event: &Event<'_>) -> Result<(), Failed> {
        let mut depth = match event {
            Event::Object | Event::Array => 1,
            _ => 0,
        };
        while depth > 0 {
            match self.next()? {
                Event::Object | Event::Array => depth += 1,
                Event::EndObject | Event::EndArray => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns true if an item has no value yet. The same one again is a condition, another is an exception.
    fn is_first(&mut self, item: &JsonItem, event: &Event<'_>) -> Result<bool, Failed> {
        let mut hasher = DefaultHasher::new();
        event.hash(&mut hasher);
        let value = hasher.finish();
        match self.given.insert((item.id, self.around.clone()), value) {
            None => Ok(true),
            Some(before) if before == value => {
                self.status |= AGAIN;
                Ok(false)
            }
            Some(_) => Err(Failed::Code(DIFFERENT)),
        }
    }

    /// Characters of the program.
    fn characters(&mut self, text: &str) -> Vec<u8> {
        let mut substituted = false;
        let one = |character| {
            u8::try_from(u32::from(character)).unwrap_or_else(|_| {
                substituted = true;
                SUBSTITUTE
            })
        };
        let characters = text.chars().map(one).collect();
        self.status |= if substituted { SUBSTITUTED } else { 0 };
        characters
    }
}

impl Machine<'_> {
    pub(super) fn json_parse(&mut self, parse: &JsonParse, host: &mut dyn Host) -> Result<(), ProgramFault> {
        let span = self.span(&parse.text)?;
        let text = in_utf8(&self.read(&span), parse.form);
        let mut parsing = Parsing {
            parse,
            reader: Reader::new(&text),
            status: 0,
            matched: false,
            around: Vec::new(),
            given: HashMap::new(),
        };
        let code = match self.json_text(&mut parsing, host) {
            Ok(()) => 0,
            Err(Failed::Code(code)) => code,
            Err(Failed::Fault(fault)) => return Err(fault),
        };
        if let Some(line) = parse.detail {
            let conditions = CONDITIONS.iter().filter(|(condition, _)| parsing.status & condition != 0);
            let exceptions = EXCEPTIONS.iter().filter(|(own, _)| *own == code);
            for (_, text) in conditions.chain(exceptions) {
                host.display(format!("JSON PARSE at line {line}: {text}").as_bytes(), true);
            }
        }
        self.set_slot(parse.code, code);
        self.set_slot(parse.status, parsing.status);
        Ok(())
    }

    fn json_text(&mut self, parsing: &mut Parsing<'_>, host: &mut dyn Host) -> Result<(), Failed> {
        let parse = parsing.parse;
        match (parsing.reader.next_event()?, &parse.root.takes) {
            (Some(Event::Object), JsonTakes::Parts(parts)) if parse.anonymous => {
                self.json_members(parts, parsing, host)?;
            }
            (Some(Event::Object), _) => self.json_members(slice::from_ref(&parse.root), parsing, host)?,
            (Some(Event::Array), _) => return Err(Failed::Code(ARRAY)),
            _ => return Err(Failed::Code(INVALID)),
        }
        parsing.reader.next_event()?;
        if parsing.matched { Ok(()) } else { Err(Failed::Code(NOTHING_MATCHED)) }
    }

    /// The names of an object, for the items of a group.
    fn json_members(
        &mut self,
        items: &[JsonItem],
        parsing: &mut Parsing<'_>,
        host: &mut dyn Host,
    ) -> Result<(), Failed> {
        let mut found = vec![false; items.len()];
        while let Event::Name(name) = parsing.next()? {
            match items.iter().position(|item| item.is_named(&name)) {
                Some(place) => {
                    found[place] = true;
                    self.json_member(&items[place], parsing, host)?;
                }
                None => {
                    parsing.status |= NO_ITEM;
                    let event = parsing.next()?;
                    parsing.skip(&event)?;
                }
            }
            if host.must_stop() {
                return Err(ProgramFault::Stopped.into());
            }
        }
        let is_missing =
            |(item, found): (&JsonItem, &bool)| !*found && !matches!(item.takes, JsonTakes::Nothing);
        parsing.status |= if items.iter().zip(&found).any(is_missing) { NO_NAME } else { 0 };
        Ok(())
    }

    fn json_member(
        &mut self,
        item: &JsonItem,
        parsing: &mut Parsing<'_>,
        host: &mut dyn Host,
    ) -> Result<(), Failed> {
        let event = parsing.next()?;
        let Some((slot, count)) = &item.table else { return self.json_item(item, event, parsing, host) };
        match event {
            Event::Array => {}
            Event::Null => return self.json_item(item, event, parsing, host),
            event if matches!(item.takes, JsonTakes::Nothing) => return parsing.skip(&event),
            _ => return Err(Failed::Code(INCOMPATIBLE)),
        }
        let max = self.integer(count)?;
        let mut number = 0;
        loop {
            let event = parsing.next()?;
            if event == Event::EndArray {
                break;
            }
            number += 1;
            if number > max {
                parsing.status |= MANY_ELEMENTS;
                parsing.skip(&event)?;
            } else {
                self.set_slot(*slot, number);
                parsing.around.push(number);
                self.json_item(item, event, parsing, host)?;
                parsing.around.pop();
            }
            if host.must_stop() {
                return Err(ProgramFault::Stopped.into());
            }
        }
        parsing.status |= if number < max { FEW_ELEMENTS } else { 0 };
        Ok(())
    }

    fn json_item(
        &mut self,
        item: &JsonItem,
        event: Event<'_>,
        parsing: &mut Parsing<'_>,
        host: &mut dyn Host,
    ) -> Result<(), Failed> {
        match (&item.takes, event) {
            (JsonTakes::Nothing, event) => parsing.skip(&event),
            (takes, Event::Null) => {
                let is_element = !parsing.around.is_empty();
                parsing.status |= if is_element { NULL_ELEMENT } else { NULL };
                parsing.matched |= !matches!(takes, JsonTakes::Parts(_));
                Ok(())
            }
            (JsonTakes::Parts(parts), Event::Object) => self.json_members(parts, parsing, host),
            (JsonTakes::Parts(_), _) | (_, Event::Object | Event::Array) => Err(Failed::Code(INCOMPATIBLE)),
            (takes, event) => {
                parsing.matched = true;
                if parsing.is_first(item, &event)? {
                    self.json_assigned(takes, &event, parsing)?;
                }
                Ok(())
            }
        }
    }

    /// A value to its item, as the table of moves has it.
    fn json_assigned(
        &mut self,
        takes: &JsonTakes,
        event: &Event<'_>,
        parsing: &mut Parsing<'_>,
    ) -> Result<(), Failed> {
        match (takes, event) {
            (JsonTakes::Truth { place, truth, falsehood }, Event::Truth(value)) => {
                Ok(self.move_text(if *value { truth } else { falsehood }, place, false)?)
            }
            (JsonTakes::Truth { .. }, _) => Err(Failed::Code(INCOMPATIBLE)),
            (_, Event::Truth(_)) => Err(Failed::Code(TRUTH)),
            (JsonTakes::Number(receiver), Event::Text(text)) => {
                if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(Failed::Code(INCOMPATIBLE));
                }
                self.json_number(text.as_bytes(), receiver, parsing)
            }
            (JsonTakes::Number(receiver), Event::Number(number)) => {
                self.json_number(number, receiver, parsing)
            }
            (JsonTakes::Characters { alphabetic: true, .. }, Event::Number(_)) => {
                Err(Failed::Code(INCOMPATIBLE))
            }
            (takes, Event::Text(text)) => self.json_characters(takes, text, parsing),
            // A whole number goes without its sign, as MOVE has it.
            (takes, Event::Number(number)) if is_whole(number) => {
                let digits = String::from_utf8_lossy(number.strip_prefix(b"-").unwrap_or(number));
                self.json_characters(takes, &digits, parsing)
            }
            _ => Err(Failed::Code(INCOMPATIBLE)),
        }
    }

    fn json_characters(
        &mut self,
        takes: &JsonTakes,
        text: &str,
        parsing: &mut Parsing<'_>,
    ) -> Result<(), Failed> {
        let is_cut =
            |text: &[u8], to: usize| text.get(to..).is_some_and(|cut| cut.iter().any(|b| *b != b' '));
        let cut = match takes {
            JsonTakes::Characters { place, right, .. } => {
                let range = self.stored_span(place)?;
                let text = parsing.characters(text);
                let cut = text.len() > range.len() && (*right || is_cut(&text, range.len()));
                self.put_fit(range, &text, *right);
                cut
            }
            JsonTakes::Edited { place, picture } => {
                let range = self.stored_span(place)?;
                let text = parsing.characters(text);
                let picture = &self.program.pictures[*picture as usize];
                let cut = is_cut(&text, range.len());
                self.task.change(range, |bytes| edit::edit_text(&text, picture, bytes));
                cut
            }
            JsonTakes::National(place) => self.json_national(text, place)?,
            JsonTakes::Utf8(to) => self.json_utf8(text, to)?,
            _ => return Err(Failed::Code(INCOMPATIBLE)),
        };
        parsing.status |= if cut { CUT } else { 0 };
        Ok(())
    }

    fn json_national(&mut self, text: &str, place: &BytePlace) -> Result<bool, Failed> {
        let range = self.stored_span(place)?;
        let units = national::national_of(text.as_bytes(), national::Encoding::Utf8);
        let cut = units.chunks(2).skip(range.len() / 2).any(|unit| unit != national::SPACE);
        self.task.change(range, |bytes| national::fit(&units, bytes));
        Ok(cut)
    }

    fn json_utf8(&mut self, text: &str, to: &Utf8Place) -> Result<bool, Failed> {
        let range = self.stored_span(&to.place)?;
        let characters = to.characters.map(|characters| characters as usize);
        let kept = self.task.change(range, |bytes| utf8::fit(text.as_bytes(), bytes, characters));
        Ok(text.as_bytes()[kept..].iter().any(|byte| *byte != b' '))
    }

    fn json_number(
        &mut self,
        text: &[u8],
        receiver: &Receiver,
        parsing: &mut Parsing<'_>,
    ) -> Result<(), Failed> {
        let (value, over) = match receiver.form {
            Form::Floating(_) => (large_of(text), false),
            _ => decimal_of(text),
        };
        let size = parsing.parse.size;
        let number = Number::Literal { value: value.value, scale: value.scale };
        self.set_slot(size, 0);
        match self.store(&number, slice::from_ref(receiver), Some(size)) {
            Err(ProgramFault::Divide) => self.set_slot(size, 1),
            stored => stored?,
        }
        if over || self.slot(size) > 0 {
            parsing.status |= SIZE;
            // What has too many digits loses the high ones; floating point that cannot be is left out.
            if !matches!(receiver.form, Form::Floating(_)) {
                self.store(&number, slice::from_ref(receiver), None)?;
            }
        }
        Ok(())
    }
}
