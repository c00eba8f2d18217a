//! Data streams of the region itself that say nothing: the keyboard's release, an empty screen.

use tn3270::datastream::{Command, Outbound, Wcc};

/// A write that does nothing but free the keyboard.
pub fn keyboard_restore() -> Vec<u8> {
    Outbound::write(Command::Write, Wcc { restore_keyboard: true, ..Wcc::default() }).finish()
}

/// A screen with nothing on it, open for typing.
pub fn empty_screen() -> Vec<u8> {
    let mut stream = Outbound::write(Command::EraseWrite, Wcc::RESTORE);
    stream.insert_cursor();
    stream.finish()
}
