//! Storage that a program gets for one run: its LOCAL-STORAGE, its EXTERNAL items, what it ALLOCATEs.
//!
//! All of it is the link level's, in guarded blocks, and goes with it.

use std::ffi::{CStr, c_char, c_int, c_void};

use super::{give_up_with, leave, running};
use crate::argument::ConstantAttribute;
use crate::external::Asked;
use crate::layout::Field;
use crate::memory;
use crate::tcb::Event;

/// Bytes that one ALLOCATE may ask for.
const ALLOCATE_BYTES_MAX: i64 = 32 << 20;

/// `cob_malloc` as modules call it: LOCAL-STORAGE, and what a RECURSIVE program keeps of its own run.
pub(super) unsafe extern "C" fn allocate(size: usize) -> *mut c_void {
    let Some((tcb, level)) = running() else { leave(Event::GaveUp) };
    match level.allocate(size) {
        Ok(address) => address as *mut c_void,
        Err(why) => {
            give_up_with(tcb, format!("there is no storage for {size} bytes of LOCAL-STORAGE: {why}"))
        }
    }
}

/// `cob_free` as modules call it.
pub(super) unsafe extern "C" fn release(allocation: *mut c_void) {
    let Some((tcb, level)) = running() else { return };
    if !level.release(allocation as usize) && !tcb.keeps(allocation as usize) {
        // SAFETY: the program gives back what libcob gave it, which allocates by libc.
        unsafe { libc::free(allocation) };
    }
}

/// `cob_external_addr`: an EXTERNAL item, when a program initializes itself.
pub(super) unsafe extern "C" fn external(name: *const c_char, size: c_int) -> *mut c_void {
    let Some((tcb, level)) = running() else { return std::ptr::null_mut() };
    // SAFETY: cobc passes a terminated literal.
    let name = unsafe { CStr::from_ptr(name) };
    let size = usize::try_from(size).unwrap_or(0);
    let address = match level.external(name, size) {
        Ok(address) => address,
        Err(message) => give_up_with(tcb, message),
    };
    // SAFETY: set by `module_enter`, which the calling program came through; loaded programs outlive their tasks.
    if let Some(slot) = unsafe { tcb.entered.get().as_ref() } {
        slot.asks_for(Asked { name: name.to_owned(), size, address });
    }
    address as *mut c_void
}

/// `cob_allocate`: ALLOCATE of a BASED item, or of characters; without storage the pointer is NULL.
pub(super) unsafe extern "C" fn allocate_statement(
    based: *mut *mut u8,
    pointer: *mut Field,
    size: *mut Field,
    initial: *mut Field,
) {
    static TEXT: ConstantAttribute = ConstantAttribute::ALPHANUMERIC;
    let Some((tcb, level)) = running() else { return };
    // SAFETY: the program's own fields; one of ours, which lives through the call, of a block that was just got.
    unsafe {
        let wanted = (tcb.runtime.number_in)(size);
        let size = usize::try_from(wanted).ok().filter(|_| (1..=ALLOCATE_BYTES_MAX).contains(&wanted));
        let address = size.and_then(|size| level.allocate(size).ok()).unwrap_or(0);
        if let (Some(size), false, false) = (size, address == 0, initial.is_null()) {
            let mut area = Field { size, data: address as *mut u8, attribute: TEXT.get() };
            (tcb.runtime.move_field)(initial, &raw mut area);
        }
        if !based.is_null() {
            *based = address as *mut u8;
        }
        if let Some(pointer) = pointer.as_ref() {
            let _ = memory::write(pointer.data as usize, &address.to_ne_bytes());
        }
    }
}

/// `cob_free_alloc`: FREE of a BASED item, or of what a pointer points to. What was not ALLOCATEd is left alone.
pub(super) unsafe extern "C" fn free_statement(based: *mut *mut u8, pointer: *mut u8) {
    let Some((_, level)) = running() else { return };
    for place in [based as usize, pointer as usize] {
        let mut address = [0; size_of::<usize>()];
        let is_storage = place != 0 && memory::read(place, &mut address).is_ok();
        if is_storage && level.release(usize::from_ne_bytes(address)) {
            // SAFETY: the program's own pointer.
            let _ = unsafe { memory::write(place, &0usize.to_ne_bytes()) };
        }
    }
}
