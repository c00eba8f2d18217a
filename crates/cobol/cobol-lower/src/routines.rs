//! CALL of routines on bytes and text that other compilers bring along: they are operations, and no program is entered.

use cobol_check::CheckedProgram;
use cobol_data::Type;
use cobol_runtime::routines::{BITS, Called, Routine, called};
use cobol_source::At;
use cobol_syntax::tree::{Argument as Written, Event, Handlers, Literal, LiteralKind, Operand, Reference};

use super::places::Extent;
use super::storage::RETURN_CODE;
use super::{Lowered, Lowering};
use cobol_ir::program::{
    Argument, Bounds, BytePlace, End, Form, Linear, Number, Operation, Operator, Receiver, Segment, Service,
    Shape, Site, WAIT,
};

/// Bits that are packed and unpacked, a byte each.
const EIGHT: i64 = BITS as i64;

/// The meaning of the name of a CALL beside programs; `None` for the name of a program.
pub(super) fn meant(literal: &Literal) -> Option<Called> {
    let text = literal.text.trim_end().to_uppercase();
    match literal.kind {
        LiteralKind::Text => called(&text),
        LiteralKind::Hexadecimal => called(&format!("X\"{text}")),
        _ => None,
    }
}

/// Returns true if one of the programs of a source, or of those within them, has a name.
fn has(programs: &[CheckedProgram], name: &str) -> bool {
    programs
        .iter()
        .any(|program| program.syntax.name.text.eq_ignore_ascii_case(name) || has(&program.contained, name))
}

impl<'a> Lowering<'a> {
    /// Returns true if the source has a program of that name: it is CALLed, whatever other compilers have of this name.
    pub(super) fn is_own_program(&self, name: &str) -> bool {
        has(&self.checked.programs, name.trim_end())
    }

    /// CALL of something that is no program.
    pub(super) fn call_routine(
        &mut self,
        literal: &'a Literal,
        meant: Called,
        using: &'a [Written],
        returning: Option<&'a Reference>,
        handlers: &'a Handlers,
    ) -> Lowered<()> {
        let name = match literal.kind {
            LiteralKind::Hexadecimal => format!("X\"{}\"", literal.text),
            _ => literal.text.trim_end().to_uppercase(),
        };
        let values: Vec<&'a Operand> = using.iter().filter_map(|argument| argument.value.as_ref()).collect();
        if values.len() != using.len() {
            return self.mistaken(
                literal.at,
                format!("{name} has no argument that may be OMITTED"),
                "give it all of them",
            );
        }
        match meant {
            Called::Refused(what, instead) => {
                return self.mistaken(literal.at, format!("{name} {what}"), instead);
            }
            Called::Wait(unit) => self.wait(literal.at, &name, unit, &values)?,
            Called::Routine(routine) => self.routine(literal.at, &name, routine, &values)?,
        }
        self.no_code(literal.at, returning)?;
        for handler in &handlers.list {
            if handler.not && matches!(handler.event, Event::Exception | Event::Overflow) {
                self.statements(&handler.body);
            }
        }
        Ok(())
    }

    fn routine(&mut self, at: At, name: &str, routine: Routine, values: &[&'a Operand]) -> Lowered<()> {
        let operands = 1 + usize::from(routine.has_source());
        let fits = match (routine, routine.has_length()) {
            (Routine::Justify, _) => (1..=2).contains(&values.len()),
            (_, true) => (operands..=operands + 1).contains(&values.len()),
            (_, false) => values.len() == operands,
        };
        if !fits {
            let help = format!("CALL \"{name}\" USING {}", form(routine));
            return self.mistaken(at, format!("{name} has {} arguments", values.len()), &help);
        }
        let (source, target, length) = match routine {
            Routine::Pack => (Some(values[1]), values[0], None),
            Routine::Unpack => (Some(values[0]), values[1], None),
            Routine::Justify => (values.get(1).copied(), values[0], None),
            _ if operands == 2 => (Some(values[0]), values[1], values.get(2).copied()),
            _ => (None, values[0], values.get(1).copied()),
        };
        let Operand::Reference(changed) = target else {
            return self.mistaken(target.at(), format!("{name} changes this operand"), "name an item");
        };
        let target = self.locate(changed, Extent::Present)?.place;
        let source = match source {
            Some(source) => Some(self.looked_at(name, source)?),
            None => None,
        };
        let (source, target) = match (routine, length) {
            (Routine::Pack, _) => (self.cut(at, name, source, EIGHT)?, self.cut(at, name, Some(target), 1)?),
            (Routine::Unpack, _) => {
                (self.cut(at, name, source, 1)?, self.cut(at, name, Some(target), EIGHT)?)
            }
            (Routine::Justify, _) => (source, Some(target)),
            (_, Some(length)) => {
                let length = Linear::from(self.operand_number(length)?);
                let source = source.map(|source| self.long(at, name, source, &length)).transpose()?;
                (source, Some(self.long(at, name, target, &length)?))
            }
            (_, None) => {
                if source.as_ref().is_some_and(|source| source.length != target.length) {
                    let message = format!("{name} needs a length where its operands are not equally long");
                    return self.mistaken(at, message, "write BY VALUE and the number of bytes behind them");
                }
                (source, Some(target))
            }
        };
        let Some(target) = target else { return self.refuse(at, name) };
        self.emit(Operation::Routine(routine, source, target));
        Ok(())
    }

    /// An operand that is only looked at: an item, or a literal.
    fn looked_at(&mut self, name: &str, operand: &'a Operand) -> Lowered<BytePlace> {
        match operand {
            Operand::Reference(reference) => Ok(self.locate(reference, Extent::Present)?.place),
            Operand::Literal(literal)
                if !matches!(literal.kind, LiteralKind::Number | LiteralKind::Float) =>
            {
                let bytes = self.literal_bytes(literal)?;
                Ok(self.constant_place(&bytes))
            }
            other => self.mistaken(
                other.at(),
                format!("{name} works on bytes"),
                "name an item, or write a literal in quotes",
            ),
        }
    }

    /// The first bytes of an operand that must have so many.
    fn cut(
        &mut self,
        at: At,
        name: &str,
        place: Option<BytePlace>,
        length: i64,
    ) -> Lowered<Option<BytePlace>> {
        let Some(place) = place else { return Ok(None) };
        if place.length.is_constant() && place.length.constant < length {
            let message =
                format!("{name} works on {length} bytes, and this operand has {}", place.length.constant);
            return self.mistaken(
                at,
                message,
                "X\"F4\" and X\"F5\" have an operand of one byte and one of eight",
            );
        }
        Ok(Some(BytePlace { length: Linear::constant(length), ..place }))
    }

    /// An operand with the length that another argument gives: bytes behind an item count, as far as there are any.
    fn long(&mut self, at: At, name: &str, place: BytePlace, length: &Linear) -> Lowered<BytePlace> {
        let own = place.length.is_constant().then_some(place.length.constant);
        let within = length.is_constant() && own.is_some_and(|own| (0..=own).contains(&length.constant));
        if !within && place.segment == Segment::Constant {
            let message = format!("{name} takes more bytes than this literal may have");
            return self.mistaken(
                at,
                message,
                "give a length that is a number, and no greater than the literal's",
            );
        }
        let mut length = length.clone();
        if !within && length.is_constant() {
            // It is looked at when it is used.
            length.terms.push((1, Number::whole(0)));
        }
        Ok(BytePlace { length, bounds: if within { place.bounds } else { Bounds::Task }, ..place })
    }

    /// C$SLEEP and its like: the host waits.
    fn wait(&mut self, at: At, name: &str, unit: i64, values: &[&'a Operand]) -> Lowered<()> {
        let [value] = values else {
            let help = format!("CALL \"{name}\" USING number");
            return self.mistaken(at, format!("{name} has {} arguments", values.len()), &help);
        };
        let argument = match value {
            Operand::Reference(reference)
                if matches!(
                    self.locate(reference, Extent::Present)?.kind(),
                    Type::Alphanumeric | Type::Group
                ) =>
            {
                return self.mistaken(
                    value.at(),
                    format!("{name} takes a number"),
                    "name an item with a PICTURE of 9",
                );
            }
            other => self.operand_number(other)?,
        };
        let shape = Shape { integers: 18, decimals: 0 };
        let unit = Box::new(Number::whole(unit));
        let nanoseconds = Number::Binary(Operator::Multiply, Box::new(argument), unit, shape);
        let (service, arguments) = (Service::Call(WAIT.to_owned()), vec![Argument::Number(nanoseconds)]);
        self.out.sites.push(Site { service, arguments, returning: None });
        let site = self.out.sites.len() as u32 - 1;
        let next = self.new_block();
        self.end(End::Host { site, next, failed: None }, next);
        Ok(())
    }

    /// Returns zero as routines do: in the item of RETURNING, or in RETURN-CODE.
    fn no_code(&mut self, at: At, returning: Option<&'a Reference>) -> Lowered<()> {
        let (place, kind) = match returning {
            Some(reference) => {
                let located = self.locate(reference, Extent::Received)?;
                (located.place.clone(), located.kind())
            }
            None => {
                let items = &self.program.items;
                let named = items
                    .all()
                    .find(|(_, item)| item.name.as_ref().is_some_and(|name| &*name.text == RETURN_CODE));
                let Some((id, item)) = named else { return Ok(()) };
                (self.place_of(id, Vec::new(), Extent::Present, at)?, &item.kind)
            }
        };
        let Type::Numeric(numeric) = kind else {
            return self.mistaken(
                at,
                "a routine returns a number",
                "give RETURNING an item with a PICTURE of 9",
            );
        };
        let receiver = Receiver { place, form: Form::Number(self.numeric(*numeric)), rounded: false };
        self.emit(Operation::Store { value: Number::whole(0), to: vec![receiver], error: None });
        Ok(())
    }
}

/// The arguments of a routine, as a message shows them.
fn form(routine: Routine) -> &'static str {
    match routine {
        Routine::Pack => "byte eight-bytes",
        Routine::Unpack => "byte eight-bytes",
        Routine::Justify => "item \"L\", \"R\" or \"C\"",
        _ if routine.has_source() => "first second BY VALUE length",
        _ => "item BY VALUE length",
    }
}
