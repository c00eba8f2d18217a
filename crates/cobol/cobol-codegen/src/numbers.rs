//! Numbers of 64 bits: loaded from zoned, packed and binary items eight digits at a time, and computed with.

use std::mem::offset_of;

use cobol_ir::program::{BytePlace, Number, Operator, Relation};
use cobol_run::ProgramFault;
use cobol_types::{Numeric, Representation, SignPlace};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::emit::{Emitter, trusted};
use crate::fits::{self, ten};
use crate::places::Address;
use native::{Context, IS_NEGATIVE, IS_NONE};

/// A number: `value` × 10 to the power −`scale`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole {
    pub(crate) value: Value,
    pub(crate) scale: i32,
}

const LOW_NIBBLES: i64 = 0x0F0F_0F0F_0F0F_0F0F;

impl Emitter<'_> {
    /// A number that [`fits::number`] takes.
    pub(crate) fn number(&mut self, number: &Number) -> Whole {
        let scale = fits::number(number).map_or(0, |bound| bound.scale);
        let value = match number {
            Number::Literal { value, .. } => self.constant(*value as i64),
            Number::Field(place, numeric) => {
                let from = self.readable(place);
                self.load_number(from, *numeric)
            }
            Number::Slot(slot) => self.slot(*slot),
            Number::Linear(linear) => self.constant(linear.constant),
            Number::Negative(inner) => {
                let inner = self.number(inner);
                self.b.ins().ineg(inner.value)
            }
            Number::Binary(operator, left, right, _) => {
                let (left, right) = (self.number(left), self.number(right));
                self.combined(*operator, left, right, scale)
            }
            _ => self.constant(0),
        };
        Whole { value, scale }
    }

    fn combined(&mut self, operator: Operator, left: Whole, right: Whole, scale: i32) -> Value {
        match operator {
            Operator::Add | Operator::Subtract => {
                let (left, right) = (self.scaled(left, scale), self.scaled(right, scale));
                match operator {
                    Operator::Add => self.b.ins().iadd(left, right),
                    _ => self.b.ins().isub(left, right),
                }
            }
            Operator::Multiply => self.b.ins().imul(left.value, right.value),
            Operator::Divide => {
                let zero = self.b.ins().icmp_imm_u(IntCC::Equal, right.value, 0);
                self.fault_if(zero, ProgramFault::Divide);
                let dividend = self.times_ten(left.value, scale + right.scale - left.scale);
                self.b.ins().sdiv(dividend, right.value)
            }
        }
    }

    /// The digits at another scale; decimals that are lost are cut off.
    pub(crate) fn scaled(&mut self, number: Whole, scale: i32) -> Value {
        if scale >= number.scale {
            self.times_ten(number.value, scale - number.scale)
        } else {
            let divisor = self.constant(ten(number.scale - scale));
            self.b.ins().sdiv(number.value, divisor)
        }
    }

    fn times_ten(&mut self, value: Value, power: i32) -> Value {
        if power == 0 { value } else { self.b.ins().imul_imm_s(value, ten(power)) }
    }

    /// Comparison of two numbers.
    pub(crate) fn compare(&mut self, relation: Relation, left: &Number, right: &Number) -> Value {
        if let (Some(left_scale), Some(right_scale)) = (packed_scale(left), packed_scale(right))
            && (left_scale == right_scale || is_zero(left) || is_zero(right))
        {
            let (left, right) = (self.packed_word(left), self.packed_word(right));
            return self.b.ins().icmp(condition(relation), left, right);
        }
        let (left, right) = (self.number(left), self.number(right));
        let scale = left.scale.max(right.scale);
        let (left, right) = (self.scaled(left, scale), self.scaled(right, scale));
        self.b.ins().icmp(condition(relation), left, right)
    }

    /// A packed number as it lies: its halves are in order without being made binary.
    fn packed_word(&mut self, number: &Number) -> Value {
        let Number::Field(place, numeric) = number else { return self.constant(0) };
        let from = self.readable(place);
        let (digits, sign) = self.packed_parts(from, numeric.length() as u32);
        if numeric.signed { self.with_packed_sign(digits, sign) } else { digits }
    }

    /// Test for a valid number in an item; `None` if the interpreter has to decide.
    pub(crate) fn is_numeric(&mut self, place: &BytePlace, numeric: Numeric) -> Option<Value> {
        let length = fits::place(place).filter(|length| *length == numeric.length() as u32)?;
        match numeric.representation {
            Representation::Zoned(SignPlace::None) => self.are_digits(place),
            Representation::Zoned(SignPlace::Trailing) if (2..=18).contains(&length) => {
                let from = self.readable(place);
                let others = self.not_digits(from, 0, length - 1);
                let last = self.load(I8, from, length - 1);
                let last = self.b.ins().uextend(I64, last);
                let worth = self.worth(last);
                let none = self.b.ins().band_imm_u(worth, i64::from(IS_NONE));
                // LOW-VALUES are numbers where they are used, and are not valid ones.
                let low = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, last, 10);
                let low = self.b.ins().uextend(I64, low);
                let others = self.b.ins().bor(others, none);
                let others = self.b.ins().bor(others, low);
                Some(self.b.ins().icmp_imm_u(IntCC::Equal, others, 0))
            }
            Representation::Packed if length <= 8 => {
                let from = self.readable(place);
                let (wrong, all) = self.packed_faults(from, length);
                let sign = self.b.ins().band_imm_u(all, 0x0F);
                // C, D and F.
                let valid = if numeric.signed { 0xB000 } else { 0x8000 };
                let table = self.constant(valid);
                let valid = self.b.ins().ushr(table, sign);
                let invalid = self.b.ins().bnot(valid);
                let invalid = self.b.ins().band_imm_u(invalid, 1);
                let wrong = self.b.ins().bor(wrong, invalid);
                Some(self.b.ins().icmp_imm_u(IntCC::Equal, wrong, 0))
            }
            _ => None,
        }
    }

    /// Value of a byte with digit and sign.
    pub(crate) fn worth(&mut self, byte: Value) -> Value {
        let tables = self.field(I64, offset_of!(Context, tables));
        let entry = self.b.ins().iadd(tables, byte);
        self.b.ins().uload8(I64, trusted(), entry, 0)
    }

    // Loads.

    fn load_number(&mut self, from: Address, numeric: Numeric) -> Value {
        let length = numeric.length() as u32;
        match numeric.representation {
            Representation::Packed => self.load_packed(from, length, numeric.signed),
            Representation::Zoned(SignPlace::TrailingSeparate) => {
                self.load_separate(from, from.behind(length - 1), length - 1)
            }
            Representation::Zoned(SignPlace::LeadingSeparate) => {
                self.load_separate(from.behind(1), from, length - 1)
            }
            Representation::Zoned(sign) => self.load_zoned(from, length, sign == SignPlace::Trailing),
            _ => {
                let value = match length {
                    2 => self.load(I16, from, 0),
                    4 => self.load(I32, from, 0),
                    _ => self.load(I64, from, 0),
                };
                let value = self.b.ins().bswap(value);
                match (length, numeric.signed) {
                    (8, _) => value,
                    (_, true) => self.b.ins().sextend(I64, value),
                    (_, false) => self.b.ins().uextend(I64, value),
                }
            }
        }
    }

    fn load_packed(&mut self, from: Address, length: u32, signed: bool) -> Value {
        let (digits, sign) = self.packed_parts(from, length);
        let magnitude = self.halves_to_binary(digits, 2 * length - 1);
        if signed { self.with_packed_sign(magnitude, sign) } else { magnitude }
    }

    /// Digits by halves of bytes, and the lowest half, which is the sign.
    pub(crate) fn packed_parts(&mut self, from: Address, length: u32) -> (Value, Value) {
        let (wrong, all) = self.packed_faults(from, length);
        self.fault_if(wrong, ProgramFault::Data);
        let digits = self.b.ins().ushr_imm_u(all, 4);
        let sign = self.b.ins().band_imm_u(all, 0x0F);
        (digits, sign)
    }

    /// Something else than zero where a digit or the sign is none, and all halves of bytes.
    fn packed_faults(&mut self, from: Address, length: u32) -> (Value, Value) {
        let all = self.load_big(from, 0, length);
        // Six more make a half greater than nine carry: the sign has to, and no digit may. The first digit gets one less, for
        // the sign carries into it; so the bit above the sign is the same where it does, and so are those above digits that
        // do not.
        let sum = self.b.ins().iadd_imm_s(all, 0x6666_6666_6666_6656);
        let carries = self.b.ins().bxor(sum, all);
        let above = (1..=2 * length).fold(0_u128, |mask, half| mask | 1 << (4 * half)) as u64;
        let carries = self.b.ins().band_imm_u(carries, above as i64);
        let wrong = if above.count_ones() == 2 * length {
            carries
        } else {
            // Nothing is above the highest digit of eight bytes.
            let highest = self.b.ins().ushr_imm_u(all, 60);
            let none = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, highest, 9);
            let none = self.b.ins().uextend(I64, none);
            self.b.ins().bor(carries, none)
        };
        (wrong, all)
    }

    /// The magnitude with the sign of a packed number: B and D are negative.
    fn with_packed_sign(&mut self, magnitude: Value, sign: Value) -> Value {
        let negative = self.is_packed_negative(sign);
        self.with_sign(magnitude, negative)
    }

    /// 1 for the sign of a packed number below zero.
    pub(crate) fn is_packed_negative(&mut self, sign: Value) -> Value {
        let table = self.constant(1 << 0xB | 1 << 0xD);
        let negative = self.b.ins().ushr(table, sign);
        self.b.ins().band_imm_u(negative, 1)
    }

    /// The magnitude with the sign that a number of 0 or 1 says.
    fn with_sign(&mut self, magnitude: Value, negative: Value) -> Value {
        let mask = self.b.ins().ineg(negative);
        let flipped = self.b.ins().bxor(magnitude, mask);
        self.b.ins().iadd(flipped, negative)
    }

    fn halves_to_binary(&mut self, halves: Value, digits: u32) -> Value {
        // Each step joins two neighbours: the higher one counts ten, a hundred, … instead of the power of two.
        let steps = [
            (4, LOW_NIBBLES, 16 - 10),
            (8, 0x00FF_00FF_00FF_00FF, 256 - 100),
            (16, 0x0000_FFFF_0000_FFFF, 65536 - 10_000),
            (32, 0xFFFF_FFFF, (1_i64 << 32) - 100_000_000),
        ];
        let mut value = halves;
        for (shift, mask, excess) in steps {
            if digits <= shift / 4 {
                break;
            }
            let high = self.b.ins().ushr_imm_u(value, i64::from(shift));
            let high = if digits > 2 * (shift / 4) { self.b.ins().band_imm_u(high, mask) } else { high };
            let over = self.b.ins().imul_imm_s(high, excess);
            value = self.b.ins().isub(value, over);
        }
        value
    }

    /// Digits by bytes, eight at a time; zones are not looked at, but for the last one's sign.
    pub(crate) fn load_zoned(&mut self, from: Address, length: u32, signed: bool) -> Value {
        let mut sum = None;
        let mut negative = None;
        let mut at = 0;
        while at < length {
            let left = length - at;
            let count = if left > 8 { (left - 8).min(8) } else { left };
            let mut bytes = self.load_high(from, at, count);
            if signed && left == count {
                let (replaced, sign) = self.plain_last(from, length - 1, bytes, count);
                (bytes, negative) = (replaced, Some(sign));
            }
            let digits = self.b.ins().band_imm_u(bytes, LOW_NIBBLES);
            let carries = self.b.ins().iadd_imm_s(digits, 0x0606_0606_0606_0606);
            let carries = self.b.ins().band_imm_u(carries, 0x1010_1010_1010_1010);
            self.fault_if(carries, ProgramFault::Data);
            let value = self.bytes_to_binary(digits);
            sum = Some(match sum {
                None => value,
                Some(high) => {
                    let high = self.b.ins().imul_imm_s(high, ten(count as i32));
                    self.b.ins().iadd(high, value)
                }
            });
            at += count;
        }
        let magnitude = sum.unwrap_or_else(|| self.constant(0));
        match negative {
            Some(negative) => self.with_sign(magnitude, negative),
            None => magnitude,
        }
    }

    /// Digits beside a plus or a minus.
    fn load_separate(&mut self, digits: Address, sign: Address, length: u32) -> Value {
        let magnitude = self.load_zoned(digits, length, false);
        let sign = self.load(I8, sign, 0);
        let sign = self.b.ins().uextend(I64, sign);
        let minus = self.b.ins().iadd_imm_s(sign, -i64::from(b'+'));
        let other = self.b.ins().band_imm_s(minus, !i64::from(b'-' - b'+'));
        self.fault_if(other, ProgramFault::Data);
        let negative = self.b.ins().ushr_imm_u(minus, 1);
        self.with_sign(magnitude, negative)
    }

    /// The last byte with its digit alone, and whether its sign is negative.
    fn plain_last(&mut self, from: Address, at: u32, bytes: Value, count: u32) -> (Value, Value) {
        let last = self.load(I8, from, at);
        let last = self.b.ins().uextend(I64, last);
        let worth = self.worth(last);
        let none = self.b.ins().band_imm_u(worth, i64::from(IS_NONE));
        self.fault_if(none, ProgramFault::Data);
        let negative = self.b.ins().ushr_imm_u(worth, i64::from(IS_NEGATIVE.trailing_zeros()));
        let digit = self.b.ins().ishl_imm_u(worth, 56);
        if count == 1 {
            return (digit, negative);
        }
        let others = self.b.ins().band_imm_u(bytes, 0x00FF_FFFF_FFFF_FFFF);
        (self.b.ins().bor(others, digit), negative)
    }

    /// Eight digits, the first one in the lowest byte.
    fn bytes_to_binary(&mut self, digits: Value) -> Value {
        let mut value = digits;
        for (factor, shift, mask) in [
            (10 * 256 + 1, 8, 0x00FF_00FF_00FF_00FF),
            (100 * 65536 + 1, 16, 0x0000_FFFF_0000_FFFF),
            (10_000 * (1_i64 << 32) + 1, 32, -1),
        ] {
            value = self.b.ins().imul_imm_s(value, factor);
            value = self.b.ins().ushr_imm_u(value, shift);
            if mask != -1 {
                value = self.b.ins().band_imm_u(value, mask);
            }
        }
        value
    }
}

/// The scale of a packed number; zero has that of any.
fn packed_scale(number: &Number) -> Option<i16> {
    match number {
        Number::Field(_, numeric) if numeric.representation == Representation::Packed => Some(numeric.scale),
        number if is_zero(number) => Some(0),
        _ => None,
    }
}

fn is_zero(number: &Number) -> bool {
    matches!(number, Number::Literal { value: 0, .. })
}

/// The condition of signed numbers.
pub(crate) fn condition(relation: Relation) -> IntCC {
    match relation {
        Relation::Equal => IntCC::Equal,
        Relation::Unequal => IntCC::NotEqual,
        Relation::Greater => IntCC::SignedGreaterThan,
        Relation::Less => IntCC::SignedLessThan,
        Relation::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
        Relation::LessOrEqual => IntCC::SignedLessThanOrEqual,
    }
}
