//! Offsets and lengths: slack bytes, tables, redefinitions, RENAMES, and what moves behind a table of varying size.

use crate::built::Built;
use crate::item::{Item, ItemId, Items};
use crate::messages::{Complaint, Severity};
use crate::options::DataOptions;
use cobol_types::{Representation, Type, Utf8Length};

/// Greatest length of a record.
const RECORD_MAX: usize = 1 << 27;
/// Bytes of a character of UTF-8, at most.
const UTF_8_MAX: usize = 4;
/// Number of occurrences of an UNBOUNDED table whose length is not known.
const UNBOUNDED: usize = 1;

/// The length of an elementary item in bytes; 0 for a group.
pub(crate) fn own_length(kind: &Type, item: &Item, options: &DataOptions) -> usize {
    let size = || {
        let text = item.picture.as_deref().unwrap_or("");
        crate::picture(text, &options.money).map_or(0, |picture| picture.size)
    };
    match kind {
        Type::Group | Type::Condition | Type::Constant | Type::Unknown => 0,
        _ if item.is_group() => 0,
        Type::Alphabetic | Type::Alphanumeric => size(),
        Type::AlphanumericEdited(picture) | Type::NumericEdited(picture) | Type::FloatEdited(picture) => {
            picture.size
        }
        Type::NationalEdited(picture) => 2 * picture.size,
        Type::National | Type::DoubleByte => 2 * size(),
        Type::Utf8(Utf8Length::Characters(characters)) => UTF_8_MAX * *characters as usize,
        Type::Utf8(Utf8Length::Bytes(bytes)) => *bytes as usize,
        Type::Utf8(Utf8Length::Parts) => 0,
        Type::Numeric(numeric) => numeric.length(),
        Type::FloatShort | Type::Index | Type::IndexName => 4,
        Type::FloatLong => 8,
        Type::Pointer | Type::FunctionPointer => options.pointer_length,
        Type::ProcedurePointer | Type::Object => 8.max(options.pointer_length),
    }
}

/// Lays all records out.
pub(crate) fn lay_out(built: &mut Built, options: &DataOptions) {
    let records = built.records.clone();
    for record in records {
        let mut layout = Layout {
            items: &mut built.items,
            options,
            complaints: &mut built.complaints,
            varying: Vec::new(),
            dimensions: Vec::new(),
        };
        layout.item(record, 0, false, 0);
        let length = layout.items.get(record).length;
        if length > RECORD_MAX {
            let at = layout.items.get(record).at;
            let message = "this record is too long".to_owned();
            let help = "a record has at most 128 megabytes";
            layout.complaints.push(Complaint {
                severity: Severity::Error,
                code: "SPDD019",
                at,
                message,
                help,
            });
        }
    }
    for id in (0..built.items.list.len()).map(|index| ItemId(index as u32)) {
        rename(&mut built.items, id);
        longer_redefinition(built, id);
        place_condition(&mut built.items, id);
    }
}

struct Layout<'a> {
    items: &'a mut Items,
    options: &'a DataOptions,
    complaints: &'a mut Vec<Complaint>,
    /// Tables of varying size that have been passed.
    varying: Vec<ItemId>,
    /// The tables around the item.
    dimensions: Vec<ItemId>,
}

impl Layout<'_> {
    /// Lays an item out from an offset on; answers the greatest alignment in it.
    fn item(&mut self, id: ItemId, offset: usize, within_redefinition: bool, depth: usize) -> usize {
        let parts = self.items.get(id).parts.clone();
        let redefinition = within_redefinition || self.items.get(id).redefines.is_some();
        let table = self.items.get(id).occurs.is_some();
        if table {
            self.dimensions.push(id);
        }
        let (dimensions, varying) = (self.dimensions.clone(), self.varying.clone());
        let synchronized = self.items.get(id).slack > 0 && parts.is_empty();
        let align = if synchronized { self.alignment(id) } else { 1 };
        let item = self.items.get_mut(id);
        (item.dimensions, item.moves_behind) = (dimensions, varying);
        (item.offset, item.slack, item.within_redefinition) = (offset, 0, redefinition);
        let align =
            if parts.is_empty() { align } else { self.parts(id, &parts, offset, redefinition, depth) };
        self.occurrences(id, align);
        if table {
            self.dimensions.pop();
            let occurs = self.items.get(id).occurs.as_ref();
            if occurs.is_some_and(|occurs| occurs.depending.is_some()) {
                self.varying.push(id);
            }
        }
        align
    }

    /// Lays the parts of a group out, and gives the group its length.
    fn parts(
        &mut self,
        group: ItemId,
        parts: &[ItemId],
        start: usize,
        redefinition: bool,
        depth: usize,
    ) -> usize {
        let (mut at, mut greatest) = (start, 1);
        for &part in parts {
            let redefined = self.items.get(part).redefines;
            let mut offset = redefined.map_or(at, |redefined| self.items.get(redefined).offset);
            let varying = self.varying.len();
            if let Some(redefined) = redefined {
                let behind = self.items.get(redefined).moves_behind.len();
                self.varying.truncate(behind.min(varying));
            }
            let unaligned = offset;
            if redefined.is_none()
                && let Some(first) = self.first_synchronized(part)
            {
                offset = offset.next_multiple_of(self.alignment(first));
            }
            let align = self.item(part, offset, redefinition, depth + 1);
            self.items.get_mut(part).slack = offset - unaligned;
            greatest = greatest.max(align);
            let end = offset.saturating_add(self.items.extent(part)).min(RECORD_MAX * 2);
            at = at.max(end);
        }
        self.items.get_mut(group).length = at - start;
        greatest
    }

    /// The item that decides where another begins: itself, or the first one of a group, where it is SYNCHRONIZED. Slack bytes
    /// then stand in front of the group.
    fn first_synchronized(&self, id: ItemId) -> Option<ItemId> {
        let item = self.items.get(id);
        match item.parts.first() {
            None => (item.slack > 0).then_some(id),
            // GnuCOBOL puts them into the group.
            Some(_) if self.options.align_to_length => None,
            Some(first) => self.first_synchronized(*first),
        }
    }

    /// The distance of occurrences: an element is padded so that the next one is aligned, too.
    fn occurrences(&mut self, id: ItemId, align: usize) {
        let item = self.items.get_mut(id);
        let length = item.length;
        let Some(occurs) = &mut item.occurs else { return };
        let several = occurs.max.unwrap_or(UNBOUNDED) > 1;
        occurs.stride = if several { length.next_multiple_of(align) } else { length };
        item.length = occurs.stride;
    }

    /// To what SYNCHRONIZED aligns an item.
    fn alignment(&self, id: ItemId) -> usize {
        let item = self.items.get(id);
        if self.options.align_to_length {
            let aligned = match &item.kind {
                Type::Numeric(numeric) => match numeric.representation {
                    Representation::Binary | Representation::Native => true,
                    Representation::Bytes { count, .. } => count.is_power_of_two(),
                    _ => false,
                },
                Type::FloatShort | Type::FloatLong | Type::Index | Type::Pointer => true,
                Type::ProcedurePointer | Type::FunctionPointer => true,
                _ => false,
            };
            return if aligned { item.length.max(1) } else { 1 };
        }
        match &item.kind {
            Type::Numeric(numeric) => match numeric.representation {
                Representation::Binary | Representation::Native if numeric.digits <= 4 => 2,
                Representation::Binary | Representation::Native => 4,
                Representation::Bytes { count: 2, .. } => 2,
                Representation::Bytes { count: 4 | 8, .. } => 4,
                _ => 1,
            },
            Type::FloatShort
            | Type::Index
            | Type::Pointer
            | Type::ProcedurePointer
            | Type::FunctionPointer => 4,
            Type::FloatLong => 8,
            _ => 1,
        }
    }
}

/// Offset and length of a level 66.
fn rename(items: &mut Items, id: ItemId) {
    let Some((first, last)) = items.get(id).renames else { return };
    let (from, to) = (items.get(first), items.get(last));
    let end = to.offset + items.extent(last);
    let (offset, length) = (from.offset, end.saturating_sub(from.offset));
    // One elementary item keeps its type; a range is a group.
    let kind = if first == last { from.kind.clone() } else { Type::Group };
    let item = items.get_mut(id);
    (item.offset, item.length, item.kind) = (offset, length, kind);
}

/// A condition lies where its item does.
fn place_condition(items: &mut Items, id: ItemId) {
    let item = items.get(id);
    if !matches!(item.kind, Type::Condition) {
        return;
    }
    let Some(variable) = item.parent.map(|parent| items.get(parent)) else { return };
    let (offset, length) = (variable.offset, variable.length);
    let (dimensions, moves) = (variable.dimensions.clone(), variable.moves_behind.clone());
    let item = items.get_mut(id);
    (item.offset, item.length) = (offset, length);
    (item.dimensions, item.moves_behind) = (dimensions, moves);
}

/// Below level 01, what redefines should be no longer than what it redefines.
fn longer_redefinition(built: &mut Built, id: ItemId) {
    let items = &built.items;
    let item = items.get(id);
    let Some(redefined) = item.redefines.filter(|_| !matches!(item.level, 1 | 77)) else { return };
    let (own, other) = (items.extent(id), items.extent(redefined));
    if own > other {
        let message = format!(
            "{} has {own} bytes and {} has {other}: the group grows",
            item.display_name(),
            items.get(redefined).display_name()
        );
        let help = "make it no longer than what it redefines";
        let at = item.name.as_ref().map_or(item.at, |name| name.at);
        built.complaints.push(Complaint { severity: Severity::Warning, code: "SPDD020", at, message, help });
    }
}
