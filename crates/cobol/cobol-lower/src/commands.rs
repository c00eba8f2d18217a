//! EXEC CICS: the descriptor of a command that `cobol-exec` has read, and its arguments.

use cobol_data::{Numeric, Representation, Type};
use cobol_exec::{Argument as Asking, Asked, Command};
use cobol_source::At;
use cobol_syntax::tree::{Exec, Expression, Figurative, LiteralKind, Operand, Reference};
use spec::{Direction, Kind, OptionId, OptionSpec};

use super::places::Extent;
use super::{Lowered, Lowering};
use cobol_ir::program::{Argument, End, Number, Segment, Service, Site};

/// The binary number that a command finds in a group of so many bytes.
fn binary_of(length: u32) -> Option<Numeric> {
    let digits = match length {
        2 => 4,
        4 => 9,
        _ => return None,
    };
    Some(Numeric { digits, scale: 0, signed: true, representation: Representation::Native })
}

impl<'a> Lowering<'a> {
    pub(super) fn exec(&mut self, at: At, exec: &'a Exec) -> Lowered<()> {
        match self.asked.get(exec.block as usize).and_then(Option::as_ref) {
            Some(Asked::Command(command)) => self.command(at, exec, command),
            Some(Asked::Sql(block)) => self.exec_sql(exec.at, block),
            None => self.refuse(at, "this EXEC"),
        }
    }

    fn command(&mut self, at: At, exec: &'a Exec, command: &'a Command) -> Lowered<()> {
        let mut ids: Vec<OptionId> = Vec::with_capacity(command.arguments.len() + 1);
        let mut arguments = Vec::with_capacity(command.arguments.len() + 1);
        for asked in &command.arguments {
            ids.push(asked.option.id);
            arguments.push(self.asked_argument(at, exec, *asked)?);
        }
        if let Some((option, area)) = &command.map {
            ids.push(*option);
            arguments.push(self.symbolic_map(at, *option, area)?);
        }
        let mut descriptor =
            spec::call::encode(command.record.id, command.statement, &ids, &command.keywords);
        if command.unbuilt {
            spec::call::mark_unbuilt(&mut descriptor);
        }
        let service = Service::Exec(descriptor);
        self.out.sites.push(Site { service, arguments, returning: None });
        let site = self.out.sites.len() as u32 - 1;
        let next = self.new_block();
        self.end(End::Host { site, next, failed: None }, next);
        Ok(())
    }

    /// An option with its value, which the syntax tree has under the number of the option.
    fn asked_argument(&mut self, at: At, exec: &'a Exec, asked: Asking) -> Lowered<Argument> {
        let Asking { option, item } = asked;
        if option.kind == Kind::Label {
            if let Some((_, label)) = exec.labels.iter().find(|(number, _)| *number == item) {
                return self.label(label);
            }
        } else if let Some((_, value)) = exec.operands.iter().find(|(number, _)| *number == Some(item)) {
            return self.exec_argument(at, option, value);
        }
        self.refuse(at, format_args!("{} of this command", option.name))
    }

    fn label(&mut self, label: &'a Reference) -> Lowered<Argument> {
        let index = self.procedure(label)?;
        let block = self.procedures.list[index].start;
        let known = self.out.labels.iter().position(|own| *own == block);
        let at = known.unwrap_or_else(|| {
            self.out.labels.push(block);
            self.out.labels.len() - 1
        });
        Ok(Argument::Label(at as u32))
    }

    fn exec_argument(&mut self, at: At, option: &OptionSpec, value: &'a Expression) -> Lowered<Argument> {
        match value.operand() {
            Some(Operand::Reference(reference)) => {
                self.no_dynamic_argument(reference, "EXEC CICS")?;
                let located = self.locate(reference, Extent::Present)?;
                Ok(match located.kind() {
                    Type::Numeric(numeric) => {
                        let numeric = self.numeric(*numeric);
                        Argument::Field(located.place, numeric)
                    }
                    Type::Pointer => Argument::Pointer(located.place),
                    Type::Group => match located.place.as_fixed().and_then(|(_, length)| binary_of(length)) {
                        Some(binary) => Argument::Field(located.place, binary),
                        None => Argument::Reference(located.place),
                    },
                    _ => Argument::Reference(located.place),
                })
            }
            Some(Operand::Literal(literal)) if literal.kind != LiteralKind::Number => {
                let bytes = self.literal_bytes(literal)?;
                Ok(Argument::Content(self.constant_place(&bytes)))
            }
            Some(Operand::AddressOf(reference, _)) => {
                // The length of a record of varying length is no matter, and it may have no storage yet.
                if let Some((index, _)) = self.linkage_record(reference) {
                    return Ok(Argument::Address(index));
                }
                let place = self.locate(reference, Extent::Present)?.place;
                match (place.segment, place.as_fixed()) {
                    (Segment::Linkage(index), Some((0, _))) => Ok(Argument::Address(index)),
                    _ if option.direction == Direction::In => Ok(Argument::Number(Number::Address(place))),
                    _ => self.refuse(at, format_args!("{} of this address", option.name)),
                }
            }
            Some(Operand::Figurative(figurative, _)) => self.figurative_argument(at, figurative),
            Some(Operand::Function(_)) => self.refuse(at, "a function as an argument of a command"),
            _ => Ok(Argument::Number(self.expression(value, None)?)),
        }
    }

    /// One character; ZERO is a number.
    fn figurative_argument(&mut self, at: At, figurative: &Figurative) -> Lowered<Argument> {
        let character = match figurative {
            Figurative::Zero | Figurative::Null => return Ok(Argument::Number(Number::whole(0))),
            Figurative::Space => b' ',
            Figurative::HighValue => self.high_value(),
            Figurative::LowValue => self.low_value(),
            Figurative::Quote => self.options.quote,
            Figurative::All(_) => return self.refuse(at, "ALL as an argument of a command"),
        };
        Ok(Argument::Content(self.constant_place(&[character])))
    }

    /// The record of a symbolic map, where the program leaves FROM or INTO out.
    fn symbolic_map(&mut self, at: At, option: OptionId, name: &str) -> Lowered<Argument> {
        let items = &self.program.items;
        let area = items.all().find(|(_, item)| item.name.as_ref().is_some_and(|own| &*own.text == name));
        let Some((id, _)) = area else {
            let map = &name[..name.len() - 1];
            let message = format!("map {map} has no area {name} in this program");
            let help = format!(
                "COPY the mapset that has the map; if it does, the mapset has no map {map}: look at the name, or write {}(area)",
                option.name()
            );
            return self.mistaken(at, message, &help);
        };
        Ok(Argument::Reference(self.place_of(id, Vec::new(), Extent::Present, at)?))
    }
}
