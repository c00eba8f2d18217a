//! GMP, which calculates for all runtimes of the process: it ends a task where it would end the process.
//!
//! It ends the process when it has no memory, and when a number becomes larger than it can say. Here a number has a
//! limit far below that. What bounds a calculation before is [`crate::arithmetic`].

use std::ffi::{CStr, c_void};
use std::sync::Once;

use crate::elf;
use crate::error::Error;
use crate::imports::leave;
use crate::tcb::{self, Event};

/// Most bytes of a number: some 600,000 digits, which no calculation needs.
const NUMBER_BYTES_MAX: usize = 256 * 1024;

type SetMemoryFunctions = unsafe extern "C" fn(Allocate, Reallocate, Free);
type Allocate = unsafe extern "C" fn(usize) -> *mut c_void;
type Reallocate = unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void, usize);

/// Makes the library safe that a runtime has loaded: once for the process, before it calculates.
///
/// # Errors
/// If it cannot be bound to what stands here.
///
/// # Safety
/// The symbols have the types of its header; nobody calculates yet.
pub unsafe fn make_safe(symbol: impl Fn(&CStr) -> Result<usize, Error>) -> Result<(), Error> {
    static ONCE: Once = Once::new();
    let set_memory_functions = symbol(c"__gmp_set_memory_functions")?;
    let mut bound = Ok(0);
    ONCE.call_once(|| {
        // SAFETY: as the caller says. What the library has allocated so far came from malloc, too.
        unsafe {
            if let Some(library) = elf::segments(set_memory_functions) {
                bound = library.bind(&[(c"abort", no_number as *const () as usize)]);
            }
            std::mem::transmute::<usize, SetMemoryFunctions>(set_memory_functions)(
                allocate, reallocate, free,
            );
        }
    });
    bound.map(drop)
}

/// `abort`: after the library has said that a number is too large.
unsafe extern "C" fn no_number() -> ! {
    if tcb::has_running() {
        leave(Event::SizeError);
    }
    std::process::abort()
}

unsafe extern "C" fn allocate(size: usize) -> *mut c_void {
    // SAFETY: plain allocation.
    unsafe { checked(size, |size| libc::malloc(size)) }
}

unsafe extern "C" fn reallocate(old: *mut c_void, _: usize, size: usize) -> *mut c_void {
    // SAFETY: the library gives what it was given.
    unsafe { checked(size, |size| libc::realloc(old, size)) }
}

unsafe extern "C" fn free(old: *mut c_void, _: usize) {
    // SAFETY: the library gives what it was given.
    unsafe { libc::free(old) };
}

/// Memory for a number. Where there is none, the number stays as it is, and the task ends.
unsafe fn checked(size: usize, get: impl Fn(usize) -> *mut c_void) -> *mut c_void {
    let got = if size > NUMBER_BYTES_MAX { std::ptr::null_mut() } else { get(size.max(1)) };
    if got.is_null() {
        // SAFETY: called by the library, which does not go on.
        unsafe { no_number() };
    }
    got
}
