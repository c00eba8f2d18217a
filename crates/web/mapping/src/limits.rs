//! Everything that grows has a limit, and every limit has a name.

/// Elements within elements, objects and arrays within each other.
pub const DEPTH_MAX: usize = 64;
/// Attributes of one element, namespace declarations among them.
pub const ATTRIBUTES_MAX: usize = 64;
/// Bytes of a name, with its prefix.
pub const NAME_MAX: usize = 255;
/// Namespace declarations that hold at one place.
pub const BINDINGS_MAX: usize = 64;
/// Digits of a number that a COBOL field can hold.
pub const DIGITS_MAX: usize = 31;
/// Digits that a number may be written with, zeros among them: a longer text was not meant to be a number.
pub const WRITTEN_DIGITS_MAX: usize = 400;
/// Bytes of a record.
pub const RECORD_MAX: usize = 16 << 20;
/// Occurrences of an element in a container of their own.
pub const OCCURRENCES_MAX: usize = 1_000_000;
/// Nodes of a mapping.
pub const NODES_MAX: usize = 65_536;
