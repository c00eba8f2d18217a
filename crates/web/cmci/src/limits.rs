//! Everything that grows has a limit, and every limit has a name.

/// Bytes of a request's path; the published limit.
pub const PATH_MAX: usize = 256;
/// Bytes of CRITERIA.
pub const CRITERIA_MAX: usize = 8 * 1024;
/// Comparisons in CRITERIA.
pub const TERMS_MAX: usize = 500;
/// Parentheses and NOTs within each other in CRITERIA.
pub const DEPTH_MAX: usize = 32;
/// Bytes of a request's body.
pub const BODY_MAX: usize = 64 * 1024;
/// Attributes and parameters in a body; one element has no more than 64 attributes (`mapping`).
pub const ATTRIBUTES_MAX: usize = 200;
/// Records of one result.
pub const RECORDS_MAX: usize = 50_000;
/// Bytes of one answer.
pub const ANSWER_MAX: usize = 32 << 20;
/// Result sets that one user may leave open.
pub const SETS_PER_USER_MAX: usize = 20;
/// Result sets that all users may leave open.
pub const SETS_MAX: usize = 200;
/// Bytes of all result sets that are open.
pub const KEPT_BYTES_MAX: usize = 64 << 20;
/// Seconds after which a result set that no client has used is discarded; the published time.
pub const KEPT_SECONDS: u64 = 15 * 60;
