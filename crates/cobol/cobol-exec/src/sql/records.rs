//! The items of a program as host variables: what may be named, and the form of each value.

use cobol_check::CheckedProgram;
use cobol_data::{
    Area, Item as Described, ItemId, Items, Numeric, Representation, SignPlace, Type, Utf8Length,
};
use db2::package::{Form, Sign};

/// The items that a program has described itself.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) items: Vec<Item>,
}

/// An item.
#[derive(Debug)]
pub(crate) struct Item {
    /// The same for the rest of the compiler.
    pub(crate) id: ItemId,
    /// In upper case; `None` for FILLER.
    pub(crate) name: Option<String>,
    pub(crate) parent: Option<usize>,
    pub(crate) parts: Vec<usize>,
    pub(crate) level: u8,
    /// In its record, of the first occurrence.
    pub(crate) offset: usize,
    /// Of one occurrence.
    pub(crate) length: usize,
    pub(crate) occurs: Option<usize>,
    /// From one occurrence to the next.
    pub(crate) stride: usize,
    /// The tables of varying size in front of it: it moves with them.
    pub(crate) moves_behind: Vec<ItemId>,
    pub(crate) redefines: bool,
    value: Value,
}

/// The value of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// A group.
    Parts,
    /// One that SQL knows.
    Form(Form),
    /// A pointer, an index or another item that SQL does not know, and its kind.
    Other(&'static str),
}

/// Kinds of items that have no value in SQL.
const OTHER: &str = "a pointer, an index or another item that is no value in SQL";
const SCALED: &str = "a number with P behind its digits";
const CONDITION: &str = "a condition-name";
const INDEX_NAME: &str = "an index-name";
const RENAMES: &str = "an item of level 66";
/// A group of level 49 that is no VARCHAR.
const NOT_VARYING: &str =
    "a group of level 49 that is not a length (PIC S9(4) COMP, PIC S9(9) COMP) with characters behind it";

impl Records {
    /// The items of a program.
    pub(crate) fn of(program: &CheckedProgram) -> Self {
        let all = &program.items;
        let mut records = Self::default();
        let mut numbers = vec![None; all.len()];
        for (id, item) in all.all().filter(|(_, item)| is_described(item)) {
            let parent = item.parent.and_then(|parent| numbers[parent.0 as usize]);
            let number = records.items.len();
            numbers[id.0 as usize] = Some(number);
            records.items.push(Item {
                id,
                name: item.name.as_ref().map(|name| name.text.to_string()),
                parent,
                parts: Vec::new(),
                level: item.level,
                offset: item.offset,
                length: item.length,
                occurs: item.occurs.as_ref().map(|occurs| occurs.max.unwrap_or(1)),
                stride: item.occurs.as_ref().map_or(item.length, |occurs| occurs.stride),
                moves_behind: item.moves_behind.clone(),
                redefines: item.redefines.is_some(),
                value: value(all, item),
            });
            if let Some(parent) = parent
                && is_part(item)
            {
                records.items[parent].parts.push(number);
            }
        }
        records
    }

    /// The item and the groups above it.
    pub(crate) fn above(&self, item: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(item), |at| self.items[*at].parent)
    }

    /// The form of a host variable's value; `None` for a structure, and for what SQL does not know.
    pub(crate) fn form(&self, item: usize) -> Option<Form> {
        match self.items[item].value {
            Value::Form(form) => Some(form),
            Value::Parts => self.varying(item),
            Value::Other(_) => None,
        }
    }

    /// The kind of an item that has no form, and is no structure.
    pub(crate) fn what(&self, item: usize) -> Option<&'static str> {
        match self.items[item].value {
            Value::Other(what) => Some(what),
            Value::Parts if self.form(item).is_none() && self.is_of_level_49(item) => Some(NOT_VARYING),
            Value::Parts | Value::Form(_) => None,
        }
    }

    /// Returns true if an item is a name without storage of its own: a condition-name, an index-name or an item of level 66.
    pub(crate) fn is_name_alone(&self, item: usize) -> bool {
        matches!(self.items[item].value, Value::Other(CONDITION | INDEX_NAME | RENAMES))
    }

    /// Returns true if all parts of a group have the level of a VARCHAR's, and a number is the first.
    fn is_of_level_49(&self, group: usize) -> bool {
        let parts = &self.items[group].parts;
        let first = parts.first().map(|part| self.items[*part].value);
        let number = matches!(first, Some(Value::Form(Form::Binary { .. }) | Value::Other(SCALED)));
        number && parts.iter().all(|part| self.items[*part].level == 49)
    }

    /// A length and characters of level 49: VARCHAR, or CLOB where the length has four bytes.
    fn varying(&self, group: usize) -> Option<Form> {
        let parts = &self.items[group].parts;
        let (length, data) = parts.split_first()?;
        let first = data.first()?;
        let is_single = |part: &usize| self.items[*part].level == 49 && self.items[*part].occurs.is_none();
        let is_varying = parts.iter().all(is_single);
        let Value::Form(Form::Binary { bytes, scale: 0, .. }) = self.items[*length].value else {
            return None;
        };
        if !is_varying {
            return None;
        }
        let size = data.iter().map(|part| self.items[*part].length).sum::<usize>() as u32;
        let text = data.iter().all(|part| matches!(self.items[*part].value, Value::Form(Form::Char { .. })));
        let national = matches!(self.items[*first].value, Value::Form(Form::Graphic { .. }));
        match bytes {
            2 if national => Some(Form::Vargraphic { length: size }),
            2 if text => Some(Form::Varchar { length: size }),
            4 if text => Some(Form::Lob { length: size, binary: false }),
            _ => None,
        }
    }
}

/// Returns true if the program itself describes an item, which has storage of its own.
fn is_described(item: &Described) -> bool {
    !matches!(item.area, Area::Register | Area::Around(_)) && item.kind != Type::Constant
}

/// Returns true if an item is one of the parts of its group: a condition-name, an index-name and an item of level 66 are none.
fn is_part(item: &Described) -> bool {
    !matches!(item.kind, Type::Condition | Type::IndexName) && item.renames.is_none()
}

fn value(items: &Items, item: &Described) -> Value {
    match item.kind {
        Type::Condition => return Value::Other(CONDITION),
        Type::IndexName => return Value::Other(INDEX_NAME),
        _ if item.renames.is_some() => return Value::Other(RENAMES),
        _ => {}
    }
    if item.is_group() {
        return Value::Parts;
    }
    // An item of DYNAMIC LENGTH has its length beside it, where no statement of SQL would see it.
    if item.dynamic || items.get(item.record).dynamic {
        return Value::Other(OTHER);
    }
    // The forms of numbers that are published have all digits of their value.
    if matches!(item.kind, Type::Numeric(Numeric { scale: ..0, .. })) {
        return Value::Other(SCALED);
    }
    form(item).map_or(Value::Other(OTHER), Value::Form)
}

fn form(item: &Described) -> Option<Form> {
    let length = u32::try_from(item.length).ok()?;
    Some(match &item.kind {
        Type::Alphabetic
        | Type::Alphanumeric
        | Type::AlphanumericEdited(_)
        | Type::NumericEdited(_)
        | Type::FloatEdited(_) => Form::Char { length },
        Type::National | Type::DoubleByte => Form::Graphic { length },
        // Not an edited number of USAGE NATIONAL.
        Type::NationalEdited(_) if item.picture.as_ref().is_some_and(|text| text.starts_with(['N', 'n'])) => {
            Form::Graphic { length }
        }
        Type::Utf8(Utf8Length::Characters(characters)) => Form::Utf8 { length, characters: *characters },
        Type::Utf8(_) => Form::Utf8 { length, characters: 0 },
        Type::Numeric(numeric) => return number(numeric, item.length),
        Type::FloatShort | Type::FloatLong => Form::Float { bytes: u8::try_from(item.length).ok()? },
        Type::Group
        | Type::NationalEdited(_)
        | Type::Index
        | Type::IndexName
        | Type::Pointer
        | Type::ProcedurePointer
        | Type::FunctionPointer
        | Type::Object
        | Type::Condition
        | Type::Constant
        | Type::Unknown => return None,
    })
}

fn number(numeric: &Numeric, length: usize) -> Option<Form> {
    let digits = u8::try_from(numeric.digits).unwrap_or(u8::MAX);
    let scale = i8::try_from(numeric.scale).unwrap_or_default();
    let signed = numeric.signed;
    Some(match numeric.representation {
        Representation::Zoned(place) => Form::Zoned { digits, scale, sign: sign(place) },
        Representation::Packed => Form::Packed { digits, scale, signed },
        Representation::Binary | Representation::Native | Representation::Bytes { .. } => {
            // COMP-X of one byte, of three …: SQL has no such numbers.
            let bytes = u8::try_from(length).ok().filter(|bytes| matches!(bytes, 2 | 4 | 8))?;
            Form::Binary { bytes, digits, scale, signed }
        }
        Representation::National(_) => return None,
    })
}

fn sign(place: SignPlace) -> Sign {
    match place {
        SignPlace::None => Sign::None,
        SignPlace::Leading => Sign::Leading,
        SignPlace::Trailing => Sign::Trailing,
        SignPlace::LeadingSeparate => Sign::SeparateLeading,
        SignPlace::TrailingSeparate => Sign::SeparateTrailing,
    }
}
