//! Limits of what is read.

/// Bytes of a file of a bundle.
pub const FILE_BYTES_MAX: usize = 1 << 20;
/// Parts of a bundle.
pub const PARTS_MAX: usize = 1_000;
/// Variables of a bundle.
pub const VARIABLES_MAX: usize = 1_000;
/// Characters of the identifier of a bundle that is put into a folder.
pub const ID_MAX: usize = 64;
/// Entries of a zip.
pub const ARCHIVE_FILES_MAX: usize = 10_000;
/// Bytes of all files of a zip together, as they are when they are unpacked.
pub const ARCHIVE_BYTES_MAX: usize = 64 << 20;
/// Bytes of the path of a file in a zip.
pub const ARCHIVE_NAME_MAX: usize = 1_024;
