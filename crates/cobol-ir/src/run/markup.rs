//! JSON GENERATE and XML GENERATE.

use super::abend::Fault;
use super::machine::{Host, Machine};
use super::made_texts::hexadecimal;
use crate::program::{Content, Element, Generate, Language};

/// Exception codes: the receiver is too short.
const JSON_TOO_SHORT: i64 = 1;
const XML_TOO_SHORT: i64 = 400;
/// Characters that XML cannot hold: they are there in hexadecimal.
const XML_ILLEGAL: i64 = 417;

/// What is written, no longer than its receiver.
struct Writer {
    language: Language,
    text: Vec<u8>,
    max: usize,
    /// The exception code.
    code: i64,
}

impl Writer {
    fn is_full(&self) -> bool {
        self.text.len() >= self.max && self.code == self.too_short()
    }

    fn too_short(&self) -> i64 {
        match self.language {
            Language::Json => JSON_TOO_SHORT,
            Language::Xml => XML_TOO_SHORT,
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        let room = self.max - self.text.len();
        self.text.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room {
            self.code = self.too_short();
        }
    }

    /// Puts characters of the program as a string of JSON, in UTF-8.
    fn put_string(&mut self, characters: &[u8]) {
        self.put(b"\"");
        for byte in characters {
            match byte {
                b'"' => self.put(b"\\\""),
                b'\\' => self.put(b"\\\\"),
                8 => self.put(b"\\b"),
                b'\t' => self.put(b"\\t"),
                b'\n' => self.put(b"\\n"),
                12 => self.put(b"\\f"),
                b'\r' => self.put(b"\\r"),
                0..0x20 => self.put(format!("\\u{byte:04X}").as_bytes()),
                _ => self.put(char::from(*byte).encode_utf8(&mut [0; 2]).as_bytes()),
            }
        }
        self.put(b"\"");
    }

    fn put_escaped(&mut self, characters: &[u8]) {
        for byte in characters {
            match byte {
                b'&' => self.put(b"&amp;"),
                b'<' => self.put(b"&lt;"),
                b'>' => self.put(b"&gt;"),
                b'"' => self.put(b"&quot;"),
                b'\'' => self.put(b"&apos;"),
                _ => self.put(&[*byte]),
            }
        }
    }

    /// Puts an element of XML with its value.
    fn put_element(&mut self, name: &[u8], value: &[u8]) {
        let legal = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..);
        let is_legal = value.iter().all(legal);
        let name = if is_legal { name.to_vec() } else { [b"hex.", name].concat() };
        self.put_tag(b"<", &name);
        if is_legal {
            self.put_escaped(value);
        } else {
            self.put(&hexadecimal(value));
            self.code = if self.code == 0 { XML_ILLEGAL } else { self.code };
        }
        self.put_tag(b"</", &name);
    }

    fn put_tag(&mut self, opening: &[u8], name: &[u8]) {
        [opening, name, b">"].into_iter().for_each(|part| self.put(part));
    }
}

impl Machine<'_> {
    pub(super) fn generate(&mut self, generate: &Generate, host: &mut dyn Host) -> Result<(), Fault> {
        let into = self.task_span(&generate.into)?;
        let mut writer = Writer { language: generate.language, text: Vec::new(), max: into.len(), code: 0 };
        match generate.language {
            Language::Json => {
                writer.put(b"{");
                self.json(&generate.root, &mut writer, host)?;
                writer.put(b"}");
            }
            Language::Xml => self.xml(&generate.root, &mut writer, host)?,
        }
        self.task.memory_mut()[into][..writer.text.len()].copy_from_slice(&writer.text);
        self.set_slot(generate.code, writer.code);
        match &generate.count {
            Some(count) => self.set_counter(count, writer.text.len() as i64),
            None => Ok(()),
        }
    }

    /// A name with its value; of a table, with an array.
    fn json(&mut self, element: &Element, out: &mut Writer, host: &mut dyn Host) -> Result<(), Fault> {
        out.put_string(&element.name);
        out.put(b":");
        let Some((slot, count)) = &element.table else { return self.json_value(element, out, host) };
        out.put(b"[");
        for number in 1..=self.integer(count)? {
            if out.is_full() {
                return Ok(());
            }
            if number > 1 {
                out.put(b",");
            }
            self.set_slot(*slot, number);
            self.json_value(element, out, host)?;
        }
        out.put(b"]");
        Ok(())
    }

    fn json_value(&mut self, element: &Element, out: &mut Writer, host: &mut dyn Host) -> Result<(), Fault> {
        match &element.content {
            Content::Parts(parts) => {
                out.put(b"{");
                for (place, part) in parts.iter().enumerate() {
                    if place > 0 {
                        out.put(b",");
                    }
                    self.json(part, out, host)?;
                }
                out.put(b"}");
            }
            Content::Number(number) => {
                let number = self.plain(number)?;
                out.put(&number);
            }
            content => {
                let characters = self.characters(content)?;
                out.put_string(&characters);
            }
        }
        self.may_go_on(host)
    }

    fn xml(&mut self, element: &Element, out: &mut Writer, host: &mut dyn Host) -> Result<(), Fault> {
        let Some((slot, count)) = &element.table else { return self.xml_element(element, out, host) };
        for number in 1..=self.integer(count)? {
            if out.is_full() {
                return Ok(());
            }
            self.set_slot(*slot, number);
            self.xml_element(element, out, host)?;
        }
        Ok(())
    }

    fn xml_element(&mut self, element: &Element, out: &mut Writer, host: &mut dyn Host) -> Result<(), Fault> {
        match &element.content {
            Content::Parts(parts) => {
                out.put_tag(b"<", &element.name);
                for part in parts {
                    self.xml(part, out, host)?;
                }
                out.put_tag(b"</", &element.name);
            }
            content => {
                let value = self.characters(content)?;
                out.put_element(&element.name, &value);
            }
        }
        self.may_go_on(host)
    }

    fn may_go_on(&self, host: &mut dyn Host) -> Result<(), Fault> {
        if host.must_stop() { Err(Fault::Stopped) } else { Ok(()) }
    }

    /// The characters of an item: of a number as people write it, of text without the spaces at one end, but for one.
    fn characters(&mut self, content: &Content) -> Result<Vec<u8>, Fault> {
        Ok(match content {
            Content::Parts(_) => Vec::new(),
            Content::Number(number) => self.plain(number)?,
            Content::Edited(text) => self.text(text, 1)?.into_owned(),
            Content::Characters { text, right } => {
                let text = self.text(text, 1)?;
                let is_space = |byte: &&u8| **byte == b' ';
                let spaces = match right {
                    true => text.iter().take_while(is_space).count(),
                    false => text.iter().rev().take_while(is_space).count(),
                };
                let kept = text.len() - spaces.min(text.len().saturating_sub(1));
                if *right { text[text.len() - kept..].to_vec() } else { text[..kept].to_vec() }
            }
        })
    }
}
