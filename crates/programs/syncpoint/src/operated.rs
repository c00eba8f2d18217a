//! The answer of CEMT, as JSON.
//!
//! ```text
//! Transaction(STRT)              {"resources": [{"Transaction": "STRT", "Status": "Enabled"}],
//!   Status(Enabled)      ──►      "notes": ["STRT: NORMAL"],
//! STRT: NORMAL                    "errors": 0}
//! ```
//!
//! A line that begins in its first column with an attribute is a resource; lines that are indented have more of its attributes. Words
//! without a value are attributes that are true.

use serde_json::{Map, Value, json};

/// Returns the lines of an answer as an object.
pub(crate) fn as_json(text: &str, errors: u64) -> Value {
    let (mut resources, mut notes) = (Vec::<Map<String, Value>>::new(), Vec::<&str>::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let attributes = attributes(line);
        match (line.starts_with(' '), attributes, resources.last_mut()) {
            (true, Some(more), Some(last)) => last.extend(more),
            (false, Some(attributes), _) => resources.push(attributes.into_iter().collect()),
            _ => notes.push(line.trim()),
        }
    }
    json!({ "resources": resources, "notes": notes, "errors": errors })
}

/// The attributes of a line; `None` if it does not begin with one that has a value.
fn attributes(line: &str) -> Option<Vec<(String, Value)>> {
    let mut rest = line.trim();
    let mut attributes = Vec::new();
    while !rest.is_empty() {
        let end = rest.find([' ', '(']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let (value, behind) = match behind.strip_prefix('(') {
            Some(behind) => {
                let end = value_end(behind)?;
                (Value::from(behind[..end].trim()), &behind[end + 1..])
            }
            None if attributes.is_empty() => return None,
            None => (Value::from(true), behind),
        };
        let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric());
        if attributes.is_empty() && !is_name {
            return None;
        }
        attributes.push((name.to_owned(), value));
        rest = behind.trim_start();
    }
    Some(attributes)
}

/// The place of the parenthesis that ends a value: values may have parentheses of their own.
fn value_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match (letter, depth) {
            ('(', _) => depth += 1,
            (')', 0) => return Some(at),
            (')', _) => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_and_notes_are_told_apart() {
        let text = "Transaction(STRT) Priority(001) Enabled\nTransaction(CEMT)\n  Program( )\n  Name(A(1))\n\nSTRT: NORMAL\n";
        assert_eq!(
            as_json(text, 0),
            json!({
                "resources": [
                    { "Transaction": "STRT", "Priority": "001", "Enabled": true },
                    { "Transaction": "CEMT", "Program": "", "Name": "A(1)" },
                ],
                "notes": ["STRT: NORMAL"],
                "errors": 0,
            })
        );
        assert_eq!(
            as_json("'NONSENSE' is not valid\n", 1),
            json!({ "resources": [], "notes": ["'NONSENSE' is not valid"], "errors": 1 })
        );
    }
}
