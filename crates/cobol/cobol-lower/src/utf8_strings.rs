//! STRING and UNSTRING of UTF-8: all items are UTF-8, and characters are counted.

use cobol_syntax::tree::{LiteralKind, Operand, Reference, StringSource};

use super::places::Extent;
use super::strings::UnstringWords;
use super::{Lowered, Lowering};
use cobol_ir::program::{Operation, Slot, Text, TextReceiver, Utf8Place, Utf8Text};

impl<'a> Lowering<'a> {
    pub(super) fn string_utf8(
        &mut self,
        sources: &'a [StringSource],
        into: &'a Reference,
        pointer: Option<&'a Reference>,
        overflow: Slot,
    ) -> Lowered<()> {
        let to = self.utf8_place(into, Extent::Present)?;
        if to.characters.is_none() && to.part.is_none() {
            return self.refuse(into.at(), "STRING into UTF-8 of so many bytes");
        }
        let all = self.walk_sources(sources, |own, operand, _| own.characters_of_utf8(operand))?;
        let pointer = self.optional_counter(pointer)?;
        let string = Utf8Text::String { sources: all, into: to, pointer, overflow };
        self.emit(Operation::Utf8(Box::new(string)));
        Ok(())
    }

    pub(super) fn unstring_utf8(&mut self, words: UnstringWords<'a>) -> Lowered<()> {
        let is_cut_by_length = words.1.is_empty();
        let unstring = self.unstring_parts(
            words,
            |own, operand| own.characters_of_utf8(operand),
            |own, reference, of_delimiter| {
                let to = own.utf8_receiver(reference)?;
                let digits = to.characters.filter(|_| to.part.is_none());
                if is_cut_by_length && digits.is_none() && !of_delimiter {
                    let what = "UNSTRING without DELIMITED BY into UTF-8 of so many bytes";
                    return own.refuse(reference.at(), what);
                }
                Ok((TextReceiver::Utf8(to), digits))
            },
        )?;
        self.emit(Operation::Utf8(Box::new(Utf8Text::Unstring(unstring))));
        Ok(())
    }

    fn utf8_receiver(&mut self, reference: &'a Reference) -> Lowered<Utf8Place> {
        match self.is_utf8_item(reference) {
            true => self.utf8_place(reference, Extent::Received),
            false => {
                self.refuse(reference.at(), format_args!("UNSTRING of UTF-8 into {}", reference.name.text))
            }
        }
    }

    /// An operand that is UTF-8, or a literal or figurative constant that becomes it.
    fn characters_of_utf8(&mut self, operand: &'a Operand) -> Lowered<Text> {
        let becomes = match operand {
            Operand::Literal(literal) => !matches!(literal.kind, LiteralKind::Number | LiteralKind::Float),
            Operand::Figurative(..) => true,
            other => self.is_utf8(other),
        };
        match becomes {
            true => self.utf8_text(operand, None),
            false => self.refuse(operand.at(), "an operand of another kind beside UTF-8"),
        }
    }
}
