//! Statements of OS/VS COBOL, and those without an effect.

use std::rc::Rc;

use crate::parser::{Parsed, Parser};
use crate::tree::{Border, Inspect, InspectItem, Name, Reference, Scan, StatementKind};
use crate::words::WordKind;

impl Parser<'_> {
    pub(super) fn exhibit(&mut self) -> Parsed<StatementKind> {
        let (mut named, mut changed) = (false, false);
        while let Some(word) = self.eat_any(&["NAMED", "CHANGED"]) {
            named |= word == "NAMED";
            changed |= word == "CHANGED";
        }
        Ok(StatementKind::Exhibit { named, changed, items: self.operands()? })
    }

    pub(super) fn transform(&mut self) -> Parsed<StatementKind> {
        const HELP: &str = "TRANSFORM item FROM 'abc' TO 'ABC'";
        let item = self.reference()?;
        self.eat("CHARACTERS");
        self.expect("FROM", HELP)?;
        let from = self.operand()?;
        self.expect("TO", HELP)?;
        Ok(StatementKind::Transform { item, from, to: self.operand()? })
    }

    /// A comment up to the full stop.
    pub(super) fn note(&mut self) -> Parsed<StatementKind> {
        self.skip_until(0, |parser| parser.is_kind(WordKind::Period) || parser.starts_division());
        Ok(StatementKind::NoEffect(Vec::new()))
    }

    pub(super) fn trace(&mut self) -> Parsed<StatementKind> {
        self.expect("TRACE", "READY TRACE, RESET TRACE")?;
        Ok(StatementKind::NoEffect(Vec::new()))
    }

    pub(super) fn service(&mut self) -> Parsed<StatementKind> {
        if self.eat("LABEL") {
            return Ok(StatementKind::NoEffect(Vec::new()));
        }
        self.expect("RELOAD", "SERVICE LABEL, SERVICE RELOAD item")?;
        Ok(StatementKind::NoEffect(vec![self.reference()?]))
    }

    /// The language, and perhaps a routine's name.
    pub(super) fn enter(&mut self) -> Parsed<StatementKind> {
        self.any_word("the name of a language", "ENTER COBOL")?;
        if self.is_kind(WordKind::Name) {
            self.bump();
        }
        Ok(StatementKind::NoEffect(Vec::new()))
    }

    /// EXAMINE is an INSPECT with other words.
    pub(super) fn examine(&mut self) -> Parsed<StatementKind> {
        let at = self.before().at;
        const HELP: &str = "EXAMINE item TALLYING ALL 'a' [REPLACING BY 'b'], or REPLACING ALL 'a' BY 'b'";
        let item = self.operand()?;
        let mut inspect = Inspect { item, tallying: Vec::new(), replacing: Vec::new(), converting: None };
        let tallying = self.eat("TALLYING");
        if !tallying {
            self.expect("REPLACING", HELP)?;
        }
        // UNTIL FIRST: all characters in front of it.
        let mut until = false;
        let scan = match self.eat_any(&["ALL", "LEADING", "FIRST", "UNTIL"]) {
            Some("ALL") => Scan::All,
            Some("LEADING") => Scan::Leading,
            Some("FIRST") => Scan::First,
            Some(_) => {
                self.expect("FIRST", HELP)?;
                until = true;
                Scan::Characters
            }
            None => return self.expected("ALL, LEADING, FIRST or UNTIL FIRST", HELP),
        };
        let text = self.operand()?;
        let (text, borders) = match until {
            true => (None, vec![Border { after: false, text }]),
            false => (Some(text), Vec::new()),
        };
        let replaces = if tallying { self.eat("REPLACING") } else { true };
        let by = match replaces {
            true => {
                self.expect("BY", HELP)?;
                Some(self.operand()?)
            }
            false => None,
        };
        let found = InspectItem { counter: None, scan, text, by, borders };
        if tallying {
            // What is counted goes to the register.
            let id = self.next_use();
            let name = Name { text: Rc::from("TALLY"), at };
            let counter =
                Reference { id, name, qualifiers: Vec::new(), subscripts: Vec::new(), modification: None };
            let by = None;
            inspect.tallying.push(InspectItem { counter: Some(counter), by, ..found.clone() });
        }
        if replaces {
            inspect.replacing.push(found);
        }
        Ok(StatementKind::Examine(Box::new(inspect)))
    }
}
