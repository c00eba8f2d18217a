//! Functions of the runtime that may run long, because a program may give them megabytes: the clock may end them midway.
//!
//! They work on fields of the program and on variables that their next use sets again, and take no lock: so a program may be
//! ended in them as in its own code. What they have got from libc for themselves is then lost; it is a few bytes, since the
//! storage in which a table is sorted is the link level's.

use std::ffi::{CStr, c_int, c_void};

use super::{give_up_with, leave, running};
use crate::signals;
use crate::tcb::{self, Event};

/// These functions.
pub const LONG: [&CStr; COUNT] = [
    c"cob_inspect_characters",
    c"cob_inspect_all",
    c"cob_inspect_leading",
    c"cob_inspect_first",
    c"cob_inspect_trailing",
    c"cob_inspect_converting",
    c"cob_string_append",
    c"cob_unstring_into",
    c"cob_table_sort",
];

/// How many there are.
pub const COUNT: usize = 9;

/// What stands in for each of them, in the same order.
pub(super) const ENDABLE: [LongFunction; COUNT] = [
    endable::<0>,
    endable::<1>,
    endable::<2>,
    endable::<3>,
    endable::<4>,
    endable::<5>,
    endable::<6>,
    endable::<7>,
    endable::<8>,
];

/// None of them has more arguments, or a result.
pub type LongFunction = unsafe extern "C" fn(usize, usize, usize);

/// Calls the one with this index; meanwhile the clock may end the program in the runtime.
unsafe extern "C" fn endable<const INDEX: usize>(first: usize, second: usize, third: usize) {
    let Some(tcb) = tcb::current() else { return };
    tcb.endable.set(true);
    // SAFETY: the program's own arguments; a function that has fewer does not look at the others.
    unsafe { (tcb.runtime.long[INDEX])(first, second, third) };
    tcb.endable.set(false);
}

/// Bytes from which a comparison is long.
const LONG_COMPARISON: usize = 4096;

/// `memcmp` as the runtime calls it: behind a long one the program ends if it is time.
pub(super) unsafe extern "C" fn compare_bytes(
    left: *const c_void,
    right: *const c_void,
    length: usize,
) -> c_int {
    // SAFETY: the runtime's own arguments; where the program's data are none, the fault ends the program.
    let result = unsafe { libc::memcmp(left, right, length) };
    if length >= LONG_COMPARISON
        && let Some(tcb) = tcb::current()
        && tcb.endable.get()
        && let Some(end) = signals::over(tcb)
    {
        leave(Event::Over(end));
    }
    result
}

type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

/// `qsort` as the runtime calls it: equal elements stay in their order, and what it needs is storage of the link level.
pub(super) unsafe extern "C" fn sort(base: *mut u8, count: usize, size: usize, compare: Compare) {
    let Some((tcb, level)) = running() else { return };
    let Some(bytes) = count.checked_mul(size).filter(|bytes| *bytes > size) else { return };
    let other = match level.allocate(bytes) {
        Ok(other) => other,
        Err(why) => give_up_with(tcb, format!("there is no storage for a SORT of {bytes} bytes: {why}")),
    };
    let mut from = base;
    let mut to = other as *mut u8;
    let mut width = 1;
    while width < count {
        for start in (0..count).step_by(2 * width) {
            let (middle, end) = ((start + width).min(count), (start + 2 * width).min(count));
            // SAFETY: `from` and `to` have `count` elements each, and lie apart.
            unsafe { merge(from, to, [start, middle, end], size, compare) };
        }
        std::mem::swap(&mut from, &mut to);
        width *= 2;
    }
    if from != base {
        // SAFETY: both have so many bytes.
        unsafe { base.copy_from_nonoverlapping(from, bytes) };
    }
    level.release(other);
}

/// Merges two neighbouring runs of elements.
///
/// # Safety
/// `from` and `to` have as many elements as the last bound says, and lie apart.
unsafe fn merge(
    from: *const u8,
    to: *mut u8,
    [start, middle, end]: [usize; 3],
    size: usize,
    compare: Compare,
) {
    let (mut left, mut right) = (start, middle);
    for at in start..end {
        // SAFETY: all places are below `end`.
        unsafe {
            let takes_left = left < middle
                && (right == end
                    || compare(from.add(left * size).cast(), from.add(right * size).cast()) <= 0);
            let next = if takes_left { &mut left } else { &mut right };
            to.add(at * size).copy_from_nonoverlapping(from.add(*next * size), size);
            *next += 1;
        }
    }
}
