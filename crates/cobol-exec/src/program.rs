//! One program: its commands, its SQL, and what is doubtful about both.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

use crate::data::Items;
use crate::exec::{self, Block, Executor};
use crate::grammar::{self, Call};
use crate::messages::Messages;
use crate::origin::Origin;
use crate::reference_format::{AREA_A, AREA_B};
use crate::sql::{self, Sql};
use crate::token::{Kind, Token, text_of};
use crate::unit::Unit;
use crate::{NotYet, arguments, hexadecimal, tasks, values};

/// A program.
#[derive(Clone, Debug)]
pub struct ProgramInfo {
    /// Its name as PROGRAM-ID has it, in upper case.
    pub name: String,
    /// Its EXEC CICS commands: the statement with number *n* is at *n* − 1.
    pub statements: Vec<Statement>,
    /// The package of its EXEC SQL statements, if it has any.
    pub sql: Option<db2::package::Package>,
    /// The EXEC SQL of its procedure division, in the order of the text.
    pub sql_blocks: Vec<db2::blocks::Block>,
    /// The members it copies, in the order of their first use.
    pub copied: Vec<Arc<Source>>,
}

/// An EXEC CICS command of a program.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its number in the program, from 1.
    pub number: u16,
    /// Where it starts.
    pub origin: Origin,
    /// The command on one line, without EXEC CICS and END-EXEC.
    pub text: String,
}

/// Reads a program of a source.
pub(crate) fn read(
    tokens: &[Token],
    unit: &Unit,
    blocks: &[&sql::Block],
    (not_yet, arithmetic): (NotYet, db2::Arithmetic),
    messages: &mut Messages,
) -> ProgramInfo {
    let mut program = Program { tokens, unit, messages };
    let embedded = blocks;
    let division = unit.data.unwrap_or(unit.tokens.end)..unit.procedure.unwrap_or(unit.tokens.end);
    let items = Items::read(tokens, division.start, division.end);
    hexadecimal::check(tokens, unit, &items, program.messages);
    let blocks = program.blocks();
    let runs_as_task = blocks.iter().any(|block| block.executor == Executor::Cics) || unit.own_commarea;
    if runs_as_task {
        tasks::check(tokens, unit, program.messages);
    }
    program.report_other_executors(&blocks);
    let calls: Vec<Option<Call<'_>>> =
        blocks.iter().map(|block| grammar::check(block, not_yet, program.messages)).collect();
    let statements = program.statements(&blocks, &calls);
    let name = program.program_name();
    let told = sql::Told { name: &name, is_task: runs_as_task, arithmetic };
    let Sql { package, blocks: sql_blocks } = Sql::read(tokens, embedded, division, told, program.messages);
    program.name();
    program.records();
    let copied = program.copied();
    ProgramInfo { name, statements, sql: package, sql_blocks, copied }
}

struct Program<'a> {
    tokens: &'a [Token],
    unit: &'a Unit,
    messages: &'a mut Messages,
}

impl Program<'_> {
    /// Reads all EXEC blocks, and looks at names for numbers outside of them.
    fn blocks(&mut self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut at = self.unit.tokens.start;
        while at < self.unit.tokens.end {
            if let Some(block) = exec::read(self.tokens, at, self.messages) {
                at = block.range.end;
                blocks.push(block);
            } else {
                at = values::check(self.tokens, at, self.messages).unwrap_or(at + 1);
            }
        }
        blocks
    }

    /// Refuses each EXEC of something that is not there.
    fn report_other_executors(&mut self, blocks: &[Block]) {
        for block in blocks.iter().filter(|block| block.executor == Executor::Other) {
            let tokens = &self.tokens[block.range.start..][..2];
            let words = text_of(tokens);
            let (message, help) = match &*tokens[1].upper() {
                "DLI" => (
                    format!("{words} is a command to IMS databases (DL/I), which are not there"),
                    "keep the segments as records of files (EXEC CICS READ, WRITE) or as rows of tables (EXEC SQL)",
                ),
                _ => (format!("{words} is not supported"), "only EXEC CICS and EXEC SQL are"),
            };
            self.messages.add(block.at, Diagnostic::error("SPTR061", message).help(help));
        }
    }

    /// The commands, by their numbers.
    fn statements(&mut self, blocks: &[Block], calls: &[Option<Call<'_>>]) -> Vec<Statement> {
        let mut statements = Vec::new();
        let commands = blocks.iter().zip(calls).filter(|(block, _)| block.executor == Executor::Cics);
        for (block, call) in commands {
            let Ok(number) = u16::try_from(statements.len() + 1) else {
                let message = format!("more than {} commands in one program", u16::MAX);
                self.messages.add(block.at, Diagnostic::error("SPTR043", message));
                break;
            };
            let last = block.range.end - 1;
            let text = text_of(&self.tokens[block.range.start + 2..last.max(block.range.start + 2)]);
            statements.push(Statement { number, origin: self.messages.frames.origin(block.at), text });
            if let Some(call) = call {
                arguments::check(call, self.messages);
            }
        }
        statements
    }

    /// Warns of records in front of which a full stop is missing: one is supplied, as Enterprise COBOL does.
    fn records(&mut self) {
        let (Some(from), Some(to)) = (self.unit.data, self.unit.procedure) else { return };
        for at in from + 1..to {
            if !is_record_behind_open_entry(self.tokens, at) {
                continue;
            }
            let message = Diagnostic::warning("SPTR072", "a full stop is missing in front of this record")
                .label("one is supplied")
                .help("write a full stop behind the description before it");
            self.messages.add(self.tokens[at].at, message);
        }
    }

    /// Warns of a missing full stop behind the program's name.
    fn name(&mut self) {
        let (true, Some(name)) = (self.unit.stop_is_missing, self.unit.name) else { return };
        let at = self.tokens[name].at;
        let message = Diagnostic::warning("SPTR070", "PROGRAM-ID without a full stop")
            .label("one is supplied behind this name")
            .help("write a full stop behind the program's name");
        self.messages.add(at, message);
    }

    fn program_name(&self) -> String {
        let name = self.unit.name.map(|at| &self.tokens[at]);
        name.map_or_else(String::new, |t| t.literal_value().unwrap_or_else(|| t.text.to_string()))
            .to_ascii_uppercase()
    }

    fn copied(&self) -> Vec<Arc<Source>> {
        let mut copied: Vec<Arc<Source>> = Vec::new();
        let mut last = None;
        for token in &self.tokens[self.unit.tokens.clone()] {
            if last == Some(token.at.frame) {
                continue;
            }
            last = Some(token.at.frame);
            if let Some(member) = self.messages.frames.member(token.at.frame)
                && !copied.iter().any(|known| known.name == member.name)
            {
                copied.push(Arc::clone(member));
            }
        }
        copied
    }
}

/// Returns true if level number 01 or 77 begins a line in area A, and the entry before it has no full stop.
fn is_record_behind_open_entry(tokens: &[Token], at: usize) -> bool {
    const OPEN: [&str; 8] = ["VALUE", "VALUES", "IS", "ARE", "THRU", "THROUGH", "OCCURS", "TO"];
    let (before, token) = (&tokens[at - 1], &tokens[at]);
    let starts_line = (before.at.frame, before.at.line) != (token.at.frame, token.at.line);
    let in_area_a = (AREA_A..AREA_B).contains(&usize::from(token.at.column));
    let named = tokens.get(at + 1).is_some_and(|name| name.kind == Kind::Word && !name.is_number());
    let closed = before.is_period() || before.is_any(&OPEN);
    token.is_any(&["01", "77"]) && starts_line && in_area_a && named && !closed
}
