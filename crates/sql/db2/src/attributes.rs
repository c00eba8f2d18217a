//! The attributes of PREPARE: what DECLARE CURSOR or the statement itself could say, in a host variable.

use crate::letters::Letters;
use crate::lexer::lex;
use crate::mistake::Mistake;
use crate::print::as_written;
use crate::words::Words;

/// Meaning of the attributes. `None`: absent, so that the cursor's declaration counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// WITH HOLD.
    pub hold: Option<bool>,
    /// SCROLL.
    pub scroll: Option<bool>,
    /// WITH ROWSET POSITIONING.
    pub rowset: Option<bool>,
    /// NOT ATOMIC CONTINUE ON SQLEXCEPTION: each row of `EXECUTE … FOR n ROWS` by itself.
    pub not_atomic: bool,
    /// Clauses that belong behind the statement: FOR UPDATE, FETCH FIRST n ROWS ONLY, WITH RS.
    pub behind: String,
}

/// Words, and what they set.
type Phrase = (&'static [&'static str], fn(&mut Attributes));

const PHRASES: [Phrase; 18] = [
    (&["INSENSITIVE"], |_| ()),
    (&["ASENSITIVE"], |_| ()),
    (&["NO", "SCROLL"], |attributes| attributes.scroll = Some(false)),
    (&["SCROLL"], |attributes| attributes.scroll = Some(true)),
    (&["WITH", "HOLD"], |attributes| attributes.hold = Some(true)),
    (&["WITHOUT", "HOLD"], |attributes| attributes.hold = Some(false)),
    (&["WITH", "ROWSET", "POSITIONING"], |attributes| attributes.rowset = Some(true)),
    (&["WITHOUT", "ROWSET", "POSITIONING"], |attributes| attributes.rowset = Some(false)),
    (&["WITHOUT", "RETURN"], |_| ()),
    (&["WITH", "RETURN", "TO", "CALLER"], |_| ()),
    (&["WITH", "RETURN", "TO", "CLIENT"], |_| ()),
    (&["WITH", "RETURN"], |_| ()),
    (&["FOR", "SINGLE", "ROW"], |_| ()),
    (&["FOR", "MULTIPLE", "ROWS"], |_| ()),
    (&["NOT", "ATOMIC", "CONTINUE", "ON", "SQLEXCEPTION"], |attributes| attributes.not_atomic = true),
    (&["ATOMIC"], |attributes| attributes.not_atomic = false),
    (&["CONCENTRATE", "STATEMENTS", "OFF"], |_| ()),
    (&["CONCENTRATE", "STATEMENTS", "WITH", "LITERALS"], |_| ()),
];

/// Reads them.
///
/// # Errors
/// A SENSITIVE cursor, which is not supported; a quote that is not closed.
pub fn attributes(letters: &Letters) -> Result<Attributes, Mistake> {
    let words = Words::new(lex(letters)?);
    let mut attributes = Attributes::default();
    let mut behind = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word.is("SENSITIVE") {
            return Err(Mistake::unsupported(word.spot, "SENSITIVE"));
        }
        match PHRASES.iter().find(|(phrase, _)| words.is(at, phrase)) {
            Some((phrase, set)) => {
                set(&mut attributes);
                at += phrase.len();
            }
            None => {
                behind.push(word.clone());
                at += 1;
            }
        }
    }
    attributes.behind = as_written(&behind);
    Ok(attributes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursors_attributes_are_kept_apart_from_the_clauses_of_the_query() {
        let read =
            attributes(&Letters::plain("INSENSITIVE SCROLL WITH HOLD FETCH FIRST 3 ROWS ONLY")).unwrap();
        let expected = Attributes {
            scroll: Some(true),
            hold: Some(true),
            behind: "FETCH FIRST 3 ROWS ONLY".to_owned(),
            ..Attributes::default()
        };
        assert_eq!(read, expected);
        let read =
            attributes(&Letters::plain("FOR MULTIPLE ROWS NOT ATOMIC CONTINUE ON SQLEXCEPTION")).unwrap();
        assert_eq!(read, Attributes { not_atomic: true, ..Attributes::default() });
        assert!(attributes(&Letters::plain("SENSITIVE STATIC SCROLL")).is_err());
    }
}
