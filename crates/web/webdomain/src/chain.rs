//! Requests that tasks make while they work for one: a header says through which regions it has come.
//!
//! ```text
//! client ──► region A: task 1 ── A ──► region B: task 2 ── A B ──► region A: task 3 …
//! ```
//!
//! A region that calls itself waits for itself. So a chain has an end ([`CHAIN_MAX`]), and of a chain that is here already no
//! request waits for a task: those before it have the tasks that it would wait for.

use std::sync::Arc;

use http::Fields;
use kernel::region::Region;
use kernel::task::{Chain, Task};

use crate::limits::CHAIN_MAX;
use crate::mark::MARK;
use crate::region::Web;

/// The header.
pub(crate) const HEADER: &str = "Syncpoint-Way";

/// The place of a request in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChainPlace {
    /// It is the first.
    First,
    /// It comes from another region, whose tasks are not ours.
    Further,
    /// A task of ours waits for its answer.
    Ours,
    /// The chain is too long.
    TooFar,
}

/// The place of a request in its chain.
pub(crate) fn place(region: &Region, head: &Fields) -> ChainPlace {
    match marks(head) {
        None => ChainPlace::First,
        Some(marks) => among(Web::of(region).mark().get(), &marks),
    }
}

/// The marks of a request; `None` without any.
fn marks(head: &Fields) -> Option<String> {
    let value = head.get(HEADER)?;
    let is_mark = |word: &&str| word.len() == MARK && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let text = std::str::from_utf8(value).ok()?;
    let marks: Vec<&str> = text.split_ascii_whitespace().filter(is_mark).collect();
    (!marks.is_empty()).then(|| marks.join(" "))
}

fn among(own: &str, marks: &str) -> ChainPlace {
    match () {
        () if marks.split(' ').count() > CHAIN_MAX => ChainPlace::TooFar,
        () if marks.split(' ').any(|mark| mark == own) => ChainPlace::Ours,
        () => ChainPlace::Further,
    }
}

/// The chain that the task of a request keeps.
pub(crate) fn kept(head: &Fields) -> Option<Chain> {
    marks(head).map(|marks| Chain(Arc::from(marks)))
}

/// The header of a request that a task makes.
pub(crate) fn of(task: &Task) -> String {
    let own = Web::of(&task.region).mark().get();
    match task.kept.get::<Chain>() {
        Some(Chain(before)) => format!("{before} {own}"),
        None => own.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_read_as_far_as_it_is_one() {
        let read = |value: &str| {
            let mut fields = Fields::default();
            fields.push(HEADER, value).expect("a header");
            marks(&fields)
        };
        let (one, two) = ("0123456789abcdef", "fedcba9876543210");
        assert_eq!(read(&format!("{one} x {two}")), Some(format!("{one} {two}")));
        assert_eq!((read("x"), read(""), marks(&Fields::default())), (None, None, None));
        assert_eq!(among(one, two), ChainPlace::Further);
        assert_eq!(among(one, &format!("{two} {one}")), ChainPlace::Ours);
        assert_eq!(among(two, &[one; CHAIN_MAX + 1].join(" ")), ChainPlace::TooFar);
    }
}
