//! The shape of a record.

use diagnostics::TextPlace;
use ebcdic::decimal::ZonedSign;

/// A record: a description of level 01 or 77, or the items of a copybook without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The record as a field of itself; unnamed where the copybook gives no level 01.
    pub root: Field,
    /// Whose storage it is.
    pub form: Form,
}

/// Whose storage a layout describes: lengths, alignment, and numbers in the machine's own form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// That of z/OS, and of programs that our compiler makes.
    #[default]
    Zos,
    /// That of programs that GnuCOBOL compiles on this processor: COMP-5 with its lowest byte first, COMP-1 and COMP-2 in binary
    /// floating point, pointers of eight bytes, SYNCHRONIZED to an item's own length, nothing moved by tables of varying size.
    Gnucobol,
}

impl Layout {
    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.root.name.as_deref()
    }

    /// Its length in bytes, with every table at its greatest size.
    pub fn length(&self) -> usize {
        self.root.length
    }

    /// The first field of a name, in any case, at any depth.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.root.find(name)
    }

    /// Every field, each group before its parts.
    pub fn fields(&self) -> Vec<&Field> {
        let mut all = Vec::new();
        self.root.collect(&mut all);
        all
    }
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in upper case; `None` for FILLER.
    pub name: Option<String>,
    /// Its level number.
    pub level: u8,
    /// Its content.
    pub kind: Kind,
    /// Its start, in bytes from the start of the record: in a table, that of the first occurrence; after a table of
    /// varying size, as if that had its greatest size.
    pub offset: usize,
    /// The length of one occurrence in bytes.
    pub length: usize,
    /// The number of its occurrences, if OCCURS gives one.
    pub occurs: Option<Occurs>,
    /// The name of the field whose storage it redefines.
    pub redefines: Option<String>,
    /// The place of its description in the source.
    pub place: TextPlace,
}

impl Field {
    /// Its parts; empty for an elementary field.
    pub fn parts(&self) -> &[Self] {
        match &self.kind {
            Kind::Group(parts) => parts,
            Kind::Elementary(_) => &[],
        }
    }

    /// The length of all its occurrences.
    pub fn extent(&self) -> usize {
        self.length * self.occurs.as_ref().map_or(1, |occurs| occurs.max)
    }

    /// Returns true if it has this name, in any case.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name))
    }

    fn find(&self, name: &str) -> Option<&Self> {
        if self.is_named(name) {
            return Some(self);
        }
        self.parts().iter().find_map(|part| part.find(name))
    }

    fn collect<'a>(&'a self, all: &mut Vec<&'a Self>) {
        all.push(self);
        self.parts().iter().for_each(|part| part.collect(all));
    }
}

/// OCCURS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurs {
    /// The least number of occurrences.
    pub min: usize,
    /// The greatest.
    pub max: usize,
    /// The field that holds the number, for a table of varying size.
    pub depending: Option<String>,
}

/// The kind of a field: with or without parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A group.
    Group(Vec<Field>),
    /// A field with a value of its own.
    Elementary(Usage),
}

/// The storage of an elementary field's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Usage {
    /// Characters; edited numbers too.
    #[default]
    Text,
    /// DISPLAY digits.
    Zoned {
        /// The number of digits.
        digits: usize,
        /// The number of digits after the decimal point; negative if the point is that far to the right.
        scale: i32,
        /// The place of the sign.
        sign: ZonedSign,
    },
    /// COMP-3.
    Packed {
        /// The number of digits.
        digits: usize,
        /// As in [`Usage::Zoned`].
        scale: i32,
        /// True if it may be negative.
        signed: bool,
    },
    /// COMP, COMP-4, BINARY, COMP-5 and their like: the highest byte first, but for those that are native in [`Form::Gnucobol`].
    Binary {
        /// The number of digits.
        digits: usize,
        /// As in [`Usage::Zoned`].
        scale: i32,
        /// True if it may be negative.
        signed: bool,
        /// COMP-5, BINARY-CHAR to BINARY-DOUBLE, COMP-X, COMP-N: all values that its bytes can hold, whatever its digits.
        native: bool,
        /// COMP-X: the highest byte first in [`Form::Gnucobol`], too.
        highest_first: bool,
    },
    /// COMP-1 (4 bytes) and COMP-2 (8 bytes): hexadecimal floating point, but for [`Form::Gnucobol`].
    Float,
    /// POINTER, PROCEDURE-POINTER, FUNCTION-POINTER: an address, or the name of a program.
    Address,
    /// INDEX: a number in the machine's own form.
    Index,
    /// National and double-byte text: bytes that nothing here interprets.
    Opaque,
}
