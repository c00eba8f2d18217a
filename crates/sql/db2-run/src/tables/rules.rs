//! The rules of a table as bytes, which its definition keeps.
//!
//! ```text
//! 1  format
//! 2  number of checks; of each the name and the text of its condition
//! 2  number of foreign keys; of each the name, the parent, a byte for ON DELETE, 2 number of columns, 2 for each
//! ```
//! In format 1 a parent has no schema before it: it is in that of the table. A text is 2 bytes of length and its UTF-8. All numbers have their most significant byte first. No bytes: no rules.

use db2_syntax::{Check, OnDelete, Reference, full_name};

use super::bytes::{Reader, number, text};

const FORMAT: u8 = 2;
const WITHOUT_SCHEMAS: u8 = 1;

/// The rules as bytes.
pub(super) fn encoded(checks: &[Check], references: &[Reference]) -> Vec<u8> {
    if checks.is_empty() && references.is_empty() {
        return Vec::new();
    }
    let mut bytes = vec![FORMAT];
    number(&mut bytes, checks.len());
    for check in checks {
        text(&mut bytes, &check.name);
        text(&mut bytes, &check.text);
    }
    number(&mut bytes, references.len());
    for reference in references {
        text(&mut bytes, &reference.name);
        text(&mut bytes, &reference.parent);
        bytes.push(match reference.on_delete {
            OnDelete::Restrict => 0,
            OnDelete::Cascade => 1,
            OnDelete::SetNull => 2,
        });
        number(&mut bytes, reference.columns.len());
        reference.columns.iter().for_each(|column| number(&mut bytes, *column));
    }
    bytes
}

/// The rules of such bytes, of a table in a schema; `None`: they are none of this version.
pub(super) fn decoded(bytes: &[u8], schema: &str) -> Option<(Vec<Check>, Vec<Reference>)> {
    if bytes.is_empty() {
        return Some((Vec::new(), Vec::new()));
    }
    let (&format @ (FORMAT | WITHOUT_SCHEMAS), rest) = bytes.split_first()? else { return None };
    let mut reader = Reader(rest);
    let (mut checks, mut references) = (Vec::new(), Vec::new());
    for _ in 0..reader.number()? {
        checks.push(Check { name: reader.text()?, text: reader.text()? });
    }
    for _ in 0..reader.number()? {
        let (name, parent) = (reader.text()?, reader.text()?);
        let parent = if format == WITHOUT_SCHEMAS { full_name(schema, &parent) } else { parent };
        let on_delete = match reader.take(1)? {
            [0] => OnDelete::Restrict,
            [1] => OnDelete::Cascade,
            [2] => OnDelete::SetNull,
            _ => return None,
        };
        let columns = (0..reader.number()?).map(|_| reader.number()).collect::<Option<_>>()?;
        references.push(Reference { name, columns, parent, on_delete });
    }
    reader.0.is_empty().then_some((checks, references))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_come_back_from_their_bytes_and_from_no_others() {
        let checks = vec![Check { name: "C1".into(), text: "A <> 'ü'".into() }];
        let reference =
            |on_delete| Reference { name: "F".into(), columns: vec![3, 0], parent: "P".into(), on_delete };
        let references = vec![reference(OnDelete::Cascade), reference(OnDelete::SetNull)];
        let bytes = encoded(&checks, &references);
        assert_eq!(decoded(&bytes, "S"), Some((checks, references)));
        assert_eq!(decoded(&encoded(&[], &[]), "S"), Some((Vec::new(), Vec::new())));
        let former = [&[WITHOUT_SCHEMAS], &bytes[1..]].concat();
        assert_eq!(decoded(&former, "S").unwrap().1[0].parent, "S.P");
        for end in 1..bytes.len() {
            assert_eq!(decoded(&bytes[..end], "S"), None, "{end} bytes");
        }
        assert_eq!(decoded(&[bytes.as_slice(), &[0]].concat(), "S"), None);
    }
}
