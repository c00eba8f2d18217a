//! Records that programs by GnuCOBOL see otherwise than z/OS.

use std::sync::Arc;

use diagnostics::{Place, Source};

use crate::layout::{Field, Form, Kind, Layout, Usage};
use crate::parse::{parse, parse_as};

/// A field that GnuCOBOL's programs see otherwise than a reader of z/OS's records does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The field, or FILLER.
    pub field: String,
    /// The place of its description.
    pub place: Place,
    /// The difference, as the end of a sentence about the field.
    pub reason: &'static str,
}

/// The first such field of each record of a copybook.
pub fn hosted_differences(source: &Arc<Source>) -> Vec<Difference> {
    let (ours, theirs) = (parse(source), parse_as(source, Form::Gnucobol));
    ours.layouts.iter().zip(&theirs.layouts).filter_map(|(ours, theirs)| first(ours, theirs)).collect()
}

fn first(ours: &Layout, theirs: &Layout) -> Option<Difference> {
    let (ours, theirs) = (ours.fields(), theirs.fields());
    // The end of the first table of varying size.
    let mut varying: Option<usize> = None;
    ours.into_iter().zip(theirs).find_map(|(field, other)| {
        let moved = varying.is_some_and(|end| field.offset >= end && field.parts().is_empty());
        let varies = field.occurs.as_ref().is_some_and(|occurs| occurs.depending.is_some());
        varying = varying.or(varies.then_some(field.offset + field.extent()));
        let reason = reason(field, other).or(moved.then_some("stands behind a table of varying size"))?;
        let name = field.name.clone().unwrap_or_else(|| "FILLER".to_owned());
        Some(Difference { field: name, place: field.place.clone(), reason })
    })
}

fn reason(field: &Field, other: &Field) -> Option<&'static str> {
    match &field.kind {
        Kind::Elementary(Usage::Binary { highest_first: false, .. }) if field.length > 1 => {
            Some("is COMP-5, which GnuCOBOL keeps with its lowest byte first")
        }
        Kind::Elementary(Usage::Float) => {
            Some("is COMP-1 or COMP-2, which GnuCOBOL keeps in binary floating point")
        }
        Kind::Elementary(Usage::Index) => Some("is INDEX, which GnuCOBOL keeps with its lowest byte first"),
        Kind::Elementary(_) if field.length != other.length => {
            Some("is a pointer, which has eight bytes by GnuCOBOL and four by z/OS")
        }
        Kind::Elementary(_) if field.offset != other.offset => {
            Some("is SYNCHRONIZED, which GnuCOBOL aligns to the length of the item")
        }
        _ => None,
    }
}
