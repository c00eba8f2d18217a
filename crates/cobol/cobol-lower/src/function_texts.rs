//! Intrinsic functions whose values are characters, but for those that change the case or cut spaces off.

use cobol_data::Type;
use cobol_runtime::formats::Format;
use cobol_runtime::moments::moment;
use cobol_syntax::tree::{Expression, FunctionCall, LiteralKind, Operand};
use cobol_syntax::{ValueClass, function};

use super::{Lowered, Lowering};
use cobol_ir::program::{Encoding, Number, Operator, Text, TextFunction};

impl<'a> Lowering<'a> {
    /// A function of this file; `None` for other functions.
    pub(super) fn made_text(&mut self, call: &'a FunctionCall) -> Lowered<Option<Text>> {
        let arguments = &call.arguments[..];
        let function = match (&*call.name.text, arguments) {
            ("WHEN-COMPILED", []) => {
                let text = moment("CURRENT-DATE", self.compiled).unwrap_or_default();
                return Ok(Some(Text::Place(self.constant_place(&text))));
            }
            ("UUID4", []) => TextFunction::Unique,
            ("CONCATENATE", [_, ..]) => TextFunction::Join(self.texts(call, arguments)?),
            ("SUBSTITUTE", [text, pairs @ ..]) if !pairs.is_empty() && pairs.len() % 2 == 0 => {
                let text = self.argument_text(call, text)?;
                TextFunction::Substitute { text, pairs: self.texts(call, pairs)? }
            }
            ("HEX-OF", [one]) => TextFunction::Hexadecimal(self.argument_bytes(call, one)?),
            ("BIT-OF", [one]) => TextFunction::Bits(self.argument_bytes(call, one)?),
            ("HEX-TO-CHAR", [one]) => TextFunction::OfHexadecimal(self.argument_text(call, one)?),
            ("BIT-TO-CHAR", [one]) => TextFunction::OfBits(self.argument_text(call, one)?),
            (name @ ("MAX" | "MIN"), [first, ..]) if self.is_characters(first) => {
                TextFunction::Extreme { greatest: name == "MAX", texts: self.texts(call, arguments)? }
            }
            ("FORMATTED-CURRENT-DATE", [format]) => {
                let format = self.format(call, format)?;
                TextFunction::FormattedNow(format, self.present_moment())
            }
            ("FORMATTED-DATE", [format, day]) => {
                let format = self.format(call, format)?;
                let day = Some(self.ansi_day(call, day)?);
                TextFunction::Formatted { format, day, seconds: None, offset: None }
            }
            ("FORMATTED-TIME", [format, seconds, offset @ ..]) if offset.len() < 2 => {
                let format = self.format(call, format)?;
                let seconds = Some(self.argument_number(call, seconds)?);
                let offset = self.offset(call, offset)?;
                TextFunction::Formatted { format, day: None, seconds, offset }
            }
            ("FORMATTED-DATETIME", [format, day, seconds, offset @ ..]) if offset.len() < 2 => {
                let format = self.format(call, format)?;
                let day = Some(self.ansi_day(call, day)?);
                let seconds = Some(self.argument_number(call, seconds)?);
                let offset = self.offset(call, offset)?;
                TextFunction::Formatted { format, day, seconds, offset }
            }
            _ => return Ok(None),
        };
        Ok(Some(Text::Function(Box::new(function))))
    }

    pub(super) fn texts(&mut self, call: &FunctionCall, list: &'a [Expression]) -> Lowered<Vec<Text>> {
        list.iter().map(|argument| self.argument_text(call, argument)).collect()
    }

    /// The bytes of an argument as they lie, whatever it is.
    fn argument_bytes(&mut self, call: &FunctionCall, argument: &'a Expression) -> Lowered<Text> {
        match argument.operand() {
            Some(operand) if self.is_utf8(operand) => self.utf8_text(operand, None),
            Some(operand @ Operand::Reference(_)) => self.bytes(operand),
            _ => self.argument_text(call, argument),
        }
    }

    /// A format of dates and times.
    pub(super) fn format(&mut self, call: &FunctionCall, argument: &'a Expression) -> Lowered<Format> {
        let point = if self.program.syntax.environment.decimal_comma { b',' } else { b'.' };
        let format = match argument.operand() {
            Some(Operand::Literal(literal))
                if matches!(literal.kind, LiteralKind::Text | LiteralKind::National | LiteralKind::Utf8) =>
            {
                Format::parse(literal.text.trim_end(), point)
            }
            _ => None,
        };
        match format {
            Some(format) => Ok(format),
            None => self.refuse(argument.at(), format_args!("this format of FUNCTION {}", call.name.text)),
        }
    }

    /// A date or time in characters of any kind: it has none but those of one byte.
    pub(super) fn date_text(&mut self, call: &FunctionCall, argument: &'a Expression) -> Lowered<Text> {
        match argument.operand() {
            Some(operand) if self.is_utf8(operand) => self.utf8_text(operand, None),
            Some(operand) if self.is_national(operand) => {
                let text = self.national_text(operand)?;
                Ok(Text::Function(Box::new(TextFunction::Display { text, to: Encoding::Program })))
            }
            _ => self.argument_text(call, argument),
        }
    }

    /// A day of the program's INTDATE as one of INTDATE(ANSI).
    fn ansi_day(&mut self, call: &FunctionCall, argument: &'a Expression) -> Lowered<Number> {
        let day = self.argument_whole(call, argument)?;
        let ahead = self.epoch().ahead();
        Ok(match ahead {
            0 => day,
            ahead => self.combine(Operator::Subtract, day, Number::whole(ahead), 0),
        })
    }

    fn offset(&mut self, call: &FunctionCall, given: &'a [Expression]) -> Lowered<Option<Number>> {
        given.first().map(|offset| self.argument_whole(call, offset)).transpose()
    }

    /// Returns true if an argument is characters, not a number.
    pub(super) fn is_characters(&self, argument: &Expression) -> bool {
        match argument.operand() {
            Some(Operand::Literal(literal)) => {
                !matches!(literal.kind, LiteralKind::Number | LiteralKind::Float)
            }
            Some(Operand::Reference(reference)) => {
                let is_text = |kind: &Type| {
                    matches!(
                        kind,
                        Type::Group
                            | Type::Alphabetic
                            | Type::Alphanumeric
                            | Type::AlphanumericEdited(_)
                            | Type::NumericEdited(_)
                    )
                };
                reference.modification.is_some()
                    || self.item(reference.id).is_some_and(|(_, item)| is_text(&item.kind))
            }
            Some(Operand::Function(call)) => {
                let of_argument = || call.arguments.first().is_some_and(|first| self.is_characters(first));
                function(&call.name.text).is_some_and(|record| match record.value {
                    ValueClass::Characters | ValueClass::National => true,
                    ValueClass::Argument => of_argument(),
                    ValueClass::Whole(_) | ValueClass::Number | ValueClass::Floating => false,
                })
            }
            _ => false,
        }
    }
}
