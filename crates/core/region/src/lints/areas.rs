//! Areas of commands that are too short, and items of RESP that cannot hold what comes.

use cobol_check::CheckedProgram;
use cobol_data::{Area, Item, ItemId, Type};
use cobol_syntax::tree::{Expression, Operand};
use diagnostics::Diagnostic;

use super::constants::Constants;
use super::names::{off, place};
use super::{Found, Known, Used};
use crate::codes;

/// Digits that RESP and RESP2 have at most: conditions have numbers up to 130, reasons rarely four digits.
const RESPONSES: [(&str, usize); 2] = [("RESP", 3), ("RESP2", 4)];
/// Characters of a response that is moved to text: a fullword has eight digits.
const RESPONSE_TEXT: usize = 8;

pub(super) fn look<'a>(
    used: &Used<'a>,
    program: &'a CheckedProgram,
    constants: &Constants<'a>,
    known: &Known,
    found: &mut Found,
) {
    responses(used, program, found);
    for option in ["INTO", "FROM"] {
        let Some(value) = used.value(option) else { continue };
        let Some((id, item)) = whole_item(program, value) else { continue };
        if program.items.varies(id) || item.dynamic {
            continue;
        }
        let length = used.value("LENGTH").or_else(|| used.value("FLENGTH"));
        let given = length.map(|length| constants.number(length));
        let mut tell = |text: String, help: &str| {
            let message = Diagnostic::warning(codes::SHORT_AREA, text);
            found.push((place(used, value), message.help(format!("{help}; {}", off("short-area")))));
        };
        if let Some(Some(given)) = given
            && let Some(room) = room(program, item)
            && given > room
        {
            tell(
                format!("LENGTH says {given}, and {} has {room} bytes", item.display_name()),
                "other storage would be read or overwritten: give the area's own length",
            );
            continue;
        }
        let known_length = match given {
            None => item.length,
            Some(Some(given)) => given,
            Some(None) => continue,
        };
        let records = used.value("FILE").and_then(|file| constants.name(file));
        let records =
            records.and_then(|file| Some((*known.files.get(&file)?)?).map(|lengths| (file, lengths)));
        let Some((file, (average, maximum))) = records else { continue };
        match (option, used.command.name) {
            ("INTO", "READ" | "READNEXT" | "READPREV") if known_length < average => tell(
                format!(
                    "{} has {known_length} bytes, and records of {file} have {average}",
                    item.display_name()
                ),
                "a record is cut off and LENGERR raised: make the area as long as the record",
            ),
            ("FROM", "WRITE" | "REWRITE") if known_length > maximum => tell(
                format!(
                    "{} has {known_length} bytes, and records of {file} have {maximum}",
                    item.display_name()
                ),
                "LENGERR is raised: give LENGTH, or define longer records",
            ),
            _ => {}
        }
    }
}

/// The item that an expression is, as a whole.
fn whole_item<'a>(program: &'a CheckedProgram, value: &Expression) -> Option<(ItemId, &'a Item)> {
    match value.operand()? {
        Operand::Reference(reference) if reference.modification.is_none() => program.item(reference.id),
        _ => None,
    }
}

/// The bytes from an item to the end of its record, where that is storage of the program.
fn room(program: &CheckedProgram, item: &Item) -> Option<usize> {
    let own = matches!(item.area, Area::WorkingStorage | Area::LocalStorage);
    let record = program.items.get(item.record);
    own.then(|| program.items.extent(item.record).max(record.length).saturating_sub(item.offset))
}

fn responses(used: &Used<'_>, program: &CheckedProgram, found: &mut Found) {
    for (option, digits) in RESPONSES {
        let Some(value) = used.value(option) else { continue };
        let Some((_, item)) = whole_item(program, value) else { continue };
        let why = match &item.kind {
            Type::Numeric(numeric) => {
                let whole = i32::from(numeric.digits) - i32::from(numeric.scale);
                (whole < digits as i32).then(|| format!("{} digits", whole.max(0)))
            }
            Type::Alphanumeric | Type::Alphabetic => (item.length < RESPONSE_TEXT)
                .then(|| format!("{} characters, and the first digits of a fullword are zeros", item.length)),
            _ => None,
        };
        if let Some(why) = why {
            let text = format!("{} cannot hold every {option}: it has {why}", item.display_name());
            let message = Diagnostic::warning(codes::RESPONSE_ITEM, text);
            let help = format!("describe it as PIC S9(8) COMP; {}", off("response-item"));
            found.push((place(used, value), message.help(help)));
        }
    }
}
