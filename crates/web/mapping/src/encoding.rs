//! The bytes of an XML message as UTF-8. The transport's character set goes before a byte order mark, that before the
//! declaration, and UTF-8 is the default.

use std::borrow::Cow;

use crate::fault::{FaultKind, MappingFault};

/// A character set that messages may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Charset {
    Utf8,
    Utf16 { big: bool },
    Latin1,
    Ascii,
}

/// The text of a message.
///
/// # Errors
/// A character set that is not supported, names that contradict each other, or bytes that are not text of it.
pub fn text<'a>(bytes: &'a [u8], transport: Option<&str>) -> Result<Cow<'a, str>, MappingFault> {
    let (mark, rest) = mark(bytes);
    let told = transport.map(|name| named(name, mark)).transpose()?;
    if let (Some(told), Some(mark)) = (told, mark)
        && told != mark
    {
        return Err(contradiction());
    }
    let found = told.or(mark);
    let declared = match found {
        Some(Charset::Utf16 { .. }) => None,
        _ => declared(rest),
    };
    let charset = match declared.map(|name| named(&name, None)).transpose()? {
        None => found.unwrap_or(Charset::Utf8),
        // Without a mark these would be two bytes a character, and the declaration could not be read.
        Some(Charset::Utf16 { .. }) => return Err(contradiction()),
        Some(declared) => match found {
            // The transport knows better, as RFC 7303 says; but a message that says two things of itself is refused.
            Some(found) if found != declared && !within(declared, found) => return Err(contradiction()),
            Some(found) => found,
            None => declared,
        },
    };
    let text = decode(rest, charset)?;
    checked(&text)?;
    Ok(text)
}

/// US-ASCII is a part of both others.
fn within(declared: Charset, found: Charset) -> bool {
    declared == Charset::Ascii && found != Charset::Ascii
}

fn contradiction() -> MappingFault {
    MappingFault::new(FaultKind::UnsupportedCharset, "the message says two things of its character set")
}

fn mark(bytes: &[u8]) -> (Option<Charset>, &[u8]) {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => (Some(Charset::Utf8), rest),
        [0xFE, 0xFF, rest @ ..] => (Some(Charset::Utf16 { big: true }), rest),
        [0xFF, 0xFE, rest @ ..] => (Some(Charset::Utf16 { big: false }), rest),
        _ => (None, bytes),
    }
}

fn named(name: &str, mark: Option<Charset>) -> Result<Charset, MappingFault> {
    let upper = name.to_ascii_uppercase();
    Ok(match upper.as_str() {
        "UTF-8" | "UTF8" => Charset::Utf8,
        "UTF-16" => match mark {
            Some(Charset::Utf16 { big }) => Charset::Utf16 { big },
            // Big-endian where no mark says anything: RFC 2781, 4.3.
            _ => Charset::Utf16 { big: true },
        },
        "UTF-16BE" => Charset::Utf16 { big: true },
        "UTF-16LE" => Charset::Utf16 { big: false },
        "ISO-8859-1" | "LATIN1" | "ISO_8859-1" => Charset::Latin1,
        "US-ASCII" | "ASCII" => Charset::Ascii,
        _ => {
            let problem = format!("{name:?} is not supported: use UTF-8, UTF-16, ISO-8859-1 or US-ASCII");
            return Err(MappingFault::new(FaultKind::UnsupportedCharset, problem));
        }
    })
}

/// The encoding that a declaration at the very beginning names.
fn declared(bytes: &[u8]) -> Option<String> {
    const DECLARATION_MAX: usize = 200;
    let rest = bytes.strip_prefix(b"<?xml")?;
    let rest = &rest[..rest.len().min(DECLARATION_MAX)];
    let end = memchr::memmem::find(rest, b"?>")?;
    let declaration = std::str::from_utf8(&rest[..end]).ok()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (name, _) = value[1..].split_once(quote)?;
    Some(name.to_owned())
}

fn decode(bytes: &[u8], charset: Charset) -> Result<Cow<'_, str>, MappingFault> {
    let bad = |what: &str| MappingFault::new(FaultKind::InvalidUnicode, format!("the message is no {what}"));
    match charset {
        Charset::Utf8 => std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| bad("UTF-8")),
        Charset::Ascii if bytes.is_ascii() => {
            std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| bad("US-ASCII"))
        }
        Charset::Ascii => Err(bad("US-ASCII")),
        Charset::Latin1 => Ok(Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect())),
        Charset::Utf16 { big } => {
            let (pairs, rest) = bytes.as_chunks::<2>();
            let units = pairs
                .iter()
                .map(|pair| if big { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) });
            let text: Result<String, _> = char::decode_utf16(units).collect();
            match text {
                Ok(text) if rest.is_empty() => Ok(Cow::Owned(text)),
                _ => Err(bad("UTF-16")),
            }
        }
    }
}

/// Refuses controls but tab, LF and CR, and the two noncharacters: XML 1.0, 2.2.
fn checked(text: &str) -> Result<(), MappingFault> {
    // Without a branch, so that the machine looks at many bytes at a time.
    let is_control = |byte: u8| (byte < b' ') & (byte != b'\t') & (byte != b'\n') & (byte != b'\r');
    let has_control = text.bytes().fold(false, |has, byte| has | is_control(byte));
    let is_none = || {
        memchr::memmem::find(text.as_bytes(), &[0xEF, 0xBF]).is_some()
            && text.contains(['\u{FFFE}', '\u{FFFF}'])
    };
    if has_control || is_none() {
        return Err(MappingFault::new(
            FaultKind::InvalidUnicode,
            "the message has characters that XML does not allow",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn transport_mark_and_declaration_name_the_encoding_in_this_order() {
        let latin = b"<?xml version=\"1.0\" encoding='ISO-8859-1'?><a>\xE9</a>";
        assert!(text(latin, None).expect("text").ends_with("<a>é</a>"));
        assert!(text(latin, Some("iso-8859-1")).is_ok());
        assert_eq!(
            text(latin, Some("utf-8")).map_err(|fault| fault.kind),
            Err(FaultKind::UnsupportedCharset)
        );
        assert_eq!(text(b"<a>\xE9</a>", Some("ISO-8859-1")).as_deref(), Ok("<a>é</a>"));
        for big in [true, false] {
            assert_eq!(text(&utf16("<a>é</a>", big), None).as_deref(), Ok("<a>é</a>"));
            assert_eq!(text(&utf16("<a/>", big), Some("UTF-16")).as_deref(), Ok("<a/>"));
            assert!(text(&utf16("<a/>", big), Some("UTF-8")).is_err());
        }
        assert_eq!(text(b"\xEF\xBB\xBF<a/>", None).as_deref(), Ok("<a/>"));
        assert!(text(b"<?xml version='1.0' encoding='US-ASCII'?><a/>", Some("UTF-8")).is_ok());
    }

    #[test]
    fn what_is_no_text_is_a_fault() {
        for (bytes, transport, kind) in [
            (b"<a>\xE9</a>".as_slice(), None, FaultKind::InvalidUnicode),
            (b"<a>\xC0\x80</a>", None, FaultKind::InvalidUnicode),
            (b"<a>\xED\xA0\x80</a>", None, FaultKind::InvalidUnicode),
            (b"<a>\xEF\xBF\xBE</a>", None, FaultKind::InvalidUnicode),
            (b"<a>\x01</a>", None, FaultKind::InvalidUnicode),
            (b"<a>\0</a>", Some("ISO-8859-1"), FaultKind::InvalidUnicode),
            (b"\xFE\xFF\x00", None, FaultKind::InvalidUnicode),
            (b"\xFE\xFF\xD8\x00", None, FaultKind::InvalidUnicode),
            (b"<a/>", Some("EBCDIC-CP-US"), FaultKind::UnsupportedCharset),
            (b"<?xml version='1.0' encoding='UTF-7'?><a/>", None, FaultKind::UnsupportedCharset),
            (b"<?xml version='1.0' encoding='UTF-16'?><a/>", None, FaultKind::UnsupportedCharset),
        ] {
            assert_eq!(text(bytes, transport).map_err(|fault| fault.kind), Err(kind), "{bytes:?}");
        }
    }
}
