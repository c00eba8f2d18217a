//! The rules of a table as bytes, which its definition keeps.
//!
//! ```text
//! 1  format
//! 2  number of checks; of each the name and the text of its condition
//! 2  number of foreign keys; of each the name, the parent, a byte for ON DELETE, 2 number of columns, 2 for each
//! ```
//! A text is 2 bytes of length and its UTF-8. All numbers have their most significant byte first. No bytes: no rules.

use db2_syntax::{Check, OnDelete, Reference};

const FORMAT: u8 = 1;

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

fn number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend((number as u16).to_be_bytes());
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    number(bytes, text.len());
    bytes.extend(text.as_bytes());
}

/// The rules of such bytes; `None`: they are none of this version.
pub(super) fn decoded(bytes: &[u8]) -> Option<(Vec<Check>, Vec<Reference>)> {
    if bytes.is_empty() {
        return Some((Vec::new(), Vec::new()));
    }
    let (&FORMAT, rest) = bytes.split_first()? else { return None };
    let mut reader = Reader(rest);
    let (mut checks, mut references) = (Vec::new(), Vec::new());
    for _ in 0..reader.number()? {
        checks.push(Check { name: reader.text()?, text: reader.text()? });
    }
    for _ in 0..reader.number()? {
        let (name, parent) = (reader.text()?, reader.text()?);
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

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        self.take(2).map(|bytes| usize::from(u16::from_be_bytes([bytes[0], bytes[1]])))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
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
        assert_eq!(decoded(&bytes), Some((checks, references)));
        assert_eq!(decoded(&encoded(&[], &[])), Some((Vec::new(), Vec::new())));
        for end in 1..bytes.len() {
            assert_eq!(decoded(&bytes[..end]), None, "{end} bytes");
        }
        assert_eq!(decoded(&[bytes.as_slice(), &[0]].concat()), None);
    }
}
