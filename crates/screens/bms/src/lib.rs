//! Basic Mapping Support.
//!
//! A *map* describes a screen: the places of constants, and the fields that a program fills or reads by name. It is
//! written in assembler macros ([`assemble`]); COBOL programs see it as a record ([`copybook`]); the region keeps it as
//! bytes ([`Mapset::to_bytes`]) and, at run time, turns a record into a 3270 data stream ([`send_map`]) and the
//! operator's input back into a record ([`receive_map`]).
//!
//! Programs run in an ASCII code and terminals in EBCDIC; the border is here, and a code page is its guide. See the
//! README for the meaning of attribute constants under this translation.
//!
//! Out of scope: terminals, sessions, conditions and abends. Errors say which condition they stand for; the
//! kernel raises it.

mod assembler;
mod attribute;
mod copybook;
mod display;
mod image;
mod layout;
mod map;
mod place;
mod receive_map;
mod send_control;
mod send_map;
mod send_text;
mod stream;

pub use assembler::{Assembly, assemble};
pub use attribute::{Extended, ExtendedSet, ExtendedValues, FieldAttribute};
pub use copybook::copybook;
pub use display::{Display, Erase, Screen, SendError};
pub use image::ImageError;
pub use layout::{Cell, Items, PREFIX_LENGTH, cells, symbolic_length};
pub use map::{
    Control, FIELD_NAME_MAX, Field, Initial, Justify, LineWidth, MAP_NAME_MAX, Map, Mapset, Mode, Placement,
    SIDE_MAX, Start, Storage,
};
pub use place::{Area, Page, place};
pub use receive_map::{FLAG_CURSOR, FLAG_ERASED, ReceiveError, receive_map};
pub use send_control::{ControlOptions, send_control};
pub use send_map::{Content, Cursor, MapOptions, send_map};
pub use send_text::{Heading, TextJustify, TextOptions, send_text};
