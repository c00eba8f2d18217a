//! COBOL's own files: libcob's statements about them become events of the run.

use std::ffi::{c_int, c_uint, c_void};

use super::suspend;
use crate::file;
use crate::layout::Field;
use crate::memory;
use crate::tcb::{self, Event};

/// `EXTFH`: libcob calls it for each statement about a file.
pub(super) unsafe extern "C" fn file_handler(code: *const u8, block: usize) -> c_int {
    let mut bytes = [0; size_of::<u16>()];
    if memory::read(code as usize, &mut bytes).is_err() {
        return -1;
    }
    let file = tcb::current().map_or(0, |tcb| tcb.file.take());
    suspend(Event::File(u16::from_be_bytes(bytes), block, file))
}

/// `cob_extfh_read_next`: as it is, but the handler learns of which file.
pub(super) unsafe extern "C" fn file_read_next(
    handler: *const c_void,
    file: usize,
    status: *mut Field,
    options: c_int,
) {
    let Some(tcb) = tcb::current() else { return };
    tcb.file.set(file);
    // SAFETY: the program's own arguments.
    unsafe { (tcb.runtime.file_read_next)(handler, file, status, options) };
}

/// `cob_extfh_write`: the same.
pub(super) unsafe extern "C" fn file_write(
    handler: *const c_void,
    file: usize,
    record: *mut Field,
    options: c_int,
    status: *mut Field,
    check_eop: c_uint,
) {
    let Some(tcb) = tcb::current() else { return };
    tcb.file.set(file);
    // SAFETY: the program's own arguments.
    unsafe { (tcb.runtime.file_write)(handler, file, record, options, status, check_eop) };
}

/// COMMIT.
pub(super) unsafe extern "C" fn commit() {
    suspend(Event::File(file::COMMIT, 0, 0));
}

/// ROLLBACK.
pub(super) unsafe extern "C" fn rollback() {
    suspend(Event::File(file::ROLLBACK, 0, 0));
}
