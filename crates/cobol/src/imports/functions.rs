//! Intrinsic functions that the runtime does wrongly: NUMVAL and NUMVAL-C, to which CR and DB at the end mean nothing.

use crate::layout::Field;
use crate::tcb;

/// Bytes of an amount that is looked at; longer ones are the runtime's.
const AMOUNT_MAX: usize = 128;

/// `cob_intr_numval`.
pub(super) unsafe extern "C" fn number_of(text: *mut Field) -> *mut Field {
    let Some(tcb) = tcb::current() else { return std::ptr::null_mut() };
    // SAFETY: the caller's own argument.
    unsafe { with_minus(text, |text| (tcb.runtime.number_of)(text)) }
}

/// `cob_intr_numval_c`.
pub(super) unsafe extern "C" fn amount_of(text: *mut Field, currency: *mut Field) -> *mut Field {
    let Some(tcb) = tcb::current() else { return std::ptr::null_mut() };
    // SAFETY: the caller's own arguments.
    unsafe { with_minus(text, |text| (tcb.runtime.amount_of)(text, currency)) }
}

/// Gives the function a copy of its text in which a minus stands for CR or DB, which it knows.
///
/// # Safety
/// A field of the running program; the function takes nothing of it along.
unsafe fn with_minus(text: *mut Field, function: impl FnOnce(*mut Field) -> *mut Field) -> *mut Field {
    // SAFETY: as the caller says.
    let field = unsafe { &*text };
    let mut copy = [b' '; AMOUNT_MAX];
    let Some(copied) = copy.get_mut(..field.size) else { return function(text) };
    // SAFETY: as many bytes as the field has. An address that is none ends in a fault of the program.
    unsafe { libc::memcpy(copied.as_mut_ptr().cast(), field.data.cast(), field.size) };
    let length = copied.trim_ascii_end().len();
    let Some(mark) = copied[..length].last_chunk_mut::<2>() else { return function(text) };
    if !mark.eq_ignore_ascii_case(b"CR") && !mark.eq_ignore_ascii_case(b"DB") {
        return function(text);
    }
    *mark = *b"- ";
    let mut changed = Field { size: field.size, data: copy.as_mut_ptr(), attribute: field.attribute };
    function(&raw mut changed)
}
