//! JSON GENERATE and XML GENERATE.

use super::abend::ProgramFault;
use super::machine::{Host, Machine};
use super::made_texts::hexadecimal;
use cobol_ir::program::{Content, Element, Generate, Language, Text, Written};

/// Exception codes: the receiver is too short.
const JSON_TOO_SHORT: i64 = 1;
const XML_TOO_SHORT: i64 = 400;
/// A namespace with characters that XML cannot hold.
const XML_NAMESPACE: i64 = 416;
/// Characters that XML cannot hold: they are there in hexadecimal.
const XML_ILLEGAL: i64 = 417;
/// Bytes of UTF-8 that a unit of UTF-16 may be.
const UTF_8_MAX: usize = 3;
/// A prefix that is none.
const XML_PREFIX: i64 = 419;

/// The written text, no longer than its receiver.
struct Writer {
    language: Language,
    text: Vec<u8>,
    max: usize,
    /// The exception code.
    code: i64,
    /// True if characters of the program become UTF-8.
    utf8: bool,
    /// Text in front of each name of an element, with its colon.
    prefix: Vec<u8>,
}

/// A value of an item.
struct XmlValue {
    text: String,
    /// Its bytes as they lie.
    lying: Vec<u8>,
}

impl Writer {
    fn is_full(&self) -> bool {
        self.text.len() >= self.max && self.code == self.too_short()
    }

    /// UTF-8 becomes national characters, no more than a number of units: how many there are.
    fn becomes_national(&mut self, units_max: usize) -> usize {
        let mut units: Vec<u16> = String::from_utf8_lossy(&self.text).encode_utf16().collect();
        if units.len() > units_max {
            units.truncate(units_max);
            self.code = self.too_short();
        }
        self.text = units.iter().copied().flat_map(u16::to_be_bytes).collect();
        units.len()
    }

    fn too_short(&self) -> i64 {
        match self.language {
            Language::Json => JSON_TOO_SHORT,
            Language::Xml => XML_TOO_SHORT,
        }
    }

    /// Puts characters of the program, in UTF-8 if that is wanted.
    fn put(&mut self, characters: &[u8]) {
        if !self.utf8 || characters.is_ascii() {
            return self.put_bytes(characters);
        }
        let text: String = characters.iter().copied().map(char::from).collect();
        self.put_bytes(text.as_bytes());
    }

    fn put_bytes(&mut self, bytes: &[u8]) {
        let room = self.max - self.text.len();
        self.text.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room {
            self.code = self.too_short();
        }
    }

    /// Puts a string of JSON.
    fn put_string(&mut self, characters: impl Iterator<Item = char>) {
        self.put_bytes(b"\"");
        for character in characters {
            match character {
                '"' => self.put_bytes(b"\\\""),
                '\\' => self.put_bytes(b"\\\\"),
                '\u{8}' => self.put_bytes(b"\\b"),
                '\t' => self.put_bytes(b"\\t"),
                '\n' => self.put_bytes(b"\\n"),
                '\u{c}' => self.put_bytes(b"\\f"),
                '\r' => self.put_bytes(b"\\r"),
                '\0'..' ' => self.put_bytes(format!("\\u{:04X}", u32::from(character)).as_bytes()),
                '\u{80}'.. if !self.utf8 => match u8::try_from(u32::from(character)) {
                    Ok(byte) => self.put_bytes(&[byte]),
                    Err(_) => {
                        for unit in character.encode_utf16(&mut [0; 2]) {
                            self.put_bytes(format!("\\u{unit:04X}").as_bytes());
                        }
                    }
                },
                _ => self.put_bytes(character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        self.put_bytes(b"\"");
    }

    /// Puts a value of XML: a character that the document cannot hold as it is stands there by its number.
    fn put_escaped(&mut self, value: &str) {
        for character in value.chars() {
            match u8::try_from(u32::from(character)) {
                Ok(byte) => self.put(escaped(&byte)),
                Err(_) if self.utf8 => self.put_bytes(character.encode_utf8(&mut [0; 4]).as_bytes()),
                Err(_) => self.put_bytes(format!("&#x{:X};", u32::from(character)).as_bytes()),
            }
        }
    }

    /// A name of XML with its value as it may stand there: what has characters that XML cannot hold is there in hexadecimal,
    /// under another name.
    fn named_value(&mut self, name: &[u8], value: XmlValue) -> (Vec<u8>, String) {
        let legal = |one: char| matches!(one, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..);
        if value.text.chars().all(legal) {
            return (name.to_vec(), value.text);
        }
        self.code = if self.code == 0 { XML_ILLEGAL } else { self.code };
        let bytes = hexadecimal(&value.lying).into_iter().map(char::from).collect();
        ([b"hex.", name].concat(), bytes)
    }

    /// Puts an element of XML with its value.
    fn put_element(&mut self, name: &[u8], value: XmlValue, namespaces: &[u8]) {
        let (name, value) = self.named_value(name, value);
        self.put_tag(b"<", &name, namespaces);
        self.put_escaped(&value);
        self.put_tag(b"</", &name, b"");
    }

    fn put_attribute(&mut self, name: &[u8], value: XmlValue) {
        let (name, value) = self.named_value(name, value);
        [b" ", &name[..], b"=\""].into_iter().for_each(|part| self.put(part));
        self.put_escaped(&value);
        self.put(b"\"");
    }

    fn put_tag(&mut self, opening: &[u8], name: &[u8], behind: &[u8]) {
        self.begin_tag(opening, name);
        [behind, b">"].into_iter().for_each(|part| self.put(part));
    }

    fn begin_tag(&mut self, opening: &[u8], name: &[u8]) {
        let prefix = std::mem::take(&mut self.prefix);
        [opening, &prefix, name].into_iter().for_each(|part| self.put(part));
        self.prefix = prefix;
    }
}

impl Machine<'_> {
    pub(super) fn generate(&mut self, generate: &Generate, host: &mut dyn Host) -> Result<(), ProgramFault> {
        let into = self.stored_span(&generate.into)?;
        let mut writer = Writer {
            language: generate.language,
            text: Vec::new(),
            max: if generate.national { into.len() / 2 * UTF_8_MAX } else { into.len() },
            code: 0,
            utf8: generate.xml.utf8 || generate.national,
            prefix: Vec::new(),
        };
        let suppresses = generate.suppresses;
        match generate.language {
            Language::Json if generate.anonymous => {
                self.json_value(&generate.root, suppresses, &mut writer, host)?;
            }
            Language::Json => {
                writer.put_bytes(b"{");
                self.json(&generate.root, suppresses, &mut writer, host)?;
                writer.put_bytes(b"}");
            }
            Language::Xml => self.xml_document(generate, &mut writer, host)?,
        }
        let mut count = writer.text.len();
        if generate.national {
            count = writer.becomes_national(into.len() / 2);
        }
        self.task.put(into.start..into.start + writer.text.len(), &writer.text);
        self.set_slot(generate.code, writer.code);
        match &generate.count {
            Some(counter) => self.set_counter(counter, count as i64),
            None => Ok(()),
        }
    }

    // What is left out.

    /// Returns true if an element, or each occurrence of a table, is left out. A table without occurrences is not.
    fn is_left_out(&mut self, element: &Element, host: &mut dyn Host) -> Result<bool, ProgramFault> {
        let Some((slot, count)) = &element.table else { return self.is_value_left_out(element, host) };
        let count = self.integer(count)?;
        for number in 1..=count {
            self.set_slot(*slot, number);
            if !self.is_value_left_out(element, host)? {
                return Ok(false);
            }
        }
        Ok(count > 0)
    }

    /// The same of one occurrence; a group is left out whose parts are.
    fn is_value_left_out(&mut self, element: &Element, host: &mut dyn Host) -> Result<bool, ProgramFault> {
        for test in &element.left_out {
            if self.test(test)? {
                return Ok(true);
            }
        }
        let Content::Parts(parts) = &element.content else { return Ok(false) };
        self.may_go_on(host)?;
        for part in parts {
            if !self.is_left_out(part, host)? {
                return Ok(false);
            }
        }
        Ok(!parts.is_empty())
    }

    // JSON.

    /// A name with its value; of a table, with an array.
    fn json(
        &mut self,
        element: &Element,
        suppresses: bool,
        out: &mut Writer,
        host: &mut dyn Host,
    ) -> Result<(), ProgramFault> {
        out.put_string(element.name.iter().copied().map(char::from));
        out.put_bytes(b":");
        let Some((slot, count)) = &element.table else {
            return self.json_value(element, suppresses, out, host);
        };
        out.put_bytes(b"[");
        let mut written = false;
        for number in 1..=self.integer(count)? {
            if out.is_full() {
                return Ok(());
            }
            self.set_slot(*slot, number);
            if suppresses && self.is_value_left_out(element, host)? {
                continue;
            }
            if written {
                out.put_bytes(b",");
            }
            written = true;
            self.json_value(element, suppresses, out, host)?;
        }
        out.put_bytes(b"]");
        Ok(())
    }

    fn json_value(
        &mut self,
        element: &Element,
        suppresses: bool,
        out: &mut Writer,
        host: &mut dyn Host,
    ) -> Result<(), ProgramFault> {
        match &element.content {
            Content::Parts(parts) => {
                out.put_bytes(b"{");
                let mut written = false;
                for part in parts {
                    if suppresses && self.is_left_out(part, host)? {
                        continue;
                    }
                    if written {
                        out.put_bytes(b",");
                    }
                    written = true;
                    self.json(part, suppresses, out, host)?;
                }
                out.put_bytes(b"}");
            }
            Content::Number(number) => {
                let number = self.plain(number)?;
                out.put_bytes(&number);
            }
            Content::Truth(test) => {
                let truth = self.test(test)?;
                out.put_bytes(if truth { b"true" } else { b"false" });
            }
            Content::National(text) => out.put_string(self.national_value(text)?.text.chars()),
            content => {
                let characters = self.characters(content)?;
                out.put_string(characters.into_iter().map(char::from));
            }
        }
        self.may_go_on(host)
    }

    // XML.

    fn xml_document(
        &mut self,
        generate: &Generate,
        out: &mut Writer,
        host: &mut dyn Host,
    ) -> Result<(), ProgramFault> {
        let Some(namespaces) = self.namespaces(generate, out)? else { return Ok(()) };
        if generate.xml.declaration {
            let encoding: &[u8] = match (generate.national, generate.xml.utf8) {
                (true, _) => b"UTF-16",
                (false, true) => b"UTF-8",
                (false, false) => b"ISO-8859-1",
            };
            [b"<?xml version=\"1.0\" encoding=\"", encoding, b"\"?>"]
                .into_iter()
                .for_each(|part| out.put(part));
        }
        self.xml_element(&generate.root, &namespaces, generate.suppresses, out, host)
    }

    /// The outermost element's text about the namespace; `None` if its name or prefix cannot be one.
    fn namespaces(&mut self, generate: &Generate, out: &mut Writer) -> Result<Option<Vec<u8>>, ProgramFault> {
        let mut texts = Vec::new();
        for text in [&generate.xml.namespace, &generate.xml.prefix] {
            let text = match text {
                Some(text) => self.text(text, 1)?.trim_ascii_end().to_vec(),
                None => Vec::new(),
            };
            texts.push(text);
        }
        let (prefix, namespace) = (texts.pop().unwrap_or_default(), texts.pop().unwrap_or_default());
        let is_name = prefix.iter().enumerate().all(|(at, byte)| {
            byte.is_ascii_alphabetic()
                || matches!(byte, b'_' | 0xC0..)
                || (at > 0 && matches!(byte, b'0'..=b'9' | b'-' | b'.'))
        });
        if !is_name {
            out.code = XML_PREFIX;
            return Ok(None);
        }
        if namespace.iter().any(|byte| *byte < 0x20) {
            out.code = XML_NAMESPACE;
            return Ok(None);
        }
        if namespace.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let name = if prefix.is_empty() { b"xmlns".to_vec() } else { [b"xmlns:", &prefix[..]].concat() };
        out.prefix = if prefix.is_empty() { prefix } else { [&prefix[..], b":"].concat() };
        let value: Vec<u8> = namespace.iter().flat_map(|byte| escaped(byte).to_vec()).collect();
        Ok(Some([b" ", &name[..], b"=\"", &value[..], b"\""].concat()))
    }

    fn xml(
        &mut self,
        element: &Element,
        suppresses: bool,
        out: &mut Writer,
        host: &mut dyn Host,
    ) -> Result<(), ProgramFault> {
        let Some((slot, count)) = &element.table else {
            return self.xml_written(element, suppresses, out, host);
        };
        for number in 1..=self.integer(count)? {
            if out.is_full() {
                return Ok(());
            }
            self.set_slot(*slot, number);
            self.xml_written(element, suppresses, out, host)?;
        }
        Ok(())
    }

    /// An element, or characters in the one around it, unless it is left out.
    fn xml_written(
        &mut self,
        element: &Element,
        suppresses: bool,
        out: &mut Writer,
        host: &mut dyn Host,
    ) -> Result<(), ProgramFault> {
        if suppresses && self.is_value_left_out(element, host)? {
            return Ok(());
        }
        if element.written != Written::Content {
            return self.xml_element(element, b"", suppresses, out, host);
        }
        let value = self.xml_value(&element.content)?;
        let (_, value) = out.named_value(&element.name, value);
        out.put_escaped(&value);
        self.may_go_on(host)
    }

    fn xml_element(
        &mut self,
        element: &Element,
        namespaces: &[u8],
        suppresses: bool,
        out: &mut Writer,
        host: &mut dyn Host,
    ) -> Result<(), ProgramFault> {
        match &element.content {
            Content::Parts(parts) => {
                out.begin_tag(b"<", &element.name);
                out.put(namespaces);
                let is_attribute = |part: &&Element| part.written == Written::Attribute;
                for part in parts.iter().filter(is_attribute) {
                    if !(suppresses && self.is_value_left_out(part, host)?) {
                        let value = self.xml_value(&part.content)?;
                        out.put_attribute(&part.name, value);
                    }
                }
                out.put(b">");
                for part in parts.iter().filter(|part| !is_attribute(part)) {
                    self.xml(part, suppresses, out, host)?;
                }
                out.put_tag(b"</", &element.name, b"");
            }
            content => {
                let value = self.xml_value(content)?;
                out.put_element(&element.name, value, namespaces);
            }
        }
        self.may_go_on(host)
    }

    fn may_go_on(&self, host: &mut dyn Host) -> Result<(), ProgramFault> {
        if host.must_stop() { Err(ProgramFault::Stopped) } else { Ok(()) }
    }

    /// The value of an item as XML has it.
    fn xml_value(&mut self, content: &Content) -> Result<XmlValue, ProgramFault> {
        if let Content::National(text) = content {
            return self.national_value(text);
        }
        let lying = self.characters(content)?;
        Ok(XmlValue { text: lying.iter().copied().map(char::from).collect(), lying })
    }

    /// National characters without the spaces at the end, but for one.
    fn national_value(&mut self, text: &Text) -> Result<XmlValue, ProgramFault> {
        let lying = self.text(text, 1)?.into_owned();
        let units = lying.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        let all = char::decode_utf16(units).map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER));
        let mut text: String = all.collect();
        let kept = text.trim_end_matches(' ').len();
        text.truncate(kept.max(text.len().min(1)));
        Ok(XmlValue { text, lying })
    }

    /// The characters of an item: of a number as people write it, of text without the spaces at one end, but for one.
    fn characters(&mut self, content: &Content) -> Result<Vec<u8>, ProgramFault> {
        Ok(match content {
            // What has no characters of the program.
            Content::Parts(_) | Content::Truth(_) | Content::National(_) => Vec::new(),
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

/// A character as it stands in XML.
fn escaped(byte: &u8) -> &[u8] {
    match byte {
        b'&' => b"&amp;",
        b'<' => b"&lt;",
        b'>' => b"&gt;",
        b'"' => b"&quot;",
        b'\'' => b"&apos;",
        _ => std::slice::from_ref(byte),
    }
}
