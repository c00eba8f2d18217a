//! One program: its commands, its SQL, and what is doubtful about both.

use std::sync::Arc;

use cobol_check::CheckedProgram;
use cobol_syntax::Executor;
use diagnostics::{Diagnostic, Severity, Source};

use crate::asked::Asked;
use crate::data::Items;
use crate::messages::Messages;
use crate::origin::Origin;
use crate::reference_format::{AREA_A, AREA_B};
use crate::sql::{self, Sql};
use crate::token::{Kind, Token, text_of};
use crate::unit::{Span, Unit};
use crate::{arguments, grammar, hexadecimal, tasks, values};

/// A program.
#[derive(Clone, Debug)]
pub struct ProgramInfo {
    /// Its name as PROGRAM-ID has it, in upper case.
    pub name: String,
    /// Its EXEC CICS commands: the statement with number *n* is at *n* − 1.
    pub statements: Vec<Statement>,
    /// The package of its EXEC SQL statements, if it has any.
    pub sql: Option<db2::package::Package>,
    /// The members it copies, in the order of their first use.
    pub copied: Vec<Arc<Source>>,
}

/// An EXEC CICS command of a program.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its number in the program, from 1.
    pub number: u16,
    /// Place where it starts.
    pub origin: Origin,
    /// The command on one line, without EXEC CICS and END-EXEC.
    pub text: String,
}

/// A program of a source that is being read.
pub(crate) struct Reader<'a> {
    /// The words of the source without EXEC SQL.
    pub(crate) tokens: &'a [Token],
    /// Those of the program.
    pub(crate) unit: &'a Unit,
    /// The severity of what is not built.
    pub(crate) unbuilt: Severity,
    /// The rules of decimal numbers in its SQL statements.
    pub(crate) arithmetic: db2::Arithmetic,
    pub(crate) messages: &'a mut Messages,
}

impl Reader<'_> {
    /// Reads the program, whose EXEC blocks these are, and fills in their requests.
    pub(crate) fn read(
        mut self,
        blocks: &[Span<'_>],
        checked: Option<&CheckedProgram>,
        whole: bool,
        asked: &mut [Option<Asked>],
    ) -> ProgramInfo {
        let (tokens, unit) = (self.tokens, self.unit);
        let division = unit.data.unwrap_or(unit.tokens.end)..unit.procedure.unwrap_or(unit.tokens.end);
        let items = Items::read(tokens, division.start, division.end);
        hexadecimal::check(tokens, unit, &items, self.messages);
        self.values(blocks);
        let runs_as_task = blocks.iter().any(|block| block.is_of(Executor::Cics)) || unit.own_commarea;
        if runs_as_task {
            tasks::check(tokens, unit, self.messages);
        }
        self.report_other_executors(blocks);
        let statements = self.commands(blocks, asked);
        let name = self.program_name();
        let told = sql::Told { name: &name, is_task: runs_as_task, whole, arithmetic: self.arithmetic };
        let embedded: Vec<sql::Block<'_>> =
            blocks.iter().filter(|block| block.is_of(Executor::Sql)).map(|block| block.sql(unit)).collect();
        let records = checked.filter(|_| !embedded.is_empty()).map(sql::Records::of).unwrap_or_default();
        let sql = Sql::read(records, &embedded, told, self.messages);
        for (number, block) in sql.blocks {
            asked[number] = Some(Asked::Sql(block));
        }
        self.name();
        self.records();
        let copied = self.copied();
        ProgramInfo { name, statements, sql: sql.package, copied }
    }

    /// Looks at names for numbers outside of the blocks.
    fn values(&mut self, blocks: &[Span<'_>]) {
        let mut at = self.unit.tokens.start;
        let end = self.unit.tokens.end;
        let places = blocks.iter().map(|block| block.place.clone()).chain(std::iter::once(end..end));
        for place in places {
            while at < place.start.min(end) {
                at = values::check(self.tokens, at, self.messages).unwrap_or(at + 1);
            }
            at = at.max(place.end);
        }
    }

    /// Refuses each EXEC of something that is not there.
    fn report_other_executors(&mut self, blocks: &[Span<'_>]) {
        for block in blocks.iter().filter(|block| block.is_of(Executor::Other)) {
            let words = text_of(&self.tokens[block.place.start..][..2]);
            let (message, help) = match &*block.block.name {
                "DLI" => (
                    format!("{words} is a command to IMS databases (DL/I), which are not there"),
                    "keep the segments as records of files (EXEC CICS READ, WRITE) or as rows of tables (EXEC SQL)",
                ),
                _ => (format!("{words} is not supported"), "only EXEC CICS and EXEC SQL are"),
            };
            self.messages.add(block.block.at, Diagnostic::error("SPTR061", message).help(help));
        }
    }

    /// Reads the commands; lists them by their numbers.
    fn commands(&mut self, blocks: &[Span<'_>], asked: &mut [Option<Asked>]) -> Vec<Statement> {
        let mut statements = Vec::new();
        let commands = || blocks.iter().filter(|block| block.is_of(Executor::Cics));
        let read: Vec<_> =
            commands().map(|block| grammar::check(&block.block.items, self.unbuilt, self.messages)).collect();
        for (block, command) in commands().zip(read) {
            let (at, block, place) = (block.block.at, block.block, block.number);
            let Ok(number) = u16::try_from(statements.len() + 1) else {
                let message = format!("more than {} commands in one program", u16::MAX);
                self.messages.add(at, Diagnostic::error("SPTR043", message));
                break;
            };
            let text = text_of(&block.tokens);
            statements.push(Statement { number, origin: self.messages.frames.origin(at), text });
            if let Some(mut command) = command {
                command.statement = number;
                arguments::check(&mut command, &block.items, self.messages);
                asked[place] = Some(Asked::Command(command));
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
