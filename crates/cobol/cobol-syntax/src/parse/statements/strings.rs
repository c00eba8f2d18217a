//! STRING, UNSTRING, INSPECT.

use crate::parser::{Parsed, Parser};
use crate::tree::{
    Border, Inspect, InspectItem, Operand, Reference, Scan, StatementKind, StringSource, UnstringTarget,
};

impl Parser<'_> {
    pub(super) fn string(&mut self) -> Parsed<StatementKind> {
        let mut sources = Vec::new();
        while !self.is("INTO") {
            let pieces = self.operands()?;
            let mut delimiter = None;
            if self.eat("DELIMITED") {
                self.eat("BY");
                delimiter = if self.eat("SIZE") { None } else { Some(self.operand()?) };
            } else if !self.is("INTO") {
                return self.expected("DELIMITED BY or INTO", "STRING item DELIMITED BY SIZE INTO item");
            }
            sources.push(StringSource { pieces, delimiter });
        }
        self.bump();
        let into = self.reference()?;
        let pointer = self.pointer()?;
        let handlers = self.handlers()?;
        Ok(StatementKind::String { sources, into, pointer, handlers })
    }

    fn pointer(&mut self) -> Parsed<Option<Reference>> {
        if self.is_phrase(&["WITH", "POINTER"]) || self.is("POINTER") {
            self.eat("WITH");
            self.bump();
            return self.reference().map(Some);
        }
        Ok(None)
    }

    pub(super) fn unstring(&mut self) -> Parsed<StatementKind> {
        let item = self.operand()?;
        let mut delimiters = Vec::new();
        if self.eat("DELIMITED") {
            self.eat("BY");
            loop {
                // ALL with a literal is a figurative constant elsewhere.
                let all = self.eat("ALL");
                delimiters.push((self.operand()?, all));
                if !self.eat("OR") {
                    break;
                }
            }
        }
        self.expect("INTO", "UNSTRING item DELIMITED BY value INTO items")?;
        let mut into = Vec::new();
        loop {
            let item = self.reference()?;
            let mut target = UnstringTarget { item, delimiter: None, count: None };
            if self.eat("DELIMITER") {
                self.eat("IN");
                target.delimiter = Some(self.reference()?);
            }
            if self.eat("COUNT") {
                self.eat("IN");
                target.count = Some(self.reference()?);
            }
            into.push(target);
            if !self.starts_reference() {
                break;
            }
        }
        let pointer = self.pointer()?;
        let tallying = match self.eat("TALLYING") {
            true => {
                self.eat("IN");
                Some(self.reference()?)
            }
            false => None,
        };
        let handlers = self.handlers()?;
        Ok(StatementKind::Unstring { item, delimiters, into, pointer, tallying, handlers })
    }

    pub(super) fn inspect(&mut self) -> Parsed<StatementKind> {
        let item = self.operand()?;
        let mut inspect = Inspect { item, tallying: Vec::new(), replacing: Vec::new(), converting: None };
        if self.eat("TALLYING") {
            while self.starts_reference() {
                self.tallying(&mut inspect.tallying)?;
            }
        }
        if self.eat("REPLACING") {
            self.replacing(&mut inspect.replacing)?;
        }
        if self.eat("CONVERTING") {
            let from = self.operand()?;
            self.expect("TO", "INSPECT item CONVERTING 'abc' TO 'ABC'")?;
            let to = self.operand()?;
            inspect.converting = Some((from, to, self.borders()?));
        }
        if inspect.tallying.is_empty() && inspect.replacing.is_empty() && inspect.converting.is_none() {
            return self
                .expected("TALLYING, REPLACING or CONVERTING", "INSPECT item REPLACING ALL 'a' BY 'b'");
        }
        Ok(StatementKind::Inspect(Box::new(inspect)))
    }

    /// `counter FOR ALL a LEADING b … CHARACTERS`.
    fn tallying(&mut self, out: &mut Vec<InspectItem>) -> Parsed<()> {
        const HELP: &str = "TALLYING counter FOR ALL 'a', FOR LEADING 'a', FOR CHARACTERS";
        let counter = self.reference()?;
        self.expect("FOR", HELP)?;
        loop {
            if self.eat("CHARACTERS") {
                let borders = self.borders()?;
                out.push(InspectItem {
                    counter: Some(counter.clone()),
                    scan: Scan::Characters,
                    text: None,
                    by: None,
                    borders,
                });
            } else if let Some(word) = self.eat_any(&["ALL", "LEADING"]) {
                let scan = if word == "ALL" { Scan::All } else { Scan::Leading };
                loop {
                    let text = Some(self.operand()?);
                    let borders = self.borders()?;
                    out.push(InspectItem { counter: Some(counter.clone()), scan, text, by: None, borders });
                    if !self.starts_operand() || self.is("ALL") || self.is_next_counter() {
                        break;
                    }
                }
            } else {
                return self.expected("CHARACTERS, ALL or LEADING", HELP);
            }
            if !self.is_any(&["CHARACTERS", "ALL", "LEADING"]) {
                return Ok(());
            }
        }
    }

    /// Returns true if the operand at the cursor is the counter of the next FOR.
    fn is_next_counter(&mut self) -> bool {
        let start = self.position();
        let mut by = 1;
        while by < 24 && !self.is_ahead(by, "FOR") && !self.is_any_ahead(by, &["ALL", "LEADING", "REPLACING"])
        {
            by += 1;
        }
        self.go_to(start);
        self.starts_reference() && self.is_ahead(by, "FOR")
    }

    fn replacing(&mut self, out: &mut Vec<InspectItem>) -> Parsed<()> {
        const HELP: &str =
            "REPLACING ALL 'a' BY 'b', LEADING 'a' BY 'b', FIRST 'a' BY 'b', CHARACTERS BY 'b'";
        loop {
            if self.eat("CHARACTERS") {
                self.expect("BY", HELP)?;
                let by = Some(self.operand()?);
                let borders = self.borders()?;
                out.push(InspectItem { counter: None, scan: Scan::Characters, text: None, by, borders });
            } else if let Some(word) = self.eat_any(&["ALL", "LEADING", "FIRST"]) {
                let scan = match word {
                    "ALL" => Scan::All,
                    "LEADING" => Scan::Leading,
                    _ => Scan::First,
                };
                loop {
                    let text: Option<Operand> = Some(self.operand()?);
                    self.expect("BY", HELP)?;
                    let by = Some(self.operand()?);
                    let borders = self.borders()?;
                    out.push(InspectItem { counter: None, scan, text, by, borders });
                    if !self.starts_operand() || self.is("ALL") {
                        break;
                    }
                }
            } else {
                return self.expected("CHARACTERS, ALL, LEADING or FIRST", HELP);
            }
            if !self.is_any(&["CHARACTERS", "ALL", "LEADING", "FIRST"]) {
                return Ok(());
            }
        }
    }

    fn borders(&mut self) -> Parsed<Vec<Border>> {
        let mut borders = Vec::new();
        while let Some(word) = self.eat_any(&["BEFORE", "AFTER"]) {
            self.eat("INITIAL");
            borders.push(Border { after: word == "AFTER", text: self.operand()? });
        }
        Ok(borders)
    }
}
