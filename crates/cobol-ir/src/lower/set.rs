//! SET: condition-names, indexes, pointers, addresses.

use cobol_check::Target;
use cobol_data::{Area, Type};
use cobol_syntax::tree::{Expression, Literal, LiteralKind, Operand, Reference, SetKind};

use super::places::Located;
use super::{Lowered, Lowering};
use crate::program::{Form, Operation, Operator, Receiver, Segment, Text};

impl<'a> Lowering<'a> {
    pub(super) fn set(&mut self, list: &'a [SetKind]) -> Lowered<()> {
        for one in list {
            match one {
                SetKind::To { targets, value } => self.set_to(targets, value)?,
                SetKind::By { targets, down, value } => {
                    let operator = if *down { Operator::Subtract } else { Operator::Add };
                    for target in targets {
                        let Operand::Reference(reference) = target else {
                            return self.refuse(target.at(), "this SET");
                        };
                        let item = self.item_number(reference)?;
                        let by = self.expression(value, None)?;
                        let value = self.combine(operator, item, by, 0);
                        self.store_plain(reference, value)?;
                    }
                }
                SetKind::Switch { targets, on } => self.set_switch(targets, *on)?,
            }
        }
        Ok(())
    }

    fn set_to(&mut self, targets: &'a [Operand], value: &'a Expression) -> Lowered<()> {
        for target in targets {
            match (target, value.operand()) {
                (Operand::Reference(reference), Some(Operand::Truth(truth, _))) => {
                    self.set_condition(reference, *truth)?;
                }
                (Operand::Reference(reference), _) => {
                    let value = self.expression(value, None)?;
                    self.store_plain(reference, value)?;
                }
                (Operand::AddressOf(reference, _), _) => self.set_address(reference, value)?,
                _ => return self.refuse(target.at(), "this SET"),
            }
        }
        Ok(())
    }

    /// SET ADDRESS OF a record of the linkage section.
    fn set_address(&mut self, reference: &'a Reference, value: &'a Expression) -> Lowered<()> {
        let record = match self.program.target(reference.id) {
            Some(Target::Item(id)) => Some((id, self.program.items.get(id))),
            _ => None,
        };
        let segment = record
            .filter(|(_, item)| item.area == Area::Linkage && matches!(item.level, 1 | 77))
            .and_then(|(id, item)| self.storage.base(id, item));
        let Some((Segment::Linkage(linkage), 0)) = segment else {
            return self.refuse(reference.at(), format_args!("SET ADDRESS OF {}", reference.name.text));
        };
        let value = self.expression(value, None)?;
        self.emit(Operation::SetAddress { linkage, value });
        Ok(())
    }

    /// The first value of a condition-name, or that of WHEN SET TO FALSE, to its item.
    fn set_condition(&mut self, reference: &'a Reference, truth: bool) -> Lowered<()> {
        let Some((_, item)) = self.item(reference.id).filter(|(_, item)| item.kind == Type::Condition) else {
            return self.refuse(reference.at(), "this SET");
        };
        let variable = self.conditional(reference, item)?;
        let value = item.values.first().map(|value| &value.from);
        match (truth, value, &item.when_false) {
            (true, Some(value), _) => self.move_to(value, variable, reference.at()),
            (false, _, Some(value)) => self.move_literal(value, variable),
            _ => self.refuse(reference.at(), "SET TO FALSE of this condition-name"),
        }
    }

    fn move_literal(&mut self, literal: &'a Literal, to: Located<'a>) -> Lowered<()> {
        match to.kind().clone() {
            Type::Numeric(numeric) if literal.kind == LiteralKind::Number => {
                let Some(value) = super::numbers::number_of(&literal.text) else {
                    return self.refuse(literal.at, "a number of so many digits");
                };
                let form = Form::Number(self.numeric(numeric));
                self.store_one(value, Receiver { place: to.place, form, rounded: false });
                Ok(())
            }
            Type::Group | Type::Alphabetic | Type::Alphanumeric => {
                let bytes = self.literal_bytes(literal)?;
                let from = Text::Place(self.constant_place(&bytes));
                self.emit(Operation::Move { from, to: to.place, right: to.item.justified });
                Ok(())
            }
            kind => self.refuse(literal.at, format_args!("SET TO FALSE of {}", kind.name())),
        }
    }
}
