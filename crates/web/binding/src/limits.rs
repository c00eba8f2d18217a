//! Everything that grows has a limit, and every limit has a name.

/// Types within types.
pub const DEPTH_MAX: usize = 20;
/// Items of one message.
pub const ITEMS_MAX: usize = 4_096;
/// Bytes of a description that is read.
pub const DESCRIPTION_MAX: usize = 16 << 20;
/// Bytes of a binding file: a description and its answer.
pub const FILE_MAX: usize = 2 * DESCRIPTION_MAX + (1 << 20);
/// INLINE-MAXOCCURS-LIMIT if the parameters do not give it: room for arrays that are longer or have no bound.
pub const OCCURS_DEFAULT: usize = 20;
/// The greatest INLINE-MAXOCCURS-LIMIT.
pub const OCCURS_MAX: usize = 32_767;
/// DEFAULT-CHAR-MAXLENGTH if the parameters do not give it: room for texts without a bound.
pub const TEXT_DEFAULT: usize = 255;
/// Characters of a text at most.
pub const TEXT_MAX: usize = 32_767;
/// DEFAULT-FRACTION-DIGITS if the parameters do not give it: digits behind the point of numbers that do not say how many.
pub const FRACTION_DEFAULT: usize = 3;
/// The greatest DEFAULT-FRACTION-DIGITS.
pub const FRACTION_MAX: usize = 15;
/// Elements that exclude each other at one place: one byte says which is there.
pub const ALTERNATIVES_MAX: usize = 255;
/// Documents that a description imports, and those that they import.
pub const IMPORTS_MAX: usize = 256;
/// Nodes of a document in YAML once what it refers to is written out.
pub const YAML_NODES_MAX: usize = 1 << 20;
/// Values within values of such a document.
pub const YAML_DEPTH_MAX: usize = 128;
