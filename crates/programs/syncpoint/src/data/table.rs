//! Rows of a table in a CSV file (RFC 4180), and objects in a JSON file.

use std::io::{self, Read};

use super::describe::Fields;

/// Reads the rows of a CSV file, however many cells each has.
///
/// # Errors
/// The file cannot be read, is not in UTF-8, or has a quotation mark that is not closed.
pub(crate) fn read_rows(input: impl Read) -> io::Result<Vec<Vec<String>>> {
    let input = Quotes { input, are_even: true };
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(input);
    let mut rows = Vec::new();
    for row in reader.records() {
        rows.push(row?.iter().map(str::to_owned).collect());
    }
    if !reader.get_ref().are_even {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a quotation mark is not closed"));
    }
    Ok(rows)
}

/// An input whose quotation marks are counted: the reader of rows takes a file that ends within a cell.
struct Quotes<R> {
    input: R,
    are_even: bool,
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        for byte in &buffer[..count] {
            self.are_even ^= *byte == b'"';
        }
        Ok(count)
    }
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
        let rows = [vec!["A", "B,C", "say \"x\""], vec!["", " blank ", "two\r\nlines"], vec![""], vec!["Ä"]];
        let mut out = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        for row in &rows {
            out.write_record(row).expect("written");
        }
        let text = out.into_inner().expect("flushed");
        assert_eq!(read_rows(text.as_slice()).expect("read"), rows);
    }

    #[test]
    fn what_a_spreadsheet_writes_is_read() {
        let text = b"\xEF\xBB\xBFID,NAME\r\n1,\"O\"\"NEIL\"\r\n";
        assert_eq!(read_rows(&text[..]).expect("read"), [["ID", "NAME"], ["1", "O\"NEIL"]]);
    }

    #[test]
    fn a_cell_that_does_not_end_is_no_row() {
        assert!(read_rows(&b"A,\"B\nC,D\n"[..]).is_err());
        assert!(read_rows(&b"A\xFF,B\n"[..]).is_err());
    }
}
