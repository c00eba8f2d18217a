//! Copies of task memory that survive a bad address.
//!
//! An address that came out of a program is worth nothing until it was tried. [`read`] and [`write`] try it: the copy
//! is one routine of known extent, and the signal handler ends it when an access in it faults.
//!
//! A length that came with it is worth as little: what lies behind the storage element is another task's. [`read_element`]
//! finds zeros there, and [`write_element`] refuses to write.

use std::arch::naked_asm;

use crate::error::StorageFault;
use crate::storage::element_end;

/// Copies `length` bytes; returns 0, or 1 if an access faulted (some bytes may be copied by then).
///
/// Touches no stack below its return address, so that the handler can end it at any instruction. Short fields, which
/// nearly all arguments are, are copied by their ends, which overlap; records in steps, for `rep movsb` is slow to begin.
#[unsafe(naked)]
extern "C" fn copy(to: *mut u8, from: *const u8, length: usize) -> usize {
    naked_asm!(
        "90:",
        "cmp rdx, 16",
        "ja 5f",
        "cmp rdx, 8",
        "jae 4f",
        "cmp rdx, 4",
        "jae 3f",
        "test rdx, rdx",
        "jz 2f",
        "mov r8, rdx",
        "shr r8",
        "movzx eax, byte ptr [rsi]",
        "movzx r9d, byte ptr [rsi + r8]",
        "movzx ecx, byte ptr [rsi + rdx - 1]",
        "mov byte ptr [rdi], al",
        "mov byte ptr [rdi + r8], r9b",
        "mov byte ptr [rdi + rdx - 1], cl",
        "2:",
        "xor eax, eax",
        "ret",
        "3:",
        "mov eax, dword ptr [rsi]",
        "mov ecx, dword ptr [rsi + rdx - 4]",
        "mov dword ptr [rdi], eax",
        "mov dword ptr [rdi + rdx - 4], ecx",
        "xor eax, eax",
        "ret",
        "4:",
        "mov rax, qword ptr [rsi]",
        "mov rcx, qword ptr [rsi + rdx - 8]",
        "mov qword ptr [rdi], rax",
        "mov qword ptr [rdi + rdx - 8], rcx",
        "xor eax, eax",
        "ret",
        "5:",
        "cmp rdx, 32",
        "ja 6f",
        "movups xmm0, xmmword ptr [rsi]",
        "movups xmm1, xmmword ptr [rsi + rdx - 16]",
        "movups xmmword ptr [rdi], xmm0",
        "movups xmmword ptr [rdi + rdx - 16], xmm1",
        "xor eax, eax",
        "ret",
        "6:",
        "cmp rdx, 64",
        "ja 7f",
        "movups xmm0, xmmword ptr [rsi]",
        "movups xmm1, xmmword ptr [rsi + 16]",
        "movups xmm2, xmmword ptr [rsi + rdx - 32]",
        "movups xmm3, xmmword ptr [rsi + rdx - 16]",
        "movups xmmword ptr [rdi], xmm0",
        "movups xmmword ptr [rdi + 16], xmm1",
        "movups xmmword ptr [rdi + rdx - 32], xmm2",
        "movups xmmword ptr [rdi + rdx - 16], xmm3",
        "xor eax, eax",
        "ret",
        "7:",
        "cmp rdx, 512",
        "ja 9f",
        "lea rcx, [rdx - 32]",
        "xor r8d, r8d",
        "8:",
        "movups xmm0, xmmword ptr [rsi + r8]",
        "movups xmm1, xmmword ptr [rsi + r8 + 16]",
        "movups xmmword ptr [rdi + r8], xmm0",
        "movups xmmword ptr [rdi + r8 + 16], xmm1",
        "add r8, 32",
        "cmp r8, rcx",
        "jb 8b",
        "movups xmm0, xmmword ptr [rsi + rcx]",
        "movups xmm1, xmmword ptr [rsi + rcx + 16]",
        "movups xmmword ptr [rdi + rcx], xmm0",
        "movups xmmword ptr [rdi + rcx + 16], xmm1",
        "xor eax, eax",
        "ret",
        "9:",
        "mov rcx, rdx",
        "rep movsb",
        "xor eax, eax",
        "ret",
        // What comes behind is nobody else's.
        ".org 90b + {extent}, 0xcc",
        extent = const COPY_EXTENT,
    )
}

/// Where [`copy`] goes on after a fault.
#[unsafe(naked)]
extern "C" fn copy_faulted() -> usize {
    naked_asm!("mov eax, 1", "ret")
}

/// Bytes that the code of [`copy`] takes.
const COPY_EXTENT: usize = 256;

/// If an instruction is part of the guarded copy, where to go on after it faulted.
pub(crate) fn recovery(instruction: usize) -> Option<usize> {
    let start = copy as *const () as usize;
    (start..start + COPY_EXTENT).contains(&instruction).then_some(copy_faulted as *const () as usize)
}

/// Copies from an address that a program gave.
#[inline]
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
#[inline]
pub(crate) unsafe fn write(address: usize, from: &[u8]) -> Result<(), StorageFault> {
    match copy(address as *mut u8, from.as_ptr(), from.len()) {
        0 => Ok(()),
        _ => Err(StorageFault { address }),
    }
}

/// Copies from an address that a program gave: what lies behind the end of its storage element is zeros. `end` says where
/// an element ends that is no area.
///
/// # Errors
/// There is no storage at the address.
#[inline]
pub(crate) fn read_element(
    address: usize,
    into: &mut [u8],
    end: impl FnOnce() -> Option<usize>,
) -> Result<(), StorageFault> {
    if into.is_empty() {
        return Ok(());
    }
    match element_end(address)?.or_else(end) {
        Some(end) if end - address < into.len() => {
            let (own, others) = into.split_at_mut(end - address);
            others.fill(0);
            read(address, own)
        }
        _ => read(address, into),
    }
}

/// Copies to an address that a program gave, within its storage element.
///
/// # Errors
/// There is no storage at the address, or less than is to be written.
///
/// # Safety
/// As of [`write`].
#[inline]
pub(crate) unsafe fn write_element(address: usize, from: &[u8]) -> Result<(), StorageFault> {
    if from.is_empty() {
        return Ok(());
    }
    match element_end(address)? {
        Some(end) if end - address < from.len() => Err(StorageFault { address: end }),
        // SAFETY: as the caller says.
        _ => unsafe { write(address, from) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Area;

    #[test]
    fn a_length_leads_no_further_than_the_element() {
        let (area, _other) = (Area::with(&[b'A'; 100]), Area::with(&[b'B'; 100]));
        let mut bytes = vec![1; 40_000];
        read_element(area.address() + 40, &mut bytes, || None).expect("storage");
        assert!(bytes[..60].iter().all(|byte| *byte == b'A') && bytes[60..].iter().all(|byte| *byte == 0));
        // SAFETY: the area is nobody else's.
        let written = unsafe { write_element(area.address() + 40, &[b'C'; 61]) };
        assert!(written.is_err() && area.to_vec() == [b'A'; 100] && area.overlay().is_none());
        let address = area.address();
        drop(area);
        assert!(read_element(address, &mut [0; 8], || None).is_err(), "it was given back");
        read_element(address, &mut [], || None).expect("nothing is read");
    }

    #[test]
    fn the_copy_is_within_its_extent() {
        let start = copy as *const () as usize;
        // SAFETY: code of this executable.
        let code = unsafe { std::slice::from_raw_parts(start as *const u8, COPY_EXTENT) };
        let rep_movsb = code.windows(2).position(|w| w == [0xf3, 0xa4]).expect("rep movsb");
        assert_eq!(code[rep_movsb + 4], 0xc3, "its ret is within the extent");
    }

    #[test]
    fn every_length_is_copied_whole_and_nothing_beside_it() {
        let from: Vec<u8> = (0..600).map(|at| (at % 251) as u8 + 1).collect();
        for length in 0..from.len() {
            let mut to = [0; 602];
            // SAFETY: a local array that is long enough.
            unsafe { write(to[1..].as_mut_ptr() as usize, &from[..length]) }.expect("storage");
            assert_eq!((to[0], &to[1..=length]), (0, &from[..length]));
            assert!(to[length + 1..].iter().all(|byte| *byte == 0), "{length} bytes");
        }
    }
}
