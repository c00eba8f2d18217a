//! EXEC … END-EXEC: the names of the program that stand in it.

use cobol_source::Token;
use cobol_source::exec::{Executor, Item};
use cobol_source::token::Kind;

use crate::parser::{Parsed, Parser};
use crate::tree::{Exec, Expression, Operand, StatementKind};
use crate::words;

/// The options of HANDLE whose argument is no label.
const NO_LABELS: [&str; 3] = ["PROGRAM", "RESP", "RESP2"];

impl Parser<'_> {
    /// The block of the word before the cursor.
    pub(super) fn exec(&mut self) -> Parsed<StatementKind> {
        let number = self.before().block;
        let block = &self.blocks[number as usize];
        let (executor, at) = (block.executor, block.at);
        let mut exec = Exec { block: number, executor, at, operands: Vec::new(), labels: Vec::new() };
        match executor {
            Executor::Cics => self.command_operands(&block.items, &mut exec),
            Executor::Sql => self.host_variables(&block.tokens, &mut exec),
            Executor::Other => {
                let message = format!("EXEC {} is not built", block.name);
                self.error(at, "SPSY090", message, "", "there are EXEC CICS and EXEC SQL");
            }
        }
        Ok(StatementKind::Exec(Box::new(exec)))
    }

    fn command_operands(&mut self, items: &[Item], exec: &mut Exec) {
        let handle = items.first().is_some_and(|item| item.name == "HANDLE");
        for (number, item) in (0_u16..).zip(items) {
            let Some(argument) = &item.argument else { continue };
            let (words, _) = words::words(argument, false, self.messages);
            if words.is_empty() {
                continue;
            }
            if handle && !NO_LABELS.contains(&item.name.as_str()) {
                let label = self.aside(&words, |parser| parser.procedure_name());
                exec.labels.extend(label.map(|label| (number, label)));
            } else if let Some(value) = self.aside(&words, |parser| parser.expression()) {
                exec.operands.push((Some(number), value));
            }
        }
    }

    /// `:NAME`, `:GROUP.NAME`, `:NAME:INDICATOR`.
    fn host_variables(&mut self, tokens: &[Token], exec: &mut Exec) {
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
