//! CALL, ENTRY, USE.

use crate::parser::{Parsed, Parser};
use crate::tree::{Argument, OpenMode, Passing, StatementKind, Use};
use crate::words::WordKind;

impl Parser<'_> {
    pub(super) fn call(&mut self) -> Parsed<StatementKind> {
        let program = self.operand()?;
        let using = if self.eat("USING") { self.arguments()? } else { Vec::new() };
        let returning = match self.eat_any(&["RETURNING", "GIVING"]) {
            Some(_) => Some(self.reference()?),
            None => None,
        };
        let handlers = self.handlers()?;
        Ok(StatementKind::Call { program, using, returning, handlers })
    }

    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        let mut arguments = Vec::new();
        let mut passing = Passing::Reference;
        loop {
            let by = self.eat("BY");
            match self.eat_any(&["REFERENCE", "CONTENT", "VALUE"]) {
                Some("REFERENCE") => passing = Passing::Reference,
                Some("CONTENT") => passing = Passing::Content,
                Some(_) => passing = Passing::Value,
                None if by => {
                    return self
                        .expected("REFERENCE, CONTENT or VALUE", "CALL program USING BY CONTENT item");
                }
                None if self.eat("OMITTED") => arguments.push(Argument { passing, value: None }),
                None if self.eat("FILE") => {}
                None if self.starts_operand() => {
                    arguments.push(Argument { passing, value: Some(self.operand()?) });
                }
                None if arguments.is_empty() => {
                    return self.expected("an argument", "CALL program USING items");
                }
                None => return Ok(arguments),
            }
        }
    }

    pub(super) fn entry(&mut self) -> Parsed<StatementKind> {
        if !self.is_kind(WordKind::Literal) {
            return self.expected("a literal", "ENTRY 'NAME' USING items");
        }
        let name = self.literal()?;
        let using = if self.eat("USING") { self.parameters()? } else { Vec::new() };
        Ok(StatementKind::Entry { name, using })
    }

    pub(super) fn use_(&mut self) -> Parsed<StatementKind> {
        let global = self.eat("GLOBAL");
        self.skip_words(&["FOR", "AFTER", "STANDARD"]);
        if self.eat("DEBUGGING") {
            self.eat("ON");
            let mut names = Vec::new();
            self.skip_words(&["ALL", "REFERENCES", "OF", "PROCEDURES"]);
            while self.is_kind(WordKind::Name) {
                names.push(self.plain_reference("a name")?);
                self.skip_words(&["ALL", "REFERENCES", "OF", "PROCEDURES"]);
            }
            return Ok(StatementKind::Use(Use::Debugging(names)));
        }
        if self.eat_any(&["EXCEPTION", "ERROR"]).is_none() {
            let at = self.before().at;
            let help =
                "USE AFTER STANDARD ERROR PROCEDURE ON file; labels and reports have no procedures here";
            self.error(at, "SPSY090", "this form of USE is not built".to_owned(), "", help);
            self.skip_until(0, |parser| parser.is_kind(WordKind::Period) || parser.starts_division());
            return Ok(StatementKind::Use(Use::Debugging(Vec::new())));
        }
        self.skip_words(&["PROCEDURE", "ON"]);
        let mode = self.eat_any(&["INPUT", "OUTPUT", "I-O", "EXTEND"]).map(open_mode);
        let mut files = Vec::new();
        while self.is_kind(WordKind::Name) {
            files.push(self.plain_reference("a file name")?);
        }
        if mode.is_none() && files.is_empty() {
            return self.expected("a file name", "USE AFTER STANDARD ERROR PROCEDURE ON file");
        }
        Ok(StatementKind::Use(Use::Exception { files, mode, global }))
    }
}

/// The mode of a word of OPEN.
pub(super) fn open_mode(word: &str) -> OpenMode {
    match word {
        "INPUT" => OpenMode::Input,
        "OUTPUT" => OpenMode::Output,
        "I-O" => OpenMode::InputOutput,
        _ => OpenMode::Extend,
    }
}
