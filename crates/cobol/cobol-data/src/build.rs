//! From a list of descriptions to a tree of items: what level numbers, REDEFINES, RENAMES and condition-names say.

use cobol_source::At;
use cobol_syntax::tree::{DataEntry, Reference, SignClause, Usage};

use crate::built::Built;
use crate::item::{Area, Item, ItemId, Occurs, Value};
use crate::layout;
use crate::messages::{Complaint, Severity};
use crate::options::DataOptions;
use cobol_types::{Category, Picture, picture};
use cobol_types::{Numeric, Representation, SignPlace, Type, Utf8Length};

/// Bytes of a number that is counted in bytes, at most.
const BYTES_MAX: usize = 8;
/// The digits that eight bytes hold.
const DIGITS_IN_BYTES: usize = 18;

/// Builds the items of some areas.
pub fn build(areas: &[(Area, &[DataEntry])], options: &DataOptions) -> Built {
    let mut builder = Builder { out: Built::default(), options, stack: Vec::new() };
    for (area, entries) in areas {
        builder.stack.clear();
        for entry in *entries {
            builder.entry(entry, *area);
        }
        builder.stack.clear();
    }
    for (area, entries) in areas {
        builder.types(entries, *area);
    }
    layout::lay_out(&mut builder.out, options);
    builder.out
}

pub(crate) struct Builder<'a> {
    pub(crate) out: Built,
    options: &'a DataOptions,
    /// The groups that are open, outermost first.
    stack: Vec<ItemId>,
}

/// Properties that a group gives all its parts.
#[derive(Clone, Copy, Default)]
struct Inherited {
    usage: Option<Usage>,
    /// GROUP-USAGE.
    group: Option<Usage>,
    sign: Option<SignClause>,
    synchronized: bool,
}

impl Builder<'_> {
    fn complain(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: At,
        message: String,
        help: &'static str,
    ) {
        self.out.complaints.push(Complaint { severity, code, at, message, help });
    }

    pub(crate) fn error(&mut self, code: &'static str, at: At, message: String, help: &'static str) {
        self.complain(Severity::Error, code, at, message, help);
    }

    fn place(entry: &DataEntry) -> At {
        entry.name.as_ref().map_or(entry.at, |name| name.at)
    }

    fn entry(&mut self, entry: &DataEntry, area: Area) {
        match entry.level {
            88 => self.condition(entry, area),
            66 => self.renames(entry, area),
            78 => {
                let id = self.new_item(entry, area);
                self.out.items.get_mut(id).kind = Type::Constant;
            }
            _ => self.item(entry, area),
        }
    }

    fn new_item(&mut self, entry: &DataEntry, area: Area) -> ItemId {
        let id = ItemId(self.out.items.list.len() as u32);
        let record = self.stack.first().copied().unwrap_or(id);
        let values =
            entry.values.iter().map(|value| Value { from: value.from.clone(), to: value.to.clone() });
        let item = Item {
            name: entry.name.clone(),
            values: values.collect(),
            when_false: entry.when_false.clone(),
            justified: entry.justified,
            blank_when_zero: entry.blank_when_zero,
            external: entry.external,
            global: entry.global,
            picture: entry.picture.as_ref().map(|picture| picture.text.clone()),
            ..Item::empty(entry.level, entry.at, area, record)
        };
        self.out.items.add(item)
    }

    /// A level 88 belongs to the description before it.
    fn condition(&mut self, entry: &DataEntry, area: Area) {
        let last =
            self.out.items.all().rfind(|(_, item)| item.level > 0 && item.level != 88 && item.area == area);
        let Some(variable) = last.map(|(id, _)| id) else {
            let help = "a level 88 stands behind the item whose values it names";
            return self.error(
                "SPDD001",
                Self::place(entry),
                "this condition-name has no item".to_owned(),
                help,
            );
        };
        if entry.values.is_empty() {
            let help = "write VALUE and the values for which it is true";
            self.error("SPDD002", Self::place(entry), "this condition-name has no VALUE".to_owned(), help);
        }
        let id = self.new_item(entry, area);
        let record = self.out.items.get(variable).record;
        let item = self.out.items.get_mut(id);
        (item.kind, item.parent, item.record) = (Type::Condition, Some(variable), record);
        self.out.items.get_mut(variable).conditions.push(id);
    }

    fn renames(&mut self, entry: &DataEntry, area: Area) {
        let Some(record) = self.stack.first().copied() else {
            let help = "a level 66 stands behind the last item of its record";
            return self.error("SPDD003", Self::place(entry), "this level 66 has no record".to_owned(), help);
        };
        let id = self.new_item(entry, area);
        self.out.items.get_mut(id).parent = Some(record);
        let Some((from, to)) = &entry.renames else {
            let help = "as in 66 NAME RENAMES FIRST THRU LAST";
            return self.error(
                "SPDD004",
                Self::place(entry),
                "this level 66 renames nothing".to_owned(),
                help,
            );
        };
        let first = self.in_record(record, from);
        let last = match to {
            Some(to) => self.in_record(record, to),
            None => first,
        };
        self.out.items.get_mut(id).renames = first.zip(last);
    }

    /// The item of a record that a reference names.
    fn in_record(&mut self, record: ItemId, reference: &Reference) -> Option<ItemId> {
        let items = &self.out.items;
        let fits = |id: ItemId, item: &Item| {
            item.record == record
                && item.name.as_ref().is_some_and(|name| name.text == reference.name.text)
                && reference.qualifiers.iter().all(|qualifier| {
                    items
                        .groups(id)
                        .any(|g| items.get(g).name.as_ref().is_some_and(|n| n.text == qualifier.text))
                })
        };
        let found = items.all().find(|(id, item)| fits(*id, item)).map(|(id, _)| id);
        if found.is_none() {
            let message = format!("{} is no item of this record", reference.name.text);
            self.error("SPDD005", reference.at(), message, "RENAMES names items of the record before it");
        }
        found
    }

    fn item(&mut self, entry: &DataEntry, area: Area) {
        let top = matches!(entry.level, 1 | 77);
        if top {
            self.stack.clear();
        }
        while self.stack.last().is_some_and(|open| self.out.items.get(*open).level >= entry.level) {
            self.stack.pop();
        }
        let parent = self.stack.last().copied();
        if parent.is_none() && !top {
            let help = "a record begins with level 01";
            let message = format!("level {:02} stands outside of a record", entry.level);
            self.error("SPDD006", Self::place(entry), message, help);
        }
        let id = self.new_item(entry, area);
        match parent {
            Some(group) => {
                self.check_level(group, entry);
                self.out.items.get_mut(id).parent = Some(group);
                self.out.items.get_mut(group).parts.push(id);
            }
            None => self.out.records.push(id),
        }
        if let Some(redefined) = &entry.redefines {
            let found = self.redefined(id, parent, redefined);
            self.out.items.get_mut(id).redefines = found;
        }
        if let Some(occurs) = &entry.occurs {
            self.occurs(id, entry, occurs);
        }
        if entry.level != 77 {
            self.stack.push(id);
        }
    }

    fn check_level(&mut self, group: ItemId, entry: &DataEntry) {
        let items = &self.out.items;
        let sibling = items.get(group).parts.first().map(|first| items.get(*first).level);
        if let Some(level) = sibling.filter(|level| *level != entry.level) {
            let message = format!("level {:02} stands among items of level {level:02}", entry.level);
            let help = "items of one group have the same level number; it is taken for one of them";
            self.complain(Severity::Warning, "SPDD007", entry.at, message, help);
        }
    }

    fn redefined(&mut self, id: ItemId, parent: Option<ItemId>, reference: &Reference) -> Option<ItemId> {
        let items = &self.out.items;
        let siblings: Vec<ItemId> = match parent {
            Some(group) => items.get(group).parts.clone(),
            None => {
                let area = items.get(id).area;
                self.out.records.iter().copied().filter(|record| items.get(*record).area == area).collect()
            }
        };
        let named = |sibling: &&ItemId| {
            **sibling != id
                && items.get(**sibling).name.as_ref().is_some_and(|n| n.text == reference.name.text)
        };
        let Some(found) = siblings.iter().rev().find(named).copied() else {
            let message = format!("there is no {} before this in the same group", reference.name.text);
            let help = "REDEFINES names an item of the same level in the same group, described before";
            self.error("SPDD008", reference.at(), message, help);
            return None;
        };
        let from = siblings.iter().position(|sibling| *sibling == found).unwrap_or(0);
        let between = siblings[from + 1..].iter().filter(|sibling| **sibling != id);
        let stranger = between.into_iter().find(|sibling| items.get(**sibling).redefines.is_none());
        if let Some(stranger) = stranger {
            let message = format!(
                "{} has storage of its own and stands between this and {}",
                items.get(*stranger).display_name(),
                reference.name.text
            );
            let help = "write the redefinition directly behind what it redefines";
            self.complain(Severity::Warning, "SPDD009", reference.at(), message, help);
        }
        // A chain redefines the first.
        Some(self.out.items.get(found).redefines.unwrap_or(found))
    }

    fn occurs(&mut self, id: ItemId, entry: &DataEntry, clause: &cobol_syntax::tree::OccursClause) {
        if matches!(entry.level, 1 | 77) {
            let help = "take the table into a group of level 05";
            let message = "OCCURS stands at a level that has no occurrences".to_owned();
            self.complain(Severity::Warning, "SPDD010", clause.at, message, help);
        }
        if clause.max == Some(0) || clause.max.is_some_and(|max| max < clause.min) {
            let help = "the greatest number is at least 1 and at least the least";
            self.error("SPDD011", clause.at, "this table can have no occurrence".to_owned(), help);
        }
        let varying = clause.max != Some(clause.min);
        if varying && clause.depending.is_none() {
            let help = "write DEPENDING ON and the item that holds the number";
            self.error("SPDD012", clause.at, "a table of varying size has no DEPENDING ON".to_owned(), help);
        }
        let (area, record) = (self.out.items.get(id).area, self.out.items.get(id).record);
        let mut indexes = Vec::new();
        for name in &clause.indexes {
            let index = Item {
                name: Some(name.clone()),
                kind: Type::IndexName,
                parent: Some(id),
                length: 4,
                ..Item::empty(0, name.at, area, record)
            };
            indexes.push(self.out.items.add(index));
        }
        self.out.items.get_mut(id).occurs = Some(Occurs {
            min: clause.min,
            max: clause.max,
            depending: clause.depending.clone(),
            keys: clause.keys.clone(),
            indexes,
            stride: 0,
        });
    }

    /// Gives every item its type: PICTURE with USAGE and SIGN, those of the groups around it among them.
    fn types(&mut self, entries: &[DataEntry], area: Area) {
        let with_storage = |level: u8| level > 0 && !matches!(level, 66 | 78 | 88);
        let ids: Vec<ItemId> = self
            .out
            .items
            .all()
            .filter(|(_, i)| i.area == area && with_storage(i.level))
            .map(|(id, _)| id)
            .collect();
        let mut inherited: Vec<(ItemId, Inherited)> = Vec::new();
        for (id, entry) in ids.into_iter().zip(entries.iter().filter(|entry| with_storage(entry.level))) {
            let parent = self.out.items.get(id).parent;
            while inherited.last().is_some_and(|(group, _)| Some(*group) != parent) {
                inherited.pop();
            }
            let outer = inherited.last().map_or(Inherited::default(), |(_, outer)| *outer);
            let own = Inherited {
                usage: entry.usage.map(|(usage, _)| usage).or(entry.group_usage).or(outer.usage),
                group: entry.group_usage.or(outer.group),
                sign: entry.sign.or(outer.sign),
                synchronized: entry.synchronized || outer.synchronized,
            };
            let kind = if self.out.items.get(id).is_group() {
                self.group(entry);
                inherited.push((id, own));
                match own.group {
                    Some(Usage::National) => Type::National,
                    Some(_) => Type::Utf8(Utf8Length::Parts),
                    None => Type::Group,
                }
            } else {
                let kind = self.elementary(id, entry, own);
                self.within_group(entry, &kind, outer.group);
                kind
            };
            let length = layout::own_length(&kind, self.out.items.get(id), self.options);
            let room = self.dynamic(entry, area, &kind);
            let item = self.out.items.get_mut(id);
            (item.kind, item.length) = (kind, room.unwrap_or(length));
            item.dynamic = room.is_some();
            // Slack is worked out later; until then it says whether the item is to be aligned.
            item.slack = usize::from(own.synchronized);
            self.keep_dynamic(id, entry);
        }
    }

    fn group(&mut self, entry: &DataEntry) {
        if let Some(picture) = &entry.picture {
            let help = "take the PICTURE away, or mend the level numbers of what follows";
            self.error("SPDD013", picture.at, "a group has no PICTURE".to_owned(), help);
        }
    }

    /// Checks an item in a group with GROUP-USAGE: it is of that usage.
    fn within_group(&mut self, entry: &DataEntry, kind: &Type, group: Option<Usage>) {
        let of_national = |numeric: &Numeric| matches!(numeric.representation, Representation::National(_));
        let (fits, help) = match (group, kind) {
            (None, _) | (_, Type::Unknown) => return,
            (Some(Usage::National), Type::National | Type::NationalEdited(_)) => return,
            (Some(Usage::National), Type::Numeric(numeric)) => {
                (of_national(numeric), "USAGE NATIONAL for all that the group holds")
            }
            (Some(Usage::National), _) => (false, "USAGE NATIONAL for all that the group holds"),
            (Some(_), kind) => {
                let fixed = matches!(kind, Type::Utf8(Utf8Length::Bytes(_)));
                (fixed, "a group with GROUP-USAGE UTF-8 holds items of PICTURE U BYTE-LENGTH n")
            }
        };
        if !fits {
            let message = format!("this item ({}) does not go into such a group", kind.name());
            self.error("SPDD017", Self::place(entry), message, help);
        }
    }

    fn elementary(&mut self, id: ItemId, entry: &DataEntry, own: Inherited) -> Type {
        let usage = own.usage.unwrap_or(Usage::Display);
        if entry.sql_type.is_some() {
            let help = "the precompiler of Db2 gives such items; the compiler does not know them";
            self.error("SPDD090", Self::place(entry), "SQL TYPE IS is not built".to_owned(), help);
            return Type::Unknown;
        }
        let without_picture = match usage {
            Usage::FloatShort => Some(Type::FloatShort),
            Usage::FloatLong => Some(Type::FloatLong),
            Usage::Index => Some(Type::Index),
            Usage::Pointer | Usage::Pointer32 => Some(Type::Pointer),
            Usage::ProcedurePointer => Some(Type::ProcedurePointer),
            Usage::FunctionPointer => Some(Type::FunctionPointer),
            Usage::Object => Some(Type::Object),
            Usage::Whole { bytes, signed } => Some(Type::Numeric(Numeric::of_bytes(bytes, signed))),
            _ => None,
        };
        if let (Some(kind), None) = (&without_picture, &entry.picture) {
            return kind.clone();
        }
        let Some(text) = &entry.picture else {
            return self.no_picture(id, entry);
        };
        if without_picture.is_some() {
            let help = "take the PICTURE away";
            self.error("SPDD014", text.at, "an item of this USAGE has no PICTURE".to_owned(), help);
            return Type::Unknown;
        }
        match picture(&text.text, &self.options.money) {
            Ok(found) => self.with_picture(entry, text.at, found, usage, own.sign),
            Err(error) => {
                let help = "a picture is made of symbols and repetitions: X(10), S9(7)V99, ZZ9.99";
                self.error("SPDD015", text.at, format!("{} is no picture: {error}", text.text), help);
                Type::Unknown
            }
        }
    }

    fn no_picture(&mut self, id: ItemId, entry: &DataEntry) -> Type {
        // A record of nothing but a redefinition or a file's record without parts is a mistake, too.
        let named = self.out.items.get(id).display_name().to_owned();
        let literal = !entry.values.is_empty() && entry.level != 1;
        let help = if literal {
            "PICTURE gives its length, whatever its VALUE"
        } else {
            "give it a PICTURE, or describe its parts"
        };
        self.error("SPDD016", Self::place(entry), format!("{named} has neither a PICTURE nor parts"), help);
        Type::Unknown
    }

    fn with_picture(
        &mut self,
        entry: &DataEntry,
        at: At,
        found: Picture,
        usage: Usage,
        sign: Option<SignClause>,
    ) -> Type {
        let wrong = |builder: &mut Self, message: &str, help: &'static str| {
            builder.error("SPDD017", at, message.to_owned(), help);
            Type::Unknown
        };
        let numeric = found.category == Category::Numeric;
        let limit = 31;
        if matches!(found.category, Category::Numeric | Category::NumericEdited) && found.digits > limit {
            return wrong(self, "a number has at most 31 digits", "18, or 31 with the option ARITH(EXTEND)");
        }
        if numeric && found.digits > self.options.digits_max {
            let message = format!("a number of {} digits needs the option ARITH(EXTEND)", found.digits);
            let help = "write CBL ARITH(EXTEND) in front of the program";
            self.complain(Severity::Warning, "SPDD018", at, message, help);
        }
        if let Some(kind) = self.of_characters(at, &found, usage) {
            return kind;
        }
        if matches!(usage, Usage::Packed | Usage::Binary | Usage::Native | Usage::Bytes { .. }) && !numeric {
            return wrong(
                self,
                "only a number can have this USAGE",
                "write a PICTURE of 9, S, V and P, or USAGE DISPLAY",
            );
        }
        if entry.blank_when_zero && !matches!(found.category, Category::Numeric | Category::NumericEdited) {
            return wrong(self, "BLANK WHEN ZERO is for numbers", "take it away");
        }
        if let Some(kind) = self.utf8(entry, at, &found, usage) {
            return kind;
        }
        let national = usage == Usage::National;
        let shared_sign = found.signed && !sign.is_some_and(|sign| sign.separate);
        if numeric && national && shared_sign && !entry.blank_when_zero {
            return wrong(
                self,
                "a number of USAGE NATIONAL has its sign in a character of its own",
                "write SIGN IS LEADING SEPARATE or TRAILING SEPARATE, or leave S out of the picture",
            );
        }
        match found.category {
            Category::Alphabetic => Type::Alphabetic,
            Category::Alphanumeric => Type::Alphanumeric,
            Category::AlphanumericEdited => Type::AlphanumericEdited(Box::new(found)),
            Category::NumericEdited if national => Type::NationalEdited(Box::new(found)),
            Category::NumericEdited => Type::NumericEdited(Box::new(found)),
            Category::FloatEdited if national => {
                let help = "give it USAGE DISPLAY, or make it a number without an exponent";
                let message = "external floating point of USAGE NATIONAL is not built".to_owned();
                self.error("SPDD090", at, message, help);
                Type::Unknown
            }
            Category::FloatEdited => Type::FloatEdited(Box::new(found)),
            Category::National if usage == Usage::DoubleByte || (!self.options.national && !national) => {
                Type::DoubleByte
            }
            Category::National => Type::National,
            Category::NationalEdited => Type::NationalEdited(Box::new(found)),
            Category::DoubleByte => Type::DoubleByte,
            Category::Utf8 => Type::Unknown,
            Category::Numeric if entry.blank_when_zero && national => Type::NationalEdited(Box::new(found)),
            Category::Numeric if entry.blank_when_zero => Type::NumericEdited(Box::new(found)),
            Category::Numeric => {
                let place = match sign {
                    _ if !found.signed => SignPlace::None,
                    Some(SignClause { leading: true, separate: true }) => SignPlace::LeadingSeparate,
                    Some(SignClause { leading: true, .. }) => SignPlace::Leading,
                    Some(SignClause { separate: true, .. }) => SignPlace::TrailingSeparate,
                    _ => SignPlace::Trailing,
                };
                let representation = match usage {
                    Usage::Packed => Representation::Packed,
                    Usage::Binary => Representation::Binary,
                    Usage::Native => Representation::Native,
                    Usage::National => Representation::National(place),
                    Usage::Bytes { native } => {
                        let count = Numeric::bytes_of_digits(found.digits as u16, found.signed);
                        Representation::Bytes { count, native }
                    }
                    _ => Representation::Zoned(place),
                };
                Type::Numeric(Numeric {
                    digits: found.digits as u16,
                    scale: found.scale.clamp(-99, 99) as i16,
                    signed: found.signed,
                    representation,
                })
            }
        }
    }

    /// A number that is described by the characters whose bytes it takes: PIC X(n) COMP-X; `None` for other items.
    fn of_characters(&mut self, at: At, found: &Picture, usage: Usage) -> Option<Type> {
        let native = match usage {
            Usage::Bytes { native } => native,
            Usage::Native => true,
            _ => return None,
        };
        let longest = match found.category {
            Category::Alphanumeric => found.size,
            // Beyond eight bytes there is no such number.
            Category::Numeric if usage != Usage::Native && found.digits > DIGITS_IN_BYTES => found.digits,
            _ => return None,
        };
        if found.category == Category::Alphanumeric && longest <= BYTES_MAX {
            return Some(Type::Numeric(Numeric::of_characters(longest as u8, native)));
        }
        let help = "it has PICTURE X(8), or 18 digits, at most";
        self.error("SPDD017", at, "a number of this USAGE has at most 8 bytes".to_owned(), help);
        Some(Type::Unknown)
    }

    /// An item of PICTURE U, with BYTE-LENGTH or without; none for other items.
    fn utf8(&mut self, entry: &DataEntry, at: At, found: &Picture, usage: Usage) -> Option<Type> {
        let is_utf8 = found.category == Category::Utf8;
        let asked = usage == Usage::Utf8 || entry.byte_length.is_some();
        let own_usage = entry.usage.is_none_or(|(usage, _)| usage == Usage::Utf8);
        let mut wrong = |message: &str, help: &'static str| {
            self.error("SPDD017", at, message.to_owned(), help);
            Some(Type::Unknown)
        };
        match entry.byte_length {
            _ if !is_utf8 && !asked => None,
            _ if !is_utf8 => wrong(
                "USAGE UTF-8 and BYTE-LENGTH are for a PICTURE of U",
                "write PICTURE U(n), or PICTURE U BYTE-LENGTH n",
            ),
            _ if !own_usage || !matches!(usage, Usage::Utf8 | Usage::Display) => wrong(
                "a PICTURE of U has USAGE UTF-8",
                "leave the USAGE out; the usage of a group counts for its items, too",
            ),
            _ if entry.justified => wrong("JUSTIFIED is not for UTF-8", "take JUSTIFIED away"),
            None => Some(Type::Utf8(Utf8Length::Characters(found.size as u32))),
            Some((bytes, _)) if found.size == 1 && (1..=cobol_types::SIZE_MAX).contains(&bytes) => {
                Some(Type::Utf8(Utf8Length::Bytes(bytes as u32)))
            }
            Some(_) => wrong(
                "BYTE-LENGTH is for a single U, and a number of bytes that is not zero",
                "write PICTURE U BYTE-LENGTH n",
            ),
        }
    }
}
