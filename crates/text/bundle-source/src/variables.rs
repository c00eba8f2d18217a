//! Variables of a bundle: `${name}` in its parts, and the values in `variables.properties`.

use std::collections::BTreeMap;

use mapping::xml::escape_attribute;

use crate::limits::VARIABLES_MAX;
use crate::xml::Wrong;

/// The file of their values, in the folder of the bundle.
pub const FILE: &str = "variables.properties";

/// The values of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<String, String>);

impl Variables {
    /// Reads a properties file, which is in ISO 8859-1. Of several values of a variable the last counts.
    ///
    /// # Errors
    /// An escape is none, or there are too many variables.
    pub fn read(bytes: &[u8]) -> Result<Self, Wrong> {
        let text: String = bytes.iter().copied().map(char::from).collect();
        let mut variables = BTreeMap::new();
        for (number, line) in lines(&text) {
            let (name, value) = parts(&line);
            let plain = |text: &str| plain(text).ok_or_else(|| Wrong::new(number, "\\u needs four digits"));
            variables.insert(plain(name)?, plain(value)?);
            if variables.len() > VARIABLES_MAX {
                return Err(Wrong::new(number, format!("it has more than {VARIABLES_MAX} variables")));
            }
        }
        Ok(Self(variables))
    }

    /// Writes the values into a text of XML.
    ///
    /// # Errors
    /// A variable has no value.
    pub fn fill(&self, text: &str) -> Result<String, Wrong> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("${") {
            filled.push_str(before);
            let end = behind.find(|c: char| !is_of_name(c)).filter(|end| *end > 0);
            let Some((name, after)) =
                end.and_then(|end| Some((&behind[..end], behind[end..].strip_prefix('}')?)))
            else {
                filled.push_str("${");
                rest = behind;
                continue;
            };
            let line = 1 + text[..text.len() - behind.len()].matches('\n').count();
            let missing = || Wrong::new(line, format!("the variable {name} has no value in {FILE}"));
            filled.push_str(&escaped(self.0.get(name).ok_or_else(missing)?));
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

/// A value as it stands in an attribute with quotes of either kind, and in text.
fn escaped(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    escape_attribute(value, &mut bytes);
    String::from_utf8_lossy(&bytes).replace('\'', "&#39;")
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-".contains(c)
}

/// The lines that have a variable, with their numbers: those that a backslash joins are one.
fn lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim_start_matches([' ', '\t', '\u{c}']);
        let is_joined = std::mem::replace(&mut goes_on, false);
        if !is_joined && (line.is_empty() || line.starts_with(['#', '!'])) {
            continue;
        }
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        goes_on = backslashes % 2 == 1;
        let line = if goes_on { &line[..line.len() - 1] } else { line };
        match lines.last_mut().filter(|_| is_joined) {
            Some((_, before)) => before.push_str(line),
            None => lines.push((number, line.to_owned())),
        }
    }
    lines
}

/// The name and the value of a line: `=`, `:` or white space stands between them.
fn parts(line: &str) -> (&str, &str) {
    let is_blank = |c: char| " \t\u{c}".contains(c);
    let mut is_escaped = false;
    let ends = |c: char| {
        let ends = !is_escaped && (is_blank(c) || c == '=' || c == ':');
        is_escaped = !is_escaped && c == '\\';
        ends
    };
    let Some(end) = line.find(ends) else { return (line, "") };
    let value = line[end..].trim_start_matches(is_blank);
    let value = value.strip_prefix(['=', ':']).unwrap_or(value);
    (&line[..end], value.trim_start_matches(is_blank))
}

/// A text without its escapes; `None` if one is not whole.
fn plain(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match characters.next() {
            Some('t') => plain.push('\t'),
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('f') => plain.push('\u{c}'),
            Some('u') => {
                let digits: String = characters.by_ref().take(4).collect();
                let number = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4)?;
                plain.push(char::from_u32(number)?);
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_read_as_java_reads_them() {
        let text = b"# a comment\n! another\n\nhlq = PROD.DATA\n  b.c:2\nd_e  x = y\nlong=one,\\\n   two\ntwice=1\ntwice=2\n\
            k\\=ey=v\\u0041\\tl\\\\\nempty\nlatin=\xe9\\\\\n";
        let read = Variables::read(text).expect("properties");
        let all: Vec<_> = read.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let expected = [
            ("b.c", "2"),
            ("d_e", "x = y"),
            ("empty", ""),
            ("hlq", "PROD.DATA"),
            ("k=ey", "vA\tl\\"),
            ("latin", "\u{e9}\\"),
            ("long", "one,two"),
            ("twice", "2"),
        ];
        assert_eq!(all, expected);
        assert_eq!(Variables::read(b"\na=\\u12").expect_err("cut").line, 2);
    }

    #[test]
    fn values_stand_in_the_place_of_variables() {
        let variables = Variables::read(b"hlq=A&\"B\nx.y-z=1").expect("properties");
        let filled = variables.fill("<f dsname='${hlq}.${x.y-z}' b='$ ${} ${a b} ${'/>").expect("filled");
        assert_eq!(filled, "<f dsname='A&amp;&quot;B.1' b='$ ${} ${a b} ${'/>");
        let wrong = variables.fill("<f\n a='${none}'/>").expect_err("no value");
        assert_eq!(
            (wrong.line, wrong.why.as_str()),
            (2, "the variable none has no value in variables.properties")
        );
    }
}
