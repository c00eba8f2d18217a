//! Statements of OS/VS COBOL, the report writer's, and those without an effect.

use std::rc::Rc;

use crate::parser::{Parsed, Parser};
use crate::tree::{Border, Inspect, InspectItem, Name, Reference, Scan, StatementKind};
use crate::words::WordKind;

impl Parser<'_> {
    pub(super) fn older_statement(&mut self, verb: &str) -> Parsed<StatementKind> {
        let at = self.before().at;
        match verb {
            "EXHIBIT" => {
                let (mut named, mut changed) = (false, false);
                while let Some(word) = self.eat_any(&["NAMED", "CHANGED"]) {
                    named |= word == "NAMED";
                    changed |= word == "CHANGED";
                }
                Ok(StatementKind::Exhibit { named, changed, items: self.operands()? })
            }
            "EXAMINE" => self.examine(),
            "TRANSFORM" => {
                let item = self.reference()?;
                self.eat("CHARACTERS");
                self.expect("FROM", "TRANSFORM item FROM 'abc' TO 'ABC'")?;
                let from = self.operand()?;
                self.expect("TO", "TRANSFORM item FROM 'abc' TO 'ABC'")?;
                Ok(StatementKind::Transform { item, from, to: self.operand()? })
            }
            // What follows is prose.
            "NOTE" => {
                self.skip_until(0, |parser| parser.is_kind(WordKind::Period) || parser.starts_division());
                Ok(StatementKind::NoEffect(Vec::new()))
            }
            "READY" | "RESET" => {
                self.expect("TRACE", "READY TRACE, RESET TRACE")?;
                Ok(StatementKind::NoEffect(Vec::new()))
            }
            "SERVICE" => {
                if self.eat("LABEL") {
                    return Ok(StatementKind::NoEffect(Vec::new()));
                }
                self.expect("RELOAD", "SERVICE LABEL, SERVICE RELOAD item")?;
                Ok(StatementKind::NoEffect(vec![self.reference()?]))
            }
            "GENERATE" | "INITIATE" | "TERMINATE" | "SUPPRESS" => {
                // Names follow, and nothing that could end a statement around this one.
                self.skip_until(0, |parser| {
                    let goes_on = parser.is_kind(WordKind::Name) || parser.is_any(&["OF", "IN", "PRINTING"]);
                    !goes_on || parser.starts_statement()
                });
                Ok(StatementKind::Report(Name { text: Rc::from(verb), at }))
            }
            _ => {
                let message = format!("{verb} is not built");
                self.fail(at, "SPSY090", &message, "write it in another way")
            }
        }
    }

    /// EXAMINE is an INSPECT with other words.
    fn examine(&mut self) -> Parsed<StatementKind> {
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
