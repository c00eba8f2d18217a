//! The procedure division: header, declaratives, sections, paragraphs, sentences.

use std::rc::Rc;

use diagnostics::nearest;

use crate::parser::{Parsed, Parser};
use crate::statements::{StatementRecord, statements};
use crate::tree::{Name, Paragraph, Parameter, Procedure, Reference, Section, Sentence, StatementKind, Use};
use crate::words::WordKind;

/// Statements of other compilers for which there are no reserved words: one that is alone in its sentence looks like a paragraph.
const OTHERS_STATEMENTS: [&str; 2] = ["COMMIT", "ROLLBACK"];

impl Parser<'_> {
    /// The division from its header on.
    pub(crate) fn procedure_division(&mut self) -> Procedure {
        let at = self.word().at;
        let headed = self.headed;
        self.eat_header();
        let mut procedure = Procedure {
            at,
            using: Vec::new(),
            returning: None,
            declaratives: Vec::new(),
            sections: Vec::new(),
        };
        if headed && self.procedure_header(&mut procedure).is_err() {
            self.skip_until(0, |parser| parser.is_kind(WordKind::Period) || parser.starts_division());
        }
        if headed {
            self.eat_period();
        }
        if self.eat("DECLARATIVES") {
            self.eat_period();
            procedure.declaratives = self.sections();
            procedure.declaratives.iter_mut().for_each(without_debugging);
            if self.eat_phrase(&["END", "DECLARATIVES"]) {
                self.eat_period();
            } else {
                let at = self.word().at;
                let message = "the declaratives have no END DECLARATIVES".to_owned();
                self.error(
                    at,
                    "SPSY020",
                    message,
                    "",
                    "write END DECLARATIVES. behind the last of their sections",
                );
            }
        }
        procedure.sections = self.sections();
        procedure
    }

    fn procedure_header(&mut self, procedure: &mut Procedure) -> Parsed<()> {
        const HELP: &str = "PROCEDURE DIVISION [USING names] [RETURNING name] and a full stop";
        if self.eat("USING") {
            procedure.using = self.parameters()?;
        }
        if self.eat("RETURNING") {
            procedure.returning = Some(self.plain_reference("an item")?);
        }
        if self.is_kind(WordKind::Period) { Ok(()) } else { self.expected("a full stop", HELP) }
    }

    /// Parameters behind USING.
    pub(crate) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        let mut by_value = false;
        loop {
            self.eat("BY");
            match self.eat_any(&["VALUE", "REFERENCE"]) {
                Some(mode) => by_value = mode == "VALUE",
                None if self.is_kind(WordKind::Name) && !self.starts_header() => {
                    parameters.push(Parameter { by_value, item: self.plain_reference("an item")? });
                }
                None if parameters.is_empty() => {
                    return self.expected("an item", "USING names items of the linkage section");
                }
                None => return Ok(parameters),
            }
        }
    }

    /// Sections up to the end of the division or of the declaratives.
    fn sections(&mut self) -> Vec<Section> {
        let mut sections = Vec::new();
        let mut section = Section { name: None, segment: None, paragraphs: Vec::new() };
        let mut paragraph = Paragraph { name: None, sentences: Vec::new() };
        while !self.ends_procedures() {
            if self.eat_period() {
                continue;
            }
            if self.at_section_header() {
                close_paragraph(&mut section, paragraph);
                close_section(&mut sections, section);
                section = self.section_header();
                paragraph = Paragraph { name: None, sentences: Vec::new() };
            } else if self.at_paragraph_header() {
                close_paragraph(&mut section, paragraph);
                paragraph = Paragraph { name: Some(self.header_name()), sentences: Vec::new() };
                self.eat_period();
            } else {
                paragraph.sentences.push(self.sentence());
            }
        }
        close_paragraph(&mut section, paragraph);
        close_section(&mut sections, section);
        sections
    }

    fn ends_procedures(&self) -> bool {
        self.starts_division() || self.is_phrase(&["END", "DECLARATIVES"])
    }

    fn at_section_header(&self) -> bool {
        self.is_ahead(1, "SECTION") && matches!(self.word().kind, WordKind::Name | WordKind::Number)
    }

    fn at_paragraph_header(&self) -> bool {
        if self.ahead(1).kind != WordKind::Period {
            return false;
        }
        let word = self.word();
        match word.kind {
            WordKind::Name | WordKind::Number => true,
            // A reserved word where a header should stand: told, and taken for one.
            WordKind::Reserved => word.area_a && !self.starts_statement() && !word.text.starts_with("END"),
            _ => false,
        }
    }

    fn header_name(&mut self) -> Name {
        let word = self.bump();
        if word.kind == WordKind::Reserved {
            let message = format!("{} is a reserved word, and no paragraph name", word.text);
            self.error(word.at, "SPSY021", message, "", "give the paragraph another name");
        } else if !word.area_a && OTHERS_STATEMENTS.contains(&&*word.text) {
            let message = format!("{} is no statement: it is taken for the name of a paragraph", word.text);
            let help = "CLOSE and the program's end commit, an abend backs out; tables have EXEC SQL COMMIT";
            self.warning(word.at, "SPSY033", message, help);
        }
        Name { text: Rc::clone(&word.text), at: word.at }
    }

    fn section_header(&mut self) -> Section {
        let name = Some(self.header_name());
        self.bump();
        let segment = if self.is_kind(WordKind::Number) { self.literal().ok() } else { None };
        if !self.eat_period() {
            let at = self.before().at;
            let help = "write a full stop behind SECTION";
            self.error(at, "SPSY022", "this section's header has no full stop".to_owned(), "", help);
        }
        Section { name, segment, paragraphs: Vec::new() }
    }

    fn sentence(&mut self) -> Sentence {
        self.recovering = false;
        let mut statements = Vec::new();
        loop {
            self.statement_in_area_a();
            statements.append(&mut self.statements());
            let word = self.word();
            if self.eat_period() {
                return Sentence { statements, end: word.at };
            }
            if self.ends_procedures() || self.starts_header() || self.at_section_header() {
                // The last sentence before END PROGRAM often has none, and that is accepted.
                if !self.ends_procedures() && !self.recovering {
                    let message = format!("a full stop is missing in front of {}", word.text);
                    self.warning(word.at, "SPSY023", message, "write it behind the statement before");
                }
                return Sentence { statements, end: word.at };
            }
            self.stray_word();
        }
    }

    /// Says of the first statement in area A that z/OS does not want it there.
    fn statement_in_area_a(&mut self) {
        let word = self.word();
        if word.area_a && self.starts_statement() && !std::mem::replace(&mut self.told_area, true) {
            let message = format!("{} begins in area A (columns 8 to 11)", word.text);
            self.warning(word.at, "SPSY028", message, "statements begin in column 12 or behind it");
        }
    }

    /// Something that begins no statement.
    fn stray_word(&mut self) {
        let word = self.word();
        if !self.recovering {
            let message = match word.kind {
                WordKind::Reserved => format!("{} belongs to no statement here", word.text),
                _ => format!("{} begins no statement", word.text),
            };
            let verbs = statements().iter().map(StatementRecord::word);
            let near = nearest(&word.text, verbs).filter(|_| word.kind == WordKind::Name);
            let help = match near {
                Some(verb) => format!("did you mean {verb}?"),
                None => {
                    "a statement begins with a verb; look for what ends the one before too early".to_owned()
                }
            };
            self.error(word.at, "SPSY024", message, "expected a verb", &help);
        }
        self.recover();
    }

    /// Goes on to what may begin or end a statement.
    pub(crate) fn recover(&mut self) {
        self.recovering = true;
        let before = self.position();
        self.skip_until(0, |parser| {
            (parser.position() > before && parser.starts_statement())
                || parser.is_kind(WordKind::Period)
                || parser.ends_scope()
                || parser.ends_procedures()
                || parser.starts_header()
        });
        // What ends no scope that is open would be met again for ever.
        let moved = self.position() > before;
        let awaited = self.is_kind(WordKind::Period) || self.ends_open_scope();
        if !(moved || awaited || self.ends_procedures() || self.starts_header()) {
            self.bump();
        }
    }

    /// The name of a paragraph or section, which may be digits.
    pub(crate) fn procedure_name(&mut self) -> Parsed<Reference> {
        if self.is_kind(WordKind::Number) && !self.word().text.contains('.') {
            let word = self.bump();
            let name = Name { text: Rc::clone(&word.text), at: word.at };
            let mut qualifiers = Vec::new();
            if self.eat_any(&["OF", "IN"]).is_some() {
                qualifiers.push(self.any_word("a section name", "")?);
            }
            let id = self.next_use();
            return Ok(Reference { id, name, qualifiers, subscripts: Vec::new(), modification: None });
        }
        self.plain_reference("a paragraph or section name")
    }

    /// `procedure [THRU procedure]`.
    pub(crate) fn procedure_range(&mut self) -> Parsed<(Reference, Option<Reference>)> {
        let from = self.procedure_name()?;
        let through = self.eat_any(&["THRU", "THROUGH"]).is_some();
        Ok((from, if through { Some(self.procedure_name()?) } else { None }))
    }
}

/// Leaves of a section for debugging what says so: it runs only under the run-time option DEBUG, which is not there.
fn without_debugging(section: &mut Section) {
    let mut sentences = section.paragraphs.iter().flat_map(|paragraph| &paragraph.sentences);
    let first = sentences.next().and_then(|sentence| sentence.statements.first());
    if !matches!(first.map(|first| &first.kind), Some(StatementKind::Use(Use::Debugging(_)))) {
        return;
    }
    let all = section.paragraphs.iter_mut().flat_map(|paragraph| &mut paragraph.sentences);
    all.enumerate().for_each(|(at, sentence)| sentence.statements.truncate(usize::from(at == 0)));
}

fn close_paragraph(section: &mut Section, paragraph: Paragraph) {
    if paragraph.name.is_some() || !paragraph.sentences.is_empty() {
        section.paragraphs.push(paragraph);
    }
}

fn close_section(sections: &mut Vec<Section>, section: Section) {
    if section.name.is_some() || !section.paragraphs.is_empty() {
        sections.push(section);
    }
}
