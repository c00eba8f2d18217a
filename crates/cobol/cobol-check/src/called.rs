//! The programs that a program CALLs, as far as its text names them; also of one that is not lowered.

use std::collections::BTreeSet;

use cobol_data::{ItemId, Value};
use cobol_syntax::tree::{LiteralKind, Operand, StatementKind};

use crate::CheckedProgram;

impl CheckedProgram {
    /// The names of programs that it, and the programs that it contains, CALL by a literal; in upper case.
    pub fn called(&self) -> BTreeSet<String> {
        let mut called: BTreeSet<String> = self.contained.iter().flat_map(Self::called).collect();
        crate::walk::each(&self.syntax, &mut |statement| {
            if let StatementKind::Call { program, .. } = &statement.kind {
                called.extend(name(program));
            }
        });
        called
    }

    /// The names that items by which they CALL get from the text: by VALUE, by a condition's, and by MOVE of a literal or of an
    /// item with VALUE. Names from elsewhere, such as a file, are not among them.
    pub fn perhaps_called(&self) -> BTreeSet<String> {
        let mut called: BTreeSet<String> = self.contained.iter().flat_map(Self::perhaps_called).collect();
        let mut by = BTreeSet::new();
        crate::walk::each(&self.syntax, &mut |statement| {
            if let StatementKind::Call { program: Operand::Reference(reference), .. } = &statement.kind
                && let Some((id, _)) = self.item(reference.id)
            {
                by.insert(id);
                self.values(id, &mut called);
            }
        });
        crate::walk::each(&self.syntax, &mut |statement| {
            let StatementKind::Move { from, to, .. } = &statement.kind else { return };
            let mut to = to.iter().filter_map(|reference| self.item(reference.id));
            if !to.any(|(id, _)| by.contains(&id)) {
                return;
            }
            called.extend(name(from));
            if let Operand::Reference(from) = from
                && let Some((id, _)) = self.item(from.id)
            {
                self.values(id, &mut called);
            }
        });
        called
    }

    /// The texts that the VALUE of an item, and those of its conditions, say.
    fn values(&self, id: ItemId, into: &mut BTreeSet<String>) {
        let item = self.items.get(id);
        let conditions = item.conditions.iter().map(|id| self.items.get(*id));
        for value in std::iter::once(item).chain(conditions).flat_map(|item| &item.values) {
            let Value { from, .. } = value;
            into.extend(name(from));
        }
    }
}

/// The name that a literal is.
fn name(operand: &Operand) -> Option<String> {
    match operand {
        Operand::Literal(literal) if literal.kind == LiteralKind::Text => {
            Some(literal.text.trim_end().to_uppercase())
        }
        _ => None,
    }
}
