//! Operands and expressions as numbers, and the rules of intermediate results.

use cobol_data::{Numeric, Representation, Type};
use cobol_runtime::floating::Width;
use cobol_syntax::tree::{
    Expression, Figurative, Literal, LiteralKind, Operand, Operator as Written, Reference,
};

use super::places::Extent;
use super::reals::{is_real, negative, operator_of, real_field, to_real};
use super::shapes::result;
use super::value::Value;
use super::{Lowered, Lowering};
use cobol_ir::program::{Number, Operator, Reading, Real};

/// An address or an index as a number.
pub(crate) const WHOLE_WORD: Numeric =
    Numeric { digits: 9, scale: 0, signed: true, representation: Representation::Native };

/// An address or an index of so many bytes: GnuCOBOL has pointers of eight.
pub(crate) fn word(length: usize) -> Numeric {
    Numeric { digits: if length == 8 { 18 } else { WHOLE_WORD.digits }, ..WHOLE_WORD }
}

impl<'a> Lowering<'a> {
    /// An expression. `dmax` is the greatest number of decimals among receivers, if there are any.
    pub(crate) fn expression(&mut self, expression: &'a Expression, dmax: Option<i32>) -> Lowered<Number> {
        self.expression_in(expression, dmax, false)
    }

    /// The same, in floating point where a receiver asks for that.
    pub(crate) fn expression_in(
        &mut self,
        expression: &'a Expression,
        dmax: Option<i32>,
        floating: bool,
    ) -> Lowered<Number> {
        if let Some(operand) = expression.operand() {
            return self.operand_number(operand);
        }
        let around = std::mem::replace(&mut self.floating, false);
        let lowered = self.prepare(expression).and_then(|()| self.decimals(expression)).and_then(|own| {
            let dmax = own.max(dmax.unwrap_or(0));
            self.floating = floating || self.is_floating(expression, dmax);
            self.tree(expression, dmax)
        });
        self.floating = around;
        lowered
    }

    fn tree(&mut self, expression: &'a Expression, dmax: i32) -> Lowered<Number> {
        match expression {
            Expression::Operand(operand) => self.operand_number(operand),
            Expression::Negative(inner) => Ok(negative(self.tree(inner, dmax)?)),
            Expression::Binary(operator, left, right) => {
                let left = self.tree(left, dmax)?;
                let right = self.tree(right, dmax)?;
                Ok(match operator {
                    Written::Power => self.power(left, right, dmax),
                    other => self.combine(operator_of(*other), left, right, dmax),
                })
            }
        }
    }

    /// Two numbers to one, with the digits that the language reference keeps of it. A number that is one of floating point by
    /// the language reference, and whose digits are all known here, is computed with as such where not all digits of the
    /// result are kept.
    pub(crate) fn combine(&mut self, operator: Operator, left: Number, right: Number, dmax: i32) -> Number {
        let shape = result(operator, left.shape(), right.shape(), dmax, self.options.digits_max);
        let approximate = is_approximate(&left) || is_approximate(&right);
        let all = || result(operator, left.shape(), right.shape(), dmax, i32::MAX);
        let cut = approximate && (operator == Operator::Divide || all() != shape);
        if self.floating || cut || is_real(&left) || is_real(&right) {
            let (left, right) = (Box::new(to_real(left)), Box::new(to_real(right)));
            return Number::Real(Box::new(Real::Binary(operator, left, right)));
        }
        Number::Binary(operator, Box::new(left), Box::new(right), shape)
    }

    /// The greatest number of decimals among operands, divisors and exponents left out.
    pub(crate) fn decimals(&mut self, expression: &'a Expression) -> Lowered<i32> {
        Ok(match expression {
            Expression::Operand(operand) => {
                let number = self.operand_number(operand)?;
                let decimals = number.shape().decimals.max(0);
                self.prepared.insert(std::ptr::from_ref(operand), number);
                decimals
            }
            Expression::Negative(inner) => self.decimals(inner)?,
            Expression::Binary(Written::Divide | Written::Power, left, _) => self.decimals(left)?,
            Expression::Binary(_, left, right) => self.decimals(left)?.max(self.decimals(right)?),
        })
    }

    /// An operand as a number.
    pub(crate) fn operand_number(&mut self, operand: &'a Operand) -> Lowered<Number> {
        if let Some(number) = self.prepared.remove(&std::ptr::from_ref(operand)) {
            return Ok(number);
        }
        match operand {
            Operand::Literal(literal) => self.literal_number(literal),
            Operand::Figurative(Figurative::Zero, _) => Ok(Number::whole(0)),
            Operand::Figurative(Figurative::Null, _) => Ok(Number::whole(0)),
            Operand::Figurative(constant, at) => self.refuse(*at, format_args!("{} here", constant.name())),
            Operand::Reference(reference) => self.item_number(reference),
            Operand::Function(call) => match self.function(call)? {
                Value::Number(number) => Ok(number),
                Value::Text(_) => {
                    self.refuse(call.name.at, format_args!("FUNCTION {} as a number", call.name.text))
                }
            },
            Operand::LengthOf(what, at) => match &**what {
                Operand::Reference(reference) => {
                    let located = self.locate(reference, Extent::Present)?;
                    Ok(Number::Linear(Box::new(located.place.length)))
                }
                Operand::Literal(literal) if literal.kind == LiteralKind::Text => {
                    Ok(Number::whole(literal.text.chars().count() as i64))
                }
                _ => self.refuse(*at, "this LENGTH OF"),
            },
            Operand::AddressOf(reference, _) => {
                Ok(Number::Address(self.locate(reference, Extent::Present)?.place))
            }
            Operand::Cics { table, name } => {
                let value = match &*table.text {
                    "DFHRESP" => {
                        spec::condition_named(&name.text).map(|condition| i64::from(condition.resp()))
                    }
                    _ => spec::cvda(&name.text).map(i64::from),
                };
                match value {
                    Some(value) => Ok(Number::whole(value)),
                    None => self.refuse(name.at, format_args!("{} ({})", table.text, name.text)),
                }
            }
            Operand::Truth(_, at) => self.refuse(*at, "TRUE or FALSE here"),
        }
    }

    fn literal_number(&mut self, literal: &Literal) -> Lowered<Number> {
        if literal.kind == LiteralKind::Float {
            return self.floating_literal(literal);
        }
        if literal.kind != LiteralKind::Number {
            return self.refuse(literal.at, "this literal as a number");
        }
        match number_of(&literal.text) {
            Some(number) => Ok(number),
            None => self.mistaken(
                literal.at,
                "this number has more digits than any item",
                "a numeric literal has 18 digits at most, with CBL ARITH(EXTEND) 31",
            ),
        }
    }

    /// An item as a number.
    pub(crate) fn item_number(&mut self, reference: &'a Reference) -> Lowered<Number> {
        if let Some((_, item)) = self.item(reference.id)
            && item.kind == Type::Constant
        {
            return match item.values.first() {
                Some(value) => self.operand_number(&value.from),
                None => self.refuse(reference.at(), "this constant"),
            };
        }
        let located = self.locate(reference, Extent::Present)?;
        match located.kind() {
            Type::Numeric(numeric) => Ok(Number::Field(located.place, self.numeric(*numeric))),
            Type::IndexName => Ok(Number::Field(located.place, WHOLE_WORD)),
            Type::Index | Type::Pointer => Ok(Number::Field(located.place, word(located.item.length))),
            Type::FloatShort => Ok(real_field(located.place, Width::Short)),
            Type::FloatLong => Ok(real_field(located.place, Width::Long)),
            kind => {
                let name = kind.name();
                self.refuse(reference.at(), format_args!("{} ({name}) as a number", reference.name.text))
            }
        }
    }

    /// Storage form of a number, with the option TRUNC for binary items.
    pub(crate) fn numeric(&self, numeric: Numeric) -> Numeric {
        match numeric.representation {
            Representation::Binary if self.options.full_binary => {
                Numeric { representation: Representation::Native, ..numeric }
            }
            _ => numeric,
        }
    }
}

/// Returns true if a number is one of floating point by the language reference.
pub(crate) fn is_approximate(number: &Number) -> bool {
    match number {
        Number::Read(Reading::Numval(_) | Reading::NumvalC(..), ..) => true,
        Number::Negative(inner) | Number::Absolute(inner) => is_approximate(inner),
        Number::Binary(_, left, right, _) => is_approximate(left) || is_approximate(right),
        Number::Function(_, arguments, _) => arguments.iter().any(is_approximate),
        _ => false,
    }
}

/// The digits of a literal; `None` if there are too many.
pub(crate) fn number_of(text: &str) -> Option<Number> {
    let scale = text.split_once(['.', ',']).map_or(0, |(_, decimals)| decimals.len());
    let digits: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '-').collect();
    let value: i128 = digits.parse().ok()?;
    (value.unsigned_abs() < 10_u128.pow(31)).then_some(Number::Literal { value, scale: scale as i32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        assert_eq!(number_of("-12.50"), Some(Number::Literal { value: -1250, scale: 2 }));
        assert_eq!(number_of("7"), Some(Number::whole(7)));
        assert_eq!(number_of(&"9".repeat(32)), None);
    }
}
