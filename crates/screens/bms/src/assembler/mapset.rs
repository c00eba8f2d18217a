//! DFHMSD: the start and end of a mapset, and the settings for all its maps.

use super::arguments::{Arguments, Choice};
use super::display::Settings;
use super::letters::{Span, span};
use super::names::checked_name;
use super::report::Report;
use super::statement::Statement;
use crate::map::{MAP_NAME_MAX, Mapset, Mode, Storage};

const OPERANDS: &[&str] = &[
    "TYPE", "MODE", "LANG", "STORAGE", "BASE", "CTRL", "EXTATT", "COLOR", "HILIGHT", "PS", "VALIDN", "TERM",
    "SUFFIX", "CURSLOC", "TIOAPFX", "MAPATTS", "DSATTS", "OUTLINE", "SOSI", "TRANSP", "PARTN", "LDC",
    "OBFMT", "HTAB", "VTAB", "DATA", "FLDSEP", "FOLD", "TRIGRAPH", "DSECT",
];

/// A mapset whose end is not yet seen.
pub struct OpenMapset {
    pub mapset: Mapset,
    pub mode: Mode,
    pub settings: Settings,
    pub place: Span,
}

/// The action of a DFHMSD.
pub enum Macro {
    Start(OpenMapset),
    Final,
}

#[derive(Clone, Copy, PartialEq)]
enum Type {
    Start,
    Final,
}

const TYPES: &[Choice<Type>] = &[
    ("MAP", Type::Start),
    ("DSECT", Type::Start),
    ("&SYSPARM", Type::Start),
    ("&&SYSPARM", Type::Start),
    ("FINAL", Type::Final),
];
const MODES: &[Choice<Mode>] = &[("OUT", Mode::Out), ("IN", Mode::In), ("INOUT", Mode::InOut)];
/// Symbolic maps are generated for COBOL whichever language is named.
const LANGUAGES: &[Choice<()>] = &[("COBOL", ()), ("COBOL2", ()), ("ASM", ()), ("PLI", ()), ("C", ())];
const STORAGE: &[Choice<()>] = &[("AUTO", ())];

/// Reads a DFHMSD.
pub fn read(statement: &Statement, report: &mut Report) -> Macro {
    let arguments = Arguments::read(statement, OPERANDS, report);
    if arguments.choice("TYPE", TYPES, report) == Some(Type::Final) {
        return Macro::Final;
    }
    arguments.choice("LANG", LANGUAGES, report);
    let name = checked_name(statement, "mapset", MAP_NAME_MAX, report);
    if name.is_none() {
        report.name_missing("DFHMSD", "mapset", span(&statement.operation));
    }
    Macro::Start(OpenMapset {
        mapset: Mapset {
            name: name.unwrap_or_default(),
            suffix: arguments.text("SUFFIX").and_then(|(text, _)| text.chars().next()),
            storage: storage(&arguments, report),
            maps: Vec::new(),
        },
        mode: arguments.choice("MODE", MODES, report).unwrap_or(Mode::Out),
        settings: Settings::read(&arguments, report),
        place: span(&statement.operation),
    })
}

fn storage(arguments: &Arguments, report: &mut Report) -> Storage {
    let separate = arguments.choice("STORAGE", STORAGE, report).is_some();
    match arguments.text("BASE") {
        Some((_, place)) if separate => {
            report.exclusive("BASE", "STORAGE", place);
            Storage::Separate
        }
        Some((name, _)) => Storage::Base(name.to_owned()),
        None if separate => Storage::Separate,
        None => Storage::Overlaid,
    }
}
