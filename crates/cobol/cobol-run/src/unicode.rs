//! Functions of Unicode: ULENGTH, UPOS, UWIDTH, USUBSTR, USUPPLEMENTARY, UVALID.

use cobol_runtime::unicode::{self, Form};

use super::abend::ProgramFault;
use super::decimal::Decimal;
use super::machine::Machine;
use super::made_texts::ARGUMENT_MAX;
use cobol_ir::program::{Number, Text, Unicode, UnicodeFunction};

fn form(national: bool) -> Form {
    if national { Form::National } else { Form::Utf8 }
}

impl Machine<'_> {
    /// A function whose value is a number.
    pub(super) fn unicode(&mut self, unicode: &Unicode) -> Result<Decimal, ProgramFault> {
        let number = match &unicode.function {
            UnicodeFunction::Position(number) | UnicodeFunction::Width(number) => self.integer(number)?,
            UnicodeFunction::Length | UnicodeFunction::Supplementary | UnicodeFunction::Invalid => 0,
        };
        let form = form(unicode.national);
        let text = self.limited(&unicode.text)?;
        let found = match unicode.function {
            UnicodeFunction::Length => unicode::length(&text, form),
            UnicodeFunction::Position(_) => unicode::position_of(&text, number, form),
            UnicodeFunction::Width(_) => unicode::width_of(&text, number, form),
            UnicodeFunction::Supplementary => Some(unicode::first_supplementary(&text, form)),
            UnicodeFunction::Invalid => Some(unicode::first_invalid(&text, form)),
        };
        Ok(Decimal::whole(found.ok_or(ProgramFault::Argument)? as i64))
    }

    /// USUBSTR.
    pub(super) fn unicode_part(
        &mut self,
        text: &Text,
        national: bool,
        start: &Number,
        length: &Number,
    ) -> Result<Vec<u8>, ProgramFault> {
        let (start, length) = (self.integer(start)?, self.integer(length)?);
        let text = self.limited(text)?;
        let part = unicode::part(&text, start, length, form(national));
        Ok(part.ok_or(ProgramFault::Argument)?.to_vec())
    }

    fn limited(&mut self, text: &Text) -> Result<Vec<u8>, ProgramFault> {
        let text = self.text(text, 1)?.into_owned();
        if text.len() > ARGUMENT_MAX { Err(ProgramFault::Argument) } else { Ok(text) }
    }
}
