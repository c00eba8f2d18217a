//! Items of DYNAMIC LENGTH. Each has room for its LIMIT, and its present length beside it. As a sender it is as long as that; as a
//! receiver it becomes as long as what it takes. Any other change of one is refused.

use cobol_data::{Item, ItemId};
use cobol_source::At;
use cobol_syntax::tree::{Expression, InitializeReplacing, Operand, Reference, StringSource};

use super::functions::LENGTH;
use super::initialize::Scope;
use super::numbers::WHOLE_WORD;
use super::places::Extent;
use super::{Lowered, Lowering};
use cobol_ir::program::{
    Bounds, BytePlace, Form, Linear, Number, Operation, Reading, Receiver, Relation, Segment, Slot, Test,
    Text,
};

impl<'a> Lowering<'a> {
    /// The item of a reference to all of an item of DYNAMIC LENGTH.
    fn dynamic(&self, reference: &Reference) -> Option<(ItemId, &'a Item)> {
        self.item(reference.id).filter(|(_, item)| item.dynamic && reference.modification.is_none())
    }

    pub(super) fn is_dynamic(&self, reference: &Reference) -> bool {
        self.dynamic(reference).is_some()
    }

    /// Refuses an argument of dynamic length: its receiver knows of no length that changes.
    pub(super) fn no_dynamic_argument(&mut self, reference: &Reference, what: &str) -> Lowered<()> {
        match self.dynamic(reference) {
            Some(_) => {
                let name = &reference.name.text;
                self.refuse(reference.at(), format_args!("{name} (DYNAMIC LENGTH) as an argument of {what}"))
            }
            None => Ok(()),
        }
    }

    /// The place of such an item, as long as it is now. All of it is received by the statements that are built for it.
    pub(super) fn dynamic_place(
        &mut self,
        id: ItemId,
        place: BytePlace,
        extent: Extent,
        at: At,
    ) -> Lowered<BytePlace> {
        let item = self.program.items.get(id);
        if extent == Extent::Received {
            let what = format_args!("a result in {} (DYNAMIC LENGTH) of this statement", item.display_name());
            return self.refuse(at, what);
        }
        match self.present_length(id) {
            Some(length) => Ok(BytePlace { length: Number::Field(length, WHOLE_WORD).into(), ..place }),
            None => self.refuse(at, "GLOBAL items of DYNAMIC LENGTH"),
        }
    }

    fn present_length(&self, id: ItemId) -> Option<BytePlace> {
        self.storage.lengths.get(&id).map(|(segment, at)| BytePlace::fixed(*segment, *at, 4))
    }

    /// All the room of an item.
    fn room(&mut self, id: ItemId, at: At) -> Lowered<(Segment, u32, u32, BytePlace)> {
        let item = self.program.items.get(id);
        match (self.storage.base(id, item), self.present_length(id)) {
            (Some((segment, base)), Some(length)) => Ok((segment, base, item.length as u32, length)),
            _ => self.refuse(at, "GLOBAL items of DYNAMIC LENGTH"),
        }
    }

    /// MOVE of characters to such an item.
    pub(super) fn move_to_dynamic(&mut self, from: &'a Operand, to: &'a Reference) -> Lowered<()> {
        let text = if self.is_group(from) { self.bytes(from)? } else { self.text(from)? };
        let Some((id, _)) = self.dynamic(to) else { return self.refuse(to.at(), "this MOVE") };
        self.text_to_dynamic(text, id, to.at())
    }

    /// The length is worked out before anything is stored, for the item may be its own sender.
    fn text_to_dynamic(&mut self, from: Text, id: ItemId, at: At) -> Lowered<()> {
        let (segment, base, room, length) = self.room(id, at)?;
        let (from, characters) = match from {
            // By itself a figurative constant has one character, ALL those of its literal.
            Text::Repeated(place) | Text::Place(place) => {
                let length = Number::Linear(Box::new(place.length.clone()));
                (Text::Place(place), length)
            }
            other => (other.clone(), Number::Read(Reading::Length, Box::new(other), LENGTH)),
        };
        let taken = self.at_most(characters, room);
        let to = BytePlace {
            segment,
            at: Linear::constant(base.into()),
            length: Number::Slot(taken).into(),
            bounds: Bounds::Task,
        };
        self.emit(Operation::Move { from, to, right: false });
        self.store_length(Number::Slot(taken), length);
        Ok(())
    }

    /// A number of characters in a slot: from none to as many as there is room for.
    fn at_most(&mut self, characters: Number, room: u32) -> Slot {
        let taken = self.new_slot();
        self.emit(Operation::Count { slot: taken, value: characters });
        for (relation, end) in [(Relation::Less, 0), (Relation::Greater, i64::from(room))] {
            let [beyond, within] = std::array::from_fn(|_| self.new_block());
            self.branch(Test::Numbers(relation, Number::Slot(taken), Number::whole(end)), beyond, within);
            self.continue_in(beyond);
            self.emit(Operation::SetSlot(taken, end));
            self.fall_into(within);
        }
        taken
    }

    fn store_length(&mut self, value: Number, place: BytePlace) {
        self.store_one(value, Receiver { place, form: Form::Number(WHOLE_WORD), rounded: false });
    }

    /// SET LENGTH OF: an item that becomes longer has, behind its characters, those that lie in its storage.
    pub(super) fn set_length(&mut self, what: &'a Operand, value: &'a Expression) -> Lowered<()> {
        let Operand::Reference(reference) = what else { return self.refuse(what.at(), "this SET") };
        let Some((id, _)) = self.dynamic(reference) else { return self.refuse(what.at(), "this SET") };
        let characters = self.expression(value, None)?;
        let (_, _, room, length) = self.room(id, reference.at())?;
        let taken = self.at_most(characters, room);
        self.store_length(Number::Slot(taken), length);
        Ok(())
    }

    /// INITIALIZE: a MOVE of a space, of VALUE, or of what REPLACING says.
    pub(super) fn initialize_dynamic(&mut self, reference: &'a Reference, scope: Scope<'a>) -> Lowered<()> {
        let Some((id, item)) = self.dynamic(reference) else {
            return self.refuse(reference.at(), "this INITIALIZE");
        };
        let is_for = |one: &&InitializeReplacing| &*one.category.text == "ALPHANUMERIC";
        let named = |names: &[cobol_syntax::tree::Name]| {
            names.is_empty() || names.iter().any(|name| matches!(&*name.text, "ALL" | "ALPHANUMERIC"))
        };
        let value = item.values.first().filter(|_| scope.value.is_some_and(named));
        let replacing = scope.replacing.iter().find(is_for);
        let text = match (value, replacing) {
            (Some(value), _) => self.text(&value.from)?,
            (None, Some(one)) => self.text(&one.by)?,
            (None, None) if !scope.others => return Ok(()),
            (None, None) => Text::Place(self.constant_place(b" ")),
        };
        self.text_to_dynamic(text, id, reference.at())
    }

    /// VALUE; without it there are no characters.
    pub(super) fn initial_dynamic(&mut self, id: ItemId) -> Lowered<()> {
        let item = self.program.items.get(id);
        match item.values.first() {
            Some(value) => {
                let text = self.text(&value.from)?;
                self.text_to_dynamic(text, id, item.at)
            }
            None => Ok(()),
        }
    }

    /// STRING: the item is as long afterwards as it has been filled, from its beginning or from where POINTER says.
    pub(super) fn string_to_dynamic(
        &mut self,
        sources: &'a [StringSource],
        into: &'a Reference,
        pointer: Option<&'a Reference>,
        overflow: Slot,
    ) -> Lowered<()> {
        let Some((id, _)) = self.dynamic(into) else { return self.refuse(into.at(), "this STRING") };
        let sources = self.string_sources(sources, false)?;
        let (segment, base, room, length) = self.room(id, into.at())?;
        let next = match pointer {
            Some(pointer) => self.counter(pointer)?,
            None => {
                let place = self.hidden_storage(4);
                self.store_length(Number::whole(1), place.clone());
                (place, WHOLE_WORD)
            }
        };
        let to = BytePlace::fixed(segment, base, room);
        self.emit(Operation::String { sources, into: to, pointer: Some(next.clone()), overflow });
        let behind = Number::Field(next.0, next.1);
        let [filled, done, end] = std::array::from_fn(|_| self.new_block());
        // A pointer outside the item leaves it as it is.
        self.branch(Test::Numbers(Relation::Greater, behind.clone(), Number::whole(0)), filled, end);
        self.continue_in(filled);
        self.branch(
            Test::Numbers(Relation::Greater, behind.clone(), Number::whole(i64::from(room) + 1)),
            end,
            done,
        );
        self.continue_in(done);
        let count = self.combine(cobol_ir::program::Operator::Subtract, behind, Number::whole(1), 0);
        self.store_length(count, length);
        self.fall_into(end);
        Ok(())
    }
}
