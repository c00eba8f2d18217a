//! Floating point, and powers.

use cobol_data::Type;
use cobol_runtime::floating::{Hex, Width};
use cobol_syntax::tree::{Expression, Literal, Operand, Operator as Written};

use super::shapes::result;
use super::{Lowered, Lowering};
use cobol_ir::program::{BytePlace, Number, Operator, Power, Real, Shape};

/// The greatest power of an item that is multiplied out: its instructions are short.
const MULTIPLIED_OUT_MAX: u64 = 3;

/// Width of an item of floating point.
pub(crate) fn width(kind: &Type) -> Option<Width> {
    match kind {
        Type::FloatShort => Some(Width::Short),
        Type::FloatLong => Some(Width::Long),
        _ => None,
    }
}

/// An item of floating point.
pub(crate) fn real_field(place: BytePlace, width: Width) -> Number {
    Number::Real(Box::new(Real::Field(place, width)))
}

/// A number as one of floating point.
pub(crate) fn to_real(number: Number) -> Real {
    match number {
        Number::Real(real) => *real,
        Number::Literal { value, scale } => match Hex::from_decimal(value, scale) {
            Some(value) => Real::Literal(value),
            None => Real::Fixed(Box::new(number)),
        },
        other => Real::Fixed(Box::new(other)),
    }
}

/// A number with the other sign.
pub(crate) fn negative(number: Number) -> Number {
    match number {
        Number::Real(real) => Number::Real(Box::new(Real::Negative(real))),
        other => Number::Negative(Box::new(other)),
    }
}

/// A number without its sign.
pub(crate) fn absolute(number: Number) -> Number {
    match number {
        Number::Real(real) => Number::Real(Box::new(Real::Absolute(real))),
        other => Number::Absolute(Box::new(other)),
    }
}

pub(crate) fn is_real(number: &Number) -> bool {
    matches!(number, Number::Real(_))
}

/// A whole number that is written in the source.
fn constant(number: &Number) -> Option<i64> {
    match number {
        Number::Literal { value, scale: 0 } => i64::try_from(*value).ok(),
        Number::Negative(inner) => constant(inner)?.checked_neg(),
        _ => None,
    }
}

fn divides(expression: &Expression) -> bool {
    match expression {
        Expression::Operand(_) => false,
        Expression::Negative(inner) => divides(inner),
        Expression::Binary(Written::Divide | Written::Power, ..) => true,
        Expression::Binary(_, left, right) => divides(left) || divides(right),
    }
}

impl<'a> Lowering<'a> {
    /// `1.5E2`.
    pub(crate) fn floating_literal(&mut self, literal: &Literal) -> Lowered<Number> {
        let point = if self.program.syntax.environment.decimal_comma { b',' } else { b'.' };
        let written = cobol_runtime::numval::read_floating(literal.text.as_bytes(), point).ok();
        match written.and_then(|written| Hex::from_decimal(written.value, written.scale)) {
            Some(value) => Ok(Number::Real(Box::new(Real::Literal(value)))),
            None => self.refuse(literal.at, "this floating-point literal"),
        }
    }

    /// Lowers the operands of an expression, to be used later.
    pub(crate) fn prepare(&mut self, expression: &'a Expression) -> Lowered<()> {
        match expression {
            Expression::Operand(operand) => self.prepare_operand(operand).map(drop),
            Expression::Negative(inner) => self.prepare(inner),
            Expression::Binary(_, left, right) => {
                self.prepare(left)?;
                self.prepare(right)
            }
        }
    }

    /// Lowers an operand, to be used later; its digits, and whether it is of floating point.
    pub(crate) fn prepare_operand(&mut self, operand: &'a Operand) -> Lowered<(Shape, bool)> {
        let number = self.operand_number(operand)?;
        let told = (number.shape(), is_real(&number));
        self.prepared.insert(std::ptr::from_ref(operand), number);
        Ok(told)
    }

    fn prepared(&self, operand: &Operand) -> Option<&Number> {
        self.prepared.get(&std::ptr::from_ref(operand))
    }

    /// Returns true if an expression, whose operands are prepared, is computed in floating point: one of its operands
    /// is, or an exponent has decimals.
    pub(crate) fn is_floating(&self, expression: &Expression, dmax: i32) -> bool {
        match expression {
            Expression::Operand(operand) => self.prepared(operand).is_some_and(is_real),
            Expression::Negative(inner) => self.is_floating(inner, dmax),
            Expression::Binary(operator, left, right) => {
                let within = self.is_floating(left, dmax) || self.is_floating(right, dmax);
                within || (*operator == Written::Power && self.is_floating_exponent(right, dmax))
            }
        }
    }

    /// An exponent has decimals, or may have some.
    fn is_floating_exponent(&self, exponent: &Expression, dmax: i32) -> bool {
        self.shape_of(exponent, dmax).decimals > 0 || (dmax > 0 && divides(exponent))
    }

    fn literal_of(&self, expression: &Expression) -> Option<i128> {
        match self.prepared(expression.operand()?)? {
            Number::Literal { value, .. } => Some(*value),
            _ => None,
        }
    }

    fn constant_of(&self, expression: &Expression) -> Option<i64> {
        match expression {
            Expression::Operand(operand) => self.prepared(operand).and_then(constant),
            Expression::Negative(inner) => self.constant_of(inner)?.checked_neg(),
            Expression::Binary(..) => None,
        }
    }

    /// The digits of an expression whose operands are prepared.
    fn shape_of(&self, expression: &Expression, dmax: i32) -> Shape {
        let limit = self.options.digits_max;
        match expression {
            Expression::Operand(operand) => {
                self.prepared(operand).map_or(Shape { integers: 1, decimals: 0 }, Number::shape)
            }
            Expression::Negative(inner) => self.shape_of(inner, dmax),
            Expression::Binary(Written::Power, base, exponent) => {
                let (shape, literal) = (self.shape_of(base, dmax), self.literal_of(base));
                let constant = self.constant_of(exponent).filter(|power| *power >= 0);
                let exact = constant.and_then(|power| self.exact_power(literal, shape, power));
                exact.unwrap_or_else(|| self.power_shape(dmax))
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (self.shape_of(left, dmax), self.shape_of(right, dmax));
                result(operator_of(*operator), left, right, dmax, limit)
            }
        }
    }

    /// The digits of a power whose exponent is known, if all of them are kept. With as many digits as are kept at most, a base of
    /// an even number of digits has no room in ARITH(COMPAT), nor has any in ARITH(EXTEND); only its first power has.
    fn exact_power(&self, literal: Option<i128>, base: Shape, power: i64) -> Option<Shape> {
        let exact = exact_shape(literal, base, power.unsigned_abs())?;
        let limit = self.options.digits_max;
        let odd = limit % 2 == 0 && base.digits() % 2 != 0;
        let fits = exact.digits() < limit || exact.digits() == limit && (odd || power.unsigned_abs() == 1);
        fits.then_some(exact)
    }

    /// The digits of any other power: as many decimals as the statement has, and all that there is room for in front of them.
    fn power_shape(&self, dmax: i32) -> Shape {
        let limit = self.options.digits_max;
        let decimals = dmax.clamp(0, limit);
        Shape { integers: limit - decimals, decimals }
    }

    /// A base to a power, both with their operands prepared.
    pub(crate) fn power(&mut self, base: Number, exponent: Number, dmax: i32) -> Number {
        let strict = self.strict;
        if self.floating || is_real(&base) || is_real(&exponent) {
            let (base, exponent) = (Box::new(to_real(base)), Box::new(to_real(exponent)));
            return Number::Real(Box::new(Real::Power { base, exponent, strict }));
        }
        let shape = base.shape();
        let literal = match &base {
            Number::Literal { value, .. } => Some(*value),
            _ => None,
        };
        let known =
            constant(&exponent).and_then(|power| Some((power, self.exact_power(literal, shape, power)?)));
        let Some((power, exact)) = known else {
            let shape = self.power_shape(dmax);
            return Number::Power(Box::new(Power { base, exponent, shape, strict }));
        };
        let magnitude = power.unsigned_abs();
        let is_field = matches!(base, Number::Field(..));
        let product = if is_field && (1..=MULTIPLIED_OUT_MAX).contains(&magnitude) {
            let mut product = base.clone();
            for _ in 1..magnitude {
                product = self.combine(Operator::Multiply, product, base.clone(), dmax);
            }
            product
        } else {
            let exponent = Number::whole(magnitude as i64);
            Number::Power(Box::new(Power { base, exponent, shape: exact, strict }))
        };
        if power < 0 { self.combine(Operator::Divide, Number::whole(1), product, dmax) } else { product }
    }
}

/// An operator that is not that of powers.
pub(crate) fn operator_of(written: Written) -> Operator {
    match written {
        Written::Add => Operator::Add,
        Written::Subtract => Operator::Subtract,
        Written::Multiply => Operator::Multiply,
        Written::Divide | Written::Power => Operator::Divide,
    }
}

/// The digits of a number's power; of a literal those of its value. `None` if they are many.
fn exact_shape(literal: Option<i128>, base: Shape, power: u64) -> Option<Shape> {
    if power == 0 {
        return Some(Shape { integers: 1, decimals: 0 });
    }
    let times = i32::try_from(power).ok().filter(|times| *times <= 1000)?;
    let decimals = base.decimals.max(0) * times;
    let integers = match literal {
        Some(value) => {
            let value = value.unsigned_abs().checked_pow(times as u32)?;
            (value.checked_ilog10().map_or(1, |log| log as i32 + 1) - decimals).max(0)
        }
        None => base.integers.max(0) * times,
    };
    Some(Shape { integers, decimals })
}
