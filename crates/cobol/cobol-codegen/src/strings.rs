//! STRING of pieces that are DELIMITED BY SIZE: moves, one behind the other.
//!
//! It is known whether all pieces find room before the first byte is stored; where they do not, the interpreter carries the statement
//! out. Meanwhile the slot of the overflow has the place of the next piece; it is zero again at the end.

use std::mem::offset_of;

use cobol_ir::program::{Bounds, BytePlace, Form, Linear, Number, Numeric, Receiver, Segment, Slot, Text};
use cobol_run::ProgramFault;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::emit::Emitter;
use crate::fits::{self, Bound};
use crate::numbers::Whole;
use crate::places::Address;
use crate::tries;
use native::Context;

/// Bytes of a piece that instructions move, at most: all are loaded before the first is stored.
const SMALL_MAX: u32 = 64;
/// Digits of a pointer.
const POINTER: Bound = Bound { digits: 10, scale: 0 };
/// Says to the helper that a piece is only looked for.
const LOOKED_FOR: i64 = 1 << 32;

/// A piece, and how it is moved.
enum Piece<'p> {
    /// Characters that are known.
    Bytes(Vec<u8>),
    /// A few characters at a place that is easily found.
    Small(&'p BytePlace, u32),
    /// Any other, by a helper: of a length that never varies, if it has one.
    Far(&'p BytePlace, Option<u32>),
}

impl Piece<'_> {
    /// Its length, if that never varies.
    fn length(&self) -> Option<u32> {
        match self {
            Self::Bytes(bytes) => Some(bytes.len() as u32),
            Self::Small(_, length) => Some(*length),
            Self::Far(_, length) => *length,
        }
    }
}

/// A piece whose place has been found.
enum Ready {
    Bytes(Vec<u8>),
    Small(Address, u32),
    Far { index: usize, from: (Value, Value), length: Option<u32> },
}

impl Emitter<'_> {
    /// A STRING. Returns true if it was written out.
    pub(crate) fn string(
        &mut self,
        sources: &[(Text, Option<Text>)],
        into: &BytePlace,
        pointer: Option<&(BytePlace, Numeric)>,
        overflow: Slot,
        which: u64,
    ) -> bool {
        let Some(room) = fits::place(into) else { return false };
        let Some(pieces) = sources.iter().map(|source| self.piece(source)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let fixed: u32 = pieces.iter().filter_map(Piece::length).sum();
        let receiver = pointer.map(|(place, numeric)| Receiver {
            place: place.clone(),
            form: Form::Number(*numeric),
            rounded: false,
        });
        if !(1..=room).contains(&fixed) || !receiver.iter().all(|pointer| self.is_pointer(pointer)) {
            return false;
        }
        let attempt = self.begin_attempt();
        let to = self.storable(into);
        let start = pointer.map(|(place, numeric)| {
            let number = self.tried(&Number::Field(place.clone(), *numeric));
            self.scaled(number, 0)
        });
        let (ready, total) = self.ready(&pieces, (room, fixed), which);
        let first = start.map(|start| self.b.ins().iadd_imm_s(start, -1));
        self.fault_without_room(first, total, room);
        if first.is_none() && ready.iter().all(|piece| !matches!(piece, Ready::Far { .. })) {
            self.put_at(ready, to);
        } else {
            self.put_behind(ready, into, first, (overflow, which));
        }
        if let (Some(start), Some(receiver)) = (start, &receiver) {
            let next = self.b.ins().iadd(start, total);
            self.store_number(Whole { value: next, scale: 0 }, POINTER, receiver, None);
        }
        self.end_attempt(&attempt, offset_of!(Context, step), which);
        true
    }

    fn piece<'p>(&self, (text, delimiter): &'p (Text, Option<Text>)) -> Option<Piece<'p>> {
        let (Text::Place(place) | Text::Repeated(place), None) = (text, delimiter) else { return None };
        match (place.segment, place.as_fixed()) {
            (Segment::Constant, Some((at, length))) if length <= SMALL_MAX => {
                let bytes = self.program.constants.get(at as usize..(at + length) as usize)?;
                Some(Piece::Bytes(bytes.to_vec()))
            }
            _ => match fits::place(place) {
                Some(length) if length <= SMALL_MAX => Some(Piece::Small(place, length)),
                _ => fits::found(place).then(|| Piece::Far(place, place.fixed_length())),
            },
        }
    }

    /// Returns true if a pointer is loaded and stored by instructions.
    fn is_pointer(&self, receiver: &Receiver) -> bool {
        let Form::Number(numeric) = &receiver.form else { return false };
        tries::bound(&Number::Field(receiver.place.clone(), *numeric)).is_some()
            && fits::receiver(self.program, receiver, POINTER)
    }

    /// All pieces found, and how long they are together.
    fn ready(&mut self, pieces: &[Piece<'_>], (room, fixed): (u32, u32), which: u64) -> (Vec<Ready>, Value) {
        let mut total = self.constant(fixed.into());
        let mut all = Vec::with_capacity(pieces.len());
        for (index, piece) in pieces.iter().enumerate() {
            all.push(match piece {
                Piece::Bytes(bytes) => Ready::Bytes(bytes.clone()),
                Piece::Small(place, length) => Ready::Small(self.readable(place), *length),
                Piece::Far(place, length) => {
                    let from = self.found(place);
                    if length.is_none() {
                        let beyond =
                            self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, from.1, i64::from(room));
                        self.fault_if(beyond, ProgramFault::Range);
                        total = self.b.ins().iadd(total, from.1);
                    }
                    let nowhere = self.constant(0);
                    self.append((index, LOOKED_FOR), from, nowhere, which);
                    Ready::Far { index, from, length: *length }
                }
            });
        }
        (all, total)
    }

    /// The attempt has failed where the pieces find no room, or the pointer lies outside.
    fn fault_without_room(&mut self, first: Option<Value>, total: Value, room: u32) {
        let end = match first {
            Some(first) => {
                let outside = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, first, i64::from(room));
                self.fault_if(outside, ProgramFault::Range);
                self.b.ins().iadd(first, total)
            }
            None => total,
        };
        let over = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, end, i64::from(room));
        self.fault_if(over, ProgramFault::Range);
    }

    /// Pieces of known lengths from the beginning on.
    fn put_at(&mut self, pieces: Vec<Ready>, to: Address) {
        let mut at = 0;
        for piece in pieces {
            match piece {
                Ready::Bytes(bytes) => {
                    self.store_bytes(&bytes, to.behind(at));
                    at += bytes.len() as u32;
                }
                Ready::Small(from, length) => {
                    self.copy(from, to.behind(at), length);
                    at += length;
                }
                Ready::Far { .. } => {}
            }
        }
    }

    /// Pieces from a place on that varies. The slot says where in the segment the next one goes.
    fn put_behind(
        &mut self,
        pieces: Vec<Ready>,
        into: &BytePlace,
        first: Option<Value>,
        (slot, which): (Slot, u64),
    ) {
        // What the place depends on may lie in the receiver: it is looked at once.
        let begin = self.linear(&into.at);
        let begin = match first {
            Some(first) => self.b.ins().iadd(begin, first),
            None => begin,
        };
        self.set_slot(slot, begin);
        let mut behind = 0;
        for piece in pieces {
            match piece {
                Ready::Bytes(bytes) => {
                    let to = self.storable(&from_slot(into, slot, behind, bytes.len() as u32));
                    self.store_bytes(&bytes, to);
                    behind += bytes.len() as u32;
                }
                Ready::Small(from, length) => {
                    let to = self.storable(&from_slot(into, slot, behind, length));
                    self.copy(from, to, length);
                    behind += length;
                }
                Ready::Far { index, from, length } => {
                    let to = self.slot(slot);
                    let to = self.b.ins().iadd_imm_s(to, i64::from(behind));
                    self.append((index, 0), from, to, which);
                    match length {
                        Some(length) => behind += length,
                        None => {
                            let next = self.b.ins().iadd(to, from.1);
                            self.set_slot(slot, next);
                            behind = 0;
                        }
                    }
                }
            }
        }
        let none = self.constant(0);
        self.set_slot(slot, none);
    }

    /// Looks for a piece, or moves it to where it goes in the receiver's segment.
    fn append(&mut self, (index, how): (usize, i64), from: (Value, Value), to: Value, which: u64) {
        let piece = self.constant(index as i64 | how);
        let answer = self.ask_found(offset_of!(Context, appended), which, [from, (to, piece)]);
        self.fault_below_zero(answer);
    }
}

/// A part of a receiver: its first byte is what a slot says, and some more.
fn from_slot(into: &BytePlace, slot: Slot, behind: u32, length: u32) -> BytePlace {
    BytePlace {
        at: Linear { constant: behind.into(), terms: vec![(1, Number::Slot(slot))] },
        length: Linear::constant(length.into()),
        segment: into.segment,
        bounds: Bounds::Task,
    }
}
