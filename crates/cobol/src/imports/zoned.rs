//! Zoned numbers whose characters are not all digits: an unsigned number that lies where a signed one was stored, or text.
//! The mainframe's instructions look at digits only and let the zones go; the runtime would calculate with them.

use std::ffi::c_int;

use super::whole;
use crate::layout::{Field, flag, kind};
use crate::number;
use crate::tcb;

/// Most characters of a zoned number.
const SIZE_MAX: usize = 40;

/// A zoned number with other zones in it, as digits.
pub(super) struct Digits {
    characters: [u8; SIZE_MAX],
    size: usize,
}

impl Digits {
    /// The digits of a field, if it is a zoned number and has something else in it.
    ///
    /// # Safety
    /// A field of the running program.
    #[inline(always)]
    pub(super) unsafe fn of(field: &Field) -> Option<Self> {
        // SAFETY: each field has its attribute.
        let attribute = unsafe { &*field.attribute };
        if attribute.kind != kind::DISPLAY || field.size > SIZE_MAX || field.size == 0 {
            return None;
        }
        let mut characters = [0; SIZE_MAX];
        // SAFETY: as many bytes as the field has. An address that is none ends in a fault of the program.
        unsafe { libc::memcpy(characters.as_mut_ptr().cast(), field.data.cast(), field.size) };
        // Where the sign stands.
        let (first, last) = match attribute.flags & (flag::SIGNED | flag::SIGN_LEADING) {
            0 | flag::SIGN_LEADING => (0, field.size),
            flag::SIGNED => (0, field.size - 1),
            _ => (1, field.size),
        };
        let (all, size) = (&mut characters[first..last], field.size);
        if number::is_all_digits(all) {
            return None;
        }
        for character in all {
            *character = b'0' + number::digit(*character);
        }
        Some(Self { characters, size })
    }

    /// Gives a function a field like another one, but with these digits.
    pub(super) fn with<R>(mut self, like: &Field, function: impl FnOnce(*mut Field) -> R) -> R {
        let mut field =
            Field { size: self.size, data: self.characters.as_mut_ptr(), attribute: like.attribute };
        function(&raw mut field)
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
        match Digits::of(&*field) {
            Some(digits) => digits.with(&*field, function),
            None => function(field),
        }
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
    let mut characters = [0; WORD_DIGITS];
    let Some(characters) = characters.get_mut(..size) else {
        // SAFETY: the program's own arguments.
        return unsafe { (tcb.runtime.compare_digits)(data, size, number, signed) };
    };
    // SAFETY: the program says that it has so many; an address that is none ends in a fault of it.
    unsafe { libc::memcpy(characters.as_mut_ptr().cast(), data.cast(), size) };
    if signed != 0 {
        // The last one has the sign.
        for character in characters.iter_mut().rev().skip(1) {
            *character = b'0' + number::digit(*character);
        }
        // SAFETY: as many characters as the program's.
        return unsafe { (tcb.runtime.compare_digits)(characters.as_ptr(), size, number, signed) };
    }
    let value =
        characters.iter().fold(0, |value, character| 10 * value + i64::from(number::digit(*character)));
    value.cmp(&number) as c_int
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
        if let Some(digits) = Digits::of(field) {
            libc::memcpy(field.data.cast(), digits.characters.as_ptr().cast(), digits.size);
        }
    }
}
