//! The programs that a program CALLs by a literal, also of one that is not lowered.

use std::collections::BTreeSet;

use cobol_syntax::tree::{LiteralKind, Operand, StatementKind};

use crate::CheckedProgram;

impl CheckedProgram {
    /// The names of programs that it, and the programs that it contains, CALL by a literal; in upper case.
    pub fn called(&self) -> BTreeSet<String> {
        let mut called: BTreeSet<String> = self.contained.iter().flat_map(Self::called).collect();
        crate::statements::each(&self.syntax, &mut |statement| {
            if let StatementKind::Call { program: Operand::Literal(literal), .. } = &statement.kind
                && literal.kind == LiteralKind::Text
            {
                called.insert(literal.text.trim_end().to_uppercase());
            }
        });
        called
    }
}
