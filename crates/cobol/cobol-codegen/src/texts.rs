//! Characters: moves, fills and comparisons of lengths that are known.

use cobol_ir::program::{BytePlace, Relation, Segment, Text};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Type, Value};

use crate::emit::Emitter;
use crate::fits;
use crate::places::{Address, pieces};

/// Bytes that are moved or filled by instructions, at most.
pub(crate) const MOVED_MAX: u32 = 256;
/// Bytes that are held while they are moved: all are loaded before the first is stored, for both places may overlap.
const HELD_MAX: u32 = 64;
/// Bytes that are compared by instructions, at most.
const COMPARED_MAX: u32 = 64;

/// Bytes that are put in order by instructions, at most.
const ORDERED_MAX: u32 = 32;

/// Characters that are known now.
enum Known {
    Bytes(Vec<u8>),
    Place(BytePlace, u32),
}

impl Emitter<'_> {
    /// A move of characters; whether it was written out.
    pub(crate) fn move_text(&mut self, from: &Text, to: &BytePlace, right: bool) -> bool {
        let Some(length) = fits::place(to).filter(|length| *length <= MOVED_MAX) else { return false };
        match self.known(from, length) {
            Some(Known::Bytes(bytes)) => {
                let bytes = fitted(&bytes, length as usize, right);
                let to = self.storable(to);
                self.store_bytes(&bytes, to);
                true
            }
            Some(Known::Place(from, own)) if !right || own == length => {
                let moved = own.min(length);
                let apart = are_apart(&from, own, to, length);
                if (moved > HELD_MAX && !apart) || goes_on_itself(&from, to, moved) {
                    return false;
                }
                let (from, to) = (self.readable(&from), self.storable(to));
                self.copy(from, to, moved);
                self.store_spaces(to, moved, length);
                true
            }
            _ => false,
        }
    }

    /// Characters edited by a picture; whether it was written out.
    pub(crate) fn edit_text(&mut self, from: &Text, to: &BytePlace, picture: u32) -> bool {
        let Some(length) = fits::place(to).filter(|length| *length <= HELD_MAX) else { return false };
        let Some(picture) = self.program.pictures.get(picture as usize) else { return false };
        let symbols: Vec<char> =
            picture.symbols.iter().flat_map(|own| std::iter::repeat_n(own.symbol, own.count)).collect();
        let Some(known) = self.known(from, length).filter(|_| symbols.len() == length as usize) else {
            return false;
        };
        let from = match known {
            Known::Bytes(bytes) => Side::Bytes(bytes),
            Known::Place(place, own) => Side::Address(self.readable(&place), own),
        };
        let to = self.storable(to);
        // All is loaded before the first byte is stored, for both places may overlap.
        let mut values = Vec::new();
        let (mut next, mut at) = (0, 0);
        for symbols in symbols.chunk_by(|one, two| inserted(*one) == inserted(*two)) {
            let count = symbols.len() as u32;
            let text = match (inserted(symbols[0]), &from) {
                (Some(byte), _) => Side::Bytes(vec![byte; symbols.len()]),
                (None, Side::Bytes(bytes)) => {
                    Side::Bytes(fitted(bytes.get(next as usize..).unwrap_or_default(), symbols.len(), false))
                }
                (None, Side::Address(address, own)) => {
                    Side::Address(address.behind(next), own.saturating_sub(next))
                }
            };
            let there = text.length(count).min(count);
            let own = pieces(there).into_iter();
            let rest = pieces(count - there).into_iter().map(|(at, kind)| (at + there, kind));
            for (piece, kind) in own.chain(rest) {
                values.push((at + piece, self.piece_of(&text, piece, kind)));
            }
            next += if inserted(symbols[0]).is_some() { 0 } else { count };
            at += count;
        }
        values.into_iter().for_each(|(at, value)| self.store(value, to, at));
        true
    }

    /// Test if characters are digits; `None` if the interpreter has to decide.
    pub(crate) fn are_digits(&mut self, place: &BytePlace) -> Option<Value> {
        let length = fits::place(place).filter(|length| (1..=COMPARED_MAX).contains(length))?;
        let from = self.readable(place);
        let others = self.not_digits(from, 0, length);
        Some(self.b.ins().icmp_imm_u(IntCC::Equal, others, 0))
    }

    /// Something else than zero where one of some characters is no digit.
    pub(crate) fn not_digits(&mut self, from: Address, at: u32, length: u32) -> Value {
        let mut all: Option<Value> = None;
        for (piece, kind) in pieces(length) {
            let of = |byte: u8| word_of(&[byte; 8], 0, kind);
            let bytes = self.load(kind, from, at + piece);
            // Digits have the zone 3, and still have it when six more are added.
            let zone = self.b.ins().iconst(kind, of(b'0'));
            let own = self.b.ins().bxor(bytes, zone);
            let six = self.b.ins().iconst(kind, of(6));
            let more = self.b.ins().iadd(bytes, six);
            let more = self.b.ins().bxor(more, zone);
            let both = self.b.ins().bor(own, more);
            let zones = self.b.ins().iconst(kind, of(0xF0));
            let other = self.b.ins().band(both, zones);
            let other = if kind == I64 { other } else { self.b.ins().uextend(I64, other) };
            all = Some(match all {
                None => other,
                Some(before) => self.b.ins().bor(before, other),
            });
        }
        all.unwrap_or_else(|| self.constant(0))
    }

    /// Knowledge of characters that go to, or are compared with, so many others.
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

    pub(crate) fn copy(&mut self, from: Address, to: Address, length: u32) {
        // Groups of pieces: within one all are loaded first.
        for group in pieces(length).chunks(8) {
            let values: Vec<(u32, Value)> =
                group.iter().map(|(at, kind)| (*at, self.load(*kind, from, *at))).collect();
            for (at, value) in values {
                self.store(value, to, at);
            }
        }
    }

    pub(crate) fn store_bytes(&mut self, bytes: &[u8], to: Address) {
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

    pub(crate) fn store_spaces(&mut self, to: Address, from: u32, length: u32) {
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

    /// Test if two texts are equal or not, or of the order of short ones; `None` if the interpreter has to decide.
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
        match relation {
            Relation::Equal | Relation::Unequal => Some(self.are_equal(relation, left, right, length)),
            _ if length <= ORDERED_MAX => Some(self.in_order(relation, left, right, length)),
            _ => None,
        }
    }

    fn are_equal(&mut self, relation: Relation, left: Known, right: Known, length: u32) -> Value {
        let (left, right) = (self.side(left, length), self.side(right, length));
        let mut differences: Option<Value> = None;
        // Behind the end of the shorter side are spaces.
        let shorter = left.length(length).min(right.length(length));
        let common = pieces(shorter).into_iter();
        let rest = pieces(length - shorter).into_iter().map(|(at, kind)| (at + shorter, kind));
        for (at, kind) in common.chain(rest) {
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

    /// Eight characters at a time, as numbers: the first ones that differ decide.
    fn in_order(&mut self, relation: Relation, left: Known, right: Known, length: u32) -> Value {
        let (left, right) = (self.side(left, length), self.side(right, length));
        let words: Vec<(Value, Value)> = (0..length)
            .step_by(8)
            .map(|at| (self.word_of_side(&left, at), self.word_of_side(&right, at)))
            .collect();
        self.compare_words(relation, &words)
    }

    /// Eight characters as a number, the first one highest; behind the end there are spaces.
    fn word_of_side(&mut self, side: &Side, at: u32) -> Value {
        match side {
            Side::Bytes(bytes) => {
                let word = (at as usize..at as usize + 8)
                    .map(|at| bytes.get(at).copied().unwrap_or(b' '))
                    .fold(0_u64, |sum, byte| sum << 8 | u64::from(byte));
                self.constant(word as i64)
            }
            Side::Address(address, own) => match own.saturating_sub(at) {
                0 => self.constant(i64::from_ne_bytes([b' '; 8])),
                8.. => self.load_big(*address, at, 8),
                some => {
                    let high = self.load_big(*address, at, some);
                    let high = self.b.ins().ishl_imm_u(high, i64::from(8 * (8 - some)));
                    let spaces = u64::from_ne_bytes([b' '; 8]) >> (8 * some);
                    self.b.ins().bor_imm_u(high, spaces as i64)
                }
            },
        }
    }

    fn side(&mut self, known: Known, length: u32) -> Side {
        match known {
            Known::Bytes(bytes) => Side::Bytes(fitted(&bytes, length as usize, false)),
            Known::Place(place, own) => Side::Address(self.readable(&place), own),
        }
    }

    fn piece_of(&mut self, side: &Side, at: u32, kind: Type) -> Value {
        match side {
            Side::Bytes(bytes) => {
                let word = word_of(bytes, at, kind);
                self.b.ins().iconst(kind, word)
            }
            Side::Address(_, own) if at >= *own => {
                let spaces = word_of(&[b' '; 8], 0, kind);
                self.b.ins().iconst(kind, spaces)
            }
            Side::Address(address, _) => self.load(kind, *address, at),
        }
    }
}

/// Character that a symbol of a picture inserts, if it is none of the sender's.
fn inserted(symbol: char) -> Option<u8> {
    match symbol {
        'B' => Some(b' '),
        '0' => Some(b'0'),
        '/' => Some(b'/'),
        _ => None,
    }
}

/// A side of a comparison.
enum Side {
    Bytes(Vec<u8>),
    /// So many characters.
    Address(Address, u32),
}

impl Side {
    fn length(&self, all: u32) -> u32 {
        match self {
            Self::Bytes(_) => all,
            Self::Address(_, own) => *own,
        }
    }
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

/// Returns true if a move reads bytes that it has written before: the interpreter does it byte by byte.
fn goes_on_itself(from: &BytePlace, to: &BytePlace, moved: u32) -> bool {
    let (Some((start, _)), Some((at, _))) = (from.as_fixed(), to.as_fixed()) else { return false };
    from.segment == to.segment && (start.saturating_add(1)..start.saturating_add(moved)).contains(&at)
}

/// Returns true if two places certainly have no byte in common.
fn are_apart(from: &BytePlace, own: u32, to: &BytePlace, length: u32) -> bool {
    let fixed =
        |place: &BytePlace| place.as_fixed().filter(|_| !matches!(place.segment, Segment::Linkage(_)));
    match (fixed(from), fixed(to)) {
        (Some((a, _)), Some((b, _))) => from.segment != to.segment || a + own <= b || b + length <= a,
        _ => false,
    }
}
