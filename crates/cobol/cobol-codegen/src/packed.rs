//! Sums of packed numbers, digit by digit as they lie: nothing becomes binary.

use cobol_ir::program::{Form, Number, Operator, Receiver};
use cobol_types::{Numeric, Representation};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::emit::Emitter;
use crate::fits;
use crate::places::Address;

/// Digits of a side once both have the same decimals, at most: one more in front, and one that says what is carried, are those
/// of a word.
const DIGITS_MAX: i32 = 14;
/// Six in each of fifteen digits.
const SIXES: i64 = 0x0666_6666_6666_6666;
/// Fifteen nines and one: what is added to all other bits of a number gives nines less its digits.
const NINES: i64 = 0x0999_9999_9999_999A;
/// Places that each digit carries to.
const CARRIES: i64 = 0x1111_1111_1111_1110;
/// Fifteen digits.
const ALL: i64 = 0x0FFF_FFFF_FFFF_FFFF;

/// A number by halves of bytes, and 1 if it is below zero.
struct Side {
    halves: Value,
    negative: Value,
}

/// Digits and decimals of a side that is taken as it lies.
fn side(number: &Number) -> Option<(i32, i32)> {
    let scale = match number {
        Number::Field(_, numeric) if numeric.representation == Representation::Packed => {
            i32::from(numeric.scale)
        }
        Number::Literal { scale, .. } => *scale,
        _ => return None,
    };
    fits::number(number).map(|bound| (bound.digits, scale))
}

/// Form in which a receiver takes the digits, if it takes them as they are.
fn receiver(receiver: &Receiver, scale: i32) -> Option<Numeric> {
    let Form::Number(numeric) = &receiver.form else { return None };
    let lost = scale - i32::from(numeric.scale);
    let packed = numeric.representation == Representation::Packed && numeric.length() <= 8;
    let cut = lost == 0 || (lost > 0 && !receiver.rounded);
    (packed && cut && fits::place(&receiver.place).is_some()).then_some(*numeric)
}

impl Emitter<'_> {
    /// A sum or difference of packed numbers to packed numbers; whether it was written out.
    pub(crate) fn add_packed(&mut self, value: &Number, to: &[Receiver]) -> bool {
        let Number::Binary(operator @ (Operator::Add | Operator::Subtract), left, right, shape) = value
        else {
            return false;
        };
        let (Some(one), Some(other)) = (side(left), side(right)) else { return false };
        let scale = one.1.max(other.1);
        let most = [one, other].map(|(digits, own)| digits + scale - own).into_iter().max().unwrap_or(0);
        let receivers: Option<Vec<Numeric>> = to.iter().map(|to| receiver(to, scale)).collect();
        let Some(receivers) = receivers.filter(|_| shape.decimals == scale && most <= DIGITS_MAX) else {
            return false;
        };
        let (left, mut right) = (self.packed_side(left, scale), self.packed_side(right, scale));
        if *operator == Operator::Subtract {
            right.negative = self.b.ins().bxor_imm_u(right.negative, 1);
        }
        let sum = self.packed_sum(&left, &right);
        for (to, numeric) in to.iter().zip(receivers) {
            let address = self.storable(&to.place);
            let lost = scale - i32::from(numeric.scale);
            self.store_packed(&sum, lost, most + 1 - lost, numeric, address);
        }
        true
    }

    fn packed_side(&mut self, number: &Number, scale: i32) -> Side {
        match number {
            Number::Field(place, numeric) => {
                let from = self.readable(place);
                let (halves, sign) = self.packed_parts(from, numeric.length() as u32);
                let negative = if numeric.signed { self.is_packed_negative(sign) } else { self.constant(0) };
                let more = scale - i32::from(numeric.scale);
                let halves =
                    if more > 0 { self.b.ins().ishl_imm_u(halves, i64::from(4 * more)) } else { halves };
                Side { halves, negative }
            }
            Number::Literal { value, scale: own } => {
                let digits = value.unsigned_abs() * 10_u128.pow((scale - own).max(0) as u32);
                let halves = (0..16)
                    .fold(0_u64, |halves, at| halves | ((digits / 10_u128.pow(at) % 10) as u64) << (4 * at));
                Side { halves: self.constant(halves as i64), negative: self.constant(i64::from(*value < 0)) }
            }
            _ => Side { halves: self.constant(0), negative: self.constant(0) },
        }
    }

    /// The greater one and the other, or what is left of it: then nines less the other's digits are added, and one.
    fn packed_sum(&mut self, left: &Side, right: &Side) -> Side {
        let first = self.b.ins().icmp(IntCC::UnsignedGreaterThan, left.halves, right.halves);
        let great = self.b.ins().select(first, left.halves, right.halves);
        let small = self.b.ins().select(first, right.halves, left.halves);
        let negative = self.b.ins().select(first, left.negative, right.negative);
        let differ = self.b.ins().bxor(left.negative, right.negative);
        let mask = self.b.ins().ineg(differ);
        let flipped = self.b.ins().bxor(small, mask);
        let nines = self.b.ins().band_imm_s(mask, NINES);
        let other = self.b.ins().iadd(flipped, nines);
        // Six more make a digit carry into the next half; where it has not, they are taken back.
        let sixes = self.b.ins().iadd_imm_s(great, SIXES);
        let sum = self.b.ins().iadd(sixes, other);
        let sum = self.b.ins().iadd(sum, differ);
        let carried = self.b.ins().bxor(sixes, other);
        let carried = self.b.ins().bxor(carried, sum);
        let carries = self.constant(CARRIES);
        let none = self.b.ins().band_not(carries, carried);
        let two = self.b.ins().ushr_imm_u(none, 3);
        let four = self.b.ins().ushr_imm_u(none, 2);
        let back = self.b.ins().bor(two, four);
        let sum = self.b.ins().isub(sum, back);
        let halves = self.b.ins().band_imm_s(sum, ALL);
        Side { halves, negative }
    }

    /// Stores digits of which the last `lost` are cut off, and of which there are at most `digits` then.
    fn store_packed(&mut self, sum: &Side, lost: i32, digits: i32, numeric: Numeric, to: Address) {
        let mut halves = sum.halves;
        if lost > 0 {
            halves = self.b.ins().ushr_imm_u(halves, i64::from(4 * lost.min(15)));
        }
        let own = i32::from(numeric.digits);
        if digits > own {
            halves = self.b.ins().band_imm_s(halves, (1 << (4 * own)) - 1);
        }
        let shifted = self.b.ins().ishl_imm_u(halves, 4);
        let sign = if numeric.signed {
            let some = self.b.ins().icmp_imm_u(IntCC::NotEqual, halves, 0);
            let some = self.b.ins().uextend(I64, some);
            let negative = self.b.ins().band(sum.negative, some);
            self.b.ins().bor_imm_u(negative, 0x0C)
        } else {
            self.constant(0x0F)
        };
        let all = self.b.ins().bor(shifted, sign);
        self.store_big(all, to, 0, numeric.length() as u32);
    }
}
