//! Files in memory: the one file of this crate with unsafe code, for its libraries' signatures.
//!
//! Bytes of a file that is mapped change with the file. So each caller maps files that do not change while they are looked at, or looks at
//! parts that do not change; the folder of a base belongs to one region, which holds its lock.

use std::fs::File;
use std::io;
use std::path::Path;

use heed::{Env, EnvFlags, EnvOpenOptions, TlsUsage};
use memmap2::{Mmap, MmapOptions};

/// The system's pages, whose presence in memory can be asked for; bases with others are read without asking.
const SYSTEM_PAGE: usize = 4096;

/// Maps a file to be read: all of it, or so many bytes, up to which it may grow.
pub(super) fn map(file: &File, bytes: Option<usize>) -> io::Result<Mmap> {
    let mut options = MmapOptions::new();
    if let Some(bytes) = bytes {
        options.len(bytes);
    }
    // SAFETY: the file of checks is never changed, only another put in its place. LMDB writes its own through its descriptor while it
    // is mapped, but never a page that the snapshot has which is read here (see the head of `lmdb`). Nothing else writes either.
    #[allow(unsafe_code)]
    unsafe {
        options.map(file)
    }
}

/// Returns true if the system has a page of a map in memory. If the system gives no answer, the page counts as in memory.
pub(super) fn is_resident(page: &[u8]) -> bool {
    let mut resident = [1];
    if page.len() != SYSTEM_PAGE {
        return true;
    }
    let first = page.as_ptr().cast_mut().cast();
    // SAFETY: it is one page, which stays mapped while it is borrowed, and for which the call writes one byte.
    #[allow(unsafe_code)]
    let said = unsafe { libc::mincore(first, SYSTEM_PAGE, resident.as_mut_ptr()) };
    said != 0 || resident[0] & 1 != 0
}

/// Opens the LMDB file of a folder that belongs to the caller alone, as long as it is open.
///
/// # Errors
/// It cannot be opened.
pub fn open<T: TlsUsage>(
    mut options: EnvOpenOptions<T>,
    flags: EnvFlags,
    folder: &Path,
) -> heed::Result<Env<T>> {
    // SAFETY: LMDB maps the file; changing it from outside would change memory under our feet. The folder belongs to the caller alone,
    // and nothing else in this process opens it (heed refuses that). Of the flags PREV_SNAPSHOT lets LMDB go on from the transaction
    // before the last, which it keeps whole; others are not given.
    #[allow(unsafe_code)]
    unsafe {
        options.flags(flags & EnvFlags::PREV_SNAPSHOT);
        options.open(folder)
    }
}
