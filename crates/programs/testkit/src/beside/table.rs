//! The table of what may differ (`tests/beside.tsv`).

use std::fs;
use std::path::Path;

use super::Difference;

/// A row: something that must differ, or is known to.
#[derive(Debug, PartialEq, Eq)]
pub struct Known {
    /// The test or application.
    pub of: String,
    /// The program; behind a blank, the only command at which it may differ. `*` stands for anything.
    pub program: String,
    /// Item or option; `*` stands for anything. `(FROM 5-12)` is an option that may differ in these bytes alone.
    pub item: String,
    /// The reason.
    pub reason: String,
}

impl Known {
    /// The rows of the repository's table for a test or application.
    ///
    /// # Errors
    /// The table is not there, or a row is none.
    pub fn of(test: &str) -> Result<Vec<Self>, String> {
        let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/beside.tsv");
        let table = fs::read_to_string(&table).map_err(|error| format!("{}: {error}", table.display()))?;
        Self::read(&table, test)
    }

    /// The rows of a table for a test or application.
    ///
    /// # Errors
    /// A row that is none.
    pub fn read(table: &str, of: &str) -> Result<Vec<Self>, String> {
        let rows = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut known = Vec::new();
        for row in rows {
            let [whose, program, item, reason] = row.split('\t').collect::<Vec<_>>()[..] else {
                return Err(format!(
                    "'{row}' needs four columns: test or application, program, item, reason"
                ));
            };
            if is_like(whose, of) {
                let [of, program, item, reason] = [whose, program, item, reason].map(str::to_owned);
                known.push(Self { of, program, item, reason });
            }
        }
        Ok(known)
    }

    /// Returns true if an item of a program may differ at a command.
    pub fn is_of(&self, program: &str, command: &str, found: &Difference) -> bool {
        let at = |(its, only): (&str, &str)| is_like(its, program) && is_like(only, command);
        let is_there = self.program.split_once(' ').map_or_else(|| is_like(&self.program, program), at);
        let is_it = || match bytes_of(&self.item) {
            Some((option, first, last)) => {
                let is_within = |bytes: (usize, usize)| first <= bytes.0 && bytes.1 <= last;
                found.item == option && found.bytes.is_some_and(is_within)
            }
            None => is_like(&self.item, &found.item),
        };
        is_there && is_it()
    }
}

/// An option with the bytes in which it may differ.
fn bytes_of(item: &str) -> Option<(String, usize, usize)> {
    let (option, bytes) = item.strip_prefix('(')?.strip_suffix(')')?.rsplit_once(' ')?;
    let (first, last) = bytes.split_once('-')?;
    Some((format!("({option})"), first.parse().ok()?, last.parse().ok()?))
}

/// Returns true if a pattern matches a name.
fn is_like(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(behind) = name.strip_prefix(start) else { return false };
    (0..=behind.len()).filter_map(|at| behind.get(at..)).any(|behind| is_like(rest, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stands_for_what_its_patterns_say() {
        let table =
            "# a table\n\na/page\tP\t77 *\ta time\nother\tP\t77 N\tno\na/page\tQ WAIT*\t01 R T(*).A\tasks\n";
        let known = Known::read(table, "a/page").expect("a table");
        assert_eq!(known.len(), 2);
        let item = |item: &str| Difference::new(item.to_owned(), String::new());
        assert!(known[0].is_of("P", "READ", &item("77 N")) && !known[0].is_of("P2", "READ", &item("77 N")));
        let (it, other) = (item("01 R T(7).A"), item("01 R T(7).B"));
        assert!(known[1].is_of("Q", "WAIT EVENT", &it));
        assert!(!known[1].is_of("Q", "READ", &it) && !known[1].is_of("Q", "WAIT EVENT", &other));
        assert!(Known::read("a\tb", "a").is_err());
    }

    #[test]
    fn an_option_may_differ_in_some_bytes_alone() {
        let known = Known::read("a\tP SEND MAP\t(FROM 5-12)\ta time\n", "a").expect("a table");
        let at = |bytes| Difference { bytes, ..Difference::new(String::from("(FROM)"), String::new()) };
        let is_known = |bytes| known[0].is_of("P", "SEND MAP", &at(bytes));
        assert!(is_known(Some((5, 5))) && is_known(Some((5, 12))));
        assert!(!is_known(Some((4, 5))) && !is_known(Some((12, 13))) && !is_known(None));
    }
}
