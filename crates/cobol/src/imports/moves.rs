//! Moves of bytes that the runtime does one by one.

use std::arch::asm;
use std::ffi::c_int;

/// `cob_move_ibm`: copies from the left, byte by byte, as the mainframe's MVC does. Where the target begins within the
/// source, its own first bytes come again: that is how programs fill a table. Anywhere else it is a plain copy.
pub(super) unsafe extern "C" fn move_from_left(to: *mut u8, from: *const u8, length: c_int) {
    let length = usize::try_from(length).unwrap_or(0);
    // A target before its source is as far away as can be.
    let ahead = (to as usize).wrapping_sub(from as usize);
    // SAFETY: the program's own fields; where they are none, the fault ends the program.
    unsafe {
        if ahead == 0 || ahead >= length {
            libc::memmove(to.cast(), from.cast(), length);
        } else {
            asm!(
                "rep movsb",
                inout("rdi") to => _, inout("rsi") from => _, inout("rcx") length => _,
                options(nostack, preserves_flags)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_within_the_source_repeats_its_first_bytes() {
        let cases = [
            (0, 4, 4, "abcdabcdij", "apart"),
            (4, 0, 4, "efghefghij", "apart, before"),
            (0, 1, 9, "aaaaaaaaaa", "one ahead: filled"),
            (0, 3, 7, "abcabcabca", "three ahead"),
            (0, 3, 3, "abcabcghij", "just behind"),
            (3, 0, 7, "defghijhij", "overlapping, before"),
            (2, 2, 5, "abcdefghij", "onto itself"),
            (0, 5, 0, "abcdefghij", "nothing"),
            (0, 5, -1, "abcdefghij", "less than nothing"),
        ];
        for (from, to, length, expected, what) in cases {
            let mut bytes = *b"abcdefghij";
            let start = bytes.as_mut_ptr();
            // SAFETY: within the array.
            unsafe { move_from_left(start.add(to), start.add(from), length) };
            assert_eq!(std::str::from_utf8(&bytes), Ok(expected), "{what}");
        }
    }
}
