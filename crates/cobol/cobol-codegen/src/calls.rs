//! CALL by a link: the program that was entered from the same place before is entered by code itself (`native`, links).
//!
//! ```text
//! link ─► context ─ called_from is this link? ─ stack? ─ name, records as they were? ─► enter ─► done: RETURN-CODE, on
//!                        no │                     │                      │                └► left: a helper, leave
//!                           └──────── the helper that enters it ◄────────┘
//! ```

use std::mem::offset_of;

use cobol_ir::program::BytePlace;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I16, I32, I64};
use cranelift_codegen::ir::{self, InstBuilder, Value};

use crate::emit::{Emitter, signature, trusted};
use crate::fits;
use native::{BUSY, Context, Link, Linked};

/// Bytes of RETURN-CODE.
const RETURN_CODE: u32 = size_of::<i16>() as u32;

impl Emitter<'_> {
    /// A CALL, by its number among the calls of the host, behind which the program goes on at a block. False if it has no link.
    pub(crate) fn calls(&mut self, site: u32, which: u64, next: ir::Block) -> bool {
        let program = self.program;
        let Some(linked) = Linked::of(program, site) else { return false };
        if linked.name.is_some_and(|name| fits::place(name).is_none()) {
            return false;
        }
        let [helped, leaves, renews, behind] = std::array::from_fn(|_| self.new_block());
        for block in [helped, leaves, renews] {
            self.b.set_cold_block(block);
        }
        let at = (linked.number * size_of::<Link>()) as i64;
        let links = self.field(I64, offset_of!(Context, links));
        let called = self.b.ins().load(I64, trusted(), links, at as i32 + offset_of!(Link, context) as i32);
        let link = self.b.ins().iadd_imm_s(links, at);
        self.is_as_it_was(&linked, (links, at as i32), (called, link), helped);
        let busy = self.constant(BUSY as i64);
        self.set_called_from(called, busy);
        let status = self.enters(called);
        let done = self.new_block();
        self.branch(status, leaves, done);

        self.b.switch_to_block(done);
        self.set_called_from(called, link);
        let touched = self.b.ins().load(I64, trusted(), called, offset_of!(Context, touched) as i32);
        self.branch(touched, renews, behind);

        self.b.switch_to_block(renews);
        self.help_or_leave(offset_of!(Context, renew), which);
        self.jump(behind);

        self.enter(behind);
        if let Some((segment, at)) = program.return_code {
            self.take_return_code(called, &BytePlace::fixed(segment, at, RETURN_CODE));
        }
        self.jump(next);

        self.b.switch_to_block(leaves);
        let zero = self.constant(0);
        let status = self.ask_with(offset_of!(Context, left), which, [status, zero, zero, zero]);
        self.leave(status);

        // The flag is looked at where another function is called: this way there is no cycle without an edge that looks at it.
        self.b.switch_to_block(helped);
        self.poll();
        self.help_or_leave(offset_of!(Context, call), which);
        self.jump(next);
        true
    }

    /// Goes on where the program may be entered as it stands; else at a block.
    fn is_as_it_was(
        &mut self,
        linked: &Linked<'_>,
        (links, at): (Value, i32),
        (called, link): (Value, Value),
        other: ir::Block,
    ) {
        let from = self.b.ins().load(I64, trusted(), called, offset_of!(Context, called_from) as i32);
        let is_another = self.b.ins().icmp(IntCC::NotEqual, from, link);
        self.unless(is_another, other);
        let stack = self.b.ins().get_stack_pointer(I64);
        let limit = self.field(I64, offset_of!(Context, stack_limit));
        let is_low = self.b.ins().icmp(IntCC::UnsignedLessThan, stack, limit);
        self.unless(is_low, other);
        if let Some(name) = linked.name {
            let own = self.readable(name);
            for (index, (from, length)) in Linked::words(name.fixed_length().unwrap_or(0)).enumerate() {
                let now = self.load_high(own, from, length);
                let place = at + (offset_of!(Link, name) + 8 * index) as i32;
                let then = self.b.ins().load(I64, trusted(), links, place);
                let is_another = self.b.ins().icmp(IntCC::NotEqual, now, then);
                self.unless(is_another, other);
            }
        }
        for (index, record) in linked.records.iter().enumerate() {
            let addresses = self.field(I64, offset_of!(Context, linkage));
            let now = self.b.ins().load(I32, trusted(), addresses, 4 * *record as i32);
            let place = at + (offset_of!(Link, records) + 4 * index) as i32;
            let then = self.b.ins().load(I32, trusted(), links, place);
            let is_another = self.b.ins().icmp(IntCC::NotEqual, now, then);
            self.unless(is_another, other);
        }
    }

    /// Goes on where a condition does not hold; else at a block.
    fn unless(&mut self, condition: Value, other: ir::Block) {
        let next = self.new_block();
        self.branch(condition, other, next);
        self.b.switch_to_block(next);
    }

    fn set_called_from(&mut self, called: Value, from: Value) {
        self.b.ins().store(trusted(), from, called, offset_of!(Context, called_from) as i32);
    }

    /// Enters a program with its own context: the status with which it was left.
    fn enters(&mut self, called: Value) -> Value {
        let signature = match self.program_signature {
            Some(known) => known,
            None => {
                let own = signature(self.b.func.signature.call_conv);
                *self.program_signature.insert(self.b.import_signature(own))
            }
        };
        let code = self.b.ins().load(I64, trusted(), called, offset_of!(Context, code) as i32);
        let call = self.b.ins().call_indirect(signature, code, &[called]);
        self.b.inst_results(call)[0]
    }

    /// RETURN-CODE of a program that was called is that of its caller.
    fn take_return_code(&mut self, called: Value, own: &BytePlace) {
        let given = self.b.ins().load(I64, trusted(), called, offset_of!(Context, return_code) as i32);
        let code = self.b.ins().load(I16, trusted(), given, 0);
        let to = self.storable(own);
        self.store(code, to, 0);
    }
}
