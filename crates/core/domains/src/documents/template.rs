//! Templates: text with `&name;`, and commands in the form of a server-side include.
//!
//! ```text
//! <!--#set var=name value='default'-->   the value of a symbol that the program does not set
//! <!--#echo var=name-->                  its value
//! <!--#include template=name-->          another template
//! ```

use std::collections::HashMap;

use super::symbols::{Symbols, is_name, is_name_character};
use kernel::limits::DOCUMENT_BYTES_MAX;

/// Templates within templates.
const LEVELS_MAX: usize = 32;

const OPEN: &[u8] = b"<!--#";
const CLOSE: &[u8] = b"-->";

/// Templates by name, as far as they are needed.
pub(super) type Templates = HashMap<Vec<u8>, Vec<u8>>;

/// The reason why a template becomes no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoText {
    /// A command cannot be obeyed: the offset in its template at which it begins.
    Malformed(usize),
    /// It would be longer than a document may be.
    TooLong,
}

impl NoText {
    /// Returns the error for the includer: its own offset counts.
    fn at(self, offset: usize) -> Self {
        if self == Self::TooLong { self } else { Self::Malformed(offset) }
    }
}

/// A part of a template.
#[derive(Debug, PartialEq, Eq)]
enum Part<'t> {
    Text(&'t [u8]),
    /// A reference, and how it is written.
    Symbol(&'t [u8], &'t [u8]),
    Set(&'t [u8], &'t [u8]),
    Include(&'t [u8]),
    Malformed,
}

/// The text that a template becomes.
pub(super) fn expand(text: &[u8], symbols: &mut Symbols, templates: &Templates) -> Result<Vec<u8>, NoText> {
    let mut result = Vec::new();
    expand_level(text, symbols, templates, 1, &mut result)?;
    Ok(result)
}

fn expand_level(
    text: &[u8],
    symbols: &mut Symbols,
    templates: &Templates,
    level: usize,
    result: &mut Vec<u8>,
) -> Result<(), NoText> {
    for (offset, part) in parts(text) {
        match part {
            Part::Text(bytes) => add(result, bytes)?,
            Part::Symbol(name, written) => add(result, symbols.get(name).unwrap_or(written))?,
            Part::Set(name, value) => symbols.set_default(name, value),
            Part::Include(name) if level < LEVELS_MAX => {
                let included = templates.get(name).ok_or(NoText::Malformed(offset))?;
                expand_level(included, symbols, templates, level + 1, result)
                    .map_err(|why| why.at(offset))?;
            }
            Part::Include(_) | Part::Malformed => return Err(NoText::Malformed(offset)),
        }
    }
    Ok(())
}

/// Symbols and templates may come in as often as a text likes: their lengths multiply.
fn add(result: &mut Vec<u8>, bytes: &[u8]) -> Result<(), NoText> {
    if result.len() + bytes.len() > DOCUMENT_BYTES_MAX {
        return Err(NoText::TooLong);
    }
    result.extend_from_slice(bytes);
    Ok(())
}

/// The templates that a template includes itself.
pub(super) fn includes(text: &[u8]) -> Vec<Vec<u8>> {
    let named = parts(text).into_iter().filter_map(|(_, part)| match part {
        Part::Include(name) => Some(name.to_vec()),
        _ => None,
    });
    named.collect()
}

fn parts(text: &[u8]) -> Vec<(usize, Part<'_>)> {
    let (mut parts, mut begin, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let Some((part, length)) = part_at(&text[at..]) else {
            at += 1;
            continue;
        };
        if begin < at {
            parts.push((begin, Part::Text(&text[begin..at])));
        }
        parts.push((at, part));
        at += length;
        begin = at;
    }
    if begin < at {
        parts.push((begin, Part::Text(&text[begin..])));
    }
    parts
}

/// Returns the symbol or command at the head of the text, with its length.
fn part_at(text: &[u8]) -> Option<(Part<'_>, usize)> {
    if let Some(behind) = text.strip_prefix(b"&") {
        let length = behind.iter().position(|byte| !is_name_character(*byte))?;
        let name = &behind[..length];
        let whole = length + 2;
        return (behind[length] == b';' && is_name(name))
            .then(|| (Part::Symbol(name, &text[..whole]), whole));
    }
    let body = text.strip_prefix(OPEN)?;
    let length = body.windows(CLOSE.len()).position(|window| window == CLOSE)?;
    let whole = OPEN.len() + length + CLOSE.len();
    Some((command(&body[..length], &text[..whole]).unwrap_or(Part::Malformed), whole))
}

/// A command between its brackets.
fn command<'t>(body: &'t [u8], written: &'t [u8]) -> Option<Part<'t>> {
    let (word, rest) = body.split_at(body.iter().position(u8::is_ascii_whitespace)?);
    match word {
        b"echo" => {
            let (name, rest) = operand(rest, b"var")?;
            (is_name(name) && rest.trim_ascii().is_empty()).then_some(Part::Symbol(name, written))
        }
        b"set" => {
            let (name, rest) = operand(rest, b"var")?;
            let (value, rest) = operand(rest, b"value")?;
            (is_name(name) && rest.trim_ascii().is_empty()).then_some(Part::Set(name, value))
        }
        b"include" => {
            let (name, rest) = operand(rest, b"template")?;
            (!name.is_empty() && rest.trim_ascii().is_empty()).then_some(Part::Include(name))
        }
        _ => None,
    }
}

/// Reads `keyword=value`, the value quoted or up to the next blank; and returns the text after it.
fn operand<'t>(text: &'t [u8], keyword: &[u8]) -> Option<(&'t [u8], &'t [u8])> {
    let behind = text.trim_ascii_start().strip_prefix(keyword)?.trim_ascii_start();
    let value = behind.strip_prefix(b"=")?.trim_ascii_start();
    if let Some((quote @ (b'\'' | b'"'), quoted)) = value.split_first() {
        let end = quoted.iter().position(|byte| byte == quote)?;
        return Some((&quoted[..end], &quoted[end + 1..]));
    }
    let end = value.iter().position(u8::is_ascii_whitespace).unwrap_or(value.len());
    Some(value.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, expected: Result<&str, usize>) {
        let mut symbols = Symbols::default();
        symbols.set(b"name", b"World".to_vec()).expect("a name");
        let templates = Templates::from([
            (b"greeting".to_vec(), b"Hello &name;".to_vec()),
            (
                b"twice".to_vec(),
                b"<!--#include template=greeting-->, <!--#include template=greeting-->".to_vec(),
            ),
            (b"itself".to_vec(), b"<!--#include template=itself-->".to_vec()),
        ]);
        let text = expand(template.as_bytes(), &mut symbols, &templates);
        let text = text.map(|bytes| String::from_utf8(bytes).expect("text"));
        assert_eq!(text.as_deref().map_err(|why| *why), expected.map_err(NoText::Malformed), "{template}");
    }

    #[test]
    fn symbols_become_their_values_and_stay_where_they_have_none() {
        check("Hello &name;!", Ok("Hello World!"));
        check("<b><!--#echo var=name--></b>", Ok("<b>World</b>"));
        check(
            "&other; &name &amp; & <!--#echo var=other-->",
            Ok("&other; &name &amp; & <!--#echo var=other-->"),
        );
    }

    #[test]
    fn set_gives_what_the_program_has_not() {
        check("<!--#set var=colour value='red'-->&colour;", Ok("red"));
        check("<!--#set var=a value='1'--><!--#set var=a value=\"2\"-->&a;", Ok("2"));
        check("<!--#set var=name value='Moon'-->&name;", Ok("World"));
    }

    #[test]
    fn templates_come_in_with_their_own_symbols() {
        check("[<!--#include template=\"twice\"-->]", Ok("[Hello World, Hello World]"));
    }

    #[test]
    fn a_text_whose_symbols_multiply_ends_at_the_longest_document() {
        let mut symbols = Symbols::default();
        symbols.set(b"a", vec![b'x'; DOCUMENT_BYTES_MAX / 4]).expect("a name");
        let expanded =
            |count: usize, symbols: &mut Symbols| expand(&b"&a;".repeat(count), symbols, &Templates::new());
        assert_eq!(expanded(4, &mut symbols).map(|text| text.len()), Ok(DOCUMENT_BYTES_MAX));
        assert_eq!(expanded(5, &mut symbols), Err(NoText::TooLong));
    }

    #[test]
    fn what_cannot_be_obeyed_is_told_by_its_offset() {
        check("abc<!--#include template=nowhere-->", Err(3));
        check("<!--#include template=itself-->", Err(0));
        check("x<!--#exec cmd='ls'-->", Err(1));
        check("<!--#set var=a-->", Err(0));
        check("<!-- a comment -->", Ok("<!-- a comment -->"));
        check("<!--#echo var=name", Ok("<!--#echo var=name"));
    }
}
