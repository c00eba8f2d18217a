//! Calculations: from fields to the runtime's decimal numbers, and back.

use std::arch::naked_asm;
use std::ffi::{c_int, c_uint};

use super::{leave, running, whole, zoned};
use crate::arithmetic::{self, Operation};
use crate::layout::{DECIMAL_NAN, Decimal, Field, STORE_KEEP_ON_OVERFLOW, STORE_ROUNDED, kind};
use crate::runtime::{ChangeField, ChangeFields};
use crate::tcb::{self, Event, Tcb};

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

/// Writes a function that takes a count and so many pointers behind it: those in registers become a list, and the rest is one.
macro_rules! listing {
    ($(#[$doc:meta])* $name:ident, $listed:ident) => {
        $(#[$doc])*
        #[unsafe(naked)]
        pub(super) unsafe extern "C" fn $name() {
            naked_asm!(
                "push r9",
                "push r8",
                "push rcx",
                "push rdx",
                "push rsi",
                "mov rsi, rsp",
                "lea rdx, [rsp + 48]",
                "call {listed}",
                "add rsp, 40",
                "ret",
                listed = sym $listed,
            )
        }
    };
}

/// Pointers that come in registers.
const IN_REGISTERS: usize = 5;

/// The pointers behind a count, in order.
///
/// # Safety
/// The lists are those that `listing` has made for so many pointers.
unsafe fn listed<T>(
    count: c_uint,
    first: *const *mut T,
    rest: *const *mut T,
) -> impl Iterator<Item = *mut T> {
    // SAFETY: as the caller says.
    (0..count as usize).map(move |at| unsafe {
        if at < IN_REGISTERS { *first.add(at) } else { *rest.add(at - IN_REGISTERS) }
    })
}

listing! {
    /// `cob_decimal_push`: numbers for a run of a RECURSIVE program, into variables of its own.
    push, push_listed
}

unsafe extern "C" fn push_listed(
    count: c_uint,
    first: *const *mut *mut Decimal,
    rest: *const *mut *mut Decimal,
) {
    let Some((_, level)) = running() else { return };
    // SAFETY: the program's own variables.
    unsafe { listed(count, first, rest).for_each(|variable| *variable = level.lend_number()) };
}

listing! {
    /// `cob_decimal_pop`: the run has come to its end.
    pop, pop_listed
}

unsafe extern "C" fn pop_listed(count: c_uint, first: *const *mut Decimal, rest: *const *mut Decimal) {
    let Some((_, level)) = running() else { return };
    // SAFETY: the numbers that the program was lent.
    unsafe { listed(count, first, rest).for_each(|number| level.take_number(number)) };
}

/// `cob_decimal_set_field`: what a calculation begins with.
pub(super) unsafe extern "C" fn load_decimal(decimal: *mut Decimal, field: *mut Field) {
    let Some(tcb) = tcb::current() else { return };
    // SAFETY: the caller's own arguments.
    unsafe {
        tcb.runtime.arithmetic.loads();
        tcb.floats.load(decimal, is_float(&*field));
        fill(tcb, decimal, field);
    }
}

/// The same for the runtime's own functions: no program would see a number that is none.
pub(super) unsafe extern "C" fn load_within(decimal: *mut Decimal, field: *mut Field) {
    let Some(tcb) = tcb::current() else { return };
    // SAFETY: the caller's own arguments.
    unsafe {
        fill(tcb, decimal, field);
        if !(*decimal).is_number() {
            leave(Event::SizeError);
        }
    }
}

/// Whether a field is in floating point.
///
/// # Safety
/// A field of the running program.
#[inline(always)]
pub(super) unsafe fn is_float(field: &Field) -> bool {
    // SAFETY: each field has its attribute.
    matches!(unsafe { (*field.attribute).kind }, kind::FLOAT | kind::DOUBLE)
}

/// Puts a field's number into a decimal. A simple number is one word; from digits the runtime would multiply it up.
///
/// # Safety
/// The running program's field, and its or the runtime's decimal.
#[inline(always)]
pub(super) unsafe fn fill(tcb: &Tcb, decimal: *mut Decimal, field: *mut Field) {
    // SAFETY: as the caller says.
    unsafe {
        let scale = (*(*field).attribute).scale;
        // Decimal places to the left of the digits (P) are the runtime's.
        let simple = if scale >= 0 { whole::read_digits(&*field) } else { None };
        match simple {
            Some(number) if (*decimal).set_word(number) => (*decimal).scale = scale.into(),
            _ if is_float(&*field) && !is_finite(&*field) => (*decimal).scale = DECIMAL_NAN,
            _ => zoned::with_digits(field, |field| (tcb.runtime.load_decimal)(decimal, field)),
        }
    }
}

/// Whether a field in floating point is a number: an overflow has left none.
///
/// # Safety
/// A field of the running program.
unsafe fn is_finite(field: &Field) -> bool {
    let mut bytes = [0; size_of::<f64>()];
    // SAFETY: as many bytes as the field has. An address that is none ends in a fault of the program.
    unsafe { libc::memcpy(bytes.as_mut_ptr().cast(), field.data.cast(), field.size.min(bytes.len())) };
    match bytes.first_chunk() {
        Some(short) if field.size == size_of::<f32>() => f32::from_ne_bytes(*short).is_finite(),
        _ => f64::from_ne_bytes(bytes).is_finite(),
    }
}

/// `cob_decimal_set_llint`.
pub(super) unsafe extern "C" fn set(decimal: *mut Decimal, number: i64) {
    let Some(tcb) = tcb::current() else { return };
    tcb.runtime.arithmetic.loads();
    tcb.floats.load(decimal, false);
    // SAFETY: the caller's own decimal.
    unsafe {
        if (*decimal).set_word(number) {
            (*decimal).scale = 0;
        } else {
            (tcb.runtime.set_decimal)(decimal, number);
        }
    }
}

/// `cob_decimal_set_ullint`.
pub(super) unsafe extern "C" fn set_unsigned(decimal: *mut Decimal, number: u64) {
    let Some(tcb) = tcb::current() else { return };
    tcb.runtime.arithmetic.loads();
    tcb.floats.load(decimal, false);
    // SAFETY: the caller's own decimal.
    unsafe { (tcb.runtime.arithmetic.set_unsigned)(decimal, number) }
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

/// The same for the runtime's own functions: no program would see that the result is no number.
pub(super) unsafe extern "C" fn raise_within(first: *mut Decimal, second: *mut Decimal) {
    // SAFETY: the caller's own arguments.
    unsafe {
        raise(first, second);
        if !(*first).is_number() {
            leave(Event::SizeError);
        }
    }
}

/// `cob_decimal_pow`.
pub(super) unsafe extern "C" fn raise(first: *mut Decimal, second: *mut Decimal) {
    // SAFETY: the caller's own arguments.
    unsafe { calculate(Operation::Raise, first, second) }
}

#[inline(always)]
unsafe fn calculate(operation: Operation, first: *mut Decimal, second: *mut Decimal) {
    let Some(tcb) = tcb::current() else { return };
    // SAFETY: as the callers say.
    unsafe { tcb.runtime.arithmetic.calculate(operation, first, second) };
    tcb.floats.calculate(first, second);
}

/// `cob_decimal_cmp`. There is no ON SIZE ERROR that could tell of a number that is none.
pub(super) unsafe extern "C" fn compare(first: *mut Decimal, second: *mut Decimal) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the caller's own arguments.
    let compared = unsafe { tcb.runtime.arithmetic.compare(first, second) };
    tcb.runtime.arithmetic.stores();
    compared.map_or_else(|| leave(Event::SizeError), |ordering| ordering as c_int)
}

/// `cob_decimal_get_field`: stores the result of a calculation. What comes from floating point is rounded. A division by zero without ON SIZE ERROR ends the
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
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the caller's own arguments.
    unsafe {
        if tcb.runtime.arithmetic.stores() && options & STORE_KEEP_ON_OVERFLOW != 0 {
            (*decimal).scale = DECIMAL_NAN;
        }
        let options = if tcb.floats.holds(decimal) { options | STORE_ROUNDED } else { options };
        let places = c_int::from((*(*field).attribute).scale);
        if options & !STORE_KEEP_ON_OVERFLOW == 0
            && places >= 0
            && let Some(number) = arithmetic::with_places(&*decimal, places)
            && whole::write_digits(&*field, number)
        {
            return 0;
        }
        (tcb.runtime.store_decimal)(decimal, field, options)
    }
}

/// `cob_add`.
pub(super) unsafe extern "C" fn add_field(target: *mut Field, field: *mut Field, options: c_int) {
    // SAFETY: the caller's own arguments.
    unsafe { change(target, field, options, |change| change.add) }
}

/// `cob_sub`.
pub(super) unsafe extern "C" fn subtract_field(target: *mut Field, field: *mut Field, options: c_int) {
    // SAFETY: the caller's own arguments.
    unsafe { change(target, field, options, |change| change.subtract) }
}

/// `cob_mul`.
pub(super) unsafe extern "C" fn multiply_field(target: *mut Field, field: *mut Field, options: c_int) {
    // SAFETY: the caller's own arguments.
    unsafe { change(target, field, options, |change| change.multiply) }
}

/// `cob_div`.
pub(super) unsafe extern "C" fn divide_field(target: *mut Field, field: *mut Field, options: c_int) {
    // SAFETY: the caller's own arguments.
    unsafe { change(target, field, options, |change| change.divide) }
}

/// Changes a field by another one; the result is rounded if that is in floating point.
unsafe fn change(
    target: *mut Field,
    field: *mut Field,
    options: c_int,
    function: impl FnOnce(&ChangeFields) -> ChangeField,
) {
    let Some(tcb) = tcb::current() else { return };
    // SAFETY: as the callers say.
    unsafe {
        let options = if is_float(&*field) { options | STORE_ROUNDED } else { options };
        function(&tcb.runtime.change)(target, field, options);
    }
}
