//! OPEN, CLOSE, READ, WRITE, REWRITE, DELETE, START, RETURN, RELEASE.

use super::calling::open_mode;
use crate::parser::{Parsed, Parser};
use crate::tree::{Advancing, Closing, Operand, StatementKind};
use crate::words::WordKind;

impl Parser<'_> {
    pub(super) fn rewrite(&mut self) -> Parsed<StatementKind> {
        let record = self.reference()?;
        self.eat("RECORD");
        let from = self.from()?;
        let handlers = self.handlers()?;
        Ok(StatementKind::Rewrite { record, from, handlers })
    }

    pub(super) fn delete(&mut self) -> Parsed<StatementKind> {
        let file = self.plain_reference("a file name")?;
        self.eat("RECORD");
        let handlers = self.handlers()?;
        Ok(StatementKind::Delete { file, handlers })
    }

    pub(super) fn return_(&mut self) -> Parsed<StatementKind> {
        let file = self.plain_reference("a file name")?;
        self.eat("RECORD");
        let into = self.into()?;
        let handlers = self.handlers()?;
        Ok(StatementKind::Return { file, into, handlers })
    }

    pub(super) fn release(&mut self) -> Parsed<StatementKind> {
        let record = self.reference()?;
        Ok(StatementKind::Release { record, from: self.from()? })
    }

    fn from(&mut self) -> Parsed<Option<Operand>> {
        if self.eat("FROM") { self.operand().map(Some) } else { Ok(None) }
    }

    fn into(&mut self) -> Parsed<Option<crate::tree::Reference>> {
        if self.eat("INTO") { self.reference().map(Some) } else { Ok(None) }
    }

    pub(super) fn open(&mut self) -> Parsed<StatementKind> {
        let mut files = Vec::new();
        while let Some(mode) = self.eat_any(&["INPUT", "OUTPUT", "I-O", "EXTEND"]) {
            while self.is_kind(WordKind::Name) && !self.starts_header() {
                files.push((open_mode(mode), self.plain_reference("a file name")?));
                self.skip_words(&["REVERSED", "WITH", "NO", "REWIND", "LOCK"]);
            }
        }
        if files.is_empty() {
            return self.expected("INPUT, OUTPUT, I-O or EXTEND and a file name", "OPEN INPUT file");
        }
        Ok(StatementKind::Open(files))
    }

    pub(super) fn close(&mut self) -> Parsed<StatementKind> {
        let mut files = Vec::new();
        loop {
            let file = self.plain_reference("a file name")?;
            files.push((self.closing(), file));
            if !self.is_kind(WordKind::Name) || self.starts_header() {
                return Ok(StatementKind::Close(files));
            }
        }
    }

    fn closing(&mut self) -> Closing {
        let mut closing = Closing::File;
        let words = ["REEL", "UNIT", "FOR", "REMOVAL", "WITH", "NO", "REWIND", "LOCK"];
        while let Some(word) = self.eat_any(&words) {
            match word {
                "LOCK" => closing = Closing::Lock,
                "REEL" | "UNIT" => closing = Closing::Tape { stays_open: true },
                "REWIND" => closing = Closing::Tape { stays_open: false },
                _ => {}
            }
        }
        closing
    }

    pub(super) fn read(&mut self) -> Parsed<StatementKind> {
        let file = self.plain_reference("a file name")?;
        let mut next = self.eat("NEXT");
        if self.is("PREVIOUS") {
            let at = self.word().at;
            return self.fail(
                at,
                "SPSY091",
                "READ PREVIOUS is of other systems",
                "read backwards with READPREV of EXEC CICS",
            );
        }
        self.eat("RECORD");
        next |= self.eat("NEXT");
        let mut into = None;
        let mut key = None;
        loop {
            if self.is("INTO") {
                into = self.into()?;
            } else if self.eat("KEY") {
                self.eat("IS");
                key = Some(self.reference()?);
            } else {
                break;
            }
        }
        let handlers = self.handlers()?;
        Ok(StatementKind::Read { file, next, into, key, handlers })
    }

    pub(super) fn write(&mut self) -> Parsed<StatementKind> {
        let record = self.reference()?;
        let from = self.from()?;
        let advancing = match self.eat_any(&["BEFORE", "AFTER"]) {
            Some(word) => {
                self.eat("ADVANCING");
                let lines = if self.eat("PAGE") { None } else { Some(self.operand()?) };
                self.skip_words(&["LINE", "LINES"]);
                Some(Advancing { after: word == "AFTER", lines })
            }
            None => None,
        };
        let handlers = self.handlers()?;
        Ok(StatementKind::Write { record, from, advancing, handlers })
    }

    pub(super) fn start(&mut self) -> Parsed<StatementKind> {
        let file = self.plain_reference("a file name")?;
        let mut key = None;
        if self.eat("KEY") {
            let relation = match self.eat_relation() {
                Some(relation) => relation,
                None => return self.expected("an operator", "START file KEY IS NOT LESS THAN item"),
            };
            key = Some((relation, self.reference()?));
        }
        let handlers = self.handlers()?;
        Ok(StatementKind::Start { file, key, handlers })
    }
}
