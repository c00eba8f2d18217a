//! The form of rows and keys of Db2's values.

use db2_values::{Order, Type, Value, key, row};
use smallvec::SmallVec;

use crate::catalogue::{Column, ColumnType, KeyColumn};
use crate::form::{Form, Malformed};

/// The number of this form: another one when rows or keys are written otherwise.
const FORM: u8 = 1;

/// Types of columns: so many without asking for memory.
type Kinds = SmallVec<[Type; 16]>;

/// Rows and keys as `db2_values` writes them, characters in one order.
pub struct ValueForm {
    order: Order,
}

impl ValueForm {
    /// The form with this order of characters, which is for all tables of an engine and stays.
    pub fn new(order: Order) -> Self {
        Self { order }
    }
}

impl From<Type> for ColumnType {
    fn from(kind: Type) -> Self {
        let (code, length, scale) = kind.coded();
        Self { code, length, scale }
    }
}

impl ColumnType {
    /// The type of values; `None` if no type has such a number.
    pub fn of_values(self) -> Option<Type> {
        Type::of_code(self.code, self.length, self.scale)
    }
}

fn kinds(columns: &[Column]) -> Result<Kinds, Malformed> {
    columns.iter().map(|column| column.kind.of_values().ok_or(Malformed)).collect()
}

impl Form for ValueForm {
    /// The form's number, and the places of all characters.
    fn identity(&self) -> Vec<u8> {
        std::iter::once(FORM).chain((0..=u8::MAX).map(|character| self.order.place(character))).collect()
    }

    fn key(
        &self,
        columns: &[Column],
        of: &[KeyColumn],
        row: &[u8],
        key: &mut Vec<u8>,
    ) -> Result<bool, Malformed> {
        let kinds = kinds(columns)?;
        let mut has_null = false;
        for KeyColumn { column, is_descending } in of {
            let value = row::column(row, &kinds, *column).map_err(|_| Malformed)?.unwrap_or(Value::Null);
            has_null |= value == Value::Null;
            let kind = *kinds.get(*column).ok_or(Malformed)?;
            key::append(key, &value, kind, *is_descending, self.order);
        }
        Ok(has_null)
    }

    fn refused_null(&self, columns: &[Column], row: &[u8]) -> Result<Option<usize>, Malformed> {
        let mut values = Vec::with_capacity(columns.len());
        row::decode(row, &kinds(columns)?, &mut values).map_err(|_| Malformed)?;
        let is_refused = |(at, column): (usize, &Column)| {
            !column.is_nullable && values.get(at).is_none_or(|value| *value == Value::Null)
        };
        Ok(columns.iter().enumerate().position(is_refused))
    }

    fn longest_key(&self, columns: &[Column], of: &[KeyColumn]) -> usize {
        let kind = |key: &KeyColumn| columns.get(key.column).and_then(|column| column.kind.of_values());
        of.iter().map(|key| kind(key).map_or(usize::MAX / 128, key::longest)).sum()
    }
}
