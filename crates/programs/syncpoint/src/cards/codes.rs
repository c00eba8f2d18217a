//! The numbers of messages about cards, their load and a security module's.

pub(crate) use command_line::codes::{NO_KEY, NO_SOCKET};

/// Messages of a load came to something else than they should.
pub(crate) const UNEXPECTED: &str = "SPCL018";
/// There is no machine for what is wanted.
pub(crate) const NO_SIZE: &str = "SPCL019";
/// A card that is not there, or cannot make a code.
pub(crate) const NO_CARD: &str = "SPCL025";
