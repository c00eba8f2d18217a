//! What takes the place of a statement: a CALL, and what WHENEVER asks for behind it.

use db2::call::{Descriptor, IN_FRONT, SYMBOL};
use db2::{Event, Whenever};

use super::variables::Arguments;
use crate::call;
use crate::origin::At;
use crate::token::Token;

/// The program's SQL communication area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// Its own SQLCA; whether its numbers are the machine's own, and not big-endian.
    Own { native: bool },
    /// It has forgotten it, and gets the one that INCLUDE SQLCA would give it.
    Missing,
    /// It has SQLCODE, or SQLSTATE, as an item by itself, as the standard has it: they get their values from an area of
    /// the translator's.
    Standard { code: bool, state: bool },
}

/// The area that the translator supplies.
pub(crate) const SUPPLIED: &str = "DFHSQLCA";
const CODE: &str = "DFHSQLCODE";
const WARNING: &str = "DFHSQLWARN";
const STATE: &str = "DFHSQLSTATE";

impl Area {
    /// Records for working storage.
    pub(crate) fn storage(&self) -> Vec<String> {
        match self {
            Self::Own { .. } => return Vec::new(),
            Self::Missing => {
                let member = cobol_source::supplied("SQLCA");
                let lines = member.iter().flat_map(|member| member.text.lines());
                return lines.map(|line| line.trim().to_string()).collect();
            }
            Self::Standard { .. } => {}
        }
        vec![
            format!("   02 {SUPPLIED}."),
            "      03 FILLER PIC X(12).".into(),
            format!("      03 {CODE} PIC S9(9) COMP."),
            "      03 FILLER PIC X(104).".into(),
            format!("      03 {WARNING} PIC X."),
            "      03 FILLER PIC X(10).".into(),
            format!("      03 {STATE} PIC X(5)."),
        ]
    }

    /// The same for our own compiler.
    pub(crate) fn as_own(&self) -> db2::blocks::Area {
        match *self {
            Self::Own { .. } | Self::Missing => db2::blocks::Area::Record,
            Self::Standard { code, state } => db2::blocks::Area::Items { code, state },
        }
    }

    fn name(&self) -> &'static str {
        if self.is_standard() { SUPPLIED } else { "SQLCA" }
    }

    pub(crate) fn is_native(&self) -> bool {
        matches!(self, Self::Own { native: true })
    }

    fn code(&self) -> &'static str {
        if self.is_standard() { CODE } else { "SQLCODE OF SQLCA" }
    }

    fn warning(&self) -> &'static str {
        if self.is_standard() { WARNING } else { "SQLWARN0 OF SQLCA" }
    }

    fn is_standard(&self) -> bool {
        matches!(self, Self::Standard { .. })
    }

    /// Statements that hand the area's values on.
    fn behind(&self, at: At) -> Vec<Token> {
        let Self::Standard { code, state } = self else { return Vec::new() };
        let mut moves = Vec::new();
        moves.extend(code.then(|| Token::line(format!("MOVE {CODE} TO SQLCODE"), at)));
        moves.extend(state.then(|| Token::line(format!("MOVE {STATE} TO SQLSTATE"), at)));
        moves
    }
}

/// The CALL of a statement.
pub(crate) fn call(
    descriptor: Descriptor,
    area: &Area,
    arguments: &Arguments,
    at: At,
    end: At,
) -> Vec<Token> {
    const { assert!(IN_FRONT == 2) };
    let hex: String = descriptor.encode().iter().map(|byte| format!("{byte:02X}")).collect();
    let mut out = vec![Token::line(format!("CALL '{SYMBOL}' USING X'{hex}' {}", area.name()), at)];
    for (item, at) in &arguments.items {
        out.push(Token::made(item.as_str(), *at));
    }
    out.push(call::returning(end));
    out.extend(area.behind(end));
    out
}

/// Errors first, for they may have warnings, too.
const ORDER: [Event; 3] = [Event::Error, Event::NotFound, Event::Warning];

/// What is to be done in each case, from a place of the text on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handling {
    labels: Vec<(Event, String, At)>,
}

impl Handling {
    pub(crate) fn note(&mut self, whenever: Whenever, at: At) {
        self.labels.retain(|(event, _, _)| *event != whenever.event);
        self.labels.extend(whenever.go_to.map(|label| (whenever.event, label, at)));
    }

    /// Where to go in each case: errors first, for they may have warnings, too.
    pub(crate) fn labels(&self) -> Vec<(Event, String)> {
        let of = |event: Event| self.labels.iter().find(move |(of, ..)| *of == event);
        let known = ORDER.into_iter().filter_map(of);
        known.map(|(event, label, _)| (*event, label.clone())).collect()
    }

    /// The statements behind a CALL.
    pub(crate) fn statements(&self, area: &Area, end: At) -> Vec<Token> {
        let mut out = Vec::new();
        for event in ORDER {
            let Some((_, label, at)) = self.labels.iter().find(|(of, _, _)| *of == event) else { continue };
            let (code, warning) = (area.code(), area.warning());
            let condition = match event {
                Event::Error => format!("{code} < 0"),
                Event::NotFound => format!("{code} = 100"),
                Event::Warning => format!("({code} > 0 AND {code} NOT = 100) OR {warning} = 'W'"),
            };
            out.push(Token::line(format!("IF {condition}"), end));
            out.push(Token::line(format!("GO TO {label}"), *at));
            out.push(Token::line("END-IF", end));
        }
        out
    }
}
