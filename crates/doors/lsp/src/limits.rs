//! Limits of the server: of what a client may send, and of what is kept.

/// Bytes of the longest message that is read; a longer one is skipped.
pub const MESSAGE_MAX: usize = 64 << 20;
/// Bytes that are skipped for a message that is too long; a header that asks for more is garbage.
pub const SKIPPED_MAX: u64 = 1 << 30;
/// Bytes of a header line.
pub const HEADER_MAX: usize = 4 << 10;
/// Messages that wait to be answered: a client that sends more waits.
pub const WAITING_MAX: usize = 1 << 10;
/// Requests that a client has taken back and that have not been met yet.
pub const CANCELLED_MAX: usize = 1 << 10;
/// Documents that are open.
pub const DOCUMENTS_MAX: usize = 1000;
/// Bytes of a document.
pub const DOCUMENT_MAX: usize = 16 << 20;
/// Bytes of all open documents together.
pub const DOCUMENTS_SIZE_MAX: usize = 256 << 20;
/// Programs whose analysis is kept, and applications whose folders are.
pub const ANALYSES_MAX: usize = 8;
/// Files of which the last edit is known.
pub const EDITED_MAX: usize = 4000;
/// Messages that are shown in one file.
pub const DIAGNOSTICS_MAX: usize = 1000;
/// Candidates of a completion.
pub const COMPLETIONS_MAX: usize = 500;
/// Files that are looked into for COPY of a copybook.
pub const SEARCHED_MAX: usize = 2000;
/// Programs that a rename in a copybook may touch.
pub const RENAMED_MAX: usize = 50;
