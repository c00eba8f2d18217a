//! XML PARSE: a document as events, one after the other, in segments as they come.
//!
//! Bytes are characters of a code page that has ASCII's, or UTF-8: they come out as they lie. What is not read: the internal
//! subset of a document type declaration, entities besides the five of XML, and without UTF-8 references to characters beyond one
//! byte.

use std::collections::VecDeque;

mod names;
mod scan;

use names::Names;
use scan::{Reading, Scan};

/// Bytes of a document, or of the rest of one and its next segment, at most.
pub const DOCUMENT_MAX: usize = 4 << 20;
/// Bytes of the text of an event, at most: longer content comes in pieces, whatever else is longer cannot be read.
pub const TEXT_MAX: usize = 16 << 10;
/// The mark with which UTF-8 may begin.
const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();
/// Elements within each other, at most.
const DEPTH_MAX: usize = 1000;

/// An event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// XML-EVENT.
    pub kind: &'static str,
    /// XML-TEXT.
    pub text: Vec<u8>,
    /// XML-NAMESPACE.
    pub namespace: Vec<u8>,
    /// XML-NAMESPACE-PREFIX.
    pub prefix: Vec<u8>,
}

/// The next part of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// An event.
    Event(Event),
    /// The text ends within the document: another segment, or it is not well formed.
    EndOfInput,
    /// The document was read to its end.
    Ended,
    /// It is not well formed, or has something that is not read here.
    Malformed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Prolog,
    Content,
    Cdata,
    Epilog,
    Ended,
}

/// A document that is being read.
#[derive(Clone, Debug)]
pub struct Reader {
    text: Vec<u8>,
    at: usize,
    state: State,
    /// XMLPARSE(COMPAT): names with their prefixes, characters of references by themselves.
    compatible: bool,
    /// The text is UTF-8: references are characters of it, and no event ends within one.
    utf8: bool,
    open: Vec<Vec<u8>>,
    names: Names,
    events: VecDeque<Event>,
    asked: bool,
}

impl Reader {
    /// Makes a reader of a document; `None` if it is too long.
    pub fn new(text: &[u8], compatible: bool) -> Option<Self> {
        (text.len() <= DOCUMENT_MAX).then(|| Self {
            text: text.to_vec(),
            at: 0,
            state: State::Start,
            compatible,
            utf8: false,
            open: Vec::new(),
            names: Names::default(),
            events: VecDeque::new(),
            asked: false,
        })
    }

    /// A document in UTF-8; `None` if it is too long, or is not UTF-8.
    pub fn of_utf8(text: &[u8]) -> Option<Self> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        // The last character may go on in the next segment.
        let is_valid = std::str::from_utf8(text).err().is_none_or(|error| error.error_len().is_none());
        Self::new(text, false).filter(|_| is_valid).map(|reader| Self { utf8: true, ..reader })
    }

    /// The next segment; false if there is too much of it.
    pub fn more(&mut self, text: &[u8]) -> bool {
        self.text.drain(..self.at);
        self.at = 0;
        self.asked = false;
        let fits = self.text.len() + text.len() <= DOCUMENT_MAX;
        if fits {
            self.text.extend_from_slice(text);
        }
        fits
    }

    /// Reads the next part.
    pub fn read(&mut self) -> Next {
        loop {
            if let Some(event) = self.events.pop_front() {
                let longest = event.text.len().max(event.namespace.len()).max(event.prefix.len());
                return if longest > TEXT_MAX { Next::Malformed } else { Next::Event(event) };
            }
            let outcome = match self.state {
                State::Start => self.start(),
                State::Prolog | State::Epilog => self.outside(),
                State::Content => self.content(),
                State::Cdata => self.cdata(),
                State::Ended => return Next::Ended,
            };
            match outcome {
                Some(()) => {}
                None if self.asked || !self.events.is_empty() => return Next::Malformed,
                None if self.is_cut() => {
                    self.asked = true;
                    return Next::EndOfInput;
                }
                None => return Next::Malformed,
            }
        }
    }

    /// Returns true if the unreadable text might go on after the end of the text at hand.
    fn is_cut(&self) -> bool {
        let mut scan = Scan::new(&self.text[self.at..]);
        scan.spaces();
        match self.state {
            State::Content | State::Cdata => !scan.rest().starts_with(b"<") || scan.is_open_markup(),
            _ => scan.is_at_end() || scan.is_open_markup(),
        }
    }

    /// As XMLPARSE(COMPAT), and in UTF-8.
    fn manner(&self) -> (bool, bool) {
        (self.compatible, self.utf8)
    }

    fn push(&mut self, kind: &'static str, text: &[u8]) {
        self.events.push_back(Event { kind, text: text.to_vec(), ..Event::default() });
    }

    /// The beginning, and the XML declaration.
    fn start(&mut self) -> Option<()> {
        let mut scan = Scan::new(&self.text);
        let declaration =
            match scan.take(b"<?xml") && scan.rest().first().is_some_and(u8::is_ascii_whitespace) {
                true => Some(scan.until(b"?>")?.to_vec()),
                false => None,
            };
        let end = declaration.is_some().then(|| scan.place());
        // In the older form the text is the whole document, as far as the register holds it.
        let all =
            if self.compatible { self.text[..self.text.len().min(TEXT_MAX)].to_vec() } else { Vec::new() };
        self.push("START-OF-DOCUMENT", &all);
        if let Some(declaration) = declaration {
            self.declaration(&declaration)?;
        }
        self.at = end.unwrap_or(0);
        self.state = State::Prolog;
        Some(())
    }

    fn declaration(&mut self, text: &[u8]) -> Option<()> {
        const PARTS: [(&[u8], &str); 3] = [
            (b"version", "VERSION-INFORMATION"),
            (b"encoding", "ENCODING-DECLARATION"),
            (b"standalone", "STANDALONE-DECLARATION"),
        ];
        let mut scan = Scan::new(text);
        let mut known = PARTS.iter();
        while let Some((name, value)) = scan.attribute()? {
            let (_, kind) = known.find(|(own, _)| *own == name)?;
            self.push(kind, value);
        }
        (known.len() < PARTS.len()).then_some(())
    }

    /// Reads the parts before the root and after it: comments, processing instructions, the document type.
    fn outside(&mut self) -> Option<()> {
        let mut scan = Scan::new(&self.text[self.at..]);
        scan.spaces();
        if scan.is_at_end() && self.state == State::Epilog {
            self.push("END-OF-DOCUMENT", b"");
            self.state = State::Ended;
            return Some(());
        }
        let skipped = scan.place();
        if scan.take(b"<!DOCTYPE") && self.state == State::Prolog {
            let inner = scan.until(b">")?.to_vec();
            let mut parts = Scan::new(&inner);
            parts.spaces();
            let name = parts.name()?.to_vec();
            if inner.contains(&b'[') {
                return None;
            }
            let whole = self.text[self.at + skipped..self.at + scan.place()].to_vec();
            let length = scan.place();
            self.push("DOCUMENT-TYPE-DECLARATION", if self.compatible { &whole } else { &name });
            self.at += length;
            return Some(());
        }
        self.at += skipped;
        let outcome = self.aside().or_else(|| (self.state == State::Prolog).then(|| self.start_tag())?);
        if outcome.is_none() {
            self.at -= skipped;
        }
        outcome
    }

    /// A comment or a processing instruction.
    fn aside(&mut self) -> Option<()> {
        let mut scan = Scan::new(&self.text[self.at..]);
        if scan.take(b"<!--") {
            let text = scan.until(b"--")?.to_vec();
            scan.take(b">").then_some(())?;
            let length = scan.place();
            self.push("COMMENT", &text);
            self.at += length;
            return Some(());
        }
        scan.take(b"<?").then_some(())?;
        let target = scan.name()?.to_vec();
        (!target.eq_ignore_ascii_case(b"xml")).then_some(())?;
        let mut data = Scan::new(scan.until(b"?>")?);
        let length = scan.place();
        data.spaces();
        let data = data.rest().to_vec();
        self.push("PROCESSING-INSTRUCTION-TARGET", &target);
        if !data.is_empty() {
            self.push("PROCESSING-INSTRUCTION-DATA", &data);
        }
        self.at += length;
        Some(())
    }

    fn start_tag(&mut self) -> Option<()> {
        let mut scan = Scan::new(&self.text[self.at..]);
        scan.take(b"<").then_some(())?;
        let name = scan.name()?.to_vec();
        let mut attributes = Vec::new();
        while let Some((name, value)) = scan.attribute()? {
            attributes.push((name.to_vec(), scan::attribute_value(value, self.manner())?));
        }
        let empty = scan.take(b"/");
        scan.take(b">").then_some(())?;
        let length = scan.place();
        (self.open.len() < DEPTH_MAX).then_some(())?;
        let events = match self.compatible {
            true => names::plain(&name, attributes)?,
            false => self.names.enter(&name, attributes)?,
        };
        self.events.extend(events);
        self.open.push(name);
        self.state = State::Content;
        self.at += length;
        if empty {
            self.close();
        }
        Some(())
    }

    /// The innermost element ends.
    fn close(&mut self) {
        let Some(name) = self.open.pop() else { return };
        if self.compatible {
            self.push("END-OF-ELEMENT", &name);
        } else {
            let event = self.names.leave(&name);
            self.events.push_back(event);
        }
        if self.open.is_empty() {
            self.state = State::Epilog;
        }
    }

    fn content(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        if rest.starts_with(b"</") {
            let mut scan = Scan::new(rest);
            scan.take(b"</");
            let name = scan.name()?;
            (self.open.last().map(Vec::as_slice) == Some(name)).then_some(())?;
            scan.spaces();
            scan.take(b">").then_some(())?;
            self.at += scan.place();
            self.close();
            return Some(());
        }
        if rest.starts_with(b"<![CDATA[") {
            self.at += b"<![CDATA[".len();
            self.push("START-OF-CDATA-SECTION", if self.compatible { b"<![CDATA[" } else { b"" });
            self.state = State::Cdata;
            return Some(());
        }
        if rest.starts_with(b"<") {
            return self.aside().or_else(|| self.start_tag());
        }
        let Reading { length, text, single } = scan::characters(rest, self.manner())?;
        self.push(if single { "CONTENT-CHARACTER" } else { "CONTENT-CHARACTERS" }, &text);
        self.at += length;
        Some(())
    }

    fn cdata(&mut self) -> Option<()> {
        const END: &[u8] = b"]]>";
        let rest = &self.text[self.at..];
        if rest.starts_with(END) {
            self.at += END.len();
            self.push("END-OF-CDATA-SECTION", if self.compatible { END } else { b"" });
            self.state = State::Content;
            return Some(());
        }
        let length = scan::cdata_length(rest, self.utf8)?;
        let text = scan::with_line_feeds(&rest[..length]);
        self.at += length;
        self.push("CONTENT-CHARACTERS", &text);
        Some(())
    }
}

#[cfg(test)]
mod tests;
