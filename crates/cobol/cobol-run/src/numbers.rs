//! Numbers of the intermediate form.

use std::cmp::Ordering;

use cobol_runtime::floating::Hex;
use cobol_types::{Numeric, Representation, SignPlace};

use super::abend::ProgramFault;
use super::decimal::Decimal;
use super::edit::{Marks, edit, unedit};
use super::fields;
use super::machine::{Copied, Machine};
use super::reals::{decimal_of, lying, real_of};
use cobol_ir::program::{BytePlace, Form, Held, Number, Receiver, Shape, Slot};

/// Zoned, without a sign.
const PLAIN: Representation = Representation::Zoned(SignPlace::None);
/// Characters that are taken for a number, at most.
const TEXT_DIGITS_MAX: usize = 31;

/// A number as it is computed.
#[derive(Clone, Copy, Debug)]
enum Value {
    Fixed(Decimal),
    Real(Hex),
}

impl Machine<'_> {
    /// The value of a number. A divisor of zero is a divide exception.
    pub(super) fn number(&mut self, number: &Number) -> Result<Decimal, ProgramFault> {
        match number {
            Number::Literal { value, scale } => Ok(Decimal { value: *value, scale: *scale }),
            Number::Field(place, numeric) => {
                let span = self.span(place)?;
                fields::load(&self.read(&span), *numeric)
            }
            Number::Text(place) => {
                let span = self.span(place)?;
                Ok(digits_of(&self.read(&span)))
            }
            Number::Edited(place, picture, _) => {
                let span = self.span(place)?;
                let picture = &self.program.pictures[*picture as usize];
                Ok(unedit(&self.read(&span), picture, self.marks()))
            }
            Number::NationalEdited(place, picture, _) => {
                let span = self.span(place)?;
                let picture = &self.program.pictures[*picture as usize];
                let text = fields::narrow(&self.read(&span)).ok_or(ProgramFault::Data)?;
                Ok(unedit(&text, picture, self.marks()))
            }
            Number::Held(held, _) => Ok(self.frame.held[held.0 as usize].0),
            Number::Power(power) => self.power(power),
            Number::Unicode(unicode) => self.unicode(unicode),
            Number::PlaceAmong { greatest, texts } => self.place_among(*greatest, texts),
            Number::Real(real) => decimal_of(self.real(real)?),
            Number::Slot(slot) => Ok(Decimal::whole(self.slot(*slot))),
            Number::Linear(linear) => Ok(Decimal::whole(self.linear(linear)?)),
            Number::Address(place) => Ok(Decimal::whole(self.address(place)?)),
            Number::Negative(inner) => {
                let inner = self.number(inner)?;
                Ok(Decimal { value: -inner.value, ..inner })
            }
            Number::Absolute(inner) => {
                let inner = self.number(inner)?;
                Ok(Decimal { value: inner.value.abs(), ..inner })
            }
            Number::Read(reading, text, _) => self.read_number(*reading, text),
            Number::Function(function, arguments, _) => self.function(*function, arguments),
            Number::Binary(operator, left, right, shape) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                Decimal::combined(*operator, left, right, *shape).ok_or(ProgramFault::Divide)
            }
        }
    }

    /// A number as it is computed, where a divisor of zero may be a size error.
    fn number_or_error(
        &mut self,
        number: &Number,
        error: Option<Slot>,
    ) -> Result<Option<Value>, ProgramFault> {
        let value = match number {
            Number::Real(real) => self.real(real).map(Value::Real),
            other => self.number(other).map(Value::Fixed),
        };
        match (value, error) {
            (Err(ProgramFault::Divide), Some(slot)) => {
                self.set_slot(slot, 1);
                Ok(None)
            }
            (value, _) => value.map(Some),
        }
    }

    pub(super) fn hold(
        &mut self,
        held: Held,
        value: &Number,
        shape: Shape,
        error: Option<Slot>,
    ) -> Result<(), ProgramFault> {
        match self.number_or_error(value, error)? {
            Some(Value::Fixed(value)) => self.frame.held[held.0 as usize].0 = value.kept(shape),
            Some(Value::Real(value)) => self.frame.held[held.0 as usize].1 = value,
            None => {}
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        value: &Number,
        to: &[Receiver],
        error: Option<Slot>,
    ) -> Result<(), ProgramFault> {
        if let ([to], Number::Field(from, _), None) = (to, value, error)
            && is_moved_as_it_lies(value, to)
        {
            return self.move_digits(from, &to.place);
        }
        let Some(value) = self.number_or_error(value, error)? else { return Ok(()) };
        for receiver in to {
            let stored = self.store_one(value, receiver, error.is_some())?;
            if let Some(slot) = error.filter(|_| !stored) {
                self.set_slot(slot, 1);
            }
        }
        Ok(())
    }

    fn store_one(&mut self, value: Value, to: &Receiver, checked: bool) -> Result<bool, ProgramFault> {
        let range = self.stored_span(&to.place)?;
        let marks = self.marks();
        let scale = match &to.form {
            Form::Number(numeric) => numeric.scale.into(),
            Form::Edited { picture, .. } | Form::NationalEdited { picture, .. } => {
                self.program.pictures[*picture as usize].scale
            }
            Form::Floating(width) => {
                let real = match value {
                    Value::Fixed(value) => real_of(value)?,
                    Value::Real(value) => value,
                };
                let Ok(bytes) = lying(real, *width) else {
                    return if checked { Ok(false) } else { Err(ProgramFault::Divide) };
                };
                self.task.put(range, &bytes);
                return Ok(true);
            }
        };
        let value = match value {
            Value::Fixed(value) => value,
            Value::Real(value) => {
                let (value, over) = value.to_decimal(scale, true);
                if over && checked {
                    return Ok(false);
                }
                Decimal { value, scale }
            }
        };
        match &to.form {
            Form::Floating(_) => Ok(true),
            Form::Number(numeric) => {
                let store = |bytes: &mut [u8]| fields::store(value, *numeric, to.rounded, checked, bytes);
                Ok(self.task.change(range, store))
            }
            Form::Edited { picture, blank_when_zero } | Form::NationalEdited { picture, blank_when_zero } => {
                let picture = &self.program.pictures[*picture as usize];
                if checked && value.aligned(picture.scale, to.rounded, picture.digits as u32).1 {
                    return Ok(false);
                }
                self.task.change(range, |bytes| {
                    if let Form::NationalEdited { .. } = to.form {
                        let mut text = vec![b' '; picture.size];
                        edit(value, picture, *blank_when_zero, marks, to.rounded, &mut text);
                        fields::widen(&text, bytes);
                    } else {
                        edit(value, picture, *blank_when_zero, marks, to.rounded, bytes);
                    }
                });
                Ok(true)
            }
        }
    }

    /// A number where nothing asks for a size error, as floating point or as a decimal of these decimals.
    pub(super) fn rounded(&mut self, number: &Number, scale: i32) -> Result<Decimal, ProgramFault> {
        match number {
            Number::Real(real) => Ok(Decimal { value: self.real(real)?.to_decimal(scale, true).0, scale }),
            other => self.number(other),
        }
    }

    /// The bytes of a number in a form.
    pub(super) fn stored(&mut self, number: &Number, numeric: Numeric) -> Result<Copied, ProgramFault> {
        let value = self.rounded(number, numeric.scale.into())?;
        let mut bytes = Copied::from_elem(0, numeric.length());
        fields::store(value, numeric, false, false, &mut bytes);
        Ok(bytes)
    }

    pub(super) fn compare_numbers(
        &mut self,
        left: &Number,
        right: &Number,
    ) -> Result<Ordering, ProgramFault> {
        if let (Number::Field(one, _), Number::Field(other, _)) = (left, right)
            && are_digits_alike(left, right)
        {
            let (one, other) = (self.span(one)?, self.span(other)?);
            return Ok(fields::compare_digits(&self.read(&one), &self.read(&other)));
        }
        if matches!(left, Number::Real(_)) || matches!(right, Number::Real(_)) {
            let left = self.as_real(left)?;
            return Ok(left.compare(self.as_real(right)?));
        }
        let left = self.number(left)?;
        Ok(left.compare(self.number(right)?))
    }

    /// Digits to an item of the same form: characters, whatever they are.
    fn move_digits(&mut self, from: &BytePlace, to: &BytePlace) -> Result<(), ProgramFault> {
        let from = self.span(from)?;
        let mut bytes = self.read(&from).to_vec();
        fields::without_sign(&mut bytes);
        let to = self.stored_span(to)?;
        self.task.put(to, &bytes);
        Ok(())
    }

    pub(super) fn is_numeric(&mut self, place: &BytePlace, numeric: Numeric) -> Result<bool, ProgramFault> {
        let span = self.span(place)?;
        Ok(fields::is_numeric(&self.read(&span), numeric))
    }

    fn marks(&self) -> Marks {
        Marks::of(self.program.decimal_comma)
    }
}

/// The digits of a zoned item without a sign.
fn plain_digits(number: &Number) -> Option<(u16, i16)> {
    match number {
        Number::Field(_, numeric) if numeric.representation == PLAIN => Some((numeric.digits, numeric.scale)),
        _ => None,
    }
}

/// Returns true if two numbers are zoned items of one form without a sign: they are compared digit by digit, and a
/// byte that is no digit is no fault.
pub fn are_digits_alike(left: &Number, right: &Number) -> bool {
    plain_digits(left).is_some_and(|own| plain_digits(right) == Some(own))
}

/// Returns true if a number goes to its receiver as it lies: between zoned items of one form without a sign.
pub fn is_moved_as_it_lies(value: &Number, to: &Receiver) -> bool {
    let Form::Number(numeric) = &to.form else { return false };
    numeric.representation == PLAIN && plain_digits(value) == Some((numeric.digits, numeric.scale))
}

/// The digit that the lower half of a character is in EBCDIC; `None` if it is no digit.
pub fn digit_of(byte: u8) -> Option<u8> {
    match byte.to_ascii_uppercase() {
        letter @ b'A'..=b'I' => Some(letter - b'A' + 1),
        letter @ b'J'..=b'R' => Some(letter - b'J' + 1),
        letter @ b'S'..=b'Z' => Some(letter - b'S' + 2),
        other => Some(other & 0x0F).filter(|digit| *digit <= 9),
    }
}

/// Characters as a whole number: their digits, zones left aside.
pub(super) fn digits_of(bytes: &[u8]) -> Decimal {
    let last = &bytes[bytes.len().saturating_sub(TEXT_DIGITS_MAX)..];
    let value = last.iter().fold(0_i128, |sum, byte| sum * 10 + i128::from(digit_of(*byte).unwrap_or(9)));
    Decimal { value, scale: 0 }
}
