//! The emitter: what every part of the translation uses.

use std::collections::BTreeMap;
use std::mem::offset_of;

use cobol_ir::Program;
use cobol_run::ProgramFault;
use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, MemFlagsData, SigRef, Signature, SourceLoc, Value};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;

use native::{Context, Status};

pub(crate) struct Emitter<'f> {
    pub(crate) b: FunctionBuilder<'f>,
    pub(crate) program: &'f Program,
    pub(crate) context: Value,
    /// First block of the program …
    home: ir::Block,
    /// … and what of the context it has loaded there, by its offset. A value that lived as long as the program would cost the
    /// compiler more than a load in each block that needs it costs the program.
    at_home: Vec<(usize, Value)>,
    helper: SigRef,
    /// The signature of programs, once one is called.
    pub(crate) program_signature: Option<SigRef>,
    /// The signature of helpers that are given places, once one is called.
    pub(crate) found_helper: Option<SigRef>,
    /// The block to which a fault leads instead: to the interpreter, which does the whole step.
    pub(crate) attempt: Option<ir::Block>,
    /// Leave the function with the number that they are given: the last one takes those that come.
    exits: Vec<ir::Block>,
    /// Number of edges that lead to that one.
    leaving: usize,
    faults: BTreeMap<(u32, i64), ir::Block>,
    /// The statement, by its place in the program's list.
    pub(crate) line: u32,
}

/// Places that lead to one exit, at most: the time for giving out registers grows with the square of their number.
const LEAVING_MAX: usize = 32;

/// Memory that may be anything but is there: it has been checked, or belongs to the runner.
pub(crate) fn trusted() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Storage of the task: at any address, of any alignment.
pub(crate) fn storage() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// The signature of programs: a context in, a status out.
pub(crate) fn signature(convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.push(AbiParam::new(I64));
    signature.returns.push(AbiParam::new(I64));
    signature
}

impl<'f> Emitter<'f> {
    pub(crate) fn new(mut b: FunctionBuilder<'f>, program: &'f Program) -> Self {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        b.ensure_inserted_block();
        let context = b.block_params(entry)[0];
        let mut helper = Signature::new(b.func.signature.call_conv);
        helper.params.extend([AbiParam::new(I64), AbiParam::new(I64)]);
        helper.returns.push(AbiParam::new(I64));
        let helper = b.import_signature(helper);
        Self {
            b,
            program,
            context,
            home: entry,
            at_home: Vec::new(),
            helper,
            program_signature: None,
            found_helper: None,
            attempt: None,
            exits: Vec::new(),
            leaving: LEAVING_MAX,
            faults: BTreeMap::new(),
            line: 0,
        }
    }

    /// A block that leaves the function with the number that it is given.
    fn exit(&mut self) -> ir::Block {
        if self.leaving == LEAVING_MAX {
            let exit = self.b.create_block();
            self.b.append_block_param(exit, I64);
            self.b.set_cold_block(exit);
            self.exits.push(exit);
            self.leaving = 0;
        }
        self.leaving += 1;
        self.exits[self.exits.len() - 1]
    }

    pub(crate) fn finish(mut self, frontend: cranelift_codegen::isa::TargetFrontendConfig) {
        for ((line, code), block) in std::mem::take(&mut self.faults) {
            self.b.switch_to_block(block);
            self.at_line(line);
            let fault = Status(code);
            let status = self.constant(Status(fault.0 | i64::from(line) << 8).0);
            self.leave(status);
        }
        for exit in std::mem::take(&mut self.exits) {
            self.b.switch_to_block(exit);
            let status = self.b.block_params(exit)[0];
            self.b.ins().return_(&[status]);
        }
        self.b.seal_all_blocks();
        self.b.finalize(frontend);
    }

    /// Goes on in a block of the program.
    pub(crate) fn enter(&mut self, block: ir::Block) {
        self.b.switch_to_block(block);
        self.b.ensure_inserted_block();
        self.home = block;
        self.at_home.clear();
    }

    /// An address of the context, loaded at the beginning of the program's block: from there it is known in all of it.
    fn address_in_context(&mut self, offset: usize) -> Value {
        if let Some((_, value)) = self.at_home.iter().find(|(own, _)| *own == offset) {
            return *value;
        }
        let mut cursor = FuncCursor::new(self.b.func).at_first_insertion_point(self.home);
        let value = cursor.ins().load(I64, trusted(), self.context, offset as i32);
        self.at_home.push((offset, value));
        value
    }

    /// The storage of the task.
    pub(crate) fn memory(&mut self) -> Value {
        self.address_in_context(offset_of!(Context, memory))
    }

    /// The list of the places of linkage records.
    pub(crate) fn records(&mut self) -> Value {
        self.address_in_context(offset_of!(Context, records))
    }

    /// The beginning of WORKING-STORAGE.
    pub(crate) fn working(&mut self) -> Value {
        self.address_in_context(offset_of!(Context, working_at))
    }

    /// Begins the instructions of a statement.
    pub(crate) fn at_line(&mut self, line: u32) {
        self.line = line;
        self.b.set_srcloc(SourceLoc::new(line));
    }

    pub(crate) fn constant(&mut self, value: i64) -> Value {
        self.b.ins().iconst(I64, value)
    }

    /// Something of the context.
    pub(crate) fn field(&mut self, kind: ir::Type, offset: usize) -> Value {
        self.b.ins().load(kind, trusted(), self.context, offset as i32)
    }

    // Control.

    pub(crate) fn new_block(&mut self) -> ir::Block {
        self.b.create_block()
    }

    pub(crate) fn jump(&mut self, to: ir::Block) {
        self.b.ins().jump(to, &[]);
    }

    pub(crate) fn branch(&mut self, condition: Value, yes: ir::Block, no: ir::Block) {
        self.b.ins().brif(condition, yes, &[], no, &[]);
    }

    /// Leaves the function.
    pub(crate) fn leave(&mut self, status: Value) {
        let exit = self.exit();
        self.b.ins().jump(exit, &[ir::BlockArg::Value(status)]);
    }

    /// Goes on where a condition does not hold.
    pub(crate) fn fault_if(&mut self, condition: Value, fault: ProgramFault) {
        if let Some(interpreter) = self.attempt {
            let next = self.new_block();
            self.branch(condition, interpreter, next);
            self.b.switch_to_block(next);
            return;
        }
        let code = Status::fault(fault, 0).0;
        let known = self.faults.get(&(self.line, code)).copied();
        let cold = known.unwrap_or_else(|| {
            let block = self.b.create_block();
            self.b.set_cold_block(block);
            self.faults.insert((self.line, code), block);
            block
        });
        let next = self.new_block();
        self.branch(condition, cold, next);
        self.b.switch_to_block(next);
    }

    /// Calls a helper; what it answers below zero leaves the function.
    pub(crate) fn help(&mut self, helper: usize, argument: u64) -> Value {
        let answer = self.ask(helper, argument);
        self.leave_below_zero(answer);
        answer
    }

    /// Leaves the function with the answer of a helper, if that is below zero.
    pub(crate) fn leave_below_zero(&mut self, answer: Value) {
        let failed = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, answer, 0);
        let (exit, next) = (self.exit(), self.new_block());
        self.b.ins().brif(failed, exit, &[ir::BlockArg::Value(answer)], next, &[]);
        self.b.switch_to_block(next);
    }

    /// Calls a helper; what it answers but zero is the status with which the function is left.
    pub(crate) fn help_or_leave(&mut self, helper: usize, argument: u64) {
        let answer = self.ask(helper, argument);
        let (exit, next) = (self.exit(), self.new_block());
        self.b.ins().brif(answer, exit, &[ir::BlockArg::Value(answer)], next, &[]);
        self.b.switch_to_block(next);
    }

    fn ask(&mut self, helper: usize, argument: u64) -> Value {
        let function = self.field(I64, helper);
        let argument = self.constant(argument as i64);
        let call = self.b.ins().call_indirect(self.helper, function, &[self.context, argument]);
        self.b.inst_results(call)[0]
    }

    /// Counts a statement, by its place in the program's list. Two threads that count at the same moment may lose one; what was reached is
    /// more than zero all the same.
    pub(crate) fn count(&mut self, line: u32) {
        let counters = self.field(I64, offset_of!(Context, counters));
        let at = 8 * line as i32;
        let (count, one) = (self.b.ins().load(I64, trusted(), counters, at), self.constant(1));
        let count = self.b.ins().iadd(count, one);
        self.b.ins().store(trusted(), count, counters, at);
    }

    /// Stops the program where the flag says so.
    pub(crate) fn poll(&mut self) {
        let flag = self.field(I64, offset_of!(Context, flag));
        let flag = self.b.ins().load(I32, MemFlagsData::new().with_notrap(), flag, 0);
        self.fault_if(flag, ProgramFault::Stopped);
    }

    // The frame.

    pub(crate) fn slot(&mut self, slot: cobol_ir::program::Slot) -> Value {
        let slots = self.address_in_context(offset_of!(Context, slots));
        self.b.ins().load(I64, trusted(), slots, 8 * slot.0 as i32)
    }

    /// All of them are zero.
    pub(crate) fn clear_slots(&mut self) {
        let zero = self.constant(0);
        for slot in 0..self.program.slots {
            self.set_slot(cobol_ir::program::Slot(slot), zero);
        }
    }

    pub(crate) fn set_slot(&mut self, slot: cobol_ir::program::Slot, value: Value) {
        let slots = self.address_in_context(offset_of!(Context, slots));
        self.b.ins().store(trusted(), value, slots, 8 * slot.0 as i32);
    }
}
