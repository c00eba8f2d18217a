//! DFHMDF: one field of a map.

use ebcdic::Characters;
use tn3270::datastream::Size;

use super::arguments::{Arguments, Choice, number};
use super::display::Given;
use super::letters::{Span, span};
use super::map::OpenMap;
use super::names::checked_name;
use super::operand::Value;
use super::picture::picture_length;
use super::report::Report;
use super::statement::Statement;
use crate::attribute::FieldAttribute;
use crate::map::{FIELD_NAME_MAX, Field, Initial, Justify};

const OPERANDS: &[&str] = &[
    "POS", "LENGTH", "JUSTIFY", "INITIAL", "XINIT", "GINIT", "ATTRB", "COLOR", "PS", "HILIGHT", "VALIDN",
    "GRPNAME", "OCCURS", "PICIN", "PICOUT", "OUTLINE", "SOSI", "TRANSP", "CASE",
];

/// Reads a DFHMDF and adds its field to the map, unless it has no place there.
pub fn read(statement: &Statement, open: &mut OpenMap, report: &mut Report) {
    let said = report.messages.len();
    let arguments = Arguments::read(statement, OPERANDS, report);
    let place = span(&statement.operation);
    let name = checked_name(statement, "field", FIELD_NAME_MAX, report);
    let size = open.map.size;
    let (Some(position), Some(length)) =
        (position(&arguments, size, place, report), length(&arguments, size, report))
    else {
        return;
    };
    let given = Given::read(&arguments, report);
    announce(&arguments, given, open, report);
    let (attribute, cursor) = attribute(&arguments, report);
    let field = Field {
        name,
        position,
        length,
        occurs: arguments.number("OCCURS", 1..=u16::MAX, report).unwrap_or(1),
        group: group(&arguments, report),
        attribute,
        cursor,
        extended: given.or(open.settings.given).values(),
        initial: initial(&arguments, length, report),
        justify: justify(&arguments, attribute, report),
        mixed_case: arguments.choice("CASE", CASE, report).is_some(),
        picture_in: picture(&arguments, "PICIN", length, report),
        picture_out: picture(&arguments, "PICOUT", length, report),
    };
    // A length of 0 may come from another error of the statement: then only that one is reported.
    if field.name.is_some() && field.length == 0 && report.messages.len() == said {
        report.empty_name(place);
    }
    open.map.fields.push(field);
    open.places.push(arguments.place("POS").unwrap_or(place));
}

const CASE: &[Choice<()>] = &[("MIXED", ())];

/// POS: a displacement from 0, or line and column from 1.
fn position(arguments: &Arguments, size: Size, place: Span, report: &mut Report) -> Option<u16> {
    let Some(value) = arguments.get("POS") else {
        report.position_missing(place);
        return None;
    };
    let outside = |report: &mut Report| report.outside_map(size.rows, size.columns, value.place);
    match value.words.as_slice() {
        [word] => {
            let position = number("POS", word, 0..=u16::MAX, report)?;
            if usize::from(position) < size.positions() {
                return Some(position);
            }
            outside(report);
        }
        [line, column] => {
            let line = number("POS", line, 1..=u16::MAX, report)?;
            let column = number("POS", column, 1..=u16::MAX, report)?;
            if line <= size.rows && column <= size.columns {
                return Some((line - 1) * size.columns + column - 1);
            }
            outside(report);
        }
        _ => report.illegal_value("POS", "that", value.place, "a number or (line,column)"),
    }
    None
}

/// LENGTH, else the length of the field's content or of its picture. Without any of them the field is an attribute
/// character alone: it stops the one before it.
fn length(arguments: &Arguments, size: Size, report: &mut Report) -> Option<u16> {
    // A map's size is at most 255 by 255, so its positions fit.
    let most = u16::try_from(size.positions()).unwrap_or(u16::MAX);
    if arguments.get("LENGTH").is_some() {
        return arguments.number("LENGTH", 0..=most, report);
    }
    let shown = arguments.text("INITIAL").map(|(text, _)| text.chars().count());
    let bytes = || arguments.text("XINIT").map(|(text, _)| text.chars().count() / 2);
    let pictured = |keyword| arguments.text(keyword).and_then(|(text, _)| picture_length(text));
    let length = shown.or_else(bytes).or_else(|| pictured("PICIN")).or_else(|| pictured("PICOUT"));
    Some(length.map_or(0, |length| u16::try_from(length).unwrap_or(most)))
}

/// Extended attributes that a field uses are sent even if MAPATTS forgot them, with a warning.
fn announce(arguments: &Arguments, given: Given, open: &mut OpenMap, report: &mut Report) {
    for kind in given.kinds().kinds() {
        if open.map.map_attributes.contains(kind) {
            continue;
        }
        if open.settings.announced.map.is_some()
            && let Some(place) = arguments.place(kind.word())
        {
            report.not_announced(kind.word(), place);
        }
        open.map.map_attributes = open.map.map_attributes.with(kind);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Attribute {
    Autoskip,
    Protected,
    Unprotected,
    Numeric,
    Bright,
    Normal,
    Dark,
    Detectable,
    Cursor,
    Set,
}

const ATTRIBUTES: &[Choice<Attribute>] = &[
    ("ASKIP", Attribute::Autoskip),
    ("PROT", Attribute::Protected),
    ("UNPROT", Attribute::Unprotected),
    ("NUM", Attribute::Numeric),
    ("BRT", Attribute::Bright),
    ("NORM", Attribute::Normal),
    ("DRK", Attribute::Dark),
    ("DET", Attribute::Detectable),
    ("IC", Attribute::Cursor),
    ("FSET", Attribute::Set),
];

/// Words of ATTRB of which a field can have only one. Many maps say both ASKIP and PROT: a skipped field is protected.
const ALTERNATIVES: &[&[Attribute]] = &[
    &[Attribute::Autoskip, Attribute::Unprotected],
    &[Attribute::Protected, Attribute::Unprotected],
    &[Attribute::Bright, Attribute::Normal, Attribute::Dark],
];

/// ATTRB. Without it a field is skipped; with it, a field is unprotected unless it says otherwise.
fn attribute(arguments: &Arguments, report: &mut Report) -> (FieldAttribute, bool) {
    let Some(words) = arguments.choices("ATTRB", ATTRIBUTES, report) else {
        return (FieldAttribute::AUTOSKIP, false);
    };
    for alternatives in ALTERNATIVES {
        let mut chosen = words.iter().filter(|(word, _)| alternatives.contains(word));
        if let (Some((one, _)), Some((other, place))) = (chosen.next(), chosen.next())
            && one != other
        {
            report.exclusive(attribute_word(*other), attribute_word(*one), *place);
        }
    }
    let bits = words.iter().fold(FieldAttribute::UNPROTECTED, |all, (word, _)| all.with(bits(*word)));
    (bits, words.iter().any(|(word, _)| *word == Attribute::Cursor))
}

fn bits(word: Attribute) -> FieldAttribute {
    match word {
        Attribute::Autoskip => FieldAttribute::AUTOSKIP,
        Attribute::Protected => FieldAttribute::PROTECTED,
        Attribute::Numeric => FieldAttribute::NUMERIC,
        Attribute::Bright => FieldAttribute::BRIGHT,
        Attribute::Dark => FieldAttribute::DARK,
        Attribute::Detectable => FieldAttribute::DETECTABLE,
        Attribute::Set => FieldAttribute::MODIFIED,
        Attribute::Unprotected | Attribute::Normal | Attribute::Cursor => FieldAttribute::UNPROTECTED,
    }
}

fn attribute_word(attribute: Attribute) -> &'static str {
    ATTRIBUTES.iter().find(|(_, other)| *other == attribute).map_or("", |(word, _)| word)
}

fn group(arguments: &Arguments, report: &mut Report) -> Option<String> {
    let (name, place) = arguments.text("GRPNAME")?;
    if arguments.get("OCCURS").is_some() {
        report.exclusive("GRPNAME", "OCCURS", place);
        return None;
    }
    Some(name.to_owned())
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
    Blank,
    Zero,
}

const JUSTIFY: &[Choice<Side>] =
    &[("LEFT", Side::Left), ("RIGHT", Side::Right), ("BLANK", Side::Blank), ("ZERO", Side::Zero)];

/// JUSTIFY: the part left out follows from the part given, and all of it from ATTRB=NUM.
fn justify(arguments: &Arguments, attribute: FieldAttribute, report: &mut Report) -> Justify {
    let Some(words) = arguments.choices("JUSTIFY", JUSTIFY, report) else {
        let numeric = attribute.has(FieldAttribute::NUMERIC) && !attribute.has(FieldAttribute::PROTECTED);
        return Justify { right: numeric, zero: numeric };
    };
    let given = |side| words.iter().any(|(word, _)| *word == side);
    let right = given(Side::Right) || given(Side::Zero) && !given(Side::Left);
    let zero = given(Side::Zero) || given(Side::Right) && !given(Side::Blank);
    Justify { right, zero }
}

/// INITIAL, XINIT or GINIT: the first of them that is given.
fn initial(arguments: &Arguments, length: u16, report: &mut Report) -> Initial {
    let given: Vec<&'static str> = ["INITIAL", "XINIT", "GINIT"]
        .into_iter()
        .filter(|keyword| arguments.get(keyword).is_some())
        .collect();
    if let [first, second, ..] = given.as_slice()
        && let Some(place) = arguments.place(second)
    {
        report.exclusive(second, first, place);
    }
    let Some(keyword) = given.first() else { return Initial::None };
    let Some(value) = arguments.get(keyword) else { return Initial::None };
    match *keyword {
        "INITIAL" => characters(value, length, report),
        "XINIT" => bytes(value, length, report),
        _ => {
            report.unsupported("GINIT", "the field has no initial value", value.place);
            Initial::None
        }
    }
}

/// The euro, and the byte that stands for it where terminals are of code page 1140.
const EURO: char = '\u{20ac}';
const EURO_BYTE: u8 = 0xA4;

fn characters(value: &Value, length: u16, report: &mut Report) -> Initial {
    let Some(word) = value.words.first().filter(|word| word.quoted) else {
        report.illegal_value("INITIAL", "a word", value.place, "characters between quotes");
        return Initial::None;
    };
    let mut text = Vec::with_capacity(word.text.len());
    for char in word.text.chars() {
        match Characters::default().byte(char) {
            Some(byte) => text.push(byte),
            None if char == EURO => {
                text.push(EURO_BYTE);
                report.euro(word.place);
            }
            None => report.not_in_code(char, word.place),
        }
    }
    cut("INITIAL", &mut text, length, value.place, report);
    Initial::Characters(text)
}

fn bytes(value: &Value, length: u16, report: &mut Report) -> Initial {
    let hex = value.words.first().map_or("", |word| word.text.as_str());
    let digits: Option<Vec<u32>> = hex.chars().map(|char| char.to_digit(16)).collect();
    match digits {
        Some(digits) if !digits.is_empty() && digits.len() % 2 == 0 => {
            // Each digit is below 16, so a pair fits a byte.
            let mut bytes: Vec<u8> = digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect();
            cut("XINIT", &mut bytes, length, value.place, report);
            Initial::Bytes(bytes)
        }
        _ => {
            report.illegal_value("XINIT", hex, value.place, "an even number of hexadecimal digits");
            Initial::None
        }
    }
}

fn cut(keyword: &str, text: &mut Vec<u8>, length: u16, place: Span, report: &mut Report) {
    if text.len() > usize::from(length) {
        report.initial_cut(keyword, text.len(), length, place);
        text.truncate(usize::from(length));
    }
}

fn picture(arguments: &Arguments, keyword: &str, length: u16, report: &mut Report) -> Option<String> {
    let (picture, place) = arguments.text(keyword)?;
    match picture_length(picture) {
        None => {
            report.illegal_value(keyword, picture, place, "a COBOL picture between quotes, as '$$$,$$9.99'");
            return None;
        }
        Some(described) if described != usize::from(length) => {
            report.picture_length(keyword, described, length, place);
        }
        Some(_) => {}
    }
    Some(picture.to_owned())
}
