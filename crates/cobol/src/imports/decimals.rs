//! Calculations: from fields to the runtime's decimal numbers, and back.

use std::ffi::c_int;

use super::{leave, whole};
use crate::layout::{DECIMAL_NAN, Decimal, Field, STORE_KEEP_ON_OVERFLOW};
use crate::tcb::{self, Event};

/// `cob_decimal_set_field`: what a calculation begins with. A simple number is one word, which the runtime takes at once;
/// from digits it would multiply it up.
pub(super) unsafe extern "C" fn load_decimal(decimal: *mut Decimal, field: *mut Field) {
    let Some(tcb) = tcb::current() else { return };
    // SAFETY: the caller's own arguments.
    unsafe {
        match whole::read(&*field) {
            Some(number) => (tcb.runtime.set_decimal)(decimal, number),
            None => (tcb.runtime.load_decimal)(decimal, field),
        }
    }
}

/// `cob_decimal_get_field`: stores the result of a calculation. A division by zero without ON SIZE ERROR ends the
/// program, as the mainframe's decimal instructions do; the runtime would leave the result as it was. A simple number that
/// fits is stored here.
pub(super) unsafe extern "C" fn store_decimal(
    decimal: *mut Decimal,
    field: *mut Field,
    options: c_int,
) -> c_int {
    // SAFETY: the program's, or the runtime's, own decimal.
    let scale = unsafe { (*decimal).scale };
    if scale == DECIMAL_NAN && options & STORE_KEEP_ON_OVERFLOW == 0 {
        leave(Event::DividedByZero);
    }
    // SAFETY: the caller's own arguments.
    unsafe {
        if scale == 0 && (*decimal).word().is_some_and(|number| whole::write(&*field, number)) {
            return 0;
        }
        let Some(tcb) = tcb::current() else { return 0 };
        (tcb.runtime.store_decimal)(decimal, field, options)
    }
}
