//! Everything that grows has a limit, and every limit has a name.

/// Bytes of a tracestate that is passed on: as many as the recommendation asks for.
pub const STATE_BYTES_MAX: usize = 512;

/// Members of a tracestate.
pub const STATE_MEMBERS_MAX: usize = 32;

/// Bytes of a member that goes first where a tracestate is too long.
pub const STATE_MEMBER_LONG: usize = 128;

/// Bytes of an attribute's value; the rest is cut.
pub const VALUE_BYTES_MAX: usize = 1_024;
