//! Assembled mapsets as bytes, so that a region need not assemble them again.
//!
//! ```text
//! "SMAP" | version, 1 byte | checksum of all that follows, 4 bytes | mapset
//! ```
//!
//! Numbers are big-endian; a text is its length in two bytes and its characters; an optional value is a byte 0, or a
//! byte 1 and the value; a list is its length in two bytes and its members. Reading checks everything: bytes that were
//! not written here give an error, never a mapset that cannot be.

use thiserror::Error;
use tn3270::datastream::Size;

use crate::attribute::{EXTENDED_KINDS, ExtendedSet, ExtendedValues, FieldAttribute};
use crate::map::{
    Control, Field, Initial, Justify, LineWidth, Map, Mapset, Mode, Placement, SIDE_MAX, Start, Storage,
};

const MAGIC: &[u8; 4] = b"SMAP";
/// Changes with every change of the form.
const VERSION: u8 = 1;

/// The reason why bytes are not a mapset.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ImageError {
    /// They do not start as an assembled mapset does.
    #[error("not an assembled mapset")]
    NotAnImage,
    /// They were written by another version.
    #[error("assembled by another version ({0}); assemble the source again")]
    OtherVersion(u8),
    /// They were changed or cut.
    #[error("the assembled mapset is damaged")]
    Damaged,
}

impl Mapset {
    /// The mapset as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        self.put(&mut body);
        let mut bytes = Vec::with_capacity(MAGIC.len() + 5 + body.len());
        bytes.extend(MAGIC);
        bytes.push(VERSION);
        bytes.extend(checksum(&body).to_be_bytes());
        bytes.extend(body);
        bytes
    }

    /// The mapset of bytes that [`Mapset::to_bytes`] gave.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ImageError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(ImageError::NotAnImage)?;
        let (version, rest) = rest.split_first().ok_or(ImageError::Damaged)?;
        if *version != VERSION {
            return Err(ImageError::OtherVersion(*version));
        }
        let (sum, mut body) = rest.split_first_chunk::<4>().ok_or(ImageError::Damaged)?;
        if checksum(body) != u32::from_be_bytes(*sum) {
            return Err(ImageError::Damaged);
        }
        let mapset = Self::take(&mut body).filter(|_| body.is_empty());
        mapset.filter(|mapset| mapset.maps.iter().all(is_sound)).ok_or(ImageError::Damaged)
    }
}

/// Returns true if the map has what the assembler guarantees and the run time relies on.
fn is_sound(map: &Map) -> bool {
    let sides = 1..=SIDE_MAX;
    let fits = |field: &Field| {
        let cells = (usize::from(field.length) + 1) * usize::from(field.occurs);
        field.occurs > 0 && usize::from(field.position) + cells <= map.size.positions()
    };
    sides.contains(&map.size.rows) && sides.contains(&map.size.columns) && map.fields.iter().all(fits)
}

/// FNV-1a: finds damage; does not guard against intent.
fn checksum(bytes: &[u8]) -> u32 {
    const BASIS: u32 = 0x811C_9DC5;
    const PRIME: u32 = 0x0100_0193;
    bytes.iter().fold(BASIS, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(PRIME))
}

/// A value with a form in bytes.
trait Form: Sized {
    /// Appends the value.
    fn put(&self, bytes: &mut Vec<u8>);
    /// Takes the value off the front; `None` if it is not there.
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

impl Form for u8 {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(*self);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        Some(*first)
    }
}

impl Form for u16 {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_be_bytes());
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Some(Self::from_be_bytes([u8::take(bytes)?, u8::take(bytes)?]))
    }
}

impl Form for bool {
    fn put(&self, bytes: &mut Vec<u8>) {
        u8::from(*self).put(bytes);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        match u8::take(bytes)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<T: Form> Form for Option<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.is_some().put(bytes);
        if let Some(value) = self {
            value.put(bytes);
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        if bool::take(bytes)? { T::take(bytes).map(Some) } else { Some(None) }
    }
}

impl<T: Form> Form for Vec<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        // A map has fewer fields and positions than this counts.
        let length = u16::try_from(self.len()).unwrap_or(u16::MAX);
        length.put(bytes);
        for member in self.iter().take(usize::from(length)) {
            member.put(bytes);
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let length = u16::take(bytes)?;
        (0..length).map(|_| T::take(bytes)).collect()
    }
}

impl Form for String {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.clone().into_bytes().put(bytes);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Self::from_utf8(Vec::take(bytes)?).ok()
    }
}

/// The form of a structure: its members, in this order.
macro_rules! form_of_members {
    ($($structure:ident { $($member:ident),+ $(,)? })+) => {$(
        impl Form for $structure {
            fn put(&self, bytes: &mut Vec<u8>) {
                $(self.$member.put(bytes);)+
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($member: Form::take(bytes)?),+ })
            }
        }
    )+};
}

/// The form of an enumeration: a tag, and the value that goes with it.
macro_rules! form_of_variants {
    ($($enumeration:ident { $($tag:literal => $variant:ident $(($value:ident))?),+ $(,)? })+) => {$(
        impl Form for $enumeration {
            fn put(&self, bytes: &mut Vec<u8>) {
                match self {
                    $(Self::$variant $(($value))? => {
                        let tag: u8 = $tag;
                        tag.put(bytes);
                        $($value.put(bytes);)?
                    })+
                }
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                match u8::take(bytes)? {
                    $($tag => {
                        $(let $value = Form::take(bytes)?;)?
                        Some(Self::$variant $(($value))?)
                    })+
                    _ => None,
                }
            }
        }
    )+};
}

form_of_members! {
    Mapset { name, suffix, storage, maps }
    Size { rows, columns }
    Placement { right, first, last }
    Control { print, alarm, freekb, frset, width }
    Map {
        name, mode, size, line, column, placement, header, trailer, control, prefix, cursor_flagged, map_attributes,
        data_attributes, fields,
    }
    Justify { right, zero }
    Field {
        name, position, length, occurs, group, attribute, cursor, extended, initial, justify, mixed_case, picture_in,
        picture_out,
    }
}

form_of_variants! {
    Storage { 0 => Overlaid, 1 => Separate, 2 => Base(name) }
    Mode { 0 => In, 1 => Out, 2 => InOut }
    Start { 0 => At(number), 1 => Next, 2 => Same }
    LineWidth { 0 => AsFormatted, 1 => L40, 2 => L64, 3 => L80 }
    Initial { 0 => None, 1 => Characters(text), 2 => Bytes(bytes) }
}

impl Form for char {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.to_string().put(bytes);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let text = String::take(bytes)?;
        let mut chars = text.chars();
        chars.next().filter(|_| chars.next().is_none())
    }
}

impl Form for FieldAttribute {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.to_ebcdic().put(bytes);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        u8::take(bytes).map(Self::from_ebcdic)
    }
}

impl Form for ExtendedSet {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.to_bits().put(bytes);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Self::from_bits(u8::take(bytes)?)
    }
}

impl Form for ExtendedValues {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.0);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let (values, rest) = bytes.split_first_chunk::<EXTENDED_KINDS>()?;
        *bytes = rest;
        Some(Self(*values))
    }
}
