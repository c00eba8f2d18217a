//! JSON PARSE: which items take values, under which names.

use cobol_data::{Item, ItemId, Type};
use cobol_source::At;
use cobol_syntax::tree::{Converted, Markup, Operand, Reference, SuppressedWhat};

use super::kinds::is_national_kind;
use super::markup_phrases::is_bytes_of_utf8;
use super::national_edited::is_number;
use super::places::{Extent, Located};
use super::reals::width;
use super::{Lowered, Lowering, utf8};
use cobol_ir::program::{
    BytePlace, DocumentForm, Form, JsonItem, JsonParse, JsonTakes, Linear, Number, Operation, Receiver, Slot,
    Text,
};

impl<'a> Lowering<'a> {
    pub(super) fn json_parse(&mut self, at: At, markup: &'a Markup) -> Lowered<()> {
        let [code, status] = std::array::from_fn(|_| self.new_slot());
        let lowered = self.json_operation(at, markup, code, status);
        for (register, slot) in [("JSON-CODE", code), ("JSON-STATUS", status)] {
            self.keep_code(register, slot);
        }
        self.exception_handlers(code, markup);
        lowered
    }

    fn json_operation(&mut self, at: At, markup: &'a Markup, code: Slot, status: Slot) -> Lowered<()> {
        if let Some(phrase) = &markup.phrase {
            return self.refuse(phrase.at, format_args!("JSON PARSE with {}", phrase.text));
        }
        let Some(data) = &markup.data else { return self.refuse(at, "JSON PARSE") };
        self.no_dynamic_argument(&markup.text, "JSON PARSE")?;
        let text = self.locate(&markup.text, Extent::Present)?;
        let national = is_national_kind(text.kind());
        let form = self.document_form(markup, national)?.unwrap_or(DocumentForm::Utf8);
        let is_utf8 = is_bytes_of_utf8(text.kind());
        if is_utf8 {
            self.no_other_encoding(markup)?;
        }
        if !national && !is_utf8 && !matches!(text.kind(), Type::Alphanumeric | Type::Group) {
            return self.refuse(at, format_args!("JSON PARSE of {}", text.kind().name()));
        }
        let Some((id, item)) = self.item(data.id) else { return self.refuse(at, "JSON PARSE into this") };
        let subscripts = self.subscripts_of(data)?;
        let anonymous = self.is_omitted(markup, id);
        let mut count = 0;
        let takes = self.json_takes(markup, id, item, &subscripts, data.at(), &mut count)?;
        if anonymous && !matches!(takes, JsonTakes::Parts(_)) {
            return self.refuse(data.at(), "NAME IS OMITTED of an elementary item");
        }
        let (name, exact) = match anonymous {
            true => (String::new(), true),
            false => self.json_name(markup, id, item, data.at())?,
        };
        let root = JsonItem { id: 0, name, exact, table: None, takes };
        let size = self.new_slot();
        let detail = markup.detail.then(|| self.out.lines[self.line as usize].line);
        let text = text.place;
        let parse = JsonParse { text, form, root, anonymous, detail, code, status, size };
        self.emit(Operation::JsonParse(Box::new(parse)));
        Ok(())
    }

    /// An item of a group, and whatever is in it.
    fn json_item(
        &mut self,
        markup: &'a Markup,
        id: ItemId,
        around: &[Linear],
        at: At,
        count: &mut u32,
    ) -> Lowered<JsonItem> {
        let item = self.program.items.get(id);
        *count += 1;
        let number = *count;
        let (name, exact) = self.json_name(markup, id, item, at)?;
        let mut subscripts = around.to_vec();
        let table = self.numbered(item, &mut subscripts, at)?;
        let takes = match self.is_suppressed(markup, id) {
            true => JsonTakes::Nothing,
            false => self.json_takes(markup, id, item, &subscripts, at, count)?,
        };
        Ok(JsonItem { id: number, name, exact, table, takes })
    }

    fn json_name(&mut self, markup: &'a Markup, id: ItemId, item: &Item, at: At) -> Lowered<(String, bool)> {
        let exact = markup.names.iter().any(|(reference, _)| self.is_it(reference, id));
        let name = self.element_name(markup, id, item, at)?;
        Ok((name.into_iter().map(char::from).collect(), exact))
    }

    fn is_suppressed(&self, markup: &Markup, id: ItemId) -> bool {
        markup.suppressed.iter().any(|one| match &one.what {
            SuppressedWhat::Item(reference) => self.is_it(reference, id),
            SuppressedWhat::Every { .. } => false,
        })
    }

    fn json_takes(
        &mut self,
        markup: &'a Markup,
        id: ItemId,
        item: &'a Item,
        subscripts: &[Linear],
        at: At,
        count: &mut u32,
    ) -> Lowered<JsonTakes> {
        if item.is_group() {
            let make = |own: &mut Self, part| own.json_item(markup, part, subscripts, at, count).map(Some);
            return Ok(JsonTakes::Parts(self.written_parts(item, make)?));
        }
        let place = self.place_of(id, subscripts.to_vec(), Extent::Received, at)?;
        if let Some(converted) = markup.converted.iter().find(|one| self.is_it(&one.item, id)) {
            return self.json_truth(converted, item, place);
        }
        let receiver = |form| JsonTakes::Number(Receiver { place: place.clone(), form, rounded: false });
        Ok(match &item.kind {
            Type::Alphanumeric | Type::Alphabetic => {
                let alphabetic = item.kind == Type::Alphabetic;
                JsonTakes::Characters { place, right: item.justified, alphabetic }
            }
            Type::AlphanumericEdited(picture) => JsonTakes::Edited { place, picture: self.picture(picture) },
            kind if is_national_kind(kind) => JsonTakes::National(place),
            Type::Utf8(_) => JsonTakes::Utf8(utf8::whole(Located { place, item, part: false })),
            Type::Numeric(numeric) => receiver(Form::Number(self.numeric(*numeric))),
            Type::NationalEdited(picture) if is_number(picture) => {
                let picture = self.picture(picture);
                receiver(Form::NationalEdited { picture, blank_when_zero: item.blank_when_zero })
            }
            Type::NumericEdited(picture) => {
                let picture = self.picture(picture);
                receiver(Form::Edited { picture, blank_when_zero: item.blank_when_zero })
            }
            kind => match width(kind) {
                Some(width) => receiver(Form::Floating(width)),
                None => return self.refuse(at, format_args!("JSON PARSE into {}", kind.name())),
            },
        })
    }

    /// Texts for true and false in an item.
    fn json_truth(&mut self, converted: &'a Converted, item: &Item, place: BytePlace) -> Lowered<JsonTakes> {
        if !matches!(item.kind, Type::Alphanumeric | Type::Alphabetic) {
            let kind = item.kind.name();
            return self.refuse(converted.item.at(), format_args!("CONVERTING of {kind}"));
        }
        let truth = self.value_of_truth(&converted.truth)?;
        let falsehood = match &converted.falsehood {
            Some(falsehood) => self.value_of_truth(falsehood)?,
            None => self.value_of_falsehood(&converted.truth)?,
        };
        Ok(JsonTakes::Truth { place, truth, falsehood })
    }

    /// The value of a literal, or the first one of a condition-name.
    pub(super) fn value_of_truth(&mut self, operand: &'a Operand) -> Lowered<Text> {
        let value = match operand {
            Operand::Reference(reference) => self.own_condition(reference),
            _ => None,
        };
        match value.map(|(_, item)| item.values.first()) {
            None => self.text(operand),
            Some(Some(value)) => self.text(&value.from),
            Some(None) => self.refuse(operand.at(), "this condition-name"),
        }
    }

    /// Value of a condition-name for WHEN SET TO FALSE.
    fn value_of_falsehood(&mut self, operand: &'a Operand) -> Lowered<Text> {
        let value = match operand {
            Operand::Reference(reference) => self.own_condition(reference),
            _ => None,
        };
        match value.and_then(|(_, item)| item.when_false.as_ref()) {
            Some(literal) => {
                let bytes = self.literal_bytes(literal)?;
                Ok(Text::Place(self.constant_place(&bytes)))
            }
            None => self.refuse(operand.at(), format_args!("CONVERTING without a value for false")),
        }
    }

    fn own_condition(&self, reference: &Reference) -> Option<(ItemId, &'a Item)> {
        self.item(reference.id).filter(|(_, item)| item.kind == Type::Condition)
    }

    /// Returns true if a phrase names an item.
    pub(super) fn is_it(&self, reference: &Reference, id: ItemId) -> bool {
        self.item(reference.id).is_some_and(|(own, _)| own == id)
    }

    /// NAME IS OMITTED.
    pub(super) fn is_omitted(&self, markup: &Markup, id: ItemId) -> bool {
        markup.names.iter().any(|(reference, name)| name.is_none() && self.is_it(reference, id))
    }

    /// A table counts its occurrences in a number of the frame, which becomes one more subscript.
    pub(super) fn numbered(
        &mut self,
        item: &'a Item,
        subscripts: &mut Vec<Linear>,
        at: At,
    ) -> Lowered<Option<(Slot, Number)>> {
        let Some(occurs) = &item.occurs else { return Ok(None) };
        let count = match (&occurs.depending, occurs.max) {
            (Some(depending), _) => self.item_number(depending)?,
            (None, Some(max)) => Number::whole(max as i64),
            (None, None) => return self.refuse(at, "OCCURS UNBOUNDED"),
        };
        let slot = self.new_slot();
        subscripts.push(Linear::from(Number::Slot(slot)));
        Ok(Some((slot, count)))
    }
}
