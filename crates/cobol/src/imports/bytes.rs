//! Looking at characters of a program where they lie. An address that is none must end in a fault of the program, also in a
//! debug build, where Rust's own accesses look at addresses first: so it is the processor's loads that do it.

use std::arch::asm;

/// # Safety
/// A character of the running program.
#[inline(always)]
unsafe fn load(address: *const u8) -> u8 {
    let value: u32;
    // SAFETY: as the caller says; a fault ends the program.
    unsafe {
        asm!(
            "movzx {:e}, byte ptr [{}]", out(reg) value, in(reg) address,
            options(nostack, preserves_flags, readonly)
        );
    }
    value as u8
}

/// # Safety
/// Eight characters of the running program.
#[inline(always)]
unsafe fn load_eight(address: *const u8) -> u64 {
    let value: u64;
    // SAFETY: as the caller says; a fault ends the program.
    unsafe {
        asm!(
            "mov {}, qword ptr [{}]", out(reg) value, in(reg) address,
            options(nostack, preserves_flags, readonly)
        );
    }
    value
}

/// # Safety
/// Four characters of the running program.
#[inline(always)]
unsafe fn load_four(address: *const u8) -> u32 {
    let value: u32;
    // SAFETY: as the caller says; a fault ends the program.
    unsafe {
        asm!(
            "mov {:e}, dword ptr [{}]", out(reg) value, in(reg) address,
            options(nostack, preserves_flags, readonly)
        );
    }
    value
}

/// Whether eight characters are digits: their upper halves are 3, and stay so when 6 is added.
#[inline(always)]
fn eight_are_digits(characters: u64) -> bool {
    const UPPER: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    const THREES: u64 = 0x3030_3030_3030_3030;
    const SIXES: u64 = 0x0606_0606_0606_0606;
    (characters & UPPER) == THREES && (characters.wrapping_add(SIXES) & UPPER) == THREES
}

/// Whether characters are all digits.
///
/// # Safety
/// So many characters of the running program.
#[inline(always)]
pub(super) unsafe fn are_digits(address: *const u8, length: usize) -> bool {
    // SAFETY: no more than these are loaded; some of them twice.
    unsafe {
        match length {
            8.. => {
                (0..length - 8).step_by(8).all(|at| eight_are_digits(load_eight(address.wrapping_add(at))))
                    && eight_are_digits(load_eight(address.wrapping_add(length - 8)))
            }
            4.. => {
                let first = u64::from(load_four(address));
                let last = u64::from(load_four(address.wrapping_add(length - 4)));
                eight_are_digits(first << 32 | last)
            }
            _ => (0..length).all(|at| load(address.wrapping_add(at)).wrapping_sub(b'0') <= 9),
        }
    }
}

/// The number that up to 18 digits stand for; `None` if one of them is none.
///
/// # Safety
/// So many characters of the running program.
#[inline(always)]
pub(super) unsafe fn digits(address: *const u8, length: usize) -> Option<i64> {
    let mut number = 0;
    for at in 0..length {
        // SAFETY: one of them.
        let digit = unsafe { load(address.wrapping_add(at)) }.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = 10 * number + i64::from(digit);
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_that_is_no_digit_is_seen() {
        for length in 0..40 {
            let all: Vec<u8> = (0..length).map(|at| b'0' + (at * 7 % 10) as u8).collect();
            // SAFETY: as many characters as there are.
            let seen = |all: &[u8]| unsafe { are_digits(all.as_ptr(), all.len()) };
            assert!(seen(&all), "{length} digits");
            for at in 0..length {
                for other in [0, b' ', b'/', b':', b'A', b'}', 0x40, 0xb5, 0xff] {
                    let mut all = all.clone();
                    all[at] = other;
                    assert!(!seen(&all), "{other} at {at} of {length}");
                }
            }
            if length <= 18 {
                let number = all.iter().fold(0, |number, digit| 10 * number + i64::from(digit - b'0'));
                // SAFETY: as above.
                assert_eq!(unsafe { digits(all.as_ptr(), length) }, Some(number));
            }
        }
    }
}
