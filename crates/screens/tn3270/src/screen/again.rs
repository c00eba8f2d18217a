//! A screen that is drawn once more: the stream that shows it as it is, to a terminal that has shown something else meanwhile.

use super::buffer::Cell;
use super::{ReplyMode, Screen};
use crate::datastream::{Address, Command, Field, Outbound, Wcc};

impl Screen {
    /// The stream that shows it: the characters, attributes and modified data tags, the cursor. The keyboard is freed
    /// or not.
    pub fn redraw(&self, frees_keyboard: bool) -> Vec<u8> {
        let is_alternate = self.size() != self.capabilities.default_size;
        let command = if is_alternate { Command::EraseWriteAlternate } else { Command::EraseWrite };
        let wcc = Wcc { restore_keyboard: frees_keyboard, ..Wcc::default() };
        let mut stream = Outbound::write(command, wcc);
        stream.set_buffer_address(Address(0)).raw(&self.content(ReplyMode::Character));
        stream.set_buffer_address(self.cursor).insert_cursor();
        stream.finish()
    }

    /// Puts the fields that a key has sent onto the screen, as its user has typed them.
    pub fn typed(&mut self, cursor: Address, fields: &[Field]) {
        let is_there = |at: Address| at.0 < self.buffer.positions();
        let fields: Vec<&Field> = fields.iter().filter(|field| is_there(field.address)).collect();
        if is_there(cursor) {
            self.cursor = cursor;
        }
        for field in fields {
            self.fill(field.address, &field.data);
        }
    }

    /// Gives the field whose first character is at `first` these characters, as modified by its user.
    fn fill(&mut self, first: Address, data: &[u8]) {
        let Some(field) = self.buffer.field_at(self.buffer.before(first)) else { return };
        let places: Vec<Address> = self.buffer.positions_of(field).collect();
        for (at, character) in places.into_iter().zip(data.iter().copied().chain(std::iter::repeat(0))) {
            *self.buffer.get_mut(at) = Cell { character, ..Cell::default() };
        }
        self.buffer.set_modified(field.start, true);
    }
}

#[cfg(test)]
mod tests {
    use ebcdic::CodePage;

    use super::*;
    use crate::datastream::{Capabilities, FieldAttribute, Size};

    fn screen() -> Screen {
        Screen::new(Capabilities::unqueried(Size::MODEL_2), CodePage::Ibm037)
    }

    /// A screen with a text and a field after it.
    fn filled() -> Screen {
        let mut stream = Outbound::write(Command::EraseWrite, Wcc::RESTORE);
        stream
            .set_buffer_address(Address(80))
            .start_field(FieldAttribute::default().protected(true))
            .text(b"\xD5\xC1\xD4\xC5")
            .start_field_extended(FieldAttribute::default(), [(0x42, 0xF2)])
            .insert_cursor()
            .set_buffer_address(Address(100))
            .start_field(FieldAttribute::default().protected(true));
        let mut screen = screen();
        screen.apply(&stream.finish()).expect("a stream");
        screen
    }

    #[track_caller]
    fn is_the_same_again(before: &Screen) {
        let mut after = screen();
        after.apply(&before.redraw(true)).expect("a stream");
        assert_eq!(after.buffer.cells(), before.buffer.cells());
        assert_eq!(after.cursor(), before.cursor());
    }

    #[test]
    fn what_was_written_is_drawn_again() {
        is_the_same_again(&screen());
        is_the_same_again(&filled());
    }

    #[test]
    fn what_was_typed_is_drawn_again_with_its_tag() {
        let mut screen = filled();
        let field = Field { address: Address(86), data: vec![0xC1, 0xC2] };
        screen.typed(Address(88), &[field]);
        assert_eq!(screen.text().trim(), "NAME AB");
        assert!(screen.fields()[1].attribute.is_modified());
        is_the_same_again(&screen);
    }
}
