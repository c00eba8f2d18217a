//! UPSI switches: each is a byte of an area of the run unit, off unless the job or the region has set it.

use cobol_check::NameTarget;
use cobol_source::At;
use cobol_syntax::tree::Reference;

use super::{Lowered, Lowering};
use cobol_ir::program::{
    BlockId, BytePlace, Lender, Operation, Relation, SWITCHES, SWITCHES_NAME, Test, Text,
};

/// Beginning of a switch's name; a digit follows.
const NAME: &str = "UPSI-";

impl<'a> Lowering<'a> {
    /// SET switch TO ON or OFF.
    pub(super) fn set_switch(&mut self, targets: &'a [Reference], on: bool) -> Lowered<()> {
        for target in targets {
            let Some(NameTarget::Mnemonic(index)) = self.program.target(target.id) else {
                return self.refuse(target.at(), "this switch");
            };
            let to = self.switch(index, target.at())?;
            let from = Text::Place(self.constant_place(&[on.into()]));
            self.emit(Operation::Move { from, to, right: false });
        }
        Ok(())
    }

    /// The condition of a switch.
    pub(super) fn switch_condition(
        &mut self,
        reference: &'a Reference,
        (index, on): (usize, bool),
        yes: BlockId,
        no: BlockId,
    ) -> Lowered<()> {
        let switch = Text::Place(self.switch(index, reference.at())?);
        let state = Text::Place(self.constant_place(&[on.into()]));
        self.branch(Test::Texts(Relation::Equal, switch, state), yes, no);
        Ok(())
    }

    /// Place of a switch, by its place in SPECIAL-NAMES.
    fn switch(&mut self, index: usize, at: At) -> Lowered<BytePlace> {
        let mnemonic = self.program.syntax.environment.mnemonics.get(index);
        let number = mnemonic.and_then(|mnemonic| mnemonic.system.text.strip_prefix(NAME));
        let number = number.and_then(|number| number.parse::<usize>().ok()).filter(|n| *n < SWITCHES);
        let Some(number) = number else {
            let name = mnemonic.map_or("this", |mnemonic| &*mnemonic.system.text);
            let message = format!("{name} is no switch");
            return self.mistaken(at, message, "the switches are UPSI-0 to UPSI-7");
        };
        let all = match &self.switches {
            Some(all) => all.clone(),
            None => {
                let lender = Lender::External(SWITCHES_NAME.to_owned());
                let (segment, at) = self.borrow(SWITCHES_NAME, SWITCHES, lender);
                let all = BytePlace::fixed(segment, at, SWITCHES as u32);
                self.switches = Some(all.clone());
                all
            }
        };
        let at = all.at.constant as u32 + number as u32;
        Ok(BytePlace::fixed(all.segment, at, 1))
    }
}
