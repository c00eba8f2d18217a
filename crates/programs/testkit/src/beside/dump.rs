//! Records as a dump shows them, taken apart and compared item by item.

use super::Difference;
use super::same::{beside, is_same, is_same_name};

/// A record, by its level and name.
#[derive(Debug, PartialEq, Eq)]
struct Record {
    name: String,
    /// Its items, or itself, and their values.
    values: Vec<(String, String)>,
}

/// A record as its dump shows it: its line is indented by two blanks, those of its items by more.
fn record(text: &str) -> Record {
    let mut record = Record { name: String::new(), values: Vec::new() };
    // What redefines is the same bytes once more.
    for line in text.lines().filter(|line| !line.contains(" redefines ")) {
        let (name, value) = line.trim_start().split_once("  ").unwrap_or((line.trim(), ""));
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        if line.starts_with("   ") {
            record.values.extend(elements(&name).into_iter().map(|name| (name, value.clone())));
            continue;
        }
        record.name = name;
        if !value.is_empty() {
            record.values.push((String::new(), value));
        }
    }
    record
}

/// The elements that a line stands for: `T(2) to (4)` are three.
fn elements(path: &str) -> Vec<String> {
    let range = || {
        let (first, last) = path.split_once(" to (")?;
        let last: usize = last.trim_end_matches(')').parse().ok()?;
        let (table, subscripts) = first.rsplit_once('(')?;
        let (outer, first) = match subscripts.trim_end_matches(')').rsplit_once(',') {
            Some((outer, first)) => (format!("{outer},"), first),
            None => (String::new(), subscripts.trim_end_matches(')')),
        };
        let first: usize = first.trim().parse().ok()?;
        Some((first..=last).map(|place| format!("{table}({outer}{place})")).collect())
    };
    range().unwrap_or_else(|| vec![path.to_owned()])
}

/// The level and name of a record.
pub fn name_of(record: &str) -> &str {
    let line = record.lines().next().unwrap_or_default().trim_start();
    line.split_once("  ").map_or(line, |(name, _)| name).trim()
}

/// Returns the differences of two records of the same name: item, and its values.
pub fn differ(there: &str, here: &str) -> Vec<Difference> {
    if there == here {
        return Vec::new();
    }
    let (there, here) = (record(there), record(here));
    let mut found = Vec::new();
    if there.values.len() != here.values.len() {
        let items = |record: &Record| record.values.len();
        let what = format!("{} items, natively {}", items(&there), items(&here));
        found.push(Difference::new(there.name.clone(), what));
    }
    for ((item, there_value), (other, here_value)) in there.values.iter().zip(&here.values) {
        let name = || format!("{} {item}", there.name).trim_end().to_owned();
        if !is_same_name(item, other) {
            found.push(Difference::new(name(), format!("natively {other} stands there")));
        } else if !is_same(there_value, here_value) {
            found.push(Difference::new(name(), beside(there_value, here_value)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_is_taken_apart() {
        let table = record("  01 R\n      T(1) to (3)                     7");
        let values = ["T(1)", "T(2)", "T(3)"].map(|item| (item.to_owned(), String::from("7")));
        assert_eq!(table, Record { name: String::from("01 R"), values: values.to_vec() });
        let alone = record("  77 N                              5");
        assert_eq!(alone.values, [(String::new(), String::from("5"))]);
        assert_eq!(elements("T(2,3) to (4)"), ["T(2,3)", "T(2,4)"]);
    }

    #[test]
    fn each_item_that_differs_is_said() {
        let two = differ(
            "  01 R\n      A  1\n      B  2\n      C  3",
            "  01 R\n      A  7\n      B  2\n      C  9",
        );
        let said = [("01 R A", "1, natively 7"), ("01 R C", "3, natively 9")];
        assert_eq!(two, said.map(|(item, what)| Difference::new(item.to_owned(), what.to_owned())));
        assert_eq!(differ("  01 R\n      A  1", "  01 R\n      B  1")[0].what, "natively B stands there");
        assert_eq!(
            differ("  01 R\n      A  1", "  01 R\n      A  1\n      B  1")[0].what,
            "1 items, natively 2"
        );
    }
}
