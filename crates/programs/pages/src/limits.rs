//! Limits of pages.

/// Records that a block of a page shows, at most.
pub const RECORDS_MAX: usize = 1_000;
/// Rows of a query that a block shows, at most.
pub const ROWS_MAX: u64 = 1_000;
/// Bytes of a page, at most.
pub const PAGE_MAX: u64 = 4 << 20;
/// Lines of a page that are not as expected, after which the rest of the page is not played.
pub const FAILURES_MAX: usize = 3;
/// Messages of the region that are shown with a difference.
pub const MESSAGES_MAX: usize = 10;
