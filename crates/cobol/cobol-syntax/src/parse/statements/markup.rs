//! JSON and XML, GENERATE and PARSE.

use crate::parse::expression::figurative;
use crate::parser::{Parsed, Parser};
use crate::tree::{
    Converted, Figurative, Markup, MarkupType, Operand, StatementKind, Suppressed, SuppressedWhat,
};

/// Words that begin a phrase behind the items.
const PHRASES: [&str; 19] = [
    "ALSO",
    "ATTRIBUTES",
    "CONVERTING",
    "COUNT",
    "DETAIL",
    "ENCODING",
    "EVERY",
    "IGNORING",
    "INDICATING",
    "NAME",
    "NAMESPACE",
    "NAMESPACE-PREFIX",
    "PROCESSING",
    "RETURNING",
    "SUPPRESS",
    "TYPE",
    "VALIDATING",
    "WITH",
    "XML-DECLARATION",
];
/// Words of phrases that are taken and no more.
const NO_MORE: [&str; 13] = [
    "IGNORING",
    "INDICATING",
    "RETURNING",
    "VALIDATING",
    "ALSO",
    "ALL",
    "FILE",
    "FOR",
    "FROM",
    "IN",
    "JSON",
    "NATIONAL",
    "NULL",
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
        let mut markup = Markup::of(xml, parse, self.reference()?);
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
        markup.handlers = self.handlers()?;
        Ok(StatementKind::Markup(Box::new(markup)))
    }

    fn markup_phrases(&mut self, markup: &mut Markup) -> Parsed<()> {
        while self.is_any(&PHRASES) {
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
            } else if self.eat("TYPE") {
                self.eat("OF");
                self.markup_types(markup)?;
            } else if self.eat("SUPPRESS") {
                self.suppressed(markup)?;
            } else if self.eat("CONVERTING") {
                self.converted(markup)?;
            } else if self.eat("ENCODING") {
                markup.encoding = Some(self.operand()?);
            } else if self.eat("RETURNING") {
                self.expect("NATIONAL", "RETURNING NATIONAL")?;
                markup.national = true;
            } else if self.eat("NAMESPACE") {
                self.eat("IS");
                markup.namespace = Some(self.operand()?);
            } else if self.eat("NAMESPACE-PREFIX") {
                self.eat("IS");
                markup.prefix = Some(self.operand()?);
            } else if self.eat("XML-DECLARATION") {
                markup.declaration = true;
            } else if self.eat("ATTRIBUTES") {
                markup.attributes = true;
            } else if self.eat("DETAIL") {
                markup.detail = true;
            } else if !self.eat("WITH") {
                let word = self.any_word("a phrase", "NAME OF item IS 'name'")?;
                markup.phrase.get_or_insert(word);
                self.no_more()?;
            }
        }
        Ok(())
    }

    /// The rest of a phrase that is taken and no more.
    fn no_more(&mut self) -> Parsed<()> {
        self.eat("WITH");
        loop {
            if self.is_any(&NO_MORE) {
                self.bump();
            } else if self.is_any(&PHRASES) || !self.starts_operand() {
                return Ok(());
            } else {
                self.operand()?;
            }
        }
    }

    /// Returns true if another item of a phrase follows.
    fn goes_on(&self) -> bool {
        self.starts_reference() && !self.is_any(&PHRASES)
    }

    /// Items with the names that they get.
    fn markup_names(&mut self, markup: &mut Markup) -> Parsed<()> {
        const HELP: &str = "NAME OF item IS 'name'";
        while self.goes_on() {
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

    /// Items, and as what they are written.
    fn markup_types(&mut self, markup: &mut Markup) -> Parsed<()> {
        while self.goes_on() {
            let item = self.reference()?;
            self.eat("IS");
            let Some(own) = self.markup_type() else {
                return self.expected("ATTRIBUTE, ELEMENT or CONTENT", "TYPE OF item IS ATTRIBUTE");
            };
            markup.types.push((item, own));
        }
        Ok(())
    }

    fn markup_type(&mut self) -> Option<MarkupType> {
        Some(match self.eat_any(&["ATTRIBUTE", "ELEMENT", "CONTENT"])? {
            "ATTRIBUTE" => MarkupType::Attribute,
            "ELEMENT" => MarkupType::Element,
            _ => MarkupType::Content,
        })
    }

    /// Items, and kinds of items, that are left out.
    fn suppressed(&mut self, markup: &mut Markup) -> Parsed<()> {
        // EVERY need not be written. Farther on WHEN may be one of an EVALUATE.
        let mut is_every = self.is("WHEN");
        loop {
            let what = if std::mem::take(&mut is_every) || self.eat("EVERY") {
                let numeric = self.eat_any(&["NUMERIC", "NONNUMERIC"]).map(|word| word == "NUMERIC");
                SuppressedWhat::Every { numeric, written: self.markup_type() }
            } else if self.goes_on() {
                SuppressedWhat::Item(self.reference()?)
            } else {
                return Ok(());
            };
            let mut when = Vec::new();
            if self.eat("WHEN") {
                when.push(self.suppressed_value()?);
                while self.eat("OR") {
                    when.push(self.suppressed_value()?);
                }
            } else if matches!(what, SuppressedWhat::Every { .. }) {
                return self.expected("WHEN", "SUPPRESS EVERY NONNUMERIC WHEN SPACES");
            }
            markup.suppressed.push(Suppressed { what, when });
        }
    }

    fn suppressed_value(&mut self) -> Parsed<Figurative> {
        let value = figurative(&self.word().text);
        match value.filter(|value| !matches!(value, Figurative::Quote | Figurative::Null)) {
            Some(value) => {
                self.bump();
                Ok(value)
            }
            None => {
                let help = "SUPPRESS item WHEN ZERO OR SPACES";
                self.expected("ZERO, SPACE, LOW-VALUE or HIGH-VALUE", help)
            }
        }
    }

    /// Items that are true and false in JSON.
    fn converted(&mut self, markup: &mut Markup) -> Parsed<()> {
        const HELP: &str = "CONVERTING item TO JSON BOOLEAN USING condition-name";
        loop {
            let item = self.reference()?;
            self.eat_any(&["TO", "FROM"]);
            self.eat("JSON");
            if self.eat_any(&["BOOLEAN", "BOOL"]).is_none() {
                let word = self.any_word("BOOLEAN", HELP)?;
                markup.phrase.get_or_insert(word);
                return self.no_more();
            }
            self.eat("USING");
            let truth = self.operand()?;
            let falsehood = if self.eat("AND") { Some(self.operand()?) } else { None };
            markup.converted.push(Converted { item, truth, falsehood });
            if !self.eat("ALSO") {
                return Ok(());
            }
        }
    }
}
