//! Zoned numbers whose characters are not all digits: an unsigned number that lies where a signed one was stored, or text.
//! The mainframe's instructions look at digits only and let the zones go; the runtime would calculate with them.

use std::ffi::c_int;

use super::{bytes, whole};
use crate::argument::ConstantAttribute;
use crate::layout::{Attribute, Field, flag, kind};
use crate::number;
use crate::tcb;

/// Most characters of a zoned number.
const SIZE_MAX: usize = 40;

/// A zoned number as digits, and its sign as it was.
pub(super) struct Digits {
    characters: [u8; SIZE_MAX],
    size: usize,
}

impl Digits {
    /// # Safety
    /// A zoned number of the running program.
    unsafe fn of(field: &Field) -> Self {
        let size = field.size.min(SIZE_MAX);
        let mut characters = [0; SIZE_MAX];
        // SAFETY: no more bytes than the field has. An address that is none ends in a fault of the program.
        unsafe {
            libc::memcpy(characters.as_mut_ptr().cast(), field.data.cast(), size);
            let (first, length) = digits_of(size, &*field.attribute);
            for character in &mut characters[first..first + length] {
                *character = b'0' + number::digit(*character);
            }
        }
        Self { characters, size }
    }

    /// Gives a function a field like another one, but with these digits.
    fn with<R>(mut self, like: &Field, function: impl FnOnce(*mut Field) -> R) -> R {
        let data = self.characters.as_mut_ptr();
        let mut field = Field { size: self.size, data, attribute: like.attribute };
        function(&raw mut field)
    }
}

/// Where the characters of a zoned number lie that have no sign: from where, and how many.
#[inline(always)]
fn digits_of(size: usize, attribute: &Attribute) -> (usize, usize) {
    match attribute.flags & (flag::SIGNED | flag::SIGN_LEADING) {
        0 | flag::SIGN_LEADING => (0, size),
        flag::SIGNED => (0, size - 1),
        _ => (1, size - 1),
    }
}

/// Whether a field is a zoned number, and has something else than digits in it.
///
/// # Safety
/// A field of the running program.
#[inline(always)]
pub(super) unsafe fn has_other_zones(field: &Field) -> bool {
    // SAFETY: each field has its attribute, and data as long as it says.
    unsafe {
        let attribute = &*field.attribute;
        if attribute.kind != kind::DISPLAY || !(1..=SIZE_MAX).contains(&field.size) {
            return false;
        }
        let (first, length) = digits_of(field.size, attribute);
        !bytes::are_digits(field.data.wrapping_add(first), length)
    }
}

/// Gives a function a number with no more than digits in it.
///
/// # Safety
/// A field of the running program.
#[inline(always)]
pub(super) unsafe fn with_digits<R>(field: *mut Field, function: impl FnOnce(*mut Field) -> R) -> R {
    // SAFETY: as the caller says.
    unsafe {
        if has_other_zones(&*field) { Digits::of(&*field).with(&*field, function) } else { function(field) }
    }
}

/// `cob_cmp_numdisp`: a zoned number with a whole one.
pub(super) unsafe extern "C" fn compare_digits(
    data: *const u8,
    size: usize,
    number: i64,
    signed: c_int,
) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the program says that it has so many; an address that is none ends in a fault of it.
    unsafe {
        if signed == 0
            && size <= WORD_DIGITS
            && let Some(value) = bytes::digits(data, size)
        {
            value.cmp(&number) as c_int
        } else {
            let attribute = ConstantAttribute::zoned(size, signed != 0);
            let mut field = Field { size, data: data.cast_mut(), attribute: attribute.get() };
            with_digits(&raw mut field, |field| {
                (tcb.runtime.compare_digits)((*field).data, size, number, signed)
            })
        }
    }
}

/// Digits of a number that is a word.
const WORD_DIGITS: usize = 18;

/// `cob_cmp`: numbers by their digits, all else as the runtime does.
pub(super) unsafe extern "C" fn compare(first: *mut Field, second: *mut Field) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the program's own fields.
    unsafe {
        if is_number(&*first) && is_number(&*second) {
            with_digits(first, |first| {
                with_digits(second, |second| (tcb.runtime.compare_fields)(first, second))
            })
        } else {
            (tcb.runtime.compare_fields)(first, second)
        }
    }
}

/// Whether a field is a number.
///
/// # Safety
/// A field of the running program.
#[inline(always)]
unsafe fn is_number(field: &Field) -> bool {
    // SAFETY: each field has its attribute.
    unsafe { (*field.attribute).kind & kind::NUMBERS == kind::NUMERIC }
}

/// `cob_cmp_llint`.
pub(super) unsafe extern "C" fn compare_word(field: *mut Field, number: i64) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the program's own field.
    unsafe {
        match whole::read(&*field) {
            Some(value) => value.cmp(&number) as c_int,
            None => with_digits(field, |field| (tcb.runtime.compare_word)(field, number)),
        }
    }
}

/// `cob_get_int`: of subscripts and the like.
pub(super) unsafe extern "C" fn get_int(field: *mut Field) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the program's own field.
    unsafe {
        match whole::read(&*field).and_then(|value| c_int::try_from(value).ok()) {
            Some(value) => value,
            None => with_digits(field, |field| (tcb.runtime.get_int)(field)),
        }
    }
}

/// `cob_get_llint`.
pub(super) unsafe extern "C" fn get_word(field: *mut Field) -> i64 {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the program's own field.
    unsafe {
        match whole::read(&*field) {
            Some(value) => value,
            None => with_digits(field, |field| (tcb.runtime.number_in)(field)),
        }
    }
}

/// `cob_add_int`.
pub(super) unsafe extern "C" fn add_int(field: *mut Field, number: c_int, options: c_int) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the program's own field.
    unsafe {
        make_digits(&*field);
        (tcb.runtime.add_int)(field, number, options)
    }
}

/// `cob_sub_int`.
pub(super) unsafe extern "C" fn subtract_int(field: *mut Field, number: c_int, options: c_int) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the program's own field.
    unsafe {
        make_digits(&*field);
        (tcb.runtime.subtract_int)(field, number, options)
    }
}

/// Leaves nothing but digits in a field to whose number something is about to be added.
///
/// # Safety
/// A field of the running program.
#[inline(always)]
unsafe fn make_digits(field: &Field) {
    // SAFETY: as the caller says.
    unsafe {
        if has_other_zones(field) {
            let digits = Digits::of(field);
            libc::memcpy(field.data.cast(), digits.characters.as_ptr().cast(), digits.size);
        }
    }
}
