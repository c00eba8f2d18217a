//! The programs of a source, and the parts of each.

use std::borrow::Cow;
use std::ops::Range;

use cobol_syntax::{Block, Executor};

use crate::sql;
use crate::token::{Kind, Token, phrase};

/// One program: its text words, those of the programs it contains not among them.
#[derive(Debug)]
pub(crate) struct Unit {
    /// Its text words in the source's.
    pub(crate) tokens: Range<usize>,
    /// The name behind PROGRAM-ID.
    pub(crate) name: Option<usize>,
    /// Its full stop is missing.
    pub(crate) stop_is_missing: bool,
    /// Behind `DATA DIVISION.`
    pub(crate) data: Option<usize>,
    /// Its linkage section describes the communication area.
    pub(crate) own_commarea: bool,
    /// The words PROCEDURE DIVISION.
    pub(crate) procedure: Option<usize>,
}

/// The words of a source without its EXEC SQL, which are not COBOL's.
#[derive(Debug)]
pub(crate) struct Words<'t> {
    pub(crate) tokens: Cow<'t, [Token]>,
}

/// A block of EXEC … END-EXEC.
#[derive(Clone, Debug)]
pub(crate) struct Span<'t> {
    pub(crate) block: &'t Block,
    /// Its number in the source.
    pub(crate) number: usize,
    /// Its place among the words without EXEC SQL: a block of that is in front of a word.
    pub(crate) place: Range<usize>,
}

impl<'t> Words<'t> {
    /// The words of a source with these blocks.
    pub(crate) fn without_sql(tokens: &'t [Token], blocks: &[Block]) -> Self {
        let mut sql = blocks.iter().filter(|block| block.executor == Executor::Sql).peekable();
        if sql.peek().is_none() {
            return Self { tokens: tokens.into() };
        }
        let mut rest = Vec::with_capacity(tokens.len());
        let mut at = 0;
        for block in sql {
            rest.extend_from_slice(&tokens[at..block.range.start]);
            at = block.range.end;
        }
        rest.extend_from_slice(&tokens[at..]);
        Self { tokens: rest.into() }
    }

    /// The blocks with their places.
    pub(crate) fn spans(blocks: &[Block]) -> impl Iterator<Item = Span<'_>> {
        let mut removed = 0;
        blocks.iter().enumerate().map(move |(number, block)| {
            let Range { start, end } = block.range;
            let start = start - removed;
            if block.executor == Executor::Sql {
                removed += block.range.len();
            }
            Span { block, number, place: start..end - removed }
        })
    }
}

impl<'t> Span<'t> {
    /// Returns true if it is for this executor.
    pub(crate) fn is_of(&self, executor: Executor) -> bool {
        self.block.executor == executor
    }

    /// The same as EXEC SQL of a program.
    pub(crate) fn sql(&self, unit: &Unit) -> sql::Block<'t> {
        let in_procedure = unit.procedure.is_some_and(|procedure| self.place.start > procedure);
        sql::Block { tokens: &self.block.tokens, at: self.block.at, number: self.number, in_procedure }
    }
}

/// The name of the record that holds the communication area.
const COMMAREA: &str = "DFHCOMMAREA";

/// The programs, in the order of the source.
pub(crate) fn split(tokens: &[Token]) -> Vec<Unit> {
    let mut starts: Vec<usize> = Vec::new();
    let mut named = true;
    for at in 0..tokens.len() {
        let header = tokens[at].is_any(&["IDENTIFICATION", "ID"]) && phrase(tokens, at + 1, &["DIVISION"]);
        let name = tokens[at].is_any(&["PROGRAM-ID", "FUNCTION-ID"]);
        if header || (name && named) {
            starts.push(at);
        }
        named = (named || name) && !header;
    }
    let ends = starts.iter().skip(1).copied().chain([tokens.len()]);
    starts.iter().zip(ends).map(|(&start, end)| read(tokens, start..end)).collect()
}

fn read(tokens: &[Token], range: Range<usize>) -> Unit {
    let mut unit = Unit {
        tokens: range.clone(),
        name: None,
        stop_is_missing: false,
        data: None,
        own_commarea: false,
        procedure: None,
    };
    let mut in_linkage = false;
    for at in range.clone() {
        let token = &tokens[at];
        if token.kind != Kind::Word {
            continue;
        }
        if phrase(tokens, at + 1, &["DIVISION"]) {
            if token.is("DATA") {
                unit.data = Some(behind_stop(tokens, at + 2));
            } else if token.is("PROCEDURE") {
                unit.procedure = Some(at);
                break;
            }
        } else if phrase(tokens, at + 1, &["SECTION"]) {
            in_linkage |= token.is("LINKAGE");
        } else if token.is_any(&["PROGRAM-ID", "FUNCTION-ID"]) {
            unit.read_name(tokens, at);
        } else if in_linkage && at > 0 && is_top_level(&tokens[at - 1]) {
            unit.own_commarea |= token.is(COMMAREA);
        }
    }
    unit
}

impl Unit {
    fn read_name(&mut self, tokens: &[Token], at: usize) {
        let name = at + 1 + usize::from(tokens.get(at + 1).is_some_and(Token::is_period));
        self.name = (name < self.tokens.end).then_some(name);
        // PROGRAM-ID. X [IS] [INITIAL|COMMON|RECURSIVE] [PROGRAM].
        const ATTRIBUTES: [&str; 5] = ["IS", "INITIAL", "COMMON", "RECURSIVE", "PROGRAM"];
        let stop = (name + 1..self.tokens.end).find(|&i| !tokens[i].is_any(&ATTRIBUTES));
        self.stop_is_missing = stop.is_some_and(|at| !tokens[at].is_period());
    }
}

/// Behind the full stop at `at`, if there is one.
fn behind_stop(tokens: &[Token], at: usize) -> usize {
    at + usize::from(tokens.get(at).is_some_and(Token::is_period))
}

/// Returns true if this is the level number of a record.
fn is_top_level(token: &Token) -> bool {
    token.is_any(&["01", "1", "77"])
}
