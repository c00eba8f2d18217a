//! The parameters of a CALL: read before a statement runs, written after it.

use db2::package::{Count, Indicator, Statement, Variable};
use db2_values::{Setting, Type, Value};
use smallvec::{SmallVec, smallvec};
use sql::codes::Sqlca;
use sql::value::{Argument, Field, FieldTarget, Styles, take_row, take_values};
use sql::{Column, Values};

use crate::form;
use crate::trouble::Unreachable;

/// The parameters after descriptor and SQLCA, by their numbers from 0.
///
/// Nothing of them is kept while a statement runs: the program's storage may be anywhere by then.
pub trait Arguments {
    /// Fills bytes from a place in a parameter.
    ///
    /// # Errors
    /// The place is not the program's.
    fn read(&self, argument: u16, offset: usize, into: &mut [u8]) -> Result<(), Unreachable>;

    /// Writes bytes to a place in a parameter.
    ///
    /// # Errors
    /// The place is not the program's.
    fn write(&mut self, argument: u16, offset: usize, bytes: &[u8]) -> Result<(), Unreachable>;

    /// Fills bytes from an address that the program gave in a pointer; whether all of it is the program's.
    fn read_at(&self, address: usize, into: &mut [u8]) -> bool;

    /// Writes bytes to an address that the program gave in a pointer; whether all of it is the program's.
    fn write_at(&mut self, address: usize, bytes: &[u8]) -> bool;
}

/// Fields of a statement: so many without asking for memory. Their bytes together are in one piece, mostly so large.
const USUAL: usize = 16;
const USUAL_BYTES: usize = 256;
/// Bytes of an input, and inputs of a statement: so many without asking for memory.
const USUAL_INPUT: usize = 24;
const USUAL_INPUTS: usize = 4;

/// The values that a statement reads, copied.
pub(crate) struct Inputs {
    values: SmallVec<[Input; USUAL_INPUTS]>,
}

struct Input {
    field: Field,
    bytes: SmallVec<[u8; USUAL_INPUT]>,
    indicator: Option<i16>,
}

impl Input {
    fn argument(&self) -> Argument<'_> {
        Argument { field: self.field, bytes: &self.bytes, indicator: self.indicator }
    }
}

impl Inputs {
    /// Copies all inputs, of arrays the element of this number.
    pub(crate) fn read(
        statement: &Statement,
        element: u32,
        arguments: &dyn Arguments,
    ) -> Result<Result<Self, Sqlca>, Unreachable> {
        let mut values = SmallVec::with_capacity(statement.inputs.len());
        for (at, variable) in statement.inputs.iter().enumerate() {
            let Some(field) = form::field(variable.form) else {
                return Ok(Err(unsuitable(-301, b"42895", at)));
            };
            let mut bytes = smallvec![0; field.bytes as usize];
            arguments.read(variable.argument, place(variable, element), &mut bytes)?;
            let indicator = match &variable.indicator {
                Some(indicator) => Some(read_indicator(indicator, element, arguments)?),
                None => None,
            };
            values.push(Input { field, bytes, indicator });
        }
        Ok(Ok(Self { values }))
    }

    /// Makes inputs of copies: fields, their bytes, their indicators.
    pub(crate) fn of(fields: impl Iterator<Item = (Field, Vec<u8>, Option<i16>)>) -> Self {
        let input = |(field, bytes, indicator)| Input { field, bytes: SmallVec::from_vec(bytes), indicator };
        Self { values: fields.map(input).collect() }
    }

    /// As the argument of a parameter; `None` if there are not so many.
    pub(crate) fn argument(&self, number: usize) -> Option<Argument<'_>> {
        self.values.get(number).map(Input::argument)
    }

    /// As arguments of all parameters.
    pub(crate) fn all(&self) -> Vec<Argument<'_>> {
        self.values.iter().map(Input::argument).collect()
    }

    /// Number of inputs.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// As arguments of the first so many parameters.
    pub(crate) fn arguments(&self, count: usize) -> Vec<Argument<'_>> {
        self.values.iter().take(count).map(Input::argument).collect()
    }

    /// An input that is a text, without what fills its field.
    pub(crate) fn text(&self, number: usize) -> Option<&[u8]> {
        let input = self.values.get(number)?;
        match input.field.kind {
            sql::value::Kind::Char => Some(input.bytes.trim_ascii_end()),
            sql::value::Kind::Varchar => {
                let length = [input.bytes[0], input.bytes[1]];
                let length = if input.field.is_native {
                    u16::from_ne_bytes(length)
                } else {
                    u16::from_be_bytes(length)
                };
                input.bytes.get(2..2 + usize::from(length))
            }
            _ => None,
        }
    }

    /// A number that the statement says, or that an input holds; `None`: the input is no whole number.
    pub(crate) fn count(&self, count: Count) -> Option<i64> {
        match count {
            Count::Literal(number) => Some(number.into()),
            Count::Input(input) => self.number(input.into()),
        }
    }

    /// An input that is a whole number.
    pub(crate) fn number(&self, number: usize) -> Option<i64> {
        let input = self.values.get(number)?;
        let bytes = match input.field.kind {
            sql::value::Kind::Packed => return ebcdic::decimal::unpack(&input.bytes).ok()?.try_into().ok(),
            sql::value::Kind::Zoned(sign) => {
                return ebcdic::decimal::read_zoned(&input.bytes, sign).ok()?.try_into().ok();
            }
            sql::value::Kind::Binary => &input.bytes,
            _ => return None,
        };
        let mut wide = bytes.clone();
        if input.field.is_native && cfg!(target_endian = "little") {
            wide.reverse();
        }
        let first = wide.first().is_some_and(|&byte| byte >= 0x80 && input.field.is_signed);
        let fill = if first { -1 } else { 0 };
        Some(wide.iter().fold(fill, |number, &byte| number << 8 | i64::from(byte)))
    }
}

/// Puts a row into a statement's targets, of arrays into the element of this number.
pub(crate) fn put_row(
    statement: &Statement,
    element: u32,
    row: Values<'_>,
    columns: &[Column],
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Unreachable> {
    let take = |targets: &mut [FieldTarget<'_>]| take_row(row, columns, targets, Styles::default());
    put(statement, element, take, arguments)
}

/// The same for values, with their types, of the region's own tables.
pub(crate) fn put_values(
    statement: &Statement,
    element: u32,
    (values, kinds): (&[Value], &[Type]),
    setting: &Setting,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Unreachable> {
    let take = |targets: &mut [FieldTarget<'_>]| take_values(values, kinds, targets, setting);
    put(statement, element, take, arguments)
}

fn put(
    statement: &Statement,
    element: u32,
    take: impl FnOnce(&mut [FieldTarget<'_>]) -> Result<Sqlca, Sqlca>,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Unreachable> {
    let mut fields = SmallVec::<[(Field, Option<[u8; 2]>); USUAL]>::new();
    let mut all = Vec::with_capacity(USUAL_BYTES);
    for (at, variable) in statement.targets.iter().enumerate() {
        let Some(field) = form::field(variable.form) else { return Ok(unsuitable(-303, b"42806", at)) };
        // What a value leaves of its field stays as it was: it is all written back.
        let start = all.len();
        all.resize(start + field.bytes as usize, 0);
        arguments.read(variable.argument, place(variable, element), &mut all[start..])?;
        let indicator = match &variable.indicator {
            Some(indicator) => Some(read_indicator(indicator, element, arguments)?.to_be_bytes()),
            None => None,
        };
        fields.push((field, indicator));
    }
    let mut rest = all.as_mut_slice();
    let mut targets = SmallVec::<[FieldTarget<'_>; USUAL]>::new();
    for (field, indicator) in &mut fields {
        let (bytes, behind) = std::mem::take(&mut rest).split_at_mut(field.bytes as usize);
        rest = behind;
        targets.push(FieldTarget { field: *field, bytes, indicator: indicator.as_mut() });
    }
    let taken = take(&mut targets);
    drop(targets);
    let mut rest = all.as_slice();
    for (variable, (field, indicator)) in statement.targets.iter().zip(&fields) {
        let (bytes, behind) = rest.split_at(field.bytes as usize);
        rest = behind;
        arguments.write(variable.argument, place(variable, element), bytes)?;
        if let (Some(place), Some(value)) = (&variable.indicator, indicator) {
            let value = i16::from_be_bytes(*value);
            arguments.write(place.argument, indicator_place(place, element), &value.to_be_bytes())?;
        }
    }
    Ok(taken.unwrap_or_else(|sqlca| sqlca))
}

fn place(variable: &Variable, element: u32) -> usize {
    let stride = variable.array.map_or(0, |array| array.stride * element.min(array.count.saturating_sub(1)));
    variable.offset as usize + stride as usize
}

fn indicator_place(indicator: &Indicator, element: u32) -> usize {
    let stride = indicator.array.map_or(0, |array| array.stride * element.min(array.count.saturating_sub(1)));
    indicator.offset as usize + stride as usize
}

fn read_indicator(
    indicator: &Indicator,
    element: u32,
    arguments: &dyn Arguments,
) -> Result<i16, Unreachable> {
    let mut bytes = [0; 2];
    arguments.read(indicator.argument, indicator_place(indicator, element), &mut bytes)?;
    Ok(i16::from_be_bytes(bytes))
}

/// The field of this number is of a kind that no value here has.
fn unsuitable(code: i32, state: &[u8; 5], at: usize) -> Sqlca {
    Sqlca::error(code, state).token((at + 1).to_string())
}
