//! The numbers of messages that any command may have.

/// A file cannot be read.
pub const UNREADABLE: &str = "SPCL003";
/// A file cannot be written.
pub const UNWRITABLE: &str = "SPCL004";
/// The event loop cannot be started.
pub const NO_RUNTIME: &str = "SPCL012";
/// A file that holds no key.
pub const NO_KEY: &str = "SPCL016";
/// A socket cannot be had.
pub const NO_SOCKET: &str = "SPCL017";
/// A folder in which the pages of the manual cannot be written.
pub const NO_PAGES: &str = "SPCL040";
