//! Functions of Unicode; and those of the millennium language extensions, which do nothing without DATEPROC.

use cobol_syntax::tree::{Expression, FunctionCall};

use super::functions::LENGTH;
use super::value::Value;
use super::{Lowered, Lowering};
use cobol_ir::program::{Number, Reading, Text, TextFunction, Unicode, UnicodeFunction};

/// Options that the millennium language extensions are for.
const DATE_PROCESSING: [&str; 2] = ["DATEPROC", "DP"];

impl<'a> Lowering<'a> {
    /// ULENGTH and its like; `None` for other functions.
    pub(super) fn unicode_function(&mut self, call: &'a FunctionCall) -> Lowered<Option<Number>> {
        let (text, function) = match (&*call.name.text, &call.arguments[..]) {
            ("ULENGTH", [text]) => (text, UnicodeFunction::Length),
            ("UPOS", [text, number]) => (text, UnicodeFunction::Position(self.argument_whole(call, number)?)),
            ("UWIDTH", [text, number]) => (text, UnicodeFunction::Width(self.argument_whole(call, number)?)),
            ("USUPPLEMENTARY", [text]) => (text, UnicodeFunction::Supplementary),
            ("UVALID", [text]) => (text, UnicodeFunction::Invalid),
            _ => return Ok(None),
        };
        let (text, national) = self.unicode_text(call, text)?;
        Ok(Some(Number::Unicode(Box::new(Unicode { function, text, national }))))
    }

    /// USUBSTR; `None` for other functions.
    pub(super) fn unicode_part(&mut self, call: &'a FunctionCall) -> Lowered<Option<TextFunction>> {
        let ("USUBSTR", [text, start, length]) = (&*call.name.text, &call.arguments[..]) else {
            return Ok(None);
        };
        let start = self.argument_whole(call, start)?;
        let length = self.argument_whole(call, length)?;
        let (text, national) = self.unicode_text(call, text)?;
        Ok(Some(TextFunction::UnicodePart { text, national, start, length }))
    }

    /// LENGTH and BYTE-LENGTH of UTF-8: none of others. An item of so many characters has these, and its bytes.
    pub(super) fn utf8_length(
        &mut self,
        call: &FunctionCall,
        argument: &'a Expression,
    ) -> Lowered<Option<Number>> {
        let Some(operand) = argument.operand().filter(|operand| self.is_utf8(operand)) else {
            return Ok(None);
        };
        let in_bytes = &*call.name.text == "BYTE-LENGTH";
        if let Some(item) = self.utf8_beside(operand)?.filter(|item| item.part.is_none()) {
            match item.characters {
                _ if in_bytes => return Ok(Some(Number::Linear(Box::new(item.place.length)))),
                Some(characters) => return Ok(Some(Number::whole(characters.into()))),
                None => {}
            }
        }
        let text = self.utf8_text(operand, None)?;
        Ok(Some(match in_bytes {
            true => Number::Read(Reading::Length, Box::new(text), LENGTH),
            false => {
                let unicode = Unicode { function: UnicodeFunction::Length, text, national: false };
                Number::Unicode(Box::new(unicode))
            }
        }))
    }

    /// A text, and whether it is national.
    fn unicode_text(&mut self, call: &FunctionCall, argument: &'a Expression) -> Lowered<(Text, bool)> {
        match argument.operand() {
            Some(operand) if self.is_utf8(operand) => Ok((self.utf8_text(operand, None)?, false)),
            Some(operand) if self.is_national(operand) => Ok((self.national_text(operand)?, true)),
            _ => Ok((self.argument_text(call, argument)?, false)),
        }
    }

    /// DATEVAL and UNDATE of an item that is no date to the compiler: its value; YEARWINDOW: zero.
    pub(super) fn date_extension(&mut self, call: &'a FunctionCall) -> Lowered<Option<Value>> {
        let name = &*call.name.text;
        let argument = match (name, &call.arguments[..]) {
            ("DATEVAL", [argument, _]) | ("UNDATE", [argument]) => Some(argument),
            ("YEARWINDOW", []) => None,
            _ => return Ok(None),
        };
        if self.checked.options.iter().any(|card| DATE_PROCESSING.contains(&card.name.as_str())) {
            return self.refuse(call.name.at, format_args!("FUNCTION {name} with DATEPROC"));
        }
        Ok(Some(match argument {
            Some(argument) if self.is_characters(argument) => {
                Value::Text(self.argument_text(call, argument)?)
            }
            Some(argument) => Value::Number(self.argument_number(call, argument)?),
            None => Value::Number(Number::whole(0)),
        }))
    }
}
