//! National items and literals: UTF-16, the higher byte first.

use cobol_data::Type;
use cobol_runtime::national;
use cobol_source::At;
use cobol_syntax::tree::{Expression, Figurative, FunctionCall, Literal, LiteralKind, Operand};
use cobol_syntax::{ValueClass, function};

use super::kinds::{is_national_class, is_usage_national};
use super::places::{Extent, Located};
use super::{Lowered, Lowering, utf8};
use cobol_ir::program::{BytePlace, Encoding, Operation, Text, TextFunction};

impl<'a> Lowering<'a> {
    /// Returns true if an operand is national characters.
    pub(super) fn is_national(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Literal(literal) => is_national_literal(literal.kind),
            Operand::Reference(reference) => {
                let is_part = reference.modification.is_some();
                self.item(reference.id).is_some_and(|(_, item)| {
                    is_national_class(&item.kind) || (is_part && is_usage_national(&item.kind))
                })
            }
            Operand::Function(call) if utf8::is_of_kind_of_argument(call) => {
                let first = call.arguments.first().and_then(Expression::operand);
                first.is_some_and(|first| self.is_national(first))
            }
            Operand::Function(call) => {
                function(&call.name.text).is_some_and(|record| record.value == ValueClass::National)
            }
            _ => false,
        }
    }

    /// Returns true if an operand is a group, which statements take as bytes.
    pub(super) fn is_group(&self, operand: &Operand) -> bool {
        let Operand::Reference(reference) = operand else { return false };
        let item = self.item(reference.id);
        reference.modification.is_none() && item.is_some_and(|(_, item)| item.kind == Type::Group)
    }

    /// An operand as national characters.
    pub(super) fn national_text(&mut self, operand: &'a Operand) -> Lowered<Text> {
        match operand {
            Operand::Literal(literal) if is_national_literal(literal.kind) => {
                let bytes = self.national_literal(literal)?;
                Ok(Text::Place(self.constant_place(&bytes)))
            }
            Operand::Literal(literal) if literal.kind != LiteralKind::Number => {
                let bytes = self.literal_as_national(literal)?;
                Ok(Text::Place(self.constant_place(&bytes)))
            }
            Operand::Figurative(Figurative::All(literal), at) if is_national_literal(literal.kind) => {
                let bytes = self.national_literal(literal)?;
                self.repeated_national(&bytes, *at)
            }
            Operand::Figurative(Figurative::All(literal), at) if literal.kind != LiteralKind::Number => {
                let bytes = self.literal_as_national(literal)?;
                self.repeated_national(&bytes, *at)
            }
            Operand::Figurative(constant, at) => {
                let unit = match constant {
                    Figurative::Zero => [0, b'0'],
                    Figurative::Space => national::SPACE,
                    Figurative::HighValue => [0xFF; 2],
                    Figurative::LowValue | Figurative::Null => [0; 2],
                    Figurative::Quote => [0, self.options.quote],
                    Figurative::All(_) => return self.refuse(*at, "ALL beside national characters"),
                };
                Ok(Text::Repeated(self.constant_place(&unit)))
            }
            Operand::Reference(reference) if self.is_national(operand) => {
                Ok(Text::Place(self.locate(reference, Extent::Present)?.place))
            }
            operand if self.is_utf8(operand) => Ok(utf8::to_national(self.utf8_text(operand, None)?)),
            Operand::Function(call) if &*call.name.text == "NATIONAL-OF" => self.national_of(call),
            Operand::Function(call) if self.is_national(operand) => self.national_function(call),
            other => {
                let text = self.text(other)?;
                Ok(to_national(text, Encoding::Program))
            }
        }
    }

    /// ALL of a literal.
    fn repeated_national(&mut self, bytes: &[u8], at: At) -> Lowered<Text> {
        if bytes.is_empty() {
            return self.mistaken(at, "the literal behind ALL is empty", "write at least one character");
        }
        Ok(Text::Repeated(self.constant_place(bytes)))
    }

    /// The values that functions have in national characters.
    fn national_function(&mut self, call: &'a FunctionCall) -> Lowered<Text> {
        if call.modification.is_some() {
            let what = format_args!("reference modification of national FUNCTION {}", call.name.text);
            return self.refuse(call.name.at, what);
        }
        match (&*call.name.text, &call.arguments[..]) {
            ("USUBSTR", _) => match self.unicode_part(call)? {
                Some(function) => Ok(Text::Function(Box::new(function))),
                None => self.unknown(call),
            },
            ("CONTENT-OF" | "TRIM" | "UPPER-CASE" | "LOWER-CASE", [one]) => match one.operand() {
                Some(operand) => {
                    let text = self.national_text(operand)?;
                    Ok(match &*call.name.text {
                        "CONTENT-OF" => text,
                        _ => utf8::to_national(utf8::changed(call, utf8::of_national(text))),
                    })
                }
                None => self.wrong(call, one),
            },
            _ => match self.made_text(call)? {
                Some(text) => Ok(to_national(text, Encoding::Program)),
                None => self.unknown(call),
            },
        }
    }

    /// An operand of STRING, UNSTRING or INSPECT; national where the others are.
    pub(super) fn characters_of(&mut self, operand: &'a Operand, national: bool) -> Lowered<Text> {
        if !national {
            return self.text(operand);
        }
        if self.is_utf8(operand) {
            return self.refuse(operand.at(), "UTF-8 beside national characters");
        }
        if let Operand::Reference(reference) = operand
            && let Some((_, item)) = self.item(reference.id)
            && !matches!(item.kind, Type::National | Type::NationalEdited(_) | Type::Numeric(_))
        {
            let what = format!("{} ({}) beside national characters", reference.name.text, item.kind.name());
            return self.refuse(reference.at(), what);
        }
        self.national_text(operand)
    }

    pub(super) fn national_literal(&mut self, literal: &Literal) -> Lowered<Vec<u8>> {
        let units = || literal.text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        if literal.kind == LiteralKind::National {
            return Ok(units());
        }
        let digits: Option<Vec<u8>> =
            literal.text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
        match digits.filter(|digits| digits.len().is_multiple_of(4)) {
            Some(digits) => Ok(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()),
            None => self.refuse(literal.at, "this literal"),
        }
    }

    /// A national item, or a part of one, takes an operand.
    pub(super) fn move_national(&mut self, from: &'a Operand, to: BytePlace) -> Lowered<()> {
        let from = self.national_text(from)?;
        self.emit(Operation::MoveNational { from, to });
        Ok(())
    }

    /// From one item to a national one, as MOVE CORRESPONDING does.
    pub(super) fn move_located_national(&mut self, from: Located<'a>, to: BytePlace, at: At) -> Lowered<()> {
        let from = self.located_national(from, at)?;
        self.emit(Operation::MoveNational { from, to });
        Ok(())
    }

    /// An item as national characters.
    pub(super) fn located_national(&mut self, from: Located<'a>, at: At) -> Lowered<Text> {
        Ok(match from.kind() {
            Type::National | Type::NationalEdited(_) => Text::Place(from.place),
            Type::Utf8(_) => utf8::to_national(utf8::text_of(utf8::whole(from))),
            _ => to_national(self.located_text(from, at)?, Encoding::Program),
        })
    }

    /// National characters as DISPLAY shows them.
    pub(super) fn shown_national(&mut self, operand: &'a Operand) -> Lowered<TextFunction> {
        let text = self.national_text(operand)?;
        Ok(TextFunction::Display { text, to: Encoding::Program })
    }

    /// FUNCTION NATIONAL-OF.
    fn national_of(&mut self, call: &'a FunctionCall) -> Lowered<Text> {
        let Some((text, page)) = call.arguments.split_first() else { return self.unknown(call) };
        if call.modification.is_some() {
            return self.refuse(call.name.at, "reference modification of FUNCTION NATIONAL-OF");
        }
        if let Some(utf8) = self.utf8_argument_of(text)? {
            return match page {
                [] => Ok(utf8::to_national(utf8)),
                _ => self.refuse(call.name.at, "a code page beside UTF-8 in FUNCTION NATIONAL-OF"),
            };
        }
        let from = self.encoding(call, page)?;
        let text = self.argument_text(call, text)?;
        Ok(to_national(text, from))
    }

    /// FUNCTION DISPLAY-OF.
    pub(super) fn display_of(&mut self, call: &'a FunctionCall) -> Lowered<TextFunction> {
        let Some((text, page)) = call.arguments.split_first() else { return self.unknown(call) };
        let to = self.encoding(call, page)?;
        match text.operand() {
            Some(operand) if self.is_national(operand) || self.is_utf8(operand) => {
                let text = self.national_text(operand)?;
                Ok(TextFunction::Display { text, to })
            }
            _ => self.wrong(call, text),
        }
    }

    /// The number of a code page; left out for the program's own.
    fn encoding(&mut self, call: &FunctionCall, page: &'a [Expression]) -> Lowered<Encoding> {
        let known = match page {
            [] => return Ok(Encoding::Program),
            [one] => match one.operand() {
                Some(Operand::Literal(literal)) => literal.text.parse().ok().and_then(Encoding::of),
                Some(Operand::Reference(reference)) => {
                    return Ok(Encoding::Numbered(self.item_number(reference)?));
                }
                _ => None,
            },
            _ => None,
        };
        match known {
            Some(known) => Ok(known),
            None => self.refuse(call.name.at, format_args!("FUNCTION {} of this code page", call.name.text)),
        }
    }
}

fn is_national_literal(kind: LiteralKind) -> bool {
    matches!(kind, LiteralKind::National | LiteralKind::NationalHexadecimal)
}

fn to_national(text: Text, from: Encoding) -> Text {
    Text::Function(Box::new(TextFunction::National { text, from }))
}
