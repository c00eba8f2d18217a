//! Precision and scale, as far as a text says them, and as PostgreSQL is asked for them.

/// The rules of a statement's arithmetic where both operands have at most 15 digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// At most 31 digits, not 15.
    pub is_long: bool,
    /// The least scale of a division: 1 to 9, or 0.
    pub least_scale: u8,
}

impl Arithmetic {
    /// As an option or CURRENT PRECISION has it: DEC15, DEC31, 15, 31, D15.3, `D31,3`.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim().to_uppercase();
        let digits = text.strip_prefix("DEC").or(text.strip_prefix('D')).unwrap_or(&text);
        let (most, scale) = digits.split_once(['.', ',']).unwrap_or((digits, "0"));
        let least_scale = scale.parse().ok().filter(|scale| *scale <= 9)?;
        match most {
            "15" => Some(Self { is_long: false, least_scale }),
            "31" => Some(Self { is_long: true, least_scale }),
            _ => None,
        }
    }

    /// As functions of the schema `db2` have it.
    pub(super) fn mode(self) -> u32 {
        (if self.is_long { 310 } else { 150 }) + u32::from(self.least_scale)
    }
}

/// The kind of number in a host variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holds {
    /// No number, or what is not known.
    #[default]
    Other,
    /// SMALLINT, INTEGER, BIGINT: 5, 11 or 19 digits.
    Whole(u8),
    /// DECIMAL.
    Decimal {
        /// Digits.
        precision: u8,
        /// Those behind the point.
        scale: u8,
    },
    /// Floating point.
    Float,
}

/// The type of an expression, where it is a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    Unknown,
    Whole(u8),
    Decimal(u8, u8),
    Float,
    /// An expression of PostgreSQL's.
    Asked(String),
}

impl Precision {
    /// As functions of the schema `db2` have it.
    pub(super) fn sql(&self) -> String {
        match self {
            Self::Unknown => "0".into(),
            Self::Whole(digits) => format!("-{digits}"),
            Self::Decimal(precision, scale) => (u32::from(*precision) * 100 + u32::from(*scale)).to_string(),
            Self::Float => "-99".into(),
            Self::Asked(text) => text.clone(),
        }
    }

    pub(super) fn is_known(&self) -> bool {
        *self != Self::Unknown
    }

    /// Returns true if no rule of decimal numbers applies to it.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Whole(_) | Self::Float)
    }

    /// The result of a function of the schema for these.
    pub(super) fn of(function: &str, operands: &[&Self], mode: Option<u32>) -> Self {
        if operands.iter().any(|operand| !operand.is_known()) {
            return Self::Unknown;
        }
        let mut arguments: Vec<String> = operands.iter().map(|operand| operand.sql()).collect();
        arguments.extend(mode.map(|mode| mode.to_string()));
        Self::Asked(format!("db2.{function}({})", arguments.join(", ")))
    }

    /// That of a result of operands none of which is decimal.
    pub(super) fn plain(first: &Self, second: &Self) -> Self {
        match (first, second) {
            (Self::Whole(a), Self::Whole(b)) => Self::Whole(if *a.max(b) > 11 { 19 } else { 11 }),
            _ => Self::Float,
        }
    }

    /// That of a constant.
    pub(super) fn of_constant(text: &str) -> Self {
        if text.contains(['e', 'E']) {
            return Self::Float;
        }
        let digits = text.bytes().filter(u8::is_ascii_digit).count().min(31) as u8;
        match text.split_once('.') {
            Some((_, behind)) => Self::Decimal(digits.max(1), behind.len().min(31) as u8),
            None if digits > 19 => Self::Decimal(digits, 0),
            None => Self::Whole(digits.max(5)),
        }
    }
}

impl From<Holds> for Precision {
    fn from(holds: Holds) -> Self {
        match holds {
            Holds::Other => Self::Unknown,
            Holds::Whole(digits) => Self::Whole(digits),
            Holds::Decimal { precision, scale } => Self::Decimal(precision, scale),
            Holds::Float => Self::Float,
        }
    }
}
