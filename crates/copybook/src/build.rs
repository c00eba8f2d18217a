//! From entries to a tree of fields with offsets, as `cobc -std=ibm` lays them out.

use diagnostics::{Diagnostic, Severity};
use ebcdic::decimal::{MAX_DIGITS, ZonedSign};

use crate::clauses::{Entry, UsageClause};
use crate::layout::{Field, Kind, Layout, Usage};
use crate::picture::{Category, Picture};

/// How long a record may be.
const MAX_RECORD: usize = 1 << 28;
/// The length of a POINTER in hosted programs; 4 on z/OS, and in natively compiled ones.
pub(crate) const POINTER_LENGTH: usize = 8;
/// The length of an INDEX data item.
const INDEX_LENGTH: usize = 4;
/// Bytes of a national or double-byte character.
const DOUBLE_BYTE: usize = 2;

/// The layouts that entries describe: one for each 01 or 77. Entries without one make an unnamed layout together.
pub(crate) fn layouts(
    entries: &[Entry],
    pointer_length: usize,
    messages: &mut Vec<Diagnostic>,
) -> Vec<Layout> {
    let mut builder = Builder { messages, pointer_length };
    let mut layouts = Vec::new();
    let mut rest = entries;
    while let Some(first) = rest.first() {
        let top = |entry: &Entry| matches!(entry.level, 1 | 77);
        let others = rest[1..].iter().position(top).map_or(rest.len(), |at| at + 1);
        let (entries, after) = rest.split_at(others);
        let root = if top(first) {
            builder.field(first, &entries[1..], 0, Inherited::default()).0
        } else {
            builder.unnamed(first, entries)
        };
        builder.tell_about(&root);
        layouts.push(Layout { root });
        rest = after;
    }
    layouts
}

/// What a group says for all its parts.
#[derive(Clone, Copy, Default)]
struct Inherited {
    usage: Option<UsageClause>,
    sign: Option<ZonedSign>,
}

struct Builder<'a> {
    messages: &'a mut Vec<Diagnostic>,
    /// Of a POINTER.
    pointer_length: usize,
}

impl Builder<'_> {
    fn unnamed(&mut self, first: &Entry, entries: &[Entry]) -> Field {
        let (parts, length, _) = self.parts(entries, 0, Inherited::default());
        Field {
            name: None,
            level: 1,
            kind: Kind::Group(parts),
            offset: 0,
            length,
            occurs: None,
            redefines: None,
            place: first.place.clone(),
        }
    }

    /// A field with its parts from an offset on; also the greatest alignment in it.
    fn field(
        &mut self,
        entry: &Entry,
        parts: &[Entry],
        offset: usize,
        inherited: Inherited,
    ) -> (Field, usize) {
        let inherited =
            Inherited { usage: entry.usage.or(inherited.usage), sign: entry.sign.or(inherited.sign) };
        let (kind, mut length, align) = if parts.is_empty() {
            let (usage, length) = self.elementary(entry, inherited);
            (Kind::Elementary(usage), length, if entry.synchronized { alignment(usage, length) } else { 1 })
        } else {
            if entry.picture.is_some() {
                self.error(
                    "SPCB007",
                    entry,
                    "a group has no PICTURE",
                    "take it away, or mend the level numbers",
                );
            }
            let (parts, length, align) = self.parts(parts, offset, inherited);
            (Kind::Group(parts), length, align)
        };
        if entry.occurs.as_ref().is_some_and(|occurs| occurs.max > 1) {
            length = length.next_multiple_of(align);
        }
        let mut occurs = entry.occurs.clone();
        let times = occurs.as_ref().map_or(1, |occurs| occurs.max);
        if length.checked_mul(times).is_none_or(|extent| extent > MAX_RECORD) {
            self.error("SPCB009", entry, "this field is too long", "a record has at most 256 megabytes");
            (length, occurs) = (0, None);
        }
        let field = Field {
            name: entry.name.clone(),
            level: entry.level,
            kind,
            offset,
            length,
            occurs,
            redefines: entry.redefines.as_ref().map(|(name, _)| name.clone()),
            place: entry.place.clone(),
        };
        (field, align)
    }

    /// The fields of a group that starts at an offset; their length together and the greatest alignment.
    fn parts(&mut self, entries: &[Entry], start: usize, inherited: Inherited) -> (Vec<Field>, usize, usize) {
        let (mut fields, mut at, mut greatest): (Vec<Field>, _, _) = (Vec::new(), start, 1);
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let own = rest[1..].iter().position(|e| e.level <= first.level).map_or(rest.len(), |end| end + 1);
            let (entry_and_parts, after) = rest.split_at(own);
            let redefined = self.redefined(first, &fields);
            let mut offset = redefined.unwrap_or(at);
            if first.synchronized && redefined.is_none() && own == 1 {
                offset = offset.next_multiple_of(self.alignment_of(first, inherited));
            }
            let (field, align) = self.field(first, &entry_and_parts[1..], offset, inherited);
            greatest = greatest.max(align);
            let end = offset.saturating_add(field.extent()).min(MAX_RECORD);
            at = at.max(end);
            fields.push(field);
            rest = after;
        }
        (fields, at - start, greatest)
    }

    fn alignment_of(&self, entry: &Entry, inherited: Inherited) -> usize {
        let (usage, length) =
            sized(entry.picture, entry.usage.or(inherited.usage), entry.sign, self.pointer_length)
                .unwrap_or_default();
        alignment(usage, length)
    }

    /// The offset of the field that an entry redefines.
    fn redefined(&mut self, entry: &Entry, fields: &[Field]) -> Option<usize> {
        let (name, place) = entry.redefines.as_ref()?;
        if matches!(entry.level, 1 | 77) {
            return None;
        }
        let found = fields.iter().rev().find(|field| field.is_named(name));
        if found.is_none() {
            let message = format!("there is no field {name} before this one in the group");
            let help = "REDEFINES names a field of the same group and level, described before";
            self.messages.push(Diagnostic::error("SPCB005", message).at(place.clone()).help(help));
        }
        found.map(|field| field.offset)
    }

    fn elementary(&mut self, entry: &Entry, inherited: Inherited) -> (Usage, usize) {
        match sized(entry.picture, inherited.usage, inherited.sign, self.pointer_length) {
            Ok(sized) => sized,
            Err(problem) => {
                let help = "give it a PICTURE that fits its USAGE, or describe its parts";
                self.error("SPCB003", entry, problem, help);
                (Usage::Text, 0)
            }
        }
    }

    fn error(&mut self, code: &'static str, entry: &Entry, message: &str, help: &str) {
        self.messages.push(Diagnostic::error(code, message).at(entry.place.clone()).help(help));
    }

    /// Says where a layout is not the same on z/OS.
    fn tell_about(&mut self, root: &Field) {
        let mut all = Vec::new();
        all.push(root);
        let mut varying = false;
        while let Some(field) = all.pop() {
            if varying && field.redefines.is_none() {
                self.note("SPCB011", field, "a field after a table of varying size", "programs here find it behind the table's greatest size; z/OS moves it up to the last occurrence");
                varying = false;
            }
            if field.kind == Kind::Elementary(Usage::Opaque) && field.length == POINTER_LENGTH {
                self.note(
                    "SPCB010",
                    field,
                    "a pointer has 8 bytes here",
                    "it has 4 on z/OS: a record with one cannot be exchanged",
                );
            }
            if field.occurs.as_ref().is_some_and(|occurs| occurs.depending.is_some()) {
                varying = true;
                continue;
            }
            all.extend(field.parts().iter().rev());
        }
    }

    fn note(&mut self, code: &'static str, field: &Field, message: &str, help: &str) {
        self.messages.push(Diagnostic::new(Severity::Note, code, message).at(field.place.clone()).help(help));
    }
}

/// Usage and length of an elementary field; the error says what is missing.
fn sized(
    picture: Option<Picture>,
    usage: Option<UsageClause>,
    sign: Option<ZonedSign>,
    pointer_length: usize,
) -> Result<(Usage, usize), &'static str> {
    match usage.unwrap_or(UsageClause::Display) {
        UsageClause::Float(length) => return Ok((Usage::Float, length)),
        UsageClause::Pointer => return Ok((Usage::Opaque, pointer_length)),
        UsageClause::Index => return Ok((Usage::Opaque, INDEX_LENGTH)),
        UsageClause::NativeBytes(length) => {
            let digits = MAX_DIGITS.min(length * 8 * 3 / 10 + 1);
            return Ok((Usage::Binary { digits, scale: 0, signed: true, native: true }, length));
        }
        _ => {}
    }
    let Picture { category, size, scale, signed } =
        picture.ok_or("this field has neither a PICTURE nor parts")?;
    match category {
        Category::National => return Ok((Usage::Opaque, size * DOUBLE_BYTE)),
        Category::Utf8 => return Ok((Usage::Opaque, size)),
        Category::Text if usage == Some(UsageClause::DoubleByte) => {
            return Ok((Usage::Opaque, size * DOUBLE_BYTE));
        }
        Category::Text if matches!(usage, None | Some(UsageClause::Display)) => {
            return Ok((Usage::Text, size));
        }
        Category::Text => return Err("only a number can have this USAGE"),
        Category::Numeric if usage == Some(UsageClause::DoubleByte) => {
            let separate = signed && sign.is_some_and(ZonedSign::is_separate);
            return Ok((Usage::Opaque, (size + usize::from(separate)) * DOUBLE_BYTE));
        }
        Category::Numeric if size > MAX_DIGITS => return Err("a number has at most 38 digits"),
        Category::Numeric => {}
    }
    let digits = size;
    Ok(match usage {
        Some(UsageClause::Packed) => (Usage::Packed { digits, scale, signed }, digits / 2 + 1),
        Some(UsageClause::Binary | UsageClause::Native) => {
            let native = usage == Some(UsageClause::Native);
            (Usage::Binary { digits, scale, signed, native }, binary_length(digits))
        }
        _ => {
            let sign = if signed { sign.unwrap_or(ZonedSign::Trailing) } else { ZonedSign::None };
            (Usage::Zoned { digits, scale, sign }, digits + usize::from(sign.is_separate()))
        }
    })
}

/// Bytes of a binary number: 2, 4 or 8 (`binary-size: 2-4-8`); 16 beyond what that holds.
fn binary_length(digits: usize) -> usize {
    match digits {
        0..=4 => 2,
        5..=9 => 4,
        10..=18 => 8,
        _ => 16,
    }
}

/// To what SYNCHRONIZED aligns a field.
fn alignment(usage: Usage, length: usize) -> usize {
    match usage {
        Usage::Binary { .. } | Usage::Float | Usage::Opaque if length.is_power_of_two() => length,
        _ => 1,
    }
}
