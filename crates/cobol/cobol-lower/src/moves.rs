//! MOVE: which of the moves it is, by the categories of both sides.

use cobol_data::{Item, ItemId, Numeric, Representation, SignPlace, Type};
use cobol_runtime::floating::Width;
use cobol_source::At;
use cobol_syntax::tree::{Figurative, Literal, LiteralKind, Operand, Reference};

use super::national_edited::{is_number, takes_bytes};
use super::numbers::{WHOLE_WORD, is_approximate, word};
use super::places::{Extent, Located};
use super::reals::{real_field, width};
use super::value::Value;
use super::{Lowered, Lowering, utf8};
use cobol_ir::program::{
    BytePlace, Encoding, Form, Linear, Number, Operation, Reading, Receiver, Shape, Text, TextFunction,
};
use cobol_run::digit_of;

/// Digits of characters that are moved as a number.
const CHARACTERS: Shape = Shape { integers: 31, decimals: 0 };

impl<'a> Lowering<'a> {
    pub(super) fn move_statement(
        &mut self,
        corresponding: bool,
        from: &'a Operand,
        to: &'a [Reference],
    ) -> Lowered<()> {
        for receiver in to {
            match (corresponding, from) {
                (true, Operand::Reference(from)) => self.move_corresponding(from, receiver)?,
                (true, other) => return self.refuse(other.at(), "this MOVE CORRESPONDING"),
                (false, from) if self.is_dynamic(receiver) => self.move_to_dynamic(from, receiver)?,
                (false, from) if self.is_utf8_item(receiver) && !self.is_group(from) => {
                    let to = self.utf8_place(receiver, Extent::Received)?;
                    self.move_to_utf8(from, to, receiver.at())?;
                }
                (false, from) => {
                    let located = self.locate(receiver, Extent::Received)?;
                    self.move_to(from, located, receiver.at())?;
                }
            }
        }
        Ok(())
    }

    /// An operand to a place.
    pub(crate) fn move_to(&mut self, from: &'a Operand, to: Located<'a>, at: At) -> Lowered<()> {
        if self.is_group_sender(from) || self.is_between_groups(from, &to) {
            let from = self.bytes(from)?;
            let right = to.item.justified && !to.part;
            self.emit(Operation::Move { from, to: to.place, right });
            return Ok(());
        }
        match to.kind().clone() {
            Type::FloatShort | Type::FloatLong => {
                let value = self.sender_number(from, at)?;
                self.store_floating(value, to);
                Ok(())
            }
            Type::Numeric(numeric) => {
                if is_zoned(&numeric) && takes_bytes(from) {
                    return self.move_characters(from, to);
                }
                let value = match from {
                    Operand::Figurative(constant, _) => {
                        self.figurative_number(constant, numeric.digits.into(), at)?
                    }
                    other => self.sender_number(other, at)?,
                };
                let form = Form::Number(self.numeric(numeric));
                self.store_one(value, Receiver { place: to.place, form, rounded: false });
                Ok(())
            }
            Type::NumericEdited(picture) => {
                if matches!(from, Operand::Figurative(Figurative::Space, _)) || takes_bytes(from) {
                    return self.move_characters(from, to);
                }
                let value = match from {
                    Operand::Figurative(constant, _) => self.figurative_number(constant, picture.size, at)?,
                    other => self.sender_number(other, at)?,
                };
                let picture = self.picture(&picture);
                let form = Form::Edited { picture, blank_when_zero: to.item.blank_when_zero };
                self.store_one(value, Receiver { place: to.place, form, rounded: false });
                Ok(())
            }
            Type::AlphanumericEdited(picture) => {
                let from = self.text(from)?;
                let picture = self.picture(&picture);
                self.emit(Operation::EditText { from, to: to.place, picture });
                Ok(())
            }
            Type::National => self.move_national(from, to.place),
            Type::NationalEdited(picture) => self.move_national_edited(from, to, &picture, at),
            Type::Utf8(_) => self.move_to_utf8(from, utf8::whole(to), at),
            Type::Group | Type::Alphabetic | Type::Alphanumeric | Type::Pointer | Type::Index => {
                self.move_characters(from, to)
            }
            kind => self.refuse(at, format_args!("MOVE to {}", kind.name())),
        }
    }

    fn is_group_sender(&self, from: &Operand) -> bool {
        let Operand::Reference(reference) = from else { return false };
        let item = self.item(reference.id);
        reference.modification.is_none() && item.is_some_and(|(_, item)| item.kind == Type::Group)
    }

    /// A group of UTF-8 is moved to a national one as it lies, and the other way round.
    fn is_between_groups(&self, from: &Operand, to: &Located<'_>) -> bool {
        let Operand::Reference(reference) = from else { return false };
        let Some((_, item)) = self.item(reference.id).filter(|_| reference.modification.is_none()) else {
            return false;
        };
        let kinds = (&item.kind, &to.item.kind);
        let differ = matches!(kinds, (Type::National, Type::Utf8(_)) | (Type::Utf8(_), Type::National));
        differ && item.is_group() && to.item.is_group() && !to.part
    }

    fn move_characters(&mut self, from: &'a Operand, to: Located<'a>) -> Lowered<()> {
        let text = if to.is_group() { self.bytes(from)? } else { self.text(from)? };
        let right = to.item.justified && !to.part;
        self.emit(Operation::Move { from: text, to: to.place, right });
        Ok(())
    }

    /// Bytes that a group takes: the sender's as they lie.
    pub(super) fn bytes(&mut self, from: &'a Operand) -> Lowered<Text> {
        match from {
            Operand::Reference(reference)
                if self.item(reference.id).is_some_and(|(_, item)| item.kind != Type::Constant) =>
            {
                Ok(Text::Place(self.locate(reference, Extent::Present)?.place))
            }
            other => self.text(other),
        }
    }

    /// The number that an operand is to a numeric receiver.
    pub(super) fn sender_number(&mut self, from: &'a Operand, at: At) -> Lowered<Number> {
        match from {
            Operand::Literal(literal)
                if !matches!(literal.kind, LiteralKind::Number | LiteralKind::Float) =>
            {
                self.literal_as_number(literal)
            }
            Operand::Reference(reference) => {
                if self.item(reference.id).is_some_and(|(_, item)| item.kind == Type::Constant) {
                    return self.item_number(reference);
                }
                let located = self.locate(reference, Extent::Present)?;
                self.located_number(located, at)
            }
            Operand::Figurative(Figurative::Zero, _)
            | Operand::Literal(_)
            | Operand::Cics { .. }
            | Operand::LengthOf(..) => self.operand_number(from),
            Operand::Function(call) => Ok(match self.function(call)? {
                Value::Number(number) => number,
                Value::Text(Text::Place(place)) => Number::Text(place),
                Value::Text(text) => Number::Read(Reading::Digits, Box::new(text), CHARACTERS),
            }),
            other => self.refuse(other.at(), "this MOVE to a number"),
        }
    }

    /// Number in a quoted literal: a whole number of its digits, of letters the digits that they have in EBCDIC.
    fn literal_as_number(&mut self, literal: &Literal) -> Lowered<Number> {
        match digits_in(literal).and_then(|digits| super::numbers::number_of(&digits)) {
            Some(number) => Ok(number),
            None => self.refuse(literal.at, "MOVE of this text to a number"),
        }
    }

    /// A figurative constant as a number: characters, as many as the receiver has.
    pub(super) fn figurative_number(
        &mut self,
        constant: &'a Figurative,
        size: usize,
        at: At,
    ) -> Lowered<Number> {
        let number = match constant {
            Figurative::Zero | Figurative::LowValue | Figurative::Null => Some(Number::whole(0)),
            Figurative::All(literal) => {
                digits_in(literal).filter(|digits| !digits.is_empty()).and_then(|digits| {
                    let all: String = digits.chars().cycle().take(size).collect();
                    super::numbers::number_of(&all)
                })
            }
            _ => None,
        };
        match number {
            Some(number) => Ok(number),
            None => self.refuse(at, format_args!("MOVE of {} to a number of this form", constant.name())),
        }
    }

    pub(super) fn located_number(&mut self, located: Located<'a>, at: At) -> Lowered<Number> {
        match located.kind() {
            Type::Numeric(numeric) => Ok(Number::Field(located.place, self.numeric(*numeric))),
            Type::NumericEdited(picture) => {
                let scale = picture.scale;
                let shape = Shape { integers: picture.digits as i32 - scale, decimals: scale };
                let picture = self.picture(&picture.clone());
                Ok(Number::Edited(located.place, picture, shape))
            }
            Type::NationalEdited(picture) if is_number(picture) => {
                let scale = picture.scale;
                let shape = Shape { integers: picture.digits as i32 - scale, decimals: scale };
                let picture = self.picture(&picture.clone());
                Ok(Number::NationalEdited(located.place, picture, shape))
            }
            Type::National => {
                let function =
                    TextFunction::Display { text: Text::Place(located.place), to: Encoding::Program };
                let text = Text::Function(Box::new(function));
                Ok(Number::Read(Reading::Digits, Box::new(text), CHARACTERS))
            }
            Type::Alphanumeric | Type::Alphabetic => Ok(Number::Text(located.place)),
            Type::FloatShort => Ok(real_field(located.place, Width::Short)),
            Type::FloatLong => Ok(real_field(located.place, Width::Long)),
            kind => {
                let name = kind.name();
                self.refuse(at, format_args!("MOVE of {} ({name}) to a number", located.item.display_name()))
            }
        }
    }

    pub(crate) fn picture(&mut self, picture: &cobol_data::Picture) -> u32 {
        let known = self.out.pictures.iter().position(|known| known == picture);
        known.unwrap_or_else(|| {
            self.out.pictures.push(picture.clone());
            self.out.pictures.len() - 1
        }) as u32
    }

    /// A number to an item of floating point.
    fn store_floating(&mut self, value: Number, to: Located<'a>) {
        if let Some(width) = width(to.kind()) {
            let form = Form::Floating(width);
            self.store_one(value, Receiver { place: to.place, form, rounded: false });
        }
    }

    /// A number to a place without ON SIZE ERROR. Results of floating point are rounded, as the language reference says.
    pub(crate) fn store_one(&mut self, value: Number, mut to: Receiver) {
        to.rounded |= is_approximate(&value);
        self.emit(Operation::Store { value, to: vec![to], error: None });
    }

    /// A number to an item, as SET and PERFORM VARYING do.
    pub(crate) fn store_plain(&mut self, to: &'a Reference, value: Number) -> Lowered<()> {
        let located = self.locate(to, Extent::Received)?;
        let numeric = match located.kind() {
            Type::Numeric(numeric) => self.numeric(*numeric),
            Type::IndexName => WHOLE_WORD,
            Type::Index | Type::Pointer => word(located.item.length),
            Type::FloatShort | Type::FloatLong => {
                self.store_floating(value, located);
                return Ok(());
            }
            _ => return self.refuse(to.at(), format_args!("{} as a number", to.name.text)),
        };
        let form = Form::Number(numeric);
        self.store_one(value, Receiver { place: located.place, form, rounded: false });
        Ok(())
    }

    // CORRESPONDING.

    fn move_corresponding(&mut self, from: &'a Reference, to: &'a Reference) -> Lowered<()> {
        for (own, other) in self.corresponding_pairs(from, to)? {
            self.move_located(own, other, to.at())?;
        }
        Ok(())
    }

    /// The items of two groups that CORRESPONDING is for.
    pub(super) fn corresponding_pairs(
        &mut self,
        from: &'a Reference,
        to: &'a Reference,
    ) -> Lowered<Vec<(Located<'a>, Located<'a>)>> {
        let sender = self.locate(from, Extent::Present)?;
        let receiver = self.locate(to, Extent::Present)?;
        let (Some((from_id, _)), Some((to_id, _))) = (self.item(from.id), self.item(to.id)) else {
            return self.refuse(to.at(), "this CORRESPONDING");
        };
        let mut pairs = Vec::new();
        self.corresponding(from_id, to_id, &mut pairs);
        let located = |(own, other)| (self.part_of(&sender, own), self.part_of(&receiver, other));
        Ok(pairs.into_iter().map(located).collect())
    }

    /// The items of two groups that have the same name, at least one of them elementary.
    fn corresponding(&self, from: ItemId, to: ItemId, out: &mut Vec<(ItemId, ItemId)>) {
        let items = &self.program.items;
        let takes_part = |item: &Item| {
            let pointer = matches!(item.kind, Type::Index | Type::Pointer | Type::ProcedurePointer);
            item.occurs.is_none() && item.redefines.is_none() && !pointer
        };
        for part in &items.get(from).parts {
            let own = items.get(*part);
            let Some(name) = own.name.as_ref().filter(|_| takes_part(own)) else { continue };
            let same = |id: &&ItemId| {
                let other = items.get(**id);
                takes_part(other) && other.name.as_ref().is_some_and(|n| n.text == name.text)
            };
            let Some(other) = items.get(to).parts.iter().find(same) else { continue };
            if own.is_group() && items.get(*other).is_group() {
                self.corresponding(*part, *other, out);
            } else {
                out.push((*part, *other));
            }
        }
    }

    /// An item of a group that has been located.
    fn part_of(&self, group: &Located<'a>, part: ItemId) -> Located<'a> {
        let item = self.program.items.get(part);
        let place = BytePlace {
            at: group.place.at.clone().plus(1, Linear::constant((item.offset - group.item.offset) as i64)),
            length: Linear::constant(item.length as i64),
            ..group.place.clone()
        };
        Located { place, item, part: false }
    }

    /// From one item to another.
    pub(crate) fn move_located(&mut self, from: Located<'a>, to: Located<'a>, at: At) -> Lowered<()> {
        match to.kind().clone() {
            Type::National if !from.is_group() => self.move_located_national(from, to.place, at)?,
            Type::NationalEdited(picture) if !from.is_group() => {
                self.move_located_edited(from, to, &picture, at)?;
            }
            Type::Utf8(_) if !from.is_group() => self.move_located_utf8(from, to, at)?,
            Type::FloatShort | Type::FloatLong if !from.is_group() => {
                let value = self.located_number(from, at)?;
                self.store_floating(value, to);
            }
            Type::Numeric(numeric) if !from.is_group() => {
                let value = self.located_number(from, at)?;
                let form = Form::Number(self.numeric(numeric));
                self.store_one(value, Receiver { place: to.place, form, rounded: false });
            }
            Type::NumericEdited(picture) if !from.is_group() => {
                let value = self.located_number(from, at)?;
                let picture = self.picture(&picture);
                let form = Form::Edited { picture, blank_when_zero: to.item.blank_when_zero };
                self.store_one(value, Receiver { place: to.place, form, rounded: false });
            }
            Type::AlphanumericEdited(picture) if !from.is_group() => {
                let from = self.located_text(from, at)?;
                let picture = self.picture(&picture);
                self.emit(Operation::EditText { from, to: to.place, picture });
            }
            _ => {
                let right = to.item.justified;
                let raw = to.is_group() || from.is_group();
                let from = if raw { Text::Place(from.place) } else { self.located_text(from, at)? };
                self.emit(Operation::Move { from, to: to.place, right });
            }
        }
        Ok(())
    }
}

/// The digits of characters as PACK takes them; none of characters whose lower half is no digit.
fn digits_in(literal: &Literal) -> Option<String> {
    let is_text = matches!(literal.kind, LiteralKind::Text | LiteralKind::Number | LiteralKind::National);
    let digit =
        |c: char| u8::try_from(u32::from(c)).ok().and_then(digit_of).map(|digit| char::from(b'0' + digit));
    literal.text.chars().map(digit).collect::<Option<String>>().filter(|_| is_text)
}

/// Returns true if a number lies as digits, and a sign perhaps.
pub(crate) fn is_zoned(numeric: &Numeric) -> bool {
    matches!(
        numeric.representation,
        Representation::Zoned(
            SignPlace::None
                | SignPlace::Leading
                | SignPlace::Trailing
                | SignPlace::LeadingSeparate
                | SignPlace::TrailingSeparate
        )
    )
}
