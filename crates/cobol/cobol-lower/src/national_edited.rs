//! Edited items of USAGE NATIONAL: numbers and characters through a picture.

use cobol_data::{Category, Item, Picture};
use cobol_runtime::national::SPACE;
use cobol_source::At;
use cobol_syntax::tree::{Figurative, Operand};

use super::places::Located;
use super::{Lowered, Lowering};
use cobol_ir::program::{BytePlace, Form, Number, Operation, Receiver, Text};

impl<'a> Lowering<'a> {
    /// An operand to an edited item.
    pub(super) fn move_national_edited(
        &mut self,
        from: &'a Operand,
        to: Located<'a>,
        picture: &Picture,
        at: At,
    ) -> Lowered<()> {
        if !is_number(picture) {
            let from = self.national_text(from)?;
            self.edit_national(from, to.place, picture);
            return Ok(());
        }
        if matches!(from, Operand::Figurative(Figurative::Space, _)) || takes_bytes(from) {
            return self.move_national(from, to.place);
        }
        let value = match from {
            Operand::Figurative(constant, _) => self.figurative_number(constant, picture.size, at)?,
            other => self.sender_number(other, at)?,
        };
        self.store_national_edited(value, to.place, to.item, picture);
        Ok(())
    }

    /// From one item to an edited one, as MOVE CORRESPONDING does.
    pub(super) fn move_located_edited(
        &mut self,
        from: Located<'a>,
        to: Located<'a>,
        picture: &Picture,
        at: At,
    ) -> Lowered<()> {
        if !is_number(picture) {
            let from = self.located_national(from, at)?;
            self.edit_national(from, to.place, picture);
        } else {
            let value = self.located_number(from, at)?;
            self.store_national_edited(value, to.place, to.item, picture);
        }
        Ok(())
    }

    /// INITIALIZE: zero, or spaces.
    pub(super) fn initialize_edited(&mut self, place: BytePlace, item: &Item, picture: &Picture) {
        if !is_number(picture) {
            let from = Text::Repeated(self.constant_place(&SPACE));
            self.edit_national(from, place, picture);
        } else {
            self.store_national_edited(Number::whole(0), place, item, picture);
        }
    }

    fn edit_national(&mut self, from: Text, to: BytePlace, picture: &Picture) {
        let picture = self.picture(picture);
        self.emit(Operation::EditNational { from, to, picture });
    }

    fn store_national_edited(&mut self, value: Number, place: BytePlace, item: &Item, picture: &Picture) {
        let picture = self.picture(picture);
        let form = Form::NationalEdited { picture, blank_when_zero: item.blank_when_zero };
        self.store_one(value, Receiver { place, form, rounded: false });
    }
}

/// Returns true if the sender fills every byte, whatever the bytes are for.
pub(super) fn takes_bytes(from: &Operand) -> bool {
    matches!(from, Operand::Figurative(Figurative::HighValue | Figurative::LowValue, _))
}

/// Returns true if a picture of an edited item of USAGE NATIONAL is one of numbers, not of characters.
pub(super) fn is_number(picture: &Picture) -> bool {
    picture.category != Category::NationalEdited
}
