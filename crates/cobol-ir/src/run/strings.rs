//! STRING.

use cobol_data::Numeric;

use super::abend::Fault;
use super::decimal::Decimal;
use super::fields;
use super::machine::Machine;
use crate::program::{Number, Place, Slot, Text};

impl Machine<'_> {
    pub(super) fn string(
        &mut self,
        sources: &[(Text, Option<Text>)],
        into: &Place,
        pointer: Option<&(Place, Numeric)>,
        overflow: Slot,
    ) -> Result<(), Fault> {
        let to = self.task_span(into)?;
        let start = match pointer {
            Some((place, numeric)) => self.integer(&Number::Field(place.clone(), *numeric))?,
            None => 1,
        };
        let Some(mut at) = usize::try_from(start - 1).ok().filter(|at| *at < to.len()) else {
            self.set_slot(overflow, 1);
            return Ok(());
        };
        // Senders and delimiters are evaluated before anything is stored.
        let mut pieces = Vec::with_capacity(sources.len());
        for (source, delimiter) in sources {
            pieces.push(self.piece(source, delimiter.as_ref())?);
        }
        for piece in &pieces {
            let room = to.len() - at;
            let moved = piece.len().min(room);
            let from = to.start + at;
            self.task.memory_mut()[from..from + moved].copy_from_slice(&piece[..moved]);
            at += moved;
            if moved < piece.len() {
                self.set_slot(overflow, 1);
                break;
            }
        }
        if let Some((place, numeric)) = pointer {
            let range = self.task_span(place)?;
            let value = Decimal::whole(at as i64 + 1);
            fields::store(value, *numeric, false, false, &mut self.task.memory_mut()[range]);
        }
        Ok(())
    }

    /// A sender up to its delimiter.
    fn piece(&mut self, source: &Text, delimiter: Option<&Text>) -> Result<Vec<u8>, Fault> {
        let mut text = self.unrepeated(source)?;
        if let Some(delimiter) = delimiter {
            let delimiter = self.unrepeated(delimiter)?;
            let found = text.windows(delimiter.len().max(1)).position(|window| window == delimiter);
            text.truncate(found.unwrap_or(text.len()));
        }
        Ok(text)
    }

    /// Characters; a figurative constant is one of them.
    fn unrepeated(&mut self, text: &Text) -> Result<Vec<u8>, Fault> {
        let length = match text {
            Text::Repeated(place) => place.fixed_length().unwrap_or(1) as usize,
            _ => 0,
        };
        Ok(self.text(text, length)?.into_owned())
    }
}
