//! The elementary fields of one record, one after the other: tables as often as they occur, one description of each
//! area.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::choice::Choices;
use crate::layout::{Field, Form, Kind, Layout, Occurs, Usage};
use crate::number::read_whole;
use crate::text::value_text_of;

/// The reason why a record does not fit a layout, or a value does not fit a field.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// The record goes on where the layout ends.
    #[error("the record has {record} bytes, the layout {layout}")]
    TooLong {
        /// Bytes of the record.
        record: usize,
        /// Bytes of the layout, with its tables as large as this record says.
        layout: usize,
    },
    /// The record ends in the middle of a field that is not text.
    #[error("the record ends within {field}")]
    Cut {
        /// The field.
        field: String,
    },
    /// The number of occurrences is not a number, or not one that the table can have.
    #[error("{field} occurs {min} to {max} times, not {count}")]
    Count {
        /// The table.
        field: String,
        /// The value in the record.
        count: String,
        /// The least it may say.
        min: usize,
        /// The most it may say.
        max: usize,
    },
    /// OCCURS DEPENDING ON a field that is not before the table.
    #[error("{field} depends on {counter}, which does not stand before it")]
    NoCounter {
        /// The table.
        field: String,
        /// The field that holds the number of occurrences.
        counter: String,
    },
    /// A value that the field cannot hold.
    #[error("{field} cannot be {value}: {problem}")]
    Value {
        /// The path of the field.
        field: String,
        /// The value.
        value: String,
        /// The reason.
        problem: String,
    },
    /// A value for a field that is not in the record.
    #[error("the record has no field {field}")]
    NoField {
        /// The path.
        field: String,
    },
}

/// An elementary field at its place in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf<'a> {
    /// The field.
    pub field: &'a Field,
    /// The storage of its value.
    pub usage: Usage,
    /// Its start in this record.
    pub offset: usize,
    /// The number of its bytes that the record has: all, unless the record ends in a text.
    pub length: usize,
    form: Form,
    /// The fields from below the record down to this one, each with its subscript (from 1; 0 for none).
    trail: Vec<(&'a Field, usize)>,
}

impl Leaf<'_> {
    /// The name of the field within the record, as in `LINES(2).TEXT`. FILLERs leave no trace in it.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for (field, subscript) in &self.trail {
            let Some(name) = &field.name else { continue };
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
            if *subscript > 0 {
                path += &format!("({subscript})");
            }
        }
        path
    }

    /// Its value in a record, as text.
    pub fn value_text(&self, record: &[u8]) -> String {
        value_text_of(self.form, self.usage, &record[self.offset..self.offset + self.length])
    }

    /// The text of such a value.
    pub(crate) fn value_text_of(&self, bytes: &[u8]) -> String {
        value_text_of(self.form, self.usage, bytes)
    }

    /// Returns true if the field has a name.
    pub fn is_named(&self) -> bool {
        self.field.name.is_some()
    }
}

/// The leaves of a record in program characters.
pub fn leaves<'a>(
    layout: &'a Layout,
    choices: &Choices,
    record: &[u8],
) -> Result<Vec<Leaf<'a>>, RecordError> {
    let mut found = Vec::new();
    let mut record = record.to_vec();
    let length = walk(layout, choices, &mut record, |leaf, _| {
        found.push(leaf.clone());
        Ok(())
    })?;
    check_length(&record, length)?;
    Ok(found)
}

/// Visits every leaf of a record with the bytes of the record. Counters and deciding fields are read after their visit:
/// then they must be in program characters. Returns the length of the layout for this record.
pub(crate) fn walk<'a>(
    layout: &'a Layout,
    choices: &Choices,
    record: &mut [u8],
    visit: impl FnMut(&Leaf<'a>, &mut [u8]) -> Result<(), RecordError>,
) -> Result<usize, RecordError> {
    let mut wanted: Vec<&str> = choices.deciding().collect();
    for field in layout.fields() {
        wanted.extend(field.occurs.as_ref().and_then(|occurs| occurs.depending.as_deref()));
    }
    let wanted = wanted.into_iter().map(|name| (name.to_ascii_uppercase(), None)).collect();
    let mut walker = Walker { form: layout.form, choices, record, visit, seen: wanted, trail: Vec::new() };
    let saved = walker.all(&layout.root, 0)?;
    Ok(layout.length() - saved)
}

/// Refuses a record that is longer than its layout.
pub(crate) fn check_length(record: &[u8], layout: usize) -> Result<(), RecordError> {
    match record.len() {
        record if record > layout => Err(RecordError::TooLong { record, layout }),
        _ => Ok(()),
    }
}

struct Walker<'a, 'b, F> {
    form: Form,
    choices: &'b Choices,
    record: &'b mut [u8],
    visit: F,
    /// Fields that count or decide, once they have been visited: usage and bytes.
    seen: BTreeMap<String, Option<(Usage, Vec<u8>)>>,
    trail: Vec<(&'a Field, usize)>,
}

impl<'a, F> Walker<'a, '_, F>
where
    F: FnMut(&Leaf<'a>, &mut [u8]) -> Result<(), RecordError>,
{
    /// Visits all occurrences of a field whose offsets are `shift` bytes from where the layout has them; returns how
    /// many bytes shorter it is in this record than in the layout.
    fn all(&mut self, field: &'a Field, shift: isize) -> Result<usize, RecordError> {
        let Some(occurs) = &field.occurs else { return self.one(field, 0, shift) };
        let count = self.count(field, occurs)?;
        let mut saved = 0;
        for index in 0..count {
            let shift = shift + (index * field.length) as isize - saved as isize;
            saved += self.one(field, index + 1, shift)?;
        }
        // In GnuCOBOL's form only the table itself is shorter: the fields after it stay where they are.
        Ok(if self.form == Form::Gnucobol { 0 } else { saved + (occurs.max - count) * field.length })
    }

    fn one(&mut self, field: &'a Field, subscript: usize, shift: isize) -> Result<usize, RecordError> {
        let depth = self.trail.len();
        self.trail.push((field, subscript));
        let saved = match &field.kind {
            Kind::Group(parts) => self.group(parts, shift)?,
            Kind::Elementary(usage) => {
                self.leaf(field, *usage, field.offset.saturating_add_signed(shift))?;
                0
            }
        };
        self.trail.truncate(depth);
        Ok(saved)
    }

    fn group(&mut self, parts: &'a [Field], shift: isize) -> Result<usize, RecordError> {
        let mut saved = 0;
        for (at, base) in parts.iter().enumerate().filter(|(_, part)| part.redefines.is_none()) {
            let again = parts[at + 1..].iter().take_while(|part| part.redefines.is_some());
            let area: Vec<&Field> = std::iter::once(base).chain(again).collect();
            let chosen = self.choices.pick(&area, |name| self.value_of(name));
            let shorter = self.all(chosen, shift - saved as isize)?;
            if area.len() == 1 {
                saved += shorter;
            }
        }
        Ok(saved)
    }

    fn leaf(&mut self, field: &'a Field, usage: Usage, offset: usize) -> Result<(), RecordError> {
        let there = self.record.len().saturating_sub(offset).min(field.length);
        if there == 0 {
            return Ok(());
        }
        let trail = self.trail.get(1..).unwrap_or_default().to_vec();
        let leaf = Leaf { field, usage, offset, length: there, form: self.form, trail };
        if there < field.length && usage != Usage::Text {
            return Err(RecordError::Cut { field: leaf.path() });
        }
        (self.visit)(&leaf, self.record)?;
        if let Some(seen) = field.name.as_ref().and_then(|name| self.seen.get_mut(name)) {
            *seen = Some((usage, self.record[offset..offset + there].to_vec()));
        }
        Ok(())
    }

    fn seen(&self, name: &str) -> Option<&(Usage, Vec<u8>)> {
        self.seen.get(&name.to_ascii_uppercase())?.as_ref()
    }

    fn value_of(&self, name: &str) -> Option<String> {
        self.seen(name).map(|(usage, bytes)| value_text_of(self.form, *usage, bytes))
    }

    fn count(&self, field: &Field, occurs: &Occurs) -> Result<usize, RecordError> {
        let Some(counter) = &occurs.depending else { return Ok(occurs.max) };
        let name = || field.name.clone().unwrap_or_else(|| "FILLER".to_owned());
        let Some((usage, bytes)) = self.seen(counter) else {
            return Err(RecordError::NoCounter { field: name(), counter: counter.clone() });
        };
        let whole = read_whole(self.form, *usage, bytes).and_then(|number| usize::try_from(number).ok());
        match whole {
            Some(count) if (occurs.min..=occurs.max).contains(&count) => Ok(count),
            _ => Err(RecordError::Count {
                field: name(),
                count: value_text_of(self.form, *usage, bytes),
                min: occurs.min,
                max: occurs.max,
            }),
        }
    }
}
