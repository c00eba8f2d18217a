//! Operands that mapset, map and field share: extended attributes, and controls of mapset and map.

use super::arguments::{Arguments, Choice, YES_NO};
use super::operand::Word;
use super::report::Report;
use crate::attribute::{EXTENDED_KINDS, Extended, ExtendedSet, ExtendedValues};
use crate::map::{Control, LineWidth};

const COLOURS: &[Choice<u8>] = &[
    ("DEFAULT", 0x00),
    ("BLUE", 0xF1),
    ("RED", 0xF2),
    ("PINK", 0xF3),
    ("GREEN", 0xF4),
    ("TURQUOISE", 0xF5),
    ("YELLOW", 0xF6),
    ("NEUTRAL", 0xF7),
];
const HIGHLIGHTS: &[Choice<u8>] = &[("OFF", 0x00), ("BLINK", 0xF1), ("REVERSE", 0xF2), ("UNDERLINE", 0xF4)];
/// USEREXIT has no value on the wire: the terminal does nothing for it.
const VALIDATIONS: &[Choice<u8>] =
    &[("MUSTFILL", 0x04), ("MUSTENTER", 0x02), ("TRIGGER", 0x01), ("USEREXIT", 0x00)];
const OUTLINES: &[Choice<u8>] =
    &[("BOX", 0x0F), ("UNDER", 0x01), ("RIGHT", 0x02), ("OVER", 0x04), ("LEFT", 0x08)];
const TRANSPARENCIES: &[Choice<u8>] = &[("YES", 0x00), ("NO", 0xFF)];
const MIXED: &[Choice<u8>] = &[("YES", 0x01), ("NO", 0x00)];
const KINDS: &[Choice<Extended>] = &[
    ("COLOR", Extended::Colour),
    ("PS", Extended::Symbols),
    ("HILIGHT", Extended::Highlight),
    ("VALIDN", Extended::Validation),
    ("OUTLINE", Extended::Outline),
    ("SOSI", Extended::Mixed),
    ("TRANSP", Extended::Transparency),
];

/// Extended attributes as far as they are given; the others are inherited.
#[derive(Clone, Copy, Default)]
pub struct Given([Option<u8>; EXTENDED_KINDS]);

impl Given {
    /// Those that a macro gives.
    pub fn read(arguments: &Arguments, report: &mut Report) -> Self {
        Self(Extended::ALL.map(|kind| value(kind, arguments, report)))
    }

    /// The attributes of this macro, else those of the enclosing one.
    pub fn or(self, outer: Self) -> Self {
        let mut merged = self;
        for (own, inherited) in merged.0.iter_mut().zip(outer.0) {
            *own = own.or(inherited);
        }
        merged
    }

    /// The kinds that are given.
    pub fn kinds(self) -> ExtendedSet {
        let given = Extended::ALL.into_iter().filter(|kind| self.0[*kind as usize].is_some());
        given.fold(ExtendedSet::NONE, ExtendedSet::with)
    }

    pub fn values(self) -> ExtendedValues {
        ExtendedValues(self.0.map(Option::unwrap_or_default))
    }
}

fn value(kind: Extended, arguments: &Arguments, report: &mut Report) -> Option<u8> {
    let keyword = kind.word();
    match kind {
        Extended::Colour => arguments.choice(keyword, COLOURS, report),
        Extended::Highlight => arguments.choice(keyword, HIGHLIGHTS, report),
        Extended::Symbols => symbol_set(arguments.get(keyword)?.words.first()?, report),
        Extended::Validation => combined(arguments.choices(keyword, VALIDATIONS, report)),
        Extended::Outline => combined(arguments.choices(keyword, OUTLINES, report)),
        Extended::Mixed => arguments.choice(keyword, MIXED, report),
        Extended::Transparency => arguments.choice(keyword, TRANSPARENCIES, report),
    }
}

fn combined<P>(bits: Option<Vec<(u8, P)>>) -> Option<u8> {
    bits.map(|bits| bits.into_iter().fold(0, |all, (bit, _)| all | bit))
}

/// PS=BASE, a letter or digit, or X'hh'.
fn symbol_set(word: &Word, report: &mut Report) -> Option<u8> {
    let set = match word.text.as_bytes() {
        b"BASE" => Some(0x00),
        [letter @ b'A'..=b'I'] => Some(0xC1 + (letter - b'A')),
        [letter @ b'J'..=b'R'] => Some(0xD1 + (letter - b'J')),
        [letter @ b'S'..=b'Z'] => Some(0xE2 + (letter - b'S')),
        [digit @ b'0'..=b'9'] => Some(0xF0 + (digit - b'0')),
        [b'X', b'\'', hex @ .., b'\''] => {
            std::str::from_utf8(hex).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok())
        }
        _ => None,
    };
    if set.is_none() {
        report.illegal_value("PS", &word.text, word.place, "BASE, one letter or digit, or X'hh'");
    }
    set
}

/// The values of MAPATTS, DSATTS and EXTATT of one macro; `None` if it does not give them.
#[derive(Clone, Copy, Default)]
pub struct Announced {
    pub map: Option<ExtendedSet>,
    pub data: Option<ExtendedSet>,
}

impl Announced {
    pub fn read(arguments: &Arguments, report: &mut Report) -> Self {
        let mut kinds = |keyword| {
            arguments
                .choices(keyword, KINDS, report)
                .map(|kinds| kinds.into_iter().fold(ExtendedSet::NONE, |set, (kind, _)| set.with(kind)))
        };
        let (map, data) = (kinds("MAPATTS"), kinds("DSATTS"));
        let (old_map, old_data) = match arguments.choice("EXTATT", EXTATT, report) {
            None => (None, None),
            Some(Old::No) => (Some(ExtendedSet::NONE), Some(ExtendedSet::NONE)),
            Some(Old::MapOnly) => (Some(ExtendedSet::extatt()), Some(ExtendedSet::NONE)),
            Some(Old::Yes) => (Some(ExtendedSet::extatt()), Some(ExtendedSet::extatt())),
        };
        Self { map: map.or(old_map), data: data.or(old_data) }
    }

    pub fn or(self, outer: Self) -> Self {
        Self { map: self.map.or(outer.map), data: self.data.or(outer.data) }
    }
}

#[derive(Clone, Copy)]
enum Old {
    No,
    MapOnly,
    Yes,
}

const EXTATT: &[Choice<Old>] = &[("NO", Old::No), ("MAPONLY", Old::MapOnly), ("YES", Old::Yes)];

#[derive(Clone, Copy)]
enum Ctrl {
    Print,
    Alarm,
    Freekb,
    Frset,
    Width(LineWidth),
}

const CTRL: &[Choice<Ctrl>] = &[
    ("PRINT", Ctrl::Print),
    ("FREEKB", Ctrl::Freekb),
    ("ALARM", Ctrl::Alarm),
    ("FRSET", Ctrl::Frset),
    ("L40", Ctrl::Width(LineWidth::L40)),
    ("L64", Ctrl::Width(LineWidth::L64)),
    ("L80", Ctrl::Width(LineWidth::L80)),
    ("HONEOM", Ctrl::Width(LineWidth::AsFormatted)),
];

/// CTRL.
pub fn control(arguments: &Arguments, report: &mut Report) -> Option<Control> {
    let words = arguments.choices("CTRL", CTRL, report)?;
    let mut control = Control::default();
    for (word, _) in words {
        match word {
            Ctrl::Print => control.print = true,
            Ctrl::Alarm => control.alarm = true,
            Ctrl::Freekb => control.freekb = true,
            Ctrl::Frset => control.frset = true,
            Ctrl::Width(width) => control.width = width,
        }
    }
    Some(control)
}

/// The settings that a mapset gives for all its maps, and a map for itself.
#[derive(Clone, Copy, Default)]
pub struct Settings {
    pub given: Given,
    pub announced: Announced,
    pub control: Option<Control>,
    pub prefix: Option<bool>,
    pub cursor_flagged: Option<bool>,
}

impl Settings {
    pub fn read(arguments: &Arguments, report: &mut Report) -> Self {
        if arguments.choice("DATA", DATA, report) == Some(Data::Block)
            && let Some(place) = arguments.place("DATA")
        {
            report.unsupported("DATA=BLOCK", "taken as DATA=FIELD", place);
        }
        Self {
            given: Given::read(arguments, report),
            announced: Announced::read(arguments, report),
            control: control(arguments, report),
            prefix: arguments.choice("TIOAPFX", YES_NO, report),
            cursor_flagged: arguments.choice("CURSLOC", YES_NO, report),
        }
    }

    /// A map's settings within its mapset.
    pub fn or(self, outer: &Self) -> Self {
        Self {
            given: self.given.or(outer.given),
            announced: self.announced.or(outer.announced),
            control: self.control.or(outer.control),
            prefix: self.prefix.or(outer.prefix),
            cursor_flagged: self.cursor_flagged.or(outer.cursor_flagged),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Data {
    Field,
    Block,
}

const DATA: &[Choice<Data>] = &[("FIELD", Data::Field), ("BLOCK", Data::Block)];
