//! Items of UTF-8: their characters, moves to them, comparisons.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use cobol_runtime::utf8;

use super::abend::ProgramFault;
use super::compare::padded;
use super::machine::Machine;
use cobol_ir::program::{Linear, Text, Utf8Place};

impl Machine<'_> {
    /// The characters of an item.
    pub(super) fn utf8_text(&mut self, of: &Utf8Place) -> Result<Vec<u8>, ProgramFault> {
        let span = self.span(&of.place)?;
        let all = self.read(&span);
        let all = of.characters.map_or(&*all, |characters| utf8::head(&all, characters as usize)).to_vec();
        match &of.part {
            None => Ok(all),
            Some(part) => {
                let range = self.utf8_part(&all, part)?;
                Ok(all[range].to_vec())
            }
        }
    }

    /// Place of an item's part in it.
    fn utf8_part(
        &mut self,
        all: &[u8],
        part: &(Linear, Option<Linear>),
    ) -> Result<Range<usize>, ProgramFault> {
        let start = self.linear(&part.0)?;
        let length = part.1.as_ref().map(|length| self.linear(length)).transpose()?;
        utf8::span(all, start, length).ok_or(ProgramFault::Range)
    }

    /// Characters to an item. If they are a part of it, the characters after that part move.
    pub(super) fn move_utf8(&mut self, from: &Text, to: &Utf8Place) -> Result<(), ProgramFault> {
        let length = self.stored_span(&to.place)?.len();
        let text = self.text(from, length)?.into_owned();
        self.put_utf8(&text, to)
    }

    pub(super) fn put_utf8(&mut self, text: &[u8], to: &Utf8Place) -> Result<(), ProgramFault> {
        let range = self.stored_span(&to.place)?;
        let mut text = Cow::Borrowed(text);
        if let Some(part) = &to.part {
            let all = self.utf8_text(&Utf8Place::whole(to.place.clone(), to.characters))?;
            let old = self.utf8_part(&all, part)?;
            let new = utf8::exactly(&text, utf8::count(&all[old.clone()]));
            text = Cow::Owned([&all[..old.start], &new, &all[old.end..]].concat());
        }
        let characters = to.characters.map(|characters| characters as usize);
        self.task.change(range, |bytes| utf8::fit(&text, bytes, characters));
        Ok(())
    }

    /// By their bytes, the shorter side as if spaces followed it.
    pub(super) fn compare_utf8s(&mut self, left: &Text, right: &Text) -> Result<Ordering, ProgramFault> {
        let lengths = (self.text_length(left)?, self.text_length(right)?);
        let length = lengths.0.or(lengths.1).unwrap_or(1);
        let left = self.text(left, lengths.1.unwrap_or(length))?.into_owned();
        let right = self.text(right, length)?;
        Ok(padded(&left, &right, b' '))
    }
}
