//! Commands and the write control character.

use super::address::graphic;

/// The first byte of a stream to a terminal. Each command has an SNA code, which is sent, and a channel code, which is
/// understood too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Write over the present content.
    Write,
    /// Erase at the default size, then write.
    EraseWrite,
    /// Erase at the alternate size, then write.
    EraseWriteAlternate,
    /// Erase the unprotected fields.
    EraseAllUnprotected,
    /// Structured fields follow.
    WriteStructuredField,
    /// Send the whole buffer.
    ReadBuffer,
    /// Send the modified fields.
    ReadModified,
    /// Send the modified fields even after a key that sends no fields.
    ReadModifiedAll,
}

const CODES: [(Command, u8, u8); 8] = [
    (Command::Write, 0xF1, 0x01),
    (Command::EraseWrite, 0xF5, 0x05),
    (Command::EraseWriteAlternate, 0x7E, 0x0D),
    (Command::EraseAllUnprotected, 0x6F, 0x0F),
    (Command::WriteStructuredField, 0xF3, 0x11),
    (Command::ReadBuffer, 0xF2, 0x02),
    (Command::ReadModified, 0xF6, 0x06),
    (Command::ReadModifiedAll, 0x6E, 0x0E),
];

impl Command {
    /// Its SNA code.
    pub fn code(self) -> u8 {
        CODES[self as usize].1
    }

    /// The command of a byte.
    pub fn of(code: u8) -> Option<Command> {
        CODES.iter().find(|entry| entry.1 == code || entry.2 == code).map(|entry| entry.0)
    }

    /// Returns true if a WCC and orders follow.
    pub fn has_orders(self) -> bool {
        matches!(self, Command::Write | Command::EraseWrite | Command::EraseWriteAlternate)
    }
}

/// The write control character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wcc {
    /// Start the printer.
    pub start_printer: bool,
    /// Sound the alarm.
    pub alarm: bool,
    /// Give the keyboard back (and forget the last AID).
    pub restore_keyboard: bool,
    /// Turn all modified data tags off, before anything is written.
    pub reset_modified: bool,
}

impl Wcc {
    /// Keyboard back and modified data tags off: the needs of most writes.
    pub const RESTORE: Wcc =
        Wcc { start_printer: false, alarm: false, restore_keyboard: true, reset_modified: true };

    /// Its byte: a graphic.
    pub fn code(self) -> u8 {
        graphic(
            u8::from(self.start_printer) << 3
                | u8::from(self.alarm) << 2
                | u8::from(self.restore_keyboard) << 1
                | u8::from(self.reset_modified),
        )
    }

    /// The WCC of a byte.
    pub fn of(byte: u8) -> Self {
        let bit = |at: u8| byte >> at & 1 == 1;
        Self { start_printer: bit(3), alarm: bit(2), restore_keyboard: bit(1), reset_modified: bit(0) }
    }
}

/// Identifiers of structured fields to a terminal.
pub mod structured_field {
    /// Read Partition: a query is one.
    pub const READ_PARTITION: u8 = 0x01;
    /// Erase/Reset.
    pub const ERASE_RESET: u8 = 0x03;
    /// Set Reply Mode.
    pub const SET_REPLY_MODE: u8 = 0x09;
    /// A write or a read for a partition.
    pub const OUTBOUND_3270DS: u8 = 0x40;
    /// From a terminal: one part of its answer to a query.
    pub const QUERY_REPLY: u8 = 0x81;
}

/// Returns true if a stream gives the keyboard back to the user.
pub fn restores_keyboard(stream: &[u8]) -> bool {
    match stream.first().copied().and_then(Command::of) {
        Some(Command::EraseAllUnprotected) => true,
        Some(command) if command.has_orders() => stream.get(1).is_some_and(|&b| Wcc::of(b).restore_keyboard),
        _ => false,
    }
}
