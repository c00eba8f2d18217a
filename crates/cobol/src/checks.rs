//! Run-time checks, as a mainframe makes them.
//!
//! They stand in for the runtime's own, which find too much: an application may
//! live with blanks in a number, or with a look at the element before a table. What would reach beyond the task's own
//! storage still ends the task.

use std::ffi::{c_char, c_int};

use crate::imports::leave;
use crate::layout::{Field, kind};
use crate::memory;
use crate::number;
use crate::tcb::{self, Event};

/// `cob_check_numeric`: called before a field is calculated with, if the program was compiled to. Ends the program
/// where the mainframe's instructions find a data exception: the runtime's own check would also refuse blanks in a
/// DISPLAY field, with which programs have always calculated.
pub unsafe extern "C" fn check_numeric(field: *const Field, _: *const c_char) {
    // SAFETY: the program passes one of its fields.
    let (field, attribute) = unsafe { (&*field, &*(*field).attribute) };
    let mut bytes = [0; MAX_DIGITS];
    let size = field.size.min(MAX_DIGITS);
    if memory::read(field.data as usize, &mut bytes[..size]).is_err() {
        // The calculation itself will find out.
        return;
    }
    let digits = attribute.kind == kind::DISPLAY;
    // A number that nobody has set holds low values, which count as zero.
    if digits && bytes == [0; MAX_DIGITS] {
        return;
    }
    let plain = digits && number::has_only_digits(&bytes);
    if !plain && !number::is_calculable(attribute.kind, attribute.flags, &bytes[..size]) {
        leave(Event::NotNumeric);
    }
}

/// Most bytes that a DISPLAY or packed number has.
const MAX_DIGITS: usize = 40;

/// `cob_check_subscript`. Programs look at element 0 before they have found one, and at the one behind the last when
/// they searched in vain: both lie in the task's own storage. An OCCURS DEPENDING ON table may be filled before its
/// count is set.
pub unsafe extern "C" fn check_subscript(
    subscript: c_int,
    highest: c_int,
    name: *const c_char,
    depending: c_int,
) {
    let near = subscript >= 0 && (depending != 0 || subscript <= highest.saturating_add(1));
    if near {
        return;
    }
    if let Some(tcb) = tcb::current() {
        // SAFETY: the program's own arguments.
        unsafe { (tcb.runtime.check_subscript)(subscript, highest, name, depending) }
    }
}

/// `cob_check_odo`: the count of an OCCURS DEPENDING ON table. None at all is as good as the fewest.
pub unsafe extern "C" fn check_odo(
    count: c_int,
    fewest: c_int,
    most: c_int,
    name: *const c_char,
    counter: *const c_char,
) {
    if (0..=most).contains(&count) {
        return;
    }
    if let Some(tcb) = tcb::current() {
        // SAFETY: the program's own arguments.
        unsafe { (tcb.runtime.check_odo)(count, fewest, most, name, counter) }
    }
}

/// `cob_check_ref_mod_detailed`: reference modification. A length of zero moves nothing.
pub unsafe extern "C" fn check_ref_mod(
    name: *const c_char,
    fatal: c_int,
    _: c_int,
    size: c_int,
    offset: c_int,
    length: c_int,
) {
    const ZERO_ALLOWED: c_int = 1;
    if let Some(tcb) = tcb::current() {
        // SAFETY: the program's own arguments.
        unsafe { (tcb.runtime.check_ref_mod)(name, fatal, ZERO_ALLOWED, size, offset, length) }
    }
}
