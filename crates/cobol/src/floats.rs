//! Which numbers of a calculation come from floating point: the mainframe rounds them where they are stored, whatever the
//! statement says; all others it cuts off.

use std::cell::{Cell, RefCell};

use crate::layout::Decimal;

/// The decimals of a TCB that hold such numbers. Nearly always there is none.
#[derive(Default)]
pub struct Floats {
    some: Cell<bool>,
    decimals: RefCell<Vec<*const Decimal>>,
}

impl Floats {
    /// A number has come into a decimal, and whether it is such a one.
    #[inline(always)]
    pub fn load(&self, decimal: *const Decimal, float: bool) {
        if float || self.some.get() {
            self.note(decimal, float);
        }
    }

    /// A decimal has become the result of itself and another.
    #[inline(always)]
    pub fn calculate(&self, first: *const Decimal, second: *const Decimal) {
        if self.some.get() && self.holds(second) {
            self.note(first, true);
        }
    }

    /// Whether a decimal holds such a number.
    #[inline(always)]
    pub fn holds(&self, decimal: *const Decimal) -> bool {
        self.some.get() && self.decimals.borrow().contains(&decimal)
    }

    #[cold]
    fn note(&self, decimal: *const Decimal, float: bool) {
        let mut decimals = self.decimals.borrow_mut();
        decimals.retain(|known| *known != decimal);
        if float {
            decimals.push(decimal);
        }
        self.some.set(!decimals.is_empty());
    }
}
