//! XML that a query makes. Names are as Db2 has them: in upper case unless they are in quotes.

use crate::token::Kind;
use crate::words::Words;

/// XMLELEMENT(NAME EMP, …)
pub(super) fn element(words: &mut Words, at: usize) {
    if words.is(at + 2, &["NAME"]) {
        keep_name(words, at + 3);
    }
}

/// XMLATTRIBUTES(NO AS "no", NAME), XMLFOREST(…): a column without a name has its own.
pub(super) fn names(words: &mut Words, at: usize) {
    for argument in words.arguments(at + 1).into_iter().rev() {
        let last = argument.end - 1;
        if argument.len() > 2 && words.is(last - 1, &["AS"]) {
            keep_name(words, last);
        } else if words.get(last).is_some_and(|token| token.is_name()) {
            let name = words.list[last].name();
            words.insert(argument.end, format!("AS \"{name}\""));
        }
    }
}

/// XMLSERIALIZE([CONTENT] x AS CLOB(1M) [VERSION '1.0'] [EXCLUDING XMLDECLARATION])
pub(super) fn serialize(words: &mut Words, at: usize) {
    let Some(as_word) = words.find_outside(at + 2, &["AS"]).filter(|found| *found < words.close(at + 1))
    else {
        return;
    };
    let mut end = words.close(at + 1) - 1;
    let mut declares = false;
    let mut option = as_word + 2;
    while option < end {
        if words.is(option, &["VERSION"]) && words.has_kind(option + 1, Kind::Text)
            || words.is(option, &["EXCLUDING", "XMLDECLARATION"])
        {
            words.cut(option..option + 2);
            end -= 2;
        } else if words.is(option, &["INCLUDING", "XMLDECLARATION"]) {
            words.cut(option..option + 2);
            end -= 2;
            declares = true;
        } else {
            option += 1;
        }
    }
    if words.is_any(as_word + 1, &["CLOB", "DBCLOB", "CHAR", "CHARACTER", "VARCHAR"]) {
        words.put(as_word + 1..end, "text");
        end = as_word + 2;
    }
    if declares {
        words.insert(end + 1, ")");
    }
    // It comes by once more behind the declaration.
    if !words.get(at + 2).is_some_and(|token| token.text.eq_ignore_ascii_case("CONTENT")) {
        words.insert(at + 2, "CONTENT");
    }
    if declares {
        words.insert(at, "('<?xml version=\"1.0\" encoding=\"UTF-8\"?>' ||");
    }
}

/// The printer would fold it.
fn keep_name(words: &mut Words, at: usize) {
    let Some(token) = words.get(at).filter(|token| token.is_name()) else { return };
    let name = format!("\"{}\"", token.name());
    words.put(at..at + 1, name);
}
