//! A screen made of a terminal's answer to Read Buffer.

use ebcdic::CodePage;

use super::Screen;
use crate::datastream::{
    Address, Aid, Capabilities, Command, Order, Outbound, Size, Visibility, Wcc, orders,
};

/// The answer's content starts behind its AID and the cursor.
const CONTENT_OFFSET: usize = 3;

impl Screen {
    /// The screen that a terminal of a size tells when its buffer is read; `None` if the record is no such answer. An answer has each
    /// position of the screen, which no key sends.
    pub fn of_answer(record: &[u8], size: Size, code_page: CodePage) -> Option<Self> {
        let &[aid, high, low, ..] = record else { return None };
        Aid::of(aid).filter(|aid| *aid != Aid::StructuredField)?;
        if positions(record)? != usize::from(size.addresses()) {
            return None;
        }
        let capabilities = Capabilities { default_size: size, ..Capabilities::unqueried(size) };
        let mut screen = Self::new(capabilities, code_page);
        let mut stream = Outbound::write(Command::EraseWrite, Wcc::default());
        stream.raw(&record[CONTENT_OFFSET..]);
        screen.apply(&stream.finish()).ok()?;
        let cursor = Address::decode([high, low]);
        if cursor.0 < size.addresses() {
            screen.cursor = cursor;
        }
        Some(screen)
    }

    /// Leaves of the screen's characters those of protected fields, of unprotected ones, or both; attributes stay. A screen without
    /// fields is unprotected. Dark fields, such as a password, are blanked: a program that gets the screen could read it.
    pub fn keep(&mut self, protected: bool, unprotected: bool) {
        let all = || self.buffer.round_from(Address(0));
        let open = if self.buffer.is_formatted() { self.buffer.unprotected(all()) } else { all().collect() };
        let mut open = open.into_iter().peekable();
        for at in all() {
            let is_kept = if open.next_if_eq(&at).is_some() { unprotected } else { protected };
            if !is_kept && self.buffer.get(at).field.is_none() {
                self.buffer.clear(at);
            }
        }
        let fields = self.buffer.fields();
        for field in fields.into_iter().filter(|field| field.attribute.shown() == Visibility::Dark) {
            self.buffer.positions_of(field).for_each(|at| self.buffer.clear(at));
        }
    }
}

/// The positions that an answer's content takes; `None` if there is an order in it that no answer has.
fn positions(record: &[u8]) -> Option<usize> {
    orders(record, CONTENT_OFFSET).try_fold(0, |positions, order| {
        Some(match order.ok()? {
            Order::Text(text) => positions + text.len(),
            Order::GraphicEscape(_) | Order::StartField(_) | Order::StartFieldExtended(_) => positions + 1,
            Order::SetAttribute(..) => positions,
            _ => return None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datastream::{FieldAttribute, Inbound};

    const SIZE: Size = Size { rows: 4, columns: 10 };
    const PAGE: CodePage = CodePage::Ibm037;

    /// A screen with a protected text, and a field that its user fills in.
    fn filled() -> Screen {
        let capabilities = Capabilities { default_size: SIZE, ..Capabilities::unqueried(SIZE) };
        let mut screen = Screen::new(capabilities, PAGE);
        let mut stream = Outbound::write(Command::EraseWrite, Wcc::RESTORE);
        stream
            .start_field(FieldAttribute::default().protected(true))
            .text(b"\xD5\xC1\xD4\xC5")
            .start_field_extended(FieldAttribute::default(), [(0x42, 0xF2)])
            .insert_cursor();
        screen.apply(&stream.finish()).expect("a stream");
        screen.type_text("AB").expect("an open field");
        screen
    }

    #[test]
    fn an_answer_is_the_screen_with_what_its_user_has_typed() {
        let mut screen = filled();
        let record =
            screen.apply(&Outbound::bare(Command::ReadBuffer)).expect("a command").expect("an answer");
        let told = Screen::of_answer(&record, SIZE, PAGE).expect("a screen");
        assert_eq!(told.text(), " NAME AB");
        assert_eq!(told.cursor(), screen.cursor());
        assert_eq!(Screen::of_answer(&record, Size::MODEL_2, PAGE).map(|screen| screen.text()), None);
    }

    #[test]
    fn no_key_is_an_answer() {
        let mut screen = filled();
        let pressed = screen.press(Aid::Enter).expect("a key");
        assert!(Screen::of_answer(&pressed, SIZE, PAGE).is_none(), "{:?}", Inbound::read(&pressed));
        for record in
            [&b""[..], b"\x60", b"\x6d", b"\x7d\x40\x40", b"\x88\x40\x40\x40", b"\x7d\x40\x40\x11\x40"]
        {
            assert!(Screen::of_answer(record, SIZE, PAGE).is_none(), "{record:02X?}");
        }
        // A whole screen of characters is one.
        let whole = [&b"\x60\x40\x40"[..], &[0xC1; 40]].concat();
        assert_eq!(Screen::of_answer(&whole, SIZE, PAGE).expect("a screen").rows(), ["AAAAAAAAAA"; 4]);
    }

    #[test]
    fn parts_of_a_screen_are_left() {
        let kept = |protected, unprotected| {
            let mut screen = filled();
            screen.keep(protected, unprotected);
            screen.text()
        };
        assert_eq!(kept(true, true), " NAME AB");
        assert_eq!(kept(true, false), " NAME");
        assert_eq!(kept(false, true), "      AB");
        assert_eq!(kept(false, false), "");
    }

    #[test]
    fn a_password_is_never_left() {
        let capabilities = Capabilities { default_size: SIZE, ..Capabilities::unqueried(SIZE) };
        let mut screen = Screen::new(capabilities, PAGE);
        let mut stream = Outbound::write(Command::EraseWrite, Wcc::RESTORE);
        stream.start_field(FieldAttribute::default().visibility(Visibility::Dark)).insert_cursor();
        screen.apply(&stream.finish()).expect("a stream");
        screen.type_text("HARBOUR9").expect("an open field");
        let typed = PAGE.from_program(b"HARBOUR9");
        let holds = |screen: &Screen| screen.redraw(true).windows(typed.len()).any(|part| part == typed);
        assert!(holds(&screen));
        screen.keep(true, true);
        assert!(!holds(&screen));
    }
}
