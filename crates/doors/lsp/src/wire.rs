//! Messages on a stream: a header with the length, and JSON. A stream with garbage is read on behind the garbage.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

use crate::limits::{HEADER_MAX, MESSAGE_MAX, SKIPPED_MAX};

/// A piece of the stream.
#[derive(Debug, PartialEq)]
pub enum Incoming {
    /// A message.
    Message(Value),
    /// Something else, and what is wrong with it.
    Garbage(String),
}

/// Reads the next message; `None` at the end of the stream.
///
/// # Errors
/// The stream cannot be read.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let mut length: Option<u64> = None;
    loop {
        let Some(line) = header_line(input)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            if let Some(length) = length {
                return body(input, length).map(Some).or_else(ended);
            }
        } else if let Some(value) = content_length(text) {
            match value.parse() {
                Ok(value) if value <= SKIPPED_MAX => length = Some(value),
                _ => return Ok(Some(Incoming::Garbage(format!("a message has no length of {value}")))),
            }
        }
    }
}

fn ended(error: io::Error) -> io::Result<Option<Incoming>> {
    if error.kind() == io::ErrorKind::UnexpectedEof { Ok(None) } else { Err(error) }
}

/// The value of a header with the length; garbage may stand in front of it.
fn content_length(line: &str) -> Option<&str> {
    const NAME: &str = "content-length:";
    let at = line.to_ascii_lowercase().rfind(NAME)?;
    line.get(at + NAME.len()..).map(str::trim)
}

/// A line of a header; of one that is too long only its last part.
fn header_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    loop {
        let read = input.by_ref().take(HEADER_MAX as u64).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok((!line.is_empty()).then_some(line));
        }
        if line.ends_with(b"\n") {
            return Ok(Some(line));
        }
        let end = line.len();
        line.drain(..end.saturating_sub(HEADER_MAX));
    }
}

fn body(input: &mut impl BufRead, length: u64) -> io::Result<Incoming> {
    if length > MESSAGE_MAX as u64 {
        io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        return Ok(Incoming::Garbage(format!("a message of {length} bytes is longer than {MESSAGE_MAX}")));
    }
    let mut content = Vec::new();
    let read = input.by_ref().take(length).read_to_end(&mut content)?;
    if (read as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(match serde_json::from_slice(&content) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Garbage(format!("a message is no JSON: {error}")),
    })
}

/// Writes a message.
///
/// # Errors
/// The stream does not take it.
pub fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn all(bytes: &[u8]) -> Vec<Incoming> {
        let mut input = bytes;
        let mut all = Vec::new();
        while let Some(one) = read(&mut input).expect("memory can be read") {
            all.push(one);
        }
        all
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, &json!({"id": 1, "text": "\u{e9}"})).expect("memory takes it");
        assert_eq!(all(&bytes), [Incoming::Message(json!({"id": 1, "text": "\u{e9}"}))]);
    }

    #[test]
    fn garbage_is_passed_over() {
        let good = b"Content-Length: 2\r\n\r\n{}";
        for garbage in [
            &b"no header at all\r\n\r\n"[..],
            b"\xff\xfe\x00\r\n",
            b"Content-Length: many\r\n\r\n",
            b"Content-Length: 99999999999999999999\r\n\r\n",
            b"Content-Length: 3\r\n\r\n{{{",
            b"Content-Length: 4\r\n\r\n\"\xff\xff\"",
            b"Content-Length: 2\r\nX: y\r\n\r\n[,",
            &vec![b'x'; 3 * HEADER_MAX],
        ] {
            let bytes = [garbage, good].concat();
            let read = all(&bytes);
            assert_eq!(read.last(), Some(&Incoming::Message(json!({}))), "{garbage:?}");
        }
    }

    #[test]
    fn a_message_that_is_too_long_is_skipped() {
        let mut bytes = format!("Content-Length: {}\r\n\r\n", MESSAGE_MAX + 1).into_bytes();
        bytes.resize(bytes.len() + MESSAGE_MAX + 1, b'x');
        bytes.extend(b"Content-Length: 2\r\n\r\n{}");
        let read = all(&bytes);
        assert!(matches!(&read[..], [Incoming::Garbage(_), Incoming::Message(_)]));
    }

    #[test]
    fn a_stream_that_ends_within_a_message_ends() {
        assert_eq!(all(b"Content-Length: 20\r\n\r\n{}"), []);
        assert_eq!(all(b"Content-Le"), []);
    }
}
