//! Checks that need the names, or a whole map: fields outside, overlaps, groups, repeated names.

use std::collections::HashSet;

use super::letters::Span;
use super::map::OpenMap;
use super::report::Report;
use crate::layout::heads;
use crate::map::{Field, Map};

/// The most named fields that a map may have.
const NAMED_FIELDS_MAX: usize = 1023;

/// Checks a map whose fields are all read; fields outside the map are left out.
pub fn finish(open: OpenMap, report: &mut Report) -> Map {
    let OpenMap { mut map, places, place, .. } = open;
    let mut places = places.into_iter();
    let fields = std::mem::take(&mut map.fields);
    let (kept, places): (Vec<Field>, Vec<Span>) = fields
        .into_iter()
        .filter_map(|field| places.next().map(|place| (field, place)))
        .filter(|(field, place)| inside(&map, field, *place, report))
        .unzip();
    map.fields = kept;
    names(&map, &places, report);
    groups(&map, &places, report);
    overlaps(&map, &places, report);
    if map.fields.iter().filter(|field| field.name.is_some()).count() > NAMED_FIELDS_MAX {
        report.too_many_fields(&map.name, NAMED_FIELDS_MAX, place);
    }
    map
}

/// The places of the map that a field takes with all its occurrences, attribute characters included.
fn extent(field: &Field, heads: bool) -> std::ops::Range<usize> {
    let start = usize::from(field.position);
    let end = start + (usize::from(field.length) + 1) * usize::from(field.occurs);
    if heads { start..end } else { start + 1..end }
}

fn inside(map: &Map, field: &Field, place: Span, report: &mut Report) -> bool {
    let inside = extent(field, true).end <= map.size.positions();
    if !inside {
        report.outside_map(map.size.rows, map.size.columns, place);
    }
    inside
}

fn names(map: &Map, places: &[Span], report: &mut Report) {
    let mut seen = HashSet::new();
    for (field, place) in map.fields.iter().zip(places) {
        if let Some(name) = &field.name
            && !seen.insert(name)
        {
            report.field_repeated(name, *place);
        }
    }
}

fn groups(map: &Map, places: &[Span], report: &mut Report) {
    let mut seen = HashSet::new();
    for ((field, heads), place) in heads(map).zip(places) {
        if let Some(group) = &field.group
            && heads
            && !seen.insert(group)
        {
            report.group_split(group, *place);
        }
    }
}

fn overlaps(map: &Map, places: &[Span], report: &mut Report) {
    let mut extents: Vec<_> =
        heads(map).zip(places).map(|((field, heads), place)| (extent(field, heads), field, *place)).collect();
    extents.sort_by_key(|(extent, _, place)| (extent.start, place.line));
    let mut furthest: Option<(usize, &Field, Span)> = None;
    for (extent, field, place) in extents {
        if let Some((end, other, other_place)) = furthest
            && extent.start < end
        {
            let other = other.name.as_deref().unwrap_or("the constant");
            report.overlaps(other, other_place.line, place);
        }
        if furthest.is_none_or(|(end, ..)| extent.end > end) {
            furthest = Some((extent.end, field, place));
        }
    }
}
