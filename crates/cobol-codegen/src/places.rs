//! Places: every address of the task's storage comes from here. It is the storage's beginning and a checked offset, or the
//! beginning of WORKING-STORAGE or LOCAL-STORAGE and a constant that the verifier has checked.

use std::mem::offset_of;

use cobol_ir::program::{Linear, Place, Segment, Slot};
use cobol_run::{Fault, HIGHEST, RESERVED};
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
    fn address(&mut self, place: &Place) -> Address {
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
            (segment, _) => {
                let offset = self.offset(segment, &place.at);
                let checked = self.checked(offset, length);
                let memory = self.memory();
                Address { base: self.b.ins().iadd(memory, checked), offset: 0 }
            }
        }
    }

    /// The same of a place that is stored to, which is noted where nobody could tell otherwise.
    pub(crate) fn storable(&mut self, place: &Place) -> Address {
        if !place.is_noted() {
            if let Segment::Linkage(record) = place.segment {
                self.note_record(record);
            }
            return self.address(place);
        }
        let length = place.fixed_length().unwrap_or(0);
        let offset = self.offset(place.segment, &place.at);
        let offset = self.checked(offset, length);
        self.note(offset, length);
        let memory = self.memory();
        Address { base: self.b.ins().iadd(memory, offset), offset: 0 }
    }

    /// Notes in the frame that so many bytes are stored to.
    fn note(&mut self, offset: Value, length: u32) {
        let [down, up] = [0, 1].map(|at| Slot(self.program.slots + at));
        let highest = self.b.ins().iconst(I64, HIGHEST);
        let reach = self.b.ins().isub(highest, offset);
        self.grow(down, reach);
        let end = self.b.ins().iadd_imm_s(offset, i64::from(length));
        self.grow(up, end);
    }

    /// A number of the frame becomes another one, if that is greater.
    fn grow(&mut self, slot: Slot, to: Value) {
        let before = self.slot(slot);
        let greater = self.b.ins().umax(before, to);
        self.set_slot(slot, greater);
    }

    /// The same of a place that is only read: one without an address may have zeros to look at.
    pub(crate) fn readable(&mut self, place: &Place) -> Address {
        if !self.program.has_zeros_without_address(place.segment) {
            return self.address(place);
        }
        let length = place.fixed_length().unwrap_or(0);
        let base = self.base(place.segment);
        let offset = self.offset_from(base, &place.at);
        let end = self.field(I64, offset_of!(Context, length));
        let room = self.b.ins().iadd_imm_s(end, -i64::from(length));
        let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThan, offset, room);
        self.fault_if(outside, Fault::Protection);
        let memory = self.memory();
        Address { base: self.b.ins().iadd(memory, offset), offset: 0 }
    }

    /// The offset of a place in the storage of the task, not yet checked.
    fn offset(&mut self, segment: Segment, at: &Linear) -> Value {
        let base = self.base(segment);
        if let Segment::Linkage(_) = segment {
            let none = self.b.ins().icmp_imm_u(IntCC::Equal, base, 0);
            self.fault_if(none, Fault::Protection);
        }
        self.offset_from(base, at)
    }

    /// Where a segment begins; zero for a record without an address.
    fn base(&mut self, segment: Segment) -> Value {
        match segment {
            Segment::Working => self.field(I32, offset_of!(Context, working)),
            Segment::Local => self.field(I32, offset_of!(Context, local)),
            Segment::Linkage(index) => {
                let records = self.field(I64, offset_of!(Context, linkage));
                self.b.ins().load(I32, trusted(), records, 4 * index as i32)
            }
            Segment::Constant => self.b.ins().iconst(I32, 0),
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
        self.fault_if(outside, Fault::Protection);
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
