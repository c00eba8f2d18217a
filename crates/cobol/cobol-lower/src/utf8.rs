//! Items and literals of UTF-8.

use cobol_data::{Item, Type, Utf8Length};
use cobol_source::At;
use cobol_syntax::tree::{Expression, Figurative, FunctionCall, Literal, LiteralKind, Operand, Reference};
use cobol_syntax::{FunctionRecord, function};

use super::places::{Extent, Located};
use super::{Lowered, Lowering};
use cobol_ir::program::{Encoding, Operation, Text, TextFunction, Utf8Place};

/// Value of HIGH-VALUE: U+10FFFF.
const HIGHEST: [u8; 4] = [0xF4, 0x8F, 0xBF, 0xBF];
/// Its value in the last bytes of an item whose length is no multiple of four: the highest character of so many
/// bytes.
const HIGHEST_SHORT: [&[u8]; 4] = [&[], &[0x7F], &[0xDF, 0xBF], &[0xEF, 0xBF, 0xBF]];
/// Bytes of HIGH-VALUE that are written out, at most.
const HIGHEST_MAX: u32 = 1 << 16;

/// Returns true if the value of a function is UTF-8, or national, where its first argument is.
pub(super) fn is_of_kind_of_argument(call: &FunctionCall) -> bool {
    function(&call.name.text).is_some_and(FunctionRecord::is_of_kind_of_argument)
}

impl<'a> Lowering<'a> {
    /// Returns true if an operand is UTF-8.
    pub(super) fn is_utf8(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Literal(literal) => is_utf8_literal(literal.kind),
            Operand::Figurative(Figurative::All(literal), _) => is_utf8_literal(literal.kind),
            Operand::Reference(reference) => self.is_utf8_item(reference),
            Operand::Function(call) if is_of_kind_of_argument(call) => {
                let first = call.arguments.first().and_then(Expression::operand);
                first.is_some_and(|first| self.is_utf8(first))
            }
            _ => false,
        }
    }

    /// Returns true if a reference is an item of UTF-8, or a part of one.
    pub(super) fn is_utf8_item(&self, reference: &Reference) -> bool {
        self.item(reference.id).is_some_and(|(_, item)| matches!(item.kind, Type::Utf8(_)))
    }

    /// An operand as UTF-8. `beside` is the item that it is moved to or compared with, if it is one.
    pub(super) fn utf8_text(&mut self, operand: &'a Operand, beside: Option<&Utf8Place>) -> Lowered<Text> {
        match operand {
            Operand::Literal(literal) if literal.kind != LiteralKind::Number => {
                let bytes = self.utf8_literal(literal)?;
                Ok(Text::Place(self.constant_place(&bytes)))
            }
            Operand::Figurative(constant, at) => self.utf8_figurative(constant, beside, *at),
            Operand::Reference(reference) if self.is_utf8_item(reference) => {
                let of = self.utf8_place(reference, Extent::Present)?;
                Ok(text_of(of))
            }
            Operand::Function(call) if self.is_utf8(operand) => self.utf8_function(call),
            other if self.is_national(other) => Ok(of_national(self.national_text(other)?)),
            other => Ok(of_program(self.text(other)?)),
        }
    }

    /// The bytes of a literal in quotes, of whatever kind.
    fn utf8_literal(&mut self, literal: &Literal) -> Lowered<Vec<u8>> {
        match literal.kind {
            LiteralKind::Utf8 => match unescaped(&literal.text) {
                Some(text) => Ok(text.into_bytes()),
                None => self.refuse(literal.at, "this escape sequence of a UTF-8 literal"),
            },
            LiteralKind::Utf8Hexadecimal => match super::literals::hexadecimal(&literal.text) {
                Some(bytes) if std::str::from_utf8(&bytes).is_ok() => Ok(bytes),
                _ => self.refuse(literal.at, "a UX literal whose bytes are not UTF-8"),
            },
            LiteralKind::National | LiteralKind::NationalHexadecimal => {
                let bytes = self.national_literal(literal)?;
                let to = cobol_runtime::national::Encoding::Utf8;
                Ok(cobol_runtime::national::display_of(&bytes, to))
            }
            LiteralKind::Text => {
                self.literal_bytes(literal)?;
                Ok(literal.text.as_bytes().to_vec())
            }
            _ => {
                let bytes = self.literal_bytes(literal)?;
                Ok(bytes.iter().copied().map(char::from).collect::<String>().into_bytes())
            }
        }
    }

    fn utf8_figurative(
        &mut self,
        constant: &Figurative,
        beside: Option<&Utf8Place>,
        at: At,
    ) -> Lowered<Text> {
        let bytes = match constant {
            Figurative::Zero => vec![b'0'],
            Figurative::Space => vec![b' '],
            Figurative::LowValue | Figurative::Null => vec![0],
            Figurative::Quote => vec![self.options.quote],
            Figurative::All(literal) => self.utf8_literal(literal)?,
            Figurative::HighValue => match beside {
                // An item of characters has room for each of them.
                None => HIGHEST.to_vec(),
                Some(item) if item.characters.is_some() || item.part.is_some() => HIGHEST.to_vec(),
                Some(item) => match item.place.fixed_length().filter(|length| *length <= HIGHEST_MAX) {
                    Some(length) => {
                        let mut all = HIGHEST.repeat(length as usize / HIGHEST.len());
                        all.extend_from_slice(HIGHEST_SHORT[length as usize % HIGHEST.len()]);
                        return Ok(Text::Place(self.constant_place(&all)));
                    }
                    None => return self.refuse(at, "HIGH-VALUE beside so many bytes of UTF-8"),
                },
            },
        };
        if bytes.is_empty() {
            return self.mistaken(at, "the literal behind ALL is empty", "write at least one character");
        }
        Ok(Text::Repeated(self.constant_place(&bytes)))
    }

    /// Place of a reference to an item of UTF-8.
    pub(super) fn utf8_place(&mut self, reference: &'a Reference, extent: Extent) -> Lowered<Utf8Place> {
        let place = self.locate_whole(reference, extent)?.place;
        let characters = self.item(reference.id).and_then(|(_, item)| characters_of(item));
        let part = match &reference.modification {
            None => None,
            Some(modification) => {
                let start = self.whole(&modification.start)?;
                let length = match &modification.length {
                    Some(length) => Some(self.whole(length)?),
                    None => None,
                };
                Some((start, length))
            }
        };
        Ok(Utf8Place { place, characters, part })
    }

    /// The values that functions have in UTF-8.
    fn utf8_function(&mut self, call: &'a FunctionCall) -> Lowered<Text> {
        if call.modification.is_some() {
            let what = format_args!("reference modification of FUNCTION {} of UTF-8", call.name.text);
            return self.refuse(call.name.at, what);
        }
        match (&*call.name.text, &call.arguments[..]) {
            ("CONTENT-OF" | "TRIM" | "UPPER-CASE" | "LOWER-CASE", [one]) => {
                let text = self.utf8_argument(call, one)?;
                Ok(changed(call, text))
            }
            ("USUBSTR", _) => match self.unicode_part(call)? {
                Some(function) => Ok(Text::Function(Box::new(function))),
                None => self.unknown(call),
            },
            _ => match self.made_text(call)? {
                Some(text) => Ok(text),
                None => self.unknown(call),
            },
        }
    }

    fn utf8_argument(&mut self, call: &FunctionCall, argument: &'a Expression) -> Lowered<Text> {
        match argument.operand() {
            Some(operand) => self.utf8_text(operand, None),
            None => self.wrong(call, argument),
        }
    }

    /// An argument of a function that takes UTF-8 beside others; `None` if it is no UTF-8.
    pub(super) fn utf8_argument_of(&mut self, argument: &'a Expression) -> Lowered<Option<Text>> {
        match argument.operand() {
            Some(operand) if self.is_utf8(operand) => Ok(Some(self.utf8_text(operand, None)?)),
            _ => Ok(None),
        }
    }

    /// An operand to an item of UTF-8, or to some of its characters.
    pub(super) fn move_to_utf8(&mut self, from: &'a Operand, to: Utf8Place, at: At) -> Lowered<()> {
        if let Operand::Literal(Literal { kind: LiteralKind::Number | LiteralKind::Float, .. }) = from {
            return self.refuse(at, "MOVE of a number to UTF-8");
        }
        if let Operand::Reference(reference) = from
            && reference.modification.is_none()
            && self.item(reference.id).is_some_and(|(_, item)| !may_become_utf8(&item.kind))
        {
            return self.refuse(at, format_args!("MOVE of {} to UTF-8", reference.name.text));
        }
        let from = self.utf8_text(from, Some(&to))?;
        self.emit(Operation::MoveUtf8 { from, to });
        Ok(())
    }

    /// From one item to another one of UTF-8, as MOVE CORRESPONDING does.
    pub(super) fn move_located_utf8(&mut self, from: Located<'a>, to: Located<'a>, at: At) -> Lowered<()> {
        let text = match from.kind() {
            Type::Utf8(_) => text_of(whole(from)),
            Type::National | Type::NationalEdited(_) => of_national(Text::Place(from.place)),
            kind if may_become_utf8(kind) => of_program(self.located_text(from, at)?),
            kind => return self.refuse(at, format_args!("MOVE of {} to UTF-8", kind.name())),
        };
        self.emit(Operation::MoveUtf8 { from: text, to: whole(to) });
        Ok(())
    }

    /// UTF-8 as DISPLAY shows it.
    pub(super) fn shown_utf8(&mut self, operand: &'a Operand) -> Lowered<TextFunction> {
        let text = self.utf8_text(operand, None)?;
        Ok(TextFunction::Display { text: to_national(text), to: Encoding::Program })
    }

    /// The item of UTF-8 that an operand is, for what stands beside it in a comparison.
    pub(super) fn utf8_beside(&mut self, operand: &'a Operand) -> Lowered<Option<Utf8Place>> {
        match operand {
            Operand::Reference(reference) if self.is_utf8_item(reference) => {
                Ok(Some(self.utf8_place(reference, Extent::Present)?))
            }
            _ => Ok(None),
        }
    }
}

/// Result of a function on UTF-8 that is its only argument.
pub(super) fn changed(call: &FunctionCall, text: Text) -> Text {
    let function = match &*call.name.text {
        "TRIM" => super::value::trim(call, text),
        "UPPER-CASE" => TextFunction::Utf8Case { text, upper: true },
        "LOWER-CASE" => TextFunction::Utf8Case { text, upper: false },
        _ => return text,
    };
    Text::Function(Box::new(function))
}

/// Number of characters in an item; `None` if the number of bytes is fixed.
fn characters_of(item: &Item) -> Option<u32> {
    match item.kind {
        Type::Utf8(Utf8Length::Characters(characters)) => Some(characters),
        _ => None,
    }
}

/// A whole item that has been located.
pub(super) fn whole(located: Located<'_>) -> Utf8Place {
    Utf8Place::whole(located.place, characters_of(located.item))
}

/// The characters of an item.
pub(super) fn text_of(of: Utf8Place) -> Text {
    match of {
        Utf8Place { place, characters: None, part: None } => Text::Place(place),
        of => Text::Function(Box::new(TextFunction::Utf8(of))),
    }
}

/// UTF-8 as national characters.
pub(super) fn to_national(text: Text) -> Text {
    Text::Function(Box::new(TextFunction::National { text, from: Encoding::Utf8 }))
}

/// National characters as UTF-8.
pub(super) fn of_national(text: Text) -> Text {
    Text::Function(Box::new(TextFunction::Display { text, to: Encoding::Utf8 }))
}

/// Characters of the program as UTF-8.
fn of_program(text: Text) -> Text {
    of_national(Text::Function(Box::new(TextFunction::National { text, from: Encoding::Program })))
}

/// Returns true if items of a type may be moved to UTF-8.
fn may_become_utf8(kind: &Type) -> bool {
    kind.is_characters() || matches!(kind, Type::Utf8(_) | Type::National | Type::NationalEdited(_))
}

pub(super) fn is_utf8_literal(kind: LiteralKind) -> bool {
    matches!(kind, LiteralKind::Utf8 | LiteralKind::Utf8Hexadecimal)
}

/// The characters of a literal: `\uhhhh` and `\U00hhhhhh` are one by its number, `\\` is a backslash, and any other
/// backslash stands for itself. `None` if there is no such character.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = match rest.chars().next() {
            Some('u') => 4,
            Some('U') => 8,
            Some('\\') => {
                out.push('\\');
                rest = &rest[1..];
                continue;
            }
            _ => {
                out.push('\\');
                continue;
            }
        };
        let hexadecimal = rest.get(1..=digits)?;
        if !hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        out.push(char::from_u32(u32::from_str_radix(hexadecimal, 16).ok()?)?);
        rest = &rest[digits + 1..];
    }
    out.push_str(rest);
    Some(out)
}
