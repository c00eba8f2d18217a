//! Characters: moves, fills and comparisons of lengths that are known.

use cobol_ir::program::{Place, Relation, Segment, Text};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Type, Value};

use crate::emit::Emitter;
use crate::fits;
use crate::places::{Address, pieces};

/// Bytes that are moved or filled by instructions, at most.
const MOVED_MAX: u32 = 256;
/// Bytes that are held while they are moved: all are loaded before the first is stored, for both places may overlap.
const HELD_MAX: u32 = 64;
/// Bytes that are compared by instructions, at most.
const COMPARED_MAX: u32 = 64;

/// Characters that are known now.
enum Known {
    Bytes(Vec<u8>),
    Place(Place, u32),
}

impl Emitter<'_> {
    /// A move of characters; whether it was written out.
    pub(crate) fn move_text(&mut self, from: &Text, to: &Place, right: bool) -> bool {
        let Some(length) = fits::place(to).filter(|length| *length <= MOVED_MAX) else { return false };
        match self.known(from, length) {
            Some(Known::Bytes(bytes)) => {
                let bytes = fitted(&bytes, length as usize, right);
                let to = self.address(to);
                self.store_bytes(&bytes, to);
                true
            }
            Some(Known::Place(from, own)) if !right || own == length => {
                let moved = own.min(length);
                let apart = are_apart(&from, own, to, length);
                if (moved > HELD_MAX && !apart) || goes_on_itself(&from, to, moved) {
                    return false;
                }
                let (from, to) = (self.readable(&from), self.address(to));
                self.copy(from, to, moved);
                self.store_spaces(to, moved, length);
                true
            }
            _ => false,
        }
    }

    /// What is known of characters that go to, or are compared with, so many others.
    fn known(&self, text: &Text, length: u32) -> Option<Known> {
        match text {
            Text::Place(place) if place.segment == Segment::Constant => {
                let (at, own) = place.as_fixed()?;
                let bytes = self.program.constants.get(at as usize..(at + own) as usize)?;
                Some(Known::Bytes(bytes.to_vec()))
            }
            Text::Place(place) => Some(Known::Place(place.clone(), fits::place(place)?)),
            Text::Repeated(place) => {
                let (at, own) = place.as_fixed()?;
                let bytes = self.program.constants.get(at as usize..(at + own) as usize)?;
                Some(Known::Bytes(bytes.iter().copied().cycle().take(length as usize).collect()))
            }
            Text::Digits(..) | Text::Unsigned(..) | Text::Function(_) => None,
        }
    }

    fn copy(&mut self, from: Address, to: Address, length: u32) {
        // Groups of pieces: within one all are loaded first.
        for group in pieces(length).chunks(8) {
            let values: Vec<(u32, Value)> =
                group.iter().map(|(at, kind)| (*at, self.load(*kind, from, *at))).collect();
            for (at, value) in values {
                self.store(value, to, at);
            }
        }
    }

    fn store_bytes(&mut self, bytes: &[u8], to: Address) {
        let mut last: Option<(Type, i64, Value)> = None;
        for (at, kind) in pieces(bytes.len() as u32) {
            let word = word_of(bytes, at, kind);
            let value = match last {
                Some((own, same, value)) if own == kind && same == word => value,
                _ => self.b.ins().iconst(kind, word),
            };
            last = Some((kind, word, value));
            self.store(value, to, at);
        }
    }

    fn store_spaces(&mut self, to: Address, from: u32, length: u32) {
        if from == length {
            return;
        }
        let spaces = vec![b' '; (length - from) as usize];
        let wide = self.b.ins().iconst(I64, i64::from_ne_bytes([b' '; 8]));
        for (at, kind) in pieces(spaces.len() as u32) {
            let value = if kind == I64 { wide } else { self.b.ins().ireduce(kind, wide) };
            self.store(value, to, from + at);
        }
    }

    /// Whether two texts are equal or not, or how short ones are in order; none if the interpreter has to say.
    pub(crate) fn compare_texts(&mut self, relation: Relation, left: &Text, right: &Text) -> Option<Value> {
        let length = |text: &Text| match text {
            Text::Place(place) => place.fixed_length(),
            _ => None,
        };
        let length = length(left).into_iter().chain(length(right)).max()?;
        if length == 0 || length > COMPARED_MAX {
            return None;
        }
        let (left, right) = (self.known(left, length)?, self.known(right, length)?);
        let padded = |known: &Known| match known {
            Known::Bytes(_) => true,
            Known::Place(_, own) => *own == length,
        };
        if !padded(&left) || !padded(&right) {
            return None;
        }
        match relation {
            Relation::Equal | Relation::Unequal => Some(self.are_equal(relation, left, right, length)),
            _ if length <= 8 => Some(self.in_order(relation, left, right, length)),
            _ => None,
        }
    }

    fn are_equal(&mut self, relation: Relation, left: Known, right: Known, length: u32) -> Value {
        let (left, right) = (self.side(left, length), self.side(right, length));
        let mut differences: Option<Value> = None;
        for (at, kind) in pieces(length) {
            let (a, b) = (self.piece_of(&left, at, kind), self.piece_of(&right, at, kind));
            let difference = self.b.ins().bxor(a, b);
            let difference = if kind == I64 { difference } else { self.b.ins().uextend(I64, difference) };
            differences = Some(match differences {
                None => difference,
                Some(before) => self.b.ins().bor(before, difference),
            });
        }
        let all = differences.unwrap_or_else(|| self.constant(0));
        let condition = if relation == Relation::Equal { IntCC::Equal } else { IntCC::NotEqual };
        self.b.ins().icmp_imm_u(condition, all, 0)
    }

    fn in_order(&mut self, relation: Relation, left: Known, right: Known, length: u32) -> Value {
        let mut number = |side: Known| match self.side(side, length) {
            Side::Bytes(bytes) => {
                let word = bytes.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
                self.constant(word as i64)
            }
            Side::Address(address) => self.load_big(address, 0, length),
        };
        let (left, right) = (number(left), number(right));
        let condition = match relation {
            Relation::Greater => IntCC::UnsignedGreaterThan,
            Relation::Less => IntCC::UnsignedLessThan,
            Relation::GreaterOrEqual => IntCC::UnsignedGreaterThanOrEqual,
            _ => IntCC::UnsignedLessThanOrEqual,
        };
        self.b.ins().icmp(condition, left, right)
    }

    fn side(&mut self, known: Known, length: u32) -> Side {
        match known {
            Known::Bytes(bytes) => Side::Bytes(fitted(&bytes, length as usize, false)),
            Known::Place(place, _) => Side::Address(self.readable(&place)),
        }
    }

    fn piece_of(&mut self, side: &Side, at: u32, kind: Type) -> Value {
        match side {
            Side::Bytes(bytes) => {
                let word = word_of(bytes, at, kind);
                self.b.ins().iconst(kind, word)
            }
            Side::Address(address) => self.load(kind, *address, at),
        }
    }
}

/// A side of a comparison.
enum Side {
    Bytes(Vec<u8>),
    Address(Address),
}

/// The number that a piece of bytes is in memory; without sign, as constants of its type are.
fn word_of(bytes: &[u8], at: u32, kind: Type) -> i64 {
    let length = match kind {
        I8 => 1,
        I16 => 2,
        I32 => 4,
        _ => 8,
    };
    let mut word = [0; 8];
    word[..length].copy_from_slice(&bytes[at as usize..at as usize + length]);
    i64::from_le_bytes(word)
}

/// Bytes cut or padded with spaces, at the right or at the left.
fn fitted(bytes: &[u8], length: usize, right: bool) -> Vec<u8> {
    let kept = bytes.len().min(length);
    let spaces = std::iter::repeat_n(b' ', length - kept);
    if right {
        spaces.chain(bytes[bytes.len() - kept..].iter().copied()).collect()
    } else {
        bytes[..kept].iter().copied().chain(spaces).collect()
    }
}

/// Whether a move reads what it has written before: the interpreter does it byte by byte.
fn goes_on_itself(from: &Place, to: &Place, moved: u32) -> bool {
    let (Some((start, _)), Some((at, _))) = (from.as_fixed(), to.as_fixed()) else { return false };
    from.segment == to.segment && (start.saturating_add(1)..start.saturating_add(moved)).contains(&at)
}

/// Whether two places certainly have no byte in common.
fn are_apart(from: &Place, own: u32, to: &Place, length: u32) -> bool {
    let fixed = |place: &Place| place.as_fixed().filter(|_| !matches!(place.segment, Segment::Linkage(_)));
    match (fixed(from), fixed(to)) {
        (Some((a, _)), Some((b, _))) => from.segment != to.segment || a + own <= b || b + length <= a,
        _ => false,
    }
}
