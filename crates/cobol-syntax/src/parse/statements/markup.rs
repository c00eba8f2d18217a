//! JSON and XML, GENERATE and PARSE.

use crate::parser::{Parsed, Parser};
use crate::tree::{Event, Markup, Operand, StatementKind};

/// Words of the phrases between the items and ON EXCEPTION; the items among them are kept, the rest is not yet needed.
const PHRASES: [&str; 32] = [
    "NAMESPACE",
    "NAMESPACE-PREFIX",
    "TYPE",
    "SUPPRESS",
    "CONVERTING",
    "ENCODING",
    "XML-DECLARATION",
    "ATTRIBUTES",
    "ATTRIBUTE",
    "ELEMENT",
    "CONTENT",
    "IS",
    "OF",
    "WHEN",
    "EVERY",
    "NONNUMERIC",
    "NUMERIC",
    "OR",
    "ALSO",
    "TO",
    "JSON",
    "BOOLEAN",
    "BOOL",
    "USING",
    "AND",
    "DETAIL",
    "OMITTED",
    "VALIDATING",
    "FILE",
    "RETURNING",
    "NATIONAL",
    "GENERIC",
];

impl Parser<'_> {
    pub(super) fn markup(&mut self, xml: bool) -> Parsed<StatementKind> {
        let Some(action) = self.eat_any(&["GENERATE", "PARSE"]) else {
            return self.expected(
                "GENERATE or PARSE",
                "JSON GENERATE text FROM item, XML PARSE text PROCESSING PROCEDURE p",
            );
        };
        let parse = action == "PARSE";
        let text = self.reference()?;
        let mut markup = Markup {
            xml,
            parse,
            text,
            data: None,
            count: None,
            procedure: None,
            names: Vec::new(),
            items: Vec::new(),
            phrase: None,
            handlers: Default::default(),
        };
        if !parse {
            self.expect("FROM", "GENERATE text FROM item")?;
            markup.data = Some(self.reference()?);
        } else if !xml {
            self.expect("INTO", "JSON PARSE text INTO item")?;
            markup.data = Some(self.reference()?);
        }
        self.markup_phrases(&mut markup)?;
        if xml && parse && markup.procedure.is_none() {
            return self.expected("PROCESSING PROCEDURE", "XML PARSE text PROCESSING PROCEDURE paragraph");
        }
        markup.handlers = self.handlers(&[Event::Exception])?;
        Ok(StatementKind::Markup(Box::new(markup)))
    }

    fn markup_phrases(&mut self, markup: &mut Markup) -> Parsed<()> {
        loop {
            if self.eat("COUNT") {
                self.eat("IN");
                markup.count = Some(self.reference()?);
            } else if self.eat("PROCESSING") {
                self.expect("PROCEDURE", "PROCESSING PROCEDURE IS paragraph")?;
                self.eat("IS");
                markup.procedure = Some(self.procedure_range()?);
            } else if self.eat("NAME") {
                self.eat("OF");
                self.markup_names(markup)?;
            } else if self.eat("WITH") {
                // It begins one of the others.
            } else if self.is_any(&PHRASES) {
                let word = self.any_word("a phrase", "NAME OF item IS 'name'")?;
                markup.phrase.get_or_insert(word);
            } else if self.starts_reference() {
                markup.items.push(self.reference()?);
            } else if self.starts_operand() {
                self.operand()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Items with the names that they get.
    fn markup_names(&mut self, markup: &mut Markup) -> Parsed<()> {
        const HELP: &str = "NAME OF item IS 'name'";
        while self.starts_reference() && !self.is_any(&PHRASES) {
            let item = self.reference()?;
            self.eat("IS");
            let name = match self.eat("OMITTED") {
                true => None,
                false => match self.operand()? {
                    Operand::Literal(literal) => Some(literal),
                    _ => return self.expected("a literal", HELP),
                },
            };
            markup.names.push((item, name));
        }
        Ok(())
    }
}
