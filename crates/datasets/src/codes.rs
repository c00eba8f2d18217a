//! The numbers of this crate's messages.

/// A name is not one that a data set can have.
pub(crate) const NAME: &str = "SPDS001";
/// The data sets refuse a command.
pub(crate) const REFUSED: &str = "SPDS002";
/// A command names no data set that is known here.
pub(crate) const NO_DATA_SET: &str = "SPDS003";
/// A command or organization is not built.
pub(crate) const NOT_BUILT: &str = "SPDS004";
