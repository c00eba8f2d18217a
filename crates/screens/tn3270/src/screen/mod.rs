//! A 3270 as its user sees it: a buffer with fields, a keyboard that locks, a cursor.
//!
//! A stream from the region changes the screen ([`Screen::apply`]); keys change it and make records for the region
//! ([`Screen::press`]). It serves tests, pictures of screens, and a region that shows something else for a while and then draws
//! the screen again ([`Screen::redraw`]).
//!
//! Out of scope: telnet (see [`crate::emulator`]).

mod again;
mod answer;
mod apply;
mod buffer;
mod keyboard;
mod look;
mod picture;
mod read;
mod show;

pub use buffer::{Cell, ScreenField};
pub use keyboard::{Keyboard, Refused};
pub use look::Look;

use buffer::Buffer;

use ebcdic::CodePage;

use crate::datastream::{Address, Aid, Capabilities, Size};

/// The amount of attribute data that a read sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum ReplyMode {
    #[default]
    Field,
    ExtendedField,
    Character,
}

/// A 3270 display.
pub struct Screen {
    code_page: CodePage,
    capabilities: Capabilities,
    buffer: Buffer,
    cursor: Address,
    keyboard: Keyboard,
    last_aid: Aid,
    insert: bool,
    reply_mode: ReplyMode,
    alarms: u32,
    writes: u64,
}

impl Screen {
    /// An empty screen of its default size; its keyboard is locked until the region gives it.
    pub fn new(capabilities: Capabilities, code_page: CodePage) -> Self {
        Self {
            code_page,
            buffer: Buffer::new(capabilities.default_size),
            capabilities,
            cursor: Address(0),
            keyboard: Keyboard::SystemLocked,
            last_aid: Aid::None,
            insert: false,
            reply_mode: ReplyMode::Field,
            alarms: 0,
            writes: 0,
        }
    }

    /// The capabilities that it reports when queried.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Its size at present: default or alternate, as the last erase chose.
    pub fn size(&self) -> Size {
        self.buffer.size()
    }

    /// The cursor's position.
    pub fn cursor(&self) -> Address {
        self.cursor
    }

    /// The cursor's row and column, both from 1.
    pub fn cursor_row_column(&self) -> (u16, u16) {
        let columns = self.size().columns;
        (self.cursor.0 / columns + 1, self.cursor.0 % columns + 1)
    }

    /// The state of the keyboard: unlocked, or the reason why the user may not type.
    pub fn keyboard(&self) -> Keyboard {
        self.keyboard
    }

    /// The number of times the alarm has sounded.
    pub fn alarms(&self) -> u32 {
        self.alarms
    }

    /// The number of streams applied; a test uses it to see that the region has answered.
    pub fn writes(&self) -> u64 {
        self.writes
    }

    /// The key pressed last, until the region gives the keyboard back.
    pub fn last_aid(&self) -> Aid {
        self.last_aid
    }
}
