//! Db2's types by their numbers, as fields of a program and as columns of PostgreSQL.

use sql::oid::{self, Oid};
use sql::value::{Field, Kind};

/// SQLTYPE and SQLLEN of a type that does not allow NULL: with NULL the number is one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) code: i16,
    pub(crate) length: i16,
}

const DATE: i16 = 384;
const TIME: i16 = 388;
const TIMESTAMP: i16 = 392;
const VARCHAR: i16 = 448;
const CHAR: i16 = 452;
const LONG_VARCHAR: i16 = 456;
const VARGRAPHIC: i16 = 464;
const GRAPHIC: i16 = 468;
const FLOAT: i16 = 480;
const DECIMAL: i16 = 484;
const BIGINT: i16 = 492;
const INTEGER: i16 = 496;
const SMALLINT: i16 = 500;

/// The longest CHAR; longer ones are shown as VARCHAR.
const CHAR_MAX: i32 = 255;
/// The longest VARCHAR.
const VARCHAR_MAX: i32 = 32_704;
/// The length of a text whose longest PostgreSQL does not know: that of an expression.
const VARCHAR_UNKNOWN: i32 = 4000;
/// The most digits of a decimal number, and its decimals if PostgreSQL does not know them.
const DIGITS_MAX: i32 = 31;
const SCALE_UNKNOWN: i32 = 6;
/// The number that PostgreSQL adds to the length or the digits of a type.
const MODIFIER: i32 = 4;

/// Returns true if a type allows NULL.
pub(super) fn is_nullable(kind: i16) -> bool {
    kind & 1 == 1
}

/// A program's field; `None` for a type that no field here has, and for a length that the type does not have.
pub(super) fn field(kind: i16, length: i16) -> Option<Field> {
    let bytes = u32::try_from(length).ok()?;
    let is = |lengths: &[u32], field: Field| lengths.contains(&bytes).then_some(field);
    let text = |kind, bytes| Field { kind, ..Field::char(bytes) };
    match kind & !1 {
        DATE | TIME | TIMESTAMP | CHAR if bytes > 0 => Some(Field::char(bytes)),
        VARCHAR | LONG_VARCHAR => Some(Field::varchar(bytes)),
        GRAPHIC if bytes > 0 => Some(Field::graphic(bytes)),
        VARGRAPHIC => Some(text(Kind::Vargraphic, 2 + 2 * bytes)),
        FLOAT => is(&[4, 8], Field::float(bytes)),
        DECIMAL => {
            let [digits, scale] = (bytes as u16).to_be_bytes();
            let fits = (1..=DIGITS_MAX).contains(&i32::from(digits)) && scale <= digits;
            fits.then(|| Field::packed(digits, scale))
        }
        BIGINT => is(&[8], Field::binary(8)),
        INTEGER => is(&[4], Field::binary(4)),
        SMALLINT => is(&[2], Field::binary(2)),
        _ => None,
    }
}

impl Type {
    const fn new(code: i16, length: i16) -> Self {
        Self { code, length }
    }

    /// Returns the type of a value of the region's own tables.
    pub(crate) fn of_values(kind: db2_values::Type) -> Self {
        use db2_values::Type as Of;
        let length = |length: u32| i16::try_from(length).unwrap_or(i16::MAX);
        match kind {
            Of::SmallInt => Self::new(SMALLINT, 2),
            Of::Integer => Self::new(INTEGER, 4),
            Of::BigInt => Self::new(BIGINT, 8),
            Of::Decimal { precision, scale } => Self::new(DECIMAL, i16::from_be_bytes([precision, scale])),
            Of::Real => Self::new(FLOAT, 4),
            Of::Double => Self::new(FLOAT, 8),
            Of::Char(bytes) | Of::Bytes(bytes) | Of::Binary(bytes)
                if (1..=CHAR_MAX as u32).contains(&bytes) =>
            {
                Self::new(CHAR, length(bytes))
            }
            Of::Char(bytes)
            | Of::VarChar(bytes)
            | Of::Bytes(bytes)
            | Of::VarBytes(bytes)
            | Of::Binary(bytes)
            | Of::VarBinary(bytes) => Self::new(VARCHAR, length(bytes)),
            Of::Date => Self::new(DATE, 10),
            Of::Time => Self::new(TIME, 8),
            Of::Timestamp(0) => Self::new(TIMESTAMP, 19),
            Of::Timestamp(digits) => Self::new(TIMESTAMP, 20 + i16::from(digits)),
        }
    }

    /// Returns the type of a column or marker. `modifier` is as PostgreSQL gives it; `varchar` is the length of a
    /// VARCHAR of Db2's, whose type PostgreSQL calls by that of plain texts.
    pub(crate) fn of(oid: Oid, modifier: i32, varchar: Option<i32>) -> Self {
        match oid {
            oid::BOOL | oid::INT2 => Self::new(SMALLINT, 2),
            oid::INT4 => Self::new(INTEGER, 4),
            oid::INT8 | oid::OID | oid::XID8 => Self::new(BIGINT, 8),
            oid::FLOAT4 => Self::new(FLOAT, 4),
            oid::FLOAT8 => Self::new(FLOAT, 8),
            oid::NUMERIC => decimal(modifier),
            oid::DATE => Self::new(DATE, 10),
            oid::TIME => Self::new(TIME, 8),
            oid::TIMESTAMP => Self::new(TIMESTAMP, 26),
            oid::BPCHAR if varchar.is_none() && (1..=CHAR_MAX).contains(&(modifier - MODIFIER)) => {
                Self::new(CHAR, (modifier - MODIFIER) as i16)
            }
            _ => {
                let own = Some(modifier - MODIFIER).filter(|length| *length > 0);
                let length = varchar.or(own).unwrap_or(VARCHAR_UNKNOWN);
                Self::new(VARCHAR, length.min(VARCHAR_MAX) as i16)
            }
        }
    }
}

/// Reads a decimal type: digits are in the upper half of the modifier, decimals in the lower one.
fn decimal(modifier: i32) -> Type {
    let (digits, scale) = match modifier - MODIFIER {
        known @ 0.. => ((known >> 16).clamp(1, DIGITS_MAX), (known & 0x7FF).min(DIGITS_MAX)),
        _ => (DIGITS_MAX, SCALE_UNKNOWN),
    };
    Type::new(DECIMAL, (digits << 8 | scale.min(digits)) as i16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_describe_says_is_a_field() {
        for oid in [
            oid::BOOL,
            oid::INT4,
            oid::INT8,
            oid::FLOAT4,
            oid::FLOAT8,
            oid::NUMERIC,
            oid::DATE,
            oid::TIME,
            oid::TIMESTAMP,
            oid::BPCHAR,
            oid::TEXT,
            oid::BYTEA,
        ] {
            for modifier in [-1, 0, 4, 5, 300, 0x0009_0006, i32::MAX] {
                let Type { code, length } = Type::of(oid, modifier, None);
                assert!(field(code, length).is_some(), "{oid} {modifier}: {code} {length}");
                assert_eq!(field(code + 1, length), field(code, length));
            }
        }
    }

    #[test]
    fn columns_as_db2_calls_them() {
        assert_eq!(Type::of(oid::NUMERIC, (9 << 16 | 2) + 4, None), Type::new(DECIMAL, 0x0902));
        assert_eq!(Type::of(oid::NUMERIC, -1, None), Type::new(DECIMAL, 31 << 8 | 6));
        assert_eq!(Type::of(oid::BPCHAR, 12, None), Type::new(CHAR, 8));
        assert_eq!(Type::of(oid::BPCHAR, -1, Some(20)), Type::new(VARCHAR, 20));
        assert_eq!(Type::of(oid::BPCHAR, 300, None), Type::new(VARCHAR, 296));
    }

    #[test]
    fn lengths_that_a_type_does_not_have() {
        for (kind, length) in [
            (CHAR, -1),
            (CHAR, 0),
            (VARCHAR, -5),
            (INTEGER, 8),
            (FLOAT, 2),
            (DECIMAL, 0x2000),
            (DECIMAL, 0x0506),
            (DECIMAL, 0),
            (404, 10),
            (-1, 1),
        ] {
            assert_eq!(field(kind, length), None, "{kind} {length}");
        }
        assert_eq!(field(VARCHAR, 0), Some(Field::varchar(0)));
    }
}
