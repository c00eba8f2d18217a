//! VALUE clauses.

use crate::parser::{Parsed, Parser};
use crate::tree::{DataEntry, Operand, ValueRange};

impl Parser<'_> {
    /// VALUE and what follows: one value of an item, values and ranges of a condition-name.
    pub(crate) fn values(&mut self, entry: &mut DataEntry) -> Parsed<()> {
        self.bump();
        self.skip_words(&["IS", "ARE"]);
        let condition = entry.level == 88;
        loop {
            let from = self.value(entry.level)?;
            let through = self.eat_any(&["THRU", "THROUGH"]).is_some();
            let to = if through { Some(self.value(entry.level)?) } else { None };
            entry.values.push(ValueRange { from, to });
            if !condition || !self.starts_value() {
                break;
            }
        }
        if condition && self.is_any(&["WHEN", "FALSE"]) {
            self.skip_words(&["WHEN", "SET", "TO"]);
            self.expect("FALSE", "WHEN SET TO FALSE IS and a literal")?;
            self.eat("IS");
            entry.when_false = Some(self.literal()?);
        }
        Ok(())
    }

    fn starts_value(&self) -> bool {
        self.starts_operand() && !self.starts_entry_line() && !self.is_any(&["FALSE", "TRUE"])
    }

    fn value(&mut self, level: u8) -> Parsed<Operand> {
        if !self.starts_value() {
            return self.expected("a value", "VALUE takes a literal or a figurative constant");
        }
        let at = self.word().at;
        let value = self.operand()?;
        match &value {
            Operand::Literal(_) | Operand::Figurative(..) | Operand::LengthOf(..) => Ok(value),
            // Names of constants (78 levels) and of symbolic characters.
            Operand::Reference(reference) if reference.is_plain() => Ok(value),
            _ if level == 78 => Ok(value),
            _ => {
                self.fail(at, "SPSY014", "this is no value", "VALUE takes a literal or a figurative constant")
            }
        }
    }
}
