//! Places: every address of storage comes from here. It is the beginning of the task's storage and a checked offset, or the
//! beginning of WORKING-STORAGE or LOCAL-STORAGE and a constant that the verifier has checked, or where a record of the linkage
//! section lies and what was compared with the number of bytes that there are.

use std::mem::offset_of;

use cobol_ir::program::{BytePlace, Linear, Segment};
use cobol_run::{ProgramFault, RESERVED, Record};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Type, Value};

use crate::emit::{Emitter, storage, trusted};
use native::Context;

/// A checked address and a displacement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    base: Value,
    offset: i32,
}

impl Address {
    /// So many bytes on.
    pub(crate) fn behind(self, bytes: u32) -> Self {
        Self { offset: self.offset.saturating_add(bytes as i32), ..self }
    }
}

/// The widest piece that is loaded at once for so many bytes.
pub(crate) fn piece(length: u32) -> (Type, u32) {
    match length {
        8.. => (I64, 8),
        4..8 => (I32, 4),
        2..4 => (I16, 2),
        _ => (I8, 1),
    }
}

/// Offsets and types of the pieces of a run of bytes; the last one may lie over the one before it.
pub(crate) fn pieces(length: u32) -> Vec<(u32, Type)> {
    let mut list = Vec::new();
    let mut at = 0;
    while at < length {
        let (kind, size) = if length >= 8 { (I64, 8) } else { piece(length - at) };
        let from = if at + size > length { length - size } else { at };
        list.push((from, kind));
        at = from + size;
    }
    list
}

impl Emitter<'_> {
    /// The address of a place that [`crate::fits::place`] takes.
    fn address(&mut self, place: &BytePlace) -> Address {
        let length = place.fixed_length().unwrap_or(0);
        let constant = place.at.constant;
        match (place.segment, place.at.is_constant()) {
            (Segment::Constant, _) => {
                let base = self.field(I64, offset_of!(Context, constants));
                Address { base, offset: constant as i32 }
            }
            (Segment::Working, true) => Address { base: self.working(), offset: constant as i32 },
            (Segment::Local, true) => {
                let local = self.field(I32, offset_of!(Context, local));
                let local = self.b.ins().uextend(I64, local);
                let memory = self.memory();
                Address { base: self.b.ins().iadd(memory, local), offset: constant as i32 }
            }
            (Segment::Linkage(index), _) => self.in_record(index as usize, place, length),
            (segment, _) => {
                let base = self.base(segment);
                let offset = self.offset_from(base, &place.at);
                let checked = self.checked(offset, length);
                let memory = self.memory();
                Address { base: self.b.ins().iadd(memory, checked), offset: 0 }
            }
        }
    }

    /// The same of a place that is stored to.
    pub(crate) fn storable(&mut self, place: &BytePlace) -> Address {
        self.address(place)
    }

    /// The same of a place that is only read: one without an address may have zeros to look at.
    pub(crate) fn readable(&mut self, place: &BytePlace) -> Address {
        match self.program.has_zeros_without_address(place.segment) {
            true => self.in_record(self.program.linkage.len(), place, place.fixed_length().unwrap_or(0)),
            false => self.address(place),
        }
    }

    /// The same in a record of the linkage section, once it is certain that so many bytes are there.
    fn in_record(&mut self, index: usize, place: &BytePlace, length: u32) -> Address {
        let constant = place.at.constant;
        let end = constant.saturating_add(length.into());
        if place.at.is_constant() && constant >= 0 && end <= i64::from(i32::MAX) {
            let (base, limit) = self.record(index);
            let outside = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, limit, end);
            self.fault_if(outside, ProgramFault::Protection);
            return Address { base, offset: constant as i32 };
        }
        let begin = self.b.ins().iconst(I32, 0);
        let offset = self.offset_from(begin, &place.at);
        let (base, limit) = self.record(index);
        // Else what is left behind the length would wrap around.
        let is_short = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, limit, i64::from(length));
        self.fault_if(is_short, ProgramFault::Protection);
        let room = self.b.ins().iadd_imm_s(limit, -i64::from(length));
        let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThan, offset, room);
        self.fault_if(outside, ProgramFault::Protection);
        Address { base: self.b.ins().iadd(base, offset), offset: 0 }
    }

    /// The place of a record, and the number of bytes from there on. Nothing comes between the two: the proof asks for that.
    fn record(&mut self, index: usize) -> (Value, Value) {
        let records = self.records();
        let at = (index * size_of::<Record>()) as i32;
        let base = self.b.ins().load(I64, trusted(), records, at + offset_of!(Record, base) as i32);
        let limit = self.b.ins().load(I64, trusted(), records, at + offset_of!(Record, limit) as i32);
        (base, limit)
    }

    /// The beginning of a segment of the task's storage.
    fn base(&mut self, segment: Segment) -> Value {
        match segment {
            Segment::Working => self.field(I32, offset_of!(Context, working)),
            Segment::Local => self.field(I32, offset_of!(Context, local)),
            // Records and literals have beginnings of their own.
            Segment::Linkage(_) | Segment::Constant => self.b.ins().iconst(I32, 0),
        }
    }

    fn offset_from(&mut self, base: Value, at: &Linear) -> Value {
        let mut sum = self.b.ins().uextend(I64, base);
        if at.constant != 0 {
            sum = self.b.ins().iadd_imm_s(sum, at.constant);
        }
        for (factor, number) in &at.terms {
            let value = self.number(number).value;
            let value = if *factor == 1 { value } else { self.b.ins().imul_imm_s(value, *factor) };
            sum = self.b.ins().iadd(sum, value);
        }
        sum
    }

    /// The same, once it is certain that so many bytes are the task's there.
    fn checked(&mut self, offset: Value, length: u32) -> Value {
        let end = self.field(I64, offset_of!(Context, length));
        let room = self.b.ins().iadd_imm_s(end, -(RESERVED as i64) - i64::from(length));
        let behind = self.b.ins().iadd_imm_s(offset, -(RESERVED as i64));
        let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThan, behind, room);
        self.fault_if(outside, ProgramFault::Protection);
        offset
    }

    /// The offset of a place as a number: ADDRESS OF.
    pub(crate) fn load(&mut self, kind: Type, from: Address, at: u32) -> Value {
        self.b.ins().load(kind, storage(), from.base, from.offset + at as i32)
    }

    pub(crate) fn store(&mut self, value: Value, to: Address, at: u32) {
        self.b.ins().store(storage(), value, to.base, to.offset + at as i32);
    }

    /// Up to eight bytes as the high bytes of a word, the last one highest; below them zeros.
    pub(crate) fn load_high(&mut self, from: Address, at: u32, length: u32) -> Value {
        let (kind, size) = piece(length);
        let value = self.load(kind, from, at);
        if size == 8 {
            return value;
        }
        let value = self.b.ins().uextend(I64, value);
        let value = self.b.ins().ishl_imm_u(value, i64::from(8 * (8 - length)));
        if size == length {
            return value;
        }
        let rest = self.load_high(from, at + size, length - size);
        self.b.ins().bor(value, rest)
    }

    /// Up to eight bytes as a number, the first one highest.
    pub(crate) fn load_big(&mut self, from: Address, at: u32, length: u32) -> Value {
        let value = self.load_high(from, at, length);
        self.b.ins().bswap(value)
    }

    /// The low bytes of a number, the highest of them first.
    pub(crate) fn store_big(&mut self, value: Value, to: Address, at: u32, length: u32) {
        let (kind, size) = piece(length);
        let high = length - size;
        let low = if high == 0 { value } else { self.b.ins().ushr_imm_u(value, i64::from(8 * high)) };
        let low = if kind == I64 { low } else { self.b.ins().ireduce(kind, low) };
        let low = if kind == I8 { low } else { self.b.ins().bswap(low) };
        self.store(low, to, at);
        if high > 0 {
            self.store_big(value, to, at + size, high);
        }
    }
}
