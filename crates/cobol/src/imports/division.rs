//! What programs that divide calculate with: see [`crate::calculation`].

use std::ffi::c_int;

use super::decimals;
use crate::arithmetic::Operation;
use crate::calculation::Places;
use crate::layout::{Decimal, Field, STORE_ROUNDED, flag};
use crate::tcb::{self, Tcb};

/// `cob_decimal_set_field`.
pub(super) unsafe extern "C" fn load(decimal: *mut Decimal, field: *mut Field) {
    // SAFETY: the caller's own arguments.
    unsafe {
        let attribute = &*(*field).attribute;
        let scale = attribute.scale.into();
        let places = if attribute.flags & flag::CONSTANT != 0 {
            Places::of_constant(scale)
        } else {
            Places::of_field(scale, decimals::is_float(&*field))
        };
        fill(decimal, places, |to, tcb| decimals::fill(tcb, to, field));
    }
}

/// `cob_decimal_set_llint`.
pub(super) unsafe extern "C" fn set(decimal: *mut Decimal, number: i64) {
    // SAFETY: the caller's own decimal.
    unsafe { fill(decimal, WHOLE, |to, tcb| (tcb.runtime.set_decimal)(to, number)) }
}

/// `cob_decimal_set_ullint`.
pub(super) unsafe extern "C" fn set_unsigned(decimal: *mut Decimal, number: u64) {
    // SAFETY: the caller's own decimal.
    unsafe { fill(decimal, WHOLE, |to, tcb| (tcb.runtime.arithmetic.set_unsigned)(to, number)) }
}

/// Of a whole number.
const WHOLE: Places = Places::of_field(0, false);

unsafe fn fill(decimal: *mut Decimal, places: Places, put: impl FnOnce(*mut Decimal, &Tcb)) {
    let Some(tcb) = tcb::current() else { return };
    tcb.runtime.arithmetic.loads();
    tcb.floats.load(decimal, places.float);
    // SAFETY: as the callers say.
    tcb.calculating(|calculation| unsafe {
        calculation.load(&tcb.runtime.arithmetic, decimal, places, |to| put(to, tcb));
    });
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

/// `cob_decimal_div`.
pub(super) unsafe extern "C" fn divide(first: *mut Decimal, second: *mut Decimal) {
    // SAFETY: the caller's own arguments.
    unsafe { calculate(Operation::Divide, first, second) }
}

/// `cob_decimal_pow`.
pub(super) unsafe extern "C" fn raise(first: *mut Decimal, second: *mut Decimal) {
    // SAFETY: the caller's own arguments.
    unsafe { calculate(Operation::Raise, first, second) }
}

unsafe fn calculate(operation: Operation, first: *mut Decimal, second: *mut Decimal) {
    let Some(tcb) = tcb::current() else { return };
    // SAFETY: as the callers say.
    tcb.calculating(|calculation| unsafe {
        calculation.calculate(&tcb.runtime.arithmetic, operation, first, second);
    });
    tcb.floats.calculate(first, second);
}

/// `cob_decimal_get_field`. A ROUNDED result needs one place more.
pub(super) unsafe extern "C" fn store(decimal: *mut Decimal, field: *mut Field, options: c_int) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the caller's own arguments.
    unsafe {
        let places = c_int::from((*(*field).attribute).scale) + c_int::from(options & STORE_ROUNDED != 0);
        tcb.calculating(|calculation| calculation.finish(&tcb.runtime.arithmetic, &[decimal], places));
        decimals::store_decimal(decimal, field, options)
    }
}

/// `cob_decimal_cmp`.
pub(super) unsafe extern "C" fn compare(first: *mut Decimal, second: *mut Decimal) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the caller's own arguments.
    unsafe {
        tcb.calculating(|calculation| calculation.finish(&tcb.runtime.arithmetic, &[first, second], 0));
        decimals::compare(first, second)
    }
}
