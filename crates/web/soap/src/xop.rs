//! XOP: bytes of a message that are beside it, as attachments, and not in it as base64.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mapping::xml::{Reader, Token};
use mapping::{FaultKind, MappingFault};

/// The namespace of the element in the place of bytes.
const NAMESPACE: &str = "http://www.w3.org/2004/08/xop/include";

/// An attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its identifier, without brackets.
    pub id: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A message with its attachments in it as base64. Each may be used in one place only, so that none makes a message
/// large.
///
/// # Errors
/// The message is not well formed, or names an attachment that is not there, or was used already.
pub fn included(text: &str, mut attachments: Vec<Attachment>) -> Result<String, MappingFault> {
    let wrong = |what: String| MappingFault::new(FaultKind::UnexpectedContent, what);
    let mut reader = Reader::new(text)?;
    let (mut whole, mut copied) = (String::with_capacity(text.len()), 0);
    loop {
        let before = reader.at();
        match reader.token()? {
            Token::Start(start) if start.is(NAMESPACE, "Include") => {
                let href = start.attribute("", "href").unwrap_or_default();
                let id = href.strip_prefix("cid:").map(decoded);
                let id = id.ok_or_else(|| wrong(format!("'{href}' names no attachment")))?;
                let found = attachments.iter().position(|it| it.id == id);
                let found = found.ok_or_else(|| {
                    wrong(format!("attachment '{id}' is not there, or stands twice in the message"))
                })?;
                let attachment = attachments.swap_remove(found);
                reader.skip_element()?;
                whole.push_str(&text[copied..before]);
                STANDARD.encode_string(attachment.bytes, &mut whole);
                copied = reader.at();
            }
            Token::Eof => break,
            _ => {}
        }
    }
    whole.push_str(&text[copied..]);
    Ok(whole)
}

/// An identifier as a URL has it.
fn decoded(text: &str) -> String {
    let bytes = http::percent::decode(text.as_bytes()).unwrap_or_else(|_| text.as_bytes().to_vec());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A message with the content of elements of these names put beside it, if it is base64 as XOP wants it; at most `most`
/// attachments.
///
/// # Errors
/// The message is not well formed.
pub fn extracted(
    text: &str,
    names: &BTreeSet<String>,
    domain: &str,
    most: usize,
) -> Result<(String, Vec<Attachment>), MappingFault> {
    let mut reader = Reader::new(text)?;
    let (mut whole, mut copied) = (String::with_capacity(text.len()), 0);
    let mut attachments = Vec::new();
    loop {
        let Token::Start(start) = ({
            match reader.token()? {
                Token::Eof => break,
                token => token,
            }
        }) else {
            continue;
        };
        if attachments.len() == most || !names.contains(start.local) {
            continue;
        }
        let begin = reader.at();
        let Ok(content) = reader.clone().element_text() else { continue };
        let Some(bytes) = bytes(&content).filter(|_| text[begin..].starts_with(&*content)) else { continue };
        let id = format!("attachment{}@{domain}", attachments.len() + 1);
        whole.push_str(&text[copied..begin]);
        whole.push_str(&format!("<xop:Include xmlns:xop=\"{NAMESPACE}\" href=\"cid:{id}\"/>"));
        copied = begin + content.len();
        attachments.push(Attachment { id, bytes });
    }
    whole.push_str(&text[copied..]);
    Ok((whole, attachments))
}

/// The bytes of a part in base64, whose lines may be broken.
///
/// # Errors
/// It is not base64.
pub fn base64(text: &[u8]) -> Result<Vec<u8>, MappingFault> {
    let text: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    STANDARD
        .decode(text)
        .map_err(|why| MappingFault::new(FaultKind::InvalidBase64, format!("this is no base64: {why}")))
}

/// The bytes of base64 that is written in its one canonical form; `None` for an empty text.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(text).ok().filter(|bytes| !bytes.is_empty())?;
    (STANDARD.encode(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attachment(id: &str, bytes: &[u8]) -> Attachment {
        Attachment { id: id.to_owned(), bytes: bytes.to_vec() }
    }

    #[test]
    fn bytes_go_out_of_a_message_and_into_it_again() {
        let text = "<?xml version=\"1.0\"?><a><!-- b --><b>AAEC</b><c>AAEC</c><b>no base64</b><b/><b>\n AAEC</b></a>";
        let names = BTreeSet::from([String::from("b")]);
        let (without, attachments) = extracted(text, &names, "here", 9).expect("a message");
        assert_eq!(attachments, [attachment("attachment1@here", &[0, 1, 2])]);
        assert_eq!(without.matches("xop:Include").count(), 1);
        assert_eq!(included(&without, attachments).expect("a message"), text);
        assert_eq!(extracted(text, &names, "here", 0).expect("a message"), (text.to_owned(), Vec::new()));
    }

    #[test]
    fn an_attachment_is_there_and_stands_once() {
        let include = format!("<i:Include xmlns:i=\"{NAMESPACE}\" href=\"cid:a%40b\"/>");
        let once = format!("<m><x>{include}</x></m>");
        assert_eq!(
            included(&once, vec![attachment("a@b", b"\xFF")]).expect("a message"),
            "<m><x>/w==</x></m>"
        );
        assert!(included(&once, Vec::new()).is_err());
        let twice = format!("<m>{include}{include}</m>");
        assert!(included(&twice, vec![attachment("a@b", b"x")]).is_err());
        let elsewhere = once.replace("cid:", "http://h/");
        assert!(included(&elsewhere, vec![attachment("a@b", b"x")]).is_err());
    }
}
