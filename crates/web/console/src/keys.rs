//! Messages of a browser at its terminal, and their effect.

use serde::Deserialize;
use tn3270::datastream::{Address, Aid};
use tn3270::emulator::Emulator;
use tn3270::screen::{Keyboard, Refused};

/// A message.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum FromBrowser {
    /// A key by its name.
    Key(String),
    /// Characters that were typed.
    Type(String),
    /// Lines that were pasted.
    Paste(String),
    /// A position that was pointed at.
    Cursor(u16),
    /// A line for the network's own service.
    Service(String),
}

/// The modes of a keyboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Modes {
    /// Typed characters move those behind them.
    pub insert: bool,
    /// The user is at the network's own service.
    pub service: bool,
}

/// Bytes of the DUP and FIELD MARK keys.
const DUP: u8 = 0x1C;
const FIELD_MARK: u8 = 0x1E;

/// Does what a key does. Returns false if there is no such key. A key that the screen refuses leaves its reason in the state of
/// the keyboard.
pub(crate) fn press(emulator: &mut Emulator, modes: &mut Modes, name: &str) -> bool {
    if let Some(aid) = aid(name) {
        let _ = emulator.press(aid);
        return true;
    }
    match name {
        "sysreq" => modes.service = !modes.service,
        "reset" => modes.insert = false,
        "insert" => modes.insert = !modes.insert,
        _ => {}
    }
    let cursor = emulator.screen().cursor().0;
    let size = emulator.screen().size();
    let (columns, positions) = (size.columns, size.addresses());
    let screen = emulator.screen_mut();
    let moved = |by: u16| Address(((u32::from(cursor) + u32::from(by)) % u32::from(positions)) as u16);
    match name {
        "attn" => emulator.attention(),
        "sysreq" => emulator.system_request(),
        "tab" => screen.tab(),
        "backtab" => screen.back_tab(),
        "home" => screen.home(),
        "newline" => screen.new_line(),
        "right" => screen.move_cursor(moved(1)),
        "left" => screen.move_cursor(moved(positions - 1)),
        "down" => screen.move_cursor(moved(columns)),
        "up" => screen.move_cursor(moved(positions - columns)),
        "fieldend" => field_end(emulator),
        "backspace" => backspace(emulator),
        "delete" => drop(screen.delete()),
        "eraseeof" => drop(screen.erase_end_of_field()),
        "eraseinput" => drop(screen.erase_input()),
        "dup" if screen.type_byte(DUP).is_ok() => screen.tab(),
        "fieldmark" => drop(screen.type_byte(FIELD_MARK)),
        "reset" => screen.reset(),
        "insert" => screen.set_insert(modes.insert),
        "dup" => {}
        _ => return false,
    }
    true
}

/// The AID of a key that calls the region.
fn aid(name: &str) -> Option<Aid> {
    let number = |prefix: &str, most: u8| {
        let number: u8 = name.strip_prefix(prefix)?.parse().ok()?;
        (1..=most).contains(&number).then_some(number)
    };
    match name {
        "enter" => Some(Aid::Enter),
        "clear" => Some(Aid::Clear),
        _ => number("pf", 24).map(Aid::Pf).or_else(|| number("pa", 3).map(Aid::Pa)),
    }
}

/// Types a text. A character that is refused ends it: the user sees why.
pub(crate) fn type_text(emulator: &mut Emulator, text: &str) {
    let _ = emulator.screen_mut().type_text(text);
}

/// Pastes lines: each begins below the one before, in the column of the first, as emulators do. Each character has its place: so a text
/// that was copied from a screen, labels and all, fills the fields of a screen of the same form. A character that a field does not take,
/// and one where the user may not type, is passed over.
pub(crate) fn paste(emulator: &mut Emulator, modes: Modes, text: &str) {
    let columns = emulator.screen().size().columns;
    let left = emulator.screen().cursor().0 % columns;
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines = text.trim_end_matches('\n').split('\n').peekable();
    while let Some(line) = lines.next() {
        let row = emulator.screen().cursor().0 / columns;
        if !paste_line(emulator, modes, line) {
            return;
        }
        if lines.peek().is_some() {
            let size = emulator.screen().size();
            if row + 1 >= size.rows {
                return;
            }
            emulator.screen_mut().move_cursor(Address((row + 1) * columns + left));
        }
    }
}

/// Pastes a line. Returns false if the keyboard is not free.
fn paste_line(emulator: &mut Emulator, modes: Modes, line: &str) -> bool {
    let screen = emulator.screen_mut();
    let mut at = screen.cursor();
    for character in line.chars().map(|c| if c == '\t' { ' ' } else { c }) {
        // At the end of a field the character before may have moved it to the next one.
        screen.move_cursor(at);
        at = Address(((u32::from(at.0) + 1) % u32::from(screen.size().addresses())) as u16);
        match screen.type_character(character) {
            Ok(()) => {}
            Err(Refused::SystemLocked) => return false,
            Err(_) => {
                screen.reset();
                screen.set_insert(modes.insert);
                screen.move_cursor(at);
            }
        }
    }
    emulator.screen().keyboard() == Keyboard::Unlocked
}

/// Takes the character before the cursor out, where that is in the same field.
fn backspace(emulator: &mut Emulator) {
    let screen = emulator.screen_mut();
    let at = screen.cursor().0;
    let before = Address(if at == 0 { screen.size().addresses() - 1 } else { at - 1 });
    let columns = screen.size().columns;
    let (row, column) = (before.0 / columns + 1, before.0 % columns + 1);
    let is_entry = screen.cell(row, column).field.is_none()
        && screen.field_at(row, column).is_none_or(|field| !field.attribute.is_protected());
    if is_entry {
        screen.move_cursor(before);
        let _ = screen.delete();
    }
}

/// To the place behind the last character of the field.
fn field_end(emulator: &mut Emulator) {
    let screen = emulator.screen_mut();
    let (row, column) = screen.cursor_row_column();
    let Some(field) = screen.field_at(row, column) else { return };
    let used =
        screen.field_text(field).trim_end().chars().count().min(usize::from(field.len.saturating_sub(1)));
    let to = (usize::from(field.start.0) + 1 + used) % usize::from(screen.size().addresses());
    screen.move_cursor(Address(to as u16));
}

#[cfg(test)]
mod tests {
    use ebcdic::CodePage;
    use tn3270::datastream::{Capabilities, Command, FieldAttribute, Outbound, Size, Wcc};
    use tn3270::telnet::{DeviceType, Wish};

    use super::*;

    fn emulator() -> Emulator {
        let wish = Wish { device: DeviceType::new("IBM-3278-2-E"), lu: None, functions: None };
        let mut emulator = Emulator::new(wish, Capabilities::unqueried(Size::MODEL_2), CodePage::Ibm037);
        let mut stream = Outbound::write(Command::EraseWrite, Wcc::RESTORE);
        let entry = FieldAttribute::default();
        let label = entry.protected(true).numeric(true);
        for row in [1, 2] {
            stream.set_buffer_address(Address::at(Size::MODEL_2, row, 1)).start_field(entry);
            stream.set_buffer_address(Address::at(Size::MODEL_2, row, 12)).start_field(label);
        }
        emulator.screen_mut().apply(&stream.finish()).expect("a stream");
        emulator.screen_mut().home();
        emulator
    }

    #[test]
    fn keys_edit_the_field() {
        let (mut emulator, mut modes) = (emulator(), Modes::default());
        let mut press = |emulator: &mut Emulator, key: &str| press(emulator, &mut modes, key);
        type_text(&mut emulator, "abcd");
        for key in ["left", "left", "backspace", "insert"] {
            assert!(press(&mut emulator, key), "{key}");
        }
        type_text(&mut emulator, "XY");
        assert_eq!(emulator.screen().rows()[0].trim(), "aXYcd");
        assert!(press(&mut emulator, "home") && press(&mut emulator, "backspace"));
        assert_eq!(emulator.screen().cursor_row_column(), (1, 2), "what is before belongs to nobody");
        assert!(press(&mut emulator, "fieldend"));
        assert_eq!(emulator.screen().cursor_row_column(), (1, 7));
        assert!(!press(&mut emulator, "pf25") && !press(&mut emulator, "<script>"));
        assert!(press(&mut emulator, "pf24"));
        assert_eq!(emulator.screen().keyboard(), Keyboard::SystemLocked);
    }

    #[test]
    fn pasted_lines_begin_below_one_another() {
        let mut emulator = emulator();
        paste(&mut emulator, Modes::default(), "one\r\ntwo\n");
        let rows = emulator.screen().rows();
        assert_eq!((rows[0].trim(), rows[1].trim()), ("one", "two"));
        assert_eq!(emulator.screen().keyboard(), Keyboard::Unlocked);
        paste(&mut emulator, Modes::default(), &"\u{4e2d}\n".repeat(10_000));
    }

    #[test]
    fn a_copied_screen_fills_the_fields_of_its_form() {
        let mut emulator = emulator();
        // The label's text stands behind a full field, and cannot be typed over.
        paste(&mut emulator, Modes::default(), "0123456789=label\nabc       =label");
        let rows = emulator.screen().rows();
        assert_eq!((rows[0].trim(), rows[1].trim()), ("0123456789", "abc"));
        emulator.screen_mut().home();
        paste(&mut emulator, Modes::default(), "ABCDEFGHIJ");
        assert_eq!(emulator.screen().cursor_row_column(), (2, 2), "a full field sends on to the next one");
    }

    #[test]
    fn a_message_is_one_of_these() {
        let read = |text: &str| serde_json::from_str::<FromBrowser>(text).ok();
        assert_eq!(read("{\"key\":\"pf3\"}"), Some(FromBrowser::Key(String::from("pf3"))));
        assert_eq!(read("{\"cursor\":81}"), Some(FromBrowser::Cursor(81)));
        assert_eq!(read("{\"cursor\":-1}"), None);
        assert_eq!(read("{\"other\":1}"), None);
        assert_eq!(read("[]"), None);
    }
}
