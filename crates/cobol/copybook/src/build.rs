//! From items with offsets, as `cobol-data` lays them out, to a tree of fields.

use cobol_data::{Built, Item, ItemId, Items, Representation, SignPlace, Type};
use cobol_source::Messages;
use diagnostics::Diagnostic;
use ebcdic::decimal::ZonedSign;

use crate::layout::{Field, Form, Kind, Layout, Occurs, Usage};

/// The layouts of all records.
pub(crate) fn layouts(built: &Built, form: Form, messages: &mut Messages) -> Vec<Layout> {
    let mut builder = Builder { items: &built.items, messages };
    built.records.iter().map(|record| Layout { root: builder.field(*record), form }).collect()
}

struct Builder<'a> {
    items: &'a Items,
    messages: &'a mut Messages,
}

impl Builder<'_> {
    fn field(&mut self, id: ItemId) -> Field {
        let item = self.items.get(id);
        let kind = match item.is_group() {
            true => Kind::Group(item.parts.iter().map(|part| self.field(*part)).collect()),
            false => Kind::Elementary(usage(&item.kind)),
        };
        let named = item.name.as_ref();
        Field {
            name: named.map(|name| name.text.to_string()),
            level: item.level,
            kind,
            offset: item.offset,
            length: item.length,
            occurs: self.occurs(item),
            redefines: item.redefines.map(|first| self.items.get(first).display_name().to_owned()),
            place: self.messages.frames.origin(named.map_or(item.at, |name| name.at)).place,
        }
    }

    fn occurs(&mut self, item: &Item) -> Option<Occurs> {
        let occurs = item.occurs.as_ref()?;
        if occurs.max.is_none() {
            let message = Diagnostic::error("SPCB012", "a record has no table of unbounded size");
            self.messages
                .add(item.at, message.help("write OCCURS 1 TO 500 TIMES, the most that a record has"));
        }
        Some(Occurs {
            min: occurs.min,
            max: occurs.max.unwrap_or(1),
            depending: occurs.depending.as_ref().map(|counter| counter.name.text.to_string()),
        })
    }
}

/// The form in which the value of an elementary item is stored.
fn usage(kind: &Type) -> Usage {
    match kind {
        Type::Numeric(number) => {
            let (digits, scale, signed) =
                (usize::from(number.digits), i32::from(number.scale), number.signed);
            match number.representation {
                Representation::Zoned(place) => Usage::Zoned { digits, scale, sign: sign(place) },
                Representation::Packed => Usage::Packed { digits, scale, signed },
                Representation::Binary => {
                    Usage::Binary { digits, scale, signed, native: false, highest_first: true }
                }
                Representation::Native => {
                    Usage::Binary { digits, scale, signed, native: true, highest_first: false }
                }
                Representation::Bytes { native: own_order, .. } => {
                    Usage::Binary { digits, scale, signed, native: true, highest_first: !own_order }
                }
                Representation::National(_) => Usage::Opaque,
            }
        }
        Type::FloatShort | Type::FloatLong => Usage::Float,
        Type::Alphabetic
        | Type::Alphanumeric
        | Type::AlphanumericEdited(_)
        | Type::NumericEdited(_)
        | Type::FloatEdited(_)
        | Type::Unknown
        | Type::Group
        | Type::Condition
        | Type::Constant => Usage::Text,
        Type::Index | Type::IndexName => Usage::Index,
        Type::Pointer | Type::ProcedurePointer | Type::FunctionPointer | Type::Object => Usage::Address,
        Type::National | Type::NationalEdited(_) | Type::DoubleByte | Type::Utf8(_) => Usage::Opaque,
    }
}

fn sign(place: SignPlace) -> ZonedSign {
    match place {
        SignPlace::None => ZonedSign::None,
        SignPlace::Trailing => ZonedSign::Trailing,
        SignPlace::Leading => ZonedSign::Leading,
        SignPlace::TrailingSeparate => ZonedSign::TrailingSeparate,
        SignPlace::LeadingSeparate => ZonedSign::LeadingSeparate,
    }
}
