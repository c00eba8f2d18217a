//! One program: its blocks become calls, and it gets the storage, the linkage and the first statement that the host
//! relies on.

use std::ops::Range;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source};
use spec::call::NAME_LENGTH;

use crate::call::{self, GO, NUMBER, Needs, POINTER, RETURNED};
use crate::data::Items;
use crate::edits::Edits;
use crate::exec::{self, Block, Executor};
use crate::grammar::{self, Call};
use crate::messages::Messages;
use crate::origin::{At, Origin};
use crate::parameters::{INTERFACE_POINTER, Parameters};
use crate::reference_format::{AREA_A, AREA_B};
use crate::sql::{Code, Sql};
use crate::token::{Kind, Token, phrase, text_of};
use crate::unit::{COMMAREA, INTERFACE_BLOCK, Unit};
use crate::{NotYet, addresses, alike, hexadecimal, hosted, jumps, phrases, sql, values};

/// A translated program.
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
    /// Its number in the program, from 1: it stands in the call's descriptor.
    pub number: u16,
    /// Where it starts.
    pub origin: Origin,
    /// The command on one line, without EXEC CICS and END-EXEC.
    pub text: String,
}

/// The record of all that the translator puts into working storage.
const STORAGE: &str = "DFHEIV";

/// What holds for all programs of a source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// What becomes of commands and options that are not built.
    pub(crate) not_yet: NotYet,
    /// Programs get what they lack of linkage and parameters.
    pub(crate) linkage: bool,
    /// Numbers lie as our own compiler has them.
    pub(crate) own: bool,
}

/// Translates a program of a source and adds its text to `out`.
pub(crate) fn translate(
    tokens: &[Token],
    unit: &Unit,
    blocks: &[&sql::Block],
    settings: Settings,
    out: &mut Vec<Token>,
    messages: &mut Messages,
) -> ProgramInfo {
    let mut program = Program { tokens, unit, needs: Needs::default(), edits: Edits::default(), messages };
    let embedded = blocks;
    let items =
        Items::read(tokens, unit.data.unwrap_or(unit.tokens.end), unit.procedure.unwrap_or(unit.tokens.end));
    hexadecimal::check(tokens, unit, &items, program.messages);
    let blocks = program.blocks();
    let runs_as_task = blocks.iter().any(|block| block.executor == Executor::Cics) || unit.own_commarea;
    hosted::check(tokens, unit, &items, runs_as_task, program.messages);
    let calls = program.check(&blocks, settings.not_yet);
    let statements = program.calls(&blocks, &calls);
    let name = program.program_name();
    let division = unit.data.unwrap_or(unit.tokens.end)..unit.procedure.unwrap_or(unit.tokens.end);
    let told = sql::Told { name: &name, is_task: runs_as_task, own: settings.own };
    let Sql { code, storage, package, blocks: sql_blocks } =
        Sql::translate(tokens, embedded, division, told, program.messages);
    program.name();
    program.records();
    if let (Some(procedure), Some(first)) = (unit.procedure, unit.first_statement) {
        let cics = settings.linkage && (!statements.is_empty() || unit.own_commarea);
        let parameters = if cics { Parameters::read(unit.header(tokens)) } else { Parameters::Own };
        program.header(procedure, &parameters);
        program.working_storage(procedure, &parameters, storage);
        if cics {
            program.linkage(procedure, &parameters);
        }
        program.entry(first, &parameters);
        for Code { place, tokens } in code {
            program.edits.insert(place, tokens);
        }
        program.no_result(procedure);
        addresses::widen(tokens, &items, &mut program.edits);
        alike::mark(tokens, unit, &items, &mut program.edits);
        jumps::close(tokens, unit, &mut program.edits);
        phrases::close(&tokens[first..unit.tokens.end], first, &mut program.edits);
    }
    let copied = program.copied();
    program.edits.apply(tokens, unit.tokens.clone(), out);
    ProgramInfo { name, statements, sql: package, sql_blocks, copied }
}

struct Program<'a> {
    tokens: &'a [Token],
    unit: &'a Unit,
    needs: Needs,
    edits: Edits,
    messages: &'a mut Messages,
}

impl Program<'_> {
    /// Reads all EXEC blocks, and replaces names for numbers outside of them.
    fn blocks(&mut self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut at = self.unit.tokens.start;
        while at < self.unit.tokens.end {
            if let Some(block) = exec::read(self.tokens, at, self.messages) {
                at = block.range.end;
                blocks.push(block);
            } else if let Some((range, number)) = values::read(self.tokens, at, self.messages) {
                at = range.end;
                self.edits.replace(range, vec![number]);
            } else if let Some(range) = service_statement(self.tokens, at) {
                let nothing = Token { text: "CONTINUE".into(), ..self.tokens[at].clone() };
                at = range.end;
                self.edits.replace(range, vec![nothing]);
            } else {
                at += 1;
            }
        }
        blocks
    }

    /// The call of each block that is a command without mistakes; all labels get their numbers.
    fn check<'b>(&mut self, blocks: &'b [Block], not_yet: NotYet) -> Vec<Option<Call<'b>>> {
        self.report_other_executors(blocks);
        let calls: Vec<Option<Call<'b>>> =
            blocks.iter().map(|block| grammar::check(block, not_yet, self.messages)).collect();
        for (option, item) in calls.iter().flatten().flat_map(|call| &call.arguments) {
            if option.kind == spec::Kind::Label {
                self.needs.label(item.argument.as_deref().unwrap_or(&[]), item.at);
            }
        }
        calls
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

    /// Puts a call in the place of each block.
    fn calls(&mut self, blocks: &[Block], calls: &[Option<Call<'_>>]) -> Vec<Statement> {
        let mut statements = Vec::new();
        for (block, call) in blocks.iter().zip(calls) {
            let last = block.range.end - 1;
            let end = self.tokens[last].at;
            let mut new = Vec::new();
            if block.executor == Executor::Cics {
                let Ok(number) = u16::try_from(statements.len() + 1) else {
                    let message = format!("more than {} commands in one program", u16::MAX);
                    self.messages.add(block.at, Diagnostic::error("SPTR043", message));
                    break;
                };
                let text = text_of(&self.tokens[block.range.start + 2..last.max(block.range.start + 2)]);
                statements.push(Statement { number, origin: self.messages.frames.origin(block.at), text });
                if let Some(call) = call {
                    new = call::write(call, block, end, number, &mut self.needs, self.messages);
                }
            }
            self.edits.replace(block.range.clone(), new);
        }
        statements
    }

    /// Adds the full stops that are missing in front of records, as Enterprise COBOL does.
    fn records(&mut self) {
        let (Some(from), Some(to)) = (self.unit.data, self.unit.procedure) else { return };
        for at in from + 1..to {
            if !is_record_behind_open_entry(self.tokens, at) {
                continue;
            }
            let last = self.tokens[at - 1].at;
            let message = Diagnostic::warning("SPTR072", "a full stop is missing in front of this record")
                .label("one is supplied")
                .help("write a full stop behind the description before it");
            self.messages.add(self.tokens[at].at, message);
            self.edits.insert(at, vec![Token::made(".", last)]);
        }
    }

    /// Adds the full stop behind the program's name, where it is missing.
    fn name(&mut self) {
        let (Some(stop), Some(name)) = (self.unit.stop_missing, self.unit.name) else { return };
        let at = self.tokens[name].at;
        let message = Diagnostic::warning("SPTR070", "PROGRAM-ID without a full stop")
            .label("one is supplied behind this name")
            .help("write a full stop behind the program's name");
        self.messages.add(at, message);
        self.edits.insert(stop, vec![Token::made(".", self.tokens[stop - 1].at)]);
    }

    fn program_name(&self) -> String {
        let name = self.unit.name.map(|at| &self.tokens[at]);
        name.map_or_else(String::new, |t| t.literal_value().unwrap_or_else(|| t.text.to_string()))
            .to_ascii_uppercase()
    }

    /// Completes the header of the procedure division.
    fn header(&mut self, procedure: usize, parameters: &Parameters) {
        let header = self.unit.header(self.tokens);
        let Some(words) = parameters.header(header) else { return };
        // Behind PROCEDURE DIVISION.
        let start = procedure + 2;
        let using = header.iter().position(|t| t.is("USING"));
        let at = self.place(start - 1);
        match using {
            None => self.edits.insert(start, vec![Token::made(format!("USING {words}"), at)]),
            Some(using) => {
                let names = start + using + 1;
                let returning = header.iter().position(|t| t.is("RETURNING")).unwrap_or(header.len());
                let end = if parameters.replaces_own() { start + returning } else { names };
                self.edits.replace(names..end, vec![Token::made(words, at)]);
            }
        }
    }

    /// A result of the program itself: the compiler has no place for it.
    fn no_result(&mut self, procedure: usize) {
        let header = self.unit.header(self.tokens);
        let Some(returning) = header.iter().position(|t| t.is("RETURNING")) else { return };
        let message = Diagnostic::error(crate::NO_RETURNING, "PROCEDURE DIVISION with RETURNING is not supported")
            .label("the item behind it would have no storage")
            .help("give the result back in RETURN-CODE, which CALL … RETURNING takes, or in a parameter BY REFERENCE");
        self.messages.add(self.tokens[procedure + 2 + returning].at, message);
    }

    fn working_storage(&mut self, procedure: usize, parameters: &Parameters, more: Vec<String>) {
        let unit = self.unit;
        let place = unit.working_storage.or(unit.after_working_storage).unwrap_or(procedure);
        let at = self.place(place);
        let mut lines = Vec::new();
        if unit.working_storage.is_none() {
            lines.extend(unit.data.is_none().then_some("DATA DIVISION.".to_string()));
            lines.push("WORKING-STORAGE SECTION.".into());
        }
        lines.push(format!("01 {STORAGE}."));
        lines.push(format!("   02 {RETURNED} USAGE POINTER."));
        lines.push(format!("   02 {GO} REDEFINES {RETURNED} PIC S9(9) COMP-5."));
        if parameters.by_pointer() {
            lines.push(format!("   02 {INTERFACE_POINTER} USAGE POINTER."));
        }
        lines.extend((1..=self.needs.pointers).map(|n| format!("   02 {POINTER}{n} USAGE POINTER.")));
        lines.extend((1..=self.needs.numbers).map(|n| format!("   02 {NUMBER}{n} PIC S9(18) COMP-5.")));
        lines.extend(more);
        self.edits.insert(place, lines.into_iter().map(|line| Token::line(line, at)).collect());
    }

    fn linkage(&mut self, procedure: usize, parameters: &Parameters) {
        let unit = self.unit;
        let place = unit.linkage.unwrap_or(procedure);
        let at = self.place(place);
        let mut lines: Vec<String> = Vec::new();
        if unit.linkage.is_none() {
            lines.push("LINKAGE SECTION.".into());
        }
        if !unit.own_interface_block {
            let block = cobol_source::supplied(INTERFACE_BLOCK);
            lines.extend(block.iter().flat_map(|b| b.text.lines()).map(|line| line.trim().to_string()));
        }
        if parameters.has_commarea() && !unit.own_commarea {
            lines.push(format!("01 {COMMAREA} PIC X."));
        }
        lines.extend(parameters.linkage());
        self.edits.insert(place, lines.into_iter().map(|line| Token::line(line, at)).collect());
    }

    /// The program's first statement.
    fn entry(&mut self, first: usize, parameters: &Parameters) {
        let at = self.place(first - 1);
        let name = format!("{:<NAME_LENGTH$.NAME_LENGTH$}", self.program_name());
        let mut call = format!("CALL '{}' USING '{name}'", spec::call::ENTRY_SYMBOL);
        if parameters.by_pointer() {
            call = format!("{call} {INTERFACE_POINTER}");
        }
        let mut statement = vec![Token::line(call, at), call::returning(at)];
        statement.extend(parameters.statements().into_iter().map(|line| Token::line(line, at)));
        statement.extend(self.needs.first_jump(at));
        statement.push(Token::made(".", at));
        self.edits.insert(first, statement);
    }

    /// The place for what is put in at a token, or behind the last.
    fn place(&self, at: usize) -> At {
        // A program has at least the words of its header.
        self.tokens[at.min(self.tokens.len() - 1)].at
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

/// SERVICE LABEL or SERVICE RELOAD identifier: orders to older compilers, which later ones take for comments.
fn service_statement(tokens: &[Token], at: usize) -> Option<Range<usize>> {
    if phrase(tokens, at, &["SERVICE", "LABEL"]) {
        return Some(at..at + 2);
    }
    let mut end = at + 3;
    phrase(tokens, at, &["SERVICE", "RELOAD"]).then(|| {
        while tokens.get(end).is_some_and(|token| token.is_any(&["OF", "IN"])) {
            end += 2;
        }
        at..end.min(tokens.len())
    })
}

/// Whether level number 01 or 77 begins a line in area A, and the entry before it has no full stop.
fn is_record_behind_open_entry(tokens: &[Token], at: usize) -> bool {
    const OPEN: [&str; 8] = ["VALUE", "VALUES", "IS", "ARE", "THRU", "THROUGH", "OCCURS", "TO"];
    let (before, token) = (&tokens[at - 1], &tokens[at]);
    let starts_line = (before.at.frame, before.at.line) != (token.at.frame, token.at.line);
    let in_area_a = (AREA_A..AREA_B).contains(&usize::from(token.at.column));
    let named = tokens.get(at + 1).is_some_and(|name| name.kind == Kind::Word && !name.is_number());
    let closed = before.is_period() || before.is_any(&OPEN);
    token.is_any(&["01", "77"]) && starts_line && in_area_a && named && !closed
}
