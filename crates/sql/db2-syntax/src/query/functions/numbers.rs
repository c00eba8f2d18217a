//! Functions of numbers, and conversions to them.

use db2_values::Type;

use super::Call;
use crate::refusal::Refusal;
use crate::tree::{Expression, Function};

/// The function of a name.
pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "SMALLINT" | "INTEGER" | "INT" | "BIGINT" | "DECIMAL" | "DEC" | "FLOAT" | "DOUBLE" | "REAL"
        | "DOUBLE_PRECISION" => Function::Convert,
        "MOD" => Function::Modulo,
        "ABS" | "ABSVAL" => Function::Absolute,
        "CEILING" | "CEIL" => Function::Ceiling,
        "FLOOR" => Function::Floor,
        "ROUND" => Function::Round,
        "TRUNCATE" | "TRUNC" => Function::Truncate,
        "SIGN" => Function::Sign,
        "MULTIPLY_ALT" => Function::MultiplyAlternative,
        "BITAND" => Function::BitAnd,
        "BITANDNOT" => Function::BitAndNot,
        "BITOR" => Function::BitOr,
        "BITXOR" => Function::BitXor,
        "BITNOT" => Function::BitNot,
        _ => return None,
    })
}

/// The type of a number; that of its text has 31 digits, 6 of them behind the point.
fn number(kind: Type) -> Type {
    if kind.is_text() { Type::Decimal { precision: 31, scale: 6 } } else { kind }
}

impl Call<'_> {
    pub(super) fn of_numbers(self, function: Function) -> Result<Expression, Refusal> {
        use Function as F;
        let arguments = match function {
            F::Convert => return self.converted(),
            F::Round | F::Truncate => 1..=2,
            F::Absolute | F::Ceiling | F::Floor | F::Sign | F::BitNot => 1..=1,
            _ => 2..=2,
        };
        let kinds = self.kinds(arguments)?;
        self.demand(kinds.iter().all(|kind| kind.is_number() || kind.is_text()))?;
        let first = number(kinds[0]);
        let kind = match function {
            F::Round | F::Truncate if kinds.len() == 2 && !kinds[1].is_whole() => {
                return Err(self.wrong_type());
            }
            F::Round => match first {
                Type::Decimal { precision, scale } => {
                    Type::Decimal { precision: (precision + 1).min(31), scale }
                }
                kind => kind,
            },
            F::Ceiling | F::Floor => match first {
                Type::Decimal { precision, .. } => Type::Decimal { precision, scale: 0 },
                kind => kind,
            },
            F::Sign if !first.is_float() => Type::Integer,
            F::Sign => Type::Double,
            F::Modulo => first.common(number(kinds[1])).unwrap_or(first),
            F::MultiplyAlternative => self.product(&kinds)?,
            F::BitAnd | F::BitAndNot | F::BitOr | F::BitXor | F::BitNot => {
                self.demand(kinds.iter().all(|kind| kind.is_whole()))?;
                kinds.iter().fold(first, |kind, next| kind.common(*next).unwrap_or(kind))
            }
            _ => first,
        };
        Ok(self.made(function, kind))
    }

    /// MULTIPLY_ALT: all digits if there are no more than 31; else at least three stay behind the point.
    fn product(&self, kinds: &[Type]) -> Result<Type, Refusal> {
        let (Some((p, s)), Some((q, t))) = (kinds[0].digits(), kinds[1].digits()) else {
            return Err(self.wrong_type());
        };
        let precision = (p + q).min(31);
        let whole = (p - s) + (q - t);
        let scale = match p + q {
            0..=31 => s + t,
            _ if whole >= 31 => (s + t).min(3).min(31),
            _ => (s + t).min(31 - whole).max((s + t).min(3)),
        };
        let scale = if s == 0 && t == 0 { 0 } else { scale };
        Ok(Type::Decimal { precision, scale })
    }

    /// INTEGER, DECIMAL and the like: a value in another type.
    fn converted(mut self) -> Result<Expression, Refusal> {
        let further: Option<Vec<u8>> = (1..self.values.len())
            .map(|at| self.constant(at).and_then(|number| u8::try_from(number).ok()))
            .collect();
        let Some(further) = further else { return Err(self.wrong_type()) };
        let Some(first) = self.values.first().map(|first| first.kind) else {
            return Err(self.wrong_number());
        };
        self.demand(first.is_number() || first.is_text())?;
        let of_value = match first {
            Type::Integer => 11,
            Type::SmallInt => 5,
            Type::BigInt => 19,
            _ => 15,
        };
        let kind = match (self.name, further.as_slice()) {
            ("DECIMAL" | "DEC", []) => Type::Decimal { precision: of_value, scale: 0 },
            ("DECIMAL" | "DEC", [precision @ 1..=31]) => Type::Decimal { precision: *precision, scale: 0 },
            ("DECIMAL" | "DEC", [precision @ 1..=31, scale]) if scale <= precision => {
                Type::Decimal { precision: *precision, scale: *scale }
            }
            ("SMALLINT", []) => Type::SmallInt,
            ("INTEGER" | "INT", []) => Type::Integer,
            ("BIGINT", []) => Type::BigInt,
            ("REAL", []) => Type::Real,
            ("FLOAT" | "DOUBLE" | "DOUBLE_PRECISION", []) => Type::Double,
            _ => return Err(self.wrong_number()),
        };
        self.values.truncate(1);
        Ok(self.made(Function::Convert, kind))
    }
}
