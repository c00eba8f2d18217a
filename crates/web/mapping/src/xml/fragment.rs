//! A part of a message that goes on without the rest: prefixes bound outside of it are bound in it.

use super::reader::{Namespace, Reader, Token};
use super::write::escape_attribute;
use crate::fault::MappingFault;

/// The content of the element that was begun last, without comments between its parts. Each element in it binds the
/// prefixes that it uses.
///
/// # Errors
/// A message that is not well formed.
pub fn inner(reader: &mut Reader<'_>) -> Result<String, MappingFault> {
    let outside = reader.bindings();
    let mut content = String::new();
    loop {
        let from = reader.at();
        let token = reader.token()?;
        let text = reader.text();
        match token {
            Token::Start(_) => {
                let begun = reader.at();
                reader.skip_element()?;
                let whole = behind_comments(&text[from..reader.at()]);
                let tag = whole.len() - (reader.at() - begun);
                content.push_str(&bound(whole, tag, &outside));
            }
            Token::Text(_) => content.push_str(&text[from..reader.at()]),
            Token::End | Token::Eof => return Ok(content),
        }
    }
}

/// An element with the declarations that it lacks; its first tag is `tag` bytes long.
pub fn bound(whole: &str, tag: usize, outside: &[(&str, Namespace)]) -> String {
    let end = whole[..tag].trim_end_matches('>').trim_end_matches('/').len();
    let declarations = declarations(outside, whole, &declared(&whole[..end]));
    [&whole[..end], &declarations, &whole[end..]].concat()
}

/// An element without the comments before it: a quote in one would pass for the beginning of a value.
fn behind_comments(mut text: &str) -> &str {
    while let Some((_, rest)) = text.strip_prefix("<!--").and_then(|comment| comment.split_once("-->")) {
        text = rest.trim_ascii_start();
    }
    text
}

/// The declarations that an element lacks: of prefixes that are bound outside of it and occur in it.
fn declarations(outside: &[(&str, Namespace)], element: &str, declared: &[&str]) -> String {
    let mut written = Vec::new();
    for (prefix, namespace) in outside {
        let Some(namespace) = namespace else { continue };
        let name = match *prefix {
            "" => "xmlns".to_owned(),
            prefix if element.contains(&format!("{prefix}:")) => format!("xmlns:{prefix}"),
            _ => continue,
        };
        if !declared.contains(&name.as_str()) {
            written.extend_from_slice(format!(" {name}=\"").as_bytes());
            escape_attribute(namespace, &mut written);
            written.push(b'"');
        }
    }
    String::from_utf8_lossy(&written).into_owned()
}

/// The names of the attributes of a tag that the reader has found in order.
fn declared(tag: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = tag;
    while let Some(at) = rest.find(['"', '\'']) {
        let before = rest[..at].trim_end().trim_end_matches('=').trim_end();
        names.extend(before.split_ascii_whitespace().last());
        let value = &rest[at + 1..];
        let Some(end) = value.find(&rest[at..=at]) else { break };
        rest = &value[end + 1..];
    }
    names
}
