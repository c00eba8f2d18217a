//! EXEC CICS: the command of a block, its descriptor, and its arguments.

use cobol_data::{Numeric, Representation, Type};
use cobol_source::At;
use cobol_syntax::Executor;
use cobol_syntax::tree::{Exec, Expression, Figurative, LiteralKind, Operand, Reference};
use spec::syntax::{self, Word};
use spec::{Command, Direction, Kind, OptionId, OptionSpec, Status, cmd, opt};

use super::places::Extent;
use super::{Lowered, Lowering};
use cobol_ir::program::{Argument, End, Number, Segment, Service, Site};

/// Options of a command and their arguments.
#[derive(Default)]
struct Options {
    ids: Vec<OptionId>,
    arguments: Vec<Argument>,
    keywords: Vec<OptionId>,
    unbuilt: bool,
}

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
        match exec.block.executor {
            Executor::Cics => {}
            Executor::Sql => return self.exec_sql(exec.block.at),
            Executor::Other => return self.refuse(at, "EXEC of this kind"),
        }
        self.commands = self.commands.saturating_add(1);
        let statement = self.commands;
        let words: Vec<Word<'_>> = exec
            .block
            .items
            .iter()
            .map(|item| Word { name: &item.name, has_value: item.argument.is_some() })
            .collect();
        let found = words.split_first().and_then(|(verb, rest)| Some((syntax::find(verb.name, rest)?, rest)));
        let Some((command, rest)) = found else { return self.refuse(at, "this command") };
        let mut options = Options { unbuilt: command.status == Status::NotYet, ..Options::default() };
        let mut labels = exec.labels.iter();
        for (word, item) in rest.iter().zip(&exec.block.items[1..]) {
            if command.is_named_by(*word, rest) {
                continue;
            }
            let Some(option) = command.takes(word.name) else {
                return self.refuse(at, format_args!("{} of {}", word.name, command.name));
            };
            if options.ids.contains(&option.id) || options.keywords.contains(&option.id) {
                continue;
            }
            options.unbuilt |= option.not_yet;
            if item.argument.is_none() {
                options.keywords.push(option.id);
                continue;
            }
            let operand = exec.operands.iter().find(|(name, _)| name.as_deref() == Some(&*item.name));
            let argument = match (operand, option.kind) {
                (_, Kind::Label) => match labels.next() {
                    Some(label) => self.label(label)?,
                    None => return self.refuse(at, format_args!("{} of this command", option.name)),
                },
                (Some((_, value)), _) => self.exec_argument(at, option, value)?,
                (None, _) => return self.refuse(at, format_args!("{} of this command", option.name)),
            };
            options.ids.push(option.id);
            options.arguments.push(argument);
        }
        self.map_default(at, command, exec, &mut options)?;
        let mut descriptor = spec::call::encode(command.id, statement, &options.ids, &options.keywords);
        if options.unbuilt {
            spec::call::mark_unbuilt(&mut descriptor);
        }
        let service = Service::Exec(descriptor);
        self.out.sites.push(Site { service, arguments: options.arguments, returning: None });
        let site = self.out.sites.len() as u32 - 1;
        let next = self.new_block();
        self.end(End::Host { site, next, failed: None }, next);
        Ok(())
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

    /// The symbolic map's area, where the program leaves FROM or INTO out.
    fn map_default(
        &mut self,
        at: At,
        command: &Command,
        exec: &'a Exec,
        options: &mut Options,
    ) -> Lowered<()> {
        let leaves_out = |wanted: &[OptionId]| {
            !wanted.iter().any(|o| options.ids.contains(o) || options.keywords.contains(o))
        };
        let (option, suffix) = match command.id {
            cmd::SEND_MAP if leaves_out(&[opt::FROM, opt::MAPONLY]) => (opt::FROM, 'O'),
            cmd::RECEIVE_MAP if leaves_out(&[opt::INTO, opt::SET]) => (opt::INTO, 'I'),
            _ => return Ok(()),
        };
        let map = exec.operands.iter().find(|(name, _)| name.as_deref() == Some("MAP"));
        let name = match map.and_then(|(_, value)| value.operand()) {
            Some(Operand::Literal(literal)) => format!("{}{suffix}", literal.text.trim().to_uppercase()),
            _ => return self.refuse(at, "a map named at run time without FROM or INTO"),
        };
        let items = &self.program.items;
        let area = items.all().find(|(_, item)| item.name.as_ref().is_some_and(|own| *own.text == *name));
        let Some((id, _)) = area else {
            let map = &name[..name.len() - 1];
            let message = format!("map {map} has no area {name} in this program");
            let help = format!(
                "COPY the mapset that has the map; if it does, the mapset has no map {map}: look at the name, or write {}(area)",
                option.name()
            );
            return self.mistaken(at, message, &help);
        };
        let place = self.place_of(id, Vec::new(), Extent::Present, at)?;
        options.ids.push(option);
        options.arguments.push(Argument::Reference(place));
        Ok(())
    }
}
