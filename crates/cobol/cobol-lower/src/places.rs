//! References to places: subscripts, reference modification, tables of varying size.

use cobol_check::NameTarget;
use cobol_data::{Item, ItemId, Type};
use cobol_source::At;
use cobol_syntax::tree::{Expression, Modification, Reference, Subscript};

use super::kinds::is_usage_national;
use super::{Lowered, Lowering};
use cobol_ir::program::{Bounds, BytePlace, Linear, Number, Operator};

/// A place with what lies there.
#[derive(Clone, Debug)]
pub(crate) struct Located<'a> {
    /// The place.
    pub(crate) place: BytePlace,
    /// Its item.
    pub(crate) item: &'a Item,
    /// True if it is part of the item: characters, whatever the item is.
    pub(crate) part: bool,
}

/// Type of an item's part.
static CHARACTERS: Type = Type::Alphanumeric;
/// The same of national items.
static NATIONAL: Type = Type::National;

impl<'a> Located<'a> {
    /// Type of the data there; of a part, characters.
    pub(crate) fn kind(&self) -> &'a Type {
        match (self.part, &self.item.kind) {
            (true, kind) if is_usage_national(kind) => &NATIONAL,
            (true, _) => &CHARACTERS,
            (false, kind) => kind,
        }
    }

    /// Returns true if moves and comparisons take it as it lies.
    pub(crate) fn is_group(&self) -> bool {
        !self.part && self.item.kind == Type::Group
    }
}

/// Lengths of a group with a table of varying size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// As long as its tables are now.
    Present,
    /// As long as they can be, where the number of occurrences lies within the group itself: it is received with the rest.
    Received,
}

impl<'a> Lowering<'a> {
    /// Place of a reference.
    pub(crate) fn locate(&mut self, reference: &'a Reference, extent: Extent) -> Lowered<Located<'a>> {
        // A part of an item of DYNAMIC LENGTH lies in what it is now.
        let is_part =
            reference.modification.is_some() && self.item(reference.id).is_some_and(|(_, item)| item.dynamic);
        let extent = if is_part { Extent::Present } else { extent };
        let Located { place, item, .. } = self.locate_whole(reference, extent)?;
        match &reference.modification {
            None => Ok(Located { place, item, part: false }),
            Some(modification) => {
                let place = self.modified(place, item, modification, reference.at())?;
                Ok(Located { place, item, part: true })
            }
        }
    }

    /// Place of a reference's whole item, whatever part of it is meant.
    pub(super) fn locate_whole(&mut self, reference: &'a Reference, extent: Extent) -> Lowered<Located<'a>> {
        let (id, item) = match self.program.target(reference.id) {
            Some(NameTarget::Item(id)) => (id, self.program.items.get(id)),
            _ => return self.refuse(reference.at(), format_args!("{} here", reference.name.text)),
        };
        self.read_register(item);
        let mut subscripts = Vec::new();
        for subscript in &reference.subscripts {
            match subscript {
                Subscript::All(at) => return self.refuse(*at, "the subscript ALL"),
                Subscript::Value(value) => subscripts.push(self.whole(value)?),
            }
        }
        let place = self.place_of(id, subscripts, extent, reference.at())?;
        let place = self.with_own_length(item, place);
        Ok(Located { place, item, part: false })
    }

    /// Place of an item, with a subscript for each table around it.
    pub(crate) fn place_of(
        &mut self,
        id: ItemId,
        subscripts: Vec<Linear>,
        extent: Extent,
        at: At,
    ) -> Lowered<BytePlace> {
        let item = self.program.items.get(id);
        if let Some(what) = unknown_kind(&item.kind) {
            return self.refuse(at, what);
        }
        self.reach(id, at)?;
        let Some((segment, base)) = self.storage.base(id, item) else {
            return self.refuse(at, format_args!("the storage of {}", item.display_name()));
        };
        if item.kind == Type::IndexName {
            return Ok(BytePlace::fixed(segment, base, 4));
        }
        let mut place = BytePlace::fixed(segment, base + item.offset as u32, item.length as u32);
        if subscripts.len() != item.dimensions.len() && !subscripts.is_empty() {
            return self.refuse(at, format_args!("these subscripts of {}", item.display_name()));
        }
        let mut table = (place.at.constant, place.at.constant);
        for (table_id, subscript) in item.dimensions.iter().zip(subscripts) {
            let occurs = self.program.items.get(*table_id).occurs.as_ref();
            let stride = occurs.map_or(0, |occurs| occurs.stride as i64);
            let max = occurs.and_then(|occurs| occurs.max).unwrap_or(1) as i64;
            table.1 += stride * (max - 1);
            place.at = place.at.plus(stride, subscript).plus(-stride, Linear::constant(1));
        }
        for table_id in &item.moves_behind {
            let shrunk = self.shrunk_by(*table_id, at)?;
            place.at = place.at.plus(-1, shrunk);
        }
        if item.is_group() && self.program.items.varies(id) {
            place.length = self.varying_length(id, extent, at)?;
        }
        if item.dynamic {
            place = self.dynamic_place(id, place, extent, at)?;
        }
        if self.options.ranges {
            let to = (table.1 + item.length as i64).clamp(0, u32::MAX.into()) as u32;
            place.bounds = Bounds::Item { from: table.0.max(0) as u32, to };
        }
        Ok(place)
    }

    /// By how many bytes a table is shorter than it can be.
    pub(crate) fn shrunk_by(&mut self, table: ItemId, at: At) -> Lowered<Linear> {
        let Some(occurs) = &self.program.items.get(table).occurs else {
            return self.refuse(at, "this table");
        };
        let (Some(depending), Some(max)) = (&occurs.depending, occurs.max) else {
            return self.refuse(at, "OCCURS UNBOUNDED");
        };
        let number = Linear::from(self.item_number(depending)?);
        let stride = occurs.stride as i64;
        Ok(Linear::constant(stride * max as i64).plus(-stride, number))
    }

    /// The length of a group with tables of varying size.
    fn varying_length(&mut self, id: ItemId, extent: Extent, at: At) -> Lowered<Linear> {
        let item = self.program.items.get(id);
        let mut length = Linear::constant(item.length as i64);
        let mut tables = Vec::new();
        if !self.varying_tables(id, &mut tables) {
            return self.refuse(at, "a table of varying size within a table");
        }
        for table in tables {
            let within = extent == Extent::Received && self.depends_on_own(table, id);
            if !within {
                let shrunk = self.shrunk_by(table, at)?;
                length = length.plus(-1, shrunk);
            }
        }
        Ok(length)
    }

    /// The tables of varying size in a group; whether none of them stands in another table.
    fn varying_tables(&self, id: ItemId, out: &mut Vec<ItemId>) -> bool {
        let items = &self.program.items;
        items.get(id).parts.iter().all(|part| {
            let item = items.get(*part);
            match &item.occurs {
                Some(occurs) if occurs.depending.is_some() => {
                    out.push(*part);
                    !items.varies(*part)
                }
                Some(_) => !items.varies(*part),
                None => self.varying_tables(*part, out),
            }
        })
    }

    /// Returns true if the number of occurrences of a table lies within a group.
    fn depends_on_own(&self, table: ItemId, group: ItemId) -> bool {
        let items = &self.program.items;
        let depending = items.get(table).occurs.as_ref().and_then(|occurs| occurs.depending.as_ref());
        let object = depending.and_then(|reference| self.item(reference.id));
        object.is_some_and(|(id, _)| items.groups(id).any(|around| around == group))
    }

    fn modified(
        &mut self,
        place: BytePlace,
        item: &Item,
        modification: &'a Modification,
        at: At,
    ) -> Lowered<BytePlace> {
        // A national character has two bytes.
        let width = if is_usage_national(&item.kind) { 2 } else { 1 };
        match item.kind {
            Type::DoubleByte => return self.refuse(at, "reference modification of DBCS items"),
            Type::Utf8(_) => {
                let what = format!("reference modification of {} (UTF-8) here", item.display_name());
                return self.refuse(at, what);
            }
            _ => {}
        }
        let start = Linear::default().plus(width, self.whole(&modification.start)?);
        let length = match &modification.length {
            Some(length) => Linear::default().plus(width, self.whole(length)?),
            None => place.length.clone().plus(1, Linear::constant(width)).plus(-1, start.clone()),
        };
        let from = place.at.clone().plus(1, start).plus(-1, Linear::constant(width));
        let bounds = match (place.bounds, place.as_fixed()) {
            (Bounds::Item { .. }, Some((at, length))) => Bounds::Item { from: at, to: at + length },
            (bounds, _) => bounds,
        };
        let part = BytePlace { segment: place.segment, at: from, length, bounds };
        Ok(if is_beyond(&place, &part) { looked_at_when_used(part) } else { part })
    }

    /// A whole number: subscripts, starts and lengths of reference modification.
    pub(crate) fn whole(&mut self, expression: &'a Expression) -> Lowered<Linear> {
        Ok(linear_of(self.expression(expression, None)?))
    }
}

/// Returns true if a part that never varies does not lie in its item, as in `X(4:3)` of one character.
fn is_beyond(item: &BytePlace, part: &BytePlace) -> bool {
    let (Some((at, length)), true) =
        (item.as_fixed(), part.at.terms.is_empty() && part.length.terms.is_empty())
    else {
        return false;
    };
    let (from, to) = (i64::from(at), i64::from(at) + i64::from(length));
    let end = part.at.constant.saturating_add(part.length.constant);
    part.at.constant < from || end > to
}

/// The same place as one that varies: it is what lies there when it is used, or an abend.
fn looked_at_when_used(mut place: BytePlace) -> BytePlace {
    place.at.terms.push((1, Number::whole(0)));
    place
}

/// A number whose sums are taken part by part, where their parts are whole.
fn linear_of(number: Number) -> Linear {
    match number {
        Number::Binary(operator @ (Operator::Add | Operator::Subtract), left, right, _)
            if is_whole(&left) && is_whole(&right) =>
        {
            let factor = if operator == Operator::Add { 1 } else { -1 };
            linear_of(*left).plus(factor, linear_of(*right))
        }
        other => other.into(),
    }
}

/// Returns true if a number never has decimals: then sums of such numbers can be taken part by part.
fn is_whole(number: &Number) -> bool {
    match number {
        Number::Binary(Operator::Divide, ..) => false,
        Number::Binary(_, left, right, shape) => shape.decimals <= 0 && is_whole(left) && is_whole(right),
        other => other.shape().decimals <= 0,
    }
}

/// Name of a kind of item that is not built.
fn unknown_kind(kind: &Type) -> Option<&'static str> {
    Some(match kind {
        Type::DoubleByte => "DBCS items",
        Type::FloatEdited(_) => "external floating-point items",
        Type::FunctionPointer => "FUNCTION-POINTER items",
        Type::Object => "OBJECT REFERENCE items",
        Type::Unknown => "an item whose description could not be read",
        _ => return None,
    })
}
