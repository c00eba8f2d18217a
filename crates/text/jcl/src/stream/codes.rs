//! The numbers of messages about jobs.

/// A statement that does not exist, or is refused.
pub(super) const STATEMENT: &str = "SPJC001";
/// A keyword or sub-parameter that does not exist, or is refused.
pub(super) const KEYWORD: &str = "SPJC002";
/// A value that a keyword cannot have, or that is refused.
pub(super) const VALUE: &str = "SPJC003";
/// A statement where it cannot stand.
pub(super) const PLACE: &str = "SPJC004";
/// A procedure or a member that is not found.
pub(super) const MEMBER: &str = "SPJC005";
/// A symbol without a value.
pub(super) const SYMBOL: &str = "SPJC006";
/// A reference to a step or a DD statement that is not there.
pub(super) const REFERENCE: &str = "SPJC007";
/// A condition that is not understood.
pub(super) const CONDITION: &str = "SPJC008";
/// A text in apostrophes without an end.
pub(super) const APOSTROPHE: &str = "SPJC009";
/// A statement that is too long for its line.
pub(super) const BEYOND: &str = "SPJC010";
/// A name that is none.
pub(super) const NAME: &str = "SPJC011";
/// A limit is reached.
pub(super) const LIMIT: &str = "SPJC012";
/// Something is taken, and means less than it says.
pub(super) const PASSED_OVER: &str = "SPJC013";
/// A statement that ends with a comma.
pub(super) const CONTINUED: &str = "SPJC014";
