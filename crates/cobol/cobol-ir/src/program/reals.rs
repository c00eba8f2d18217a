//! Floating point: numbers that are computed in the hexadecimal form of the machine.

use cobol_runtime::floating::{Hex, Width};

use super::{BytePlace, Held, Number, Operator, Shape, Text};
use serde::{Deserialize, Serialize};

/// A number of floating point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Real {
    /// An item.
    Field(BytePlace, Width),
    /// A constant.
    Literal(Hex),
    /// A fixed-point number, rounded.
    Fixed(Box<Number>),
    /// A number of the frame.
    Held(Held),
    /// With the other sign.
    Negative(Box<Self>),
    /// Without its sign.
    Absolute(Box<Self>),
    /// Two numbers to a third.
    Binary(Operator, Box<Self>, Box<Self>),
    /// A number to the power of another.
    Power {
        /// The number.
        base: Box<Self>,
        /// The power.
        exponent: Box<Self>,
        /// As of [`Power`].
        strict: bool,
    },
    /// An intrinsic function.
    Function(RealFunction, Vec<Self>),
    /// RANDOM: the next number of the sequence whose state lies in a fullword, or the first one that a number begins.
    Random(BytePlace, Option<Box<Number>>),
    /// NUMVAL-F.
    Read(Box<Text>),
}

/// A fixed-point number to a whole power.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Power {
    /// The number.
    pub base: Number,
    /// The power; of a negative one, one is divided by the power without its sign.
    pub exponent: Number,
    /// The digits that are kept; those beyond are cut off at both ends.
    pub shape: Shape,
    /// True if these are size errors: 0 ** 0, a negative number to a power with decimals, and a number of more
    /// digits. Else the first is 1, and the second goes without its sign.
    pub strict: bool,
}

/// An intrinsic function of floating point. Arguments outside of what the language reference allows are a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RealFunction {
    /// ACOS.
    ArcCosine,
    /// ASIN.
    ArcSine,
    /// ATAN.
    ArcTangent,
    /// COS.
    Cosine,
    /// SIN.
    Sine,
    /// TAN.
    Tangent,
    /// EXP.
    Exponential,
    /// EXP10.
    PowerOfTen,
    /// LOG.
    Logarithm,
    /// LOG10.
    DecimalLogarithm,
    /// SQRT.
    SquareRoot,
    /// ANNUITY.
    Annuity,
    /// PRESENT-VALUE.
    PresentValue,
    /// VARIANCE.
    Variance,
    /// STANDARD-DEVIATION.
    StandardDeviation,
    /// MAX.
    Greatest,
    /// MIN.
    Least,
    /// MEAN.
    Mean,
    /// MEDIAN.
    Median,
}

impl RealFunction {
    /// Functions whose arguments and value are of floating point, whatever else there is, by the names that programs give them.
    const NAMED: [(&str, Self); 15] = [
        ("ACOS", Self::ArcCosine),
        ("ANNUITY", Self::Annuity),
        ("ASIN", Self::ArcSine),
        ("ATAN", Self::ArcTangent),
        ("COS", Self::Cosine),
        ("EXP", Self::Exponential),
        ("EXP10", Self::PowerOfTen),
        ("LOG", Self::Logarithm),
        ("LOG10", Self::DecimalLogarithm),
        ("PRESENT-VALUE", Self::PresentValue),
        ("SIN", Self::Sine),
        ("SQRT", Self::SquareRoot),
        ("STANDARD-DEVIATION", Self::StandardDeviation),
        ("TAN", Self::Tangent),
        ("VARIANCE", Self::Variance),
    ];

    /// The function of a name; `None` if it is another kind of function.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(own, _)| *own == name).map(|(_, function)| *function)
    }
}
