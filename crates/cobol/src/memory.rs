//! Task memory: copies that survive a bad address, and areas whose addresses programs may hold.
//!
//! An address that came out of a program is worth nothing until it was tried. [`read`] and [`write`] try it: the copy
//! is one routine of known extent, and the signal handler ends it when an access in it faults.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::arch::naked_asm;
use std::ptr::NonNull;

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

/// Storage with a stable address that programs and the region share: an EIB, a COMMAREA, a GETMAIN area.
///
/// Programs write to it behind the compiler's back, so it is only ever copied in and out.
#[derive(Debug)]
pub struct Area {
    start: NonNull<u8>,
    layout: Layout,
}

impl Area {
    /// Storage is aligned as programs on a mainframe expect it, and better.
    const ALIGNMENT: usize = 16;

    /// A zeroed area of at least one byte.
    ///
    /// # Panics
    /// If `length` is beyond what the address space can hold.
    pub fn new(length: usize) -> Self {
        let layout = Layout::from_size_align(length.max(1), Self::ALIGNMENT).expect("a length within reason");
        // SAFETY: the layout has a size.
        let start = unsafe { alloc_zeroed(layout) };
        let start = NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout));
        Self { start, layout }
    }

    /// An area with these bytes.
    pub fn with(bytes: &[u8]) -> Self {
        let mut area = Self::new(bytes.len());
        area.write(0, bytes);
        area
    }

    /// Its address, as a program sees it.
    pub fn address(&self) -> usize {
        self.start.as_ptr() as usize
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.layout.size()
    }

    /// Never: an area has at least one byte.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Copies bytes out of it.
    ///
    /// # Panics
    /// If the range is not within the area.
    pub fn read(&self, at: usize, into: &mut [u8]) {
        assert!(at.checked_add(into.len()).is_some_and(|end| end <= self.len()), "a range within the area");
        // SAFETY: the range is within the allocation, and no reference to it exists anywhere.
        unsafe { self.start.as_ptr().add(at).copy_to_nonoverlapping(into.as_mut_ptr(), into.len()) }
    }

    /// All its bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len()];
        self.read(0, &mut bytes);
        bytes
    }

    /// Copies bytes into it.
    ///
    /// # Panics
    /// If the range is not within the area.
    pub fn write(&mut self, at: usize, bytes: &[u8]) {
        assert!(at.checked_add(bytes.len()).is_some_and(|end| end <= self.len()), "a range within the area");
        // SAFETY: the range is within the allocation, and no reference to it exists anywhere.
        unsafe { self.start.as_ptr().add(at).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }
}

// SAFETY: the area owns its allocation, and nothing about it belongs to a thread.
unsafe impl Send for Area {}

impl Drop for Area {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed only here.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
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

    #[test]
    fn an_area_keeps_what_is_written() {
        let mut area = Area::new(40);
        area.write(30, b"0123456789");
        assert_eq!(&area.to_vec()[29..], b"\x000123456789");
        assert_eq!(area.address() % Area::ALIGNMENT, 0);
    }
}
