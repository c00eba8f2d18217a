//! XML PARSE: documents that are being read, and their events in the registers.

use cobol_runtime::xml::{Event, Next, Reader};

use super::abend::ProgramFault;
use super::machine::Machine;
use super::parsers::Parser;
use cobol_ir::program::{DocumentForm, XmlNext, XmlPart, XmlRead};

/// XML-CODE of a document that is not well formed: return code 12 of the parser, without its reason.
const NOT_WELL_FORMED: i64 = 12 << 16;

/// A document in UTF-8.
pub(super) fn in_utf8(text: &[u8], form: DocumentForm) -> Vec<u8> {
    match form {
        DocumentForm::Utf8 => text.to_vec(),
        DocumentForm::Program => text.iter().copied().map(char::from).collect::<String>().into_bytes(),
        DocumentForm::National => {
            let units: Vec<u16> =
                text.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
            String::from_utf16_lossy(&units).into_bytes()
        }
    }
}

/// National characters of UTF-8.
fn national_of(text: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text).encode_utf16().flat_map(u16::to_be_bytes).collect()
}

impl Machine<'_> {
    pub(super) fn xml_read(&mut self, read: &XmlRead) -> Result<(), ProgramFault> {
        let span = self.span(&read.document)?;
        let plain = read.form == DocumentForm::Program && !read.national;
        let text = self.read(&span);
        let text = if plain { text.to_vec() } else { in_utf8(&text, read.form) };
        if read.again {
            let parser = self.frame.parsers.iter_mut().find(|parser| parser.number == read.parser);
            if let Some(Parser { reader, .. }) = parser {
                let fits = reader.as_mut().is_some_and(|reader| reader.more(&text));
                *reader = reader.take().filter(|_| fits);
            }
            return Ok(());
        }
        let reader = if plain { Reader::new(&text, read.compatible) } else { Reader::of_utf8(&text) };
        self.frame.parsers.retain(|parser| parser.number != read.parser);
        self.frame.parsers.push(Parser { number: read.parser, national: read.national, reader });
        Ok(())
    }

    pub(super) fn xml_next(&mut self, next: &XmlNext) -> Result<(), ProgramFault> {
        let parser = self.frame.parsers.iter_mut().find(|parser| parser.number == next.parser);
        let national = parser.as_ref().is_some_and(|parser| parser.national);
        let came = match parser {
            Some(Parser { reader: Some(reader), .. }) => reader.read(),
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
            self.frame.parsers.retain(|parser| parser.number != next.parser);
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
            let (of_national, text) = match register.part {
                XmlPart::Text => (false, &event.text),
                XmlPart::Namespace => (false, &event.namespace),
                XmlPart::Prefix => (false, &event.prefix),
                XmlPart::NationalText => (true, &event.text),
                XmlPart::NationalNamespace => (true, &event.namespace),
                XmlPart::NationalPrefix => (true, &event.prefix),
            };
            let text = match (of_national, national) {
                (false, false) => text.clone(),
                (true, true) => national_of(text),
                // Of the two registers one is empty.
                _ => Vec::new(),
            };
            let to = self.stored_span(&register.place)?;
            let length = text.len().min(to.len());
            self.task.put(to.start..to.start + length, &text[..length]);
            self.set_slot(register.length, (if of_national { length / 2 } else { length }) as i64);
        }
        Ok(())
    }
}
