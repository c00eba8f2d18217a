//! The quick way through a plain message: the expected tag, a text, the expected end tag, the next. Anything else ends
//! it, and the complete reader begins once more; so this one never reports a fault.

use memchr::{memchr, memchr3};

use super::reader::{Reader, Start};
use crate::model::{Kind, Mapping, Node};
use crate::value::{Filling, Syntax, is_blank};

/// The prefix that local elements have if the message is plain. None: it is not.
pub(super) fn prefix<'a>(mapping: &Mapping, reader: &Reader<'_>, start: &Start<'a>) -> Option<&'a str> {
    if mapping.qualified {
        return Some(start.prefix);
    }
    matches!(reader.namespace_of(""), Some(None)).then_some("")
}

/// Reads the content of the root; returns the record, and the place of the end tag.
pub(super) fn content(mapping: &Mapping, text: &str, at: usize, prefix: &str) -> Option<(Vec<u8>, usize)> {
    let mut walk = Walk { text, at, prefix, filling: Filling::new(mapping) };
    walk.group(0, 0)?;
    Some((walk.filling.record, walk.at))
}

struct Walk<'a, 'm> {
    text: &'a str,
    at: usize,
    prefix: &'a str,
    filling: Filling<'m>,
}

impl Walk<'_, '_> {
    fn group(&mut self, node: usize, shift: usize) -> Option<()> {
        let mapping = self.filling.mapping;
        let end = mapping.nodes[node].end;
        let mut child = node + 1;
        while child < end {
            let node = &mapping.nodes[child];
            match &node.repeat {
                None => {
                    self.opens(node).then_some(())?;
                    self.element(child, shift)?;
                }
                Some(repeat) => {
                    let mut count = 0;
                    while count < repeat.max && self.opens(node) {
                        self.element(child, shift + count * node.length)?;
                        count += 1;
                    }
                    if count < repeat.min {
                        return None;
                    }
                    if let Some(counter) = &repeat.counter {
                        self.filling.count(counter, count, shift).ok()?;
                    }
                }
            }
            child = node.end;
        }
        self.blanks();
        self.text.as_bytes()[self.at..].starts_with(b"</").then_some(())
    }

    /// Reads the content of an element, and its end tag.
    fn element(&mut self, child: usize, shift: usize) -> Option<()> {
        let node = &self.filling.mapping.nodes[child];
        if matches!(node.kind, Kind::Group) {
            self.group(child, shift)?;
        } else {
            let rest = &self.text[self.at..];
            let value = &rest[..plain(rest.as_bytes())?];
            self.filling.put(node, value, shift, Syntax::Xml).ok()?;
            self.at += value.len();
        }
        self.closes(child).then_some(())
    }

    fn opens(&mut self, node: &Node) -> bool {
        self.blanks();
        match self.prefix {
            "" => self.passes(&node.open),
            _ => self.tag("<", &node.name),
        }
    }

    fn closes(&mut self, child: usize) -> bool {
        let node = &self.filling.mapping.nodes[child];
        match self.prefix {
            "" => self.passes(&node.close),
            _ => self.tag("</", &node.name),
        }
    }

    /// Passes over exactly this tag, if it is next.
    fn passes(&mut self, tag: &[u8]) -> bool {
        let stands = starts(&self.text.as_bytes()[self.at..], tag);
        self.at += if stands { tag.len() } else { 0 };
        stands
    }

    fn blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).copied().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// Passes over a tag, if it is next.
    fn tag(&mut self, begin: &str, name: &str) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let tagged = rest
            .strip_prefix(begin.as_bytes())
            .and_then(|rest| match self.prefix {
                "" => Some(rest),
                prefix => rest.strip_prefix(prefix.as_bytes())?.strip_prefix(b":"),
            })
            .and_then(|rest| rest.strip_prefix(name.as_bytes())?.strip_prefix(b">"));
        if let Some(behind) = tagged {
            self.at += rest.len() - behind.len();
        }
        tagged.is_some()
    }
}

/// Returns true if a text begins with another: short texts, as tags are, take two comparisons.
fn starts(text: &[u8], with: &[u8]) -> bool {
    let Some(begin) = text.get(..with.len()) else { return false };
    match (begin.first_chunk::<8>(), with.first_chunk::<8>(), begin.last_chunk::<8>(), with.last_chunk::<8>())
    {
        (Some(a), Some(b), Some(c), Some(d)) if with.len() <= 16 => a == b && c == d,
        _ => begin == with,
    }
}

/// The length of a text up to the next tag; `None` if it has something that only the complete reader understands:
/// references, line ends and a perhaps forbidden end of CDATA.
fn plain(text: &[u8]) -> Option<usize> {
    // Most values are short: calling for help costs more than looking.
    const NEAR: usize = 32;
    for (at, byte) in text.iter().take(NEAR).enumerate() {
        match byte {
            b'<' => return Some(at),
            b'&' | b'\r' | b']' => return None,
            _ => {}
        }
    }
    let far = text.get(NEAR..)?;
    let end = memchr(b'<', far)?;
    memchr3(b'&', b'\r', b']', &far[..end]).is_none().then_some(NEAR + end)
}
