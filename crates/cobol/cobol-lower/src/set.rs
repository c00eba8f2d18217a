//! SET: condition-names, indexes, pointers, addresses.

use cobol_check::NameTarget;
use cobol_data::Type;
use cobol_syntax::tree::{Expression, Figurative, Literal, LiteralKind, Operand, Reference, SetKind};

use super::places::{Extent, Located};
use super::{Lowered, Lowering};
use cobol_ir::program::{Form, Operation, Operator, Receiver, Segment, Service, Site, Text};

/// Characters of a program's name: a procedure pointer has as many bytes.
const PROCEDURE_NAME_MAX: usize = 8;

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
                (Operand::Reference(reference), Some(name)) if self.is_procedure_pointer(reference) => {
                    self.set_procedure(reference, name)?;
                }
                (Operand::Reference(reference), _) => {
                    let value = self.expression(value, None)?;
                    self.store_plain(reference, value)?;
                }
                (Operand::LengthOf(what, _), _) => self.set_length(what, value)?,
                (Operand::AddressOf(reference, _), _) => self.set_address(reference, value)?,
                _ => return self.refuse(target.at(), "this SET"),
            }
        }
        Ok(())
    }

    fn is_procedure_pointer(&self, reference: &Reference) -> bool {
        self.item(reference.id).is_some_and(|(_, item)| item.kind == Type::ProcedurePointer)
    }

    /// A procedure pointer holds the name of its program, and low values where it points nowhere.
    fn set_procedure(&mut self, pointer: &'a Reference, name: &'a Operand) -> Lowered<()> {
        let to = self.locate(pointer, Extent::Received)?.place;
        let from = match name {
            Operand::Literal(literal) if literal.kind == LiteralKind::Text => {
                let name = literal.text.trim_end().to_uppercase();
                if name.len() > PROCEDURE_NAME_MAX {
                    return self.refuse(literal.at, "ENTRY with so long a name");
                }
                let place = self.constant_place(name.as_bytes());
                // No block goes there: a search for the programs that this one CALLs finds it.
                let service = Service::Call(name);
                self.out.sites.push(Site { service, arguments: Vec::new(), returning: None });
                Text::Place(place)
            }
            Operand::Figurative(Figurative::Null, _) => Text::Repeated(self.constant_place(&[0])),
            Operand::Reference(from) => {
                let located = self.locate(from, Extent::Present)?;
                match located.kind() {
                    Type::Alphanumeric | Type::ProcedurePointer => Text::Place(located.place),
                    kind => return self.refuse(from.at(), format_args!("ENTRY {}", kind.name())),
                }
            }
            other => return self.refuse(other.at(), "this SET of a procedure pointer"),
        };
        self.emit(Operation::Move { from, to, right: false });
        Ok(())
    }

    /// A record of the linkage section, by its place there, and its greatest length.
    /// It may be one of a program around this one.
    pub(super) fn linkage_record(&mut self, reference: &Reference) -> Option<(u32, usize)> {
        let Some(NameTarget::Item(id)) = self.program.target(reference.id) else { return None };
        let item = self.program.items.get(id);
        if !item.linkage || !matches!(item.level, 1 | 77) {
            return None;
        }
        self.reach(id, reference.at()).ok()?;
        match self.storage.base(id, item)? {
            (Segment::Linkage(linkage), 0) => Some((linkage, item.length)),
            _ => None,
        }
    }

    /// SET ADDRESS OF a record of the linkage section.
    fn set_address(&mut self, reference: &'a Reference, value: &'a Expression) -> Lowered<()> {
        let Some((linkage, _)) = self.linkage_record(reference) else {
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
        if variable.item.dynamic {
            return self.refuse(reference.at(), "SET of a condition-name of an item of DYNAMIC LENGTH");
        }
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
                    return self.mistaken(
                        literal.at,
                        "this number has more digits than any item",
                        "a numeric literal has 18 digits at most, with CBL ARITH(EXTEND) 31",
                    );
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
