//! MOVE: what most are is done here, in a fraction of the runtime's time and with its very result.

use std::arch::asm;
use std::cell::Cell;
use std::ffi::c_int;

use super::{decimals, whole, zoned};
use crate::layout::{Attribute, Field, STORE_ROUNDED, flag, kind};
use crate::tcb::{self, Tcb};

/// `cob_move_ibm`: copies from the left, byte by byte, as the mainframe's MVC does. Where the target begins within the
/// source, its own first bytes come again: that is how programs fill a table. Anywhere else it is a plain copy.
pub(super) unsafe extern "C" fn move_from_left(to: *mut u8, from: *const u8, length: c_int) {
    let length = usize::try_from(length).unwrap_or(0);
    // A target before its source is as far away as can be.
    let ahead = (to as usize).wrapping_sub(from as usize);
    // SAFETY: the program's own fields; where they are none, the fault ends the program.
    unsafe {
        if ahead == 0 || ahead >= length {
            libc::memmove(to.cast(), from.cast(), length);
        } else {
            asm!(
                "rep movsb",
                inout("rdi") to => _, inout("rsi") from => _, inout("rcx") length => _,
                options(nostack, preserves_flags)
            );
        }
    }
}

/// `cob_move`: text goes to text, and a whole number that fits to where another is kept; all else is the runtime's to do.
pub(super) unsafe extern "C" fn move_field(source: *mut Field, target: *mut Field) {
    // SAFETY: the program's own fields; where their data are none, the fault ends the program.
    unsafe {
        if !move_text(&*source, &*target)
            && !zoned::move_alike(&*source, &*target)
            && !move_whole_number(&*source, &*target)
            && let Some(tcb) = tcb::current()
            && !move_float(tcb, source, target)
        {
            move_digits(tcb, source, target);
        }
    }
}

/// Whether a field is plain text: a group, or alphanumeric and filled from the left.
#[inline(always)]
fn is_text(attribute: &Attribute) -> bool {
    matches!(attribute.kind, kind::GROUP | kind::ALPHANUMERIC) && attribute.flags & !flag::CONSTANT == 0
}

/// Moves text to text, cut or filled up with blanks; whether it did.
///
/// # Safety
/// Fields of the running program.
unsafe fn move_text(from: &Field, to: &Field) -> bool {
    // SAFETY: each field has its attribute; the data are the program's.
    unsafe {
        if !is_text(&*from.attribute) || !is_text(&*to.attribute) || from.size == 0 {
            return false;
        }
        let length = from.size.min(to.size);
        libc::memmove(to.data.cast(), from.data.cast(), length);
        if length < to.size {
            libc::memset(to.data.wrapping_add(length).cast(), b' '.into(), to.size - length);
        }
    }
    true
}

/// Moves a number in floating point to where it is kept in digits, or in binary, rounded to the last place that there is;
/// whether it did.
///
/// # Safety
/// Fields of the running program.
unsafe fn move_float(tcb: &Tcb, source: *mut Field, target: *mut Field) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        let fixed = matches!(
            (*(*target).attribute).kind,
            kind::DISPLAY | kind::PACKED | kind::BINARY | kind::COMP5 | kind::NUMERIC_EDITED
        );
        let moves = fixed && decimals::is_float(&*source);
        if moves {
            let decimal = tcb.runtime.arithmetic.scratch();
            decimals::fill(tcb, decimal, source);
            decimals::store_decimal(decimal, target, STORE_ROUNDED);
        }
        moves
    }
}

/// Leaves a move to the runtime; what becomes a number has nothing but digits.
///
/// # Safety
/// Fields of the running program.
unsafe fn move_digits(tcb: &Tcb, source: *mut Field, target: *mut Field) {
    // SAFETY: as the caller says.
    unsafe {
        let kind = (*(*target).attribute).kind;
        if kind & kind::NUMBERS == kind::NUMERIC || kind == kind::NUMERIC_EDITED {
            zoned::with_digits(source, |source| (tcb.runtime.move_field)(source, target));
        } else {
            (tcb.runtime.move_field)(source, target);
        }
    }
}

/// What a MOVE to several fields moves, if it is nothing for the runtime: a copy of the number.
#[derive(Default)]
pub struct Moved(Cell<Option<Number>>);

#[derive(Clone, Copy)]
struct Number {
    bytes: [u8; NUMBER_MAX],
    size: usize,
    attribute: *const Attribute,
}

/// Most bytes of a number.
const NUMBER_MAX: usize = 40;

/// `cob_put_indirect_field`: what a MOVE to several fields moves.
pub(super) unsafe extern "C" fn take_moved(source: *mut Field) {
    let Some(tcb) = tcb::current() else { return };
    // SAFETY: the program's own field.
    unsafe {
        let field = &*source;
        let ours = decimals::is_float(field) || zoned::has_other_zones(field);
        tcb.moved.0.set(ours.then(|| {
            let mut bytes = [0; NUMBER_MAX];
            libc::memcpy(bytes.as_mut_ptr().cast(), field.data.cast(), field.size.min(NUMBER_MAX));
            Number { bytes, size: field.size.min(NUMBER_MAX), attribute: field.attribute }
        }));
        if !ours {
            (tcb.runtime.take_moved)(source);
        }
    }
}

/// `cob_get_indirect_field`: moves it to one of them.
pub(super) unsafe extern "C" fn give_moved(target: *mut Field) {
    let Some(tcb) = tcb::current() else { return };
    // SAFETY: the program's own field.
    unsafe {
        match tcb.moved.0.get() {
            Some(mut number) => {
                let data = number.bytes.as_mut_ptr();
                let mut source = Field { size: number.size, data, attribute: number.attribute };
                move_field(&raw mut source, target);
            }
            None => (tcb.runtime.give_moved)(target),
        }
    }
}

/// Moves a whole number to another field of whole numbers, if it fits and the fields lie apart; whether it did.
///
/// # Safety
/// Fields of the running program.
unsafe fn move_whole_number(from: &Field, to: &Field) -> bool {
    let apart = from.data.addr().abs_diff(to.data.addr()) >= from.size.max(to.size);
    // SAFETY: as the caller says.
    unsafe { apart && whole::read(from).is_some_and(|number| whole::write(to, number)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_within_the_source_repeats_its_first_bytes() {
        let cases = [
            (0, 4, 4, "abcdabcdij", "apart"),
            (4, 0, 4, "efghefghij", "apart, before"),
            (0, 1, 9, "aaaaaaaaaa", "one ahead: filled"),
            (0, 3, 7, "abcabcabca", "three ahead"),
            (0, 3, 3, "abcabcghij", "just behind"),
            (3, 0, 7, "defghijhij", "overlapping, before"),
            (2, 2, 5, "abcdefghij", "onto itself"),
            (0, 5, 0, "abcdefghij", "nothing"),
            (0, 5, -1, "abcdefghij", "less than nothing"),
        ];
        for (from, to, length, expected, what) in cases {
            let mut bytes = *b"abcdefghij";
            let start = bytes.as_mut_ptr();
            // SAFETY: within the array.
            unsafe { move_from_left(start.add(to), start.add(from), length) };
            assert_eq!(std::str::from_utf8(&bytes), Ok(expected), "{what}");
        }
    }
}
