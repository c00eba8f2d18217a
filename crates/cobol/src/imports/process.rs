//! What a runtime must not do to the process that it shares.

use std::ffi::{CStr, c_char, c_int, c_void};

use super::running;

/// Signals are the region's.
pub(super) unsafe extern "C" fn no_sigaction(_: c_int, _: *const c_void, _: *mut c_void) -> c_int {
    0
}

/// The locale is the process's; programs get "C".
pub(super) unsafe extern "C" fn no_setlocale(_: c_int, _: *const c_char) -> *const c_char {
    c"C".as_ptr()
}

/// `raise`: nor does the runtime send any.
pub(super) unsafe extern "C" fn no_signal(_: c_int) -> c_int {
    0
}

/// The environment without settings for the runtime: those are the region's. A task gets nothing of it: keys may stand there.
pub(super) unsafe extern "C" fn environment(name: *const c_char) -> *mut c_char {
    let task = running().is_some_and(|(tcb, _)| !tcb.owns_process.get());
    // SAFETY: a terminated name, as getenv wants it.
    unsafe {
        if task || CStr::from_ptr(name).to_bytes().starts_with(b"COB_") {
            return std::ptr::null_mut();
        }
        libc::getenv(name)
    }
}

/// What a program may not do to the process that it shares: change its environment or its directory, start another.
pub(super) unsafe extern "C" fn refused() -> c_int {
    -1
}
