//! Steps whose places generated code has found: where each begins in its segment, and its length, are numbers already.

use super::abend::ProgramFault;
use super::machine::{Found, Machine, Span};
use super::shared::ZEROS;
use super::texts::is_shared;
use cobol_ir::program::{Operation, Test, Text};

impl Machine<'_> {
    /// A MOVE of characters, or of a figurative constant, between places that are found.
    ///
    /// # Errors
    /// As of [`Self::step`]; any other operation is [`ProgramFault::Host`].
    #[inline]
    pub fn move_found(&mut self, operation: &Operation, from: Found, to: Found) -> Result<(), ProgramFault> {
        let Operation::Move {
            from: text @ (Text::Place(source) | Text::Repeated(source)),
            to: receiver,
            right,
        } = operation
        else {
            return Err(ProgramFault::Host);
        };
        let from = self.span_at(source, from)?;
        let to = self.stored_span_at(receiver, to)?;
        match text {
            Text::Repeated(_) => self.repeat(&from, to),
            _ => self.move_span(from, to, *right),
        }
        Ok(())
    }

    /// A piece of a STRING that is found: looks at it, and moves it to its place in the receiver's segment, if there is one.
    ///
    /// # Errors
    /// As of [`Self::step`]; any other operation is [`ProgramFault::Host`].
    #[inline]
    pub fn append_found(
        &mut self,
        operation: &Operation,
        index: usize,
        from: Found,
        to: Option<i64>,
    ) -> Result<(), ProgramFault> {
        let Operation::String { sources, into, .. } = operation else { return Err(ProgramFault::Host) };
        let Some((Text::Place(source) | Text::Repeated(source), None)) = sources.get(index) else {
            return Err(ProgramFault::Host);
        };
        let span = self.span_at(source, from)?;
        let Some(to) = to else { return Ok(()) };
        let to = self.stored_span_at(into, (to, from.1))?;
        let program = self.program;
        match span {
            Span::Task(range) if is_shared(&range) || is_shared(&to) => {
                let piece = self.task.look(range).into_owned();
                self.task.put(to, &piece);
            }
            Span::Task(range) => self.task.memory_mut().copy_within(range, to.start),
            Span::Constant(range) => self.task.put(to, &program.constants[range]),
            Span::Zeros(range) => self.task.put(to, &ZEROS[range]),
        }
        Ok(())
    }

    /// A comparison of characters, or a test of their class, whose places are found.
    ///
    /// # Errors
    /// As of [`Self::test`]; any other test is [`ProgramFault::Host`].
    #[inline]
    pub fn test_found(&mut self, test: &Test, left: Found, right: Found) -> Result<bool, ProgramFault> {
        match test {
            Test::Texts(
                relation,
                one @ (Text::Place(left_place) | Text::Repeated(left_place)),
                other @ (Text::Place(right_place) | Text::Repeated(right_place)),
            ) => {
                let (left, right) = (self.span_at(left_place, left)?, self.span_at(right_place, right)?);
                let order = self.compare_spans((one, &left), (other, &right)).ok_or(ProgramFault::Host)?;
                Ok(relation.holds(order))
            }
            Test::Class(Text::Place(place), class) => {
                let span = self.span_at(place, left)?;
                Ok(class.has(&self.read(&span)))
            }
            _ => Err(ProgramFault::Host),
        }
    }
}
