//! DFHMDI: the start of a map, its size and its place on the page.

use std::ops::RangeInclusive;

use tn3270::datastream::Size;

use super::arguments::{Arguments, Choice, YES_NO, number};
use super::display::Settings;
use super::letters::{Span, span};
use super::mapset::OpenMapset;
use super::names::checked_name;
use super::report::Report;
use super::statement::Statement;
use crate::attribute::ExtendedSet;
use crate::map::{MAP_NAME_MAX, Map, Placement, SIDE_MAX, Start};

const OPERANDS: &[&str] = &[
    "SIZE", "LINE", "COLUMN", "JUSTIFY", "HEADER", "TRAILER", "CTRL", "EXTATT", "COLOR", "HILIGHT", "PS",
    "VALIDN", "CURSLOC", "TIOAPFX", "MAPATTS", "DSATTS", "OUTLINE", "SOSI", "TRANSP", "PARTN", "OBFMT",
    "DATA", "FLDSEP", "FIELDS", "TERM",
];

/// The size of a map that gives none: that of the screen every terminal has.
const DEFAULT_SIZE: Size = Size::new(24, 80);
const SIDES: RangeInclusive<u16> = 1..=SIDE_MAX;

/// A map whose fields are being read.
pub struct OpenMap {
    pub map: Map,
    pub settings: Settings,
    /// The places in the source of the map's fields.
    pub places: Vec<Span>,
    pub place: Span,
}

/// Reads a DFHMDI.
pub fn read(statement: &Statement, mapset: &OpenMapset, report: &mut Report) -> OpenMap {
    let arguments = Arguments::read(statement, OPERANDS, report);
    let place = span(&statement.operation);
    let name = checked_name(statement, "map", MAP_NAME_MAX, report);
    match &name {
        None => report.name_missing("DFHMDI", "map", place),
        Some(name) if mapset.mapset.maps.iter().any(|map| map.name == *name) => {
            report.map_repeated(name, span(statement.name.as_deref().unwrap_or_default()));
        }
        Some(_) => {}
    }
    let settings = Settings::read(&arguments, report).or(&mapset.settings);
    let data_attributes = settings.announced.data.unwrap_or_default();
    // Attributes that the operands themselves use count as announced.
    let map_attributes = settings.announced.map.unwrap_or(ExtendedSet::NONE).union(settings.given.kinds());
    let map = Map {
        name: name.unwrap_or_default(),
        mode: mapset.mode,
        size: size(&arguments, place, report),
        line: start(&arguments, "LINE", report),
        column: start(&arguments, "COLUMN", report),
        placement: placement(&arguments, report),
        header: arguments.choice("HEADER", YES_NO, report).unwrap_or(false),
        trailer: arguments.choice("TRAILER", YES_NO, report).unwrap_or(false),
        control: settings.control.unwrap_or_default(),
        prefix: settings.prefix.unwrap_or(false),
        cursor_flagged: settings.cursor_flagged.unwrap_or(false),
        map_attributes: map_attributes.union(data_attributes),
        data_attributes,
        fields: Vec::new(),
    };
    OpenMap { map, settings, places: Vec::new(), place }
}

fn size(arguments: &Arguments, place: Span, report: &mut Report) -> Size {
    let Some(value) = arguments.get("SIZE") else {
        report.size_missing(place);
        return DEFAULT_SIZE;
    };
    let sides: Vec<_> = value.words.iter().filter_map(|word| number("SIZE", word, SIDES, report)).collect();
    match sides.as_slice() {
        [rows, columns] => Size::new(*rows, *columns),
        _ => {
            if sides.len() == value.words.len() {
                report.illegal_value("SIZE", "that", value.place, "(lines,columns)");
            }
            DEFAULT_SIZE
        }
    }
}

fn start(arguments: &Arguments, keyword: &str, report: &mut Report) -> Start {
    match arguments.text(keyword) {
        None => Start::At(1),
        Some(("NEXT", _)) => Start::Next,
        Some(("SAME", _)) => Start::Same,
        Some(_) => arguments.number(keyword, SIDES, report).map_or(Start::At(1), Start::At),
    }
}

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
    First,
    Last,
}

const JUSTIFY: &[Choice<Side>] = &[
    ("LEFT", Side::Left),
    ("RIGHT", Side::Right),
    ("FIRST", Side::First),
    ("LAST", Side::Last),
    ("BOTTOM", Side::Last),
];

fn placement(arguments: &Arguments, report: &mut Report) -> Placement {
    let mut placement = Placement::default();
    for (side, _) in arguments.choices("JUSTIFY", JUSTIFY, report).unwrap_or_default() {
        match side {
            Side::Left => placement.right = false,
            Side::Right => placement.right = true,
            Side::First => placement.first = true,
            Side::Last => placement.last = true,
        }
    }
    placement
}
