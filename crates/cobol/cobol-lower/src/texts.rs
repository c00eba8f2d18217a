//! Operands as characters.

use cobol_check::{EURO, literal_byte};
use cobol_data::{Numeric, Representation, SignPlace, Type};
use cobol_runtime::national;
use cobol_source::At;
use cobol_syntax::tree::{Figurative, Literal, LiteralKind, Operand};

use super::places::{Extent, Located};
use super::value::Value;
use super::{Lowered, Lowering};
use cobol_ir::program::{BytePlace, Number, Segment, Text, TextFunction};

/// The last character that programs have: they are in ISO 8859-1.
const LAST_CHARACTER: char = '\u{ff}';

impl<'a> Lowering<'a> {
    /// The bytes of a literal in quotes.
    pub(crate) fn literal_bytes(&mut self, literal: &Literal) -> Lowered<Vec<u8>> {
        let bytes = match literal.kind {
            LiteralKind::Text => characters(&literal.text),
            LiteralKind::NullTerminated => characters(&literal.text).map(|mut bytes| {
                bytes.push(0);
                bytes
            }),
            LiteralKind::Hexadecimal => super::literals::hexadecimal(&literal.text),
            LiteralKind::Number => Some(literal.text.bytes().filter(u8::is_ascii_digit).collect()),
            _ => None,
        };
        match bytes {
            Some(bytes) => Ok(bytes),
            None => match literal.text.chars().find(|c| *c > LAST_CHARACTER && *c != EURO) {
                Some(character) => {
                    let message = format!("programs have no character {character}");
                    self.mistaken(literal.at, message, "write one of ISO 8859-1, or a national literal")
                }
                None => self.refuse(literal.at, "this literal"),
            },
        }
    }

    /// A literal in quotes as national characters: the letters of its text, else those that its bytes are.
    pub(crate) fn literal_as_national(&mut self, literal: &Literal) -> Lowered<Vec<u8>> {
        let bytes = self.literal_bytes(literal)?;
        Ok(match literal.kind {
            LiteralKind::Text => literal.text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            _ => national::national_of(&bytes, national::Encoding::Program),
        })
    }

    /// A place of constants.
    pub(crate) fn constant_place(&mut self, bytes: &[u8]) -> BytePlace {
        let at = self.constant(bytes);
        BytePlace::fixed(Segment::Constant, at, bytes.len() as u32)
    }

    /// A figurative constant, as often as needed.
    pub(crate) fn figurative(&mut self, constant: &Figurative, at: At) -> Lowered<Text> {
        let bytes = match constant {
            Figurative::Zero => vec![b'0'],
            Figurative::Space => vec![b' '],
            Figurative::HighValue => vec![self.high_value()],
            Figurative::LowValue => vec![self.low_value()],
            Figurative::Null => vec![0],
            Figurative::Quote => vec![self.options.quote],
            Figurative::All(literal) => self.literal_bytes(literal)?,
        };
        if bytes.is_empty() {
            return self.mistaken(at, "the literal behind ALL is empty", "write at least one character");
        }
        Ok(Text::Repeated(self.constant_place(&bytes)))
    }

    /// An operand as characters. A number must be a whole one, and loses its sign.
    pub(crate) fn text(&mut self, operand: &'a Operand) -> Lowered<Text> {
        match operand {
            Operand::Literal(literal) => {
                let whole = literal.kind != LiteralKind::Number || !literal.text.contains(['.', ',']);
                if !whole {
                    return self.refuse(literal.at, "this number as characters");
                }
                let bytes = self.literal_bytes(literal)?;
                Ok(Text::Place(self.constant_place(&bytes)))
            }
            Operand::Figurative(constant, at) => self.figurative(constant, *at),
            Operand::Reference(reference) => {
                if let Some(character) = self.symbolic_character(reference)? {
                    return Ok(Text::Repeated(self.constant_place(&[character])));
                }
                if let Some((_, item)) = self.item(reference.id)
                    && item.kind == Type::Constant
                    && let Some(value) = item.values.first()
                {
                    return self.text(&value.from);
                }
                let located = self.locate(reference, Extent::Present)?;
                self.located_text(located, reference.at())
            }
            Operand::Function(call) => match self.function(call)? {
                Value::Text(text) => Ok(text),
                Value::Number(Number::Real(_)) => {
                    self.refuse(call.name.at, format_args!("FUNCTION {} as characters", call.name.text))
                }
                Value::Number(number) => Ok(Text::Function(Box::new(TextFunction::Plain(number)))),
            },
            Operand::Cics { .. } | Operand::LengthOf(..) => {
                let number = self.operand_number(operand)?;
                Ok(Text::Digits(number, 9))
            }
            Operand::AddressOf(_, at) => self.refuse(*at, "ADDRESS OF here"),
            Operand::Truth(_, at) => self.refuse(*at, "TRUE or FALSE here"),
        }
    }

    /// An item as characters: of a number its digits without sign.
    pub(crate) fn located_text(&mut self, located: Located<'a>, at: At) -> Lowered<Text> {
        match located.kind() {
            Type::Group
            | Type::Alphabetic
            | Type::Alphanumeric
            | Type::AlphanumericEdited(_)
            | Type::NumericEdited(_)
            | Type::Pointer
            | Type::Index => Ok(Text::Place(located.place)),
            Type::Numeric(numeric) if is_plain_zoned(numeric) => Ok(Text::Place(located.place)),
            // P stands for zeros in front of the decimal point.
            Type::Numeric(numeric) if numeric.is_integer() && numeric.scale <= 0 => {
                let numeric = self.numeric(*numeric);
                let digits = u32::from(numeric.digits) + u32::from(numeric.scale.unsigned_abs());
                Ok(Text::Digits(Number::Field(located.place, numeric), digits))
            }
            Type::Numeric(numeric) if numeric.scale > 0 => {
                let message = format!("{} has decimals, and is no text", located.item.display_name());
                self.mistaken(at, message, "move it to a numeric-edited item, and write that")
            }
            kind => {
                let name = kind.name();
                self.refuse(at, format_args!("{} ({name}) as characters", located.item.display_name()))
            }
        }
    }
}

/// Returns true if a number's characters are its digits and nothing else.
pub(crate) fn is_plain_zoned(numeric: &Numeric) -> bool {
    numeric.representation == Representation::Zoned(SignPlace::None) && numeric.scale == 0
}

/// Characters as the program holds them, the euro as in code page 1140; `None` if it cannot hold one.
fn characters(text: &str) -> Option<Vec<u8>> {
    text.chars().map(literal_byte).collect()
}
