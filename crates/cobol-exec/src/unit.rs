//! The programs of a source, and the parts of each.

use std::ops::Range;

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
