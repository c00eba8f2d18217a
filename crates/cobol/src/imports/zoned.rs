//! Zoned numbers whose characters are not all digits: an unsigned number that lies where a signed one was stored, or text.
//! The mainframe's instructions look at digits only and let the zones go; the runtime would calculate with them.

use std::ffi::c_int;

use super::{bytes, whole};
use crate::argument::ConstantAttribute;
use crate::layout::{Attribute, Field, flag, kind};
use crate::number;
use crate::results::ZONED_MAX as SIZE_MAX;
use crate::tcb;

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

/// Whether a field is a zoned number without a sign.
///
/// # Safety
/// A field of the running program.
#[inline(always)]
pub(super) unsafe fn is_unsigned(field: &Field) -> bool {
    // SAFETY: each field has its attribute.
    let attribute = unsafe { &*field.attribute };
    attribute.kind == kind::DISPLAY
        && attribute.flags & !flag::CONSTANT == 0
        && (1..=SIZE_MAX).contains(&field.size)
}

/// Whether two fields are zoned numbers without a sign, of one size and with the decimal point in one place.
///
/// # Safety
/// Fields of the running program.
#[inline(always)]
unsafe fn are_alike(first: &Field, second: &Field) -> bool {
    // SAFETY: each field has its attribute.
    unsafe {
        is_unsigned(first)
            && is_unsigned(second)
            && first.size == second.size
            && (*first.attribute).scale == (*second.attribute).scale
    }
}

/// Moves a zoned number without a sign to one like it; whether it did. Its characters go as they are, but for the sign that
/// the last one may hold: what is not numeric there is not numeric here.
///
/// # Safety
/// Fields of the running program.
#[inline(always)]
pub(super) unsafe fn move_alike(from: &Field, to: &Field) -> bool {
    // SAFETY: as the caller says. An address that is none ends in a fault of the program.
    unsafe {
        if !are_alike(from, to) {
            return false;
        }
        let last = to.size - 1;
        libc::memmove(to.data.cast(), from.data.cast(), to.size);
        if !bytes::are_digits(to.data.wrapping_add(last), 1) {
            let mut character = [0; 1];
            libc::memcpy(character.as_mut_ptr().cast(), to.data.wrapping_add(last).cast(), 1);
            if number::is_calculable(kind::DISPLAY, 0, &character) {
                character[0] = b'0' + number::digit(character[0]);
                libc::memcpy(to.data.wrapping_add(last).cast(), character.as_ptr().cast(), 1);
            }
        }
        true
    }
}

/// How two such numbers compare: by their digits, or by their bytes where one has none, as keys of HIGH-VALUES.
///
/// # Safety
/// Fields of the running program that are alike.
#[inline(always)]
unsafe fn compare_alike(first: &Field, second: &Field) -> c_int {
    let size = first.size;
    // SAFETY: as the caller says. An address that is none ends in a fault of the program.
    unsafe {
        if bytes::are_digits(first.data, size) && bytes::are_digits(second.data, size) {
            return libc::memcmp(first.data.cast(), second.data.cast(), size);
        }
        compare_unlike_digits(first, second)
    }
}

/// The same where one of them has other characters than digits.
///
/// # Safety
/// As for [`compare_alike`].
#[cold]
unsafe fn compare_unlike_digits(first: &Field, second: &Field) -> c_int {
    // SAFETY: as for `compare_alike`.
    unsafe {
        let [one, other] = [first, second].map(|field| {
            let mut characters = [0; SIZE_MAX];
            libc::memcpy(characters.as_mut_ptr().cast(), field.data.cast(), field.size);
            characters
        });
        let calculable = |all: &[u8; SIZE_MAX]| number::is_calculable(kind::DISPLAY, 0, &all[..first.size]);
        let ordering = if calculable(&one) && calculable(&other) {
            Digits::of(first).characters.cmp(&Digits::of(second).characters)
        } else {
            one.cmp(&other)
        };
        ordering as c_int
    }
}

/// `cob_cmp`: numbers by their digits, all else as the runtime does.
pub(super) unsafe extern "C" fn compare(first: *mut Field, second: *mut Field) -> c_int {
    let Some(tcb) = tcb::current() else { return 0 };
    // SAFETY: the program's own fields.
    unsafe {
        if are_alike(&*first, &*second) {
            compare_alike(&*first, &*second)
        } else if is_number(&*first) && is_number(&*second) {
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
