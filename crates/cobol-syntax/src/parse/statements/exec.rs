//! EXEC … END-EXEC: the names of the program that stand in it.

use cobol_source::Token;
use cobol_source::token::Kind;

use crate::parser::{Parsed, Parser};
use crate::tree::{Exec, Expression, Operand, StatementKind};
use crate::words::{self, Block, Executor};

/// The options of HANDLE whose argument is no label.
const NO_LABELS: [&str; 3] = ["PROGRAM", "RESP", "RESP2"];

impl Parser<'_> {
    /// The block of the word before the cursor.
    pub(super) fn exec(&mut self) -> Parsed<StatementKind> {
        let block = self.blocks[self.before().block as usize].clone();
        let mut exec = Exec { operands: Vec::new(), labels: Vec::new(), block };
        match exec.block.executor {
            Executor::Cics => self.command_operands(&mut exec),
            Executor::Sql => self.host_variables(&mut exec),
            Executor::Other => {
                let message = format!("EXEC {} is not built", exec.block.name);
                self.error(exec.block.at, "SPSY090", message, "", "there are EXEC CICS and EXEC SQL");
            }
        }
        Ok(StatementKind::Exec(Box::new(exec)))
    }

    fn command_operands(&mut self, exec: &mut Exec) {
        let Exec { block: Block { items, .. }, operands, labels } = exec;
        let handle = items.first().is_some_and(|item| item.name == "HANDLE");
        for item in items {
            let Some(argument) = &item.argument else { continue };
            let (words, _) = words::words(argument, false, self.messages);
            if words.is_empty() {
                continue;
            }
            if handle && !NO_LABELS.contains(&item.name.as_str()) {
                labels.extend(self.aside(&words, |parser| parser.procedure_name()));
            } else if let Some(value) = self.aside(&words, |parser| parser.expression()) {
                operands.push((Some(item.name.clone()), value));
            }
        }
    }

    /// `:NAME`, `:GROUP.NAME`, `:NAME:INDICATOR`.
    fn host_variables(&mut self, exec: &mut Exec) {
        let tokens = &exec.block.tokens;
        // WHENEVER may write a paragraph's name as others write an item's.
        if tokens.first().is_some_and(|token| token.is("WHENEVER")) {
            return;
        }
        for at in (0..tokens.len()).filter(|at| tokens[*at].is_symbol(":")) {
            let Some(name) = tokens.get(at + 1).filter(|token| token.kind == Kind::Word) else { continue };
            let qualified = tokens.get(at + 2).is_some_and(|t: &Token| t.is_period() && t.is_glued());
            let member =
                tokens.get(at + 3).filter(|token| qualified && token.kind == Kind::Word && token.is_glued());
            let (name, group) = member.map_or((name, None), |member| (member, Some(name)));
            let list: Vec<Token> = std::iter::once(name).chain(group).cloned().collect();
            let (words, _) = words::words(&list[..1], false, self.messages);
            let Some(mut reference) = self.aside(&words, |parser| parser.plain_reference("an item")) else {
                continue;
            };
            reference
                .qualifiers
                .extend(group.map(|group| crate::tree::Name { text: group.upper().into(), at: group.at }));
            exec.operands.push((None, Expression::Operand(Operand::Reference(reference))));
        }
    }
}
