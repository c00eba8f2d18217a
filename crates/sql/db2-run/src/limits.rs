//! Limits of statements.

/// Rows that are looked at before a statement gives way.
pub const TURN_ROWS: u32 = 100;
/// Bytes of a sort, of DISTINCT, and of the numbers of rows that a change will change, unless the region says otherwise.
pub const SORT_BYTES: usize = 64 << 20;
/// The name of that limit in -904.
pub const SORT_BYTES_NAME: &str = "sort_bytes";
/// Rows of FETCH FIRST up to which a sort keeps no others.
pub const FIRST_ROWS: u64 = 1000;
