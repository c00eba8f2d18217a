//! Functions of texts.

use db2::package::Spot;
use db2_values::Type;

use super::Call;
use crate::refusal::Refusal;
use crate::tree::{Expression, Function, Node};

/// The longest VARCHAR.
const LONGEST: u32 = 32_704;
/// The longest CHAR; a longer concatenation is VARCHAR.
const CHAR_MAX: u32 = 255;
/// The length of a repeated text whose number is not known.
const REPEATED: u32 = 4000;

/// The function of a name.
pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "UPPER" | "UCASE" => Function::Upper,
        "LOWER" | "LCASE" => Function::Lower,
        "SUBSTR" | "SUBSTRING" => Function::Substring,
        "RTRIM" => Function::StripRight,
        "LTRIM" => Function::StripLeft,
        "LENGTH" | "CHARACTER_LENGTH" | "CHAR_LENGTH" => Function::Length,
        "DIGITS" => Function::Digits,
        "HEX" => Function::Hex,
        "POSSTR" => Function::Position,
        "LOCATE" | "POSITION" => Function::Locate,
        "LOCATE_IN_STRING" => Function::LocateInString,
        "LEFT" => Function::Left,
        "RIGHT" => Function::Right,
        "REPEAT" => Function::Repeat,
        "SPACE" => Function::Space,
        "REPLACE" => Function::Replace,
        "INSERT" => Function::Insert,
        "OVERLAY" => Function::Overlay,
        "TRANSLATE" => Function::Translate,
        "SOUNDEX" => Function::Soundex,
        "DIFFERENCE" => Function::Difference,
        _ => return None,
    })
}

/// Two texts, one behind the other.
pub(in crate::query) fn concatenated(
    left: Expression,
    right: Expression,
    spot: Spot,
) -> Result<Expression, Refusal> {
    let (Some(first), Some(second)) = (left.kind.length(), right.kind.length()) else {
        return Err(
            Refusal::code(-171, spot, "only characters can be concatenated").help("use DIGITS or CHAR")
        );
    };
    let length = first + second;
    let kind = match (left.kind, right.kind) {
        (Type::Char(_), Type::Char(_)) if length <= CHAR_MAX => Type::Char(length),
        (Type::Bytes(_) | Type::VarBytes(_), _) | (_, Type::Bytes(_) | Type::VarBytes(_)) => {
            Type::VarBytes(length)
        }
        _ => Type::VarChar(length),
    };
    let is_nullable = left.is_nullable || right.is_nullable;
    Ok(Expression { node: Node::Concatenation(Box::new([left, right])), kind, is_nullable })
}

/// A text of this length at most, of characters or bytes as another one.
fn varying(length: u32, like: Type) -> Type {
    let length = length.clamp(1, LONGEST);
    if like.is_bits() { Type::VarBytes(length) } else { Type::VarChar(length) }
}

impl Call<'_> {
    pub(super) fn of_texts(self, function: Function) -> Result<Expression, Refusal> {
        use Function as F;
        let kind = match function {
            F::Substring => return self.substring(),
            F::StripLeft | F::StripRight => return self.stripped(function),
            F::Length => {
                self.kinds(1..=1)?;
                Type::Integer
            }
            F::Digits => self.digits()?,
            F::Hex => self.hex()?,
            F::Upper | F::Lower => {
                let kinds = self.kinds(1..=1)?;
                self.demand(kinds[0].is_text() && !kinds[0].is_bits())?;
                kinds[0]
            }
            F::Translate => {
                let kinds = self.kinds(1..=4)?;
                self.demand(kinds.len() != 2 && kinds.iter().all(|kind| kind.is_text()))?;
                kinds[0]
            }
            F::Soundex | F::Difference => {
                let arguments = if function == F::Soundex { 1 } else { 2 };
                let kinds = self.kinds(arguments..=arguments)?;
                self.demand(kinds.iter().all(|kind| kind.is_text()))?;
                if function == F::Soundex { Type::Char(4) } else { Type::Integer }
            }
            F::Position | F::Locate | F::LocateInString => self.place(function)?,
            _ => self.longer(function)?,
        };
        Ok(self.made(function, kind))
    }

    /// SUBSTR: of CHAR, with a length that is a constant, it is CHAR; else VARCHAR.
    fn substring(self) -> Result<Expression, Refusal> {
        let kinds = self.kinds(2..=3)?;
        let Some(whole) = kinds[0].length() else { return Err(self.wrong_type()) };
        self.demand(kinds[1..].iter().all(|kind| kind.is_whole()))?;
        let (start, length) = (self.constant(1), self.constant(2));
        let is_outside = start == Some(0)
            || start.is_some_and(|start| start > whole)
            || start.zip(length).is_some_and(|(start, length)| length > whole + 1 - start);
        if is_outside {
            return Err(Refusal::code(-138, self.spot, "SUBSTR takes more than the text has"));
        }
        let kind = match (length.filter(|length| (1..=255).contains(length)), kinds[0].is_bits()) {
            (Some(length), false) => Type::Char(length),
            (Some(length), true) => Type::Bytes(length),
            (None, _) => varying(whole, kinds[0]),
        };
        Ok(self.made(Function::Substring, kind))
    }

    /// STRIP of a side, perhaps with a character.
    pub(super) fn stripped(self, function: Function) -> Result<Expression, Refusal> {
        let kinds = self.kinds(1..=2)?;
        self.demand(kinds.iter().all(|kind| kind.is_text()))?;
        let kind = varying(kinds[0].length().unwrap_or_default(), kinds[0]);
        Ok(self.made(function, kind))
    }

    fn digits(&self) -> Result<Type, Refusal> {
        Ok(Type::Char(match self.kinds(1..=1)?[0] {
            Type::SmallInt => 5,
            Type::Integer => 10,
            Type::BigInt => 19,
            Type::Decimal { precision, .. } => precision.into(),
            _ => return Err(self.wrong_type()),
        }))
    }

    /// HEX: two characters for each byte.
    fn hex(&self) -> Result<Type, Refusal> {
        let bytes = match self.kinds(1..=1)?[0] {
            Type::SmallInt => 2,
            Type::Integer | Type::Date => 4,
            Type::Time => 3,
            Type::BigInt => 8,
            Type::Decimal { precision, .. } => u32::from(precision) / 2 + 1,
            Type::Timestamp(digits) => 7 + u32::from(digits).div_ceil(2),
            kind => kind.length().ok_or_else(|| self.wrong_type())?,
        };
        Ok(varying(bytes.saturating_mul(2), Type::Char(1)))
    }

    /// POSSTR, LOCATE and the like: two texts, then whole numbers.
    fn place(&self, function: Function) -> Result<Type, Refusal> {
        let most = match function {
            Function::Position => 2,
            Function::Locate => 3,
            _ => 4,
        };
        let kinds = self.kinds(2..=most)?;
        let (texts, numbers) = kinds.split_at(2);
        self.demand(texts.iter().all(|kind| kind.is_text()) && numbers.iter().all(|kind| kind.is_whole()))?;
        Ok(Type::Integer)
    }

    /// Functions whose texts may be longer than their arguments.
    fn longer(&self, function: Function) -> Result<Type, Refusal> {
        let kinds = self.kinds(1..=4)?;
        let length = |at: usize| kinds.get(at).and_then(|kind| kind.length());
        let is_whole = |at: usize| kinds.get(at).is_some_and(|kind| kind.is_whole());
        let found = match (function, kinds.len()) {
            (Function::Left | Function::Right, 2) if is_whole(1) => length(0),
            (Function::Space, 1) if is_whole(0) => Some(self.constant(0).unwrap_or(REPEATED)),
            (Function::Repeat, 2) if is_whole(1) => {
                let number = self.constant(1);
                length(0)
                    .map(|length| number.map_or(REPEATED.max(length), |number| number.saturating_mul(length)))
            }
            (Function::Replace, 3) => length(0).zip(length(1)).zip(length(2)).map(|((of, old), new)| {
                if new <= old {
                    of
                } else {
                    (of / old.max(1)).saturating_mul(new).saturating_add(of % old.max(1))
                }
            }),
            (Function::Insert, 4) if is_whole(1) && is_whole(2) => {
                length(0).zip(length(3)).map(|(of, new)| of.saturating_add(new))
            }
            (Function::Overlay, 3 | 4) if is_whole(2) && (kinds.len() == 3 || is_whole(3)) => {
                length(0).zip(length(1)).map(|(of, new)| of.saturating_add(new))
            }
            (Function::Left | Function::Right | Function::Repeat, 2)
            | (Function::Space, 1)
            | (Function::Insert, 4)
            | (Function::Overlay, 3 | 4) => None,
            _ => return Err(self.wrong_number()),
        };
        let found = found.ok_or_else(|| self.wrong_type())?;
        Ok(varying(found, if function == Function::Space { Type::Char(1) } else { kinds[0] }))
    }
}
