//! Statements that the host carries out: DISPLAY, CALL.

use cobol_data::{Numeric, Representation, Type};
use cobol_runtime::floating::Width;
use cobol_source::At;
use cobol_syntax::tree::{
    Argument as Written, Event, Handlers, LiteralKind, Name, Operand, Passing, Reference,
};

use super::numbers::{WHOLE_WORD, word};
use super::places::Extent;
use super::value::Value;
use super::{Lowered, Lowering};
use cobol_ir::program::{
    Argument, BytePlace, End, Number, Operation, Real, Service, Shown, Site, Text, TextFunction,
};

/// Devices whose output is the program's ordinary one.
const DEVICES: [&str; 3] = ["CONSOLE", "SYSOUT", "SYSPUNCH"];
/// A number as an argument: a fullword.
const FULLWORD: Numeric =
    Numeric { digits: 9, scale: 0, signed: true, representation: Representation::Binary };

fn floating(place: BytePlace, width: Width) -> Shown {
    Shown::Floating(Real::Field(place, width), width)
}

impl<'a> Lowering<'a> {
    pub(super) fn display(
        &mut self,
        items: &'a [Operand],
        upon: Option<&'a Name>,
        advancing: bool,
    ) -> Lowered<()> {
        if let Some(device) = upon.filter(|name| !self.is_ordinary_device(name)) {
            return self.refuse(device.at, format_args!("DISPLAY UPON {}", device.text));
        }
        let mut shown = Vec::new();
        for item in items {
            shown.push(self.shown(item)?);
        }
        self.emit(Operation::Display { items: shown, advancing });
        Ok(())
    }

    fn is_ordinary_device(&self, name: &Name) -> bool {
        let mnemonics = &self.program.syntax.environment.mnemonics;
        let meant =
            mnemonics.iter().find(|mnemonic| mnemonic.name.as_ref().is_some_and(|own| own.text == name.text));
        let system = meant.map_or(&name.text, |mnemonic| &mnemonic.system.text);
        DEVICES.contains(&&**system)
    }

    pub(super) fn shown(&mut self, operand: &'a Operand) -> Lowered<Shown> {
        if self.is_utf8(operand) {
            return Ok(Shown::Function(Box::new(self.shown_utf8(operand)?)));
        }
        if self.is_national(operand) {
            return Ok(Shown::Function(Box::new(self.shown_national(operand)?)));
        }
        match operand {
            Operand::Literal(literal) => {
                let bytes = match literal.kind {
                    LiteralKind::Number => literal.text.as_bytes().to_vec(),
                    _ => self.literal_bytes(literal)?,
                };
                Ok(Shown::Text(self.constant_place(&bytes)))
            }
            Operand::Figurative(constant, at) => match self.figurative(constant, *at)? {
                Text::Repeated(place) => Ok(Shown::Text(place)),
                _ => self.refuse(*at, "this DISPLAY"),
            },
            Operand::Reference(reference) => {
                if let Some(character) = self.symbolic_character(reference)? {
                    return Ok(Shown::Text(self.constant_place(&[character])));
                }
                if let Some((_, item)) = self.item(reference.id)
                    && item.kind == Type::Constant
                    && let Some(value) = item.values.first()
                {
                    return self.shown(&value.from);
                }
                let located = self.locate(reference, Extent::Present)?;
                match located.kind() {
                    Type::Numeric(numeric) => {
                        Ok(Shown::Number(located.place, self.numeric(*numeric), self.options.signs))
                    }
                    Type::FloatShort => Ok(floating(located.place, Width::Short)),
                    Type::FloatLong => Ok(floating(located.place, Width::Long)),
                    Type::IndexName => Ok(Shown::Whole(Number::Field(located.place, WHOLE_WORD), 9)),
                    Type::Index => {
                        let numeric = word(located.item.length);
                        Ok(Shown::Whole(Number::Field(located.place, numeric), 9))
                    }
                    Type::Pointer => {
                        let numeric = word(located.item.length);
                        Ok(Shown::Whole(Number::Field(located.place, numeric), 10))
                    }
                    _ => Ok(Shown::Text(located.place)),
                }
            }
            Operand::LengthOf(..) | Operand::Cics { .. } => {
                Ok(Shown::Whole(self.operand_number(operand)?, 9))
            }
            Operand::Function(call) => match self.function(call)? {
                Value::Text(Text::Place(place)) => Ok(Shown::Text(place)),
                Value::Text(Text::Function(function)) => Ok(Shown::Function(function)),
                Value::Text(_) => self.refuse(operand.at(), "this DISPLAY"),
                Value::Number(Number::Real(real)) => Ok(Shown::Floating(*real, Width::Long)),
                Value::Number(number) => Ok(Shown::Function(Box::new(TextFunction::Plain(number)))),
            },
            other => self.refuse(other.at(), "this DISPLAY"),
        }
    }

    // CALL.

    pub(super) fn call(
        &mut self,
        at: At,
        program: &'a Operand,
        using: &'a [Written],
        returning: Option<&'a Reference>,
        handlers: &'a Handlers,
    ) -> Lowered<()> {
        let own = |literal: &cobol_syntax::tree::Literal| self.is_own_program(&literal.text);
        if let Operand::Literal(literal) = program
            && let Some(meant) = super::routines::meant(literal).filter(|_| !own(literal))
        {
            return self.call_routine(literal, meant, using, returning, handlers);
        }
        let service = match program {
            Operand::Literal(literal) if literal.kind == LiteralKind::Text => {
                Service::Call(literal.text.trim_end().to_uppercase())
            }
            Operand::Reference(reference) => {
                let located = self.locate(reference, Extent::Present)?;
                match located.kind() {
                    Type::Alphanumeric | Type::Alphabetic | Type::Group | Type::ProcedurePointer => {
                        Service::CallNamed(located.place)
                    }
                    kind => return self.refuse(at, format_args!("CALL of {}", kind.name())),
                }
            }
            other => return self.refuse(other.at(), "this CALL"),
        };
        let mut arguments = Vec::new();
        for argument in using {
            arguments.push(self.call_argument(at, argument)?);
        }
        let returning = match returning {
            Some(reference) => Some(self.locate(reference, Extent::Received)?),
            None => None,
        };
        let form = returning.as_ref().and_then(|located| match located.kind() {
            Type::Numeric(numeric) => Some(self.numeric(*numeric)),
            _ => None,
        });
        let returning = returning.map(|located| located.place);
        self.out.sites.push(Site { service, arguments, returning });
        let site = self.out.sites.len() as u32 - 1;
        self.out.returned.extend(form.map(|form| (site, form)));
        let failing = |not: bool| {
            handlers.list.iter().filter(move |handler| {
                handler.not == not && matches!(handler.event, Event::Exception | Event::Overflow)
            })
        };
        let [next, failed, end] = std::array::from_fn(|_| self.new_block());
        let on_failure = failing(false).next().map(|_| failed);
        self.end(End::Host { site, next, failed: on_failure }, next);
        for handler in failing(true) {
            self.statements(&handler.body);
        }
        self.jump(end, failed);
        for handler in failing(false) {
            self.statements(&handler.body);
        }
        self.fall_into(end);
        Ok(())
    }

    /// CANCEL of one program.
    pub(super) fn cancel(&mut self, at: At, program: &'a Operand) -> Lowered<()> {
        let service = match program {
            Operand::Literal(literal) if literal.kind == LiteralKind::Text => {
                Service::Cancel(literal.text.trim_end().to_uppercase())
            }
            Operand::Reference(reference) => {
                let located = self.locate(reference, Extent::Present)?;
                match located.kind() {
                    Type::Alphanumeric | Type::Alphabetic | Type::Group => {
                        Service::CancelNamed(located.place)
                    }
                    kind => return self.refuse(at, format_args!("CANCEL of {}", kind.name())),
                }
            }
            other => return self.refuse(other.at(), "this CANCEL"),
        };
        self.out.sites.push(Site { service, arguments: Vec::new(), returning: None });
        let site = self.out.sites.len() as u32 - 1;
        let next = self.new_block();
        self.end(End::Host { site, next, failed: None }, next);
        Ok(())
    }

    fn call_argument(&mut self, at: At, argument: &'a Written) -> Lowered<Argument> {
        let Some(value) = &argument.value else { return Ok(Argument::None) };
        match (argument.passing, value) {
            (Passing::Reference, Operand::Reference(reference)) => {
                self.no_dynamic_argument(reference, "CALL")?;
                Ok(Argument::Reference(self.locate(reference, Extent::Present)?.place))
            }
            // Both sides are ours: a value is a copy in the form of its item.
            (Passing::Content | Passing::Value, Operand::Reference(reference)) => {
                Ok(Argument::Content(self.locate(reference, Extent::Present)?.place))
            }
            (Passing::Content | Passing::Reference, Operand::Literal(literal))
                if literal.kind != LiteralKind::Number =>
            {
                let bytes = self.literal_bytes(literal)?;
                Ok(Argument::Content(self.constant_place(&bytes)))
            }
            (_, Operand::LengthOf(..) | Operand::AddressOf(..)) => {
                Ok(Argument::Value(self.operand_number(value)?, FULLWORD))
            }
            (Passing::Value, Operand::Literal(literal)) if literal.kind == LiteralKind::Number => {
                Ok(Argument::Value(self.operand_number(value)?, FULLWORD))
            }
            _ => self.refuse(at, "an argument of this kind"),
        }
    }
}
