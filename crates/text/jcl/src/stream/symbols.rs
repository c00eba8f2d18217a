//! Symbols: `&NAME` in statements and, where it is asked for, in data.

use std::collections::BTreeMap;

use super::text::Ch;

/// Symbols with their values, by name in upper case.
pub type Symbols = BTreeMap<String, String>;

/// The longest name of a symbol.
const NAME_MAX: usize = 8;

/// Replaces symbols, and returns the names without a value. A dot behind a name belongs to it; `&&` stays.
pub(super) fn replaced(characters: &[Ch], symbols: &Symbols) -> (Vec<Ch>, Vec<(String, Vec<Ch>)>) {
    let mut out = Vec::with_capacity(characters.len());
    let mut unknown = Vec::new();
    let mut quoted = false;
    let mut at = 0;
    while let Some(ch) = characters.get(at) {
        if ch.c == '\'' {
            quoted = !quoted;
        }
        if ch.c != '&' {
            out.push(*ch);
            at += 1;
            continue;
        }
        if characters.get(at + 1).is_some_and(|next| next.c == '&') {
            out.extend([*ch, characters[at + 1]]);
            at += 2;
            continue;
        }
        let name: String = characters[at + 1..]
            .iter()
            .map(|ch| ch.c)
            .take_while(|c| is_of_name(*c))
            .take(NAME_MAX)
            .collect();
        let end = at + 1 + name.chars().count();
        match symbols.get(&name.to_ascii_uppercase()) {
            Some(value) if !name.is_empty() => {
                out.extend(value.chars().map(|c| Ch { c, ..*ch }));
                at = end + usize::from(characters.get(end).is_some_and(|next| next.c == '.'));
            }
            _ => {
                if !name.is_empty() && !quoted {
                    unknown.push((name.to_ascii_uppercase(), characters[at..end].to_vec()));
                }
                out.extend(&characters[at..end]);
                at = end;
            }
        }
    }
    (out, unknown)
}

/// Replaces symbols in a line of data.
pub(super) fn replaced_in_line(line: &str, symbols: &Symbols) -> String {
    let characters: Vec<Ch> = line.chars().map(|c| Ch { c, line: 0, column: 0 }).collect();
    let (out, _) = replaced(&characters, symbols);
    out.iter().map(|ch| ch.c).collect()
}

pub(super) fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "@#$".contains(c)
}
