//! Kinds of items, by the characters that they hold.

use cobol_data::{Numeric, Representation, Type};

/// Returns true if items of a type hold national characters.
pub(super) fn is_national_kind(kind: &Type) -> bool {
    *kind == Type::National
}

/// Returns true if they are national characters to moves and comparisons: edited ones, too.
pub(super) fn is_national_class(kind: &Type) -> bool {
    matches!(kind, Type::National | Type::NationalEdited(_))
}

/// Returns true if each character of an item has two bytes.
pub(super) fn is_usage_national(kind: &Type) -> bool {
    let of_national = |numeric: &Numeric| matches!(numeric.representation, Representation::National(_));
    is_national_class(kind) || matches!(kind, Type::Numeric(numeric) if of_national(numeric))
}
