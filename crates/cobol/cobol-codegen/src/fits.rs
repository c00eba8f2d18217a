//! Work that is written out as instructions: numbers whose every part fits into 64 bits, places that are easily
//! found.

use cobol_ir::Program;
use cobol_ir::program::{Bounds, BytePlace, Form, Linear, Number, Operator, Receiver, Segment};
use cobol_types::{Numeric, Representation, SignPlace};
use native::PLACE_MAX;

use crate::pictures;

/// Digits that 64 bits hold.
pub(crate) const DIGITS_MAX: i32 = 18;
/// Constant displacements, at most.
const OFFSET_MAX: i64 = 1 << 30;
/// Factors of numbers in displacements, at most: their products stay within 64 bits.
const FACTOR_MAX: i64 = 1 << 24;

/// A bound of a number: below ten to the power of `digits`, with so many decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) digits: i32,
    pub(crate) scale: i32,
}

/// Ten to a power that fits.
pub(crate) fn ten(power: i32) -> i64 {
    10_i64.pow(power.clamp(0, DIGITS_MAX) as u32)
}

/// The bound of a number that is written out.
pub(crate) fn number(number: &Number) -> Option<Bound> {
    let bound = match number {
        Number::Literal { value, scale } => {
            let digits = value.unsigned_abs().checked_ilog10().map_or(1, |log| log as i32 + 1);
            Bound { digits, scale: *scale }
        }
        Number::Field(at, numeric) => {
            place(at)?;
            field(*numeric)?
        }
        Number::Slot(_) => Bound { digits: 10, scale: 0 },
        Number::Linear(linear) if linear.is_constant() => Bound { digits: 10, scale: 0 },
        Number::Negative(inner) => self::number(inner)?,
        Number::Binary(operator, left, right, shape) => {
            let (left, right) = (self::number(left)?, self::number(right)?);
            binary(*operator, left, right, shape.decimals)?
        }
        _ => return None,
    };
    (bound.digits <= DIGITS_MAX && (0..=DIGITS_MAX).contains(&bound.scale)).then_some(bound)
}

fn binary(operator: Operator, left: Bound, right: Bound, decimals: i32) -> Option<Bound> {
    Some(match operator {
        Operator::Add | Operator::Subtract => {
            let scale = left.scale.max(right.scale);
            let aligned = |bound: Bound| bound.digits + scale - bound.scale;
            if scale != decimals {
                return None;
            }
            Bound { digits: aligned(left).max(aligned(right)) + 1, scale }
        }
        Operator::Multiply => {
            let scale = left.scale + right.scale;
            if scale != decimals {
                return None;
            }
            Bound { digits: left.digits + right.digits, scale }
        }
        Operator::Divide => {
            let more = decimals + right.scale - left.scale;
            if more < 0 {
                return None;
            }
            Bound { digits: left.digits + more, scale: decimals }
        }
    })
}

/// The bound of what an item may hold.
fn field(numeric: Numeric) -> Option<Bound> {
    let digits = match numeric.representation {
        Representation::Zoned(sign) if sign != SignPlace::Leading => i32::from(numeric.digits),
        Representation::Packed if numeric.length() <= 8 => 2 * numeric.length() as i32 - 1,
        Representation::Binary | Representation::Native => match numeric.length() {
            2 => 5,
            4 => 10,
            _ => return None,
        },
        _ => return None,
    };
    (numeric.scale >= 0).then_some(Bound { digits, scale: numeric.scale.into() })
}

/// The length of a place that instructions find; `None` for other places.
pub(crate) fn place(place: &BytePlace) -> Option<u32> {
    let length = place.fixed_length()?;
    let near = place.at.constant.abs() < OFFSET_MAX && length <= PLACE_MAX;
    let plain = place.at.is_constant() || (place.bounds == Bounds::Task && linear(&place.at));
    (near && plain && (place.segment != Segment::Constant || place.at.is_constant())).then_some(length)
}

/// Returns true if instructions find a place of whatever length: where it begins in its segment, and how long it is.
pub(crate) fn found(place: &BytePlace) -> bool {
    [&place.at, &place.length].into_iter().all(|linear| {
        let within = |(factor, value): &(i64, Number)| factor.abs() < FACTOR_MAX && number(value).is_some();
        linear.constant.abs() < OFFSET_MAX && linear.terms.iter().all(within)
    })
}

/// Returns true if a displacement is a sum of few whole numbers.
fn linear(linear: &Linear) -> bool {
    linear.terms.iter().all(|(factor, value)| {
        factor.abs() < FACTOR_MAX && number(value).is_some_and(|bound| bound.digits <= 10 && bound.scale == 0)
    })
}

/// Returns true if a number with this bound is stored by instructions.
pub(crate) fn receiver(program: &Program, receiver: &Receiver, bound: Bound) -> bool {
    let (known, scale) = match &receiver.form {
        Form::Number(numeric) => (is_stored(*numeric), i32::from(numeric.scale)),
        other => match pictures::of(program, other) {
            Some(editing) => (true, pictures::scale(program, editing)),
            None => return false,
        },
    };
    known
        && scale >= 0
        && bound.digits + (scale - bound.scale).max(0) <= DIGITS_MAX
        && place(&receiver.place).is_some()
}

/// Returns true if instructions store numbers of this form.
fn is_stored(numeric: Numeric) -> bool {
    match numeric.representation {
        Representation::Zoned(sign) => sign != SignPlace::Leading && i32::from(numeric.digits) <= DIGITS_MAX,
        Representation::Packed => numeric.length() <= 8,
        Representation::Binary | Representation::Native => numeric.length() <= 8,
        _ => false,
    }
}
