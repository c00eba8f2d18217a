//! ENTRY: other places where a program may be entered. Its beginning becomes a switch by a slot that its caller sets.

use cobol_syntax::tree::{Literal, Parameter};

use super::{Lowered, Lowering};
use cobol_ir::program::{Block, BlockId, End, EntryPoint, Segment, Slot};

impl<'a> Lowering<'a> {
    pub(super) fn entry(&mut self, name: &'a Literal, using: &'a [Parameter]) -> Lowered<()> {
        let mut parameters = Vec::new();
        for parameter in using {
            parameters.push(self.parameter(parameter)?);
        }
        // Control from above goes on here, too.
        let block = self.new_block();
        self.fall_into(block);
        let name = name.text.trim_end().to_uppercase();
        if self.out.entries.iter().any(|entry| entry.name == name) {
            return self.mistaken(self.at, "two entries have the same name", "give one of them another name");
        }
        self.out.entries.push(EntryPoint { name, parameters });
        if self.lasting.is_some() {
            let entered = self.new_block();
            self.block = entered;
            self.begin_lasting();
            self.jump(block, block);
            self.entry_blocks.push(entered);
        } else {
            self.entry_blocks.push(block);
        }
        Ok(())
    }

    /// An entry that no CALL names, in a block to which nothing else leads: what is written next. Answers that block.
    pub(super) fn enter_here(&mut self, name: &str) -> BlockId {
        let block = self.new_block();
        self.out.entries.push(EntryPoint { name: name.to_owned(), parameters: Vec::new() });
        self.entry_blocks.push(block);
        self.go_on_in(block);
        block
    }

    /// The record of the linkage section that a parameter is.
    pub(super) fn parameter(&mut self, parameter: &'a Parameter) -> Lowered<u32> {
        let base = self.item(parameter.item.id).and_then(|(id, item)| self.storage.base(id, item));
        match base {
            Some((Segment::Linkage(index), 0)) => Ok(index),
            _ => self.refuse(parameter.item.at(), "this parameter"),
        }
    }

    /// Gives the first block the choice, and what stood there to another.
    pub(super) fn begin_at_entries(&mut self, slot: Slot) {
        let targets = std::mem::take(&mut self.entry_blocks);
        let Some(line) = self.out.blocks.first().map(|block| block.line).filter(|_| !targets.is_empty())
        else {
            return;
        };
        let other = self.new_block();
        let BlockId(at) = other;
        self.out.blocks.swap(0, at as usize);
        self.out.blocks[0] = Block { steps: Vec::new(), line, end: End::Switch { slot, targets, other } };
    }
}
