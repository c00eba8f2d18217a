//! STRING and UNSTRING of UTF-8: the same routines, on characters by their numbers.

use cobol_runtime::{Pace, strings, utf8};

use super::abend::ProgramFault;
use super::machine::{Host, Machine};
use super::strings::pieces;
use cobol_ir::program::{Text, TextReceiver, UnstringReceiver, Utf8Text};

impl Machine<'_> {
    pub(super) fn utf8_statement(
        &mut self,
        statement: &Utf8Text,
        host: &mut dyn Host,
    ) -> Result<(), ProgramFault> {
        let mut may_go_on = || !host.must_stop();
        let pace = &mut Pace::new(&mut may_go_on);
        match statement {
            Utf8Text::String { sources, into, pointer, overflow } => {
                let start = self.pointer(pointer.as_ref())?;
                let texts = self.texts_of(sources, Self::numbers_of)?;
                let mut to = utf8::characters(&self.utf8_text(into)?);
                let ended = strings::string(&pieces(&texts), &mut to, start, pace)?;
                self.put_utf8(&utf8::text_of(&to), into)?;
                self.string_ended(pointer.as_ref(), *overflow, start, ended)
            }
            Utf8Text::Unstring(unstring) => {
                self.unstring_of(unstring, pace, Self::numbers_of, Self::utf8_taken_by, Self::receive_utf8)
            }
        }
    }

    /// Number of characters that a receiver takes without delimiters.
    fn utf8_taken_by(&mut self, receiver: &UnstringReceiver) -> Result<usize, ProgramFault> {
        Ok(receiver.digits.unwrap_or(0) as usize)
    }

    fn receive_utf8(&mut self, to: &TextReceiver, text: &[u32]) -> Result<(), ProgramFault> {
        match to {
            TextReceiver::Utf8(to) => self.put_utf8(&utf8::text_of(text), to),
            _ => Err(ProgramFault::Host),
        }
    }

    /// The characters of a text; a figurative constant is one of them.
    fn numbers_of(&mut self, text: &Text) -> Result<Vec<u32>, ProgramFault> {
        Ok(utf8::characters(&self.unrepeated(text)?))
    }
}
