//! Numbers of the intermediate form.

use std::cmp::Ordering;

use cobol_data::{Numeric, Representation, SignPlace};

use super::abend::Fault;
pub use super::decimal::Decimal;
use super::edit::{Marks, edit, unedit};
use super::fields;
use super::machine::Machine;
use crate::program::{Form, Held, Number, Place, Receiver, Shape, Slot};

/// Zoned, without a sign.
const PLAIN: Representation = Representation::Zoned(SignPlace::None);
/// Characters that are taken for a number, at most.
const TEXT_DIGITS_MAX: usize = 31;

impl Machine<'_> {
    /// The value of a number. A divisor of zero is a divide exception.
    pub(super) fn number(&mut self, number: &Number) -> Result<Decimal, Fault> {
        match number {
            Number::Literal { value, scale } => Ok(Decimal { value: *value, scale: *scale }),
            Number::Field(place, numeric) => {
                let span = self.span(place)?;
                fields::load(self.read(&span), *numeric)
            }
            Number::Text(place) => {
                let span = self.span(place)?;
                Ok(digits_of(self.read(&span)))
            }
            Number::Edited(place, picture, _) => {
                let span = self.span(place)?;
                let picture = &self.program.pictures[*picture as usize];
                Ok(unedit(self.read(&span), picture, self.marks()))
            }
            Number::Held(held, _) => Ok(self.held[held.0 as usize]),
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
                Decimal::combined(*operator, left, right, *shape).ok_or(Fault::Divide)
            }
        }
    }

    /// The same, where a divisor of zero may be a size error.
    fn number_or_error(&mut self, number: &Number, error: Option<Slot>) -> Result<Option<Decimal>, Fault> {
        match (self.number(number), error) {
            (Err(Fault::Divide), Some(slot)) => {
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
    ) -> Result<(), Fault> {
        if let Some(value) = self.number_or_error(value, error)? {
            self.held[held.0 as usize] = value.kept(shape);
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        value: &Number,
        to: &[Receiver],
        error: Option<Slot>,
    ) -> Result<(), Fault> {
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

    fn store_one(&mut self, value: Decimal, to: &Receiver, checked: bool) -> Result<bool, Fault> {
        let range = self.task_span(&to.place)?;
        let marks = self.marks();
        match &to.form {
            Form::Number(numeric) => {
                let bytes = &mut self.task.memory_mut()[range];
                Ok(fields::store(value, *numeric, to.rounded, checked, bytes))
            }
            Form::Edited { picture, blank_when_zero } => {
                let picture = &self.program.pictures[*picture as usize];
                let (_, over) = value.aligned(picture.scale, to.rounded, picture.digits as u32);
                if over && checked {
                    return Ok(false);
                }
                let bytes = &mut self.task.memory_mut()[range];
                edit(value, picture, *blank_when_zero, marks, to.rounded, bytes);
                Ok(true)
            }
        }
    }

    /// The bytes of a number in a form.
    pub(super) fn stored(&mut self, number: &Number, numeric: Numeric) -> Result<Vec<u8>, Fault> {
        let value = self.number(number)?;
        let mut bytes = vec![0; numeric.length()];
        fields::store(value, numeric, false, false, &mut bytes);
        Ok(bytes)
    }

    pub(super) fn compare_numbers(&mut self, left: &Number, right: &Number) -> Result<Ordering, Fault> {
        if let (Number::Field(one, _), Number::Field(other, _)) = (left, right)
            && are_digits_alike(left, right)
        {
            let (one, other) = (self.span(one)?, self.span(other)?);
            return Ok(fields::compare_digits(self.read(&one), self.read(&other)));
        }
        let left = self.number(left)?;
        Ok(left.compare(self.number(right)?))
    }

    /// Digits to an item of the same form: characters, whatever they are.
    fn move_digits(&mut self, from: &Place, to: &Place) -> Result<(), Fault> {
        let from = self.span(from)?;
        let mut bytes = self.read(&from).to_vec();
        fields::without_sign(&mut bytes);
        let to = self.task_span(to)?;
        self.task.memory_mut()[to].copy_from_slice(&bytes);
        Ok(())
    }

    pub(super) fn is_numeric(&mut self, place: &Place, numeric: Numeric) -> Result<bool, Fault> {
        let span = self.span(place)?;
        Ok(fields::is_numeric(self.read(&span), numeric))
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

/// Whether two numbers are zoned items of one form without a sign: they are compared digit by digit, and what is no digit is no
/// fault.
pub fn are_digits_alike(left: &Number, right: &Number) -> bool {
    plain_digits(left).is_some_and(|own| plain_digits(right) == Some(own))
}

/// Whether a number goes to its receiver as it lies: between zoned items of one form without a sign.
pub fn is_moved_as_it_lies(value: &Number, to: &Receiver) -> bool {
    let Form::Number(numeric) = &to.form else { return false };
    numeric.representation == PLAIN && plain_digits(value) == Some((numeric.digits, numeric.scale))
}

/// Characters as a whole number: their digits, zones left aside.
pub(super) fn digits_of(bytes: &[u8]) -> Decimal {
    let last = &bytes[bytes.len().saturating_sub(TEXT_DIGITS_MAX)..];
    let value = last.iter().fold(0_i128, |sum, byte| sum * 10 + i128::from((byte & 0x0F).min(9)));
    Decimal { value, scale: 0 }
}
