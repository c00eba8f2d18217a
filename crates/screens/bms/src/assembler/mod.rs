//! The assembler: a source of DFHMSD, DFHMDI and DFHMDF macros in, mapsets and messages out.
//!
//! `statement` knows columns and continuation, `operand` the form KEYWORD=value, `arguments` the values that a keyword
//! takes, and `mapset`, `map` and `field` one macro each; `check` looks at a whole map. Out of scope: the
//! symbolic map's layout, or anything of the run time.

mod arguments;
mod check;
mod display;
mod field;
mod letters;
mod map;
mod mapset;
mod names;
mod operand;
mod picture;
mod report;
mod statement;

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

use crate::map::Mapset;
use letters::span;
use map::OpenMap;
use mapset::{Macro, OpenMapset};
use report::Report;
use statement::{Statement, statements};

/// The result of an assembly.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The mapsets of the source, nearly always one. Use them only if no message is an error.
    pub mapsets: Vec<Mapset>,
    /// The messages about the source, in its order.
    pub messages: Vec<Diagnostic>,
}

/// Statements that an assembler obeys and a map does not need.
const IGNORED: &[&str] = &["PRINT", "TITLE", "EJECT", "SPACE", "PUNCH", "AMODE", "RMODE", "ICTL", "CSECT"];
/// Macros of partition sets.
const PARTITIONS: &[&str] = &["DFHPSD", "DFHPDI"];

/// Assembles every mapset of a source.
pub fn assemble(source: &Arc<Source>) -> Assembly {
    let mut report = Report::new(source);
    let statements = statements(&source.text, &mut report);
    let mut assembler = Assembler { report, mapsets: Vec::new(), mapset: None, map: None };
    for statement in &statements {
        if statement.operation() == "END" {
            break;
        }
        assembler.statement(statement);
    }
    assembler.finish()
}

struct Assembler {
    report: Report,
    mapsets: Vec<Mapset>,
    mapset: Option<OpenMapset>,
    map: Option<OpenMap>,
}

impl Assembler {
    fn statement(&mut self, statement: &Statement) {
        match statement.operation().as_str() {
            "DFHMSD" => self.mapset(statement),
            "DFHMDI" => self.map(statement),
            "DFHMDF" => self.field(statement),
            operation if IGNORED.contains(&operation) => {}
            operation if PARTITIONS.contains(&operation) => {
                self.report.unsupported(operation, "this macro is ignored", span(&statement.operation));
            }
            operation => self.report.unknown_operation(operation, span(&statement.operation)),
        }
    }

    fn mapset(&mut self, statement: &Statement) {
        match mapset::read(statement, &mut self.report) {
            Macro::Start(next) => {
                self.close_mapset(false);
                self.mapset = Some(next);
            }
            Macro::Final => {
                if let (Some(open), Some(name)) = (&self.mapset, statement.name())
                    && name != open.mapset.name
                {
                    let place = span(statement.name.as_deref().unwrap_or_default());
                    self.report.name_differs(&name, &open.mapset.name, place);
                }
                self.close_mapset(true);
            }
        }
    }

    fn map(&mut self, statement: &Statement) {
        self.close_map();
        match &self.mapset {
            Some(mapset) => self.map = Some(map::read(statement, mapset, &mut self.report)),
            None => self.report.no_mapset("DFHMDI", span(&statement.operation)),
        }
    }

    fn field(&mut self, statement: &Statement) {
        match &mut self.map {
            Some(map) => field::read(statement, map, &mut self.report),
            None if self.mapset.is_some() => self.report.no_map(span(&statement.operation)),
            None => self.report.no_mapset("DFHMDF", span(&statement.operation)),
        }
    }

    fn close_map(&mut self) {
        let Some(open) = self.map.take() else { return };
        let map = check::finish(open, &mut self.report);
        if let Some(mapset) = &mut self.mapset {
            mapset.mapset.maps.push(map);
        }
    }

    fn close_mapset(&mut self, ended: bool) {
        self.close_map();
        let Some(open) = self.mapset.take() else { return };
        if !ended {
            self.report.not_ended(&open.mapset.name, open.place);
        }
        self.mapsets.push(open.mapset);
    }

    fn finish(mut self) -> Assembly {
        self.close_mapset(false);
        if self.mapsets.is_empty() && self.report.messages.is_empty() {
            self.report.nothing_here();
        }
        let mut messages = self.report.messages;
        messages.sort_by_key(|message| message.place.as_ref().map_or(0, |place| place.line));
        Assembly { mapsets: self.mapsets, messages }
    }
}
