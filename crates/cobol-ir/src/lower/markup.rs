//! JSON GENERATE and XML GENERATE: which items are written, under which names, and how.

use cobol_data::{Item, ItemId, Type};
use cobol_source::At;
use cobol_syntax::tree::{Event, Markup, Reference, Subscript};

use super::places::Extent;
use super::{Lowered, Lowering, markup_name};
use crate::program::{
    Content, Element, End, Form, Generate, Language, Linear, Number, Operation, Receiver, Slot, Test, Text,
};

impl<'a> Lowering<'a> {
    pub(super) fn generate(&mut self, at: At, markup: &'a Markup) -> Lowered<()> {
        let code = self.new_slot();
        let lowered = self.generate_operation(at, markup, code);
        self.keep_code(markup.xml, code);
        self.exception_handlers(code, markup);
        lowered
    }

    fn generate_operation(&mut self, at: At, markup: &'a Markup, code: Slot) -> Lowered<()> {
        let statement = markup_name(markup);
        if let Some(phrase) = &markup.phrase {
            return self.refuse(phrase.at, format_args!("{statement} with {}", phrase.text));
        }
        let Some(data) = &markup.data else { return self.refuse(at, statement) };
        let into = self.locate(&markup.text, Extent::Present)?;
        if !matches!(into.kind(), Type::Alphanumeric | Type::Group) {
            return self.refuse(at, format_args!("{statement} into {}", into.kind().name()));
        }
        let count = markup.count.as_ref().map(|count| self.counter(count)).transpose()?;
        let Some((id, item)) = self.item(data.id) else { return self.refuse(at, statement) };
        let subscripts = self.subscripts_of(data)?;
        let content = self.content(markup, id, item, &subscripts, data.at())?;
        let root = Element { name: self.element_name(markup, id, item, data.at())?, table: None, content };
        let language = if markup.xml { Language::Xml } else { Language::Json };
        let generate = Generate { language, root, into: into.place, count, code };
        self.emit(Operation::Generate(Box::new(generate)));
        Ok(())
    }

    fn subscripts_of(&mut self, data: &'a Reference) -> Lowered<Vec<Linear>> {
        let mut all = Vec::new();
        for subscript in &data.subscripts {
            match subscript {
                Subscript::Value(value) => all.push(self.whole(value)?),
                Subscript::All(at) => return self.refuse(*at, "the subscript ALL"),
            }
        }
        Ok(all)
    }

    /// An item of a group; a table counts its occurrences in a number of the frame.
    fn element(&mut self, markup: &'a Markup, id: ItemId, around: &[Linear], at: At) -> Lowered<Element> {
        let item = self.program.items.get(id);
        let name = self.element_name(markup, id, item, at)?;
        let mut subscripts = around.to_vec();
        let mut table = None;
        if let Some(occurs) = &item.occurs {
            let count = match (&occurs.depending, occurs.max) {
                (Some(depending), _) => self.item_number(depending)?,
                (None, Some(max)) => Number::whole(max as i64),
                (None, None) => return self.refuse(at, "OCCURS UNBOUNDED"),
            };
            let slot = self.new_slot();
            subscripts.push(Linear::from(Number::Slot(slot)));
            table = Some((slot, count));
        }
        let content = self.content(markup, id, item, &subscripts, at)?;
        Ok(Element { name, table, content })
    }

    fn content(
        &mut self,
        markup: &'a Markup,
        id: ItemId,
        item: &'a Item,
        subscripts: &[Linear],
        at: At,
    ) -> Lowered<Content> {
        if item.is_group() {
            let mut parts = Vec::new();
            for part in &item.parts {
                if self.is_written(*part) {
                    parts.push(self.element(markup, *part, subscripts, at)?);
                }
            }
            return Ok(Content::Parts(parts));
        }
        let place = self.place_of(id, subscripts.to_vec(), Extent::Present, at)?;
        Ok(match &item.kind {
            Type::Alphanumeric | Type::Alphabetic => {
                Content::Characters { text: Text::Place(place), right: item.justified }
            }
            Type::AlphanumericEdited(_) | Type::NumericEdited(_) => Content::Edited(Text::Place(place)),
            Type::Numeric(numeric) => Content::Number(Number::Field(place, self.numeric(*numeric))),
            kind => {
                let what = format!("{} of {}", markup_name(markup), kind.name());
                return self.refuse(at, what);
            }
        })
    }

    /// Redefinitions and elementary items without a name are left out.
    fn is_written(&self, id: ItemId) -> bool {
        let item = self.program.items.get(id);
        item.redefines.is_none() && (item.name.is_some() || item.is_group())
    }

    /// The name that NAME gives an item, or its own in the letters of its description.
    fn element_name(&mut self, markup: &'a Markup, id: ItemId, item: &Item, at: At) -> Lowered<Vec<u8>> {
        let statement = markup_name(markup);
        for (reference, literal) in &markup.names {
            if self.item(reference.id).is_some_and(|(own, _)| own == id) {
                return match literal {
                    Some(literal) => self.literal_bytes(literal),
                    None => self.refuse(reference.at(), format_args!("{statement} with NAME IS OMITTED")),
                };
            }
        }
        let Some(name) = &item.name else {
            return self.refuse(at, format_args!("{statement} of a group without a name"));
        };
        let Some(own) = self.checked.spelled(name) else {
            return self.refuse(at, format_args!("{statement} of {}, a name made by REPLACING", name.text));
        };
        // No name begins with a digit in XML.
        let digit = markup.xml && own.starts_with(|first: char| first.is_ascii_digit());
        Ok(if digit { format!("_{own}").into_bytes() } else { own.into_bytes() })
    }

    /// The register of the exception code, if the program names it.
    fn keep_code(&mut self, xml: bool, code: Slot) {
        let register = if xml { "XML-CODE" } else { "JSON-CODE" };
        if let Some((place, numeric)) = self.register_number(register) {
            let form = Form::Number(numeric);
            self.store_one(Number::Slot(code), Receiver { place, form, rounded: false });
        }
    }

    pub(super) fn exception_handlers(&mut self, code: Slot, markup: &'a Markup) {
        let [failed, done, end] = std::array::from_fn(|_| self.new_block());
        self.end(End::Branch { test: Test::Positive(code), yes: failed, no: done }, failed);
        for (not, next) in [(false, done), (true, end)] {
            let handlers = markup.handlers.list.iter();
            for handler in handlers.filter(|handler| handler.event == Event::Exception && handler.not == not)
            {
                self.statements(&handler.body);
            }
            self.jump(end, next);
        }
    }
}
