//! The proof that code touches nothing but what it may: every load and store of a function is taken apart, and its address has
//! to be a trusted base, an offset that was compared with the end of the storage, or with how many bytes there are of a record, and a
//! constant within what was compared.
//!
//! It reads what the translation has made and knows nothing of how it came about: a mistake there is found here, before a byte
//! of code runs. Anything that it does not know is refused.

mod epochs;
mod facts;
mod forms;

use std::mem::{offset_of, size_of};

use cobol_ir::Program;
use cobol_run::{RESERVED, Record};
use cranelift_codegen::dominator_tree::DominatorTree;
use cranelift_codegen::flowgraph::ControlFlowGraph;
use cranelift_codegen::ir::{Block, Function, Inst, InstructionData, Opcode, Value};

use epochs::{Epoch, Epochs, behind};
use facts::Facts;
use forms::{Base, Form, Forms, Root};
use native::{BUSY, Context, Link, TABLES, links_of};

/// Access that cannot be proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unproved {
    /// The statement, by its place in the program's list, where it is known.
    pub(crate) line: Option<u32>,
    /// The access, and the reason.
    pub(crate) what: String,
}

/// Proves every load, store and call of a function that was made of a program: how many bytes the storage must have for it. With
/// `counts` the context has a counter for each place in the program's list of statements, else none.
pub(crate) fn prove(function: &Function, program: &Program, counts: bool) -> Result<usize, Unproved> {
    let graph = ControlFlowGraph::with_function(function);
    let dominators = DominatorTree::with_function(function, &graph);
    let forms = Forms::new(function, program.linkage.len());
    let facts = Facts::of(function, &graph, &dominators, &forms);
    let epochs = Epochs::of(function, &graph, &dominators, &forms);
    let prover = Prover { function, program, counts, forms, facts, epochs };
    for block in function.layout.blocks().filter(|block| dominators.is_reachable(*block)) {
        let mut epoch = prover.epochs.at_entry(block);
        for inst in function.layout.block_insts(block) {
            prover.instruction((block, epoch), inst).map_err(|why| prover.unproved(inst, &why))?;
            epoch = behind(function, &prover.forms, epoch, inst);
        }
    }
    Ok(prover.facts.needs())
}

struct Prover<'f> {
    function: &'f Function,
    program: &'f Program,
    counts: bool,
    forms: Forms<'f>,
    facts: Facts<'f>,
    epochs: Epochs,
}

/// The bytes of a context that say through which link its program may be entered.
const CALLED_FROM: (i64, i64) = {
    let from = offset_of!(Context, called_from) as i64;
    (from, from + size_of::<u64>() as i64)
};

/// Bytes that an instruction touches.
struct Access {
    address: Value,
    offset: i64,
    size: i64,
    /// The value that is stored.
    writes: Option<Value>,
}

impl Prover<'_> {
    fn unproved(&self, inst: Inst, why: &str) -> Unproved {
        let place = self.function.srcloc(inst);
        let line = (!place.is_default()).then(|| place.bits());
        Unproved { line, what: format!("{why}: {}", self.function.dfg.display_inst(inst)) }
    }

    fn instruction(&self, at: (Block, Epoch), inst: Inst) -> Result<(), String> {
        let data = &self.function.dfg.insts[inst];
        let opcode = data.opcode();
        if !self.epochs.allows(self.function, at.1, inst) {
            return Err("something of the context from in front of a call of the host".to_owned());
        }
        if let Some(access) = self.access(inst, data) {
            return self.touches(at, &access);
        }
        match opcode {
            Opcode::CallIndirect => self.call(at, inst),
            _ if opcode.can_load() || opcode.can_store() || opcode.is_call() => {
                Err("an instruction that the proof does not know".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn access(&self, inst: Inst, data: &InstructionData) -> Option<Access> {
        let dfg = &self.function.dfg;
        match *data {
            InstructionData::Load { opcode, arg, offset, .. } => {
                let size = match opcode {
                    Opcode::Load => i64::from(dfg.value_type(dfg.first_result(inst)).bytes()),
                    Opcode::Uload8 | Opcode::Sload8 => 1,
                    Opcode::Uload16 | Opcode::Sload16 => 2,
                    Opcode::Uload32 | Opcode::Sload32 => 4,
                    _ => return None,
                };
                Some(Access { address: arg, offset: i64::from(offset), size, writes: None })
            }
            InstructionData::Store { opcode: Opcode::Store, args: [value, address], offset, .. } => {
                let size = i64::from(dfg.value_type(value).bytes());
                Some(Access { address, offset: i64::from(offset), size, writes: Some(value) })
            }
            _ => None,
        }
    }

    /// A helper of the context, which is given the context; or another program, which is given its own.
    fn call(&self, at: (Block, Epoch), inst: Inst) -> Result<(), String> {
        let dfg = &self.function.dfg;
        let [callee, context, ..] = *dfg.inst_args(inst) else {
            return Err("a call of something else than a helper".to_owned());
        };
        let callee = self.forms.of(callee);
        if let Some(Base::Code(called)) = callee.base.filter(|_| dfg.inst_args(inst).len() == 2) {
            return self.enter(at, (called, callee), self.forms.of(context));
        }
        if callee.base != Some(Base::Helper) || callee.root != Root::Nothing || callee.plus != 0 {
            return Err("a call of something else than a helper".to_owned());
        }
        let context = self.forms.of(context);
        if context.base != Some(Base::Context) || context.root != Root::Nothing || context.plus != 0 {
            return Err("a helper without the context".to_owned());
        }
        Ok(())
    }

    /// Another program, which may be entered: nothing was called since it has said so.
    fn enter(
        &self,
        (block, epoch): (Block, Epoch),
        (called, code): (Inst, Form),
        context: Form,
    ) -> Result<(), String> {
        let is_code = code.root == Root::Nothing && code.plus == 0;
        let is_own =
            context.base == Some(Base::Called(called)) && context.root == Root::Nothing && context.plus == 0;
        if !is_code || !is_own {
            return Err("a program with the context of another one".to_owned());
        }
        let is_known = |seen: Block| self.epochs.at_entry(seen) == epoch;
        match self.facts.is_linked(block, called, is_known) {
            true => Ok(()),
            false => Err("a program that may not be entered".to_owned()),
        }
    }

    /// Of what another program is given, code looks at the link through which it may be entered. Once that is the one from which the
    /// context comes, it looks at the rest, too, and changes it to the same link, or to that of no program.
    fn is_of_called(
        &self,
        block: Block,
        called: Inst,
        (from, to): (i64, i64),
        written: Option<Value>,
    ) -> bool {
        let is_link = (from, to) == CALLED_FROM;
        let is_linked = || self.facts.is_linked(block, called, |_| true);
        let Some(written) = written else {
            return is_link || is_linked() && 0 <= from && to <= size_of::<Context>() as i64;
        };
        let form = self.forms.of(written);
        let is_no_program = form.base.is_none() && form.root == Root::Nothing && form.plus == BUSY as i64;
        let is_same = form.base == Some(Base::Links)
            && form.root == Root::Nothing
            && self.forms.link_of(called) == Some(form.plus);
        is_link && is_linked() && (is_no_program || is_same)
    }

    fn touches(&self, (block, epoch): (Block, Epoch), access: &Access) -> Result<(), String> {
        let form = self.forms.of(access.address);
        let Some(base) = form.base else { return Err("an address without a trusted base".to_owned()) };
        let Some(from) = form.plus.checked_add(access.offset) else {
            return Err("a displacement that is no address".to_owned());
        };
        let to = from.saturating_add(access.size);
        if access.writes.is_some() && !base.may_be_written() {
            return Err(format!("a store into {}", base.name()));
        }
        let within = match (base, form.root) {
            (Base::Memory, Root::Working) => 0 <= from && to <= self.program.working.len() as i64,
            (Base::Memory, Root::Local) => 0 <= from && to <= self.program.local.len() as i64,
            (Base::Memory, root) => {
                let lowest = if access.writes.is_some() { RESERVED as i64 } else { 0 };
                let is_known = |from: Block| self.epochs.at_entry(from) == epoch;
                self.facts.holds((block, is_known), root, (lowest, from, to))
            }
            (Base::Record(record) | Base::Zeros(record), root) => {
                self.facts.holds_in(block, record, root, from, to)
            }
            (Base::Called(called), Root::Nothing) => {
                self.is_of_called(block, called, (from, to), access.writes)
            }
            (Base::ReturnCode(called), Root::Nothing) => {
                0 <= from && to <= self.extent(base) && self.facts.is_linked(block, called, |_| true)
            }
            (base, Root::Nothing) => 0 <= from && to <= self.extent(base),
            (Base::Tables | Base::Constants, Root::Value(index)) => {
                let most = i64::try_from(self.forms.most(index)).unwrap_or(i64::MAX);
                0 <= from && most.saturating_add(to) <= self.extent(base)
            }
            _ => false,
        };
        if within { Ok(()) } else { Err(format!("an offset in {} that was not compared", base.name())) }
    }

    /// The bytes behind a base.
    fn extent(&self, base: Base) -> i64 {
        (match base {
            Base::Context => size_of::<Context>(),
            Base::Counters if self.counts => 8 * self.program.lines.len(),
            Base::Slots => 8 * self.program.slots as usize,
            // The last one is what is only looked at.
            Base::Records => size_of::<Record>() * (self.program.linkage.len() + 1),
            Base::Constants => self.program.constants.len(),
            Base::Tables => TABLES.len(),
            Base::Flag => 4,
            Base::Links => size_of::<Link>() * links_of(self.program),
            Base::Addresses => size_of::<u32>() * self.program.linkage.len(),
            Base::ReturnCode(_) => size_of::<i16>(),
            Base::Memory
            | Base::Counters
            | Base::Helper
            | Base::Record(_)
            | Base::Zeros(_)
            | Base::Called(_)
            | Base::Code(_) => 0,
        }) as i64
    }
}

#[cfg(test)]
mod tests;
