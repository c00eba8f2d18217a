//! Texts of programs in commands about messages: in the program's characters, or in those that FROMCCSID names.

use kernel::channels::Encoding;
use kernel::exec::Call;
use kernel::name::Name;
use kernel::raise::{Outcome, RaiseCondition};
use spec::{OptionId, cond};

/// RESP2 of CCSIDERR and CODEPAGEERR, as those of containers.
mod resp2 {
    pub const NO_CCSID: i32 = 1;
    pub const NOT_SUPPORTED: i32 = 2;
}

/// Characters of a code page's name.
const NAME: usize = 40;

/// The characters of a command's texts: by number, by name, or those of programs.
pub(crate) fn encoding(call: &Call<'_>, ccsid: OptionId, page: Option<OptionId>) -> Outcome<Encoding> {
    if let Some(number) = call.number(ccsid)? {
        if u16::try_from(number).is_err() || number == 0 {
            return Err(cond::CCSIDERR.raise(resp2::NO_CCSID));
        }
        return Encoding::of_ccsid(number).ok_or_else(|| cond::CCSIDERR.raise(resp2::NOT_SUPPORTED));
    }
    let name: Option<Name<NAME>> = match page {
        Some(page) => call.name(page)?,
        None => None,
    };
    let Some(name) = name else { return Ok(Encoding::Program) };
    Encoding::of_name(&name.to_string()).ok_or_else(|| cond::CODEPAGEERR.raise(resp2::NOT_SUPPORTED))
}

/// A text of a program without the blanks at its end.
pub(crate) fn text(bytes: &[u8], encoding: Encoding) -> String {
    let utf8 = encoding.convert(bytes, Encoding::Utf8).0;
    String::from_utf8_lossy(&utf8).trim_end().to_owned()
}

/// A text that stands in an option with a length, if it is there.
///
/// # Errors
/// LENGERR: it is longer than it may be.
pub(crate) fn with_length(
    call: &Call<'_>,
    (option, length): (OptionId, OptionId),
    most: usize,
    encoding: Encoding,
) -> Outcome<Option<String>> {
    let bytes = if call.has(option) { call.outgoing(option, length, most)? } else { None };
    Ok(bytes.map(|bytes| text(&bytes, encoding)))
}

/// A message without its declaration, which names the characters that it came in.
pub(crate) fn without_declaration(text: &str) -> &str {
    let behind = text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    behind.map_or(text, |(_, rest)| rest)
}

/// Returns true if a text may stand in an element.
pub(crate) fn is_content(text: &str) -> bool {
    let whole = format!("<content>{text}</content>");
    let read = || {
        let mut reader = mapping::xml::Reader::new(&whole)?;
        loop {
            if matches!(reader.token()?, mapping::xml::Token::Eof) {
                return Ok::<(), mapping::MappingFault>(());
            }
        }
    };
    read().is_ok()
}

/// Returns true if a text is a qualified name: letters, digits, points, hyphens, underlines, and one colon at most.
pub(crate) fn is_qualified_name(text: &str) -> bool {
    let is_name = |part: &str| {
        let begins = part.starts_with(|first: char| first.is_alphabetic() || first == '_');
        begins && part.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '.'))
    };
    match text.split_once(':') {
        Some((prefix, local)) => is_name(prefix) && is_name(local),
        None => is_name(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualified_names_have_one_colon_at_most() {
        for (text, is) in [
            ("a", true),
            ("a:b-1", true),
            ("", false),
            ("1a", false),
            ("a:", false),
            ("a:b:c", false),
            ("a b", false),
        ] {
            assert_eq!(is_qualified_name(text), is, "{text}");
        }
        assert!(is_content("a<b/>") && !is_content("</a>") && !is_content("<a>"));
    }
}
