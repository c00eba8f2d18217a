//! Calculations that divide: how many decimal places a quotient has.
//!
//! The runtime gives a quotient some forty digits. The mainframe's compiler gives it the decimal places that the statement
//! needs elsewhere and cuts off the rest: with two in `A / B * 100`, a third is 33.00. The rules are those of the
//! published table of intermediate results: the quotient has as many places as the dividend has more than the divisor,
//! or as *the most* that a result or an operand of the statement has, divisors and exponents left out.
//!
//! Where the result goes is known last. So from its first division on a calculation is noted, not done, until
//! its result is used:
//!
//! ```text
//! [empty] ──load, add, …──► [operands known] ──divide──► [noted] ──load, add, divide, …──► [noted]
//!    ▲                              │                        │
//!    └──────── store, compare ──────┴──── store, compare ────┘
//! ```
//!
//! A statement with several results counts the places of the first. Expressions with floating-point numbers in them are
//! the runtime's own affair, and so are those that do not divide: sums and products lose nothing.

use std::ffi::c_int;

use crate::arithmetic::{Arithmetic, Operation};
use crate::layout::{DECIMAL_NAN, Decimal};

/// Operands that are remembered; beyond them only the constants of a program that has just been entered can be.
const KNOWN_MAX: usize = 64;

/// What is known of a number by its operands' descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Its decimal places.
    pub own: c_int,
    /// The most decimal places of an operand that it was made of, divisors and exponents left out.
    pub most: c_int,
    /// A floating-point number is among them.
    pub float: bool,
    /// It is a constant.
    pub constant: bool,
}

impl Places {
    /// Of a constant.
    pub const fn of_constant(scale: c_int) -> Self {
        let most = if scale > 0 { scale } else { 0 };
        Self { own: scale, most, float: false, constant: true }
    }

    /// Of a field.
    pub const fn of_field(scale: c_int, float: bool) -> Self {
        Self { float, constant: false, ..Self::of_constant(scale) }
    }
}

impl Operation {
    /// Places of the result, in a statement that needs so many of its quotients.
    fn places(self, first: Places, second: Places, most: c_int) -> Places {
        let of_both = first.most.max(second.most);
        let (own, most) = match self {
            Self::Add | Self::Subtract => (first.own.max(second.own), of_both),
            Self::Multiply => (first.own + second.own, of_both),
            Self::Divide => ((first.own - second.own).max(most), first.most),
            Self::Raise => (first.own, first.most),
        };
        // The mainframe raises in floating point, unless it is to a whole constant.
        let raised = self == Self::Raise && (second.own > 0 || !second.constant);
        Places { own, most, float: first.float || second.float || raised, constant: false }
    }
}

/// A step that waits.
enum Noted {
    /// A number comes into a decimal: it lies in one of ours until then.
    Load(*mut Decimal, Places, Decimal),
    Calculate(Operation, *mut Decimal, *mut Decimal),
}

/// The calculation that is under way on a TCB.
#[derive(Default)]
pub struct Calculation {
    known: Vec<(*const Decimal, Places)>,
    /// What was known before the first step that waits.
    before: Vec<(*const Decimal, Places)>,
    noted: Vec<Noted>,
    /// Decimals of ours that nothing lies in.
    spare: Vec<Decimal>,
}

impl Calculation {
    /// The calculation has come to an end, whatever it was.
    pub fn clear(&mut self) {
        self.known.clear();
        for noted in self.noted.drain(..) {
            if let Noted::Load(_, _, number) = noted {
                self.spare.push(number);
            }
        }
    }

    /// A number comes into a decimal; `fill` puts it there.
    ///
    /// # Safety
    /// A decimal of the running program that stays until the calculation ends; `fill` initializes nothing.
    pub unsafe fn load(
        &mut self,
        arithmetic: &Arithmetic,
        decimal: *mut Decimal,
        places: Places,
        fill: impl FnOnce(*mut Decimal),
    ) {
        if self.noted.is_empty() {
            if self.known.len() == KNOWN_MAX {
                self.known.clear();
            }
            fill(decimal);
        } else {
            let mut own = self.spare.pop().unwrap_or_else(|| {
                let mut raw = Decimal::RAW;
                // SAFETY: room for a decimal.
                unsafe { (arithmetic.init)(&raw mut raw) };
                raw
            });
            fill(&raw mut own);
            self.noted.push(Noted::Load(decimal, places, own));
        }
        self.set(decimal, places);
    }

    /// Calculates, or notes that it is to be done.
    ///
    /// # Safety
    /// Decimals of the running program that stay until the calculation ends.
    pub unsafe fn calculate(
        &mut self,
        arithmetic: &Arithmetic,
        operation: Operation,
        first: *mut Decimal,
        second: *mut Decimal,
    ) {
        if self.noted.is_empty() && operation != Operation::Divide {
            // SAFETY: as the caller says.
            unsafe { arithmetic.calculate(operation, first, second) };
        } else {
            if self.noted.is_empty() {
                self.before.clone_from(&self.known);
            }
            self.noted.push(Noted::Calculate(operation, first, second));
        }
        // SAFETY: as the caller says.
        let places = unsafe { self.result(operation, first, second, 0) };
        self.set(first, places);
    }

    /// Does what was noted: the numbers are wanted, and go where there are so many decimal places.
    ///
    /// # Safety
    /// As for [`Calculation::calculate`].
    pub unsafe fn finish(&mut self, arithmetic: &Arithmetic, wanted: &[*mut Decimal], places: c_int) {
        if self.noted.is_empty() {
            return self.known.clear();
        }
        let (mut most, mut float) = (places, false);
        for number in wanted {
            // SAFETY: as the caller says.
            let known = unsafe { self.places(*number) };
            (most, float) = (most.max(known.most), float || known.float);
        }
        std::mem::swap(&mut self.known, &mut self.before);
        let mut steps = std::mem::take(&mut self.noted);
        for step in steps.drain(..) {
            // SAFETY: as the caller says.
            unsafe { self.take(arithmetic, step, most, float) };
        }
        self.noted = steps;
        self.known.clear();
    }

    /// Does a step; the statement needs so many decimal places.
    unsafe fn take(&mut self, arithmetic: &Arithmetic, step: Noted, most: c_int, float: bool) {
        match step {
            Noted::Load(decimal, places, mut number) => {
                // SAFETY: both are decimals, and what one holds may lie in the other.
                unsafe { std::ptr::swap(decimal, &raw mut number) };
                self.spare.push(number);
                self.set(decimal, places);
            }
            Noted::Calculate(operation, first, second) => {
                // SAFETY: as the caller says.
                unsafe {
                    let places = self.result(operation, first, second, most);
                    arithmetic.calculate(operation, first, second);
                    let scale = (*first).scale;
                    if operation == Operation::Divide && !float && scale != DECIMAL_NAN && scale > places.own
                    {
                        (arithmetic.cut)(first, places.own);
                    }
                    self.set(first, places);
                }
            }
        }
    }

    /// What is known of the result of an operation, in a statement that needs so many decimal places.
    unsafe fn result(
        &self,
        operation: Operation,
        first: *mut Decimal,
        second: *mut Decimal,
        most: c_int,
    ) -> Places {
        // SAFETY: as the callers say.
        unsafe { operation.places(self.places(first), self.places(second), most) }
    }

    fn find(&self, decimal: *const Decimal) -> Option<Places> {
        self.known.iter().find(|(known, _)| *known == decimal).map(|(_, places)| *places)
    }

    /// What is known of a number: of a constant, which programs load once and nobody changes, what it says itself.
    unsafe fn places(&self, decimal: *const Decimal) -> Places {
        // SAFETY: a decimal, as the callers say.
        self.find(decimal).unwrap_or_else(|| Places::of_constant(unsafe { (*decimal).scale }))
    }

    fn set(&mut self, decimal: *const Decimal, places: Places) {
        match self.known.iter_mut().find(|(known, _)| *known == decimal) {
            Some((_, known)) => *known = places,
            None => self.known.push((decimal, places)),
        }
    }
}
