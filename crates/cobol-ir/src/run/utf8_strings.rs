//! STRING and UNSTRING of UTF-8: the same routines, on characters by their numbers.

use cobol_runtime::strings::{self, Delimiter, Piece};
use cobol_runtime::{Pace, utf8};

use super::abend::Fault;
use super::machine::{Host, Machine};
use crate::program::{Text, TextReceiver, Unstring, UnstringReceiver, Utf8Text};

impl Machine<'_> {
    pub(super) fn utf8_statement(&mut self, statement: &Utf8Text, host: &mut dyn Host) -> Result<(), Fault> {
        let mut may_go_on = || !host.must_stop();
        let pace = &mut Pace::new(&mut may_go_on);
        match statement {
            Utf8Text::String { sources, into, pointer, overflow } => {
                let start = self.pointer(pointer.as_ref())?;
                let mut texts = Vec::with_capacity(sources.len());
                for (source, delimiter) in sources {
                    let delimiter = delimiter.as_ref().map(|text| self.numbers_of(text)).transpose()?;
                    texts.push((self.numbers_of(source)?, delimiter));
                }
                let pieces: Vec<Piece<'_, u32>> = texts
                    .iter()
                    .map(|(text, delimiter)| Piece { text, delimiter: delimiter.as_deref() })
                    .collect();
                let mut to = utf8::characters(&self.utf8_text(into)?);
                let (next, over) = strings::string(&pieces, &mut to, start, pace)?;
                self.put_utf8(&utf8::text_of(&to), into)?;
                if over {
                    self.set_slot(*overflow, 1);
                }
                match pointer {
                    Some(pointer) if next != start => self.set_counter(pointer, next),
                    _ => Ok(()),
                }
            }
            Utf8Text::Unstring(unstring) => self.unstring_utf8(unstring, pace),
        }
    }

    fn unstring_utf8(&mut self, unstring: &Unstring, pace: &mut Pace<'_>) -> Result<(), Fault> {
        let text = self.numbers_of(&unstring.from)?;
        let mut delimiters = Vec::with_capacity(unstring.delimiters.len());
        for (delimiter, all) in &unstring.delimiters {
            delimiters.push((self.numbers_of(delimiter)?, *all));
        }
        let delimiters: Vec<Delimiter<'_, u32>> =
            delimiters.iter().map(|(text, all)| Delimiter { text, all: *all }).collect();
        let start = self.pointer(unstring.pointer.as_ref())?;
        let Some(mut rest) = strings::Unstring::new(&text, &delimiters, start) else {
            self.set_slot(unstring.overflow, 1);
            return Ok(());
        };
        self.unstring_rest(unstring, &mut rest, pace, Self::utf8_taken_by, |machine, to, text| {
            machine.receive_utf8(to, text)
        })
    }

    /// How many characters a receiver takes where there are no delimiters.
    fn utf8_taken_by(&mut self, receiver: &UnstringReceiver) -> Result<usize, Fault> {
        Ok(receiver.digits.unwrap_or(0) as usize)
    }

    fn receive_utf8(&mut self, to: &TextReceiver, text: &[u32]) -> Result<(), Fault> {
        match to {
            TextReceiver::Utf8(to) => self.put_utf8(&utf8::text_of(text), to),
            _ => Err(Fault::Host),
        }
    }

    /// The characters of a text; a figurative constant is one of them.
    fn numbers_of(&mut self, text: &Text) -> Result<Vec<u32>, Fault> {
        Ok(utf8::characters(&self.unrepeated(text)?))
    }
}
