//! ALTER: a paragraph that is nothing but GO TO goes where the last ALTER of it says.
//!
//! Such a paragraph has a cell of the frame: zero while nothing has altered it, else which ALTER was the last.

use cobol_syntax::tree::Reference;

use super::{Lowered, Lowering};
use crate::program::{BlockId, End, Operation, Slot};

/// A GO TO that is altered.
#[derive(Clone, Debug)]
pub(crate) struct Altered {
    /// The paragraph.
    procedure: usize,
    /// Which ALTER was the last.
    slot: Slot,
    /// Where each of them goes.
    targets: Vec<BlockId>,
    /// The block that goes there, and where it goes else.
    going: Option<(BlockId, BlockId)>,
}

impl<'a> Lowering<'a> {
    pub(super) fn alter(&mut self, pairs: &'a [(Reference, Reference)]) -> Lowered<()> {
        for (paragraph, to) in pairs {
            let procedure = self.procedure(paragraph)?;
            let to = self.procedure(to)?;
            let target = self.procedures.list[to].start;
            let at = self.altered(procedure);
            let altered = &mut self.procedures.altered[at];
            altered.targets.push(target);
            let (slot, number) = (altered.slot, altered.targets.len() as i64);
            self.emit(Operation::SetSlot(slot, number));
        }
        Ok(())
    }

    /// A paragraph among those that are altered.
    fn altered(&mut self, procedure: usize) -> usize {
        let known = self.procedures.altered.iter().position(|known| known.procedure == procedure);
        known.unwrap_or_else(|| {
            let slot = self.new_slot();
            self.procedures.altered.push(Altered { procedure, slot, targets: Vec::new(), going: None });
            self.procedures.altered.len() - 1
        })
    }

    /// The GO TO that a paragraph begins with. It goes to `target` while nothing has altered it; without one it goes nowhere.
    pub(super) fn go_to_of_paragraph(&mut self, procedure: usize, target: Option<BlockId>) {
        let [nowhere, next] = [self.new_block(), self.new_block()];
        let other = target.unwrap_or(nowhere);
        let at = self.altered(procedure);
        self.procedures.altered[at].going = Some((self.present_block(), other));
        self.jump(other, nowhere);
        self.emit(Operation::GoNowhere);
        self.jump(next, next);
    }

    /// GO TOs that something alters go where their cells say.
    pub(super) fn close_altered(&mut self) {
        for altered in std::mem::take(&mut self.procedures.altered) {
            if let Some((block, other)) = altered.going.filter(|_| !altered.targets.is_empty()) {
                let end = End::Switch { slot: altered.slot, targets: altered.targets, other };
                self.out.blocks[block.0 as usize].end = end;
            }
        }
    }
}
