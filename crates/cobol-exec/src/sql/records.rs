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
    /// A pointer, an index or another item that SQL does not know.
    Other,
}

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
                redefines: item.redefines.is_some(),
                value: value(all, item),
            });
            if let Some(parent) = parent {
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
            Value::Other => None,
        }
    }

    /// A length and characters of level 49: VARCHAR, or CLOB where the length has four bytes.
    fn varying(&self, group: usize) -> Option<Form> {
        let parts = &self.items[group].parts;
        let (length, data) = parts.split_first()?;
        let first = data.first()?;
        let is_varying = parts.iter().all(|part| self.items[*part].level == 49);
        let Value::Form(Form::Binary { bytes, .. }) = self.items[*length].value else { return None };
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
    let own = !matches!(item.area, Area::Register | Area::Around(_));
    own && !matches!(item.kind, Type::Condition | Type::IndexName | Type::Constant) && item.renames.is_none()
}

fn value(items: &Items, item: &Described) -> Value {
    if item.is_group() {
        return Value::Parts;
    }
    // An item of DYNAMIC LENGTH has its length beside it, where no statement of SQL would see it.
    if item.dynamic || items.get(item.record).dynamic {
        return Value::Other;
    }
    form(item).map_or(Value::Other, Value::Form)
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
