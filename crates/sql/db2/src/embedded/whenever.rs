//! WHENEVER: what to do from here on in the text, where a statement has a condition.

use crate::mistake::Mistake;
use crate::words::Words;

/// A WHENEVER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whenever {
    /// In which case.
    pub event: Event,
    /// The paragraph or section to go to, in upper case; `None`: CONTINUE.
    pub go_to: Option<String>,
}

/// The case of a WHENEVER.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// SQLCODE is 100.
    NotFound,
    /// SQLCODE is negative.
    Error,
    /// SQLWARN0 is W, or SQLCODE is positive and not 100.
    Warning,
}

/// WHENEVER NOT FOUND | SQLERROR | SQLWARNING  CONTINUE | GO TO [:]label.
pub(super) fn read(words: &Words) -> Result<Whenever, Mistake> {
    let (event, at) = match () {
        () if words.is(1, &["NOT", "FOUND"]) => (Event::NotFound, 3),
        () if words.is(1, &["SQLERROR"]) => (Event::Error, 2),
        () if words.is(1, &["SQLWARNING"]) => (Event::Warning, 2),
        () => {
            let message = "WHENEVER is followed by NOT FOUND, SQLERROR or SQLWARNING";
            return Err(Mistake::new(words.spot(1), message));
        }
    };
    let label = match () {
        () if words.is(at, &["CONTINUE"]) => return Ok(Whenever { event, go_to: None }),
        () if words.is(at, &["GO", "TO"]) => at + 2,
        () if words.is(at, &["GOTO"]) => at + 1,
        () => {
            let message = "WHENEVER ends with CONTINUE or GO TO and a paragraph";
            return Err(Mistake::new(words.spot(at), message));
        }
    };
    // To SQL a hyphen is a minus.
    let name: String =
        words.list[label.min(words.len())..].iter().map(|token| token.text.to_uppercase()).collect();
    if name.is_empty() {
        return Err(Mistake::new(words.spot(label), "GO TO without a paragraph"));
    }
    Ok(Whenever { event, go_to: Some(name) })
}
