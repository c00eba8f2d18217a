//! Messages in XML and JSON as COBOL records, and back.
//!
//! A [`Mapping`] is compiled once from a COBOL description ([`compile`]) and then drives readers and writers that go
//! straight between the bytes of a message and those of a record: no tree, no floating point, no memory but the record.
//!
//! | module | what lives there |
//! |---|---|
//! | [`xml`], [`json`] | strict pull readers, and messages read and written by a mapping |
//! | [`encoding`] | the bytes of an XML message as text |
//! | [`names`] | names of elements from names of fields |
//! | [`limits`] | the limits of messages |
//!
//! Out of scope: envelopes, transports, files, and descriptions of services.

mod charset;
mod compile;
mod date;
mod describe;
pub mod encoding;
mod fault;
pub mod json;
pub mod limits;
mod model;
pub mod names;
mod number;
mod store;
mod value;
pub mod xml;

pub use charset::Charset;
pub use compile::{CharVarying, Chosen, Hint, Holds, Options, compile, notes};
pub use date::read_moment as moment;
pub use describe::{Alternative, Element, Shape};
pub use fault::{FaultKind, MappingFault};
pub use model::{Form, Mapping, TypeName};
pub use value::{Contained, Filled, nothing_apart};
