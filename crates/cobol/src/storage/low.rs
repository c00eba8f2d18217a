//! Low storage: what a program finds where it was given no address.
//!
//! On z/OS the first bytes of storage can be read and not written, so that a program may move DFHCOMMAREA somewhere before it
//! looks at EIBCALEN. Here a stretch of zeros stands in for them. Programs compare pointers by their last four bytes, and
//! those of its address are zero: `ADDRESS OF DFHCOMMAREA = NULL` is as true as there.

use std::sync::OnceLock;

use crate::error::Error;

/// Bytes of it: more than any COMMAREA has.
pub const LOW_STORAGE_BYTES: usize = 64 * 1024;

/// What its address is a multiple of.
const DISTANCE: usize = 1 << 32;
/// How many addresses are tried.
const TRIES: usize = 1000;

static START: OnceLock<usize> = OnceLock::new();

/// Maps it for the process, if nobody has yet.
pub(crate) fn map() -> Result<(), Error> {
    if START.get().is_none() {
        let start = (1..=TRIES).map(|n| n * DISTANCE).find(|at| map_at(*at));
        let none = || Error::system("mapping low storage")(std::io::Error::last_os_error());
        // Two threads may have mapped it: one is as good as the other.
        let _ = START.set(start.ok_or_else(none)?);
    }
    Ok(())
}

fn map_at(address: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: an anonymous mapping that replaces nothing.
    let mapped = unsafe { libc::mmap(address as *mut _, LOW_STORAGE_BYTES, libc::PROT_READ, flags, -1, 0) };
    mapped as usize == address
}

/// Where it starts; 0 as long as no thread has a host.
pub(crate) fn start() -> usize {
    START.get().copied().unwrap_or(0)
}

/// The address that a program on z/OS would see of one in low storage; any other is itself.
pub(crate) fn shown(address: usize) -> usize {
    let start = start();
    if (start..start + LOW_STORAGE_BYTES).contains(&address) { address - start } else { address }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_zeros_at_an_address_that_counts_as_null() {
        map().expect("low storage");
        map().expect("still there");
        assert_eq!(start() % DISTANCE, 0);
        let mut bytes = vec![1; LOW_STORAGE_BYTES];
        crate::memory::read(start(), &mut bytes).expect("it can be read");
        assert!(bytes.iter().all(|byte| *byte == 0));
        assert_eq!((shown(start() + 64), shown(1)), (64, 1));
    }
}
