//! Numbers stored into zoned, packed and binary items.

use std::mem::offset_of;

use cobol_ir::Program;
use cobol_ir::program::{Editing, Form, Receiver, Slot};
use cobol_types::{Numeric, Representation, SignPlace};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value};

use crate::emit::{Emitter, trusted};
use crate::fits::{Bound, ten};
use crate::numbers::Whole;
use crate::pictures;
use crate::places::Address;
use native::{Context, SIGNED};

/// Digits of two words.
const WORDS: u32 = 16;

/// Destinations of a number.
#[derive(Clone, Copy)]
enum Target<'p> {
    Number(Numeric),
    Edited(&'p Editing),
}

impl<'p> Target<'p> {
    fn of(program: &'p Program, form: &Form) -> Option<Self> {
        match form {
            Form::Number(numeric) => Some(Self::Number(*numeric)),
            other => pictures::of(program, other).map(Self::Edited),
        }
    }

    fn scale(self, program: &Program) -> i32 {
        match self {
            Self::Number(numeric) => numeric.scale.into(),
            Self::Edited(editing) => pictures::scale(program, editing),
        }
    }
}

impl Emitter<'_> {
    /// Stores a number that [`crate::fits::receiver`] takes.
    pub(crate) fn store_number(&mut self, number: Whole, bound: Bound, to: &Receiver, error: Option<Slot>) {
        let Some(target) = Target::of(self.program, &to.form) else { return };
        let address = self.storable(&to.place);
        let scale = target.scale(self.program);
        let lost = number.scale - scale;
        let value =
            if to.rounded && lost > 0 { self.rounded(number, lost) } else { self.scaled(number, scale) };
        let digits = (bound.digits - lost).max(1) + i32::from(to.rounded && lost > 0);
        let Some(slot) = error else {
            self.store_target(value, digits, target, address);
            return;
        };
        let over = match target {
            Target::Number(numeric) => self.overflows(value, digits, numeric),
            Target::Edited(editing) => self.has_more_digits(value, digits, editing.places.len() as i32),
        };
        let [cold, store, next] = std::array::from_fn(|_| self.new_block());
        self.b.set_cold_block(cold);
        self.branch(over, cold, store);
        self.b.switch_to_block(cold);
        let one = self.constant(1);
        self.set_slot(slot, one);
        self.jump(next);
        self.b.switch_to_block(store);
        self.store_target(value, digits, target, address);
        self.jump(next);
        self.b.switch_to_block(next);
    }

    fn store_target(&mut self, value: Value, digits: i32, target: Target<'_>, to: Address) {
        match target {
            Target::Number(numeric) => self.store_aligned(value, digits, numeric, to),
            Target::Edited(editing) => {
                let magnitude = self.magnitude(value, digits, editing.places.len() as i32);
                self.store_edited(magnitude, value, editing, to);
            }
        }
    }

    /// Half away from zero.
    fn rounded(&mut self, number: Whole, lost: i32) -> Value {
        let half = self.constant(ten(lost) / 2);
        let sign = self.b.ins().sshr_imm_u(number.value, 63);
        let half = self.b.ins().bxor(half, sign);
        let half = self.b.ins().isub(half, sign);
        let sum = self.b.ins().iadd(number.value, half);
        let divisor = self.constant(ten(lost));
        self.b.ins().sdiv(sum, divisor)
    }

    /// Test for a size error.
    fn overflows(&mut self, value: Value, digits: i32, numeric: Numeric) -> Value {
        if numeric.representation == Representation::Native {
            let value = if numeric.signed { value } else { self.b.ins().iabs(value) };
            let unused = 64 - 8 * numeric.length() as i64;
            if unused == 0 {
                return self.constant(0);
            }
            let high = self.b.ins().ishl_imm_u(value, unused);
            let back = match numeric.signed {
                true => self.b.ins().sshr_imm_u(high, unused),
                false => self.b.ins().ushr_imm_u(high, unused),
            };
            return self.b.ins().icmp(IntCC::NotEqual, back, value);
        }
        self.has_more_digits(value, digits, numeric.digits.into())
    }

    /// Test if a number that may have so many digits has more than there is room for.
    fn has_more_digits(&mut self, value: Value, digits: i32, own: i32) -> Value {
        if digits <= own {
            return self.constant(0);
        }
        let magnitude = self.b.ins().iabs(value);
        self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, magnitude, ten(own))
    }

    fn store_aligned(&mut self, value: Value, digits: i32, numeric: Numeric, to: Address) {
        let own = i32::from(numeric.digits);
        let length = numeric.length() as u32;
        match numeric.representation {
            Representation::Native => {
                let value = if numeric.signed { value } else { self.b.ins().iabs(value) };
                self.store_big(value, to, 0, length);
            }
            Representation::Binary => {
                let value = if numeric.signed { value } else { self.b.ins().iabs(value) };
                let value = if digits > own { self.cut(value, own, true) } else { value };
                self.store_big(value, to, 0, length);
            }
            Representation::Packed => {
                let magnitude = self.magnitude(value, digits, own);
                let digit_count = digits.clamp(1, own) as u32;
                let halves = self.binary_to_halves(magnitude, digit_count);
                let shifted = self.b.ins().ishl_imm_u(halves, 4);
                let sign = match numeric.signed {
                    false => self.constant(0x0F),
                    true => {
                        let negative = self.is_negative(value, magnitude);
                        self.b.ins().bor_imm_u(negative, 0x0C)
                    }
                };
                let all = self.b.ins().bor(shifted, sign);
                self.store_big(all, to, 0, length);
            }
            Representation::Zoned(sign) => {
                let magnitude = self.magnitude(value, digits, own);
                let separate = match sign {
                    SignPlace::LeadingSeparate => Some((to, to.behind(1))),
                    SignPlace::TrailingSeparate => Some((to.behind(own as u32), to)),
                    _ => None,
                };
                if let Some((sign, to)) = separate {
                    self.store_zoned(magnitude, own as u32, to);
                    let negative = self.is_negative(value, magnitude);
                    let more = self.b.ins().imul_imm_s(negative, i64::from(b'-' - b'+'));
                    let byte = self.b.ins().iadd_imm_s(more, i64::from(b'+'));
                    self.store_big(byte, sign, 0, 1);
                    return;
                }
                let last = self.store_zoned(magnitude, own as u32, to);
                if sign == SignPlace::Trailing {
                    self.store_sign(value, magnitude, last, to, own as u32 - 1);
                }
            }
            Representation::National(_) | Representation::Bytes { .. } => {}
        }
    }

    /// Without sign, and with no more digits than the item has.
    fn magnitude(&mut self, value: Value, digits: i32, own: i32) -> Value {
        let magnitude = self.b.ins().iabs(value);
        if digits > own { self.cut(magnitude, own, false) } else { magnitude }
    }

    /// The low digits: the division stands aside, for it is seldom needed.
    fn cut(&mut self, value: Value, digits: i32, signed: bool) -> Value {
        let [cold, done] = std::array::from_fn(|_| self.new_block());
        self.b.set_cold_block(cold);
        let result = self.b.append_block_param(done, I64);
        let magnitude = if signed { self.b.ins().iabs(value) } else { value };
        let over = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, magnitude, ten(digits));
        self.b.ins().brif(over, cold, &[], done, &[BlockArg::Value(value)]);
        self.b.switch_to_block(cold);
        let modulus = self.constant(ten(digits));
        let rest = self.b.ins().srem(value, modulus);
        self.b.ins().jump(done, &[BlockArg::Value(rest)]);
        self.b.switch_to_block(done);
        result
    }

    /// 1 for a number below zero of which something is left.
    fn is_negative(&mut self, value: Value, magnitude: Value) -> Value {
        let sign = self.b.ins().ushr_imm_u(value, 63);
        let some = self.b.ins().icmp_imm_u(IntCC::NotEqual, magnitude, 0);
        let some = self.b.ins().uextend(I64, some);
        self.b.ins().band(sign, some)
    }

    /// Eight digits, a byte each, the first one highest.
    pub(crate) fn binary_to_bytes(&mut self, value: Value, digits: u32) -> Value {
        let mut bytes = value;
        if digits > 4 {
            // Divided by 10,000 through a product: exact below 10 to the power of 8.
            let high = self.b.ins().imul_imm_s(bytes, 109_951_163);
            let high = self.b.ins().ushr_imm_u(high, 40);
            let moved = self.b.ins().imul_imm_s(high, (1 << 32) - 10_000);
            bytes = self.b.ins().iadd(bytes, moved);
        }
        if digits > 2 {
            let high = self.b.ins().imul_imm_s(bytes, 5243);
            let high = self.b.ins().ushr_imm_u(high, 19);
            let high = self.b.ins().band_imm_u(high, 0x7F_0000_007F);
            let moved = self.b.ins().imul_imm_s(high, 65536 - 100);
            bytes = self.b.ins().iadd(bytes, moved);
        }
        if digits > 1 {
            let high = self.b.ins().imul_imm_s(bytes, 103);
            let high = self.b.ins().ushr_imm_u(high, 10);
            let high = self.b.ins().band_imm_u(high, 0x000F_000F_000F_000F);
            let moved = self.b.ins().imul_imm_s(high, 256 - 10);
            bytes = self.b.ins().iadd(bytes, moved);
        }
        bytes
    }

    /// The high and the low eight digits.
    fn split(&mut self, value: Value) -> (Value, Value) {
        let divisor = self.constant(100_000_000);
        let high = self.b.ins().udiv(value, divisor);
        let back = self.b.ins().imul_imm_s(high, 100_000_000);
        (high, self.b.ins().isub(value, back))
    }

    /// Digits by halves of bytes.
    fn binary_to_halves(&mut self, value: Value, digits: u32) -> Value {
        if digits > 8 {
            let (high, low) = self.split(value);
            let low = self.binary_to_halves(low, 8);
            let high = self.binary_to_halves(high, digits - 8);
            let high = self.b.ins().ishl_imm_u(high, 32);
            return self.b.ins().bor(high, low);
        }
        let mut halves = self.binary_to_bytes(value, digits);
        let steps = [(4, 0x00FF_00FF_00FF_00FF), (8, 0x0000_FFFF_0000_FFFF), (16, 0xFFFF_FFFF)];
        for (shift, mask) in steps {
            if digits > (shift / 4) as u32 {
                let near = self.b.ins().ushr_imm_u(halves, shift);
                let near = self.b.ins().bor(halves, near);
                halves = self.b.ins().band_imm_u(near, mask);
            }
        }
        halves
    }

    /// Digits by bytes; the answer is the word that ends with the last of them.
    pub(crate) fn store_zoned(&mut self, value: Value, digits: u32, to: Address) -> Value {
        if digits > WORDS {
            // The first ones stand before two words.
            let first = digits - WORDS;
            let divisor = self.constant(ten(WORDS as i32));
            let high = self.b.ins().udiv(value, divisor);
            let back = self.b.ins().imul(high, divisor);
            let rest = self.b.ins().isub(value, back);
            self.store_zoned(high, first, to);
            return self.store_zoned(rest, WORDS, to.behind(first));
        }
        let (high, low) = if digits > 8 {
            let (high, low) = self.split(value);
            (Some(high), low)
        } else {
            (None, value)
        };
        let low_count = digits.min(8);
        let plain = self.binary_to_bytes(low, low_count);
        let text = self.b.ins().bor_imm_u(plain, 0x3030_3030_3030_3030);
        self.store_big(text, to, digits - low_count, low_count);
        if let Some(high) = high {
            let bytes = self.binary_to_bytes(high, digits - 8);
            let bytes = self.b.ins().bor_imm_u(bytes, 0x3030_3030_3030_3030);
            self.store_big(bytes, to, 0, digits - 8);
        }
        plain
    }

    /// The byte with the last digit and the sign.
    fn store_sign(&mut self, value: Value, magnitude: Value, digits: Value, to: Address, at: u32) {
        let negative = self.is_negative(value, magnitude);
        let row = self.b.ins().ishl_imm_u(negative, 4);
        let digit = self.b.ins().band_imm_u(digits, 0x0F);
        let entry = self.b.ins().bor(row, digit);
        let tables = self.field(I64, offset_of!(Context, tables));
        let entry = self.b.ins().iadd(tables, entry);
        let byte = self.b.ins().load(I8, trusted(), entry, SIGNED);
        self.store(byte, to, at);
    }
}
