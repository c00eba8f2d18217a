//! 3270 data streams: a region's writes to a terminal, and a terminal's answers.
//!
//! Data are EBCDIC bytes throughout; their meaning as characters belongs to a code page.
//!
//! - [`Outbound`] builds a stream to a terminal; [`orders`] takes one apart.
//! - [`Inbound`] is a record from a terminal.
//! - [`Capabilities`] is a terminal's description of itself in its reply to a query.

mod address;
mod aid;
mod attributes;
mod command;
mod inbound;
mod order;
mod outbound;
mod query;

pub use address::{Address, Size};
pub use aid::Aid;
pub use attributes::{Colour, Extended, FieldAttribute, Highlight, Visibility, attribute};
pub use command::{Command, Wcc, restores_keyboard, structured_field};
pub use inbound::{BadRecord, Field, Inbound, Input};
pub use order::{Order, Orders, code, orders};
pub use outbound::{Outbound, read_partition_query};
pub use query::{Capabilities, CharacterSet, QueryCode, read_query_reply, write_query_reply};

/// The reason why a data stream cannot be read. Places are offsets in bytes from its command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadStream {
    /// No byte at all.
    #[error("the data stream is empty")]
    Empty,
    /// Not a command.
    #[error("X'{0:02X}' is not a 3270 command")]
    UnknownCommand(u8),
    /// Not an order, and not a character either.
    #[error("X'{code:02X}' at offset {offset} is not an order")]
    UnknownOrder {
        /// The byte.
        code: u8,
        /// Its place.
        offset: usize,
    },
    /// The stream ends within an order.
    #[error("the order X'{code:02X}' at offset {offset} is cut short")]
    CutShort {
        /// The order.
        code: u8,
        /// Its place.
        offset: usize,
    },
    /// Not an address of this screen.
    #[error("address {address} lies outside the screen of {positions} positions")]
    OutsideScreen {
        /// The address.
        address: u16,
        /// The number of positions of the screen.
        positions: u16,
    },
    /// Modify Field where no field starts.
    #[error("no field starts at address {0}")]
    NoField(u16),
    /// A structured field whose length does not fit.
    #[error("the structured field at offset {0} has a bad length")]
    BadStructuredField(usize),
    /// A structured field that is not supported.
    #[error("the structured field X'{0:02X}' is not supported")]
    UnknownStructuredField(u8),
}
