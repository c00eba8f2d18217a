//! The data division: areas to items, the EXEC interface block, files, and what VALUE says of them.

use cobol_data::{Area, Built, DataOptions, Item, Money, Numeric, Representation, Type};
use cobol_source::{At, Format, NoLibrary, supplied};
use cobol_syntax::Executor;
use cobol_syntax::tree::{
    DataEntry, Environment, Figurative, FileKind, Literal, LiteralKind, Operand, Program, StatementKind,
};
use diagnostics::Source;
use ebcdic::Characters;

use crate::Context;
use crate::files::File;

/// The record of the EXEC interface block.
const INTERFACE_BLOCK: &str = "DFHEIBLK";
/// The record of the communication area.
const COMMAREA: &str = "DFHCOMMAREA";
/// The record of SQL's.
const SQL_AREA: &str = "SQLCA";

/// Puts into a program what the translators put there: the interface block of CICS, and the communication area of SQL where the
/// program has forgotten it.
pub(crate) fn supply_areas(program: &mut Program) {
    let Some(place) = program.procedure.as_ref().map(|procedure| procedure.at) else { return };
    if uses(program, Executor::Cics) || has_commarea_alone(program) {
        let (block, area) =
            (has(&program.data.linkage, INTERFACE_BLOCK), has(&program.data.linkage, COMMAREA));
        if !block {
            program.data.linkage.extend(interface_block(place));
        }
        if !area {
            program.data.linkage.extend(entries_of("       01  DFHCOMMAREA PIC X.\n", place));
        }
    }
    let data = &program.data;
    let sections = [&data.working_storage, &data.local_storage, &data.linkage];
    let has_one = |name: &&str| sections.iter().any(|section| has(section, name));
    if uses(program, Executor::Sql) && ![SQL_AREA, "SQLCODE", "SQLSTATE"].iter().any(has_one) {
        let area = supplied(SQL_AREA).map_or_else(Vec::new, |source| entries_of(&source.text, place));
        program.data.working_storage.extend(area);
    }
}

/// Returns true if a program describes the communication area and names no parameters: it is one of a task, whether it has commands
/// or not.
fn has_commarea_alone(program: &Program) -> bool {
    let names_none = program.procedure.as_ref().is_some_and(|procedure| procedure.using.is_empty());
    names_none && has(&program.data.linkage, COMMAREA)
}

/// Returns true if an item of that name is described.
fn has(entries: &[DataEntry], name: &str) -> bool {
    entries.iter().any(|entry| entry.name.as_ref().is_some_and(|n| &*n.text == name))
}

/// Returns true if a program, or one that it contains, has a block for an executor.
fn uses(program: &Program, executor: Executor) -> bool {
    let mut found = false;
    crate::walk::each(program, &mut |statement| {
        if let StatementKind::Exec(exec) = &statement.kind {
            found |= exec.executor == executor;
        }
    });
    found || program.contained.iter().any(|contained| uses(contained, executor))
}

/// The descriptions of the EXEC interface block, all at one place.
fn interface_block(place: At) -> Vec<DataEntry> {
    supplied(INTERFACE_BLOCK).map_or_else(Vec::new, |source| entries_of(&source.text, place))
}

/// The descriptions of a text, all at one place.
fn entries_of(text: &str, place: At) -> Vec<DataEntry> {
    let header =
        "       ID DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       LINKAGE SECTION.\n";
    let source = Source::new(INTERFACE_BLOCK, format!("{header}{text}"));
    let mut tree = cobol_syntax::parse(cobol_source::read(&source, &NoLibrary, Format::Fixed, 4));
    let mut entries = tree.programs.pop().map_or_else(Vec::new, |program| program.data.linkage);
    for entry in &mut entries {
        entry.at = place;
        if let Some(name) = &mut entry.name {
            name.at = place;
        }
        if let Some(picture) = &mut entry.picture {
            picture.at = place;
        }
        if let Some((_, at)) = &mut entry.usage {
            *at = place;
        }
    }
    entries
}

/// Passes a program's configuration section to those within it, which have none.
pub(crate) fn inherit(outer: &Environment, inner: &mut Environment) {
    inner.decimal_comma |= outer.decimal_comma;
    inner.currencies.extend(outer.currencies.iter().cloned());
    inner.classes.extend(outer.classes.iter().cloned());
    inner.mnemonics.extend(outer.mnemonics.iter().cloned());
    inner.alphabets.extend(outer.alphabets.iter().cloned());
    inner.symbolic.extend(outer.symbolic.iter().cloned());
    inner.collating = inner.collating.take().or_else(|| outer.collating.clone());
}

/// Options for all items, from the environment and the cards.
pub(crate) fn options(environment: &Environment, context: &Context<'_>) -> DataOptions {
    let mut money = Money { decimal_comma: environment.decimal_comma, ..Money::default() };
    if !environment.currencies.is_empty() {
        let symbols = environment.currencies.iter().filter_map(|currency| {
            let symbol = currency.symbol.as_ref().unwrap_or(&currency.sign).text.chars().next()?;
            Some((symbol.to_ascii_uppercase(), sign_bytes(&currency.sign)))
        });
        money.symbols = symbols.collect();
    } else if let Some(symbol) = cobol_source::currency(context.cards) {
        money.symbols = vec![(symbol.to_ascii_uppercase(), vec![literal_byte(symbol).unwrap_or(b'$')])];
    }
    DataOptions {
        money,
        pointer_length: context.options.pointer_length,
        digits_max: if context.has(&["ARITH", "AR"], "E") || context.has(&["ARITH", "AR"], "F") {
            31
        } else {
            18
        },
        national: !context.has(&["NSYMBOL", "NS"], "D"),
        align_to_length: false,
    }
}

/// The euro: no character of ISO 8859-1.
pub const EURO: char = '\u{20ac}';
/// The byte that stands for it, as [`ebcdic::CodePage::Ibm1140`] has it.
const EURO_BYTE: u8 = 0xA4;

/// The byte of a character in a literal; `None` if it has none.
pub fn literal_byte(character: char) -> Option<u8> {
    if character == EURO { Some(EURO_BYTE) } else { Characters::default().byte(character) }
}

/// The bytes that are written for a currency sign.
fn sign_bytes(sign: &Literal) -> Vec<u8> {
    if sign.kind == LiteralKind::Hexadecimal {
        let pair = |at: usize| u8::from_str_radix(sign.text.get(at..at + 2)?, 16).ok();
        return (0..sign.text.len()).step_by(2).filter_map(pair).collect();
    }
    sign.text.chars().map(|c| literal_byte(c).unwrap_or(b'?')).collect()
}

/// The items of a program.
pub(crate) fn items(program: &Program, options: &DataOptions) -> Built {
    let data = &program.data;
    let files = data.files.iter().enumerate().map(|(index, file)| (Area::File(index), &file.records[..]));
    let areas: Vec<(Area, &[DataEntry])> = files
        .chain([
            (Area::WorkingStorage, &data.working_storage[..]),
            (Area::LocalStorage, &data.local_storage[..]),
            (Area::Linkage, &data.linkage[..]),
        ])
        .collect();
    cobol_data::build(&areas, options)
}

/// SELECT and FD of each file, in the order of the data division, SELECTs without one behind them.
pub(crate) fn files(program: &Program, built: &Built) -> Vec<File> {
    let selects = &program.environment.files;
    let mut files: Vec<File> = Vec::new();
    for (index, description) in program.data.files.iter().enumerate() {
        let in_file = |id: &cobol_data::ItemId| built.items.get(*id).area == Area::File(index);
        let records: Vec<_> = built.records.iter().copied().filter(|id| in_file(id)).collect();
        let longest = records.iter().map(|id| built.items.get(*id).length).max().unwrap_or(0);
        files.push(File {
            name: description.name.clone(),
            description: Some((description.kind, index)),
            select: selects.iter().position(|select| select.name.text == description.name.text),
            record_length: longest,
            records,
        });
    }
    for (index, select) in selects.iter().enumerate() {
        if !files.iter().any(|file| file.select == Some(index)) {
            files.push(File {
                name: select.name.clone(),
                description: None,
                select: Some(index),
                records: Vec::new(),
                record_length: 0,
            });
        }
    }
    files
}

/// Reason why a file cannot be used.
pub(crate) fn file_complaint(file: &File) -> Option<(String, &'static str)> {
    match (file.description, file.select) {
        (None, _) => {
            Some((format!("the file {} has no FD", file.name.text), "describe it in the file section"))
        }
        (Some((FileKind::File, _)), None) => Some((
            format!("the file {} has no SELECT", file.name.text),
            "write SELECT and ASSIGN in FILE-CONTROL",
        )),
        _ => None,
    }
}

/// The complaint about a VALUE that its item's picture has no room for.
fn number_complaint(item: &Item, numeric: &Numeric, literal: &Literal) -> Option<(At, String, &'static str)> {
    let (whole, _) = literal.text.split_once('.').unwrap_or((&literal.text, ""));
    let digits = whole.trim_start_matches(['+', '-', '0']).len() as i32;
    let room = i32::from(numeric.digits) - i32::from(numeric.scale.min(numeric.digits as i16));
    // A binary item may hold more digits than its picture.
    let cut = matches!(numeric.representation, Representation::Zoned(_) | Representation::Packed);
    if cut && digits > room {
        let message = format!(
            "this VALUE has {digits} digits in front of the decimal point, and {} has room for {room}",
            item.display_name()
        );
        return Some((literal.at, message, "take a smaller value, or give the item more digits"));
    }
    let negative = whole.starts_with('-') && literal.text.contains(|c: char| matches!(c, '1'..='9'));
    (negative && !numeric.signed).then(|| {
        let message = format!("this VALUE is negative, and {} has no sign", item.display_name());
        (literal.at, message, "write S in front of the digits of its picture")
    })
}

/// A symbol of money that z/OS does not take, because it is a symbol of pictures already.
pub(crate) fn currency_complaints(environment: &Environment) -> impl Iterator<Item = (At, String)> + use<'_> {
    const TAKEN: &str = "0123456789ABCDEGNPRSVXZ *+-,.;()\"=/'";
    environment.currencies.iter().filter_map(|currency| {
        let literal = currency.symbol.as_ref().unwrap_or(&currency.sign);
        let symbol = literal.text.chars().next()?;
        TAKEN.contains(symbol.to_ascii_uppercase()).then(|| {
            (literal.at, format!("{symbol} means something else in pictures, and stands for no money"))
        })
    })
}

/// The complaint about the VALUE of an item.
pub(crate) fn value_complaint(item: &Item) -> Option<(At, String, &'static str)> {
    let value = item.values.first().filter(|_| item.level != 88)?;
    let at = value.from.at();
    match (&item.kind, &value.from) {
        (Type::Numeric(_), Operand::Literal(literal)) if literal.kind != LiteralKind::Number => Some((
            at,
            format!("{} is a number, and its VALUE is text", item.display_name()),
            "write the number without quotes; z/OS drops such a VALUE",
        )),
        (Type::Numeric(_), Operand::Figurative(constant, _))
            if !matches!(constant, Figurative::Zero | Figurative::All(_)) =>
        {
            Some((
                at,
                format!("{} is a number, and its VALUE is {}", item.display_name(), constant.name()),
                "write ZERO or a number",
            ))
        }
        (Type::Numeric(numeric), Operand::Literal(literal)) => number_complaint(item, numeric, literal),
        (Type::Alphanumeric | Type::Alphabetic, Operand::Literal(literal)) => {
            if literal.kind == LiteralKind::Number {
                return Some((
                    at,
                    format!("{} is text, and its VALUE is a number", item.display_name()),
                    "write the value in quotes",
                ));
            }
            let length = match literal.kind {
                LiteralKind::Hexadecimal => literal.text.len() / 2,
                LiteralKind::Text => literal.text.chars().count(),
                _ => return None,
            };
            (length > item.length).then(|| {
                (
                    at,
                    format!(
                        "this VALUE has {length} characters, and {} has {}",
                        item.display_name(),
                        item.length
                    ),
                    "shorten the value, or lengthen the item",
                )
            })
        }
        _ => None,
    }
}
