//! Screens of the supplied transactions: texts and entry fields at rows and columns, both from 1.
//!
//! The attribute of a text or field is one column before it, so that nothing begins in column 1.

use ebcdic::{Characters, CodePage};
use tn3270::datastream::{Address, Command, FieldAttribute, Outbound, Size, Visibility, Wcc};

/// A place on a screen: row and column.
pub(super) type PanelPlace = (u16, u16);

/// The first place of a screen. Column 1 is left out: an emulator that waits for an input field takes a cursor at
/// position 0 for one that was not placed.
const FIRST: PanelPlace = (1, 2);

/// A screen in the making.
#[derive(Default)]
pub(super) struct Panel {
    items: Vec<Item>,
    cursor: Option<PanelPlace>,
    /// The area around the items is open for typing, as on an empty screen.
    open: bool,
}

struct Item {
    place: PanelPlace,
    text: String,
    length: usize,
    attribute: FieldAttribute,
}

impl Panel {
    /// An empty screen that says one thing on its last rows, and is open for typing.
    pub fn message(text: &str, size: Size) -> Self {
        let room = usize::from(size.columns) - 2;
        let lines = wrapped(text, room);
        let mut panel = Self::default();
        for (row, line) in (1..).zip(&lines) {
            panel.bright((size.rows - lines.len() as u16 + row, 2), line);
        }
        panel.open()
    }

    /// The same, open for typing around its items.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// A text.
    pub fn text(&mut self, place: PanelPlace, text: &str) -> &mut Self {
        self.item(place, text, text.chars().count(), skipped(Visibility::Normal))
    }

    /// A text that stands out.
    pub fn bright(&mut self, place: PanelPlace, text: &str) -> &mut Self {
        self.item(place, text, text.chars().count(), skipped(Visibility::Bright))
    }

    /// A field to type in, with its content.
    pub fn entry(&mut self, place: PanelPlace, length: usize, shown: &str) -> &mut Self {
        self.item(place, shown, length, FieldAttribute::default())
    }

    /// A field to type in that shows nothing.
    pub fn secret(&mut self, place: PanelPlace, length: usize) -> &mut Self {
        self.item(place, "", length, FieldAttribute::default().visibility(Visibility::Dark))
    }

    /// Places the cursor; without this it is at [`FIRST`].
    pub fn cursor(&mut self, place: PanelPlace) -> &mut Self {
        self.cursor = Some(place);
        self
    }

    fn item(&mut self, place: PanelPlace, text: &str, length: usize, attribute: FieldAttribute) -> &mut Self {
        self.items.push(Item { place, text: text.to_owned(), length, attribute });
        self
    }

    /// The data stream that shows it on a screen of that size, which the command erases.
    pub fn stream(&self, command: Command, size: Size, code_page: CodePage) -> Vec<u8> {
        let mut stream = Outbound::write(command, Wcc::RESTORE);
        let start = |place: PanelPlace| Address::at(size, place.0, place.1);
        let mut items: Vec<&Item> = self.items.iter().collect();
        items.sort_by_key(|item| item.place);
        for (item, next) in items.iter().zip(items.iter().skip(1).map(Some).chain([None])) {
            let at = start(item.place);
            // Nothing goes beyond its row: an attribute follows it.
            let length = item.length.min(usize::from(size.columns.saturating_sub(item.place.1)));
            stream.set_buffer_address(Address(at.0 - 1)).start_field(item.attribute);
            let text = code_page.from_program(&Characters::default().bytes(&item.text));
            stream.text(&text[..text.len().min(length)]);
            let end = Address(at.0 + length as u16);
            if next.is_none_or(|next| start(next.place).0 - 1 > end.0) {
                let after = if self.open { FieldAttribute::default() } else { skipped(Visibility::Normal) };
                stream.set_buffer_address(end).start_field(after);
            }
        }
        if self.open {
            let last = Address(size.addresses() - 1);
            stream.set_buffer_address(last).start_field(FieldAttribute::default());
        }
        stream.set_buffer_address(start(self.cursor.unwrap_or(FIRST))).insert_cursor();
        stream.finish()
    }
}

/// The attribute of a text: the cursor jumps over it.
fn skipped(visibility: Visibility) -> FieldAttribute {
    FieldAttribute::default().protected(true).numeric(true).visibility(visibility)
}

/// A text in lines of at most `room` characters; one that fits stays as it is.
pub(super) fn wrapped(text: &str, room: usize) -> Vec<String> {
    if text.len() <= room {
        return vec![text.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.chars().take(room).collect()),
        }
    }
    lines
}

#[cfg(test)]
pub(super) mod tests {
    use expect_test::{Expect, expect};
    use tn3270::screen::Screen;

    use super::*;

    /// Checks a panel as its user sees it: each row after a bar.
    pub(in crate::supplied) fn check(panel: &Panel, expected: Expect) {
        check_on(Size::MODEL_2, panel, expected);
    }

    /// The same on a screen of a size.
    pub(in crate::supplied) fn check_on(size: Size, panel: &Panel, expected: Expect) {
        let mut screen = Screen::new(tn3270::datastream::Capabilities::unqueried(size), CodePage::Ibm037);
        let stream = panel.stream(Command::EraseWriteAlternate, size, CodePage::Ibm037);
        screen.apply(&stream).expect("the stream is one");
        let rows: String = screen.text().lines().map(|row| format!("|{row}\n")).collect();
        expected.assert_eq(&rows);
    }

    #[test]
    fn a_message_stands_on_the_last_rows_of_an_empty_screen() {
        let panel = Panel::message("DFHCE3549 Sign-on is complete.", Size { rows: 4, columns: 80 });
        check(
            &panel,
            expect![[r#"
                |
                |
                |
                | DFHCE3549 Sign-on is complete.
            "#]],
        );
    }

    #[test]
    fn a_character_beyond_ascii_takes_one_place() {
        let mut panel = Panel::default();
        panel.text((1, 2), "M\u{fc}ller").text((1, 10), "next");
        check(
            &panel,
            expect![[r#"
            | Müller  next
        "#]],
        );
    }
}
