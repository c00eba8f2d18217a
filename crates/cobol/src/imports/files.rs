//! COBOL's own files: libcob's statements about them become events of the run.

use std::ffi::{c_int, c_uint, c_void};

use super::{running, suspend};
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
    if let Some((_, level)) = running() {
        // The runtime keeps one block for all runs: another may have left its file open.
        let mut known = level.files.borrow_mut();
        if !known.contains(&block) {
            known.push(block);
            // SAFETY: the runtime's control block.
            unsafe { file::forget_open(block) };
        }
    }
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

/// `cob_file_malloc`: the description of a file, and of its keys. A program has them once, and each fresh image as they were
/// at first.
pub(super) unsafe extern "C" fn make_file(
    file: *mut *mut c_void,
    keys: *mut *mut c_void,
    key_count: c_int,
    linage: c_int,
) {
    let Some((tcb, level)) = running() else { return };
    // SAFETY: the program's own variables; the level keeps the programs loaded that it has entered.
    unsafe {
        let slot = level.entered_at(file as usize).map(|slot| &*slot);
        let made = |variable: *mut *mut c_void| slot.and_then(|slot| slot.file(variable as usize));
        if let (Some(known), 0) = (made(file), linage) {
            *file = known;
            if !keys.is_null() {
                *keys = made(keys).unwrap_or(std::ptr::null_mut());
            }
            return;
        }
        (tcb.runtime.file_make)(file, keys, key_count, linage);
        let Some(slot) = slot else { return };
        for variable in [file, keys] {
            if !variable.is_null() && !(*variable).is_null() {
                slot.add_file(variable as usize, *variable);
            }
        }
    }
}

/// COMMIT.
pub(super) unsafe extern "C" fn commit() {
    suspend(Event::File(file::COMMIT, 0, 0));
}

/// ROLLBACK.
pub(super) unsafe extern "C" fn rollback() {
    suspend(Event::File(file::ROLLBACK, 0, 0));
}
