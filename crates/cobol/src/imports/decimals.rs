//! Calculations: from fields to the runtime's decimal numbers, and back.

use std::ffi::c_int;

use super::{leave, running, whole};
use crate::arithmetic::Operation;
use crate::layout::{DECIMAL_NAN, Decimal, Field, STORE_KEEP_ON_OVERFLOW};
use crate::tcb::{self, Event};

/// `cob_decimal_init`: cobc makes a program's literals with it. Each is made once for a program, however often a task
/// initializes itself: nobody changes it.
pub(super) unsafe extern "C" fn make_constant(decimal: *mut Decimal) {
    let Some((tcb, level)) = running() else { return };
    let arithmetic = &tcb.runtime.arithmetic;
    // SAFETY: the caller's own decimal; the level keeps the programs loaded that it has entered.
    unsafe {
        match level.entered_at(decimal as usize) {
            Some(slot) => (*slot).make_constant(decimal, arithmetic),
            None => (arithmetic.init)(decimal),
        }
    }
}

/// `cob_decimal_clear`: a literal goes with its program.
pub(super) unsafe extern "C" fn keep_constant(_: *mut Decimal) {}

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

/// `cob_decimal_add`.
pub(super) unsafe extern "C" fn add(first: *mut Decimal, second: *mut Decimal) {
    // SAFETY: the caller's own arguments.
    unsafe { calculate(Operation::Add, first, second) }
}

/// `cob_decimal_sub`.
pub(super) unsafe extern "C" fn subtract(first: *mut Decimal, second: *mut Decimal) {
    // SAFETY: the caller's own arguments.
    unsafe { calculate(Operation::Subtract, first, second) }
}

/// `cob_decimal_mul`.
pub(super) unsafe extern "C" fn multiply(first: *mut Decimal, second: *mut Decimal) {
    // SAFETY: the caller's own arguments.
    unsafe { calculate(Operation::Multiply, first, second) }
}

/// `cob_decimal_pow`, also as the runtime's own functions use it.
pub(super) unsafe extern "C" fn raise(first: *mut Decimal, second: *mut Decimal) {
    // SAFETY: the caller's own arguments.
    unsafe { calculate(Operation::Raise, first, second) }
}

#[inline(always)]
unsafe fn calculate(operation: Operation, first: *mut Decimal, second: *mut Decimal) {
    let Some(tcb) = tcb::current() else { return };
    // SAFETY: as the callers say.
    unsafe { tcb.runtime.arithmetic.calculate(operation, first, second) };
}

/// `cob_decimal_cmp`. There is no ON SIZE ERROR that could tell of a number that is none.
pub(super) unsafe extern "C" fn compare(first: *mut Decimal, second: *mut Decimal) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the caller's own arguments.
    let compared = unsafe { tcb.runtime.arithmetic.compare(first, second) };
    compared.map_or_else(|| leave(Event::SizeError), |ordering| ordering as c_int)
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
        leave(Event::SizeError);
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
