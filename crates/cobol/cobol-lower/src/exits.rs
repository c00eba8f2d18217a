//! EXIT PROGRAM. It leaves a program that was CALLed. In a main program it has no effect: control goes on behind it.

use super::Lowering;
use super::numbers::WHOLE_WORD;
use cobol_ir::program::{
    BlockId, End, Form, Leave, Number, Operation, Receiver, Relation, Service, Site, Test,
};

impl Lowering<'_> {
    /// The answer, once it is that the program was CALLed, stands in a word of WORKING-STORAGE. A program within another one can only have been CALLed. Any other asks the host, once in a stay, and a RECURSIVE one each time:
    /// there the next answer may be another.
    pub(super) fn exit_program(&mut self) {
        if self.out.container.is_some() {
            self.leave(Leave::Return);
            return;
        }
        let [ask, called, leave, next] = std::array::from_fn(|_| self.new_block());
        self.exits.push((self.present_block(), next));
        let known = (!self.program.syntax.recursive).then(|| match &self.is_called {
            Some(known) => known.clone(),
            None => {
                let known = self.hidden_storage(4);
                self.is_called = Some(known.clone());
                known
            }
        });
        match &known {
            Some(known) => {
                let is_known = Test::Numbers(
                    Relation::Equal,
                    Number::Field(known.clone(), WHOLE_WORD),
                    Number::whole(1),
                );
                self.end(End::Branch { test: is_known, yes: leave, no: ask }, ask);
            }
            None => self.jump(ask, ask),
        }
        self.out.sites.push(Site { service: Service::IsCalled, arguments: Vec::new(), returning: None });
        let site = self.out.sites.len() as u32 - 1;
        self.end(End::Host { site, next: called, failed: Some(next) }, called);
        if let Some(known) = known {
            let to = Receiver { place: known, form: Form::Number(WHOLE_WORD), rounded: false };
            self.emit(Operation::Store { value: Number::whole(1), to: vec![to], error: None });
        }
        self.jump(leave, leave);
        self.end(End::Leave(Leave::Return), next);
    }

    /// Nothing is asked where the program is left behind EXIT PROGRAM in any case.
    pub(super) fn settle_exits(&mut self) {
        for (at, next) in std::mem::take(&mut self.exits) {
            if self.only_returns(next) {
                self.out.blocks[at.0 as usize].end = End::Leave(Leave::Return);
            }
        }
    }

    /// Returns true if nothing but the way back to the caller begins at a block.
    fn only_returns(&self, mut at: BlockId) -> bool {
        for _ in 0..self.out.blocks.len() {
            let Some(block) = self.out.blocks.get(at.0 as usize).filter(|block| block.steps.is_empty())
            else {
                return false;
            };
            match block.end {
                End::Jump(next) => at = next,
                End::Leave(Leave::Return) => return true,
                _ => return false,
            }
        }
        false
    }
}
