//! Records as names with values, for tools that speak CSV or JSON.

use std::collections::BTreeMap;

use crate::choice::Choices;
use crate::layout::Layout;
use crate::text::write_value;
use crate::walk::{Leaf, RecordError, leaves, walk};

/// The named elementary fields of a record in program characters, in order: path and value.
///
/// Text is without the blanks at its end; numbers have their decimal point. Bytes that are not a value of their field,
/// and fields that are not interpreted, are `X'…'`.
pub fn decode(
    layout: &Layout,
    choices: &Choices,
    record: &[u8],
) -> Result<Vec<(String, String)>, RecordError> {
    let leaves = leaves(layout, choices, record)?;
    let value = |leaf: &Leaf<'_>| leaf.value_text(record);
    Ok(leaves.iter().filter(|leaf| leaf.is_named()).map(|leaf| (leaf.path(), value(leaf))).collect())
}

/// A record in program characters from paths and values, written as [`decode`] writes them. Fields that are not given
/// are blank or zero, as INITIALIZE leaves them.
pub fn encode<'v>(
    layout: &Layout,
    choices: &Choices,
    values: impl IntoIterator<Item = (&'v str, &'v str)>,
) -> Result<Vec<u8>, RecordError> {
    let mut values: BTreeMap<String, &str> =
        values.into_iter().map(|(path, value)| (path.to_ascii_uppercase(), value)).collect();
    let mut record = vec![0; layout.length()];
    let length = walk(layout, choices, &mut record, |leaf, record| {
        let into = &mut record[leaf.offset..leaf.offset + leaf.length];
        let given = if leaf.is_named() { values.remove(&leaf.path()) } else { None };
        write_value(layout.form, leaf.usage, given, into).map_err(|problem| RecordError::Value {
            field: leaf.path(),
            value: given.unwrap_or_default().to_owned(),
            problem,
        })
    })?;
    record.truncate(length);
    match values.into_keys().next() {
        Some(field) => Err(RecordError::NoField { field }),
        None => Ok(record),
    }
}
