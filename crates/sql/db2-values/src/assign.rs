//! Values for columns.

use crate::convert::{Purpose, convert};
use crate::setting::Setting;
use crate::types::Type;
use crate::unfit::Unfit;
use crate::value::Value;

/// A value as a column of this type holds it.
///
/// # Errors
/// It is NULL (-407), too long (-404), out of range (-406), of a type that the column does not take (-408), or a text that is no
/// number (-420), no date or time (-180, -181).
pub fn assign(value: Value, column: Type, is_nullable: bool, setting: &Setting) -> Result<Value, Unfit> {
    if value.is_null() {
        return if is_nullable { Ok(value) } else { Err(Unfit::COLUMN_NULL) };
    }
    convert(value, column, Purpose::Column, setting)
}
