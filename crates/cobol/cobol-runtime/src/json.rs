//! JSON as it is read: a text in UTF-8 as events, one after the other, and what is wrong with it.
//!
//! The grammar is RFC 8259's, and nothing else is taken. Reading needs no more memory than the deepest nesting takes.

/// Objects and arrays within each other, at most.
pub const NESTING_MAX: usize = 512;

/// The next part of the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event<'t> {
    /// An object begins.
    Object,
    /// It ends.
    EndObject,
    /// An array begins.
    Array,
    /// It ends.
    EndArray,
    /// A name within an object; its value comes next.
    Name(String),
    /// A string.
    Text(String),
    /// A number, as it is written.
    Number(&'t [u8]),
    /// True or false.
    Truth(bool),
    /// Null.
    Null,
}

/// The reason why a text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It is empty, or nothing but blanks.
    Empty,
    /// It is no JSON from this byte on.
    Invalid(usize),
    /// Objects and arrays lie too deep within each other.
    TooDeep,
    /// More text comes after its end.
    Behind(usize),
}

/// The parts that may come at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// A value.
    Value,
    /// The first value of an array, or its end.
    First,
    /// The first name of an object, or its end.
    FirstName,
    /// The sign that separates two parts, or ends the object or array around them.
    Next,
    /// Nothing any more.
    End,
}

/// A text that is being read.
pub struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    /// For each open object or array, true if it is an object.
    open: Vec<bool>,
    expected: Expected,
}

impl<'t> Reader<'t> {
    /// A text at its beginning.
    pub fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0, open: Vec::new(), expected: Expected::Value }
    }

    /// Returns the position: the number of bytes before the next part.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns the next event; `None` after the last one.
    ///
    /// # Errors
    /// The text is no JSON.
    pub fn next_event(&mut self) -> Result<Option<Event<'t>>, Wrong> {
        self.skip_blanks();
        match self.expected {
            Expected::End if self.at < self.text.len() => Err(Wrong::Behind(self.at)),
            Expected::End => Ok(None),
            Expected::Value if self.open.is_empty() && self.at == self.text.len() => Err(Wrong::Empty),
            Expected::Value => self.value().map(Some),
            Expected::First if self.peek() == Some(b']') => self.close(Event::EndArray).map(Some),
            Expected::First => self.value().map(Some),
            Expected::FirstName if self.peek() == Some(b'}') => self.close(Event::EndObject).map(Some),
            Expected::FirstName => self.name().map(Some),
            Expected::Next => self.behind_value().map(Some),
        }
    }

    fn behind_value(&mut self) -> Result<Event<'t>, Wrong> {
        match (self.peek(), self.open.last()) {
            (Some(b','), Some(object)) => {
                let object = *object;
                self.at += 1;
                self.skip_blanks();
                if object { self.name() } else { self.value() }
            }
            (Some(b']'), Some(false)) => self.close(Event::EndArray),
            (Some(b'}'), Some(true)) => self.close(Event::EndObject),
            _ => Err(self.invalid()),
        }
    }

    fn close(&mut self, event: Event<'t>) -> Result<Event<'t>, Wrong> {
        self.at += 1;
        self.open.pop();
        self.value_is_over();
        Ok(event)
    }

    fn value_is_over(&mut self) {
        self.expected = if self.open.is_empty() { Expected::End } else { Expected::Next };
    }

    fn name(&mut self) -> Result<Event<'t>, Wrong> {
        if self.peek() != Some(b'"') {
            return Err(self.invalid());
        }
        let name = self.string()?;
        self.skip_blanks();
        self.byte(b':')?;
        self.expected = Expected::Value;
        Ok(Event::Name(name))
    }

    fn value(&mut self) -> Result<Event<'t>, Wrong> {
        match self.peek() {
            Some(b'{') => self.begin(true, Expected::FirstName, Event::Object),
            Some(b'[') => self.begin(false, Expected::First, Event::Array),
            Some(b'"') => {
                let text = self.string()?;
                self.value_is_over();
                Ok(Event::Text(text))
            }
            Some(b'-' | b'0'..=b'9') => {
                let number = self.number()?;
                self.value_is_over();
                Ok(Event::Number(number))
            }
            _ => self.word(),
        }
    }

    fn begin(&mut self, object: bool, expected: Expected, event: Event<'t>) -> Result<Event<'t>, Wrong> {
        if self.open.len() >= NESTING_MAX {
            return Err(Wrong::TooDeep);
        }
        self.at += 1;
        self.open.push(object);
        self.expected = expected;
        Ok(event)
    }

    fn word(&mut self) -> Result<Event<'t>, Wrong> {
        let words: [(&[u8], Event<'t>); 3] =
            [(b"true", Event::Truth(true)), (b"false", Event::Truth(false)), (b"null", Event::Null)];
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some((word, event)) = words.into_iter().find(|(word, _)| rest.starts_with(word)) else {
            return Err(self.invalid());
        };
        self.at += word.len();
        self.value_is_over();
        Ok(event)
    }

    fn number(&mut self) -> Result<&'t [u8], Wrong> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> Result<(), Wrong> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.invalid());
        }
        self.at += count;
        Ok(())
    }

    fn string(&mut self) -> Result<String, Wrong> {
        self.byte(b'"')?;
        let mut characters = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count();
            let piece = std::str::from_utf8(&rest[..plain])
                .map_err(|error| Wrong::Invalid(self.at + error.valid_up_to()))?;
            characters.push_str(piece);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(characters);
                }
                Some(b'\\') => characters.push(self.escaped()?),
                _ => return Err(self.invalid()),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, Wrong> {
        self.at += 1;
        let character = match self.peek() {
            Some(own @ (b'"' | b'\\' | b'/')) => char::from(own),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.by_number(),
            _ => return Err(self.invalid()),
        };
        self.at += 1;
        Ok(character)
    }

    /// A character by its number, or by two of UTF-16.
    fn by_number(&mut self) -> Result<char, Wrong> {
        let start = self.at;
        let first = self.unit()?;
        let mut units = vec![first];
        if (0xD800..0xDC00).contains(&first) {
            self.byte(b'\\')?;
            units.push(self.unit()?);
        }
        match char::decode_utf16(units).next() {
            Some(Ok(character)) => Ok(character),
            _ => Err(Wrong::Invalid(start)),
        }
    }

    fn unit(&mut self) -> Result<u16, Wrong> {
        self.byte(b'u')?;
        let mut value: u16 = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else { return Err(self.invalid()) };
            value = value << 4 | digit as u16;
            self.at += 1;
        }
        Ok(value)
    }

    fn byte(&mut self, wanted: u8) -> Result<(), Wrong> {
        if self.peek() != Some(wanted) {
            return Err(self.invalid());
        }
        self.at += 1;
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn invalid(&self) -> Wrong {
        Wrong::Invalid(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &[u8]) -> Result<Vec<String>, Wrong> {
        let (mut reader, mut events) = (Reader::new(text), Vec::new());
        while let Some(event) = reader.next_event()? {
            events.push(format!("{event:?}"));
        }
        Ok(events)
    }

    #[test]
    fn values_of_all_kinds() {
        let text = r#" {"a":[1,-0.5e+3,true,null,[]],"b\u00e9\ud83d\ude00":{}} "#;
        let expected = "Object Name(\"a\") Array Number([49]) Number([45, 48, 46, 53, 101, 43, 51]) Truth(true) Null Array EndArray \
                        EndArray Name(\"bé😀\") Object EndObject EndObject";
        assert_eq!(events(text.as_bytes()).map(|events| events.join(" ")), Ok(expected.to_owned()));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, wrong) in [
            ("", Wrong::Empty),
            (" \n", Wrong::Empty),
            ("{} x", Wrong::Behind(3)),
            ("{\"a\":01}", Wrong::Invalid(6)),
            ("{\"a\":1,}", Wrong::Invalid(7)),
            ("[1 2]", Wrong::Invalid(3)),
            ("[1}", Wrong::Invalid(2)),
            ("{\"a\" 1}", Wrong::Invalid(5)),
            ("[.5]", Wrong::Invalid(1)),
            ("[1.]", Wrong::Invalid(3)),
            ("[\"\t\"]", Wrong::Invalid(2)),
            ("[\"\\x\"]", Wrong::Invalid(3)),
            ("[\"\\ud83d\"]", Wrong::Invalid(8)),
            ("[\"", Wrong::Invalid(2)),
            ("[nul]", Wrong::Invalid(1)),
            ("[", Wrong::Invalid(1)),
        ] {
            assert_eq!(events(text.as_bytes()), Err(wrong), "{text}");
        }
        assert_eq!(events(b"[\"a\xFF\"]"), Err(Wrong::Invalid(3)));
    }

    #[test]
    fn depth_has_a_limit() {
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(events(deep(NESTING_MAX).as_bytes()).map(|events| events.len()), Ok(2 * NESTING_MAX));
        assert_eq!(events(deep(NESTING_MAX + 1).as_bytes()), Err(Wrong::TooDeep));
    }
}
