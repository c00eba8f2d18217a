//! Records of programs by GnuCOBOL as those that our compiler makes see them, and back.

use std::sync::Arc;

use cobol_runtime::floating::{Hex, Width};
use diagnostics::{Diagnostic, Source, any_error};

use crate::choice::Choices;
use crate::layout::{Field, Form, Kind, Layout, Usage};
use crate::parse::parse_as;
use crate::walk::{Leaf, RecordError, leaves, walk};

/// Rewrites records of one form as records of the other: addresses of eight and four bytes, binary and hexadecimal floating point,
/// COMP-5 with its lowest or its highest byte first, items where each form has them.
#[derive(Clone, Debug)]
pub struct Recast {
    from: Layout,
    to: Layout,
    choices: Choices,
    null_addresses: bool,
}

/// The wishes about a [`Recast`].
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The record of the copybook; without it the first.
    pub record: Option<String>,
    /// The descriptions that hold where areas are redefined.
    pub redefined: Vec<String>,
    /// The form that the records are to have.
    pub to: Form,
    /// Addresses become NULL, whatever they are; else only NULL itself is taken.
    pub null_addresses: bool,
}

/// The message about a copybook that does not say how its records are rewritten.
const UNDECIDED: &str = "SPCB013";

impl Recast {
    /// Reads a copybook.
    ///
    /// # Errors
    /// The fault of the layout, or of the wishes.
    pub fn new(source: &Arc<Source>, wishes: &Wishes) -> Result<Self, Vec<Diagnostic>> {
        let other = if wishes.to == Form::Zos { Form::Gnucobol } else { Form::Zos };
        let [from, to] = [other, wishes.to].map(|form| parse_as(source, form));
        if any_error(&from.messages) || any_error(&to.messages) {
            return Err(to.messages);
        }
        let refused = |text: String| vec![Diagnostic::error(UNDECIDED, text)];
        let wanted = |layout: &Layout| wishes.record.as_deref().is_none_or(|name| layout.root.is_named(name));
        let both = from.layouts.into_iter().zip(to.layouts).find(|(layout, _)| wanted(layout));
        let Some((from, to)) = both else {
            let name = wishes.record.as_deref().unwrap_or("a record");
            return Err(refused(format!("{} does not describe {name}", source.name)));
        };
        if let Some(unknown) = wishes.redefined.iter().find(|field| from.field(field).is_none()) {
            return Err(refused(format!("{} has no field {unknown}", source.name)));
        }
        if let Some((area, other)) = undecided(&from.root, &to.root, &wishes.redefined) {
            return Err(refused(format!(
                "{area} and {other} describe the same bytes, which become others by one description than by the other: \
                 name the one that holds"
            )));
        }
        let choices = wishes.redefined.iter().fold(Choices::new(), |choices, field| choices.always(field));
        Ok(Self { from, to, choices, null_addresses: wishes.null_addresses })
    }

    /// Returns true if some records become others.
    pub fn has_effect(&self) -> bool {
        differs(&self.from.root, &self.to.root) || moves(&self.from)
    }

    /// A record in the other form.
    ///
    /// # Errors
    /// It does not fit the copybook, or a value cannot be kept.
    pub fn record(&self, record: &[u8]) -> Result<Vec<u8>, RecordError> {
        let sources = leaves(&self.from, &self.choices, record)?;
        let mut out = vec![0; self.to.length()];
        let (mut next, mut end, mut is_whole) = (sources.iter(), 0, true);
        let length = walk(&self.to, &self.choices, &mut out, |leaf, out| {
            let Some(source) = next.next() else {
                is_whole = false;
                return Ok(());
            };
            let value = &record[source.offset..source.offset + source.length];
            // Only the last text of a record may be cut.
            let length = if leaf.usage == Usage::Text { source.length } else { leaf.length };
            self.value(source, value, &mut out[leaf.offset..leaf.offset + length])?;
            end = leaf.offset + length;
            is_whole &= source.length == source.field.length;
            Ok(())
        })?;
        // In GnuCOBOL's form, a record with a table of varying size at its end is as long as its present occurrences.
        let ends_in_table =
            self.to.form == Form::Gnucobol && end_of_varying(&self.to).is_some() && !moves(&self.to);
        out.truncate(if is_whole && !ends_in_table { length } else { end });
        Ok(out)
    }

    fn value(&self, source: &Leaf<'_>, from: &[u8], into: &mut [u8]) -> Result<(), RecordError> {
        let refuse = |value: String, problem: &str| {
            Err(RecordError::Value { field: source.path(), value, problem: problem.to_owned() })
        };
        match source.usage {
            Usage::Binary { highest_first: false, .. } | Usage::Index => {
                into.iter_mut().zip(from.iter().rev()).for_each(|(to, from)| *to = *from);
            }
            Usage::Float => match floating(self.to.form, from) {
                Some(bytes) if bytes.len() == into.len() => into.copy_from_slice(&bytes),
                _ => {
                    let other = if self.to.form == Form::Zos { "hexadecimal" } else { "binary" };
                    return refuse(
                        source.value_text_of(from),
                        &format!("{other} floating point has no such number"),
                    );
                }
            },
            Usage::Address if from.iter().any(|byte| *byte != 0) && !self.null_addresses => {
                return refuse(
                    source.value_text_of(from),
                    "an address means nothing outside of the task that had it, and only NULL is kept",
                );
            }
            // As it was: NULL.
            Usage::Address => {}
            Usage::Text
            | Usage::Zoned { .. }
            | Usage::Packed { .. }
            | Usage::Binary { .. }
            | Usage::Opaque => {
                into.copy_from_slice(from);
            }
        }
        Ok(())
    }
}

/// A number of floating point in the other form; `None` if that has no such number.
fn floating(to: Form, bytes: &[u8]) -> Option<Vec<u8>> {
    let width = [Width::Short, Width::Long].into_iter().find(|width| width.length() == bytes.len())?;
    match to {
        Form::Zos => {
            let number = match width {
                Width::Short => f64::from(f32::from_ne_bytes(bytes.try_into().ok()?)),
                Width::Long => f64::from_ne_bytes(bytes.try_into().ok()?),
            };
            let hex = Hex::from_f64(number)?;
            hex.to_bytes(width).filter(|_| hex.is_zero() == (number == 0.0))
        }
        Form::Gnucobol => {
            let hex = Hex::from_bytes(bytes);
            let number = hex.to_f64();
            let short = number as f32;
            let (bytes, is_zero, is_finite) = match width {
                Width::Short => (short.to_ne_bytes().to_vec(), short == 0.0, short.is_finite()),
                Width::Long => (number.to_ne_bytes().to_vec(), number == 0.0, number.is_finite()),
            };
            (is_finite && is_zero == hex.is_zero()).then_some(bytes)
        }
    }
}

/// The end of the first table of varying size.
fn end_of_varying(layout: &Layout) -> Option<usize> {
    let varies = |field: &&Field| field.occurs.as_ref().is_some_and(|occurs| occurs.depending.is_some());
    layout.fields().into_iter().find(varies).map(|field| field.offset + field.extent())
}

/// Returns true if fields follow a table of varying size: GnuCOBOL leaves them where they are.
fn moves(layout: &Layout) -> bool {
    end_of_varying(layout).is_some_and(|end| layout.fields().iter().any(|field| field.offset >= end))
}

/// Returns true if the bytes of a field become others, or lie elsewhere within it.
fn differs(from: &Field, to: &Field) -> bool {
    let of_usage = match from.kind {
        Kind::Elementary(Usage::Binary { highest_first, .. }) => !highest_first && from.length > 1,
        Kind::Elementary(Usage::Float | Usage::Index | Usage::Address) => true,
        _ => false,
    };
    let parts = from.parts().iter().zip(to.parts());
    let shifted = |(a, b): (&Field, &Field)| a.offset - from.offset != b.offset - to.offset;
    of_usage
        || from.length != to.length
        || parts.clone().any(shifted)
        || parts.clone().any(|(a, b)| differs(a, b))
}

/// Two descriptions of an area of which one has fields that become others, where no wish names one of them.
fn undecided(from: &Field, to: &Field, redefined: &[String]) -> Option<(String, String)> {
    let parts: Vec<(&Field, &Field)> = from.parts().iter().zip(to.parts()).collect();
    for (at, (base, _)) in parts.iter().enumerate().filter(|(_, (part, _))| part.redefines.is_none()) {
        let area: Vec<_> = std::iter::once(&parts[at])
            .chain(parts[at + 1..].iter().take_while(|(part, _)| part.redefines.is_some()))
            .collect();
        let is_decided = area.iter().any(|(part, _)| redefined.iter().any(|name| part.is_named(name)));
        if area.len() > 1 && !is_decided && area.iter().any(|(a, b)| differs(a, b)) {
            let name = |field: &Field| field.name.clone().unwrap_or_else(|| "FILLER".to_owned());
            return Some((name(base), name(area[1].0)));
        }
    }
    parts.into_iter().find_map(|(a, b)| undecided(a, b, redefined))
}
