//! Conditions as branches: AND and OR, abbreviations, condition-names, comparisons, classes.

use cobol_check::NameTarget;
use cobol_data::{Numeric, Representation, SignPlace, Type};
use cobol_runtime::floating::Width;
use cobol_source::At;
use cobol_syntax::tree::{
    CharacterRange, Class as Written, Condition, Expression, Figurative, LiteralKind, Operand, Reference,
    Relation as WrittenRelation, Sign,
};

use super::kinds::{is_national_class, is_usage_national};
use super::moves::is_zoned;
use super::numbers::{WHOLE_WORD, word};
use super::places::{Extent, Located};
use super::reals::real_field;
use super::value::Value;
use super::{Lowered, Lowering, utf8};
use cobol_ir::program::{
    BlockId, BytePlace, Class, Encoding, End, Number, Relation, Test, Text, TextFunction,
};

/// Parts that an abbreviated comparison takes from the one before.
#[derive(Clone, Copy)]
pub(crate) struct Carried<'a> {
    pub(crate) subject: &'a Expression,
    pub(crate) relation: Relation,
}

/// Kinds of sides of a comparison.
enum Side<'a> {
    /// A number; where it is an item, that too.
    Number(Number, Option<Located<'a>>),
    /// Characters; whether they are those of a group.
    Text(Text, bool),
    /// A figurative constant.
    Figurative(&'a Figurative, At),
    /// A number in digits, as a literal has it.
    Digits(Number, &'a Operand),
    /// A procedure pointer: the name of its program, or low values.
    Procedure(BytePlace),
}

impl<'a> Lowering<'a> {
    /// Goes to `yes` where a condition holds, else to `no`.
    pub(crate) fn condition(&mut self, condition: &'a Condition, yes: BlockId, no: BlockId) -> Lowered<()> {
        self.within(condition, &mut None, yes, no)
    }

    /// Goes on in a block that others lead to; the one before has its end already.
    pub(crate) fn continue_in(&mut self, block: BlockId) {
        self.block = block;
    }

    pub(crate) fn branch(&mut self, test: Test, yes: BlockId, no: BlockId) {
        self.end(End::Branch { test, yes, no }, yes);
    }

    pub(crate) fn within(
        &mut self,
        condition: &'a Condition,
        carried: &mut Option<Carried<'a>>,
        yes: BlockId,
        no: BlockId,
    ) -> Lowered<()> {
        match condition {
            Condition::Or(list) => {
                let Some((last, first)) = list.split_last() else { return Ok(()) };
                for part in first {
                    let next = self.new_block();
                    self.within(part, carried, yes, next)?;
                    self.continue_in(next);
                }
                self.within(last, carried, yes, no)
            }
            Condition::And(list) => {
                let Some((last, first)) = list.split_last() else { return Ok(()) };
                for part in first {
                    let next = self.new_block();
                    self.within(part, carried, next, no)?;
                    self.continue_in(next);
                }
                self.within(last, carried, yes, no)
            }
            Condition::Not(inner, _) => self.within(inner, carried, no, yes),
            Condition::Group(inner) => {
                let mut own = *carried;
                self.within(inner, &mut own, yes, no)?;
                if carried.is_none() {
                    *carried = own;
                }
                Ok(())
            }
            Condition::Relation { subject, relation, object, at } => {
                let subject = subject.as_ref().or(carried.map(|carried| carried.subject));
                let Some(subject) = subject else { return self.refuse(*at, "this comparison") };
                let relation = self::relation(*relation);
                *carried = Some(Carried { subject, relation });
                self.compare(subject, relation, object, yes, no)
            }
            Condition::Bare(expression) => self.bare(expression, *carried, yes, no),
            Condition::Sign { subject, not, sign } => {
                let relation = match sign {
                    Sign::Positive => Relation::Greater,
                    Sign::Negative => Relation::Less,
                    Sign::Zero => Relation::Equal,
                };
                let relation = if *not { relation.opposite() } else { relation };
                let number = self.expression(subject, None)?;
                self.branch(Test::Numbers(relation, number, Number::whole(0)), yes, no);
                Ok(())
            }
            Condition::Class { subject, not, class } => {
                let (yes, no) = if *not { (no, yes) } else { (yes, no) };
                let test = self.class(subject, class)?;
                self.branch(test, yes, no);
                Ok(())
            }
        }
    }

    /// A condition-name, or one more object of the comparison before.
    fn bare(
        &mut self,
        expression: &'a Expression,
        carried: Option<Carried<'a>>,
        yes: BlockId,
        no: BlockId,
    ) -> Lowered<()> {
        if let Some(Operand::Truth(truth, _)) = expression.operand() {
            let to = if *truth { yes } else { no };
            self.jump(to, yes);
            return Ok(());
        }
        if let Some(Operand::Reference(reference)) = expression.operand() {
            match self.program.target(reference.id) {
                Some(NameTarget::Switch(index, on)) => {
                    return self.switch_condition(reference, (index, on), yes, no);
                }
                Some(NameTarget::Item(id)) if self.program.items.get(id).kind == Type::Condition => {
                    return self.condition_name(reference, yes, no);
                }
                _ => {}
            }
        }
        match carried {
            Some(Carried { subject, relation }) => self.compare(subject, relation, expression, yes, no),
            None => self.refuse(expression.at(), "this condition"),
        }
    }

    /// Branches on the item of a condition-name: it has one of its values, or not.
    fn condition_name(&mut self, reference: &'a Reference, yes: BlockId, no: BlockId) -> Lowered<()> {
        let Some((_, item)) = self.item(reference.id) else {
            return self.refuse(reference.at(), "this condition-name");
        };
        for (index, value) in item.values.iter().enumerate() {
            let next = if index + 1 == item.values.len() { no } else { self.new_block() };
            let own = (reference, item);
            match &value.to {
                None => self.compare_variable(own, Relation::Equal, &value.from, yes, next)?,
                Some(to) => {
                    let upper = self.new_block();
                    self.compare_variable(own, Relation::GreaterOrEqual, &value.from, upper, next)?;
                    self.continue_in(upper);
                    self.compare_variable(own, Relation::LessOrEqual, to, yes, next)?;
                }
            }
            self.continue_in(next);
        }
        Ok(())
    }

    /// The conditional variable of a condition-name, which has the subscripts of the reference.
    pub(crate) fn conditional(
        &mut self,
        reference: &'a Reference,
        item: &'a cobol_data::Item,
    ) -> Lowered<Located<'a>> {
        let Some(parent) = item.parent else { return self.refuse(reference.at(), "this condition-name") };
        let mut subscripts = Vec::new();
        for subscript in &reference.subscripts {
            match subscript {
                cobol_syntax::tree::Subscript::Value(value) => subscripts.push(self.whole(value)?),
                cobol_syntax::tree::Subscript::All(at) => return self.refuse(*at, "the subscript ALL"),
            }
        }
        let place = self.place_of(parent, subscripts, Extent::Present, reference.at())?;
        Ok(Located { place, item: self.program.items.get(parent), part: false })
    }

    /// Compares the item of a condition-name with its only value.
    pub(crate) fn compare_with_name(
        &mut self,
        reference: &'a Reference,
        relation: Relation,
        yes: BlockId,
        no: BlockId,
    ) -> Lowered<()> {
        let value = self.item(reference.id).and_then(|(_, item)| Some((item, item.values.first()?)));
        let Some((item, value)) = value else { return self.refuse(reference.at(), "this condition-name") };
        self.compare_variable((reference, item), relation, &value.from, yes, no)
    }

    // Comparisons.

    pub(crate) fn compare(
        &mut self,
        left: &'a Expression,
        relation: Relation,
        right: &'a Expression,
        yes: BlockId,
        no: BlockId,
    ) -> Lowered<()> {
        let at = left.at();
        match (left.operand(), right.operand()) {
            (Some(left), Some(right)) => {
                if let Some(test) = self.unicode_test(left, relation, right)? {
                    self.branch(test, yes, no);
                    return Ok(());
                }
                let sides = [(left, right), (right, left)];
                let [left, right] =
                    sides.map(|(side, other)| match self.attention_identifier(side, other)? {
                        Some(text) => Ok(Side::Text(text, false)),
                        None => self.side_of(side),
                    });
                let (left, right) = (left?, right?);
                self.compare_sides(left, relation, right, at, yes, no)
            }
            _ => {
                let dmax = self.decimals(left)?.max(self.decimals(right)?);
                let left = self.expression(left, Some(dmax))?;
                let right = self.expression(right, Some(dmax))?;
                self.branch(Test::Numbers(relation, left, right), yes, no);
                Ok(())
            }
        }
    }

    /// A comparison of national characters, or of UTF-8, with something; none of others.
    fn unicode_test(
        &mut self,
        left: &'a Operand,
        relation: Relation,
        right: &'a Operand,
    ) -> Lowered<Option<Test>> {
        let national = self.is_national(left) || self.is_national(right);
        if !national && !self.is_utf8(left) && !self.is_utf8(right) {
            return Ok(None);
        }
        Ok(Some(if self.is_group(left) || self.is_group(right) {
            Test::Texts(relation, self.lying(left)?, self.lying(right)?)
        } else if national {
            Test::Nationals(relation, self.national_text(left)?, self.national_text(right)?)
        } else {
            let beside = [self.utf8_beside(right)?, self.utf8_beside(left)?];
            let left = self.utf8_text(left, beside[0].as_ref())?;
            Test::Utf8s(relation, left, self.utf8_text(right, beside[1].as_ref())?)
        }))
    }

    /// Operand of a comparison with a group: bytes as they lie.
    fn lying(&mut self, operand: &'a Operand) -> Lowered<Text> {
        match operand {
            Operand::Reference(_) => self.bytes(operand),
            other if self.is_utf8(other) => self.utf8_text(other, None),
            other if self.is_national(other) => self.national_text(other),
            other => self.text(other),
        }
    }

    /// Compares the item of a condition-name with a value.
    fn compare_variable(
        &mut self,
        (reference, item): (&'a Reference, &'a cobol_data::Item),
        relation: Relation,
        value: &'a Operand,
        yes: BlockId,
        no: BlockId,
    ) -> Lowered<()> {
        let located = self.conditional(reference, item)?;
        let test = match located.kind() {
            Type::Utf8(_) => {
                let own = utf8::whole(located);
                let value = self.utf8_text(value, Some(&own))?;
                Test::Utf8s(relation, utf8::text_of(own), value)
            }
            kind if is_national_class(kind) => {
                Test::Nationals(relation, Text::Place(located.place), self.national_text(value)?)
            }
            _ => {
                let subject = self.side_of_located(located, reference.at())?;
                let object = self.side_of(value)?;
                return self.compare_sides(subject, relation, object, reference.at(), yes, no);
            }
        };
        self.branch(test, yes, no);
        Ok(())
    }

    fn side_of(&mut self, operand: &'a Operand) -> Lowered<Side<'a>> {
        match operand {
            Operand::Literal(literal) if literal.kind == LiteralKind::Number => {
                Ok(Side::Digits(self.operand_number(operand)?, operand))
            }
            Operand::Literal(literal) if literal.kind == LiteralKind::Float => {
                Ok(Side::Number(self.operand_number(operand)?, None))
            }
            Operand::Literal(_) => Ok(Side::Text(self.text(operand)?, false)),
            Operand::Figurative(Figurative::Null, _) => Ok(Side::Number(Number::whole(0), None)),
            Operand::Figurative(constant, at) => Ok(Side::Figurative(constant, *at)),
            Operand::Reference(reference) => {
                if let Some(character) = self.symbolic_character(reference)? {
                    let place = self.constant_place(&[character]);
                    return Ok(Side::Text(Text::Repeated(place), false));
                }
                if let Some((_, item)) = self.item(reference.id)
                    && item.kind == Type::Constant
                    && let Some(value) = item.values.first()
                {
                    return self.side_of(&value.from);
                }
                let located = self.locate(reference, Extent::Present)?;
                self.side_of_located(located, reference.at())
            }
            Operand::Function(call) => Ok(match self.function(call)? {
                Value::Number(number) => Side::Number(number, None),
                Value::Text(text) => Side::Text(text, false),
            }),
            other => Ok(Side::Number(self.operand_number(other)?, None)),
        }
    }

    fn side_of_located(&mut self, located: Located<'a>, at: At) -> Lowered<Side<'a>> {
        match located.kind() {
            Type::Numeric(numeric) => {
                let number = Number::Field(located.place.clone(), self.numeric(*numeric));
                Ok(Side::Number(number, Some(located)))
            }
            Type::IndexName => Ok(Side::Number(Number::Field(located.place, WHOLE_WORD), None)),
            Type::Index | Type::Pointer => {
                Ok(Side::Number(Number::Field(located.place, word(located.item.length)), None))
            }
            Type::FloatShort => Ok(Side::Number(real_field(located.place, Width::Short), None)),
            Type::FloatLong => Ok(Side::Number(real_field(located.place, Width::Long), None)),
            Type::Group => Ok(Side::Text(Text::Place(located.place), true)),
            Type::ProcedurePointer => Ok(Side::Procedure(located.place)),
            _ => Ok(Side::Text(self.located_text(located, at)?, false)),
        }
    }

    fn compare_sides(
        &mut self,
        left: Side<'a>,
        relation: Relation,
        right: Side<'a>,
        at: At,
        yes: BlockId,
        no: BlockId,
    ) -> Lowered<()> {
        let test = match (left, right) {
            (Side::Procedure(left), Side::Procedure(right)) => {
                Test::Texts(relation, Text::Place(left), Text::Place(right))
            }
            // NULL is the number zero here.
            (Side::Procedure(pointer), Side::Number(..) | Side::Figurative(..))
            | (Side::Number(..) | Side::Figurative(..), Side::Procedure(pointer)) => {
                let null = Text::Repeated(self.constant_place(&[0]));
                Test::Texts(relation, Text::Place(pointer), null)
            }
            (
                Side::Number(left, _) | Side::Digits(left, _),
                Side::Number(right, _) | Side::Digits(right, _),
            ) => Test::Numbers(relation, left, right),
            (Side::Number(left, _), Side::Figurative(Figurative::Zero, _)) => {
                Test::Numbers(relation, left, Number::whole(0))
            }
            (Side::Figurative(Figurative::Zero, _), Side::Number(right, _)) => {
                Test::Numbers(relation, Number::whole(0), right)
            }
            (left, right) => {
                // One side decides how the other is taken: a group takes a number as it lies.
                let group = matches!(left, Side::Text(_, true)) || matches!(right, Side::Text(_, true));
                let figurative =
                    matches!(left, Side::Figurative(..)) || matches!(right, Side::Figurative(..));
                let left = self.side_as_text(left, group, figurative, at)?;
                let right = self.side_as_text(right, group, figurative, at)?;
                Test::Texts(relation, left, right)
            }
        };
        self.branch(test, yes, no);
        Ok(())
    }

    /// A side as characters. Against a group a number is its bytes; against a figurative constant, its digits, whatever they
    /// are.
    fn side_as_text(&mut self, side: Side<'a>, group: bool, figurative: bool, at: At) -> Lowered<Text> {
        match side {
            Side::Text(text, _) => Ok(text),
            Side::Figurative(constant, at) => self.figurative(constant, at),
            Side::Digits(_, operand) => self.text(operand),
            Side::Number(_, Some(located)) => match located.kind() {
                Type::Numeric(numeric)
                    if group || numeric.representation == Representation::Zoned(SignPlace::None) =>
                {
                    Ok(Text::Place(located.place))
                }
                Type::Numeric(numeric) if figurative => Ok(match numeric.representation {
                    Representation::Binary | Representation::Native | Representation::Bytes { .. } => {
                        let numeric = self.numeric(*numeric);
                        let digits = Numeric { scale: 0, ..numeric };
                        Text::Digits(Number::Field(located.place, digits), u32::from(numeric.digits))
                    }
                    _ => Text::Unsigned(located.place, *numeric),
                }),
                _ => self.located_text(located, at),
            },
            Side::Number(_, None) => self.refuse(at, "this number compared with characters"),
            Side::Procedure(place) => Ok(Text::Place(place)),
        }
    }

    // Classes.

    fn class(&mut self, subject: &'a Expression, class: &'a Written) -> Lowered<Test> {
        let reference = match subject.operand() {
            Some(Operand::Reference(reference)) => reference,
            Some(operand @ Operand::Function(_)) => {
                let class = self.class_of_text(class, subject.at())?;
                return Ok(Test::Class(self.text(operand)?, class));
            }
            _ => return self.refuse(subject.at(), "a class test of this"),
        };
        let located = self.locate(reference, Extent::Present)?;
        let class = match class {
            Written::Numeric => match located.kind() {
                Type::Numeric(numeric) => {
                    return Ok(Test::Numeric(located.place, self.numeric(*numeric)));
                }
                _ => Class::Digits,
            },
            other => self.class_of_text(other, subject.at())?,
        };
        match located.kind() {
            Type::Utf8(_) => self.refuse(subject.at(), "a class test of UTF-8"),
            kind if is_usage_national(kind) => self.national_class(located.place, class, subject.at()),
            Type::Numeric(numeric) if !is_zoned(numeric) => {
                self.refuse(subject.at(), "this class test of a number")
            }
            _ => Ok(Test::Class(Text::Place(located.place), class)),
        }
    }

    /// A class of national characters: those of one byte are of it, and all others are of none.
    fn national_class(&mut self, place: BytePlace, class: Class, at: At) -> Lowered<Test> {
        if let Class::Named(_) = class {
            return self.refuse(at, "a CLASS of SPECIAL-NAMES beside national characters");
        }
        let function = TextFunction::Display { text: Text::Place(place), to: Encoding::Program };
        Ok(Test::Class(Text::Function(Box::new(function)), class))
    }

    /// Class that characters are tested for.
    fn class_of_text(&mut self, class: &'a Written, at: At) -> Lowered<Class> {
        match class {
            Written::Numeric => Ok(Class::Digits),
            Written::Alphabetic => Ok(Class::Letters),
            Written::AlphabeticLower => Ok(Class::Lower),
            Written::AlphabeticUpper => Ok(Class::Upper),
            Written::DoubleByte | Written::Kanji => self.refuse(at, "the class DBCS"),
            Written::Named(name) => self.named_class(name),
        }
    }

    fn named_class(&mut self, name: &'a Reference) -> Lowered<Class> {
        let class = match self.program.target(name.id) {
            Some(NameTarget::Class(index)) => self.program.syntax.environment.classes.get(index),
            _ => None,
        };
        let Some(class) = class else { return self.refuse(name.at(), "this class") };
        let mut members = Box::new([false; 256]);
        for CharacterRange { from, to, .. } in &class.ranges {
            let first = self.set_of_characters(from)?;
            match to {
                None => first.iter().for_each(|byte| members[usize::from(*byte)] = true),
                Some(last) => {
                    let last = self.set_of_characters(last)?;
                    let (Some(first), Some(last)) = (first.first(), last.first()) else { continue };
                    let (low, high) = (*first.min(last), *first.max(last));
                    (low..=high).for_each(|byte| members[usize::from(byte)] = true);
                }
            }
        }
        Ok(Class::Named(members))
    }
}

/// The relation as it was written.
pub(crate) fn relation(relation: WrittenRelation) -> Relation {
    match relation {
        WrittenRelation::Equal => Relation::Equal,
        WrittenRelation::Unequal => Relation::Unequal,
        WrittenRelation::Greater => Relation::Greater,
        WrittenRelation::Less => Relation::Less,
        WrittenRelation::GreaterOrEqual => Relation::GreaterOrEqual,
        WrittenRelation::LessOrEqual => Relation::LessOrEqual,
    }
}
