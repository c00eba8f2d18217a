//! SEARCH: from the present index on; SEARCH ALL: by halves, each key in its order.

use cobol_check::NameTarget;
use cobol_data::{ItemId, Occurs, Type};
use cobol_source::At;
use cobol_syntax::tree::{Condition, Expression, Operand, Reference, Relation as Written, Search, Statement};

use super::numbers::WHOLE_WORD;
use super::{Lowered, Lowering};
use cobol_ir::program::{
    BlockId, BytePlace, End, Form, Number, Operation, Operator, Receiver, Relation, Shape, Slot, Test,
};

/// Digits of the sum of two occurrence numbers.
const SUM: Shape = Shape { integers: 11, decimals: 0 };

/// Value that a key of the table has to be equal to.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    /// A comparison, its key at the left.
    Equal(&'a Expression, &'a Expression),
    /// A condition-name of the key.
    Named(&'a Reference),
}

impl<'a> Lowering<'a> {
    pub(super) fn search(&mut self, at: At, search: &'a Search) -> Lowered<()> {
        let [found, end] = [self.new_block(), self.new_block()];
        let looked = if search.all { self.halves(at, search) } else { self.steps(search) };
        // Whether it could be lowered or not, the statements within it are looked at.
        let bodies = looked.as_ref().map_or_else(|_| vec![found; search.whens.len()], Clone::clone);
        self.statements(search.at_end.as_deref().unwrap_or_default());
        self.jump(end, found);
        for ((_, body), block) in search.whens.iter().zip(bodies) {
            self.continue_in(block);
            self.found(body, end);
        }
        self.continue_in(end);
        looked.map(drop)
    }

    /// A body of nothing is NEXT SENTENCE.
    fn found(&mut self, body: &'a [Statement], end: BlockId) {
        let to = if body.is_empty() { self.next_sentence() } else { end };
        self.statements(body);
        self.jump(to, end);
    }

    /// The table, the item that counts its occurrences, and how many there are.
    fn searched(&mut self, search: &'a Search) -> Lowered<(&'a Occurs, BytePlace, Number)> {
        let at = search.table.at();
        let Some((_, item)) = self.item(search.table.id) else { return self.refuse(at, "SEARCH of this") };
        let Some(occurs) = &item.occurs else { return self.refuse(at, "SEARCH of this") };
        let varying = search.varying.as_ref().and_then(|varying| self.item(varying.id));
        let own = varying.filter(|(id, _)| occurs.indexes.contains(id)).map(|(id, _)| id);
        let Some(index) = own.or(occurs.indexes.first().copied()) else {
            return self.mistaken(
                at,
                "SEARCH needs a table with an index",
                "write INDEXED BY name behind OCCURS",
            );
        };
        let count = match (&occurs.depending, occurs.max) {
            (Some(depending), _) => self.item_number(depending)?,
            (None, Some(max)) => Number::whole(max as i64),
            (None, None) => return self.refuse(at, "OCCURS UNBOUNDED"),
        };
        let index = self.index_place(index, at)?;
        Ok((occurs, index, count))
    }

    fn index_place(&mut self, id: ItemId, at: At) -> Lowered<BytePlace> {
        self.reach(id, at)?;
        match self.storage.base(id, self.program.items.get(id)) {
            Some((segment, base)) => Ok(BytePlace::fixed(segment, base, 4)),
            None => self.refuse(at, "this index"),
        }
    }

    fn set_index(&mut self, index: &BytePlace, value: Number) {
        let form = Form::Number(WHOLE_WORD);
        self.store_one(value, Receiver { place: index.clone(), form, rounded: false });
    }

    /// Each occurrence from the present one on; ends in the block of AT END.
    fn steps(&mut self, search: &'a Search) -> Lowered<Vec<BlockId>> {
        let (occurs, index, count) = self.searched(search)?;
        let number = Number::Field(index.clone(), WHOLE_WORD);
        let [head, upper, turn, at_end] = std::array::from_fn(|_| self.new_block());
        self.fall_into(head);
        self.branch(Test::Numbers(Relation::Less, number.clone(), Number::whole(1)), at_end, upper);
        self.continue_in(upper);
        self.branch(Test::Numbers(Relation::Greater, number.clone(), count), at_end, turn);
        self.continue_in(turn);
        let mut bodies = Vec::new();
        let mut lowered = Ok(());
        for (condition, _) in &search.whens {
            let [body, next] = [self.new_block(), self.new_block()];
            lowered = lowered.and(self.condition(condition, body, next));
            bodies.push(body);
            self.continue_in(next);
        }
        let next = self.combine(Operator::Add, number, Number::whole(1), 0);
        self.set_index(&index, next);
        if let Some(varying) = &search.varying
            && !self.item(varying.id).is_some_and(|(id, _)| occurs.indexes.contains(&id))
        {
            let value = self.item_number(varying)?;
            let next = self.combine(Operator::Add, value, Number::whole(1), 0);
            self.store_plain(varying, next)?;
        }
        self.jump(head, at_end);
        lowered.map(|()| bodies)
    }

    /// The middle of what is left, until its keys are the wanted ones; ends in the block of AT END.
    fn halves(&mut self, at: At, search: &'a Search) -> Lowered<Vec<BlockId>> {
        let (occurs, index, count) = self.searched(search)?;
        let [(condition, _)] = &search.whens[..] else {
            return self.refuse(at, "SEARCH ALL with several WHEN");
        };
        let mut wanted = Vec::new();
        self.wanted_keys(condition, occurs, &mut wanted)?;
        wanted.sort_by_key(|(key, _)| *key);
        if wanted.iter().enumerate().any(|(place, (key, _))| place != *key) {
            return self.refuse(at, "SEARCH ALL with these keys");
        }
        let [low, high, middle] = std::array::from_fn(|_| self.new_slot());
        let [head, turn, body, up, down, at_end] = std::array::from_fn(|_| self.new_block());
        self.emit(Operation::SetSlot(low, 1));
        self.emit(Operation::Count { slot: high, value: count });
        self.fall_into(head);
        let over = Test::Numbers(Relation::Greater, Number::Slot(low), Number::Slot(high));
        self.branch(over, at_end, turn);
        self.continue_in(turn);
        self.emit(Operation::Count { slot: middle, value: half(low, high) });
        self.set_index(&index, Number::Slot(middle));
        for (key, one) in wanted {
            let ascending = occurs.keys[key].1;
            let [same, other] = [self.new_block(), self.new_block()];
            self.compare_key(one, Relation::Equal, same, other)?;
            self.continue_in(other);
            let before = if ascending { Relation::Less } else { Relation::Greater };
            self.compare_key(one, before, up, down)?;
            self.continue_in(same);
        }
        self.jump(body, up);
        for (from, to, by, next) in [(middle, low, 1, down), (middle, high, -1, at_end)] {
            self.emit(Operation::CopySlot { from, to });
            self.emit(Operation::AddSlot(to, by));
            self.end(End::Jump(head), next);
        }
        Ok(vec![body])
    }

    fn compare_key(
        &mut self,
        wanted: Wanted<'a>,
        relation: Relation,
        yes: BlockId,
        no: BlockId,
    ) -> Lowered<()> {
        match wanted {
            Wanted::Equal(key, value) => self.compare(key, relation, value, yes, no),
            Wanted::Named(name) => self.compare_with_name(name, relation, yes, no),
        }
    }

    /// The keys that a WHEN names, each by its place among those of the table.
    fn wanted_keys(
        &mut self,
        condition: &'a Condition,
        occurs: &'a Occurs,
        out: &mut Vec<(usize, Wanted<'a>)>,
    ) -> Lowered<()> {
        let one = match condition {
            Condition::And(list) => {
                return list.iter().try_for_each(|part| self.wanted_keys(part, occurs, out));
            }
            Condition::Group(inner) => return self.wanted_keys(inner, occurs, out),
            Condition::Relation { subject: Some(subject), relation: Written::Equal, object, .. } => {
                let at_left = self.key(subject, occurs).map(|key| (key, Wanted::Equal(subject, object)));
                at_left.or_else(|| Some((self.key(object, occurs)?, Wanted::Equal(object, subject))))
            }
            Condition::Bare(expression) => self.named_key(expression, occurs),
            _ => None,
        };
        match one {
            Some(one) => {
                out.push(one);
                Ok(())
            }
            None => self.refuse(self.at, "this WHEN of SEARCH ALL"),
        }
    }

    fn key(&self, expression: &'a Expression, occurs: &Occurs) -> Option<usize> {
        let Some(Operand::Reference(reference)) = expression.operand() else { return None };
        reference.modification.is_none().then_some(())?;
        let (id, _) = self.item(reference.id)?;
        self.place_of_key(id, occurs)
    }

    fn place_of_key(&self, id: ItemId, occurs: &Occurs) -> Option<usize> {
        occurs.keys.iter().position(|(key, _)| self.item(key.id).is_some_and(|(own, _)| own == id))
    }

    /// A condition-name of a key, with one value.
    fn named_key(&self, expression: &'a Expression, occurs: &Occurs) -> Option<(usize, Wanted<'a>)> {
        let Some(Operand::Reference(reference)) = expression.operand() else { return None };
        let Some(NameTarget::Item(id)) = self.program.target(reference.id) else { return None };
        let item = self.program.items.get(id);
        let single = item.kind == Type::Condition && matches!(&item.values[..], [one] if one.to.is_none());
        let key = self.place_of_key(item.parent.filter(|_| single)?, occurs)?;
        Some((key, Wanted::Named(reference)))
    }
}

/// The middle of two occurrence numbers.
fn half(low: Slot, high: Slot) -> Number {
    let sum = Number::Binary(Operator::Add, Box::new(Number::Slot(low)), Box::new(Number::Slot(high)), SUM);
    Number::Binary(Operator::Divide, Box::new(sum), Box::new(Number::whole(2)), SUM)
}
