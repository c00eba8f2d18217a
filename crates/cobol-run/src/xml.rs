//! XML PARSE: documents that are being read, and their events in the registers.

use cobol_runtime::xml::{Event, Next, Reader};

use super::abend::Fault;
use super::machine::Machine;
use cobol_ir::program::{XmlNext, XmlPart, XmlRead};

/// XML-CODE of a document that is not well formed: return code 12 of the parser, without its reason.
const NOT_WELL_FORMED: i64 = 12 << 16;

/// The document of each statement that is being carried out; none where it was too long.
pub(super) type Parsers = Vec<(u32, Option<Reader>)>;

impl Machine<'_> {
    pub(super) fn xml_read(&mut self, read: &XmlRead) -> Result<(), Fault> {
        let span = self.span(&read.document)?;
        let text = self.read(&span);
        if read.again {
            let text = text.to_vec();
            let parser = self.frame.parsers.iter_mut().find(|(own, _)| *own == read.parser);
            if let Some((_, reader)) = parser {
                let fits = reader.as_mut().is_some_and(|reader| reader.more(&text));
                *reader = reader.take().filter(|_| fits);
            }
            return Ok(());
        }
        let reader = Reader::new(&text, read.compatible);
        self.frame.parsers.retain(|(own, _)| *own != read.parser);
        self.frame.parsers.push((read.parser, reader));
        Ok(())
    }

    pub(super) fn xml_next(&mut self, next: &XmlNext) -> Result<(), Fault> {
        let parser = self.frame.parsers.iter_mut().find(|(own, _)| *own == next.parser);
        let came = match parser {
            Some((_, Some(reader))) => reader.read(),
            _ => Next::Malformed,
        };
        let named = |kind| Event { kind, ..Event::default() };
        let (event, outcome, code) = match came {
            Next::Event(event) => (event, 1, 0),
            Next::EndOfInput => (named("END-OF-INPUT"), 3, 0),
            Next::Malformed => (named("EXCEPTION"), 2, NOT_WELL_FORMED),
            Next::Ended => (Event::default(), 0, 0),
        };
        if outcome != 1 && outcome != 3 {
            self.frame.parsers.retain(|(own, _)| *own != next.parser);
        }
        self.set_slot(next.outcome, outcome);
        if let Some(counter) = &next.code {
            self.set_counter(counter, code)?;
        }
        if outcome == 0 {
            return Ok(());
        }
        if let Some(place) = &next.event {
            let to = self.stored_span(place)?;
            self.put_fit(to, event.kind.as_bytes(), false);
        }
        for register in &next.registers {
            let text: &[u8] = match register.part {
                XmlPart::Text => &event.text,
                XmlPart::Namespace => &event.namespace,
                XmlPart::Prefix => &event.prefix,
                XmlPart::Nothing => &[],
            };
            let to = self.stored_span(&register.place)?;
            let length = text.len().min(to.len());
            self.task.put(to.start..to.start + length, &text[..length]);
            self.set_slot(register.length, length as i64);
        }
        Ok(())
    }
}
