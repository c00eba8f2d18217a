//! INITIALIZE: spaces and zeros to the items of a group; and what VALUE gives storage at the beginning.

use cobol_data::{ItemId, Type};
use cobol_runtime::floating::Width;
use cobol_runtime::national::SPACE;
use cobol_source::At;
use cobol_syntax::tree::{InitializeReplacing, Name, Reference};

use super::national_edited::is_number;
use super::places::{Extent, Located};
use super::reals::width;
use super::{Lowered, Lowering};
use cobol_ir::program::{BytePlace, End, Form, Linear, Number, Operation, Receiver, Segment, Test, Text};

/// Occurrences whose items are written out; more of them make a loop.
const WRITTEN_OUT_MAX: usize = 3;

/// Which items take part, and what they get.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'a> {
    /// FILLER, too.
    pub(super) filler: bool,
    /// TO VALUE: the categories whose items get their values; none named is all.
    pub(super) value: Option<&'a [Name]>,
    /// REPLACING: what items of a category get.
    pub(super) replacing: &'a [InitializeReplacing],
    /// True if the other items get their values without it.
    pub(super) others: bool,
}

/// Categories of REPLACING that are built.
const CATEGORIES: [&str; 8] = [
    "ALPHABETIC",
    "ALPHANUMERIC",
    "ALPHANUMERIC-EDITED",
    "NUMERIC",
    "NUMERIC-EDITED",
    "NATIONAL",
    "NATIONAL-EDITED",
    "UTF-8",
];

/// The category of an item by REPLACING's word for it.
fn category(kind: &Type) -> Option<&'static str> {
    let at = match kind {
        Type::Alphabetic => 0,
        Type::Alphanumeric => 1,
        Type::AlphanumericEdited(_) => 2,
        Type::Numeric(_) | Type::FloatShort | Type::FloatLong => 3,
        Type::NumericEdited(_) => 4,
        Type::NationalEdited(picture) if is_number(picture) => 4,
        Type::National => 5,
        Type::NationalEdited(_) => 6,
        Type::Utf8(_) => 7,
        _ => return None,
    };
    CATEGORIES.get(at).copied()
}

impl<'a> Lowering<'a> {
    pub(super) fn initialize(&mut self, at: At, items: &'a [Reference], scope: Scope<'a>) -> Lowered<()> {
        if let Some(other) = scope.replacing.iter().find(|one| !CATEGORIES.contains(&&*one.category.text)) {
            let category = &other.category;
            return self.refuse(category.at, format_args!("INITIALIZE REPLACING {}", category.text));
        }
        for reference in items {
            if self.is_dynamic(reference) {
                self.initialize_dynamic(reference, scope)?;
                continue;
            }
            let located = self.locate(reference, Extent::Received)?;
            let Some((id, _)) = self.item(reference.id) else {
                return self.refuse(reference.at(), "this INITIALIZE");
            };
            if located.part && scope.replacing.is_empty() && scope.value.is_none() {
                self.emit_spaces(located.place);
                continue;
            }
            if located.part {
                return self.refuse(reference.at(), "this INITIALIZE of a part of an item");
            }
            self.initialize_item(id, located.place, scope, at)?;
        }
        Ok(())
    }

    /// An item, or one occurrence of it, at a place.
    fn initialize_item(&mut self, id: ItemId, place: BytePlace, scope: Scope<'a>, at: At) -> Lowered<()> {
        let item = self.program.items.get(id);
        if item.is_group() {
            for part in &item.parts {
                self.initialize_part(id, *part, &place, scope, at)?;
            }
            return Ok(());
        }
        if let Some(categories) = scope.value
            && let Some(value) = item.values.first()
            && self.gets_value(&item.kind, categories)
        {
            return self.initial_value(&value.from, Located { place, item, part: false });
        }
        if let Some(one) =
            scope.replacing.iter().find(|one| category(&item.kind) == Some(&*one.category.text))
        {
            return self.move_to(&one.by, Located { place, item, part: false }, at);
        }
        if !scope.others {
            return Ok(());
        }
        match item.kind.clone() {
            Type::Alphabetic | Type::Alphanumeric | Type::Group => self.emit_spaces(place),
            Type::AlphanumericEdited(picture) => {
                let picture = self.picture(&picture);
                let from = Text::Repeated(self.constant_place(b" "));
                self.emit(Operation::EditText { from, to: place, picture });
            }
            Type::Numeric(numeric) => {
                let form = Form::Number(self.numeric(numeric));
                self.store_one(Number::whole(0), Receiver { place, form, rounded: false });
            }
            Type::NumericEdited(picture) => {
                let picture = self.picture(&picture);
                let form = Form::Edited { picture, blank_when_zero: item.blank_when_zero };
                self.store_one(Number::whole(0), Receiver { place, form, rounded: false });
            }
            Type::National => {
                let from = Text::Repeated(self.constant_place(&SPACE));
                self.emit(Operation::Move { from, to: place, right: false });
            }
            Type::NationalEdited(picture) => self.initialize_edited(place, item, &picture),
            Type::Utf8(_) => self.emit_spaces(place),
            Type::FloatShort | Type::FloatLong => {
                let form = Form::Floating(width(&item.kind).unwrap_or(Width::Long));
                self.store_one(Number::whole(0), Receiver { place, form, rounded: false });
            }
            Type::Index | Type::Pointer => {}
            kind => return self.refuse(at, format_args!("INITIALIZE of {}", kind.name())),
        }
        Ok(())
    }

    /// Returns true if TO VALUE is for items of this kind.
    fn gets_value(&self, kind: &Type, categories: &[Name]) -> bool {
        let own = category(kind);
        categories.is_empty() || categories.iter().any(|name| own == Some(&*name.text))
    }

    /// An item of a group, each of its occurrences.
    fn initialize_part(
        &mut self,
        group: ItemId,
        part: ItemId,
        place: &BytePlace,
        scope: Scope<'a>,
        at: At,
    ) -> Lowered<()> {
        let (around, item) = (self.program.items.get(group), self.program.items.get(part));
        let unnamed = item.name.is_none() && !item.is_group() && !scope.filler;
        if item.redefines.is_some() || unnamed || matches!(item.kind, Type::Condition | Type::IndexName) {
            return Ok(());
        }
        let first = BytePlace {
            at: place.at.clone().plus(1, Linear::constant((item.offset - around.offset) as i64)),
            length: Linear::constant(item.length as i64),
            ..place.clone()
        };
        let mut first = first;
        for table in item.moves_behind.iter().filter(|table| !around.moves_behind.contains(table)) {
            let shrunk = self.shrunk_by(*table, at)?;
            first.at = first.at.plus(-1, shrunk);
        }
        let Some(occurs) = &item.occurs else { return self.initialize_item(part, first, scope, at) };
        let (count, stride) = (occurs.max.unwrap_or(1), occurs.stride as i64);
        if let Some(depending) = &occurs.depending {
            let count = self.item_number(depending)?;
            return self.initialize_each(part, first, count, scope, at);
        }
        if scope.value.is_none() && scope.replacing.is_empty() && self.is_covered(part, scope) {
            self.initialize_item(part, first.clone(), scope, at)?;
            let length = Linear::constant(stride * count as i64);
            self.emit(Operation::Replicate { place: BytePlace { length, ..first }, unit: stride as u32 });
            return Ok(());
        }
        if count <= WRITTEN_OUT_MAX {
            for index in 0..count as i64 {
                let at_index = first.at.clone().plus(stride, Linear::constant(index));
                self.initialize_item(part, BytePlace { at: at_index, ..first.clone() }, scope, at)?;
            }
            return Ok(());
        }
        self.initialize_each(part, first, Number::whole(count as i64), scope, at)
    }

    /// So many occurrences, one after the other, the last one first.
    fn initialize_each(
        &mut self,
        part: ItemId,
        first: BytePlace,
        count: Number,
        scope: Scope<'a>,
        at: At,
    ) -> Lowered<()> {
        let occurs = self.program.items.get(part).occurs.as_ref();
        let stride = occurs.map_or(0, |occurs| occurs.stride as i64);
        let slot = self.new_slot();
        self.emit(Operation::Count { slot, value: count });
        let [head, turn, end] = std::array::from_fn(|_| self.new_block());
        self.fall_into(head);
        self.end(End::Branch { test: Test::Positive(slot), yes: turn, no: end }, turn);
        self.emit(Operation::AddSlot(slot, -1));
        let at_index = first.at.clone().plus(stride, Linear::from(Number::Slot(slot)));
        let lowered = self.initialize_item(part, BytePlace { at: at_index, ..first }, scope, at);
        self.jump(head, end);
        lowered
    }

    /// Returns true if every byte of an occurrence takes part, so that one can be copied over the others.
    fn is_covered(&self, id: ItemId, scope: Scope<'_>) -> bool {
        let items = &self.program.items;
        let item = items.get(id);
        if !item.is_group() {
            return !matches!(item.kind, Type::Index | Type::Pointer)
                && (item.name.is_some() || scope.filler)
                && item.occurs.as_ref().is_none_or(|occurs| occurs.stride == item.length);
        }
        let parts = item.parts.iter().filter(|part| items.get(**part).redefines.is_none());
        let mut covered = 0;
        for part in parts {
            if !self.is_covered(*part, scope) {
                return false;
            }
            covered += items.extent(*part);
        }
        covered == item.length
    }

    pub(crate) fn emit_spaces(&mut self, place: BytePlace) {
        let space = self.constant_place(b" ");
        self.emit(Operation::Move { from: Text::Repeated(space), to: place, right: false });
    }

    /// Content of an item of WORKING-STORAGE or LOCAL-STORAGE at the beginning: its VALUE. An item without one stays
    /// binary zeros, as z/OS clears storage.
    pub(super) fn initial(&mut self, id: ItemId, place: BytePlace) -> Lowered<()> {
        let item = self.program.items.get(id);
        if item.dynamic {
            return self.initial_dynamic(id);
        }
        if let Some(value) = item.values.first() {
            let located = Located { place, item, part: false };
            return self.initial_value(&value.from, located);
        }
        if !self.has_value(id) {
            return Ok(());
        }
        for part in &item.parts {
            let inner = self.program.items.get(*part);
            if inner.redefines.is_some() {
                continue;
            }
            let at = place.at.clone().plus(1, Linear::constant((inner.offset - item.offset) as i64));
            let length = Linear::constant(inner.length as i64);
            let first = BytePlace { at, length, ..place.clone() };
            self.initial(*part, first.clone())?;
            if let Some(occurs) = &inner.occurs {
                let (count, stride) = (occurs.max.unwrap_or(1), occurs.stride);
                let length = Linear::constant((stride * count) as i64);
                self.emit(Operation::Replicate { place: BytePlace { length, ..first }, unit: stride as u32 });
            }
        }
        Ok(())
    }

    /// Returns true if an item, or one within it, has a VALUE.
    fn has_value(&self, id: ItemId) -> bool {
        let item = self.program.items.get(id);
        !item.values.is_empty() || item.parts.iter().any(|part| self.has_value(*part))
    }

    /// VALUE: text on a numeric item is what the checker warns of.
    fn initial_value(&mut self, value: &'a cobol_syntax::tree::Operand, to: Located<'a>) -> Lowered<()> {
        use cobol_syntax::tree::{LiteralKind, Operand};
        let at = value.at();
        match (&to.item.kind, value) {
            // The characters of an edited item are given as they are.
            (Type::NumericEdited(_) | Type::AlphanumericEdited(_), Operand::Literal(literal))
                if literal.kind == LiteralKind::Text =>
            {
                let bytes = self.literal_bytes(literal)?;
                let from = Text::Place(self.constant_place(&bytes));
                self.emit(Operation::Move { from, to: to.place, right: false });
                Ok(())
            }
            (Type::Pointer | Type::ProcedurePointer | Type::FunctionPointer | Type::Index, _) => Ok(()),
            // JUSTIFIED and editing are for moves alone.
            (Type::NumericEdited(_) | Type::AlphanumericEdited(_), Operand::Figurative(..))
            | (Type::Alphanumeric | Type::Alphabetic, _) => {
                let from = self.text(value)?;
                self.emit(Operation::Move { from, to: to.place, right: false });
                Ok(())
            }
            _ => self.move_to(value, to, at),
        }
    }

    /// A segment of storage that a place of this program lies in.
    pub(crate) fn is_initialized(segment: Segment) -> bool {
        matches!(segment, Segment::Working | Segment::Local)
    }
}
