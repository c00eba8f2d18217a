//! ISO 8583 messages (edition of 1987, ASCII, binary bitmaps): any message by the field, and the authorization pair.
//!
//! Out of scope: what an answer should be; sockets. A frame is a message after its length in two bytes.

mod authorization;
mod field;
mod message;

pub use authorization::{REQUEST_LENGTH, RESPONSE_LENGTH, Request, Response};
pub use field::{Content, FIELDS, FieldSpec, Length, field};
pub use message::{FRAME_LENGTH_MAX, IsoError, Message, PREFIX_LENGTH, Part, Problem};
