//! Tokens and signatures of messages that go out.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mapping::xml::{Reader, Token, canonical, escape_text};
use mapping::{FaultKind, MappingFault};

use super::{CERTIFICATE, EXCLUSIVE, SECURITY, SIGNATURE, UTILITY};
use crate::level::Level;

/// Identifiers in a message of ours.
const BODY: &str = "Body";
const KEY: &str = "Certificate";

/// A header of security round its content.
pub fn header(level: Level, content: &str) -> String {
    let soap = level.namespace();
    format!(
        "<wsse:Security xmlns:wsse=\"{SECURITY}\" xmlns:wsu=\"{UTILITY}\" xmlns:s=\"{soap}\" s:mustUnderstand=\"1\">{content}</wsse:Security>"
    )
}

/// A user, without a password.
pub fn user(name: &str) -> String {
    let mut token = b"<wsse:UsernameToken><wsse:Username>".to_vec();
    escape_text(name, &mut token);
    token.extend_from_slice(b"</wsse:Username></wsse:UsernameToken>");
    String::from_utf8_lossy(&token).into_owned()
}

/// A certificate.
pub fn certificate(der: &[u8]) -> String {
    let encoding =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary";
    format!(
        "<wsse:BinarySecurityToken wsu:Id=\"{KEY}\" ValueType=\"{CERTIFICATE}\" EncodingType=\"{encoding}\">{}</wsse:BinarySecurityToken>",
        STANDARD.encode(der)
    )
}

/// A message whose body has an identifier, and the body's canonical form.
///
/// # Errors
/// It is not an envelope.
pub fn identified(message: &str) -> Result<(String, Vec<u8>), MappingFault> {
    let mut reader = Reader::new(message)?;
    let mut depth = 0;
    loop {
        match reader.token()? {
            Token::Start(start) if depth == 1 && start.local == "Body" => {
                let end = message[..reader.at()].trim_end_matches('>').trim_end_matches('/').len();
                let own = if start.attribute(UTILITY, "Id").is_some() {
                    return Err(MappingFault::new(
                        FaultKind::UnexpectedContent,
                        "the body has an identifier already",
                    ));
                } else {
                    format!(" xmlns:wsu=\"{UTILITY}\" wsu:Id=\"{BODY}\"")
                };
                let whole = [&message[..end], &own, &message[end..]].concat();
                let form = body(&whole)?;
                return Ok((whole, form));
            }
            Token::Start(_) => depth += 1,
            Token::End => depth -= 1,
            Token::Text(_) => {}
            Token::Eof => {
                return Err(MappingFault::new(FaultKind::UnexpectedContent, "the message has no body"));
            }
        }
    }
}

fn body(message: &str) -> Result<Vec<u8>, MappingFault> {
    let mut reader = Reader::new(message)?;
    let mut form = Vec::new();
    loop {
        match reader.token()? {
            Token::Start(start) if start.attribute(UTILITY, "Id") == Some(BODY) => {
                canonical(&mut reader, &start, &[], &mut form)?;
                return Ok(form);
            }
            Token::Eof => return Ok(form),
            _ => {}
        }
    }
}

/// The data that a signature of the body is made over, in its canonical form.
pub fn info(method: &str, digest_method: &str, digest: &[u8]) -> String {
    let digest = STANDARD.encode(digest);
    format!(
        "<ds:SignedInfo xmlns:ds=\"{SIGNATURE}\"><ds:CanonicalizationMethod Algorithm=\"{EXCLUSIVE}\"></ds:CanonicalizationMethod>\
         <ds:SignatureMethod Algorithm=\"{method}\"></ds:SignatureMethod><ds:Reference URI=\"#{BODY}\"><ds:Transforms>\
         <ds:Transform Algorithm=\"{EXCLUSIVE}\"></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm=\"{digest_method}\">\
         </ds:DigestMethod><ds:DigestValue>{digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>"
    )
}

/// A signature: the data that it was made over, and its value.
pub fn signature(info: &str, value: &[u8]) -> String {
    format!(
        "<ds:Signature xmlns:ds=\"{SIGNATURE}\">{info}<ds:SignatureValue>{}</ds:SignatureValue><ds:KeyInfo>\
         <wsse:SecurityTokenReference><wsse:Reference URI=\"#{KEY}\" ValueType=\"{CERTIFICATE}\"></wsse:Reference>\
         </wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature>",
        STANDARD.encode(value)
    )
}
