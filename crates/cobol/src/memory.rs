//! Copies of task memory that survive a bad address.
//!
//! An address that came out of a program is worth nothing until it was tried. [`read`] and [`write`] try it: the copy
//! is one routine of known extent, and the signal handler ends it when an access in it faults.

use std::arch::naked_asm;

use crate::error::StorageFault;

/// Copies `length` bytes; returns 0, or 1 if an access faulted (some bytes may be copied by then).
///
/// Touches no stack below its return address, so that the handler can end it at any instruction.
#[unsafe(naked)]
extern "C" fn copy(to: *mut u8, from: *const u8, length: usize) -> usize {
    naked_asm!(
        "cmp rdx, 16",
        "ja 3f",
        "test rdx, rdx",
        "jz 2f",
        "1:",
        "movzx eax, byte ptr [rsi]",
        "mov byte ptr [rdi], al",
        "inc rsi",
        "inc rdi",
        "dec rdx",
        "jnz 1b",
        "2:",
        "xor eax, eax",
        "ret",
        "3:",
        "mov rcx, rdx",
        "rep movsb",
        "xor eax, eax",
        "ret",
        ".balign 16",
    )
}

/// Where [`copy`] goes on after a fault.
#[unsafe(naked)]
extern "C" fn copy_faulted() -> usize {
    naked_asm!("mov eax, 1", "ret")
}

/// Most bytes of code that [`copy`] has.
const COPY_EXTENT: usize = 48;

/// If an instruction is part of the guarded copy, where to go on after it faulted.
pub(crate) fn recovery(instruction: usize) -> Option<usize> {
    let start = copy as *const () as usize;
    (start..start + COPY_EXTENT).contains(&instruction).then_some(copy_faulted as *const () as usize)
}

/// Copies from an address that a program gave.
pub(crate) fn read(address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
    match copy(into.as_mut_ptr(), address as *const u8, into.len()) {
        0 => Ok(()),
        _ => Err(StorageFault { address }),
    }
}

/// Copies to an address that a program gave.
///
/// # Safety
/// The area, as far as it is storage at all, belongs to the running task.
pub(crate) unsafe fn write(address: usize, from: &[u8]) -> Result<(), StorageFault> {
    match copy(address as *mut u8, from.as_ptr(), from.len()) {
        0 => Ok(()),
        _ => Err(StorageFault { address }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_is_within_its_extent() {
        let start = copy as *const () as usize;
        // SAFETY: code of this executable.
        let code = unsafe { std::slice::from_raw_parts(start as *const u8, COPY_EXTENT) };
        let rep_movsb = code.windows(2).position(|w| w == [0xf3, 0xa4]).expect("rep movsb");
        assert_eq!(code[rep_movsb + 4], 0xc3, "its ret is within the extent");
    }
}
