//! Sequences: NEXT VALUE FOR, PREVIOUS VALUE FOR.

use crate::words::Words;

const PHRASES: [(&[&str], &str); 6] = [
    (&["NEXT", "VALUE", "FOR"], "nextval"),
    (&["NEXTVAL", "FOR"], "nextval"),
    (&["PREVIOUS", "VALUE", "FOR"], "currval"),
    (&["PREVVAL", "FOR"], "currval"),
    (&["PREV", "VALUE", "FOR"], "currval"),
    (&["CURRENT", "VALUE", "FOR"], "currval"),
];

/// Puts a function in the place of each.
pub(crate) fn apply(words: &mut Words) {
    let mut at = 0;
    while at < words.len() {
        let phrase = PHRASES.iter().find(|(phrase, _)| words.is(at, phrase));
        if let Some((phrase, function)) = phrase
            && let Some((name, range)) = words.qualified_name(at + phrase.len())
        {
            // Without quotes PostgreSQL folds a name to lower case, in a text as elsewhere.
            let name = name.to_lowercase().replace('\'', "''");
            words.put(at..range.end, format!("{function}('{name}')"));
        }
        at += 1;
    }
}
