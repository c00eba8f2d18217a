//! Built-in types, and what restricts them.

use diagnostics::Diagnostic;

use super::document::Node;
use crate::items::ItemKind;
use crate::limits::FRACTION_DEFAULT;

/// Digits of a decimal number whose type does not say how many.
const DECIMAL: usize = 18;

/// A type with the facets that say how much room it needs. `schema` is the namespace of facets.
pub(super) fn restricted(base: ItemKind, restriction: &Node, schema: &str) -> ItemKind {
    let facet =
        |name: &str| restriction.children(schema, name).next().map(|it| it.attribute("value").to_owned());
    let size = |name: &str| facet(name).and_then(|value| value.parse::<usize>().ok());
    let is_positive =
        || facet("minInclusive").or(facet("minExclusive")).is_some_and(|least| !least.starts_with('-'));
    let longest = || {
        let values =
            restriction.children(schema, "enumeration").map(|it| it.attribute("value").chars().count());
        values.max()
    };
    match base {
        ItemKind::Text(length) => {
            ItemKind::Text(size("maxLength").or(size("length")).or_else(longest).or(length))
        }
        ItemKind::Bytes(length) => ItemKind::Bytes(size("maxLength").or(size("length")).or(length)),
        ItemKind::Decimal { digits, scale, signed } => {
            let scale = size("fractionDigits").unwrap_or(scale);
            let digits = size("totalDigits").unwrap_or(digits).max(scale);
            ItemKind::Decimal { digits, scale, signed: signed && !is_positive() }
        }
        other => other,
    }
}

pub(super) fn built_in(at: &Node, name: &str, local: &str) -> Result<ItemKind, Diagnostic> {
    let integer = |bytes, signed| ItemKind::Integer { bytes, signed };
    let digits = |signed| ItemKind::Decimal { digits: DECIMAL, scale: 0, signed };
    Ok(match local {
        "string" | "normalizedString" | "token" | "anyURI" | "NMTOKEN" | "NMTOKENS" | "Name" | "NCName"
        | "ID" | "IDREF" | "IDREFS" | "ENTITY" | "ENTITIES" | "NOTATION" | "language" | "QName"
        | "hexBinary" | "duration" | "gYear" | "gMonth" | "gDay" | "gYearMonth" | "gMonthDay"
        | "anySimpleType" => ItemKind::Text(None),
        "date" => ItemKind::Text(Some(16)),
        "time" => ItemKind::Text(Some(24)),
        "dateTime" => ItemKind::Moment,
        "boolean" => ItemKind::Flag,
        "base64Binary" => ItemKind::Bytes(None),
        "byte" | "short" => integer(2, true),
        "int" => integer(4, true),
        "long" => integer(8, true),
        "unsignedByte" | "unsignedShort" => integer(2, false),
        "unsignedInt" => integer(4, false),
        "unsignedLong" => integer(8, false),
        "integer" | "nonPositiveInteger" | "negativeInteger" => digits(true),
        "nonNegativeInteger" | "positiveInteger" => digits(false),
        "decimal" => ItemKind::Decimal { digits: DECIMAL, scale: FRACTION_DEFAULT, signed: true },
        "float" => ItemKind::Float(4),
        "double" => ItemKind::Float(8),
        other => {
            return Err(at.refused(
                name,
                &format!("the type {other} has no place in a record"),
                "use another type",
            ));
        }
    })
}
