//! Comparisons that were made: the blocks in which an offset certainly lies within the storage of the task, or within a record.

use std::collections::HashMap;

use cranelift_codegen::dominator_tree::DominatorTree;
use cranelift_codegen::flowgraph::ControlFlowGraph;
use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{Block, Function, Inst, InstructionData, Value, ValueDef};

use super::forms::{Base, Form, Forms, Root};
use native::STORAGE_MIN;

/// `root + plus` is, without a sign, at most the length of the storage less `less`: in a block and in all that it dominates.
#[derive(Clone, Copy, Debug)]
struct Fact {
    block: Block,
    plus: i64,
    less: i64,
}

/// All facts of a function, by what they are about.
pub(super) struct Facts<'f> {
    by_root: HashMap<Root, Vec<Fact>>,
    /// The same with the bytes of a record instead of the length of the storage, by the load of its place.
    of_records: HashMap<(Inst, Root), Vec<Fact>>,
    /// The blocks in which a program may be entered through the link from which this load has its context.
    linked: HashMap<Inst, Vec<Block>>,
    /// Bytes that the storage must have for the facts to hold: what is taken from its length is not below zero then.
    needs: i64,
    dominators: &'f DominatorTree,
}

impl<'f> Facts<'f> {
    pub(super) fn of(
        function: &Function,
        graph: &ControlFlowGraph,
        dominators: &'f DominatorTree,
        forms: &Forms<'_>,
    ) -> Self {
        let (by_root, of_records, linked) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut facts = Self { by_root, of_records, linked, needs: 0, dominators };
        for block in function.layout.blocks() {
            let Some(last) = function.layout.last_inst(block) else { continue };
            let InstructionData::Brif { arg, blocks, .. } = function.dfg.insts[last] else { continue };
            let Some((condition, one, two)) = comparison(function, arg) else { continue };
            let pool = &function.dfg.value_lists;
            let [yes, no] = blocks.map(|call| call.block(pool));
            if yes == no {
                continue;
            }
            for (to, condition) in [(yes, condition), (no, condition.complement())] {
                // Only where nothing else leads to a block does it hold there.
                if graph.pred_iter(to).count() == 1 {
                    let (one, two) = (forms.of(one), forms.of(two));
                    if condition == IntCC::Equal {
                        facts.learn_link(to, forms, one, two);
                    }
                    facts.learn(to, condition, one, two);
                }
            }
        }
        facts
    }

    /// A program may be entered through a link: it says so of the link from which its context was loaded.
    fn learn_link(&mut self, block: Block, forms: &Forms<'_>, from: Form, link: Form) {
        let Root::CalledFrom(called) = from.root else { return };
        let says_it = from.base.is_none() && from.plus == 0;
        let is_its_own = link.base == Some(Base::Links)
            && link.root == Root::Nothing
            && forms.link_of(called) == Some(link.plus);
        if says_it && is_its_own {
            self.linked.entry(called).or_default().push(block);
        }
    }

    /// Returns true if a context that was loaded from a link is certainly that of a program which may be entered through it, or could be
    /// before something was called. `is_known`: of the blocks in which that was seen, those that count.
    pub(super) fn is_linked(&self, block: Block, called: Inst, is_known: impl Fn(Block) -> bool) -> bool {
        let blocks = self.linked.get(&called).map_or(&[][..], Vec::as_slice);
        blocks.iter().any(|seen| self.dominators.block_dominates(*seen, block) && is_known(*seen))
    }

    fn learn(&mut self, block: Block, condition: IntCC, one: Form, two: Form) {
        let (offset, end) = match condition {
            IntCC::UnsignedLessThanOrEqual | IntCC::UnsignedLessThan => (one, two),
            IntCC::UnsignedGreaterThanOrEqual | IntCC::UnsignedGreaterThan => (two, one),
            _ => return,
        };
        if let (None, Root::Limit(record), None) = (end.base, end.root, offset.base) {
            let less = end.plus.checked_neg().filter(|less| (0..=i64::from(i32::MAX)).contains(less));
            if let Some(less) = less {
                let fact = Fact { block, plus: offset.plus, less };
                self.of_records.entry((record, offset.root)).or_default().push(fact);
            }
            return;
        }
        let is_end = end.base.is_none() && end.root == Root::Length;
        // What is taken from the length is no more than the storage has that the proof asks for: the difference is not below zero.
        let Some(less) = end.plus.checked_neg().filter(|less| (0..=STORAGE_MIN as i64).contains(less)) else {
            return;
        };
        if is_end && offset.base.is_none() {
            let fact = Fact { block, plus: offset.plus, less };
            self.needs = self.needs.max(less);
            self.by_root.entry(offset.root).or_default().push(fact);
        }
    }

    /// Bytes that the storage must have for all of it to hold.
    pub(super) fn needs(&self) -> usize {
        // Between zero and the greatest that is taken for a fact.
        self.needs as usize
    }

    /// Returns true if the bytes between two constants behind a root lie in a record, in a block.
    ///
    /// A fact about nothing says that there are `plus + less` bytes at least, if `less` is zero. Others are as of the storage, once it is
    /// known that there are `less` bytes: else what is left would wrap around.
    pub(super) fn holds_in(&self, block: Block, record: Inst, root: Root, from: i64, to: i64) -> bool {
        let facts = |root| self.of_records.get(&(record, root)).map_or(&[][..], Vec::as_slice).iter();
        let is_here = |fact: &&Fact| self.dominators.block_dominates(fact.block, block);
        let has = |bytes: i64| {
            facts(Root::Nothing).filter(is_here).any(|fact| fact.less == 0 && bytes <= fact.plus)
        };
        if root == Root::Nothing {
            return 0 <= from && has(to);
        }
        facts(root).filter(is_here).any(|fact| {
            let range = from.checked_sub(fact.plus).zip(to.checked_sub(fact.plus));
            range.is_some_and(|(from, to)| 0 <= from && to <= fact.less && has(fact.less))
        })
    }

    /// Returns true if the bytes between two constants behind a root lie in the storage, from its `lowest` byte on,
    /// in a block.
    ///
    /// A fact says that `y = root + plus` is one of `0 ..= length − less`. So what lies `from` behind the root lies `from − plus`
    /// behind `y`. `is_known`: of the blocks in which facts hold, those from which no call of the host leads here.
    pub(super) fn holds(
        &self,
        (block, is_known): (Block, impl Fn(Block) -> bool),
        root: Root,
        (lowest, from, to): (i64, i64, i64),
    ) -> bool {
        let proves = |fact: &Fact| {
            let (Some(from), Some(to)) = (from.checked_sub(fact.plus), to.checked_sub(fact.plus)) else {
                return false;
            };
            let is_within = lowest <= from && to <= fact.less;
            is_within && self.dominators.block_dominates(fact.block, block) && is_known(fact.block)
        };
        self.by_root.get(&root).is_some_and(|facts| facts.iter().any(proves))
    }
}

fn comparison(function: &Function, value: Value) -> Option<(IntCC, Value, Value)> {
    let dfg = &function.dfg;
    let ValueDef::Result(inst, _) = dfg.value_def(dfg.resolve_aliases(value)) else { return None };
    match dfg.insts[inst] {
        InstructionData::IntCompare { cond, args: [one, two], .. } => Some((cond, one, two)),
        _ => None,
    }
}
