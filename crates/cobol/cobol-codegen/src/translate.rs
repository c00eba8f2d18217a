//! Blocks, operations and ends. Operations that are not written out as instructions call the interpreter.

use std::collections::HashMap;
use std::mem::offset_of;

use cobol_ir::Program;
use cobol_ir::program::{
    Block, BlockId, BytePlace, Class, End, Number, Operation, Receiver, Service, Slot, Test, Text,
};
use cobol_run::{are_digits_alike, is_moved_as_it_lies};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Function, InstBuilder, JumpTableData, Value};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use crate::begun::{self, Begun};
use crate::emit::{Emitter, signature};
use crate::fits::{self, Bound};
use crate::left::Left;
use crate::numbers::Whole;
use crate::pictures;
use native::{Context, Status, clears_slots};

/// Number of written operations, and the places where it may be entered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) entries: Vec<BlockId>,
    pub(crate) inline: usize,
    pub(crate) left: Vec<Left>,
}

pub(crate) fn translate(
    program: &Program,
    function: &mut Function,
    builder: &mut FunctionBuilderContext,
    isa: &OwnedTargetIsa,
    counts: bool,
) -> Counts {
    function.signature = signature(isa.default_call_conv());
    let emitter = Emitter::new(FunctionBuilder::new(function, builder), program);
    let begun = if counts { begun::statements(program, &reached(program)) } else { Begun::default() };
    let (blocks, on) = (HashMap::new(), HashMap::new());
    let mut translator = Translator { emitter, blocks, on, begun, counts: Counts::default() };
    translator.program(program);
    let Translator { emitter, counts, .. } = translator;
    emitter.finish(isa.frontend_config());
    counts
}

struct Translator<'f> {
    emitter: Emitter<'f>,
    blocks: HashMap<BlockId, ir::Block>,
    /// The blocks in which those go on that begin with the count of a statement.
    on: HashMap<BlockId, ir::Block>,
    /// The statements that are counted.
    begun: Begun,
    counts: Counts,
}

impl Translator<'_> {
    fn program(&mut self, program: &Program) {
        let reached = reached(program);
        for (index, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
            let block = self.emitter.new_block();
            self.blocks.insert(BlockId(index as u32), block);
        }
        for id in self.begun.entered.keys() {
            self.on.insert(*id, self.emitter.new_block());
        }
        self.enter(program, &reached);
        for (index, block) in program.blocks.iter().enumerate().filter(|(index, _)| reached[*index]) {
            let id = BlockId(index as u32);
            self.enter_block(id);
            for (at, step) in block.steps.iter().enumerate() {
                self.emitter.at_line(step.line);
                self.begin(Left { block: id, step: Some(at as u32) }, step.line);
                let which = u64::from(id.0) << 32 | at as u64;
                let inline = self.operation(&step.operation, which);
                if !inline {
                    self.emitter.help(offset_of!(Context, step), which);
                }
                self.count(inline, Left { block: id, step: Some(at as u32) });
            }
            self.emitter.at_line(block.line);
            self.begin(Left { block: id, step: None }, block.line);
            let inline = self.end(id, block);
            self.count(inline, Left { block: id, step: None });
        }
    }

    /// Goes on where the context says: nothing lies on the machine's stack between blocks, so a program may be left and
    /// entered again at each call of the host.
    fn enter(&mut self, program: &Program, reached: &[bool]) {
        let mut entries = program.labels.clone();
        for (block, _) in program.blocks.iter().zip(reached).filter(|(_, reached)| **reached) {
            if let End::Host { next, failed, .. } = &block.end {
                entries.push(*next);
                entries.extend(failed);
            }
        }
        entries.retain(|entry| *entry != BlockId(0));
        entries.sort_unstable();
        entries.dedup();
        let mut targets: Vec<ir::Block> = entries.iter().map(|entry| self.blocks[entry]).collect();
        let again = clears_slots(program).then(|| self.emitter.new_block());
        targets.extend(again);
        if targets.is_empty() {
            self.emitter.jump(self.blocks[&BlockId(0)]);
        } else {
            let place = self.emitter.field(ir::types::I64, offset_of!(Context, entry));
            self.switch_to(place, &targets, self.blocks[&BlockId(0)]);
        }
        if let Some(again) = again {
            self.emitter.enter(again);
            self.emitter.clear_slots();
            self.emitter.jump(self.blocks[&BlockId(0)]);
        }
        self.counts.entries = vec![BlockId(0)];
        self.counts.entries.extend(entries);
    }

    /// Counts the statement that begins at a place, if one does.
    fn begin(&mut self, at: Left, line: u32) {
        if self.begun.places.contains(&at) {
            self.emitter.count(line);
        }
    }

    /// Begins a block of the program, with the count of its first statement unless that goes on there.
    fn enter_block(&mut self, id: BlockId) {
        self.emitter.enter(self.blocks[&id]);
        if let (Some(line), Some(on)) = (self.begun.entered.get(&id), self.on.get(&id)) {
            self.emitter.at_line(*line);
            self.emitter.count(*line);
            self.emitter.jump(*on);
            self.emitter.enter(*on);
        }
    }

    /// The block to which a way from another one leads.
    fn target(&self, from: BlockId, to: BlockId) -> ir::Block {
        let on = self.on.get(&to).filter(|_| self.begun.on.contains(&(from, to)));
        on.copied().unwrap_or_else(|| self.blocks[&to])
    }

    fn count(&mut self, inline: bool, what: Left) {
        if inline {
            self.counts.inline += 1;
        } else {
            self.counts.left.push(what);
        }
    }

    /// Writes an operation out; false leaves it to the interpreter.
    fn operation(&mut self, operation: &Operation, which: u64) -> bool {
        let emitter = &mut self.emitter;
        match operation {
            Operation::Move { from: Text::Digits(number, digits), to, right } => {
                return emitter.move_number((number, *digits), to, *right, which);
            }
            Operation::Move { from, to, right } => {
                return emitter.move_text(from, to, *right) || emitter.move_found(from, to, which);
            }
            Operation::EditText { from, to, picture } => return emitter.edit_text(from, to, *picture),
            Operation::Store { value: Number::Text(from), to, error: None } => {
                return self.store_characters(from, to, which);
            }
            Operation::Store { value, to, error } => return self.store(value, to, *error, which),
            Operation::String { sources, into, pointer, overflow } => {
                return emitter.string(sources, into, pointer.as_ref(), *overflow, which);
            }
            Operation::SetSlot(slot, value) => {
                let value = emitter.constant(*value);
                emitter.set_slot(*slot, value);
            }
            Operation::CopySlot { from, to } => {
                let value = emitter.slot(*from);
                emitter.set_slot(*to, value);
            }
            Operation::AddSlot(slot, by) => {
                let value = emitter.slot(*slot);
                let value = emitter.b.ins().iadd_imm_s(value, *by);
                emitter.set_slot(*slot, value);
            }
            Operation::Count { slot, value } if fits::number(value).is_some() => {
                let number = emitter.number(value);
                let whole = emitter.scaled(number, 0);
                emitter.set_slot(*slot, whole);
            }
            Operation::Count { slot, value } => return emitter.try_count(*slot, value, which),
            _ => return false,
        }
        true
    }

    /// Characters as a number: digits, as they nearly always are, are written out; anything else is the interpreter's.
    fn store_characters(&mut self, from: &BytePlace, to: &[Receiver], which: u64) -> bool {
        let length = fits::place(from).filter(|length| (1..=fits::DIGITS_MAX as u32).contains(length));
        let Some(length) = length else { return false };
        let bound = Bound { digits: length as i32, scale: 0 };
        if !to.iter().all(|receiver| fits::receiver(self.emitter.program, receiver, bound)) {
            return false;
        }
        let emitter = &mut self.emitter;
        let place = emitter.readable(from);
        let others = emitter.not_digits(place, 0, length);
        let [other, digits, done] = std::array::from_fn(|_| emitter.new_block());
        emitter.b.set_cold_block(other);
        emitter.branch(others, other, digits);
        emitter.b.switch_to_block(other);
        emitter.help(offset_of!(Context, step), which);
        emitter.jump(done);
        emitter.b.switch_to_block(digits);
        let value = emitter.load_zoned(place, length, false);
        for receiver in to {
            emitter.store_number(Whole { value, scale: 0 }, bound, receiver, None);
        }
        emitter.jump(done);
        emitter.b.switch_to_block(done);
        true
    }

    fn store(&mut self, value: &Number, to: &[Receiver], error: Option<Slot>, which: u64) -> bool {
        if let ([to], None) = (to, error)
            && is_moved_as_it_lies(value, to)
        {
            return fits::number(value).is_some() && self.emitter.move_digits(value, to);
        }
        self.store_fitting(value, to, error) || self.emitter.try_store(value, to, error, which)
    }

    /// A number whose every part fits.
    fn store_fitting(&mut self, value: &Number, to: &[Receiver], error: Option<Slot>) -> bool {
        let Some(bound) = fits::number(value) else { return false };
        if let ([to], None) = (to, error)
            && let Some(editing) = pictures::of(self.emitter.program, &to.form)
            && fits::place(&to.place).is_some()
            && self.emitter.edit_packed(value, to, editing)
        {
            return true;
        }
        if error.is_none() && self.emitter.add_packed(value, to) {
            return true;
        }
        let divides = error.is_some() && has_division(value);
        if divides || !to.iter().all(|receiver| fits::receiver(self.emitter.program, receiver, bound)) {
            return false;
        }
        let number = self.emitter.number(value);
        for receiver in to {
            self.emitter.store_number(number, bound, receiver, error);
        }
        true
    }

    // Ends.

    /// An edge that may close a cycle looks at the flag.
    fn poll<'b>(&mut self, from: BlockId, to: impl IntoIterator<Item = &'b BlockId>) {
        if to.into_iter().any(|to| *to <= from) {
            self.emitter.poll();
        }
    }

    fn end(&mut self, id: BlockId, block: &Block) -> bool {
        match &block.end {
            End::Jump(to) => {
                self.poll(id, [to]);
                self.emitter.jump(self.target(id, *to));
            }
            End::Branch { test, yes, no } => {
                self.poll(id, [yes, no]);
                let (condition, inline) = self.test(id, test);
                self.emitter.branch(condition, self.target(id, *yes), self.target(id, *no));
                return inline;
            }
            End::Switch { slot, targets, other } => {
                self.poll(id, targets.iter().chain([other]));
                let value = self.emitter.slot(*slot);
                self.switch(id, value, targets, *other);
            }
            End::Select { targets, other, .. } => {
                self.poll(id, targets.iter().chain([other]));
                let value = self.emitter.help(offset_of!(Context, select), id.0.into());
                self.switch(id, value, targets, *other);
                return false;
            }
            End::Host { site, next, .. } => {
                let which = u64::from(id.0) << 32 | u64::from(*site);
                let next = self.target(id, *next);
                let helper = self.helper_of(*site);
                if helper.is_some() && self.emitter.calls(*site, which, next) {
                    return true;
                }
                self.emitter.poll();
                match helper {
                    // Nothing that was loaded of the context is used behind it: the storage may have moved.
                    Some(helper) => {
                        self.emitter.help_or_leave(helper, which);
                        self.emitter.jump(next);
                    }
                    None => {
                        let status = self.emitter.constant(Status::host(id).0);
                        self.emitter.leave(status);
                    }
                }
            }
            End::Leave(how) => {
                let status = self.emitter.constant(Status::left(*how).0);
                self.emitter.leave(status);
            }
        }
        true
    }

    /// The helper that may answer a call of the host where code stands. `None` if code is always left for it.
    fn helper_of(&self, site: u32) -> Option<usize> {
        let site = self.emitter.program.sites.get(site as usize)?;
        match site.service {
            Service::Exec(_) => Some(offset_of!(Context, host)),
            Service::Call(_) | Service::CallNamed(_) if site.returning.is_none() => {
                Some(offset_of!(Context, call))
            }
            _ => None,
        }
    }

    /// 1 is the first block of the list; what has none goes on to `other`.
    fn switch(&mut self, from: BlockId, value: Value, targets: &[BlockId], other: BlockId) {
        let targets: Vec<ir::Block> = targets.iter().map(|target| self.target(from, *target)).collect();
        self.switch_to(value, &targets, self.target(from, other));
    }

    /// The same of blocks of the function.
    fn switch_to(&mut self, value: Value, targets: &[ir::Block], other: ir::Block) {
        if let [one] = targets {
            let is_one = self.emitter.b.ins().icmp_imm_u(IntCC::Equal, value, 1);
            self.emitter.branch(is_one, *one, other);
            return;
        }
        let function = &mut self.emitter.b.func;
        let default = function.dfg.block_call(other, &[]);
        let mut table = vec![default];
        for target in targets {
            table.push(function.dfg.block_call(*target, &[]));
        }
        let table = self.emitter.b.create_jump_table(JumpTableData::new(default, &table));
        // More than the table has is the default, and so is less than zero: both are large numbers of 32 bits.
        let last = targets.len() as i64;
        let over = self.emitter.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, value, last);
        let zero = self.emitter.constant(0);
        let value = self.emitter.b.ins().select(over, zero, value);
        let value = self.emitter.b.ins().ireduce(ir::types::I32, value);
        self.emitter.b.ins().br_table(value, table);
    }

    fn test(&mut self, id: BlockId, test: &Test) -> (Value, bool) {
        let emitter = &mut self.emitter;
        let written = match test {
            Test::Positive(slot) => {
                let value = emitter.slot(*slot);
                Some(emitter.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, value, 0))
            }
            Test::Numbers(relation, left, right) if are_digits_alike(left, right) => {
                emitter.compare_digits(*relation, left, right)
            }
            Test::Numbers(relation, left, right) if are_comparable(left, right) => {
                Some(emitter.compare(*relation, left, right))
            }
            Test::Numbers(relation, left, right) => emitter.try_compare(*relation, left, right, id.0.into()),
            Test::Numeric(place, numeric) => emitter.is_numeric(place, *numeric),
            Test::Class(Text::Place(place), Class::Digits) => emitter.are_digits(place),
            Test::Texts(relation, left, right) if emitter.program.collating.is_none() => {
                emitter.compare_texts(*relation, left, right)
            }
            _ => None,
        };
        let written = written.or_else(|| emitter.test_found(id.0.into(), test));
        match written {
            Some(condition) => (condition, true),
            None => (self.emitter.help(offset_of!(Context, test), id.0.into()), false),
        }
    }
}

/// Returns true if two numbers fit at their common scale.
fn are_comparable(left: &Number, right: &Number) -> bool {
    let (Some(left), Some(right)) = (fits::number(left), fits::number(right)) else { return false };
    let scale = left.scale.max(right.scale);
    [left, right].iter().all(|bound| bound.digits + scale - bound.scale <= fits::DIGITS_MAX)
}

fn has_division(number: &Number) -> bool {
    match number {
        Number::Binary(operator, left, right, _) => {
            *operator == cobol_ir::program::Operator::Divide || has_division(left) || has_division(right)
        }
        Number::Negative(inner) | Number::Absolute(inner) => has_division(inner),
        _ => false,
    }
}

/// The blocks that something leads to.
fn reached(program: &Program) -> Vec<bool> {
    let mut reached = vec![false; program.blocks.len()];
    let mut open: Vec<BlockId> = vec![BlockId(0)];
    open.extend(&program.labels);
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut reached[id.0 as usize], true) {
            continue;
        }
        match &program.blocks[id.0 as usize].end {
            End::Jump(to) => open.push(*to),
            End::Branch { yes, no, .. } => open.extend([*yes, *no]),
            End::Switch { targets, other, .. } | End::Select { targets, other, .. } => {
                open.extend(targets);
                open.push(*other);
            }
            End::Host { next, failed, .. } => {
                open.push(*next);
                open.extend(failed);
            }
            End::Leave(_) => {}
        }
    }
    reached
}
