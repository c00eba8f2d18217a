//! JSON GENERATE and XML GENERATE: which items are written, under which names, and how.

use cobol_check::EURO;
use cobol_data::{Item, ItemId, Type};
use cobol_source::At;
use cobol_syntax::tree::{Event, Markup, Reference, Subscript};

use super::kinds::is_national_kind;
use super::markup_phrases::is_bytes_of_utf8;
use super::national_edited::is_number;
use super::places::{Extent, Located};
use super::{Lowered, Lowering, markup_name, utf8};
use cobol_ir::program::{
    Content, Element, Encoding, End, Form, Generate, Language, Linear, Number, Operation, Receiver, Relation,
    Slot, Test, Text, TextFunction, Written,
};

impl<'a> Lowering<'a> {
    pub(super) fn generate(&mut self, at: At, markup: &'a Markup) -> Lowered<()> {
        let code = self.new_slot();
        let lowered = self.generate_operation(at, markup, code);
        self.keep_code(if markup.xml { "XML-CODE" } else { "JSON-CODE" }, code);
        self.exception_handlers(code, markup);
        lowered
    }

    fn generate_operation(&mut self, at: At, markup: &'a Markup, code: Slot) -> Lowered<()> {
        let statement = markup_name(markup);
        if let Some(phrase) = &markup.phrase {
            return self.refuse(phrase.at, format_args!("{statement} with {}", phrase.text));
        }
        let Some(data) = &markup.data else { return self.refuse(at, statement) };
        self.no_dynamic_argument(&markup.text, statement)?;
        let into = self.locate(&markup.text, Extent::Present)?;
        let national = is_national_kind(into.kind());
        let takes_json = !markup.xml && is_bytes_of_utf8(into.kind());
        if !national && !takes_json && !matches!(into.kind(), Type::Alphanumeric | Type::Group) {
            return self.refuse(at, format_args!("{statement} into {}", into.kind().name()));
        }
        let count = markup.count.as_ref().map(|count| self.counter(count)).transpose()?;
        let Some((id, item)) = self.item(data.id) else { return self.refuse(at, statement) };
        let subscripts = self.subscripts_of(data)?;
        if takes_json {
            self.no_other_encoding(markup)?;
        }
        let xml = self.xml_options(markup, national)?;
        let anonymous = self.is_omitted(markup, id);
        if anonymous && !item.is_group() {
            return self.refuse(data.at(), "NAME IS OMITTED of an elementary item");
        }
        let name = if anonymous { Vec::new() } else { self.element_name(markup, id, item, data.at())? };
        let content = self.content(markup, id, item, &subscripts, data.at())?;
        let (written, left_out) = (Written::Element, Vec::new());
        let root = Element { name, table: None, written, left_out, content };
        let language = if markup.xml { Language::Xml } else { Language::Json };
        let suppresses = !markup.suppressed.is_empty();
        let into = into.place;
        let generate = Generate { language, root, anonymous, suppresses, xml, into, national, count, code };
        self.emit(Operation::Generate(Box::new(generate)));
        Ok(())
    }

    pub(super) fn subscripts_of(&mut self, data: &'a Reference) -> Lowered<Vec<Linear>> {
        let mut all = Vec::new();
        for subscript in &data.subscripts {
            match subscript {
                Subscript::Value(value) => all.push(self.whole(value)?),
                Subscript::All(at) => return self.refuse(*at, "the subscript ALL"),
            }
        }
        Ok(all)
    }

    /// An item of a group; a table counts its occurrences in a number of the frame. `None` if it is always left out.
    fn element(
        &mut self,
        markup: &'a Markup,
        id: ItemId,
        around: &[Linear],
        at: At,
    ) -> Lowered<Option<Element>> {
        if self.is_always_left_out(markup, id) {
            return Ok(None);
        }
        let item = self.program.items.get(id);
        let name = self.element_name(markup, id, item, at)?;
        let mut subscripts = around.to_vec();
        let table = self.numbered(item, &mut subscripts, at)?;
        let content = self.content(markup, id, item, &subscripts, at)?;
        if matches!(&content, Content::Parts(parts) if parts.is_empty()) && !markup.suppressed.is_empty() {
            return Ok(None);
        }
        let written = self.written_as(markup, id, item)?;
        let left_out = self.left_out(markup, id, item, written, &content);
        Ok(Some(Element { name, table, written, left_out, content }))
    }

    /// Results for the parts of a group that texts have: those that JSON and XML write, and that JSON PARSE looks
    /// for.
    pub(super) fn written_parts<T>(
        &mut self,
        group: &'a Item,
        mut make: impl FnMut(&mut Self, ItemId) -> Lowered<Option<T>>,
    ) -> Lowered<Vec<T>> {
        let mut made = Vec::new();
        for part in &group.parts {
            if self.is_written(*part) {
                made.extend(make(self, *part)?);
            }
        }
        Ok(made)
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
            let parts = self.written_parts(item, |own, part| own.element(markup, part, subscripts, at))?;
            return Ok(Content::Parts(parts));
        }
        let place = self.place_of(id, subscripts.to_vec(), Extent::Present, at)?;
        if let Some(converted) = markup.converted.iter().find(|one| self.is_it(&one.item, id)) {
            let truth = self.value_of_truth(&converted.truth)?;
            return Ok(Content::Truth(Test::Texts(Relation::Equal, Text::Place(place), truth)));
        }
        Ok(match &item.kind {
            Type::Alphanumeric | Type::Alphabetic => {
                Content::Characters { text: Text::Place(place), right: item.justified }
            }
            Type::AlphanumericEdited(_) | Type::NumericEdited(_) => Content::Edited(Text::Place(place)),
            Type::Numeric(numeric) => Content::Number(Number::Field(place, self.numeric(*numeric))),
            Type::NationalEdited(picture) if is_number(picture) => {
                let function = TextFunction::Display { text: Text::Place(place), to: Encoding::Program };
                Content::Edited(Text::Function(Box::new(function)))
            }
            kind if is_national_kind(kind) => Content::National(Text::Place(place)),
            Type::Utf8(_) if !markup.xml => {
                let own = utf8::whole(Located { place, item, part: false });
                Content::National(utf8::to_national(utf8::text_of(own)))
            }
            kind => {
                let what = format!("{} of {}", markup_name(markup), kind.name());
                return self.refuse(at, what);
            }
        })
    }

    /// Redefinitions and elementary items without a name are left out.
    pub(super) fn is_written(&self, id: ItemId) -> bool {
        let item = self.program.items.get(id);
        item.redefines.is_none() && (item.name.is_some() || item.is_group())
    }

    /// The name that NAME gives an item, or its own in the letters of its description.
    pub(super) fn element_name(
        &mut self,
        markup: &'a Markup,
        id: ItemId,
        item: &Item,
        at: At,
    ) -> Lowered<Vec<u8>> {
        let statement = markup_name(markup);
        for (reference, literal) in &markup.names {
            if self.item(reference.id).is_some_and(|(own, _)| own == id) {
                return match literal {
                    Some(literal) if literal.text.contains(EURO) => {
                        self.mistaken(literal.at, "a name has no euro here", "name the item otherwise")
                    }
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
    pub(super) fn keep_code(&mut self, register: &str, code: Slot) {
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
