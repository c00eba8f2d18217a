//! Functions that keep the rule, and functions that break it on purpose.

mod links;

use std::mem::offset_of;

use cobol_check::{Options, check};
use cobol_lower::lower;
use cobol_source::{Format, NoLibrary};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlagsData, Signature, Type};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use diagnostics::Source;

use super::*;
use crate::emit::signature;
use crate::translate::translate;
use native::STORAGE_MIN;

use crate::Compiler;

const DATA: &str = "01 A PIC X(100).\n01 I PIC 9(4) COMP VALUE 1.\n01 P PIC S9(7)V99 COMP-3 VALUE 1.\n01 Z PIC S9(7) VALUE 1.\n01 E PIC ZZZ,ZZ9.99-.\n01 F PIC Z(3)9.\n\
    01 T.\n 05 C PIC X(9) OCCURS 20.\nLOCAL-STORAGE SECTION.\n01 B PIC X(50).\nLINKAGE SECTION.\n01 L PIC X(80).\n01 DFHCOMMAREA PIC X(5).";
const STATEMENTS: &str = "MOVE A TO B\nMOVE L TO A\nMOVE 'LITERAL' TO C(I)\nMOVE C(I) TO L\nADD P TO Z\nADD Z TO P I\n\
    MOVE DFHCOMMAREA TO A\nIF C(I + 1) = 'ABC' AND P > 3 DISPLAY 'X' END-IF\nPERFORM 3 TIMES ADD 1 TO I END-PERFORM\n\
    COMPUTE Z ROUNDED = P * I ON SIZE ERROR MOVE 1 TO I END-COMPUTE\nMOVE P TO E F\nMOVE Z TO E F\nIF P NUMERIC AND A < L MOVE 1 TO I END-IF\nCALL 'OTHER' USING A\nGOBACK.";

fn program() -> Program {
    let text = format!(
        "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{DATA}\n\
         PROCEDURE DIVISION USING L DFHCOMMAREA.\n{STATEMENTS}\n"
    );
    let source = Source::new("T.cbl", text);
    let checked = check(&source, &NoLibrary, &Options { format: Format::Free, ..Options::default() });
    lower(&checked).unwrap_or_else(|messages| panic!("{}", messages[0])).remove(0)
}

/// The parts of functions that are made by hand.
struct Hand<'f> {
    b: FunctionBuilder<'f>,
    context: Value,
}

impl Hand<'_> {
    fn field(&mut self, kind: Type, at: usize) -> Value {
        self.b.ins().load(kind, MemFlagsData::trusted(), self.context, at as i32)
    }

    fn memory(&mut self) -> Value {
        self.field(I64, offset_of!(Context, memory))
    }

    /// A number that may be anything.
    fn anything(&mut self) -> Value {
        let slots = self.field(I64, offset_of!(Context, slots));
        let number = self.b.ins().load(I32, MemFlagsData::trusted(), slots, 0);
        self.b.ins().uextend(I64, number)
    }

    /// The place of a record of the linkage section, and the number of its bytes.
    fn record(&mut self, index: i32) -> (Value, Value) {
        let records = self.field(I64, offset_of!(Context, records));
        let at = 16 * index;
        let base = self.b.ins().load(I64, MemFlagsData::trusted(), records, at);
        (base, self.b.ins().load(I64, MemFlagsData::trusted(), records, at + 8))
    }

    /// Goes on where a condition does not hold; else leaves.
    fn unless(&mut self, condition: Value) {
        let (cold, next) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, cold, &[], next, &[]);
        self.b.switch_to_block(cold);
        self.leave();
        self.b.switch_to_block(next);
    }

    /// Goes on where there are so many bytes of a record.
    fn has(&mut self, limit: Value, bytes: i64) {
        let is_short = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, limit, bytes);
        self.unless(is_short);
    }

    fn store(&mut self, address: Value, at: i32) {
        let value = self.b.ins().iconst(I64, 7);
        self.b.ins().store(MemFlagsData::new(), value, address, at);
    }

    fn load(&mut self, address: Value, at: i32) {
        self.b.ins().load(I64, MemFlagsData::new(), address, at);
    }

    /// Goes on where an offset lies so that `length` bytes behind it are in the storage, from `lowest` on; else leaves.
    fn checked(&mut self, offset: Value, lowest: i64, length: i64, outside: IntCC) {
        let end = self.field(I64, offset_of!(Context, length));
        let room = self.b.ins().iadd_imm_s(end, -lowest - length);
        let behind = self.b.ins().iadd_imm_s(offset, -lowest);
        let outside = self.b.ins().icmp(outside, behind, room);
        let (cold, next) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(outside, cold, &[], next, &[]);
        self.b.switch_to_block(cold);
        self.leave();
        self.b.switch_to_block(next);
    }

    fn leave(&mut self) {
        let zero = self.b.ins().iconst(I64, 0);
        self.b.ins().return_(&[zero]);
    }
}

/// Verdict of the proof on a function.
fn said(program: &Program, make: impl FnOnce(&mut Hand<'_>)) -> Result<usize, String> {
    let compiler = Compiler::new().expect("this machine has a compiler");
    let mut function = Function::new();
    function.signature = signature(CallConv::SystemV);
    let mut builder = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut function, &mut builder);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let context = b.block_params(entry)[0];
    let mut hand = Hand { b, context };
    make(&mut hand);
    hand.leave();
    hand.b.seal_all_blocks();
    hand.b.finalize(compiler.careful.frontend_config());
    prove(&function, program, true).map_err(|unproved| unproved.what)
}

#[track_caller]
fn refused(why: &str, make: impl FnOnce(&mut Hand<'_>)) {
    let said = said(&program(), make).expect_err("the rule is broken");
    assert!(said.starts_with(why), "{said}");
}

#[track_caller]
fn proved(make: impl FnOnce(&mut Hand<'_>)) {
    said(&program(), make).expect("the rule is kept");
}

const LOW: i64 = RESERVED as i64;
const OUTSIDE: IntCC = IntCC::UnsignedGreaterThan;
const NOT_COMPARED: &str = "an offset in the storage that was not compared";

#[test]
fn an_offset_that_was_compared() {
    let checked_store = |length, at: i32| {
        move |hand: &mut Hand<'_>| {
            let offset = hand.anything();
            hand.checked(offset, LOW, length, OUTSIDE);
            let memory = hand.memory();
            let address = hand.b.ins().iadd(memory, offset);
            hand.store(address, at);
        }
    };
    proved(checked_store(8, 0));
    proved(checked_store(24, 16));
    refused(NOT_COMPARED, checked_store(7, 0));
    refused(NOT_COMPARED, checked_store(24, 17));
    refused(NOT_COMPARED, checked_store(8, -1));
    refused(NOT_COMPARED, checked_store(STORAGE_MIN as i64, 0));
    // What was taken from the length is what the storage must have.
    assert_eq!(said(&program(), checked_store(24, 16)), Ok(RESERVED + 24));
}

#[test]
fn an_offset_that_was_not_compared() {
    refused(NOT_COMPARED, |hand| {
        let (memory, offset) = (hand.memory(), hand.anything());
        let address = hand.b.ins().iadd(memory, offset);
        hand.store(address, 0);
    });
}

#[test]
fn an_offset_that_was_compared_as_a_number_with_a_sign() {
    refused(NOT_COMPARED, |hand| {
        let offset = hand.anything();
        hand.checked(offset, LOW, 8, IntCC::SignedGreaterThan);
        let memory = hand.memory();
        let address = hand.b.ins().iadd(memory, offset);
        hand.store(address, 0);
    });
}

#[test]
fn another_offset_was_compared() {
    refused(NOT_COMPARED, |hand| {
        let offset = hand.anything();
        hand.checked(offset, LOW, 8, OUTSIDE);
        let (memory, more) = (hand.memory(), hand.anything());
        let address = hand.b.ins().iadd(memory, more);
        hand.store(address, 0);
    });
}

#[test]
fn an_offset_that_was_compared_on_another_way() {
    refused(NOT_COMPARED, |hand| {
        let offset = hand.anything();
        let (memory, start) = (hand.memory(), hand.anything());
        let [checks, meets] = std::array::from_fn(|_| hand.b.create_block());
        hand.b.ins().brif(start, checks, &[], meets, &[]);
        hand.b.switch_to_block(checks);
        hand.checked(offset, LOW, 8, OUTSIDE);
        hand.b.ins().jump(meets, &[]);
        hand.b.switch_to_block(meets);
        let address = hand.b.ins().iadd(memory, offset);
        hand.store(address, 0);
    });
}

#[test]
fn a_comparison_that_decides_nothing() {
    refused(NOT_COMPARED, |hand| {
        let offset = hand.anything();
        let end = hand.field(I64, offset_of!(Context, length));
        let room = hand.b.ins().iadd_imm_s(end, -LOW - 8);
        let behind = hand.b.ins().iadd_imm_s(offset, -LOW);
        let outside = hand.b.ins().icmp(OUTSIDE, behind, room);
        let next = hand.b.create_block();
        hand.b.ins().brif(outside, next, &[], next, &[]);
        hand.b.switch_to_block(next);
        let memory = hand.memory();
        let address = hand.b.ins().iadd(memory, offset);
        hand.store(address, 0);
    });
}

/// A comparison for reading begins at zero, where nothing is stored.
#[test]
fn low_storage_is_only_read() {
    let access = |writes: bool| {
        move |hand: &mut Hand<'_>| {
            let offset = hand.anything();
            hand.checked(offset, 0, 8, OUTSIDE);
            let memory = hand.memory();
            let address = hand.b.ins().iadd(memory, offset);
            if writes { hand.store(address, 0) } else { hand.load(address, 0) }
        }
    };
    proved(access(false));
    refused(NOT_COMPARED, access(true));
}

#[test]
fn constants_within_a_segment() {
    let end = program().working.len() as i32;
    let store = |field: usize, at: i32| {
        move |hand: &mut Hand<'_>| {
            let (memory, segment) = (hand.memory(), hand.field(I32, field));
            let segment = hand.b.ins().uextend(I64, segment);
            let address = hand.b.ins().iadd(memory, segment);
            hand.store(address, at);
        }
    };
    proved(store(offset_of!(Context, working), end - 8));
    refused(NOT_COMPARED, store(offset_of!(Context, working), end - 7));
    refused(NOT_COMPARED, store(offset_of!(Context, working), -1));
    refused(NOT_COMPARED, store(offset_of!(Context, local), end - 8));
}

#[test]
fn what_is_only_read() {
    for (field, name) in [
        (offset_of!(Context, constants), "the literals"),
        (offset_of!(Context, tables), "the tables"),
        (offset_of!(Context, records), "the places of linkage records"),
        (offset_of!(Context, flag), "the flag"),
        (offset_of!(Context, step), "a helper"),
    ] {
        refused(&format!("a store into {name}"), |hand| {
            let base = hand.field(I64, field);
            hand.store(base, 0);
        });
    }
    refused("a store into the context", |hand| hand.store(hand.context, 0));
}

#[test]
fn the_frame_ends() {
    let slots = program().slots as i32;
    let store = |at: i32| {
        move |hand: &mut Hand<'_>| {
            let slots = hand.field(I64, offset_of!(Context, slots));
            hand.store(slots, at);
        }
    };
    proved(store(8 * (slots - 1)));
    refused("an offset in the frame", store(8 * slots));
}

/// A program whose code does not count has no counters.
#[test]
fn the_counters_end() {
    let lines = program().lines.len() as i32;
    let count = |at: i32| {
        move |hand: &mut Hand<'_>| {
            let counters = hand.field(I64, offset_of!(Context, counters));
            hand.store(counters, at);
        }
    };
    proved(count(8 * (lines - 1)));
    refused("an offset in the counters", count(8 * lines));
    refused("an offset in the counters", count(-8));
    let program = program();
    let compiler = Compiler::new().expect("this machine has a compiler");
    let mut function = Function::new();
    translate(&program, &mut function, &mut FunctionBuilderContext::new(), &compiler.careful, true);
    let unproved = prove(&function, &program, false).expect_err("it counts all the same");
    assert!(unproved.what.starts_with("an offset in the counters"), "{}", unproved.what);
}

#[test]
fn an_address_of_the_programs_making() {
    refused("an address without a trusted base", |hand| {
        let address = hand.anything();
        hand.store(address, 0);
    });
    refused("an address without a trusted base", |hand| {
        let memory = hand.memory();
        let address = hand.b.ins().bxor_imm_u(memory, 8);
        hand.store(address, 0);
    });
    refused("an address without a trusted base", |hand| {
        let slot = hand.b.create_sized_stack_slot(cranelift_codegen::ir::StackSlotData::new(
            cranelift_codegen::ir::StackSlotKind::ExplicitSlot,
            8,
            0,
        ));
        let address = hand.b.ins().stack_addr(I64, slot, 0);
        hand.store(address, 0);
    });
}

#[test]
fn a_table_has_an_end() {
    let look = |mask: i64| {
        move |hand: &mut Hand<'_>| {
            let (tables, number) = (hand.field(I64, offset_of!(Context, tables)), hand.anything());
            let index = hand.b.ins().band_imm_u(number, mask);
            let entry = hand.b.ins().iadd(tables, index);
            hand.b.ins().load(I8, MemFlagsData::trusted(), entry, 32);
        }
    };
    proved(look(0xFF));
    refused("an offset in the tables", look(0x1FF));
}

/// Rows of literals are looked at by how many zeros something begins with, and by a sign.
#[test]
fn rows_of_literals_have_an_end() {
    let length = program().constants.len() as i32;
    let look = |at: i32, behind: i64| {
        move |hand: &mut Hand<'_>| {
            let (constants, number) = (hand.field(I64, offset_of!(Context, constants)), hand.anything());
            let zeros = hand.b.ins().clz(number);
            let more = hand.b.ins().iadd_imm_s(zeros, 64);
            let zeros = hand.b.ins().select(number, zeros, more);
            let row = hand.b.ins().ushr_imm_u(zeros, 3);
            let row = hand.b.ins().ishl_imm_u(row, 4);
            let sign = hand.b.ins().sshr_imm_u(number, 63);
            let sign = hand.b.ins().band_imm_u(sign, behind);
            let row = hand.b.ins().iadd(row, sign);
            let address = hand.b.ins().iadd(constants, row);
            hand.b.ins().load(I64, MemFlagsData::trusted(), address, at);
        }
    };
    // Sixteen rows of sixteen bytes behind the first one.
    proved(look(length - 8 - 256, 0));
    refused("an offset in the literals", look(length - 7 - 256, 0));
    proved(look(length - 8 - 256 - 32, 32));
    refused("an offset in the literals", look(length - 8 - 256, 32));
    refused("an offset in the literals", look(-1, 0));
}

#[test]
fn only_helpers_are_called() {
    let call = |field: usize, with_context: bool| {
        move |hand: &mut Hand<'_>| {
            let mut helper = Signature::new(CallConv::SystemV);
            helper.params.extend([AbiParam::new(I64), AbiParam::new(I64)]);
            helper.returns.push(AbiParam::new(I64));
            let helper = hand.b.import_signature(helper);
            let function = hand.field(I64, field);
            let number = hand.b.ins().iconst(I64, 0);
            let context = if with_context { hand.context } else { number };
            hand.b.ins().call_indirect(helper, function, &[context, number]);
        }
    };
    proved(call(offset_of!(Context, step), true));
    refused("a call of something else than a helper", call(offset_of!(Context, entry), true));
    refused("a call of something else than a helper", call(offset_of!(Context, memory), true));
    refused("a helper without the context", call(offset_of!(Context, step), false));
}

/// Calls a helper, as code does.
fn call(hand: &mut Hand<'_>, field: usize) {
    let mut helper = Signature::new(CallConv::SystemV);
    helper.params.extend([AbiParam::new(I64), AbiParam::new(I64)]);
    helper.returns.push(AbiParam::new(I64));
    let helper = hand.b.import_signature(helper);
    let function = hand.field(I64, field);
    let number = hand.b.ins().iconst(I64, 0);
    let context = hand.context;
    hand.b.ins().call_indirect(helper, function, &[context, number]);
}

const OLD: &str = "something of the context from in front of a call of the host";

#[test]
fn a_call_of_the_host_may_move_the_storage() {
    let around = |field: usize| {
        move |hand: &mut Hand<'_>| {
            let working = hand.field(I64, offset_of!(Context, working_at));
            hand.store(working, 0);
            call(hand, field);
            hand.store(working, 0);
        }
    };
    proved(around(offset_of!(Context, step)));
    refused(OLD, around(offset_of!(Context, host)));
    refused(OLD, around(offset_of!(Context, call)));
    // What is loaded again behind it is as good as new.
    proved(|hand| {
        for _ in 0..2 {
            let working = hand.field(I64, offset_of!(Context, working_at));
            hand.store(working, 0);
            call(hand, offset_of!(Context, host));
        }
    });
}

#[test]
fn what_was_compared_in_front_of_a_call_of_the_host() {
    refused(NOT_COMPARED, |hand| {
        let offset = hand.anything();
        hand.checked(offset, LOW, 8, OUTSIDE);
        call(hand, offset_of!(Context, host));
        let memory = hand.memory();
        let address = hand.b.ins().iadd(memory, offset);
        hand.store(address, 0);
    });
    // The comparison itself is old, too, where it decides.
    refused(OLD, |hand| {
        let offset = hand.anything();
        let end = hand.field(I64, offset_of!(Context, length));
        let outside = hand.b.ins().icmp(OUTSIDE, offset, end);
        call(hand, offset_of!(Context, host));
        let [cold, next] = std::array::from_fn(|_| hand.b.create_block());
        hand.b.ins().brif(outside, cold, &[], next, &[]);
        hand.b.switch_to_block(cold);
        hand.leave();
        hand.b.switch_to_block(next);
    });
}

/// A call of the host may give a record another place, and take away the bytes that it had.
#[test]
fn a_record_from_in_front_of_a_call_of_the_host() {
    let around = |field: usize| {
        move |hand: &mut Hand<'_>| {
            let (base, limit) = hand.record(0);
            hand.has(limit, 8);
            hand.store(base, 0);
            call(hand, field);
            hand.store(base, 0);
        }
    };
    // SET ADDRESS OF changes the list of places, and leaves what lies there where it is.
    proved(around(offset_of!(Context, step)));
    refused(OLD, around(offset_of!(Context, host)));
    refused(OLD, around(offset_of!(Context, call)));
    proved(around(offset_of!(Context, moved)));
    // The list itself is old, too.
    refused(OLD, |hand| {
        let records = hand.field(I64, offset_of!(Context, records));
        call(hand, offset_of!(Context, host));
        hand.load(records, 0);
    });
    // So is how many bytes there were, and the place of what may be zeros.
    refused(OLD, |hand| {
        let (_, limit) = hand.record(0);
        call(hand, offset_of!(Context, host));
        hand.has(limit, 8);
    });
    refused(OLD, |hand| {
        let (base, limit) = hand.record(program().linkage.len() as i32);
        hand.has(limit, 8);
        call(hand, offset_of!(Context, host));
        hand.load(base, 0);
    });
    // What was compared before says nothing of what is loaded behind it.
    refused(OF_RECORD, |hand| {
        let (_, limit) = hand.record(0);
        hand.has(limit, 8);
        call(hand, offset_of!(Context, host));
        let (base, _) = hand.record(0);
        hand.store(base, 0);
    });
    proved(|hand| {
        for _ in 0..2 {
            let (base, limit) = hand.record(0);
            hand.has(limit, 8);
            hand.store(base, 0);
            call(hand, offset_of!(Context, host));
        }
    });
}

/// A loop whose body calls the host uses what was loaded in front of it the second time round.
#[test]
fn a_call_of_the_host_on_one_of_two_ways() {
    let function = |calls: [bool; 2]| {
        move |hand: &mut Hand<'_>| {
            let working = hand.field(I64, offset_of!(Context, working_at));
            let [head, other, tail, end] = std::array::from_fn(|_| hand.b.create_block());
            hand.b.ins().jump(head, &[]);
            hand.b.switch_to_block(head);
            let again = hand.anything();
            hand.b.ins().brif(again, other, &[], tail, &[]);
            for (block, calls) in [other, tail].into_iter().zip(calls) {
                hand.b.switch_to_block(block);
                if calls {
                    call(hand, offset_of!(Context, host));
                }
                if block == other {
                    hand.b.ins().jump(head, &[]);
                }
            }
            hand.b.ins().jump(end, &[]);
            hand.b.switch_to_block(end);
            if !calls[1] {
                hand.store(working, 0);
            }
        }
    };
    proved(function([false, false]));
    proved(function([false, true]));
    refused(OLD, function([true, false]));
}

#[test]
fn what_the_proof_does_not_know() {
    refused("an instruction that the proof does not know", |hand| {
        let (memory, one) = (hand.memory(), hand.b.ins().iconst(I64, 1));
        let flags = MemFlagsData::trusted();
        hand.b.ins().atomic_rmw(I64, flags, cranelift_codegen::ir::AtomicRmwOp::Add, memory, one);
    });
}

const OF_RECORD: &str = "an offset in a linkage record that was not compared";

#[test]
fn a_constant_in_a_record() {
    let store = |bytes: i64, at: i32| {
        move |hand: &mut Hand<'_>| {
            let (base, limit) = hand.record(0);
            hand.has(limit, bytes);
            hand.store(base, at);
        }
    };
    proved(store(8, 0));
    proved(store(48, 40));
    refused(OF_RECORD, store(7, 0));
    refused(OF_RECORD, store(48, 41));
    refused(OF_RECORD, store(48, -1));
    refused(OF_RECORD, store(-1, -8));
}

#[test]
fn a_record_that_was_not_compared() {
    refused(OF_RECORD, |hand| {
        let (base, _) = hand.record(0);
        hand.store(base, 0);
    });
    // The bytes of another record, or of the same one as it was before.
    refused(OF_RECORD, |hand| {
        let ((base, _), (_, limit)) = (hand.record(0), hand.record(1));
        hand.has(limit, 8);
        hand.store(base, 0);
    });
    refused(OF_RECORD, |hand| {
        let ((_, limit), (base, _)) = (hand.record(0), hand.record(0));
        hand.has(limit, 8);
        hand.store(base, 0);
    });
    // It was compared on another way.
    refused(OF_RECORD, |hand| {
        let ((base, limit), start) = (hand.record(0), hand.anything());
        let [checks, meets] = std::array::from_fn(|_| hand.b.create_block());
        hand.b.ins().brif(start, checks, &[], meets, &[]);
        hand.b.switch_to_block(checks);
        hand.has(limit, 8);
        hand.b.ins().jump(meets, &[]);
        hand.b.switch_to_block(meets);
        hand.store(base, 0);
    });
    // It was compared the wrong way round, or as a number with a sign.
    for wrong in [IntCC::UnsignedGreaterThan, IntCC::SignedLessThan] {
        refused(OF_RECORD, |hand| {
            let (base, limit) = hand.record(0);
            let is_short = hand.b.ins().icmp_imm_s(wrong, limit, 8);
            hand.unless(is_short);
            hand.store(base, 0);
        });
    }
}

/// Both numbers of a record are of one moment: nothing comes between them.
#[test]
fn the_bytes_of_a_record_count_only_right_behind_its_place() {
    refused(OF_RECORD, |hand| {
        let records = hand.field(I64, offset_of!(Context, records));
        let base = hand.b.ins().load(I64, MemFlagsData::trusted(), records, 0);
        let step = hand.field(I64, offset_of!(Context, step));
        let mut helper = Signature::new(CallConv::SystemV);
        helper.params.extend([AbiParam::new(I64), AbiParam::new(I64)]);
        helper.returns.push(AbiParam::new(I64));
        let helper = hand.b.import_signature(helper);
        hand.b.ins().call_indirect(helper, step, &[hand.context, base]);
        let limit = hand.b.ins().load(I64, MemFlagsData::trusted(), records, 8);
        hand.has(limit, 8);
        hand.store(base, 0);
    });
    // They are of one list.
    refused(OF_RECORD, |hand| {
        let records = hand.field(I64, offset_of!(Context, records));
        let others = hand.field(I64, offset_of!(Context, records));
        let base = hand.b.ins().load(I64, MemFlagsData::trusted(), records, 0);
        let limit = hand.b.ins().load(I64, MemFlagsData::trusted(), others, 8);
        hand.has(limit, 8);
        hand.store(base, 0);
    });
    // The order counts, too.
    refused(OF_RECORD, |hand| {
        let records = hand.field(I64, offset_of!(Context, records));
        let limit = hand.b.ins().load(I64, MemFlagsData::trusted(), records, 8);
        let base = hand.b.ins().load(I64, MemFlagsData::trusted(), records, 0);
        hand.has(limit, 8);
        hand.store(base, 0);
    });
}

#[test]
fn what_varies_in_a_record() {
    // `bytes` are there at least, and behind the offset there are `length`.
    let store = |bytes: Option<i64>, length: i64, outside: IntCC, at: i32| {
        move |hand: &mut Hand<'_>| {
            let offset = hand.anything();
            let (base, limit) = hand.record(0);
            if let Some(bytes) = bytes {
                hand.has(limit, bytes);
            }
            let room = hand.b.ins().iadd_imm_s(limit, -length);
            let outside = hand.b.ins().icmp(outside, offset, room);
            hand.unless(outside);
            let address = hand.b.ins().iadd(base, offset);
            hand.store(address, at);
        }
    };
    proved(store(Some(8), 8, OUTSIDE, 0));
    proved(store(Some(100), 24, OUTSIDE, 16));
    refused(OF_RECORD, store(Some(24), 24, OUTSIDE, 17));
    refused(OF_RECORD, store(Some(24), 24, OUTSIDE, -1));
    refused(OF_RECORD, store(Some(8), 8, IntCC::SignedGreaterThan, 0));
    refused(OF_RECORD, store(Some(8), 7, OUTSIDE, 0));
    // What is left behind the length would wrap around.
    refused(OF_RECORD, store(None, 8, OUTSIDE, 0));
    refused(OF_RECORD, store(Some(7), 8, OUTSIDE, 0));
    // The offset alone was compared with another record.
    refused(OF_RECORD, |hand| {
        let offset = hand.anything();
        let ((base, own), (_, limit)) = (hand.record(0), hand.record(1));
        hand.has(own, 8);
        hand.has(limit, 8);
        let room = hand.b.ins().iadd_imm_s(limit, -8);
        let outside = hand.b.ins().icmp(OUTSIDE, offset, room);
        hand.unless(outside);
        let address = hand.b.ins().iadd(base, offset);
        hand.store(address, 0);
    });
    // Two offsets, of which one was compared.
    refused("an address without a trusted base", |hand| {
        let (offset, more) = (hand.anything(), hand.anything());
        let (base, limit) = hand.record(0);
        hand.has(limit, 8);
        let room = hand.b.ins().iadd_imm_s(limit, -8);
        let outside = hand.b.ins().icmp(OUTSIDE, offset, room);
        hand.unless(outside);
        let address = hand.b.ins().iadd(base, offset);
        let address = hand.b.ins().iadd(address, more);
        hand.store(address, 0);
    });
}

/// Behind the records stands what a program may look at without an address: it is never stored to.
#[test]
fn zeros_are_only_read() {
    let records = program().linkage.len() as i32;
    let access = |index: i32, writes: bool| {
        move |hand: &mut Hand<'_>| {
            let (base, limit) = hand.record(index);
            hand.has(limit, 8);
            if writes { hand.store(base, 0) } else { hand.load(base, 0) }
        }
    };
    proved(access(records - 1, true));
    proved(access(records, false));
    refused("a store into what is only looked at", access(records, true));
    refused("an offset in the places of linkage records", access(records + 1, false));
    refused("an offset in the places of linkage records", access(-1, false));
}

/// Each load and store of a real program's code in turn gets a displacement that leads elsewhere.
#[test]
fn code_that_is_spoilt_anywhere_is_found() {
    let program = program();
    let compiler = Compiler::new().expect("this machine has a compiler");
    let mut function = Function::new();
    translate(&program, &mut function, &mut FunctionBuilderContext::new(), &compiler.careful, true);
    let needs = prove(&function, &program, true).expect("what is translated keeps the rule");
    assert!(
        (RESERVED + 9..RESERVED + 80).contains(&needs),
        "its longest place in the task's storage that varies is C, of 9 bytes: {needs}"
    );
    let insts: Vec<Inst> =
        function.layout.blocks().flat_map(|block| function.layout.block_insts(block)).collect();
    let mut spoilt = 0;
    for inst in insts {
        let mut worse = function.clone();
        match &mut worse.dfg.insts[inst] {
            InstructionData::Load { offset, .. } | InstructionData::Store { offset, .. } => {
                *offset = (i32::MAX - 8).into();
            }
            _ => continue,
        }
        let unproved = prove(&worse, &program, true).expect_err("a displacement that leads elsewhere");
        let first = worse.dfg.display_inst(inst).to_string();
        assert!(unproved.what.ends_with(&first) || first.contains("load"), "{} {first}", unproved.what);
        spoilt += 1;
    }
    assert!(spoilt > 100, "{spoilt} loads and stores");
}

/// An error says where: the program, and the statement's line.
#[test]
fn an_error_names_program_and_statement() {
    let program = program();
    let compiler = Compiler::new().expect("this machine has a compiler");
    let mut function = Function::new();
    translate(&program, &mut function, &mut FunctionBuilderContext::new(), &compiler.careful, false);
    let store = function.layout.blocks().flat_map(|block| function.layout.block_insts(block)).find(|inst| {
        function.dfg.insts[*inst].opcode() == Opcode::Store && !function.srcloc(*inst).is_default()
    });
    let store = store.expect("it stores");
    if let InstructionData::Store { offset, .. } = &mut function.dfg.insts[store] {
        *offset = (-8).into();
    }
    let unproved = prove(&function, &program, false).expect_err("in front of WORKING-STORAGE");
    let error = crate::CodegenError::unproved(&program, &unproved).to_string();
    let line = 1 + 4 + DATA.lines().count() + 1;
    let expected = format!("the code of T at line {line} is not proved: {NOT_COMPARED}: store");
    assert!(error.starts_with(&expected), "{error}");
}
