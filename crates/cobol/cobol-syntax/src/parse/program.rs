//! Programs: identification division, order of divisions, contained programs, END PROGRAM.

use std::rc::Rc;

use diagnostics::nearest;

use crate::parser::{Parsed, Parser};
use crate::tree::{Data, Environment, Name, Program};
use crate::words::WordKind;

/// Divisions that follow the identification division.
const DIVISIONS: [&str; 3] = ["ENVIRONMENT", "DATA", "PROCEDURE"];

/// Headers of the identification division that are followed by prose, where it was not dropped before.
const PROSE: [&str; 7] =
    ["AUTHOR", "INSTALLATION", "DATE-WRITTEN", "DATE-COMPILED", "SECURITY", "REMARKS", "ABSTRACT"];

/// All programs of a source.
pub(crate) fn programs(parser: &mut Parser<'_>) -> Vec<Program> {
    let mut programs = Vec::new();
    while !parser.at_end() {
        if parser.starts_program() {
            match parser.program() {
                Ok(program) => programs.push(program),
                // The message is there; the rest of it begins no program.
                Err(_) => parser.skip_until(0, Parser::starts_program),
            }
            continue;
        }
        let word = parser.word();
        if word.kind == WordKind::Period {
            parser.bump();
            continue;
        }
        if word.first && matches!(&*word.text, "CBL" | "PROCESS") {
            // Cards between the programs of a source: a line each.
            parser.skip_until(1, |parser| parser.word().first);
            continue;
        }
        let message = format!("{} stands where a program begins", word.text);
        let help = "a program begins with IDENTIFICATION DIVISION and PROGRAM-ID";
        parser.error(word.at, "SPSY003", message, "", help);
        parser.skip_until(1, Parser::starts_program);
    }
    programs
}

impl Parser<'_> {
    /// Returns true at the header of a program.
    pub(crate) fn starts_program(&self) -> bool {
        (self.is_any(&["IDENTIFICATION", "ID"]) && self.is_ahead(1, "DIVISION")) || self.is("PROGRAM-ID")
    }

    /// Returns true at a header of a division and at END PROGRAM, and where such a header is missing or misspelt.
    pub(crate) fn starts_division(&self) -> bool {
        (self.is_any(&["ENVIRONMENT", "DATA", "PROCEDURE", "IDENTIFICATION", "ID"])
            && self.is_ahead(1, "DIVISION"))
            || self.is("PROGRAM-ID")
            || self.is_phrase(&["END", "PROGRAM"])
            || self.at_end()
            || self.without_header()
            || self.misspelt_header().is_some()
    }

    /// Returns true if a section of the data division begins here outside of one, or a statement in one: their header is missing.
    fn without_header(&self) -> bool {
        match self.headless {
            Some(position) => position == self.position(),
            None => !self.seen_data && self.starts_data_section(),
        }
    }

    /// The division whose header stands here with a mistake in one of its words.
    fn misspelt_header(&self) -> Option<&'static str> {
        let word = self.word();
        let next = self.ahead(1);
        let may_be = word.first && matches!(word.kind, WordKind::Name | WordKind::Reserved);
        if !may_be || next.first || !matches!(next.kind, WordKind::Name | WordKind::Reserved) {
            return None;
        }
        let ends = matches!(self.ahead(2).kind, WordKind::Period) || self.is_ahead(2, "USING");
        let right = DIVISIONS.into_iter().find(|division| *division == &*word.text);
        match right {
            Some(division) if &*next.text != "DIVISION" && ends => {
                nearest(&next.text, ["DIVISION"]).map(|_| division)
            }
            None if &*next.text == "DIVISION" && ends && !matches!(&*word.text, "ID" | "IDENTIFICATION") => {
                let near = nearest(&word.text, DIVISIONS);
                DIVISIONS.into_iter().find(|division| Some(*division) == near)
            }
            _ => None,
        }
    }

    /// Says what is wrong with a header that is missing or misspelt, and which division begins there.
    fn header_in_need(&mut self) -> Option<&'static str> {
        let word = self.word();
        if let Some(division) = self.misspelt_header() {
            let message = format!("{} {} is no header", word.text, self.ahead(1).text);
            let help = format!("did you mean {division} DIVISION?");
            self.error(word.at, "SPSY008", message, &format!("expected {division} DIVISION"), &help);
            return Some(division);
        }
        if !self.without_header() {
            return None;
        }
        let division = if self.headless.take().is_some() { "PROCEDURE" } else { "DATA" };
        let message = format!("there is no {division} DIVISION");
        let label = format!("expected {division} DIVISION in front of this");
        let help = format!("write {division} DIVISION and a full stop on a line in front of {}", word.text);
        self.error(word.at, "SPSY007", message, &label, &help);
        // The header is not there to be passed over.
        self.headed = false;
        Some(division)
    }

    /// Takes the two words of a division's header, if it is there.
    pub(crate) fn eat_header(&mut self) {
        if std::mem::replace(&mut self.headed, true) {
            self.bump();
            self.bump();
        }
    }

    fn program(&mut self) -> Parsed<Program> {
        self.nested(|parser| {
            let mut program = parser.identification()?;
            parser.divisions(&mut program);
            while parser.starts_program() && program.procedure.is_some() {
                // A program that begins before END PROGRAM is contained, if one END PROGRAM more follows.
                if !parser.is_contained() {
                    break;
                }
                program.contained.extend(parser.program().ok());
            }
            if parser.eat_phrase(&["END", "PROGRAM"]) {
                parser.end_program(&program);
            }
            Ok(program)
        })
    }

    /// Returns true if the program that begins here ends before the one around it does.
    fn is_contained(&self) -> bool {
        let (mut begun, mut ended) = (0_usize, 0_usize);
        for by in 0.. {
            if self.ahead(by).kind == WordKind::End {
                break;
            }
            if self.is_ahead(by, "PROGRAM-ID") {
                begun += 1;
            } else if self.is_ahead(by, "END") && self.is_ahead(by + 1, "PROGRAM") {
                ended += 1;
            }
        }
        ended > begun
    }

    fn end_program(&mut self, program: &Program) {
        let Ok(name) = self.any_word("a program name", "END PROGRAM names the program that ends") else {
            return;
        };
        let (text, expected) = (unquoted(&name.text), &program.name.text);
        if !text.eq_ignore_ascii_case(expected) {
            let message = format!("END PROGRAM names {text}, and the program is {expected}");
            self.error(name.at, "SPSY004", message, "", "give it the name that stands behind PROGRAM-ID");
        }
        self.eat_period();
    }

    fn identification(&mut self) -> Parsed<Program> {
        if self.is_any(&["IDENTIFICATION", "ID"]) {
            self.bump();
            self.bump();
            self.eat_period();
        }
        self.expect("PROGRAM-ID", "the identification division begins with PROGRAM-ID and a name")?;
        self.eat_period();
        let word = self.any_word("a program name", "PROGRAM-ID. NAME.")?;
        let name = Name { text: unquoted(&word.text).to_ascii_uppercase().into(), at: word.at };
        let mut program = Program {
            name,
            initial: false,
            recursive: false,
            common: false,
            environment: Environment::default(),
            data: Data::default(),
            procedure: None,
            contained: Vec::new(),
        };
        loop {
            match self.eat_any(&["IS", "PROGRAM", "INITIAL", "RECURSIVE", "COMMON"]) {
                Some("INITIAL") => program.initial = true,
                Some("RECURSIVE") => program.recursive = true,
                Some("COMMON") => program.common = true,
                Some(_) => {}
                None => break,
            }
        }
        if !self.eat_period() && !self.starts_division() && !self.is_any(&PROSE) {
            let at = self.word().at;
            let message = format!("{} stands behind the program's name", self.word().text);
            self.error(at, "SPSY005", message, "", "write a full stop behind the name");
        }
        self.seen_data = false;
        self.skip_until(0, |parser| parser.starts_division() && !parser.is("PROGRAM-ID"));
        Ok(program)
    }

    fn divisions(&mut self, program: &mut Program) {
        let mut last = 0;
        loop {
            let word = self.word();
            let written = DIVISIONS.into_iter().find(|division| self.is_phrase(&[division, "DIVISION"]));
            let Some(division) = written.or_else(|| self.header_in_need()) else { return };
            let rank = match division {
                "ENVIRONMENT" => 1,
                "DATA" => 2,
                _ => 3,
            };
            if rank <= last {
                let message = format!("{division} DIVISION stands in the wrong place");
                let help = "the order is IDENTIFICATION, ENVIRONMENT, DATA, PROCEDURE DIVISION, each once";
                self.error(word.at, "SPSY006", message, "", help);
            }
            last = rank;
            match rank {
                1 => {
                    self.environment_division(&mut program.environment);
                    let classes = program.environment.classes.iter().map(|class| Rc::clone(&class.name.text));
                    self.classes.extend(classes);
                }
                2 => {
                    self.seen_data = true;
                    self.data_division(&mut program.data);
                    self.dimensions.add(&program.data);
                }
                _ => {
                    self.seen_data = true;
                    program.procedure = Some(self.procedure_division());
                }
            }
        }
    }
}

fn unquoted(text: &Rc<str>) -> &str {
    text.trim_matches(['\'', '"'])
}
