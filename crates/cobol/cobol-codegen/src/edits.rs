//! Numbers edited by pictures that have a table: the digits as bytes, a row by how many zeros they begin with, and the two of
//! them put together.

use std::mem::offset_of;

use cobol_ir::program::{Editing, Number, Receiver};
use cobol_types::Representation;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Type, Value};

use crate::emit::{Emitter, trusted};
use crate::pictures;
use crate::places::{Address, pieces};
use native::Context;

/// Digits of a word.
const WORD: usize = 8;
/// Digits of two.
const WORDS: i32 = 16;

/// Digits that follow each other on both sides: those of a word, where they lie there, and where they are shown in a piece.
struct Run {
    word: usize,
    from: usize,
    to: usize,
    count: usize,
}

impl Run {
    /// The bytes of a piece that it fills.
    fn mask(&self) -> u64 {
        let ones = if self.count == WORD { u64::MAX } else { (1 << (8 * self.count)) - 1 };
        ones << (8 * self.to)
    }

    /// The bytes that its word fills once its digits stand in their places.
    fn shifted(&self) -> u64 {
        let by = 8 * self.to.abs_diff(self.from) as u32;
        if self.to >= self.from { u64::MAX << by } else { u64::MAX >> by }
    }
}

/// The runs of digits in a piece.
fn runs(places: &[u8], piece: std::ops::Range<usize>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (digit, place) in places.iter().map(|place| usize::from(*place)).enumerate() {
        if !piece.contains(&place) {
            continue;
        }
        let (word, from, to) = (digit / WORD, digit % WORD, place - piece.start);
        match runs.last_mut() {
            Some(last)
                if last.word == word && last.from + last.count == from && last.to + last.count == to =>
            {
                last.count += 1;
            }
            _ => runs.push(Run { word, from, to, count: 1 }),
        }
    }
    runs
}

impl Emitter<'_> {
    /// Stores digits, which are no more than the picture has, by its table. `sign` is a number below zero for such a one.
    pub(crate) fn store_edited(&mut self, magnitude: Value, sign: Value, editing: &Editing, to: Address) {
        let digits = editing.places.len() as u32;
        let words = if digits as usize <= WORD {
            let bytes = self.binary_to_bytes(magnitude, digits);
            vec![self.moved_left(bytes, 8 * (WORD as u32 - digits))]
        } else {
            let low = digits - WORD as u32;
            let divisor = self.constant(crate::fits::ten(low as i32));
            let high = self.b.ins().udiv(magnitude, divisor);
            let back = self.b.ins().imul(high, divisor);
            let rest = self.b.ins().isub(magnitude, back);
            let (high, rest) = (self.binary_to_bytes(high, WORD as u32), self.binary_to_bytes(rest, low));
            vec![high, self.moved_left(rest, 8 * (WORD as u32 - low))]
        };
        let below = editing.signed.then(|| self.b.ins().sshr_imm_u(sign, 63));
        self.edit(&words, below, editing, to);
    }

    /// A packed number that goes through a picture as it lies, digit by digit: whether it was written out.
    pub(crate) fn edit_packed(&mut self, value: &Number, to: &Receiver, editing: &Editing) -> bool {
        let Number::Field(place, numeric) = value else { return false };
        let more = pictures::scale(self.program, editing) - i32::from(numeric.scale);
        let length = numeric.length() as u32;
        if numeric.representation != Representation::Packed || length > 8 || (to.rounded && more < 0) {
            return false;
        }
        let from = self.readable(place);
        let (halves, sign) = self.packed_parts(from, length);
        let halves = match u32::try_from(-more) {
            Ok(lost) if lost >= WORDS as u32 => return false,
            Ok(lost) => self.moved_right(halves, 4 * lost),
            Err(_) => halves,
        };
        // The digits of the picture are the first ones of sixteen; what does not fit falls off at the left.
        let left = WORDS - editing.places.len() as i32 + more.max(0);
        if left >= WORDS {
            return false;
        }
        let halves = self.moved_left(halves, 4 * left as u32);
        let words = (0..editing.words())
            .map(|word| {
                let eight = match word {
                    0 => self.b.ins().ushr_imm_u(halves, 32),
                    _ => self.b.ins().band_imm_u(halves, 0xFFFF_FFFF),
                };
                self.halves_to_bytes(eight)
            })
            .collect::<Vec<_>>();
        let below = editing.signed.then(|| {
            let negative = self.is_packed_negative(sign);
            let negative = if numeric.signed { negative } else { self.constant(0) };
            self.b.ins().ineg(negative)
        });
        let address = self.storable(&to.place);
        self.edit(&words, below, editing, address);
        true
    }

    fn moved_left(&mut self, value: Value, bits: u32) -> Value {
        if bits == 0 { value } else { self.b.ins().ishl_imm_u(value, i64::from(bits)) }
    }

    fn moved_right(&mut self, value: Value, bits: u32) -> Value {
        if bits == 0 { value } else { self.b.ins().ushr_imm_u(value, i64::from(bits)) }
    }

    /// Eight digits by halves of bytes, as bytes.
    fn halves_to_bytes(&mut self, halves: Value) -> Value {
        let mut bytes = halves;
        for (shift, mask) in
            [(16, 0x0000_FFFF_0000_FFFF), (8, 0x00FF_00FF_00FF_00FF), (4, 0x0F0F_0F0F_0F0F_0F0F)]
        {
            let apart = self.b.ins().ishl_imm_u(bytes, shift);
            let both = self.b.ins().bor(bytes, apart);
            bytes = self.b.ins().band_imm_u(both, mask);
        }
        bytes
    }

    /// Digits, the first one of each word highest, through the table. `below` is all ones for a number below zero.
    fn edit(&mut self, words: &[Value], below: Option<Value>, editing: &Editing, to: Address) {
        let row = self.row(words, below, editing);
        let in_memory: Vec<Value> = words.iter().map(|word| self.b.ins().bswap(*word)).collect();
        let size = u32::from(editing.size);
        for (at, kind) in pieces(size) {
            let start = at as usize;
            let runs = runs(&editing.places, start..start + kind.bytes() as usize);
            let shown = self.shown(&in_memory, &runs, kind);
            let other = self.b.ins().load(kind, trusted(), row, (editing.width() + start) as i32);
            let text = match shown {
                None => other,
                Some(digits) => {
                    let mask = self.b.ins().load(kind, trusted(), row, start as i32);
                    let digits = self.b.ins().band(digits, mask);
                    self.b.ins().bor(digits, other)
                }
            };
            self.store(text, to, at);
        }
    }

    /// The address of the row for digits.
    fn row(&mut self, words: &[Value], below: Option<Value>, editing: &Editing) -> Value {
        let zeros = match *words {
            [high, low] => {
                let (of_high, of_low) = (self.b.ins().clz(high), self.b.ins().clz(low));
                let both = self.b.ins().iadd_imm_s(of_low, 64);
                let none = self.b.ins().icmp_imm_u(IntCC::Equal, high, 0);
                self.b.ins().select(none, both, of_high)
            }
            [word, ..] => self.b.ins().clz(word),
            [] => self.constant(0),
        };
        // Eight bits are a digit.
        let zeros = self.b.ins().ushr_imm_u(zeros, 3);
        let stride = editing.stride();
        let mut index = self.b.ins().ishl_imm_u(zeros, i64::from(stride.trailing_zeros()));
        if let Some(below) = below {
            let behind = self.b.ins().band_imm_u(below, (editing.rows() * stride) as i64);
            index = self.b.ins().iadd(index, behind);
        }
        let constants = self.field(I64, offset_of!(Context, constants));
        let table = self.b.ins().iadd_imm_s(constants, i64::from(editing.at));
        self.b.ins().iadd(table, index)
    }

    /// The digits of a piece where they are shown; elsewhere there may be others, which a mask takes away.
    fn shown(&mut self, words: &[Value], runs: &[Run], kind: Type) -> Option<Value> {
        let mut all: Option<Value> = None;
        for run in runs {
            let word = *words.get(run.word)?;
            let shift = 8 * run.to.abs_diff(run.from) as u32;
            let mut digits = match run.to >= run.from {
                true => self.moved_left(word, shift),
                false => self.moved_right(word, shift),
            };
            let others = runs.iter().map(|run| run.mask()).fold(0, |all, mask| all | mask) & !run.mask();
            if run.shifted() & others != 0 {
                digits = self.b.ins().band_imm_u(digits, run.mask() as i64);
            }
            all = Some(match all {
                None => digits,
                Some(before) => self.b.ins().bor(before, digits),
            });
        }
        let all = all?;
        Some(if kind == I64 { all } else { self.b.ins().ireduce(kind, all) })
    }
}
