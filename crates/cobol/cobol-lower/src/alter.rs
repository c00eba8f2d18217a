//! ALTER: a paragraph that is nothing but GO TO goes where the last ALTER of it says.
//!
//! Such a paragraph has a cell in WORKING-STORAGE, for it stays altered from one CALL to the next: zero while nothing has altered
//! it, else which ALTER was the last.

use cobol_syntax::tree::Reference;

use super::numbers::WHOLE_WORD;
use super::{Lowered, Lowering};
use cobol_ir::program::{BlockId, BytePlace, End, Form, Number, Operation, Receiver};

/// Bytes of a cell.
const CELL: u32 = 4;

/// A GO TO that is altered.
#[derive(Clone, Debug)]
pub(crate) struct Altered {
    /// The paragraph.
    procedure: usize,
    /// Which ALTER was the last, if there is one.
    cell: Option<BytePlace>,
    /// Targets of each of them.
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
            let (number, cell) = (Number::whole(altered.targets.len() as i64), altered.cell.clone());
            let place = cell.unwrap_or_else(|| self.hidden_storage(CELL));
            self.procedures.altered[at].cell = Some(place.clone());
            let form = Form::Number(WHOLE_WORD);
            self.store_one(number, Receiver { place, form, rounded: false });
        }
        Ok(())
    }

    /// A paragraph among those that are altered.
    fn altered(&mut self, procedure: usize) -> usize {
        let known = self.procedures.altered.iter().position(|known| known.procedure == procedure);
        known.unwrap_or_else(|| {
            self.procedures.altered.push(Altered { procedure, cell: None, targets: Vec::new(), going: None });
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
            if let (Some((block, other)), Some(cell)) = (altered.going, altered.cell) {
                let value = Number::Field(cell, WHOLE_WORD);
                let end = End::Select { value, targets: altered.targets, other };
                self.out.blocks[block.0 as usize].end = end;
            }
        }
    }
}
