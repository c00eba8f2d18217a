//! Symbolic maps: the COBOL records through which programs see a mapset.
//!
//! The items, their order and their lengths are those that [`crate::layout`] defines and every compiled application
//! relies on; names and clauses are those that existing copybooks have.

use std::fmt::Write;

use crate::attribute::ExtendedSet;
use crate::layout::{LENGTH_ITEM, PREFIX_LENGTH, heads};
use crate::map::{Field, Map, Mapset, Storage};

/// The column at which a level-01 entry starts, from 0.
const AREA_A: usize = 7;
/// The first column in which a COBOL line holds no program text.
const TEXT_END: usize = 72;

/// The copybook of a mapset: the input and output records of each map, as its mode asks for.
pub fn copybook(mapset: &Mapset) -> String {
    let mut writer = Writer { text: String::new(), attributes: ExtendedSet::NONE, tables: 0, value: "" };
    for (index, map) in mapset.maps.iter().enumerate() {
        let shared = match &mapset.storage {
            Storage::Separate => None,
            Storage::Base(name) => Some(name.clone()),
            Storage::Overlaid => (index > 0).then(|| record(&mapset.maps[0])),
        };
        writer.map(map, shared);
    }
    writer.text
}

/// The name of the first record of a map.
fn record(map: &Map) -> String {
    format!("{}{}", map.name, if map.mode.receives() { 'I' } else { 'O' })
}

/// Which of a map's records is written.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Input,
    Output,
}

struct Writer {
    text: String,
    attributes: ExtendedSet,
    /// The number of tables written that have no name of their own.
    tables: usize,
    /// The text that begins the text items of the record.
    value: &'static str,
}

/// The first value of text in a record with storage of its own. Published, such storage holds low values before a
/// program has set it: a field that was not set is not sent, and keeps the map's attributes.
const FIRST_VALUE: &str = " VALUE LOW-VALUE";

impl Writer {
    fn map(&mut self, map: &Map, shared: Option<String>) {
        self.attributes = map.data_attributes;
        let mut redefined = shared;
        if map.mode.receives() {
            self.record(map, 'I', redefined.as_deref(), Side::Input);
            redefined = Some(record(map));
        }
        if map.mode.sends() {
            self.record(map, 'O', redefined.as_deref(), Side::Output);
        }
    }

    fn record(&mut self, map: &Map, suffix: char, redefined: Option<&str>, side: Side) {
        self.value = if redefined.is_none() { FIRST_VALUE } else { "" };
        let redefines = redefined.map_or(String::new(), |other| format!(" REDEFINES {other}"));
        self.entry(1, &format!("{}{suffix}{redefines}", map.name));
        if map.prefix {
            self.text_item(2, &format!("FILLER PIC X({PREFIX_LENGTH})"));
        }
        let before = self.text.len();
        let mut level = 2;
        for (field, heads) in heads(map) {
            let Some(name) = &field.name else { continue };
            if let Some(group) = field.group.as_deref().filter(|_| heads) {
                self.entry(2, group);
            }
            level = if field.group.is_some() || field.occurs > 1 { 3 } else { 2 };
            match side {
                Side::Input => self.input(name, field, heads, level, map),
                Side::Output => self.output(name, field, heads, level, map),
            }
        }
        // A record needs an item: a map without named fields has nothing to say but must compile.
        if !map.prefix && self.text.len() == before {
            self.entry(level, "FILLER PIC X");
        }
    }

    fn input(&mut self, name: &str, field: &Field, heads: bool, level: u8, map: &Map) {
        if field.occurs > 1 {
            self.entry(2, &format!("{name}D OCCURS {} TIMES", field.occurs));
        }
        if heads {
            self.entry(level, &format!("{name}L    COMP  PIC  S9(4)"));
            self.text_item(level, &format!("{name}F    PICTURE X"));
            // In a table the output record names the attribute.
            if map.mode.sends() && field.occurs == 1 {
                self.entry(level, &format!("FILLER REDEFINES {name}F"));
                self.entry(level + 1, &format!("{name}A    PICTURE X"));
            }
            if !self.attributes.is_empty() {
                self.text_item(level, &format!("FILLER   PICTURE X({})", self.attributes.len()));
            }
        }
        self.data(level, &format!("{name}I"), field, field.picture_in.as_deref());
    }

    fn output(&mut self, name: &str, field: &Field, heads: bool, level: u8, map: &Map) {
        if field.occurs > 1 {
            self.tables += 1;
            self.entry(2, &format!("DFHMS{} OCCURS {} TIMES", self.tables, field.occurs));
        }
        if heads {
            // If an input record has named the attribute, one filler covers it with the length.
            if map.mode.receives() && field.occurs == 1 {
                self.entry(level, &format!("FILLER PICTURE X({})", LENGTH_ITEM + 1));
            } else {
                self.text_item(level, &format!("FILLER PICTURE X({LENGTH_ITEM})"));
                self.text_item(level, &format!("{name}A    PICTURE X"));
            }
            for kind in self.attributes.kinds() {
                self.text_item(level, &format!("{name}{}    PICTURE X", kind.suffix()));
            }
        }
        self.data(level, &format!("{name}O"), field, field.picture_out.as_deref());
    }

    fn data(&mut self, level: u8, name: &str, field: &Field, picture: Option<&str>) {
        match picture {
            _ if field.length == 0 => {}
            Some(picture) => self.entry(level, &format!("{name}  PIC {picture}")),
            None => self.text_item(level, &format!("{name}  PIC X({})", field.length)),
        }
    }

    /// An item of text.
    fn text_item(&mut self, level: u8, entry: &str) {
        self.entry(level, &format!("{entry}{}", self.value));
    }

    /// One data description entry; broken before its clause where it would leave the text area.
    fn entry(&mut self, level: u8, entry: &str) {
        let indent = AREA_A + if level == 1 { 0 } else { 2 + 2 * usize::from(level - 1) };
        // Writing to a string does not fail.
        let whole = format!("{:indent$}{level:02}  {entry}.", "");
        match entry.split_once(' ') {
            Some((name, clause)) if whole.len() > TEXT_END => {
                let _ = writeln!(self.text, "{:indent$}{level:02}  {name}", "");
                let _ = writeln!(self.text, "{:indent$}    {}.", "", clause.trim_start());
            }
            _ => {
                let _ = writeln!(self.text, "{whole}");
            }
        }
    }
}
