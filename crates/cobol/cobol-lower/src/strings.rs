//! STRING, UNSTRING, and ACCEPT.

use cobol_data::{Numeric, Representation, SignPlace, Type};
use cobol_source::At;
use cobol_syntax::tree::{Event, Handlers, Name, Operand, Reference, StringSource, UnstringTarget};

use super::kinds::is_national_kind;
use super::moves::is_zoned;
use super::places::Extent;
use super::texts::is_plain_zoned;
use super::{Lowered, Lowering};
use cobol_ir::program::{
    BytePlace, End, Form, NationalText, Number, Operation, Receiver, Segment, Service, Site, Slot, Test,
    Text, TextReceiver, Unstring, UnstringReceiver,
};

/// Moments that ACCEPT takes from the system, each with its digits.
const MOMENTS: [(&str, u32); 6] =
    [("DATE", 6), ("DATE YYYYMMDD", 8), ("DAY", 5), ("DAY YYYYDDD", 7), ("DAY-OF-WEEK", 1), ("TIME", 8)];
/// The words of an UNSTRING: sender, delimiters, receivers, POINTER and TALLYING, and where an overflow is noted.
pub(super) type UnstringWords<'a> =
    (&'a Operand, &'a [(Operand, bool)], &'a [UnstringTarget], [Option<&'a Reference>; 2], Slot);

/// Devices that are the ordinary input.
const DEVICES: [&str; 2] = ["SYSIN", "CONSOLE"];

impl<'a> Lowering<'a> {
    pub(super) fn string(
        &mut self,
        sources: &'a [StringSource],
        into: &'a Reference,
        pointer: Option<&'a Reference>,
        handlers: &'a Handlers,
    ) -> Lowered<()> {
        let overflow = self.new_slot();
        self.emit(Operation::SetSlot(overflow, 0));
        let lowered = self.string_operation(sources, into, pointer, overflow);
        self.overflow_handlers(overflow, handlers);
        lowered
    }

    pub(super) fn unstring(
        &mut self,
        item: &'a Operand,
        delimiters: &'a [(Operand, bool)],
        into: &'a [UnstringTarget],
        counters: [Option<&'a Reference>; 2],
        handlers: &'a Handlers,
    ) -> Lowered<()> {
        let overflow = self.new_slot();
        self.emit(Operation::SetSlot(overflow, 0));
        let lowered = self.unstring_operation(item, delimiters, into, counters, overflow);
        self.overflow_handlers(overflow, handlers);
        lowered
    }

    fn unstring_operation(
        &mut self,
        item: &'a Operand,
        delimiters: &'a [(Operand, bool)],
        into: &'a [UnstringTarget],
        [pointer, tallying]: [Option<&'a Reference>; 2],
        overflow: Slot,
    ) -> Lowered<()> {
        if self.is_utf8(item) {
            return self.unstring_utf8((item, delimiters, into, [pointer, tallying], overflow));
        }
        let national = self.is_national(item);
        let words = (item, delimiters, into, [pointer, tallying], overflow);
        let unstring = self.unstring_parts(
            words,
            |own, operand| own.characters_of(operand, national),
            |own, reference, _| own.text_receiver(reference, national),
        )?;
        self.emit(match national {
            true => Operation::National(Box::new(NationalText::Unstring(unstring))),
            false => Operation::Unstring(Box::new(unstring)),
        });
        Ok(())
    }

    /// The parts of an UNSTRING of characters of any kind: the caller says how texts are read, and how an item
    /// receives them, with how many it takes. The last argument of that is true if the item receives a delimiter.
    pub(super) fn unstring_parts(
        &mut self,
        (item, delimiters, into, [pointer, tallying], overflow): UnstringWords<'a>,
        mut text: impl FnMut(&mut Self, &'a Operand) -> Lowered<Text>,
        mut receiver: impl FnMut(&mut Self, &'a Reference, bool) -> Lowered<(TextReceiver, Option<u32>)>,
    ) -> Lowered<Unstring> {
        let from = text(self, item)?;
        let mut all = Vec::new();
        for (delimiter, repeated) in delimiters {
            all.push((text(self, delimiter)?, *repeated));
        }
        let mut receivers = Vec::new();
        for target in into {
            let (to, digits) = receiver(self, &target.item, false)?;
            let delimiter = match &target.delimiter {
                Some(delimiter) => Some(receiver(self, delimiter, true)?.0),
                None => None,
            };
            let count = self.optional_counter(target.count.as_ref())?;
            receivers.push(UnstringReceiver { to, digits, delimiter, count });
        }
        let pointer = self.optional_counter(pointer)?;
        let tallying = self.optional_counter(tallying)?;
        Ok(Unstring { from, delimiters: all, into: receivers, pointer, tallying, overflow })
    }

    pub(super) fn optional_counter(
        &mut self,
        counter: Option<&'a Reference>,
    ) -> Lowered<Option<(BytePlace, Numeric)>> {
        counter.map(|counter| self.counter(counter)).transpose()
    }

    /// A receiver of characters, and how many it takes if that is not how many bytes it has.
    fn text_receiver(
        &mut self,
        reference: &'a Reference,
        national: bool,
    ) -> Lowered<(TextReceiver, Option<u32>)> {
        let located = self.locate(reference, Extent::Received)?;
        let right = located.item.justified && !located.part;
        match located.kind() {
            kind if national && is_national_kind(kind) && !right => {
                Ok((TextReceiver::Characters { place: located.place, right }, None))
            }
            kind if national => {
                let what = format!("UNSTRING of national characters into {}", kind.name());
                self.refuse(reference.at(), what)
            }
            Type::Alphanumeric | Type::Alphabetic | Type::Group => {
                Ok((TextReceiver::Characters { place: located.place, right }, None))
            }
            Type::Numeric(numeric) if numeric.scale >= 0 => {
                let numeric = self.numeric(*numeric);
                Ok((TextReceiver::Number(located.place, numeric), Some(numeric.digits.into())))
            }
            kind => self.refuse(reference.at(), format_args!("UNSTRING into {}", kind.name())),
        }
    }

    fn overflow_handlers(&mut self, overflow: Slot, handlers: &'a Handlers) {
        let [failed, done, end] = std::array::from_fn(|_| self.new_block());
        self.end(End::Branch { test: Test::Positive(overflow), yes: failed, no: done }, failed);
        for (not, next) in [(false, done), (true, end)] {
            let own = |handler: &&cobol_syntax::tree::Handler| {
                handler.event == Event::Overflow && handler.not == not
            };
            for handler in handlers.list.iter().filter(own) {
                self.statements(&handler.body);
            }
            self.jump(end, next);
        }
    }

    fn string_operation(
        &mut self,
        sources: &'a [StringSource],
        into: &'a Reference,
        pointer: Option<&'a Reference>,
        overflow: Slot,
    ) -> Lowered<()> {
        if self.is_utf8_item(into) {
            return self.string_utf8(sources, into, pointer, overflow);
        }
        if self.is_dynamic(into) {
            return self.string_to_dynamic(sources, into, pointer, overflow);
        }
        let national = self.item(into.id).is_some_and(|(_, item)| is_national_kind(&item.kind));
        let all = self.string_sources(sources, national)?;
        let pointer = self.optional_counter(pointer)?;
        let located = self.locate(into, Extent::Present)?;
        if national {
            let into = located.place;
            let string = NationalText::String { sources: all, into, pointer, overflow };
            self.emit(Operation::National(Box::new(string)));
            return Ok(());
        }
        match located.kind() {
            Type::Alphanumeric | Type::Alphabetic | Type::Group => {}
            Type::Numeric(numeric) if is_plain_zoned(numeric) => {}
            kind @ (Type::AlphanumericEdited(_) | Type::NumericEdited(_)) => {
                let message =
                    format!("STRING puts characters into {}, which is {}", into.name.text, kind.name());
                return self.mistaken(
                    into.at(),
                    message,
                    "the item behind INTO is not edited: MOVE the text to it",
                );
            }
            kind => return self.refuse(into.at(), format_args!("STRING into {}", kind.name())),
        }
        self.emit(Operation::String { sources: all, into: located.place, pointer, overflow });
        Ok(())
    }

    /// The senders of a STRING, each with its delimiter.
    pub(super) fn string_sources(
        &mut self,
        sources: &'a [StringSource],
        national: bool,
    ) -> Lowered<Vec<(Text, Option<Text>)>> {
        self.walk_sources(sources, |own, operand, is_piece| match is_piece && !national {
            true => own.piece(operand),
            false => own.characters_of(operand, national),
        })
    }

    /// The senders of a STRING as characters of whatever kind, each with its delimiter.
    pub(super) fn walk_sources(
        &mut self,
        sources: &'a [StringSource],
        mut text: impl FnMut(&mut Self, &'a Operand, bool) -> Lowered<Text>,
    ) -> Lowered<Vec<(Text, Option<Text>)>> {
        let mut all = Vec::new();
        for source in sources {
            for piece in &source.pieces {
                let delimiter = source.delimiter.as_ref().map(|one| text(self, one, false)).transpose()?;
                all.push((text(self, piece, true)?, delimiter));
            }
        }
        Ok(all)
    }

    /// A sender of STRING: a number whose sign has a character of its own is sent with it.
    fn piece(&mut self, piece: &'a Operand) -> Lowered<Text> {
        if let Operand::Reference(reference) = piece
            && let Some((_, item)) = self.item(reference.id)
            && let Type::Numeric(Numeric { scale: 0, representation: Representation::Zoned(sign), .. }) =
                &item.kind
            && matches!(sign, SignPlace::LeadingSeparate | SignPlace::TrailingSeparate)
        {
            let located = self.locate(reference, Extent::Present)?;
            return Ok(Text::Place(located.place));
        }
        self.text(piece)
    }

    /// ACCEPT: the host gives characters or digits; digits are moved as a whole number.
    pub(super) fn accept(
        &mut self,
        at: At,
        item: &'a Reference,
        from: Option<&'a Name>,
        form: Option<&'a Name>,
    ) -> Lowered<()> {
        let mut words = from.map_or(String::new(), |name| self.device_of(name).to_string());
        if let Some(form) = form {
            words = format!("{words} {}", form.text);
        }
        let to = self.locate(item, Extent::Received)?;
        let Some((_, digits)) = MOMENTS.iter().find(|(name, _)| *name == words) else {
            let ordinary = words.is_empty() || DEVICES.contains(&&*words);
            return match to.kind() {
                // Characters are transferred as they come, without conversion or editing.
                Type::Alphanumeric
                | Type::Alphabetic
                | Type::Group
                | Type::AlphanumericEdited(_)
                | Type::NumericEdited(_)
                    if ordinary =>
                {
                    self.call_accept(String::new(), to.place);
                    Ok(())
                }
                Type::Numeric(numeric) if ordinary && is_zoned(numeric) => {
                    self.call_accept(String::new(), to.place);
                    Ok(())
                }
                kind if ordinary => self.refuse(at, format_args!("ACCEPT of {}", kind.name())),
                _ => self.refuse(at, format_args!("ACCEPT FROM {words}")),
            };
        };
        let hidden = self.hidden_storage(*digits);
        self.call_accept(words, hidden.clone());
        let representation = Representation::Zoned(SignPlace::None);
        let numeric = Numeric { digits: *digits as u16, scale: 0, signed: false, representation };
        let number = Number::Field(hidden.clone(), numeric);
        match to.kind().clone() {
            Type::Numeric(own) => {
                let form = Form::Number(self.numeric(own));
                self.store_one(number, Receiver { place: to.place, form, rounded: false });
            }
            Type::NumericEdited(picture) => {
                let picture = self.picture(&picture);
                let form = Form::Edited { picture, blank_when_zero: to.item.blank_when_zero };
                self.store_one(number, Receiver { place: to.place, form, rounded: false });
            }
            Type::Alphanumeric | Type::Alphabetic | Type::Group => {
                let right = to.item.justified && !to.part;
                let from = Text::Place(hidden);
                self.emit(Operation::Move { from, to: to.place, right });
            }
            kind => return self.refuse(at, format_args!("ACCEPT of {}", kind.name())),
        }
        Ok(())
    }

    /// The system's name behind a name of SPECIAL-NAMES.
    fn device_of(&self, name: &'a Name) -> &'a str {
        let mnemonics = &self.program.syntax.environment.mnemonics;
        let meant = mnemonics.iter().find(|one| one.name.as_ref().is_some_and(|own| own.text == name.text));
        meant.map_or(&name.text, |mnemonic| &mnemonic.system.text)
    }

    pub(super) fn call_accept(&mut self, words: String, place: BytePlace) {
        let service = Service::Accept(words);
        self.out.sites.push(Site { service, arguments: Vec::new(), returning: Some(place) });
        let site = self.out.sites.len() as u32 - 1;
        let next = self.new_block();
        self.end(End::Host { site, next, failed: None }, next);
    }

    /// Storage that no name stands for.
    pub(super) fn hidden_storage(&mut self, length: u32) -> BytePlace {
        let at = self.out.working.len();
        self.out.working.change(|bytes| bytes.resize(at + (length as usize).next_multiple_of(8), 0));
        BytePlace::fixed(Segment::Working, at as u32, length)
    }
}
