//! ALLOCATE and FREE.

use cobol_data::Type;
use cobol_syntax::tree::{Allocated, Operand, Reference};

use crate::checker::Checker;
use crate::operands::Wanted;

impl Checker<'_> {
    /// Checks ALLOCATE: its operand is a record of the linkage section; without one a pointer takes the address.
    pub(super) fn allocate(&mut self, what: &Allocated, returning: Option<&Reference>) {
        if let Allocated::Characters(size) = what {
            self.number(size);
        }
        if let Allocated::Item(reference) = what
            && let Some(id) = self.item(reference, Wanted::Whole, true)
            && (!self.items.get(id).linkage || !matches!(self.items.get(id).level, 1 | 77))
        {
            let message = format!("{} is no record of the linkage section", reference.name.text);
            let help =
                "ALLOCATE takes an item of level 01 or 77 in the linkage section, or a number of CHARACTERS";
            self.error(reference.at(), "SPCK061", message, help);
        }
        match returning {
            Some(pointer) => self.pointer_of("ALLOCATE", pointer),
            None if matches!(what, Allocated::Characters(_)) => {
                let message = String::from("ALLOCATE of CHARACTERS does not say where their address goes");
                self.error(self.at, "SPCK061", message, "write RETURNING and a pointer behind it");
            }
            None => {}
        }
    }

    /// Checks FREE, which frees the storage that a pointer points to.
    pub(super) fn free(&mut self, item: &Operand) {
        match item {
            Operand::Reference(pointer) => self.pointer_of("FREE", pointer),
            other => {
                self.operand(other);
                let message = String::from("FREE takes pointers only");
                self.error(other.at(), "SPCK061", message, "SET a pointer to the address, and FREE that");
            }
        }
    }

    fn pointer_of(&mut self, statement: &str, reference: &Reference) {
        let Some(id) = self.item(reference, Wanted::Value, true) else { return };
        let kind = &self.items.get(id).kind;
        if *kind != Type::Pointer || reference.modification.is_some() {
            let message = format!("{} ({}) is no pointer", reference.name.text, kind.name());
            let help = format!("{statement} takes an item of USAGE POINTER");
            self.error(reference.at(), "SPCK061", message, &help);
        }
    }
}
