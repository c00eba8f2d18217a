//! MOVE, INITIALIZE, SET, ACCEPT, DISPLAY, ALLOCATE.

use crate::parser::{Parsed, Parser};
use crate::tree::{Allocated, Expression, InitializeReplacing, Name, Operand, SetKind, StatementKind};
use crate::words::WordKind;

/// The categories of INITIALIZE.
const CATEGORIES: [&str; 11] = [
    "ALPHABETIC",
    "ALPHANUMERIC",
    "ALPHANUMERIC-EDITED",
    "NUMERIC",
    "NUMERIC-EDITED",
    "DBCS",
    "EGCS",
    "NATIONAL",
    "NATIONAL-EDITED",
    "UTF-8",
    "POINTER",
];

impl Parser<'_> {
    pub(super) fn move_(&mut self) -> Parsed<StatementKind> {
        let corresponding = self.eat_any(&["CORRESPONDING", "CORR"]).is_some();
        let from = self.operand()?;
        self.expect("TO", "MOVE value TO item")?;
        let to = self.references()?;
        Ok(StatementKind::Move { corresponding, from, to })
    }

    pub(super) fn initialize(&mut self) -> Parsed<StatementKind> {
        let items = self.references()?;
        let (mut filler, mut value, mut default) = (false, None, false);
        let mut replacing = Vec::new();
        loop {
            self.skip_words(&["THEN", "WITH"]);
            if self.eat("FILLER") {
                filler = true;
            } else if self.is_phrase(&["TO", "DEFAULT"]) || self.is("DEFAULT") {
                self.eat("TO");
                self.bump();
                default = true;
            } else if self.is("ALL") || (self.is_any(&CATEGORIES) && !self.is("REPLACING")) {
                let category = self.any_word("a category", "INITIALIZE item ALL TO VALUE")?;
                self.eat("TO");
                self.expect("VALUE", "INITIALIZE item ALL TO VALUE")?;
                let categories: &mut Vec<Name> = value.get_or_insert_default();
                categories.extend(Some(category).filter(|category| &*category.text != "ALL"));
            } else if self.eat("REPLACING") {
                self.initialize_replacing(&mut replacing)?;
            } else {
                break;
            }
        }
        Ok(StatementKind::Initialize { items, filler, value, replacing, default })
    }

    fn initialize_replacing(&mut self, out: &mut Vec<InitializeReplacing>) -> Parsed<()> {
        const HELP: &str = "REPLACING NUMERIC DATA BY value";
        if !self.is_any(&CATEGORIES) {
            return self.expected("a category", HELP);
        }
        while self.is_any(&CATEGORIES) {
            let category = self.any_word("a category", HELP)?;
            self.eat("DATA");
            self.expect("BY", HELP)?;
            out.push(InitializeReplacing { category, by: self.operand()? });
        }
        Ok(())
    }

    pub(super) fn set(&mut self) -> Parsed<StatementKind> {
        let mut list = vec![self.set_kind()?];
        while self.starts_reference() {
            list.push(self.set_kind()?);
        }
        Ok(StatementKind::Set(list))
    }

    fn set_kind(&mut self) -> Parsed<SetKind> {
        const HELP: &str = "SET item TO value, SET condition TO TRUE, SET index UP BY number, SET ADDRESS OF item TO pointer";
        let mut targets = vec![self.operand()?];
        while self.starts_operand() {
            targets.push(self.operand()?);
        }
        if let Some(word) = self.eat_any(&["UP", "DOWN"]) {
            self.expect("BY", HELP)?;
            return Ok(SetKind::By { targets, down: word == "DOWN", value: self.expression()? });
        }
        self.expect("TO", HELP)?;
        if let Some(word) = self.eat_any(&["ON", "OFF"]) {
            let names = targets.into_iter().filter_map(|target| match target {
                Operand::Reference(reference) => Some(reference),
                _ => None,
            });
            return Ok(SetKind::Switch { targets: names.collect(), on: word == "ON" });
        }
        if self.eat("ENTRY") {
            return Ok(SetKind::To { targets, value: Expression::Operand(self.operand()?) });
        }
        Ok(SetKind::To { targets, value: self.expression()? })
    }

    pub(super) fn accept(&mut self) -> Parsed<StatementKind> {
        if self.is("OMITTED") {
            let help = "EXEC CICS RECEIVE waits for a key at a terminal";
            let message = "ACCEPT OMITTED waits at a console, which neither a task nor a job has";
            return self.fail(self.word().at, "SPSY091", message, help);
        }
        let item = self.reference()?;
        let (mut from, mut form) = (None, None);
        if self.eat("FROM") {
            self.refuse_machine()?;
            let name: Name =
                self.any_word("DATE, DAY, TIME or a mnemonic name", "ACCEPT item FROM DATE YYYYMMDD")?;
            from = Some(name);
            if self.is_any(&["YYYYMMDD", "YYYYDDD"]) {
                form = Some(self.any_word("a form", "")?);
            }
        }
        self.refuse_place("ACCEPT")?;
        Ok(StatementKind::Accept { item, from, form })
    }

    /// ACCEPT FROM what only a process at a console has, in two words as other compilers know it.
    fn refuse_machine(&mut self) -> Parsed<()> {
        let word = self.word();
        let next = self.ahead(1);
        let help = match (&*word.text, &*next.text) {
            ("ENVIRONMENT", _) => "give the value to the program: PARM of a job, a record, a COMMAREA",
            ("USER", "NAME") => "EXEC CICS ASSIGN USERID says it",
            ("ESCAPE", "KEY") | ("EXCEPTION", "STATUS") => "EIBAID says which key has been pressed",
            _ => return Ok(()),
        };
        let message =
            format!("ACCEPT FROM {} {}: neither a task nor a job has such a thing", word.text, next.text);
        self.fail(word.at, "SPSY091", &message, help)
    }

    /// ACCEPT and DISPLAY at a place of a screen.
    fn refuse_place(&mut self, verb: &str) -> Parsed<()> {
        let at = self.is("AT")
            && (self.ahead(1).kind == WordKind::Number
                || self.ahead(1).kind == WordKind::Name
                || self.is_any_ahead(1, &["LINE", "POSITION"]));
        let with = self.is("WITH") && !self.is_ahead(1, "NO");
        if !at && !with && !self.is_any(&["LINE", "POSITION", "BLANK"]) {
            return Ok(());
        }
        let message =
            format!("{verb} at a place of a screen: neither a task nor a job has a console with one");
        let help =
            "describe a map with BMS, and SEND and RECEIVE it; DISPLAY of the values alone goes to the log";
        self.fail(self.word().at, "SPSY091", &message, help)
    }

    pub(super) fn display(&mut self) -> Parsed<StatementKind> {
        let items = self.operands()?;
        let (mut upon, mut no_advancing) = (None, false);
        loop {
            if self.eat("UPON") {
                upon = Some(self.any_word("a mnemonic name", "DISPLAY items UPON CONSOLE")?);
            } else if self.is_phrase(&["WITH", "NO"]) || self.is_phrase(&["NO", "ADVANCING"]) {
                self.eat("WITH");
                self.bump();
                self.eat("ADVANCING");
                no_advancing = true;
            } else {
                self.refuse_place("DISPLAY")?;
                return Ok(StatementKind::Display { items, upon, no_advancing });
            }
        }
    }

    pub(super) fn allocate(&mut self) -> Parsed<StatementKind> {
        let value = self.expression()?;
        let what = if self.eat("CHARACTERS") {
            Allocated::Characters(value)
        } else {
            match value {
                Expression::Operand(Operand::Reference(item)) => Allocated::Item(item),
                _ => return self.expected("CHARACTERS", "ALLOCATE number CHARACTERS RETURNING pointer"),
            }
        };
        let initialized = self.eat("INITIALIZED");
        if self.eat("LOC") {
            self.number("24, 31 or 64", "LOC 31")?;
        }
        let returning = if self.eat("RETURNING") { Some(self.reference()?) } else { None };
        Ok(StatementKind::Allocate { what, initialized, returning })
    }
}
