//! JSON and XML, GENERATE and PARSE.

use cobol_syntax::tree::{Markup, Operand, Reference, SuppressedWhat};

use crate::checker::Checker;
use crate::operands::{Shape, Wanted};

/// A phrase of some of these statements.
struct Phrase {
    name: &'static str,
    /// True if XML has it, and JSON.
    xml: bool,
    json: bool,
    /// True if GENERATE has it, and PARSE.
    generate: bool,
    parse: bool,
}

impl Checker<'_> {
    pub(super) fn markup(&mut self, markup: &Markup) {
        let text = self.item(&markup.text, Wanted::Value, !markup.parse);
        if markup.xml {
            let statement = if markup.parse { "XML PARSE" } else { "XML GENERATE" };
            self.no_utf8(text.map(Shape::Item), statement, markup.text.at());
        }
        markup.data.iter().chain(&markup.count).for_each(|item| {
            self.item(item, Wanted::Whole, true);
        });
        self.subscripts_optional = true;
        self.markup_items(markup);
        self.subscripts_optional = false;
        [&markup.encoding, &markup.namespace, &markup.prefix].into_iter().flatten().for_each(|operand| {
            self.operand(operand);
        });
        if let Some((from, through)) = &markup.procedure {
            self.procedure(from);
            through.iter().for_each(|through| self.procedure(through));
        }
        self.markup_phrases(markup);
    }

    fn markup_items(&mut self, markup: &Markup) {
        let names = markup.names.iter().map(|(item, _)| item);
        let types = markup.types.iter().map(|(item, _)| item);
        let suppressed = markup.suppressed.iter().filter_map(|one| match &one.what {
            SuppressedWhat::Item(item) => Some(item),
            SuppressedWhat::Every { .. } => None,
        });
        let items: Vec<&Reference> = names.chain(types).chain(suppressed).collect();
        items.into_iter().for_each(|item| {
            self.item(item, Wanted::Whole, false);
        });
        for converted in &markup.converted {
            self.item(&converted.item, Wanted::Whole, markup.parse);
            for value in [&converted.truth].into_iter().chain(&converted.falsehood) {
                match value {
                    Operand::Reference(condition) => {
                        self.item(condition, Wanted::Condition, false);
                    }
                    other => {
                        self.operand(other);
                    }
                }
            }
        }
    }

    /// Phrases that another of these statements has.
    fn markup_phrases(&mut self, markup: &Markup) {
        let phrase = |stands, name, (xml, json), (generate, parse)| {
            (stands, Phrase { name, xml, json, generate, parse })
        };
        let (both, xml, json) = ((true, true), (true, false), (false, true));
        let (generate, parse) = ((true, false), (false, true));
        let phrases = [
            phrase(markup.count.is_some(), "COUNT", both, generate),
            phrase(!markup.names.is_empty(), "NAME", (!markup.parse, true), both),
            phrase(!markup.types.is_empty(), "TYPE", xml, generate),
            phrase(!markup.suppressed.is_empty(), "SUPPRESS", (!markup.parse, true), both),
            phrase(!markup.converted.is_empty(), "CONVERTING", json, both),
            phrase(markup.namespace.is_some(), "NAMESPACE", xml, generate),
            phrase(markup.prefix.is_some(), "NAMESPACE-PREFIX", xml, generate),
            phrase(markup.declaration, "XML-DECLARATION", xml, generate),
            phrase(markup.attributes, "ATTRIBUTES", xml, generate),
            phrase(markup.detail, "DETAIL", json, parse),
            phrase(markup.national, "RETURNING NATIONAL", xml, parse),
            phrase(markup.procedure.is_some(), "PROCESSING PROCEDURE", xml, parse),
        ];
        for (_, phrase) in phrases.into_iter().filter(|(stands, _)| *stands) {
            let has_language = if markup.xml { phrase.xml } else { phrase.json };
            let has_action = if markup.parse { phrase.parse } else { phrase.generate };
            if !has_language || !has_action {
                let language = if markup.xml { "XML" } else { "JSON" };
                let action = if markup.parse { "PARSE" } else { "GENERATE" };
                let message = format!("{language} {action} has no phrase {}", phrase.name);
                self.error(self.at, "SPCK062", message, "take the phrase away");
            }
        }
        let is_conditional = markup.suppressed.iter().any(|one| !one.when.is_empty());
        if markup.parse && is_conditional {
            let message = String::from("JSON PARSE knows no values before it reads them");
            self.error(self.at, "SPCK062", message, "write SUPPRESS with the names of items alone");
        }
        if markup.prefix.is_some() && markup.namespace.is_none() {
            let message = String::from("NAMESPACE-PREFIX stands without NAMESPACE");
            self.error(self.at, "SPCK062", message, "write NAMESPACE IS with the namespace in front of it");
        }
    }
}
