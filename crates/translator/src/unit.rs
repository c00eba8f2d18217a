//! The programs of a source and the places in them at which something is put in.

use std::ops::Range;

use crate::token::{Kind, Token, phrase};

/// One program: its text words, those of the programs it contains not among them.
#[derive(Debug)]
pub(crate) struct Unit {
    /// Its text words in the source's.
    pub(crate) tokens: Range<usize>,
    /// The name behind PROGRAM-ID.
    pub(crate) name: Option<usize>,
    /// Where its full stop should stand, if it is missing.
    pub(crate) stop_missing: Option<usize>,
    /// Behind `DATA DIVISION.`
    pub(crate) data: Option<usize>,
    /// Behind `WORKING-STORAGE SECTION.`
    pub(crate) working_storage: Option<usize>,
    /// The first header of a section that stands behind WORKING-STORAGE.
    pub(crate) after_working_storage: Option<usize>,
    /// Behind `LINKAGE SECTION.`
    pub(crate) linkage: Option<usize>,
    /// Whether its linkage section describes the EXEC interface block.
    pub(crate) own_interface_block: bool,
    /// Whether its linkage section describes the communication area.
    pub(crate) own_commarea: bool,
    /// The words PROCEDURE DIVISION.
    pub(crate) procedure: Option<usize>,
    /// The full stop of that header.
    pub(crate) procedure_stop: Option<usize>,
    /// Where the first statement goes: behind the header or behind the declaratives.
    pub(crate) first_statement: Option<usize>,
}

/// The name of the record that holds the EXEC interface block.
pub(crate) const INTERFACE_BLOCK: &str = "DFHEIBLK";
/// The name of the record that holds the communication area.
pub(crate) const COMMAREA: &str = "DFHCOMMAREA";

/// Sections of the data division that stand behind the working-storage section.
const LATER_SECTIONS: [&str; 4] = ["LOCAL-STORAGE", "LINKAGE", "REPORT", "SCREEN"];

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
        stop_missing: None,
        data: None,
        working_storage: None,
        after_working_storage: None,
        linkage: None,
        own_interface_block: false,
        own_commarea: false,
        procedure: None,
        procedure_stop: None,
        first_statement: None,
    };
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
                unit.read_procedure(tokens, at);
                break;
            }
        } else if phrase(tokens, at + 1, &["SECTION"]) {
            unit.read_section(tokens, at);
        } else if token.is_any(&["PROGRAM-ID", "FUNCTION-ID"]) {
            unit.read_name(tokens, at);
        } else if unit.linkage.is_some() && at > 0 && is_top_level(&tokens[at - 1]) {
            unit.own_interface_block |= token.is(INTERFACE_BLOCK);
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
        self.stop_missing = stop.filter(|&i| !tokens[i].is_period());
    }

    fn read_section(&mut self, tokens: &[Token], at: usize) {
        let behind = behind_stop(tokens, at + 2);
        if tokens[at].is("WORKING-STORAGE") {
            self.working_storage = Some(behind);
        } else if tokens[at].is_any(&LATER_SECTIONS) {
            self.after_working_storage.get_or_insert(at);
        }
        if tokens[at].is("LINKAGE") {
            self.linkage = Some(behind);
        }
    }

    fn read_procedure(&mut self, tokens: &[Token], at: usize) {
        let Some(stop) = (at..self.tokens.end).find(|&i| tokens[i].is_period()) else { return };
        self.procedure_stop = Some(stop);
        let declaratives = phrase(tokens, stop + 1, &["DECLARATIVES"]);
        let end = (stop..self.tokens.end).find(|&i| phrase(tokens, i, &["END", "DECLARATIVES"]));
        self.first_statement = match end {
            Some(end) if declaratives => Some(behind_stop(tokens, end + 2)),
            _ => Some(stop + 1),
        };
    }

    /// The words between `PROCEDURE DIVISION` and its full stop.
    pub(crate) fn header<'t>(&self, tokens: &'t [Token]) -> &'t [Token] {
        match (self.procedure, self.procedure_stop) {
            (Some(at), Some(stop)) => tokens.get(at + 2..stop).unwrap_or(&[]),
            _ => &[],
        }
    }
}

/// Behind the full stop at `at`, if there is one.
fn behind_stop(tokens: &[Token], at: usize) -> usize {
    at + usize::from(tokens.get(at).is_some_and(Token::is_period))
}

/// Whether this is the level number of a record.
fn is_top_level(token: &Token) -> bool {
    token.is_any(&["01", "1", "77"])
}
