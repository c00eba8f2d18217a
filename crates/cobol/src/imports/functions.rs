//! Intrinsic functions that the runtime does wrongly: NUMVAL and NUMVAL-C, to which CR and DB at the end mean nothing; EXP,
//! EXP10 and FACTORIAL, which take any time for results that nobody could store; ABS of a zoned number without a sign, as
//! which translated programs compare and move such numbers.

use super::{decimals, zoned};
use crate::argument::ConstantAttribute;
use crate::layout::Field;
use crate::runtime::NumberOf;
use crate::tcb::{self, Tcb};

/// The largest argument of EXP: e to its power is what COMP-2 has room for.
const EXP_MAX: f64 = 709.0;

/// Of EXP10.
const EXP10_MAX: f64 = 308.0;

/// Of FACTORIAL: 33! has 37 digits, and no field has more than 38.
const FACTORIAL_MAX: f64 = 33.0;

/// `cob_intr_abs`: a zoned number without a sign as it lies, digits or not.
pub(super) unsafe extern "C" fn amount(number: *mut Field) -> *mut Field {
    let Some(tcb) = tcb::current() else { return std::ptr::null_mut() };
    // SAFETY: the caller's own argument.
    unsafe {
        let copy = if zoned::is_unsigned(&*number) { tcb.copies.take(&*number) } else { None };
        copy.unwrap_or_else(|| (tcb.runtime.amount)(number))
    }
}

/// `cob_intr_exp`.
pub(super) unsafe extern "C" fn exponential(number: *mut Field) -> *mut Field {
    // SAFETY: the caller's own argument.
    unsafe { within(number, EXP_MAX, |tcb| tcb.runtime.exponential) }
}

/// `cob_intr_exp10`.
pub(super) unsafe extern "C" fn power_of_ten(number: *mut Field) -> *mut Field {
    // SAFETY: the caller's own argument.
    unsafe { within(number, EXP10_MAX, |tcb| tcb.runtime.power_of_ten) }
}

/// `cob_intr_factorial`.
pub(super) unsafe extern "C" fn factorial(number: *mut Field) -> *mut Field {
    // SAFETY: the caller's own argument.
    unsafe { within(number, FACTORIAL_MAX, |tcb| tcb.runtime.factorial) }
}

/// Calls a function of a number that grows with it. Beyond the largest one its result is no number, and beyond the smallest
/// one nothing.
///
/// # Safety
/// A field of the running program.
unsafe fn within(number: *mut Field, most: f64, function: impl FnOnce(&Tcb) -> NumberOf) -> *mut Field {
    static FLOAT: ConstantAttribute = ConstantAttribute::DOUBLE;
    static TOO_LARGE: f64 = f64::INFINITY;
    static NOTHING: f64 = 0.0;
    let Some(tcb) = tcb::current() else { return std::ptr::null_mut() };
    let arithmetic = &tcb.runtime.arithmetic;
    // SAFETY: as the caller says; the scratch is ours.
    unsafe {
        let decimal = arithmetic.scratch();
        decimals::fill(tcb, decimal, number);
        let value =
            if (*decimal).is_number() { arithmetic.value(decimal).unwrap_or(0.0) } else { f64::INFINITY };
        let result = match value {
            _ if value > most => &TOO_LARGE,
            _ if value < -most => &NOTHING,
            _ => return function(tcb)(number),
        };
        tcb.result.set(Field {
            size: size_of::<f64>(),
            data: std::ptr::from_ref(result).cast_mut().cast(),
            attribute: FLOAT.get(),
        });
        tcb.result.as_ptr()
    }
}

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
