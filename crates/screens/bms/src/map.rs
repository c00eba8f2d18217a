//! The shapes of an assembled map: mapset, map, field.
//!
//! These are the values that the assembler produces, that an image holds and that SEND and RECEIVE use. What never
//! lives here: how they are written in a source, or what a screen looks like.

use tn3270::datastream::Size;

use crate::attribute::{ExtendedSet, ExtendedValues, FieldAttribute};

/// The longest name of a mapset or map.
pub const MAP_NAME_MAX: usize = 7;
/// The longest name of a field: one letter is appended for each item of the symbolic map.
pub const FIELD_NAME_MAX: usize = 29;
/// The largest number of lines or columns, and so of a screen this side of 14-bit addresses.
pub const SIDE_MAX: u16 = 255;

/// Maps that were assembled together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapset {
    /// The name, at most [`MAP_NAME_MAX`] characters.
    pub name: String,
    /// The suffix that SUFFIX or TERM asks for: it distinguishes versions for different terminals.
    pub suffix: Option<char>,
    /// The storage of the symbolic maps.
    pub storage: Storage,
    /// The maps, in the order of the source.
    pub maps: Vec<Map>,
}

impl Mapset {
    /// The map of a name; trailing blanks of the name count for nothing.
    pub fn map(&self, name: &str) -> Option<&Map> {
        let name = name.trim_end();
        self.maps.iter().find(|map| map.name == name)
    }
}

/// The way in which the symbolic maps of a mapset share storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Each map redefines the first.
    Overlaid,
    /// Each map has its own (STORAGE=AUTO).
    Separate,
    /// Each map redefines an item of the program (BASE=name).
    Base(String),
}

/// Which ways a map's data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// From the terminal only.
    In,
    /// To the terminal only.
    Out,
    /// Both.
    InOut,
}

impl Mode {
    /// Returns true if the map can be received.
    pub fn receives(self) -> bool {
        self != Self::Out
    }

    /// Returns true if the map can be sent with a program's data.
    pub fn sends(self) -> bool {
        self != Self::In
    }
}

/// The place at which a map starts on the page, for lines and for columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this line or column, from 1.
    At(u16),
    /// At the next free one.
    Next,
    /// At that of the map before it.
    Same,
}

/// From which sides of the page a map is placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Columns count from the right margin (JUSTIFY=RIGHT).
    pub right: bool,
    /// On a new page (JUSTIFY=FIRST).
    pub first: bool,
    /// At the bottom of the page (JUSTIFY=LAST, JUSTIFY=BOTTOM).
    pub last: bool,
}

/// Width of a printed line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineWidth {
    /// As the new-line characters say (HONEOM), or no printer at all.
    #[default]
    AsFormatted,
    /// 40 columns.
    L40,
    /// 64 columns.
    L64,
    /// 80 columns.
    L80,
}

/// Device controls: CTRL of a map, or the options of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Start the printer.
    pub print: bool,
    /// Sound the alarm.
    pub alarm: bool,
    /// Unlock the keyboard.
    pub freekb: bool,
    /// Reset the modified data tags before writing.
    pub frset: bool,
    /// Width of a printed line.
    pub width: LineWidth,
}

/// One screen format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// The name, at most [`MAP_NAME_MAX`] characters.
    pub name: String,
    /// Which ways its data goes.
    pub mode: Mode,
    /// Its size, at least one row and column; fields lie within.
    pub size: Size,
    /// The line of the page on which it starts.
    pub line: Start,
    /// The column of the page in which it starts.
    pub column: Start,
    /// From which sides it is placed.
    pub placement: Placement,
    /// It heads pages (HEADER=YES).
    pub header: bool,
    /// It ends pages (TRAILER=YES).
    pub trailer: bool,
    /// Device controls, unless a command gives its own.
    pub control: Control,
    /// The symbolic map starts with 12 bytes for the terminal's own use (TIOAPFX=YES).
    pub prefix: bool,
    /// The input flag says in which field the cursor is (CURSLOC=YES).
    pub cursor_flagged: bool,
    /// Extended attributes that the map may send (MAPATTS).
    pub map_attributes: ExtendedSet,
    /// Extended attributes that a program may set (DSATTS): a byte of each in the symbolic map.
    pub data_attributes: ExtendedSet,
    /// The fields, in the order of the source: that of the symbolic map.
    pub fields: Vec<Field>,
}

/// The content of a field unless the program says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// Nothing.
    None,
    /// Characters in the program's code (INITIAL), one byte each.
    Characters(Vec<u8>),
    /// Bytes as the terminal gets them (XINIT).
    Bytes(Vec<u8>),
}

/// The placement of received data in its field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Justify {
    /// At the right end; otherwise at the left.
    pub right: bool,
    /// Filled with zeros; otherwise with blanks.
    pub zero: bool,
}

/// One field of a map, or several of the same shape in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name under which programs know it; `None` for constants.
    pub name: Option<String>,
    /// The place of the attribute character in the map, from 0; the data follows it.
    pub position: u16,
    /// Length of the data.
    pub length: u16,
    /// The number of its occurrences, one after the other.
    pub occurs: u16,
    /// The group whose attribute character it shares (GRPNAME).
    pub group: Option<String>,
    /// Its field attribute.
    pub attribute: FieldAttribute,
    /// The cursor goes here unless the program says otherwise (IC).
    pub cursor: bool,
    /// Its extended attributes.
    pub extended: ExtendedValues,
    /// Its content unless the program says otherwise.
    pub initial: Initial,
    /// The placement of received data in it.
    pub justify: Justify,
    /// Received data keeps its case whatever the terminal's translation (CASE=MIXED).
    pub mixed_case: bool,
    /// COBOL picture of the input item (PICIN).
    pub picture_in: Option<String>,
    /// COBOL picture of the output item (PICOUT).
    pub picture_out: Option<String>,
}
