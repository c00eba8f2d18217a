//! Heads as bytes. Nothing that is written can become two headers or two messages: [`Fields`] takes no line ends.

use crate::fields::{Fields, is_text, is_token};
use crate::status;
use crate::version::Version;

/// Writes a status line. A missing phrase, or one that a status line cannot hold, becomes the usual one.
pub fn status_line(version: Version, status: u16, phrase: Option<&[u8]>, into: &mut Vec<u8>) {
    into.extend_from_slice(version.text().as_bytes());
    into.extend_from_slice(format!(" {status:03} ").as_bytes());
    let given = phrase.filter(|phrase| is_text(phrase));
    into.extend_from_slice(given.unwrap_or_else(|| status::phrase(status).as_bytes()));
    into.extend_from_slice(b"\r\n");
}

/// Writes a request line.
///
/// # Errors
/// A method that is not a token, or a target that has blanks, control characters or bytes that are not ASCII.
pub fn request_line(method: &str, target: &str, into: &mut Vec<u8>) -> Result<(), crate::Refusal> {
    if !is_token(method.as_bytes()) {
        return Err(crate::Refusal::Method);
    }
    if target.is_empty() || !target.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(crate::Refusal::Target);
    }
    for part in [method, " ", target, " HTTP/1.1\r\n"] {
        into.extend_from_slice(part.as_bytes());
    }
    Ok(())
}

/// Writes headers, without the empty line after them.
pub fn fields(fields: &Fields, into: &mut Vec<u8>) {
    for (name, value) in fields.iter() {
        field(name, value, into);
    }
}

/// Writes one header of ours, whose value is known to have no line ends.
pub fn field(name: &[u8], value: &[u8], into: &mut Vec<u8>) {
    into.extend_from_slice(name);
    into.extend_from_slice(b": ");
    into.extend_from_slice(value);
    into.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_of_the_application_goes_out_as_given_and_never_splits_the_head() {
        let line = |phrase: Option<&str>| {
            let mut bytes = Vec::new();
            status_line(Version::Http11, 200, phrase.map(str::as_bytes), &mut bytes);
            String::from_utf8(bytes).expect("text")
        };
        assert_eq!(line(Some("KEY=0017")), "HTTP/1.1 200 KEY=0017\r\n");
        assert_eq!(line(Some("a\r\nX: y")), "HTTP/1.1 200 OK\r\n");
        assert_eq!(line(None), "HTTP/1.1 200 OK\r\n");
    }

    #[test]
    fn a_request_line_has_one_target() {
        let mut bytes = Vec::new();
        assert!(request_line("GET", "/a b", &mut bytes).is_err());
        assert!(request_line("G T", "/", &mut bytes).is_err());
        assert!(bytes.is_empty());
        request_line("GET", "/a?b", &mut bytes).expect("it is one");
        assert_eq!(bytes, b"GET /a?b HTTP/1.1\r\n");
    }
}
