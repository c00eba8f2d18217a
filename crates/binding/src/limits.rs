//! Everything that grows has a limit, and every limit has a name.

/// Types within types.
pub const DEPTH_MAX: usize = 20;
/// Items of one message.
pub const ITEMS_MAX: usize = 4_096;
/// Bytes of a description that is read.
pub const DESCRIPTION_MAX: usize = 16 << 20;
/// Bytes of a binding file: a description and its answer.
pub const FILE_MAX: usize = 2 * DESCRIPTION_MAX + (1 << 20);
/// INLINE-MAXOCCURS-LIMIT where nobody says it: room for arrays that are longer or have no bound.
pub const OCCURS_DEFAULT: usize = 20;
/// The greatest INLINE-MAXOCCURS-LIMIT.
pub const OCCURS_MAX: usize = 32_767;
/// DEFAULT-CHAR-MAXLENGTH where nobody says it: room for texts without a bound.
pub const TEXT_DEFAULT: usize = 255;
/// Characters of a text at most.
pub const TEXT_MAX: usize = 32_767;
