//! Exclusive canonical XML without comments, as signatures are made over it: an element has one form, whatever is round
//! it.

use std::sync::Arc;

use super::reader::{Attribute, Reader, Start, Token};
use crate::fault::{FaultKind, MappingFault};

/// Prefixes that a signature may name as those of the element's surroundings.
pub const PREFIXES_MAX: usize = 32;

/// Namespaces that were written on the elements that are open.
#[derive(Default)]
struct Written<'a> {
    bindings: Vec<(&'a str, Option<Arc<str>>)>,
    /// The number of bindings before each open element, and its name as written.
    open: Vec<(usize, &'a str, &'a str)>,
}

/// Writes the element that was begun last, to its end. `kept`: prefixes that are written wherever they hold; the empty one is
/// that of the default namespace.
///
/// # Errors
/// The element is not well formed, or more prefixes are to be kept than may be.
pub fn canonical<'a>(
    reader: &mut Reader<'a>,
    start: &Start<'a>,
    kept: &[&'a str],
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    if kept.len() > PREFIXES_MAX {
        let problem = format!("a signature keeps at most {PREFIXES_MAX} prefixes");
        return Err(MappingFault::new(FaultKind::TooComplex, problem));
    }
    let mut written = Written::default();
    written.begin(reader, start, kept, into);
    while let Some(&(_, prefix, local)) = written.open.last() {
        match reader.token()? {
            Token::Start(start) => written.begin(reader, &start, kept, into),
            Token::Text(text) => escaped(&text, false, into),
            Token::End => {
                into.extend_from_slice(b"</");
                name(prefix, local, into);
                into.push(b'>');
                written.end();
            }
            Token::Eof => return Err(MappingFault::new(FaultKind::Format, "the element has no end")),
        }
    }
    Ok(())
}

impl<'a> Written<'a> {
    fn begin(&mut self, reader: &Reader<'a>, start: &Start<'a>, kept: &[&'a str], into: &mut Vec<u8>) {
        self.open.push((self.bindings.len(), start.prefix, start.local));
        into.push(b'<');
        name(start.prefix, start.local, into);
        let used =
            start.attributes.iter().map(|attribute| attribute.prefix).filter(|prefix| !prefix.is_empty());
        let mut prefixes: Vec<&str> = used.chain([start.prefix]).chain(kept.iter().copied()).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        for prefix in prefixes.into_iter().filter(|prefix| *prefix != "xml") {
            // A prefix that is to be kept may hold nowhere.
            let Some(namespace) = reader.namespace_of(prefix) else { continue };
            if self.has(prefix, namespace.as_ref()) {
                continue;
            }
            into.extend_from_slice(if prefix.is_empty() { b" xmlns" } else { b" xmlns:" });
            into.extend_from_slice(prefix.as_bytes());
            into.extend_from_slice(b"=\"");
            escaped(namespace.as_deref().unwrap_or_default(), true, into);
            into.push(b'"');
            self.bindings.push((prefix, namespace));
        }
        let mut attributes: Vec<&Attribute<'_>> = start.attributes.iter().collect();
        attributes.sort_by(|one, other| (&one.namespace, one.local).cmp(&(&other.namespace, other.local)));
        for attribute in attributes {
            into.push(b' ');
            name(attribute.prefix, attribute.local, into);
            into.extend_from_slice(b"=\"");
            escaped(&attribute.value, true, into);
            into.push(b'"');
        }
        into.push(b'>');
    }

    /// Returns true if a prefix already stands for a namespace at this point of the output; at first the empty prefix
    /// stands for no namespace.
    fn has(&self, prefix: &str, namespace: Option<&Arc<str>>) -> bool {
        let found = self.bindings.iter().rev().find(|(has, _)| *has == prefix);
        match found {
            Some((_, has)) => has.as_ref() == namespace,
            None => prefix.is_empty() && namespace.is_none(),
        }
    }

    fn end(&mut self) {
        if let Some((before, ..)) = self.open.pop() {
            self.bindings.truncate(before);
        }
    }
}

fn name(prefix: &str, local: &str, into: &mut Vec<u8>) {
    if !prefix.is_empty() {
        into.extend_from_slice(prefix.as_bytes());
        into.push(b':');
    }
    into.extend_from_slice(local.as_bytes());
}

/// The characters of the canonical form, which has its own escapes.
fn escaped(text: &str, is_attribute: bool, into: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'&' => into.extend_from_slice(b"&amp;"),
            b'<' => into.extend_from_slice(b"&lt;"),
            b'>' if !is_attribute => into.extend_from_slice(b"&gt;"),
            b'"' if is_attribute => into.extend_from_slice(b"&quot;"),
            b'\t' if is_attribute => into.extend_from_slice(b"&#x9;"),
            b'\n' if is_attribute => into.extend_from_slice(b"&#xA;"),
            b'\r' => into.extend_from_slice(b"&#xD;"),
            _ => into.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The canonical form of the first element of a name.
    fn of(text: &str, local: &str, kept: &[&'static str]) -> String {
        let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
        let mut reader = Reader::new(text).expect("a message");
        let mut into = Vec::new();
        loop {
            match reader.token().expect("a token") {
                Token::Start(start) if start.local == local => {
                    canonical(&mut reader, &start, kept, &mut into).expect("an element");
                    return String::from_utf8(into).expect("a text");
                }
                Token::Eof => panic!("no {local}"),
                _ => {}
            }
        }
    }

    #[test]
    fn an_element_has_one_form() {
        for (text, wanted) in [
            ("<a/>", "<a></a>"),
            ("<a  c='2' b=\"1\" ></a >", "<a b=\"1\" c=\"2\"></a>"),
            ("<r xmlns:p='u'><a/></r>", "<a></a>"),
            (
                "<r xmlns:p='u' xmlns:q='v'><p:a q:x='1' y='2'/></r>",
                "<p:a xmlns:p=\"u\" xmlns:q=\"v\" y=\"2\" q:x=\"1\"></p:a>",
            ),
            ("<r xmlns='u'><a><b xmlns=''><c/></b></a></r>", "<a xmlns=\"u\"><b xmlns=\"\"><c></c></b></a>"),
            ("<a xmlns:p='u'><p:b><p:c/></p:b></a>", "<a><p:b xmlns:p=\"u\"><p:c></p:c></p:b></a>"),
            ("<a>x<!-- no -->y<![CDATA[<&>]]></a>", "<a>xy&lt;&amp;&gt;</a>"),
            (
                "<a b='&#9;&#10;&#13;&quot;&lt;>'>&#13;\r\n</a>",
                "<a b=\"&#x9;&#xA;&#xD;&quot;&lt;>\">&#xD;\n</a>",
            ),
            ("<a xml:lang='en'/>", "<a xml:lang=\"en\"></a>"),
            // Attributes are sorted by the namespaces of their prefixes.
            (
                "<a xmlns:a='z' xmlns:b='y' a:q='1' b:q='2'/>",
                "<a xmlns:a=\"z\" xmlns:b=\"y\" b:q=\"2\" a:q=\"1\"></a>",
            ),
        ] {
            assert_eq!(of(text, "a", &[]), wanted, "{text}");
        }
    }

    #[test]
    fn prefixes_that_a_signature_keeps_are_written_where_they_hold() {
        let text = "<r xmlns:p='u' xmlns='d'><a><b/></a></r>";
        assert_eq!(of(text, "a", &["p"]), "<a xmlns=\"d\" xmlns:p=\"u\"><b></b></a>");
        assert_eq!(of(text, "a", &["nowhere"]), "<a xmlns=\"d\"><b></b></a>");
    }
}
