//! Rows of a table in a CSV file (RFC 4180), and objects in a JSON file.

use std::io::{self, BufRead, Write};

use super::describe::Fields;

/// One row.
pub(crate) fn write_row<'r>(
    out: &mut dyn Write,
    values: impl IntoIterator<Item = &'r str>,
) -> io::Result<()> {
    let cells: Vec<String> = values.into_iter().map(cell).collect();
    writeln!(out, "{}", cells.join(","))
}

fn cell(value: &str) -> String {
    let quoted = value.contains([',', '"', '\n', '\r']) || value.starts_with(' ') || value.ends_with(' ');
    if quoted { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.to_owned() }
}

/// The next row; none at the end.
pub(crate) fn read_row(input: &mut dyn BufRead) -> io::Result<Option<Vec<String>>> {
    let mut text = String::new();
    // A quoted cell may go on in the next line.
    loop {
        if input.read_line(&mut text)? == 0 {
            break;
        }
        if text.matches('"').count().is_multiple_of(2) {
            break;
        }
    }
    if text.is_empty() {
        return Ok(None);
    }
    if !text.matches('"').count().is_multiple_of(2) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "its last cell has no closing quotation mark",
        ));
    }
    let (mut row, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut characters = text.trim_end_matches(['\n', '\r']).chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    row.push(cell);
    Ok(Some(row))
}

/// Fields as an object.
pub(crate) fn to_object(fields: Fields) -> serde_json::Value {
    fields.into_iter().map(|(name, value)| (name, serde_json::Value::String(value))).collect()
}

/// Returns an object as fields; `None` if it is not one of texts and numbers.
pub(crate) fn from_object(object: &serde_json::Value) -> Option<Fields> {
    let fields = object.as_object()?.iter().map(|(name, value)| {
        let text = match value {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Number(number) => number.to_string(),
            _ => return None,
        };
        Some((name.clone(), text))
    });
    fields.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were() {
        let rows = [vec!["A", "B,C", "say \"x\""], vec!["", " blank ", "two\nlines"]];
        let mut text = Vec::new();
        for row in &rows {
            write_row(&mut text, row.iter().copied()).expect("written");
        }
        let mut input = text.as_slice();
        for row in rows {
            assert_eq!(
                read_row(&mut input).expect("read"),
                Some(row.iter().map(|c| (*c).to_owned()).collect())
            );
        }
        assert_eq!(read_row(&mut input).expect("read"), None);
    }

    #[test]
    fn a_cell_that_does_not_end_is_no_row() {
        assert!(read_row(&mut &b"A,\"B\nC,D\n"[..]).is_err());
    }
}
