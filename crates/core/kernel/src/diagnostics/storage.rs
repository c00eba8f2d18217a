//! Lines of a dump: each item by the user's own name, with its value.

use crate::bytes;

/// Columns of a name before its value.
const NAME_WIDTH: usize = 34;
/// The item that a program has its COMMAREA as, and its EXEC interface block.
pub(super) const COMMAREA: &str = "DFHCOMMAREA";
pub(super) const INTERFACE_BLOCK: &str = "DFHEIBLK";

/// Elements of a table that follow each other with the same value are one line.
pub(super) fn runs(fields: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut lines: Vec<(String, Option<String>, String)> = Vec::new();
    for (path, value) in fields {
        match lines.last_mut() {
            Some((first, last, known))
                if *known == value && is_next(last.as_ref().unwrap_or(first), &path) =>
            {
                *last = Some(path);
            }
            _ => lines.push((path, None, value)),
        }
    }
    let shown = |(first, last, value): (String, Option<String>, String)| match last {
        Some(last) => (format!("{first} to {}", &last[last.rfind('(').unwrap_or(0)..]), value),
        None => (first, value),
    };
    lines.into_iter().map(shown).collect()
}

/// Returns true if two elements are of one table, at its innermost subscript.
fn is_next(before: &str, path: &str) -> bool {
    let table =
        |path: &str| path.strip_suffix(')').and_then(|path| Some(path.rsplit_once('(')?.0.to_owned()));
    table(before).is_some_and(|name| table(path) == Some(name))
}

pub(super) fn line(indent: usize, level: u8, name: &str, value: &str) -> String {
    let number = if level == 0 { String::new() } else { format!("{level:02} ") };
    let head = format!("{}{number}{name}", "  ".repeat(indent));
    format!("{head:<NAME_WIDTH$}  {value}\n")
}

/// Characters, or the figurative constant that they all are.
pub(super) fn shown_text(bytes: &[u8]) -> String {
    let all = |wanted: u8| !bytes.is_empty() && bytes.iter().all(|byte| *byte == wanted);
    match () {
        () if all(0) => String::from("LOW-VALUES"),
        () if all(u8::MAX) => String::from("HIGH-VALUES"),
        () if all(b' ') => String::from("SPACES"),
        () => bytes::shown(bytes.trim_ascii_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_in_a_row_are_one_line() {
        let fields = [("T(1)", "1"), ("T(2)", "1"), ("T(3)", "1"), ("T(4)", "9"), ("N", "9")];
        let lines = runs(fields.iter().map(|(path, value)| (path.to_string(), value.to_string())));
        let shown: Vec<String> = lines.iter().map(|(path, value)| format!("{path} {value}")).collect();
        assert_eq!(shown, ["T(1) to (3) 1", "T(4) 9", "N 9"]);
    }
}
