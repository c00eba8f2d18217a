//! The places of a symbolic map's items.
//!
//! One walk over a map's fields gives every *cell*: a field, or one occurrence of it, with its place on the screen and
//! the offsets of its items in the program's area. The copybook, SEND and RECEIVE all take them from here, so they
//! cannot disagree.
//!
//! A named field occupies, in this order:
//!
//! ```text
//! input   | L length, 2 bytes | F flag      | filler                        | I data
//! output  | filler            | A attribute | C P H V U M T as DSATTS says  | O data
//! ```

use crate::map::{Field, Map};

/// Bytes reserved at the start of a symbolic map by TIOAPFX=YES.
pub const PREFIX_LENGTH: usize = 12;
/// Bytes of the length item.
pub const LENGTH_ITEM: usize = 2;
/// Bytes of the flag or attribute item.
pub const FLAG_ITEM: usize = 1;

/// One field on the screen, or one occurrence of it.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'m> {
    /// The field.
    pub field: &'m Field,
    /// The place in the map of the character before the data, from 0.
    pub position: usize,
    /// True if that character is the field's own attribute; in a group only the first field has one.
    pub heads: bool,
    /// The offsets of its items in the program's area; `None` if the field has no name.
    pub items: Option<Items>,
}

/// Offsets of a field's items in the symbolic map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Items {
    /// Offset of the length; flag or attribute and the extended attributes follow it. None for a later member of a
    /// group.
    pub length: Option<usize>,
    /// Offset of the data.
    pub data: usize,
}

impl Items {
    /// Offset of the flag (input) or attribute (output).
    pub fn flag(self) -> Option<usize> {
        self.length.map(|at| at + LENGTH_ITEM)
    }

    /// Offset of the first extended attribute.
    pub fn extended(self) -> Option<usize> {
        self.flag().map(|at| at + FLAG_ITEM)
    }
}

/// Every cell of a map, in the order of the symbolic map.
pub fn cells(map: &Map) -> impl Iterator<Item = Cell<'_>> {
    let head = head_length(map);
    let mut offset = prefix_length(map);
    heads(map).flat_map(move |(field, heads)| {
        let first = offset;
        let head = if heads { head } else { 0 };
        let step = head + usize::from(field.length);
        if field.name.is_some() {
            offset += step * usize::from(field.occurs);
        }
        (0..usize::from(field.occurs)).map(move |nth| {
            let start = first + nth * step;
            let items = Items { length: heads.then_some(start), data: start + head };
            Cell {
                field,
                position: usize::from(field.position) + nth * (usize::from(field.length) + 1),
                heads,
                items: field.name.is_some().then_some(items),
            }
        })
    })
}

/// The length of the program's area for a map.
pub fn symbolic_length(map: &Map) -> usize {
    let end = |cell: Cell| cell.items.map_or(0, |items| items.data + usize::from(cell.field.length));
    cells(map).map(end).max().unwrap_or(0).max(prefix_length(map))
}

/// Every field with whether it has its own attribute character.
pub(crate) fn heads(map: &Map) -> impl Iterator<Item = (&Field, bool)> {
    let mut group = None;
    map.fields.iter().map(move |field| {
        let heads = field.group.is_none() || field.group.as_deref() != group;
        group = field.group.as_deref();
        (field, heads)
    })
}

fn prefix_length(map: &Map) -> usize {
    if map.prefix { PREFIX_LENGTH } else { 0 }
}

/// Bytes before a field's data.
fn head_length(map: &Map) -> usize {
    LENGTH_ITEM + FLAG_ITEM + map.data_attributes.len()
}
