//! IF, EVALUATE, PERFORM, SEARCH, GO TO, ALTER, EXIT, STOP.

use std::rc::Rc;

use crate::parse::expression::figurative;
use crate::parser::{Parsed, Parser};
use crate::tree::{
    Branch, Condition, Exit, Expression, Literal, LiteralKind, Name, Operand, Perform, Performed, Reference,
    Repeat, Search, StatementKind, Statements, Varying, WhenItem,
};
use crate::words::WordKind;

impl Parser<'_> {
    pub(super) fn if_(&mut self) -> Parsed<StatementKind> {
        let at = self.before().at;
        let condition = self.condition_or_skip();
        self.eat("THEN");
        let then = self.body(at)?;
        let otherwise = match self.is("ELSE") {
            true => {
                let at = self.bump().at;
                Some(self.body(at)?)
            }
            false => None,
        };
        Ok(StatementKind::If { condition, then, otherwise })
    }

    /// Reads a condition; a mistake in it is reported, and its statements are read all the same.
    fn condition_or_skip(&mut self) -> Condition {
        let at = self.word().at;
        match self.condition() {
            Ok(condition) => condition,
            Err(_) => {
                self.recovering = true;
                self.skip_until(0, |parser| {
                    parser.starts_statement()
                        || parser.is_kind(WordKind::Period)
                        || parser.ends_scope()
                        || parser.is("THEN")
                        || parser.starts_division()
                });
                Condition::Bare(Expression::Operand(Operand::Truth(true, at)))
            }
        }
    }

    pub(super) fn evaluate(&mut self) -> Parsed<StatementKind> {
        let mut subjects = vec![self.condition_or_skip()];
        while self.eat("ALSO") {
            subjects.push(self.condition_or_skip());
        }
        let (mut branches, mut other) = (Vec::new(), None);
        if !self.is("WHEN") && !self.recovering {
            return self.expected("WHEN", "EVALUATE subject WHEN value statements … END-EVALUATE");
        }
        while self.is("WHEN") {
            let at = self.word().at;
            if self.is_ahead(1, "OTHER") {
                self.bump();
                self.bump();
                other = Some(self.body(at)?);
                break;
            }
            let mut whens = Vec::new();
            while self.is("WHEN") && !self.is_ahead(1, "OTHER") {
                self.bump();
                whens.push(self.when_items());
            }
            // WHEN x and then WHEN OTHER: both have the statements of OTHER.
            let body = if self.is("WHEN") { Vec::new() } else { self.body(at)? };
            branches.push(Branch { whens, body });
        }
        Ok(StatementKind::Evaluate { subjects, branches, other })
    }

    fn when_items(&mut self) -> Vec<WhenItem> {
        let mut items = vec![self.when_item()];
        while self.eat("ALSO") {
            items.push(self.when_item());
        }
        items
    }

    fn when_item(&mut self) -> WhenItem {
        if self.eat("ANY") {
            return WhenItem::Any;
        }
        let condition = self.condition_or_skip();
        if self.eat_any(&["THRU", "THROUGH"]).is_none() {
            return WhenItem::Value(condition);
        }
        let (not, inner) = match condition {
            Condition::Not(inner, _) => (true, *inner),
            other => (false, other),
        };
        match (inner, self.expression()) {
            (Condition::Bare(from), Ok(to)) => WhenItem::Range { not, from, to },
            _ => WhenItem::Any,
        }
    }

    pub(super) fn perform(&mut self) -> Parsed<StatementKind> {
        let at = self.before().at;
        let mut perform =
            Perform { what: Performed::InLine(Vec::new()), test_after: false, repeat: Repeat::Once };
        let mut in_line = true;
        let number = self.is_kind(WordKind::Number);
        if number && self.is_ahead(1, "TIMES") {
            perform.repeat = Repeat::Times(self.operand()?);
            self.bump();
        } else if self.is_kind(WordKind::Name) || number {
            match self.performed()? {
                Performer::Times(operand) => perform.repeat = Repeat::Times(operand),
                Performer::Procedures(what) => {
                    perform.what = what;
                    in_line = false;
                }
            }
        }
        self.repetition(&mut perform)?;
        if in_line {
            perform.what = Performed::InLine(self.in_line_body(at)?);
        }
        Ok(StatementKind::Perform(Box::new(perform)))
    }

    fn performed(&mut self) -> Parsed<Performer> {
        let start = self.position();
        if self.is_kind(WordKind::Name) {
            let item = self.reference()?;
            if self.eat("TIMES") {
                return Ok(Performer::Times(Operand::Reference(item)));
            }
            self.go_to(start);
        }
        let (from, through) = self.procedure_range()?;
        Ok(Performer::Procedures(Performed::Procedures { from, through }))
    }

    fn repetition(&mut self, perform: &mut Perform) -> Parsed<()> {
        if self.is("TEST") || self.is_phrase(&["WITH", "TEST"]) {
            self.eat("WITH");
            self.bump();
            perform.test_after = match self.eat_any(&["AFTER", "BEFORE"]) {
                Some(word) => word == "AFTER",
                None => return self.expected("BEFORE or AFTER", "WITH TEST AFTER UNTIL condition"),
            };
        }
        if self.eat("UNTIL") {
            perform.repeat = match self.eat("EXIT") {
                true => Repeat::Forever,
                false => Repeat::Until(self.condition_or_skip()),
            };
        } else if self.eat("VARYING") {
            let mut list = vec![self.varying()?];
            while self.eat("AFTER") {
                list.push(self.varying()?);
            }
            perform.repeat = Repeat::Varying(list);
        } else if matches!(perform.what, Performed::Procedures { .. }) && self.starts_operand() {
            let times = self.operand()?;
            self.expect("TIMES", "PERFORM paragraph number TIMES")?;
            perform.repeat = Repeat::Times(times);
        }
        Ok(())
    }

    fn varying(&mut self) -> Parsed<Varying> {
        const HELP: &str = "VARYING item FROM value BY value UNTIL condition";
        let item = self.reference()?;
        self.expect("FROM", HELP)?;
        let from = self.expression()?;
        let by = match self.eat("BY") {
            true => self.expression()?,
            false => one(self.word().at),
        };
        self.expect("UNTIL", HELP)?;
        Ok(Varying { item, from, by, until: self.condition_or_skip() })
    }

    fn in_line_body(&mut self, at: cobol_source::At) -> Parsed<Statements> {
        let body = self.statements();
        if !self.is("END-PERFORM") && !self.recovering {
            let help = "write END-PERFORM behind the statements, or PERFORM the name of a paragraph";
            return self.fail(at, "SPSY031", "this PERFORM has no END-PERFORM", help);
        }
        Ok(body)
    }

    pub(super) fn search(&mut self) -> Parsed<StatementKind> {
        let all = self.eat("ALL");
        let table = self.reference()?;
        let varying = if self.eat("VARYING") { Some(self.reference()?) } else { None };
        let mut search = Search { all, table, varying, at_end: None, whens: Vec::new() };
        if self.is_phrase(&["AT", "END"]) || self.is("END") {
            let at = self.word().at;
            self.eat("AT");
            self.bump();
            search.at_end = Some(self.body(at)?);
        }
        if !self.is("WHEN") {
            return self.expected("WHEN", "SEARCH table [AT END statements] WHEN condition statements");
        }
        while self.is("WHEN") {
            let at = self.bump().at;
            let condition = self.condition_or_skip();
            let body = self.body(at)?;
            search.whens.push((condition, body));
        }
        Ok(StatementKind::Search(Box::new(search)))
    }

    pub(super) fn go_to_statement(&mut self) -> Parsed<StatementKind> {
        self.eat("TO");
        let mut targets = Vec::new();
        while (self.is_kind(WordKind::Name) || self.is_kind(WordKind::Number)) && !self.starts_header() {
            targets.push(self.procedure_name()?);
        }
        let depending = match self.eat("DEPENDING") {
            true => {
                self.eat("ON");
                Some(self.reference()?)
            }
            false => None,
        };
        if targets.is_empty() && !self.is_kind(WordKind::Period) {
            return self.expected("a paragraph or section name", "GO TO paragraph");
        }
        if targets.len() > 1 && depending.is_none() {
            let at = targets[1].at();
            return self.fail(
                at,
                "SPSY032",
                "GO TO has one target, unless DEPENDING ON follows",
                "write DEPENDING ON and an item",
            );
        }
        Ok(StatementKind::GoTo { targets, depending })
    }

    pub(super) fn alter(&mut self) -> Parsed<StatementKind> {
        let mut pairs = Vec::new();
        while (self.is_kind(WordKind::Name) || self.is_kind(WordKind::Number)) && !self.starts_header() {
            let from = self.procedure_name()?;
            self.expect("TO", "ALTER paragraph TO PROCEED TO paragraph")?;
            self.eat_phrase(&["PROCEED", "TO"]);
            pairs.push((from, self.procedure_name()?));
        }
        Ok(StatementKind::Alter(pairs))
    }

    pub(super) fn exit(&mut self) -> Parsed<StatementKind> {
        let what = match self.eat_any(&["PROGRAM", "PARAGRAPH", "SECTION", "PERFORM", "FUNCTION", "METHOD"]) {
            None => Exit::Point,
            Some("PROGRAM") => Exit::Program,
            Some("PARAGRAPH") => Exit::Paragraph,
            Some("SECTION") => Exit::Section,
            Some("PERFORM") if self.eat("CYCLE") => Exit::PerformCycle,
            Some("PERFORM") => Exit::Perform,
            Some(_) => Exit::Other,
        };
        let exit = StatementKind::Exit(what);
        if what == Exit::Program { self.giving(exit) } else { Ok(exit) }
    }

    /// A statement that leaves the program, and GIVING or RETURNING behind it.
    pub(super) fn giving(&mut self, leave: StatementKind) -> Parsed<StatementKind> {
        let at = self.word().at;
        if self.eat_any(&["GIVING", "RETURNING"]).is_none() {
            return Ok(leave);
        }
        let code = self.operand()?;
        let name = Name { text: Rc::from("RETURN-CODE"), at };
        let (id, qualifiers, subscripts) = (self.next_use(), Vec::new(), Vec::new());
        let register = Reference { id, name, qualifiers, subscripts, modification: None };
        Ok(StatementKind::Giving { code, register, leave: Box::new(leave) })
    }

    pub(super) fn stop(&mut self) -> Parsed<StatementKind> {
        if self.eat("RUN") {
            return self.giving(StatementKind::Stop(None));
        }
        let figurative = figurative(&self.word().text).is_some();
        if figurative || self.is_kind(WordKind::Literal) || self.is_kind(WordKind::Number) {
            return Ok(StatementKind::Stop(Some(self.operand()?)));
        }
        self.expected("RUN", "STOP RUN, or STOP with a literal for the operator")
    }
}

/// Words behind PERFORM.
enum Performer {
    Times(Operand),
    Procedures(Performed),
}

fn one(at: cobol_source::At) -> Expression {
    Expression::Operand(Operand::Literal(Literal { kind: LiteralKind::Number, text: "1".into(), at }))
}
