//! The call of the host that code has passed last.
//!
//! A call of the host may move the storage. So what was loaded of the context in front of such a call, and all that comes of it,
//! means nothing behind it. Each stretch of code between two calls has a name, like a variable that each call sets: where ways
//! with different names meet, a new one begins. The dominance frontiers of the blocks with calls are such places (Cytron et al.,
//! 1991). A value of the context is used where the name is still that of the place where it was loaded, and nowhere else.

use std::collections::{HashMap, HashSet};
use std::mem::offset_of;

use cranelift_codegen::dominator_tree::DominatorTree;
use cranelift_codegen::flowgraph::ControlFlowGraph;
use cranelift_codegen::ir::{Block, Function, Inst, Opcode, Value, ValueDef};

use super::forms::{Base, Forms, Root};
use native::Context;

/// A stretch of code between two calls of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Epoch {
    /// From the beginning of the function on.
    Beginning,
    /// From a block on at which several stretches end.
    Met(Block),
    /// Behind a call.
    Behind(Inst),
}

/// The stretches of a function.
pub(super) struct Epochs {
    at_entry: HashMap<Block, Epoch>,
    /// The stretch in which each value was worked out that comes of the context.
    of_context: HashMap<Value, Epoch>,
}

impl Epochs {
    /// Names the stretches of a function, for all of its blocks that can be reached.
    pub(super) fn of(
        function: &Function,
        graph: &ControlFlowGraph,
        dominators: &DominatorTree,
        forms: &Forms<'_>,
    ) -> Self {
        let order: Vec<Block> = dominators.cfg_postorder().iter().rev().copied().collect();
        let last_call = |block: Block| {
            let mut insts = function.layout.block_insts(block).rev();
            insts.find(|inst| moves(function, forms, *inst)).map(Epoch::Behind)
        };
        let calls: HashMap<Block, Epoch> =
            order.iter().filter_map(|block| Some((*block, last_call(*block)?))).collect();
        let met = meetings(&order, graph, dominators, calls.keys().copied());
        let mut epochs = Self { at_entry: HashMap::with_capacity(order.len()), of_context: HashMap::new() };
        for block in &order {
            let above = dominators.idom(*block);
            let epoch = match above {
                _ if met.contains(block) => Epoch::Met(*block),
                Some(above) => calls.get(&above).copied().unwrap_or_else(|| epochs.at_entry(above)),
                None => Epoch::Beginning,
            };
            epochs.at_entry.insert(*block, epoch);
        }
        epochs.find_values(function, forms, &order);
        epochs
    }

    fn find_values(&mut self, function: &Function, forms: &Forms<'_>, order: &[Block]) {
        for block in order {
            let mut epoch = self.at_entry(*block);
            for inst in function.layout.block_insts(*block) {
                if self.comes_of_context(function, forms, inst) {
                    let results = function.dfg.inst_results(inst).iter();
                    self.of_context.extend(results.map(|value| (*value, epoch)));
                }
                epoch = behind(function, forms, epoch, inst);
            }
        }
    }

    /// Returns true if an instruction loads something of the context that a call may change, or works with such a thing. In the
    /// order of blocks what it works with is known already.
    fn comes_of_context(&self, function: &Function, forms: &Forms<'_>, inst: Inst) -> bool {
        let opcode = function.dfg.insts[inst].opcode();
        if opcode.is_call() {
            return false;
        }
        if opcode.can_load() {
            let Some(value) = function.dfg.inst_results(inst).first() else { return false };
            let form = forms.of(*value);
            // What another program is given stays where it is, and so do links.
            let is_fixed = matches!(
                form.base,
                Some(
                    Base::Constants
                        | Base::Tables
                        | Base::Flag
                        | Base::Helper
                        | Base::Links
                        | Base::Called(_)
                        | Base::Counters
                )
            );
            let is_of_context = forms.context_field(*value).is_some() || form.base.is_some();
            return is_of_context && !is_fixed || !matches!(form.root, Root::Nothing | Root::Value(_));
        }
        let mut arguments = function.dfg.inst_args(inst).iter();
        arguments.any(|value| self.of_context.contains_key(&function.dfg.resolve_aliases(*value)))
    }

    /// The stretch in which a block begins.
    pub(super) fn at_entry(&self, block: Block) -> Epoch {
        self.at_entry.get(&block).copied().unwrap_or(Epoch::Met(block))
    }

    /// Returns true if all that an instruction works with means something in a stretch.
    pub(super) fn allows(&self, function: &Function, epoch: Epoch, inst: Inst) -> bool {
        let is_old = |value: Value| {
            let value = function.dfg.resolve_aliases(value);
            self.of_context.get(&value).is_some_and(|known| *known != epoch)
        };
        !function.dfg.inst_values(inst).any(is_old)
    }
}

/// The blocks at which ways with different stretches meet: the frontiers of the blocks that change the stretch, the frontiers of
/// those, and so on.
fn meetings(
    order: &[Block],
    graph: &ControlFlowGraph,
    dominators: &DominatorTree,
    changing: impl Iterator<Item = Block>,
) -> HashSet<Block> {
    let frontiers = frontiers(order, graph, dominators);
    let mut met = HashSet::new();
    let mut open: Vec<Block> = changing.collect();
    while let Some(block) = open.pop() {
        let new = frontiers.get(&block).into_iter().flatten().filter(|other| met.insert(**other));
        open.extend(new);
    }
    met
}

/// The frontier of each block: the blocks that it does not strictly dominate, although it dominates a block that leads to them.
fn frontiers(
    order: &[Block],
    graph: &ControlFlowGraph,
    dominators: &DominatorTree,
) -> HashMap<Block, Vec<Block>> {
    let mut frontiers: HashMap<Block, Vec<Block>> = HashMap::new();
    for block in order {
        let above = dominators.idom(*block);
        let before =
            graph.pred_iter(*block).map(|pred| pred.block).filter(|pred| dominators.is_reachable(*pred));
        for pred in before {
            let mut at = Some(pred);
            while let Some(under) = at.filter(|_| at != above) {
                let frontier = frontiers.entry(under).or_default();
                if frontier.last() == Some(block) {
                    // The blocks above it have this one already.
                    break;
                }
                frontier.push(*block);
                at = dominators.idom(under);
            }
        }
    }
    frontiers
}

/// The stretch behind an instruction.
pub(super) fn behind(function: &Function, forms: &Forms<'_>, epoch: Epoch, inst: Inst) -> Epoch {
    if moves(function, forms, inst) { Epoch::Behind(inst) } else { epoch }
}

/// Returns true if an instruction may move the storage: a call of a helper does, but of those that carry out what code leaves to
/// the interpreter. SET ADDRESS OF is among that: what code has loaded of a record before is still a place and its bytes.
fn moves(function: &Function, forms: &Forms<'_>, inst: Inst) -> bool {
    const MOVE_NOTHING: [usize; 6] = [
        offset_of!(Context, step),
        offset_of!(Context, test),
        offset_of!(Context, select),
        offset_of!(Context, moved),
        offset_of!(Context, tested),
        offset_of!(Context, appended),
    ];
    let opcode = function.dfg.insts[inst].opcode();
    if !opcode.is_call() {
        return false;
    }
    let callee = function.dfg.inst_args(inst).first().filter(|_| opcode == Opcode::CallIndirect);
    let field = callee.and_then(|callee| match function.dfg.value_def(*callee) {
        ValueDef::Result(..) => forms.context_field(*callee),
        _ => None,
    });
    field.is_none_or(|field| !MOVE_NOTHING.contains(&field))
}
