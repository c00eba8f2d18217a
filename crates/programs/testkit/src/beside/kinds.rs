//! Differences by their kinds: one that is found a thousand times is one to look at.

use std::collections::HashMap;
use std::fmt;

/// A kind of difference: the same item of the same program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The program.
    pub program: String,
    /// Item or option as the table names it, elements of tables by `(*)`; that a command is missing has the command's name.
    pub item: String,
    /// The number of times that it was found.
    pub times: usize,
    /// The place where it was found first: task and command.
    pub first: String,
    /// The difference there.
    pub what: String,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, item, times, first, what } = self;
        match program.is_empty() {
            true => write!(f, "{first}: {what}"),
            false => write!(f, "{times} × {program}: {item}; first at {first}: {what}"),
        }
    }
}

/// Kinds in the order in which they were found.
#[derive(Debug, Default)]
pub struct Kinds {
    kinds: Vec<Kind>,
    places: HashMap<(String, String), usize>,
}

impl Kinds {
    /// A difference that is of no program.
    pub fn whole(&mut self, of: &str, what: &str) {
        let (first, what) = (of.to_owned(), what.to_owned());
        self.kinds.push(Kind { program: String::new(), item: String::new(), times: 1, first, what });
    }

    /// One more difference.
    pub fn add(&mut self, program: &str, item: &str, first: impl FnOnce() -> String, what: &str) {
        let key = (program.to_owned(), without_subscripts(item));
        if let Some(kind) = self.places.get(&key).and_then(|place| self.kinds.get_mut(*place)) {
            kind.times += 1;
            return;
        }
        self.places.insert(key.clone(), self.kinds.len());
        let (program, item) = key;
        self.kinds.push(Kind { program, item, times: 1, first: first(), what: what.to_owned() });
    }

    /// All that were found.
    pub fn end(self) -> Vec<Kind> {
        self.kinds
    }
}

/// An item of a record without the places in its tables. An option or argument is its name in brackets, and stays.
fn without_subscripts(item: &str) -> String {
    if item.starts_with('(') {
        return item.to_owned();
    }
    let mut parts = item.split('(');
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        name.push_str("(*)");
        name.push_str(part.split_once(')').map_or("", |(_, behind)| behind));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_a_table_are_one_kind_and_arguments_are_not() {
        assert_eq!(without_subscripts("01 R T(3).U(1,2).A"), "01 R T(*).U(*).A");
        assert_eq!(without_subscripts("(3)"), "(3)");
        let mut kinds = Kinds::default();
        kinds.add("P", "01 R T(1)", || String::from("here"), "1, natively 2");
        kinds.add("P", "01 R T(2)", || String::from("there"), "3, natively 4");
        kinds.add("Q", "01 R T(2)", || String::from("there"), "3, natively 4");
        let said: Vec<String> = kinds.end().iter().map(Kind::to_string).collect();
        let one = "2 × P: 01 R T(*); first at here: 1, natively 2";
        assert_eq!(said, [one, "1 × Q: 01 R T(*); first at there: 3, natively 4"]);
    }
}
