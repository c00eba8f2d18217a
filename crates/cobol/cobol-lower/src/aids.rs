//! Attention identifiers in hexadecimal: `EIBAID = X'7D'`. Such a constant is EBCDIC to its author, and EIBAID holds the
//! characters of the program. Beside EIBAID a code of one set is none of the other, so it can be taken for what it means;
//! nowhere else can anybody know.

use cobol_data::Item;
use cobol_source::native_byte;
use cobol_syntax::tree::{LiteralKind, Operand};

use super::places::Extent;
use super::{Lowered, Lowering};
use cobol_ir::program::{Text, TextFunction};

impl<'a> Lowering<'a> {
    /// A side of a comparison, where it is an attention identifier in hexadecimal and the other side is EIBAID.
    pub(super) fn attention_identifier(
        &mut self,
        side: &'a Operand,
        other: &'a Operand,
    ) -> Lowered<Option<Text>> {
        if !self.is_identifier(other) {
            return Ok(None);
        }
        if let Some(byte) = hexadecimal_byte(side).and_then(meant) {
            return Ok(Some(Text::Place(self.constant_place(&[byte]))));
        }
        // A constant of a program's own copybook may be moved to: what it holds is looked at when it is compared.
        let Operand::Reference(reference) = side else { return Ok(None) };
        let value = self.item(reference.id).and_then(|(_, item)| item.values.first());
        if value.and_then(|value| hexadecimal_byte(&value.from)).and_then(meant).is_none() {
            return Ok(None);
        }
        let place = self.locate(reference, Extent::Present)?.place;
        let mut table: Box<[u8; 256]> = Box::new(std::array::from_fn(|byte| byte as u8));
        for code in 0..=u8::MAX {
            table[usize::from(code)] = meant(code).unwrap_or(code);
        }
        let text = Text::Place(place);
        Ok(Some(Text::Function(Box::new(TextFunction::Translated { text, table }))))
    }

    fn is_identifier(&self, operand: &Operand) -> bool {
        let Operand::Reference(reference) = operand else { return false };
        let is = |item: Option<&Item>, name: &str| item.is_some_and(|item| item.display_name() == name);
        let item = self.item(reference.id).map(|(_, item)| item);
        let record = item.map(|item| self.program.items.get(item.record));
        is(item, "EIBAID") && is(record, "DFHEIBLK")
    }
}

/// The only byte of a hexadecimal literal.
fn hexadecimal_byte(operand: &Operand) -> Option<u8> {
    match operand {
        Operand::Literal(literal) if literal.kind == LiteralKind::Hexadecimal && literal.text.len() == 2 => {
            u8::from_str_radix(&literal.text, 16).ok()
        }
        _ => None,
    }
}

/// EIBAID's value for an identifier of EBCDIC; `None` for a code that is no identifier, or one of both.
fn meant(code: u8) -> Option<u8> {
    let codes = || {
        let values = spec::tables::AIDS.lines().skip(1).filter_map(|line| line.split('\t').nth(1));
        values.filter_map(|value| u8::from_str_radix(value, 16).ok())
    };
    let own = codes().any(|own| native_byte(own) == code);
    (!own && codes().any(|own| own == code)).then(|| native_byte(code))
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn identifiers() {
        assert_eq!(meant(0x7D), Some(b'\''));
        assert_eq!(meant(0xF3), Some(b'3'));
        assert_eq!(meant(b'3'), None, "an identifier of the program's characters");
        assert_eq!(meant(0x4A), None, "the same in both");
        assert_eq!(meant(0x41 + 0x40), None, "no identifier");
    }
}
