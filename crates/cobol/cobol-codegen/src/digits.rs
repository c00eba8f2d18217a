//! Characters that are taken for digits: zoned items without a sign that are moved and compared as they lie.

use std::mem::offset_of;

use cobol_ir::program::{BytePlace, Number, Receiver, Relation};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::emit::Emitter;
use crate::fits::{self, ten};
use crate::places::pieces;
use crate::texts::MOVED_MAX;
use crate::tries;
use native::{Context, IS_NONE};

/// Digits that are moved or compared, at most.
const DIGITS_MAX: u32 = 16;
const LOW_NIBBLES: i64 = 0x0F0F_0F0F_0F0F_0F0F;

fn place_of(number: &Number) -> Option<(&BytePlace, u32)> {
    let Number::Field(place, _) = number else { return None };
    fits::place(place).filter(|length| (1..=DIGITS_MAX).contains(length)).map(|length| (place, length))
}

impl Emitter<'_> {
    /// Writes out the move of digits to an item of the same form: characters, but for a sign in the last one. Returns false if it cannot.
    pub(crate) fn move_digits(&mut self, value: &Number, to: &Receiver) -> bool {
        let Some((from, length)) = place_of(value) else { return false };
        if fits::place(&to.place) != Some(length) {
            return false;
        }
        let (from, to) = (self.readable(from), self.storable(&to.place));
        // All is loaded before the first byte is stored, for both places may overlap.
        let high: Vec<(u32, Value)> =
            pieces(length - 1).into_iter().map(|(at, kind)| (at, self.load(kind, from, at))).collect();
        let last = self.load(I8, from, length - 1);
        let last = self.b.ins().uextend(I64, last);
        let last = self.without_sign(last);
        high.into_iter().for_each(|(at, value)| self.store(value, to, at));
        self.store_big(last, to, length - 1, 1);
        true
    }

    /// The digits of a whole number to characters, behind which there are spaces. Returns true if it was written out.
    pub(crate) fn move_number(
        &mut self,
        (number, digits): (&Number, u32),
        to: &BytePlace,
        right: bool,
        which: u64,
    ) -> bool {
        let (Some(bound), Some(length)) = (tries::bound(number), fits::place(to)) else { return false };
        let is_at_end = right && digits != length;
        if !(1..=DIGITS_MAX).contains(&digits) || length > MOVED_MAX || is_at_end || length == 0 {
            return false;
        }
        let attempt = self.begin_attempt();
        let number = self.tried(number);
        let whole = self.scaled(number, 0);
        let mut magnitude = self.b.ins().iabs(whole);
        if bound.digits - bound.scale > digits as i32 {
            let modulus = self.constant(ten(digits as i32));
            magnitude = self.b.ins().urem(magnitude, modulus);
        }
        if digits > length {
            let divisor = self.constant(ten((digits - length) as i32));
            magnitude = self.b.ins().udiv(magnitude, divisor);
        }
        let to = self.storable(to);
        self.store_zoned(magnitude, digits.min(length), to);
        self.store_spaces(to, digits.min(length), length);
        self.end_attempt(&attempt, offset_of!(Context, step), which);
        true
    }

    /// A character without the sign that it may hold; one that is no digit stays as it is.
    fn without_sign(&mut self, byte: Value) -> Value {
        let worth = self.worth(byte);
        let none = self.b.ins().band_imm_u(worth, i64::from(IS_NONE));
        let digit = self.b.ins().band_imm_u(worth, 0x0F);
        let digit = self.b.ins().bor_imm_u(digit, i64::from(b'0'));
        self.b.ins().select(none, byte, digit)
    }

    /// Comparison of the digits of two items of one form, whatever they are; `None` if the interpreter has to decide.
    pub(crate) fn compare_digits(
        &mut self,
        relation: Relation,
        left: &Number,
        right: &Number,
    ) -> Option<Value> {
        let (left, length) = place_of(left)?;
        let (right, _) = place_of(right).filter(|(_, own)| *own == length)?;
        let [left, right] = [left, right].map(|place| self.words_of_digits(place, length));
        let pairs: Vec<(Value, Value)> = left.into_iter().zip(right).collect();
        Some(self.compare_words(relation, &pairs))
    }

    /// Digits by bytes, the first one highest, without zones and without a sign.
    fn words_of_digits(&mut self, place: &BytePlace, length: u32) -> Vec<Value> {
        let from = self.readable(place);
        let low = length.min(8);
        let high = (length > low).then(|| {
            let word = self.load_big(from, 0, length - low);
            self.b.ins().band_imm_s(word, LOW_NIBBLES)
        });
        let word = self.load_big(from, length - low, low);
        let last = self.b.ins().band_imm_u(word, 0xFF);
        let last = self.without_sign(last);
        let others = self.b.ins().band_imm_s(word, !0xFF);
        let word = self.b.ins().bor(others, last);
        let word = self.b.ins().band_imm_s(word, LOW_NIBBLES);
        high.into_iter().chain([word]).collect()
    }

    /// Comparison of runs of words: the first ones that differ decide.
    pub(crate) fn compare_words(&mut self, relation: Relation, words: &[(Value, Value)]) -> Value {
        if matches!(relation, Relation::Equal | Relation::Unequal) {
            let differences: Vec<Value> =
                words.iter().map(|(one, other)| self.b.ins().bxor(*one, *other)).collect();
            let all = differences.into_iter().reduce(|one, other| self.b.ins().bor(one, other));
            let all = all.unwrap_or_else(|| self.constant(0));
            let condition = if relation == Relation::Equal { IntCC::Equal } else { IntCC::NotEqual };
            return self.b.ins().icmp_imm_u(condition, all, 0);
        }
        let turned = matches!(relation, Relation::Greater | Relation::LessOrEqual);
        let mut less: Option<Value> = None;
        for (left, right) in words.iter().rev() {
            let (one, other) = if turned { (*right, *left) } else { (*left, *right) };
            let here = self.b.ins().icmp(IntCC::UnsignedLessThan, one, other);
            less = Some(match less {
                None => here,
                Some(behind) => {
                    let same = self.b.ins().icmp(IntCC::Equal, one, other);
                    self.b.ins().select(same, behind, here)
                }
            });
        }
        let less = less.unwrap_or_else(|| self.b.ins().iconst(I8, 0));
        match relation {
            Relation::GreaterOrEqual | Relation::LessOrEqual => {
                self.b.ins().icmp_imm_u(IntCC::Equal, less, 0)
            }
            _ => less,
        }
    }
}
