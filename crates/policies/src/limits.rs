//! Limits of what is read.

/// Bytes of a file of a bundle.
pub const FILE_BYTES_MAX: usize = 1 << 20;
/// Parts of a bundle.
pub const PARTS_MAX: usize = 1_000;
/// Rules of a policy.
pub const RULES_MAX: usize = 1_000;
/// Characters of the names of policies and rules.
pub const NAME_MAX: usize = 64;
/// Characters of a user tag.
pub const USER_TAG_MAX: usize = 8;
/// Capture specifications of an event binding.
pub const CAPTURES_MAX: usize = 1_000;
/// Items of an event.
pub const EVENT_ITEMS_MAX: usize = 1_000;
/// Filters of data in a capture specification.
pub const FILTERS_MAX: usize = 100;
/// Variables of a bundle.
pub const VARIABLES_MAX: usize = 1_000;
/// Entries of a zip.
pub const ARCHIVE_FILES_MAX: usize = 10_000;
/// Bytes of all files of a zip together, as they are when they are unpacked.
pub const ARCHIVE_BYTES_MAX: usize = 64 << 20;
/// Bytes of the path of a file in a zip.
pub const ARCHIVE_NAME_MAX: usize = 1_024;
