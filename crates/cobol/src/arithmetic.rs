//! The runtime's arithmetic, made safe for programs that share it.
//!
//! cobc keeps a program's literals as decimals with their digits on the heap, made once, and the runtime aligns two numbers
//! by giving *both* as many decimal places: a literal would be another number in the program's next run. Here no
//! operation changes its second operand, nor a comparison any: what must be aligned is a copy. And no operation makes
//! more digits than a power of them has room for: see [`Arithmetic::raise`].
//!
//! Numbers of one word are calculated here; all else is the runtime's.

use std::cell::{Cell, UnsafeCell};
use std::cmp::Ordering;
use std::ffi::{CStr, c_int, c_long};

use crate::error::Error;
use crate::layout::{DECIMAL_NAN, Decimal};

type Init = unsafe extern "C" fn(*mut Decimal);
type Clear = unsafe extern "C" fn(*mut Decimal);
type Calculate = unsafe extern "C" fn(*mut Decimal, *mut Decimal);
type SetSigned = unsafe extern "C" fn(*mut Decimal, i64);
type SetUnsigned = unsafe extern "C" fn(*mut Decimal, u64);
type Compare = unsafe extern "C" fn(*mut Decimal, *mut Decimal) -> c_int;
type Align = unsafe extern "C" fn(*mut Decimal, c_int);
type CopyNumber = unsafe extern "C" fn(*mut Decimal, *const Decimal);
type Mantissa = unsafe extern "C" fn(*mut c_long, *const Decimal) -> f64;

/// What is done to two numbers; the first becomes the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Raise,
}

/// Digits of a power that is calculated exactly. What would have more is floating point on the mainframe.
const EXACT_DIGITS_MAX: f64 = 1024.0;

/// The power of ten beyond which a number is too large, as it is for COMP-2; below its reciprocal a number is zero.
const MAGNITUDE_MAX: f64 = 308.0;

/// Significant digits that a power keeps between the steps of its calculation: more than the mainframe's.
const SIGNIFICANT_DIGITS: f64 = 60.0;

/// Functions of libcob and GMP that calculate, and room for copies.
pub struct Arithmetic {
    /// `cob_decimal_init`.
    pub init: Init,
    /// `cob_decimal_clear`.
    pub clear: Clear,
    /// `cob_decimal_set_ullint`.
    pub set_unsigned: SetUnsigned,
    /// `cob_decimal_align`: cuts decimal places off. What it does where there are fewer is wrong.
    pub cut: Align,
    set: SetSigned,
    add: Calculate,
    subtract: Calculate,
    multiply: Calculate,
    divide: Calculate,
    power: Calculate,
    compare_decimals: Compare,
    /// `mpz_set`: a decimal begins with its number.
    copy_number: CopyNumber,
    /// `mpz_get_d_2exp`.
    mantissa: Mantissa,
    copies: [UnsafeCell<Decimal>; 3],
    /// Zero was raised to zero in the calculation that is under way.
    indeterminate: Cell<bool>,
    /// That calculation has come to its result: the next number that is loaded begins another.
    stored: Cell<bool>,
}

impl Arithmetic {
    /// # Safety
    /// The functions that are found have the types of the headers of libcob and GMP.
    pub unsafe fn find(symbol: impl Fn(&CStr) -> Result<usize, Error>) -> Result<Self, Error> {
        // SAFETY: as the caller says.
        unsafe {
            let calculate = |name| Ok(std::mem::transmute::<usize, Calculate>(symbol(name)?));
            let init = std::mem::transmute::<usize, Init>(symbol(c"cob_decimal_init")?);
            Ok(Self {
                init,
                clear: std::mem::transmute::<usize, Clear>(symbol(c"cob_decimal_clear")?),
                set_unsigned: std::mem::transmute::<usize, SetUnsigned>(symbol(c"cob_decimal_set_ullint")?),
                cut: std::mem::transmute::<usize, Align>(symbol(c"cob_decimal_align")?),
                set: std::mem::transmute::<usize, SetSigned>(symbol(c"cob_decimal_set_llint")?),
                add: calculate(c"cob_decimal_add")?,
                subtract: calculate(c"cob_decimal_sub")?,
                multiply: calculate(c"cob_decimal_mul")?,
                divide: calculate(c"cob_decimal_div")?,
                power: calculate(c"cob_decimal_pow")?,
                compare_decimals: std::mem::transmute::<usize, Compare>(symbol(c"cob_decimal_cmp")?),
                copy_number: std::mem::transmute::<usize, CopyNumber>(symbol(c"__gmpz_set")?),
                mantissa: std::mem::transmute::<usize, Mantissa>(symbol(c"__gmpz_get_d_2exp")?),
                copies: [(); 3].map(|()| {
                    let mut raw = Decimal::RAW;
                    init(&raw mut raw);
                    UnsafeCell::new(raw)
                }),
                indeterminate: Cell::new(false),
                stored: Cell::new(false),
            })
        }
    }

    /// A number is loaded.
    #[inline(always)]
    pub fn loads(&self) {
        if self.stored.replace(false) {
            self.indeterminate.set(false);
        }
    }

    /// The calculation's result is stored, or one of several. Whether zero was raised to zero on the way: that is one, and a
    /// size error where the statement asks.
    #[inline(always)]
    pub fn stores(&self) -> bool {
        self.stored.set(true);
        self.indeterminate.get()
    }

    /// Calculates: the first number becomes the result, the second stays as it is.
    ///
    /// # Safety
    /// Decimals of the runtime or of the running program.
    #[inline]
    pub unsafe fn calculate(&self, operation: Operation, first: *mut Decimal, second: *mut Decimal) {
        // SAFETY: as the caller says.
        unsafe {
            match operation {
                Operation::Add => self.sum(first, second, i64::checked_add, self.add),
                Operation::Subtract => self.sum(first, second, i64::checked_sub, self.subtract),
                Operation::Multiply => self.product(first, second),
                Operation::Divide => (self.divide)(first, self.copy(0, second)),
                Operation::Raise => self.raise(first, second),
            }
        }
    }

    /// Adds or subtracts.
    #[inline]
    unsafe fn sum(
        &self,
        first: *mut Decimal,
        second: *mut Decimal,
        add: impl Fn(i64, i64) -> Option<i64>,
        function: Calculate,
    ) {
        // SAFETY: as the callers say.
        unsafe {
            if let Some((one, other, scale)) = aligned(&*first, &*second)
                && let Some(sum) = add(one, other)
                && (*first).set_word(sum)
            {
                (*first).scale = scale;
            } else if (*first).scale == (*second).scale {
                function(first, second);
            } else {
                function(first, self.copy(0, second));
            }
        }
    }

    #[inline]
    unsafe fn product(&self, first: *mut Decimal, second: *mut Decimal) {
        // SAFETY: as the callers say.
        unsafe {
            if (*first).is_number()
                && (*second).is_number()
                && let (Some(one), Some(other)) = ((*first).word(), (*second).word())
                && let Some(product) = one.checked_mul(other)
                && (*first).set_word(product)
            {
                (*first).scale += (*second).scale;
            } else {
                (self.multiply)(first, second);
            }
        }
    }

    /// How two numbers compare; `None` if one of them is none.
    ///
    /// # Safety
    /// As for [`Arithmetic::calculate`].
    #[inline]
    pub unsafe fn compare(&self, first: *mut Decimal, second: *mut Decimal) -> Option<Ordering> {
        // SAFETY: as the caller says.
        unsafe {
            if let Some((one, other, _)) = aligned(&*first, &*second) {
                return Some(one.cmp(&other));
            }
            if !(*first).is_number() || !(*second).is_number() {
                return None;
            }
            let compared = if (*first).scale == (*second).scale {
                (self.compare_decimals)(first, second)
            } else {
                (self.compare_decimals)(self.copy(0, first), self.copy(1, second))
            };
            Some(compared.cmp(&0))
        }
    }

    /// Raises a number to a power. One that is too large is no number: a size error; one too small is zero.
    ///
    /// # Safety
    /// As for [`Arithmetic::calculate`].
    pub unsafe fn raise(&self, base: *mut Decimal, exponent: *mut Decimal) {
        // SAFETY: as the caller says; the copies are ours.
        unsafe {
            if !(*base).is_number() || !(*exponent).is_number() {
                (*base).scale = DECIMAL_NAN;
                return;
            }
            let (size, power) = (self.logarithm(base), self.value(exponent));
            if size.is_none() && power.is_some_and(|power| power < 0.0) {
                // A division by zero.
                (*base).scale = DECIMAL_NAN;
                return;
            }
            let (Some(size), Some(power)) = (size, power) else {
                // Nothing to the power of anything else, or anything to the power of nothing.
                if size.is_none() && power.is_none() {
                    self.indeterminate.set(true);
                }
                return (self.power)(base, self.copy(0, exponent));
            };
            let magnitude = size * power;
            if magnitude.abs() > MAGNITUDE_MAX {
                return if magnitude > 0.0 { (*base).scale = DECIMAL_NAN } else { (self.set)(base, 0) };
            }
            let digits = size + f64::from((*base).scale.max(0));
            if digits * power.abs() <= EXACT_DIGITS_MAX || power.fract() != 0.0 {
                return (self.power)(base, self.copy(0, exponent));
            }
            self.raise_roughly(base, power);
        }
    }

    /// Raises a number to a whole power by squaring, with as many digits as are significant.
    unsafe fn raise_roughly(&self, base: *mut Decimal, power: f64) {
        let (square, result) = (self.copies[1].get(), self.copies[2].get());
        // SAFETY: as the caller says; the copies are ours, and others than `calculate` uses for what is done here.
        unsafe {
            self.copy(1, base);
            (self.set)(result, 1);
            // No more than that comes here: a base with so many places is a number beside one.
            let mut rest = power.abs() as u64;
            while rest > 0 {
                if rest % 2 == 1 {
                    self.calculate(Operation::Multiply, result, square);
                    self.shorten(result);
                }
                self.calculate(Operation::Multiply, square, square);
                self.shorten(square);
                rest /= 2;
            }
            if power < 0.0 {
                (self.set)(base, 1);
                (self.divide)(base, result);
            } else {
                (self.copy_number)(base, result);
                (*base).scale = (*result).scale;
            }
        }
    }

    /// Cuts off the decimal places of a number that are not significant.
    unsafe fn shorten(&self, decimal: *mut Decimal) {
        // SAFETY: as the caller says.
        unsafe {
            let Some(size) = self.logarithm(decimal) else { return };
            let places = (SIGNIFICANT_DIGITS - size).max(0.0) as c_int;
            if (*decimal).scale > places {
                (self.cut)(decimal, places);
            }
        }
    }

    /// The decimal logarithm of a number's amount, nearly; `None` if it is zero.
    unsafe fn logarithm(&self, decimal: *const Decimal) -> Option<f64> {
        let mut exponent = 0;
        // SAFETY: a decimal begins with its number, as the caller says.
        let (mantissa, scale) = unsafe { ((self.mantissa)(&raw mut exponent, decimal), (*decimal).scale) };
        let logarithm = mantissa.abs().log10() + exponent as f64 * std::f64::consts::LOG10_2;
        (mantissa != 0.0).then_some(logarithm - f64::from(scale))
    }

    /// A number, nearly; `None` if it is zero.
    ///
    /// # Safety
    /// A decimal of the runtime or of a program.
    pub unsafe fn value(&self, decimal: *const Decimal) -> Option<f64> {
        let mut exponent = 0;
        // SAFETY: as above.
        let (mantissa, scale) = unsafe { ((self.mantissa)(&raw mut exponent, decimal), (*decimal).scale) };
        let value = mantissa * 2f64.powi(exponent.try_into().unwrap_or(c_int::MAX)) / 10f64.powi(scale);
        (mantissa != 0.0).then_some(value)
    }

    /// A decimal of ours for a number that nothing else is calculated beside.
    pub fn scratch(&self) -> *mut Decimal {
        self.copies[0].get()
    }

    /// A copy of a number, in one of ours.
    unsafe fn copy(&self, place: usize, decimal: *const Decimal) -> *mut Decimal {
        let copy = self.copies[place].get();
        // SAFETY: both are decimals; nobody else uses the copy meanwhile.
        unsafe {
            (self.copy_number)(copy, decimal);
            (*copy).scale = (*decimal).scale;
        }
        copy
    }
}

/// Two numbers of one word with as many decimal places, if they are numbers and stay words.
///
/// # Safety
/// Decimals of the runtime or of a program.
#[inline(always)]
unsafe fn aligned(first: &Decimal, second: &Decimal) -> Option<(i64, i64, c_int)> {
    // SAFETY: as the caller says.
    let (one, other) = unsafe { (first.word()?, second.word()?) };
    match first.scale.cmp(&second.scale) {
        Ordering::Equal => first.is_number().then_some((one, other, first.scale)),
        Ordering::Less => Some((one.checked_mul(power(first, second)?)?, other, second.scale)),
        Ordering::Greater => Some((one, other.checked_mul(power(second, first)?)?, first.scale)),
    }
}

/// A number of one word with so many decimal places, cut off where it has more; `None` if it is none, or no word then.
///
/// # Safety
/// A decimal of the runtime or of a program.
#[inline(always)]
pub unsafe fn with_places(decimal: &Decimal, places: c_int) -> Option<i64> {
    // SAFETY: as the caller says.
    let number = unsafe { decimal.word()? };
    let power = |places: c_int| POWERS.get(usize::try_from(places).ok()?).copied();
    match places - decimal.scale {
        _ if !decimal.is_number() => None,
        0 => Some(number),
        more @ 1.. => number.checked_mul(power(more)?),
        fewer => Some(number / power(-fewer)?),
    }
}

/// The power of ten by which the places of two numbers differ, the one with fewer first.
#[inline(always)]
fn power(fewer: &Decimal, more: &Decimal) -> Option<i64> {
    // What is no number has fewest.
    let places = if fewer.is_number() { more.scale - fewer.scale } else { return None };
    POWERS.get(usize::try_from(places).ok()?).copied()
}

/// Powers of ten that are words.
const POWERS: [i64; 19] = {
    let mut powers = [1; 19];
    let mut zeros = 1;
    while zeros < powers.len() {
        powers[zeros] = 10 * powers[zeros - 1];
        zeros += 1;
    }
    powers
};
