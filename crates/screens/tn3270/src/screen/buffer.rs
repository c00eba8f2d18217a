//! The buffer: characters and attributes by position.

use crate::datastream::{Address, Extended, FieldAttribute, Size, attribute};

/// One position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The character; 0 where a field starts, and where nothing was written.
    pub character: u8,
    /// True if the character is of the graphic set.
    pub graphic: bool,
    /// The field that starts here.
    pub field: Option<FieldAttribute>,
    /// Extended attributes: of the field where one starts, else of the character.
    pub extended: Extended,
}

/// A field: the positions from its attribute to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenField {
    /// The address of its attribute.
    pub start: Address,
    /// Its attribute.
    pub attribute: FieldAttribute,
    /// Its extended attributes.
    pub extended: Extended,
    /// The number of its characters; it may wrap at the screen's end.
    pub len: u16,
}

#[derive(Debug)]
pub(super) struct Buffer {
    size: Size,
    cells: Vec<Cell>,
}

impl Buffer {
    pub fn new(size: Size) -> Self {
        Self { size, cells: vec![Cell::default(); usize::from(size.addresses())] }
    }

    pub fn size(&self) -> Size {
        self.size
    }

    pub fn positions(&self) -> u16 {
        self.cells.len() as u16
    }

    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    pub fn get(&self, address: Address) -> &Cell {
        &self.cells[usize::from(address.0) % self.cells.len()]
    }

    pub fn get_mut(&mut self, address: Address) -> &mut Cell {
        let at = usize::from(address.0) % self.cells.len();
        &mut self.cells[at]
    }

    /// Removes a character and its own attributes.
    pub fn clear(&mut self, address: Address) {
        *self.get_mut(address) = Cell::default();
    }

    /// The next position; the first comes after the last.
    pub fn after(&self, address: Address) -> Address {
        Address((address.0 + 1) % self.positions())
    }

    /// The position before; before the first comes the last.
    pub fn before(&self, address: Address) -> Address {
        Address((address.0 + self.positions() - 1) % self.positions())
    }

    /// All positions once, beginning at one.
    pub fn round_from(&self, address: Address) -> impl Iterator<Item = Address> + use<> {
        let (positions, first) = (u32::from(self.positions()), u32::from(address.0));
        (0..positions).map(move |at| Address(((first + at) % positions) as u16))
    }

    /// All positions once, beginning before one and going back.
    pub fn round_back_from(&self, address: Address) -> impl Iterator<Item = Address> + use<> {
        let (positions, first) = (u32::from(self.positions()), u32::from(address.0));
        (1..=positions).map(move |at| Address(((first + positions - at) % positions) as u16))
    }

    pub fn is_formatted(&self) -> bool {
        self.cells.iter().any(|cell| cell.field.is_some())
    }

    /// The start of the field that contains a position (the position itself if a field starts there).
    pub fn field_start(&self, address: Address) -> Option<Address> {
        let back = self.round_back_from(self.after(address));
        back.into_iter().find(|&at| self.get(at).field.is_some())
    }

    /// The field that contains a position.
    pub fn field_at(&self, address: Address) -> Option<ScreenField> {
        let start = self.field_start(address)?;
        let cell = self.get(start);
        let mut behind = self.round_from(self.after(start));
        let len = behind.position(|at| self.get(at).field.is_some())?;
        Some(ScreenField { start, attribute: cell.field?, extended: cell.extended, len: len as u16 })
    }

    /// All fields in the order of the buffer.
    pub fn fields(&self) -> Vec<ScreenField> {
        let starts: Vec<u16> =
            (0..self.positions()).filter(|&at| self.get(Address(at)).field.is_some()).collect();
        let ends = starts.iter().cycle().skip(1);
        let fields = starts.iter().zip(ends).filter_map(|(&start, &end)| {
            let cell = self.get(Address(start));
            // The last field runs on to the first; an only one, all around to itself.
            let len = (end + self.positions() - start - 1) % self.positions();
            Some(ScreenField { start: Address(start), attribute: cell.field?, extended: cell.extended, len })
        });
        fields.collect()
    }

    /// Those of some consecutive positions whose characters the user may change.
    pub fn unprotected(&self, places: impl Iterator<Item = Address>) -> Vec<Address> {
        let mut places = places.peekable();
        let mut protected = places.peek().is_some_and(|&first| self.is_protected(first));
        places
            .filter(|&at| {
                let field = self.get(at).field;
                protected = field.map_or(protected, FieldAttribute::is_protected);
                field.is_none() && !protected
            })
            .collect()
    }

    /// The positions of a field's characters.
    pub fn positions_of(&self, field: ScreenField) -> impl Iterator<Item = Address> + use<> {
        self.round_from(self.after(field.start)).take(usize::from(field.len))
    }

    pub fn set_modified(&mut self, address: Address, on: bool) {
        if let Some(start) = self.field_start(address) {
            let cell = self.get_mut(start);
            cell.field = cell.field.map(|attribute| attribute.modified(on));
        }
    }

    /// Turns the modified data tags of some fields off.
    pub fn reset_modified(&mut self, of: impl Fn(FieldAttribute) -> bool) {
        for attribute in self.cells.iter_mut().filter_map(|cell| cell.field.as_mut()) {
            if of(*attribute) {
                *attribute = attribute.modified(false);
            }
        }
    }

    /// Returns true if the user may not change a character: it belongs to a protected field, or is an attribute.
    pub fn is_protected(&self, address: Address) -> bool {
        self.get(address).field.is_some()
            || self
                .field_start(address)
                .and_then(|start| self.get(start).field)
                .is_some_and(FieldAttribute::is_protected)
    }

    /// Returns true if an unprotected field of at least one character starts here: TAB and Program Tab stop there.
    pub fn is_entry(&self, address: Address) -> bool {
        let unprotected = |attribute: FieldAttribute| !attribute.is_protected();
        self.get(address).field.is_some_and(unprotected) && self.get(self.after(address)).field.is_none()
    }

    /// Starts a field: its extended attributes are those given, and no others.
    pub fn start_field(&mut self, address: Address, pairs: &[(u8, u8)]) {
        *self.get_mut(address) = Cell { field: Some(FieldAttribute::default()), ..Cell::default() };
        self.modify_field(address, pairs);
    }

    pub fn modify_field(&mut self, address: Address, pairs: &[(u8, u8)]) {
        let cell = self.get_mut(address);
        for &(kind, value) in pairs {
            match kind {
                attribute::FIELD => cell.field = Some(FieldAttribute::of(value)),
                _ => cell.extended.set(kind, value),
            }
        }
    }
}
