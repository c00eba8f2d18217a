//! What intrinsic functions return, kept for as long as a program that is given it may need it.
//!
//! The runtime has a ring of results for all programs of a TCB: each call of a function takes the next. A statement has
//! done with its results when it ends, but for one: a CALL that passes a function's result BY CONTENT passes the ring's
//! own storage, and while the called program waits, other tasks call functions. So a result that is passed is taken
//! out of the ring, and belongs to the level until its CALL has come back. Functions of ours have such a ring, too.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use crate::layout::{Attribute, Field, Global};
use crate::tcb::Tcb;

/// Results in the ring, as libcob makes it.
pub const RESULTS: usize = 32;

/// Most arguments that a CALL has.
const ARGUMENTS_MAX: usize = 251;

/// The ring of what functions of ours return: copies of zoned numbers.
pub struct Copies {
    fields: Box<[Cell<Field>]>,
    next: Cell<usize>,
}

impl Copies {
    pub fn new() -> Self {
        let field = || {
            // SAFETY: any size will do; where there is no memory nothing is copied.
            let data = unsafe { libc::malloc(ZONED_MAX) }.cast();
            Cell::new(Field { data, ..Field::NONE })
        };
        Self { fields: std::iter::repeat_with(field).take(RESULTS).collect(), next: Cell::new(0) }
    }

    /// A copy of a zoned number; `None` if there is no room for it.
    ///
    /// # Safety
    /// A field of the running program.
    #[inline]
    pub unsafe fn take(&self, number: &Field) -> Option<*mut Field> {
        let place = self.next.get();
        let copy = self.fields[place].as_ptr();
        // SAFETY: one of ours, with data of its own; an address of the program's that is none ends in a fault of it.
        unsafe {
            if number.size > ZONED_MAX || (*copy).data.is_null() {
                return None;
            }
            libc::memcpy((*copy).data.cast(), number.data.cast(), number.size);
            (*copy).size = number.size;
            (*copy).attribute = number.attribute;
        }
        self.next.set((place + 1) % RESULTS);
        Some(copy)
    }

    /// Where they lie.
    fn addresses(&self) -> Range<usize> {
        let fields = self.fields.as_ptr_range();
        fields.start as usize..fields.end as usize
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        for field in &self.fields {
            // SAFETY: from malloc or calloc, and nobody's any more.
            unsafe { libc::free(field.replace(Field::NONE).data.cast()) };
        }
    }
}

/// Most characters of a zoned number.
pub const ZONED_MAX: usize = 40;

/// Results that were taken out for CALLs of a level.
#[derive(Default)]
pub struct Kept(RefCell<Vec<Passed>>);

/// A result that was taken out, in memory of malloc.
struct Passed {
    /// The parameter list of the CALL: an address on the level's stack.
    list: usize,
    result: *mut Result,
}

/// A field that keeps its attribute beside it. Its data are the ring's of old.
#[repr(C)]
struct Result {
    field: Field,
    attribute: Attribute,
}

impl Kept {
    /// Takes what the current module's CALL passes out of the rings.
    ///
    /// # Safety
    /// The runtime has these results' level in place, whose program has just made a CALL.
    #[inline]
    pub unsafe fn keep(&self, tcb: &Tcb) {
        let (theirs, ours) = (tcb.runtime.results(), tcb.copies.addresses());
        let is_result = |field: *mut Field| {
            let address = field as usize;
            theirs.contains(&address) || ours.contains(&address)
        };
        // SAFETY: the runtime's structures, in place; the calling program set its parameter list.
        unsafe {
            let global: &Global = &*tcb.runtime.global();
            let Some(module) = global.current_module.as_ref() else { return };
            let count = usize::try_from(global.call_params).unwrap_or(0).min(ARGUMENTS_MAX);
            let list = module.parameters;
            if !list.is_null() && (0..count).any(|at| is_result(*list.add(at))) {
                self.take_out(is_result, std::slice::from_raw_parts_mut(list, count));
            }
        }
    }

    /// # Safety
    /// What a CALL passes.
    #[cold]
    unsafe fn take_out(&self, is_result: impl Fn(*mut Field) -> bool, passed: &mut [*mut Field]) {
        let list = passed.as_ptr() as usize;
        let mut kept = self.0.borrow_mut();
        // The stack grows downwards: the CALLs that made lists at or below this one have come back.
        kept.retain(|passed| passed.list > list);
        for place in passed.iter_mut().filter(|place| is_result(**place)) {
            // SAFETY: a result of one of the rings.
            if let Some(result) = unsafe { Result::take(*place) } {
                // SAFETY: just made.
                *place = unsafe { &raw mut (*result).field };
                kept.push(Passed { list, result });
            }
        }
    }
}

impl Result {
    /// Takes a result out of the ring, which goes on with new storage; `None` if there is no memory for it.
    ///
    /// # Safety
    /// A result of a ring: a field with an attribute, and data of its own from malloc.
    unsafe fn take(from: *mut Field) -> Option<*mut Self> {
        // SAFETY: as the caller says; what has only zeros is a field without data.
        unsafe {
            let fresh = libc::calloc(1, libc::malloc_usable_size((*from).data.cast()).max(1));
            let result = libc::calloc(1, size_of::<Self>()).cast::<Self>();
            if fresh.is_null() || result.is_null() {
                libc::free(fresh);
                libc::free(result.cast());
                return None;
            }
            (&raw mut (*result).attribute).copy_from_nonoverlapping((*from).attribute, 1);
            (*result).field.size = (*from).size;
            (*result).field.data = (*from).data;
            (*result).field.attribute = &raw const (*result).attribute;
            (*from).data = fresh.cast();
            Some(result)
        }
    }
}

impl Drop for Passed {
    fn drop(&mut self) {
        // SAFETY: both are from malloc, and nobody runs who was given them.
        unsafe {
            libc::free((*self.result).field.data.cast());
            libc::free(self.result.cast());
        }
    }
}
