//! Intrinsic functions.

use std::borrow::Cow;
use std::cmp::Ordering;

use cobol_runtime::dates;
use cobol_runtime::floating::Hex;
use cobol_runtime::national::{self, display_of, national_of};
use cobol_runtime::numval::{self, Style};
use cobol_runtime::utf8;

use super::abend::ProgramFault;
use super::decimal::{Decimal, ten};
use super::machine::Machine;
use super::made_texts::{ARGUMENT_MAX, bits, bytes_of, hexadecimal, unique};
use super::numbers::digits_of;
use cobol_ir::program::{Currency, Encoding, Function, Linear, Number, Reading, Text, TextFunction, TextOf};

impl Machine<'_> {
    /// The value of a function of numbers.
    pub(super) fn function(
        &mut self,
        function: Function,
        arguments: &[Number],
    ) -> Result<Decimal, ProgramFault> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.number(argument)?);
        }
        let first = *values.first().ok_or(ProgramFault::Argument)?;
        let second = values.get(1).copied().unwrap_or_default();
        let [one, two, three] = std::array::from_fn(|at| values.get(at).map_or(0, |value| value.integer()));
        let whole = match function {
            Function::Integer => return Ok(integer(first)),
            Function::IntegerPart => return Ok(integer_part(first)),
            Function::Mod => return modulo(first, second),
            Function::Remainder => return remainder(first, second),
            Function::Greatest => return Ok(values[extreme(&values, Ordering::Greater)]),
            Function::Least => return Ok(values[extreme(&values, Ordering::Less)]),
            Function::PlaceOfGreatest => Some(extreme(&values, Ordering::Greater) as i64 + 1),
            Function::PlaceOfLeast => Some(extreme(&values, Ordering::Less) as i64 + 1),
            Function::Factorial(greatest) => return factorial(one, greatest),
            Function::Median => return median(&values),
            Function::Sign => Some(first.value.signum() as i64),
            Function::IntegerOfDate(epoch) => dates::integer_of_date(one, epoch),
            Function::IntegerOfDay(epoch) => dates::integer_of_day(one, epoch),
            Function::DateOfInteger(epoch) => dates::date_of_integer(one, epoch),
            Function::DayOfInteger(epoch) => dates::day_of_integer(one, epoch),
            Function::TestDate => Some(dates::test_date(one)),
            Function::TestDay => Some(dates::test_day(one)),
            Function::YearToYyyy => dates::year_to_yyyy(one, two, three),
            Function::DateToYyyymmdd => dates::date_to_yyyymmdd(one, two, three),
            Function::DayToYyyyddd => dates::day_to_yyyyddd(one, two, three),
        };
        whole.map(Decimal::whole).ok_or(ProgramFault::Argument)
    }

    /// Number that characters mean.
    pub(super) fn read_number(&mut self, reading: Reading, text: &Text) -> Result<Decimal, ProgramFault> {
        let comma = self.program.decimal_comma;
        let constants = &self.program.constants;
        let sign = |Currency { at, length }| {
            let (at, length) = (at as usize, length as usize);
            constants.get(at..at.saturating_add(length)).ok_or(ProgramFault::Host)
        };
        let text = self.argument(text)?;
        let style =
            |currency, digits_max| Style { point: if comma { b',' } else { b'.' }, currency, digits_max };
        let whole = match reading {
            Reading::Digits => return Ok(digits_of(&text)),
            Reading::Numval(digits) => return numval(&text, style(None, digits)),
            Reading::NumvalC(digits, currency) => {
                return numval(&text, style(Some(sign(currency)?), digits));
            }
            Reading::Length => text.len(),
            Reading::StoredLength => text.iter().rposition(|byte| *byte != b' ').map_or(0, |at| at + 1),
            Reading::Ordinal => match &text[..] {
                [one] => usize::from(*one) + 1,
                _ => return Err(ProgramFault::Argument),
            },
            Reading::TestNumvalF => {
                numval::read_floating(&text, if comma { b',' } else { b'.' }).err().unwrap_or(0)
            }
            Reading::TestFormatted(format) => format.read(&text).err().unwrap_or(0),
            Reading::DayOf(format, epoch) => {
                let local = format.read(&text).map_err(|_| ProgramFault::Argument)?;
                return Ok(Decimal::whole(local.day + epoch.ahead()));
            }
            Reading::SecondsOf(format) => {
                let local = format.read(&text).map_err(|_| ProgramFault::Argument)?;
                return Ok(Decimal { value: local.nanos.into(), scale: 9 });
            }
            Reading::TestNumval(digits) => wrong_at(&text, style(None, digits)),
            Reading::TestNumvalC(digits, currency) => wrong_at(&text, style(Some(sign(currency)?), digits)),
        };
        Ok(Decimal::whole(whole as i64))
    }

    /// NUMVAL-F.
    pub(super) fn read_real(&mut self, text: &Text) -> Result<Hex, ProgramFault> {
        let point = if self.program.decimal_comma { b',' } else { b'.' };
        let text = self.argument(text)?;
        let written = numval::read_floating(&text, point).map_err(|_| ProgramFault::Argument)?;
        Hex::from_decimal(written.value, written.scale).ok_or(ProgramFault::Argument)
    }

    /// Characters that a function makes of others.
    pub(super) fn text_function(&mut self, function: &TextFunction) -> Result<Vec<u8>, ProgramFault> {
        Ok(match function {
            TextFunction::Trim { text, leading, trailing } => {
                let text = self.argument(text)?;
                trimmed(&text, *leading, *trailing).to_vec()
            }
            TextFunction::Of(function, text) => text_of(*function, &self.argument(text)?),
            TextFunction::Character(number) => {
                let byte = self.integer(number)?.checked_sub(1).and_then(|byte| u8::try_from(byte).ok());
                vec![byte.ok_or(ProgramFault::Argument)?]
            }
            TextFunction::National { text, from } => {
                let from = self.encoding(from)?;
                national_of(&self.argument(text)?, from)
            }
            TextFunction::Display { text, to } => {
                let to = self.encoding(to)?;
                display_of(&self.argument(text)?, to)
            }
            TextFunction::Translated { text, table } => {
                self.argument(text)?.iter().map(|byte| table[usize::from(*byte)]).collect()
            }
            TextFunction::Join(texts) => self.joined(texts)?,
            TextFunction::Substitute { text, pairs } => self.substituted(text, pairs)?,
            TextFunction::Extreme { greatest, texts } => self.extreme_text(*greatest, texts)?,
            TextFunction::Hexadecimal(text) => hexadecimal(&self.argument(text)?),
            TextFunction::Bits(text) => bits(&self.argument(text)?),
            TextFunction::OfHexadecimal(text) => bytes_of(&self.argument(text)?, 4)?,
            TextFunction::OfBits(text) => bytes_of(&self.argument(text)?, 1)?,
            TextFunction::Unique => unique(),
            TextFunction::Formatted { format, day, seconds, offset } => {
                self.formatted(format, [day.as_ref(), seconds.as_ref(), offset.as_ref()])?
            }
            TextFunction::FormattedNow(format, place) => self.formatted_now(format, place)?,
            TextFunction::Plain(number) => self.plain(number)?,
            TextFunction::UnicodePart { text, national, start, length } => {
                self.unicode_part(text, *national, start, length)?
            }
            TextFunction::Utf8(of) => self.utf8_text(of)?,
            TextFunction::Utf8Case { text, upper } => utf8::in_case(&self.argument(text)?, *upper),
            TextFunction::Part { text, start, length } => self.part(text, start, length.as_ref())?,
        })
    }

    fn part(
        &mut self,
        text: &Text,
        start: &Linear,
        length: Option<&Linear>,
    ) -> Result<Vec<u8>, ProgramFault> {
        let start = self.linear(start)?;
        let length = length.map(|length| self.linear(length)).transpose()?;
        let text = self.argument(text)?;
        let from =
            usize::try_from(start).ok().and_then(|start| start.checked_sub(1)).ok_or(ProgramFault::Range)?;
        let end = match length {
            None => text.len(),
            Some(length) => usize::try_from(length).map_err(|_| ProgramFault::Range)?.saturating_add(from),
        };
        let part = text.get(from..end).filter(|part| !part.is_empty());
        part.map(<[u8]>::to_vec).ok_or(ProgramFault::Range)
    }

    /// An encoding with its tables.
    fn encoding(&mut self, of: &Encoding) -> Result<national::Encoding<'static>, ProgramFault> {
        Ok(match of {
            Encoding::Program => national::Encoding::Program,
            Encoding::Utf8 => national::Encoding::Utf8,
            Encoding::Ebcdic(page) => {
                national::Encoding::Table(page.to_program_table(), page.from_program_table())
            }
            Encoding::Numbered(number) => {
                let known = Encoding::of(self.integer(number)?).ok_or(ProgramFault::Argument)?;
                return self.encoding(&known);
            }
        })
    }

    fn argument(&mut self, text: &Text) -> Result<Cow<'_, [u8]>, ProgramFault> {
        let text = self.text(text, 1)?;
        if text.len() > ARGUMENT_MAX { Err(ProgramFault::Argument) } else { Ok(text) }
    }
}

fn factorial(of: i64, greatest: u8) -> Result<Decimal, ProgramFault> {
    if !(0..=i64::from(greatest)).contains(&of) {
        return Err(ProgramFault::Argument);
    }
    Ok(Decimal { value: (1..=i128::from(of)).product(), scale: 0 })
}

/// Applies a function to a text.
fn text_of(function: TextOf, text: &[u8]) -> Vec<u8> {
    match function {
        TextOf::Upper => text.to_ascii_uppercase(),
        TextOf::Lower => text.to_ascii_lowercase(),
        TextOf::Reverse => text.iter().rev().copied().collect(),
    }
}

/// The value in the middle, or the mean of the two there.
fn median(values: &[Decimal]) -> Result<Decimal, ProgramFault> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|left, right| left.compare(*right));
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        return Ok(sorted[middle]);
    }
    let (left, right, scale) = common(sorted[middle - 1], sorted[middle])?;
    // Half of a sum is five times as much, a decimal further.
    let value = left.checked_add(right).and_then(|sum| sum.checked_mul(5)).ok_or(ProgramFault::Argument)?;
    Ok(Decimal { value, scale: scale + 1 })
}

/// The greatest whole number that is not above another.
fn integer(number: Decimal) -> Decimal {
    match u32::try_from(number.scale) {
        Ok(scale) if scale > 0 => Decimal { value: number.value.div_euclid(ten(scale) as i128), scale: 0 },
        _ => number,
    }
}

fn integer_part(number: Decimal) -> Decimal {
    match u32::try_from(number.scale) {
        Ok(scale) if scale > 0 => Decimal { value: number.value / ten(scale) as i128, scale: 0 },
        _ => number,
    }
}

/// Both numbers with the same decimals.
fn common(left: Decimal, right: Decimal) -> Result<(i128, i128, i32), ProgramFault> {
    let scale = left.scale.max(right.scale);
    let at_scale = |number: Decimal| {
        let power = i128::try_from(10_u128.checked_pow((scale - number.scale).unsigned_abs())?).ok()?;
        number.value.checked_mul(power)
    };
    let both = at_scale(left).zip(at_scale(right)).ok_or(ProgramFault::Argument)?;
    Ok((both.0, both.1, scale))
}

/// With the sign of the divisor.
fn modulo(left: Decimal, right: Decimal) -> Result<Decimal, ProgramFault> {
    let (left, right, scale) = common(left, right)?;
    let rest = left.checked_rem(right).ok_or(ProgramFault::Divide)?;
    let value = if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest };
    Ok(Decimal { value, scale })
}

/// With the sign of the dividend.
fn remainder(left: Decimal, right: Decimal) -> Result<Decimal, ProgramFault> {
    let (left, right, scale) = common(left, right)?;
    Ok(Decimal { value: left.checked_rem(right).ok_or(ProgramFault::Divide)?, scale })
}

/// The place of the first one that no other is beyond, from 0.
fn extreme(values: &[Decimal], beyond: Ordering) -> usize {
    let mut found = 0;
    for (at, value) in values.iter().enumerate() {
        if value.compare(values[found]) == beyond {
            found = at;
        }
    }
    found
}

/// Nothing but spaces is zero.
fn numval(text: &[u8], style: Style<'_>) -> Result<Decimal, ProgramFault> {
    if text.iter().all(|byte| *byte == b' ') {
        return Ok(Decimal::whole(0));
    }
    let written = numval::read(text, style).map_err(|_| ProgramFault::Argument)?;
    Ok(Decimal { value: written.value, scale: written.scale as i32 })
}

fn wrong_at(text: &[u8], style: Style<'_>) -> usize {
    numval::read(text, style).err().unwrap_or(0)
}

/// Without spaces at the ends; of spaces alone nothing is left.
fn trimmed(text: &[u8], leading: bool, trailing: bool) -> &[u8] {
    let is_text = |byte: &u8| *byte != b' ';
    let (Some(first), Some(last)) = (text.iter().position(is_text), text.iter().rposition(is_text)) else {
        return &[];
    };
    &text[if leading { first } else { 0 }..if trailing { last + 1 } else { text.len() }]
}
