//! Helpers that several tests share.

#![allow(dead_code, reason = "each test uses its part")]

pub mod screen;

use std::path::PathBuf;

use bms::{Map, Mapset, assemble, cells, symbolic_length};
use diagnostics::Source;

/// Macro statements as a source: a line that ends in `\` goes on in the next one, as column 72 and 16 would have it.
pub fn source(text: &str) -> String {
    let mut lines = String::new();
    let mut continued = false;
    for line in text.lines() {
        let line = if continued { format!("{:15}{}", "", line.trim_start()) } else { line.to_owned() };
        continued = line.ends_with('\\');
        match line.strip_suffix('\\') {
            Some(start) => lines.push_str(&format!("{start:71}X\n")),
            None => lines.push_str(&format!("{line}\n")),
        }
    }
    lines
}

/// The one mapset of a source about which there is nothing to say.
pub fn mapset(text: &str) -> Mapset {
    let assembly = assemble(&Source::new("test.bms", source(text)));
    let said: String = assembly.messages.iter().map(|message| format!("{message}\n")).collect();
    assert!(said.is_empty(), "{said}");
    assembly.mapsets.into_iter().next().expect("the source holds a mapset")
}

/// The folder of a CardDemo checkout; `None`, with a message, if the environment does not name it.
pub fn carddemo() -> Option<PathBuf> {
    let path = std::env::var_os("CARDDEMO").map(PathBuf::from);
    if path.is_none() {
        eprintln!("skipped: set CARDDEMO to a checkout of aws-mainframe-modernization-carddemo");
    }
    path
}

/// A program's record for a map, with items set by name: `xxxL`, `xxxA`, `xxxC` and its kin, `xxxO`.
pub struct Record<'m> {
    pub map: &'m Map,
    pub bytes: Vec<u8>,
}

impl<'m> Record<'m> {
    /// A record of LOW-VALUES.
    pub fn of(map: &'m Map) -> Self {
        Self { map, bytes: vec![0; symbolic_length(map)] }
    }

    /// MOVE text TO item.
    pub fn set(mut self, item: &str, text: &[u8]) -> Self {
        let (at, length) = self.place(item);
        let padded = text.iter().copied().chain(std::iter::repeat(b' ')).take(length);
        self.bytes.splice(at..at + length, padded);
        self
    }

    /// MOVE -1 TO lengthitem.
    pub fn cursor(self, item: &str) -> Self {
        self.set(item, &[0xFF, 0xFF])
    }

    /// The content of an item.
    pub fn get(&self, item: &str) -> &[u8] {
        let (at, length) = self.place(item);
        &self.bytes[at..at + length]
    }

    /// Offset and length of an item; `NAMEO(2)` is that of the second occurrence.
    fn place(&self, item: &str) -> (usize, usize) {
        let (item, nth) = match item.trim_end_matches(')').split_once('(') {
            Some((item, nth)) => (item, nth.parse().expect("a subscript")),
            None => (item, 1usize),
        };
        let (name, suffix) = item.split_at(item.len() - 1);
        let mut named = cells(self.map).filter(|cell| cell.field.name.as_deref() == Some(name));
        let cell = named.nth(nth - 1).unwrap_or_else(|| panic!("no field {name}"));
        let items = cell.items.expect("the field is named");
        let head = || items.length.expect("the field heads its group");
        let extended = |suffix: &str| {
            let mut kinds = self.map.data_attributes.kinds();
            let nth = kinds.position(|kind| suffix.starts_with(kind.suffix()));
            head() + 3 + nth.unwrap_or_else(|| panic!("no item {item}"))
        };
        match suffix {
            "L" => (head(), 2),
            "F" | "A" => (head() + 2, 1),
            "I" | "O" => (items.data, usize::from(cell.field.length)),
            other => (extended(other), 1),
        }
    }
}
