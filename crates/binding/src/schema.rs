//! Elements of messages as XML Schema and as JSON Schema.

use mapping::{Element, Shape};

use crate::xml::Document;

/// Digits that fit into 64 bits whatever they are.
const LONG_DIGITS: usize = 18;

/// Writes an element declaration, with its type within.
pub(crate) fn declare(element: &Element, document: &mut Document, is_global: bool) {
    let (min, max) = (element.min.to_string(), element.max.to_string());
    let mut attributes = vec![("name", element.name.as_str())];
    if !is_global && (element.min, element.max) != (1, 1) {
        attributes.extend([("minOccurs", min.as_str()), ("maxOccurs", max.as_str())]);
    }
    let simple = match &element.shape {
        Shape::Group(parts) => {
            document.open("xs:element", &attributes);
            document.open("xs:complexType", &[]);
            document.open("xs:sequence", &[]);
            parts.iter().for_each(|part| declare(part, document, false));
            (0..3).for_each(|_| document.close());
            return;
        }
        shape => simple(shape),
    };
    if simple.facets.is_empty() {
        attributes.push(("type", simple.base));
        document.empty("xs:element", &attributes);
        return;
    }
    document.open("xs:element", &attributes);
    document.open("xs:simpleType", &[]);
    document.open("xs:restriction", &[("base", simple.base)]);
    for (facet, value) in &simple.facets {
        document.empty(&format!("xs:{facet}"), &[("value", value)]);
    }
    (0..3).for_each(|_| document.close());
}

/// A built-in type and what restricts it.
struct Simple {
    base: &'static str,
    facets: Vec<(&'static str, String)>,
}

fn simple(shape: &Shape) -> Simple {
    let plain = |base| Simple { base, facets: Vec::new() };
    match shape {
        Shape::Group(_) => plain("xs:anyType"),
        Shape::Text { length, fixed } => {
            let facet = if *fixed { "length" } else { "maxLength" };
            Simple {
                base: "xs:string",
                facets: vec![(facet, length.to_string()), ("whiteSpace", "preserve".to_owned())],
            }
        }
        Shape::Bytes(length) => {
            Simple { base: "xs:base64Binary", facets: vec![("maxLength", length.to_string())] }
        }
        Shape::Flag => plain("xs:boolean"),
        Shape::Float(4) => plain("xs:float"),
        Shape::Float(_) => plain("xs:double"),
        // An empty text is no date, and a field may hold none.
        Shape::Date => Simple {
            base: "xs:string",
            facets: vec![("pattern", "([0-9]{4}-[0-9]{2}-[0-9]{2})?".to_owned())],
        },
        Shape::Moment => plain("xs:dateTime"),
        Shape::Number { native: Some(length), signed, .. } => plain(match (length, signed) {
            (2, true) => "xs:short",
            (2, false) => "xs:unsignedShort",
            (4, true) => "xs:int",
            (4, false) => "xs:unsignedInt",
            (_, true) => "xs:long",
            (_, false) => "xs:unsignedLong",
        }),
        Shape::Number { digits, scale, signed, packed, .. } => decimal(*digits, *scale, *signed, *packed),
    }
}

fn decimal(digits: usize, scale: i32, signed: bool, packed: bool) -> Simple {
    if packed || scale != 0 || digits > LONG_DIGITS {
        let places = usize::try_from(scale).unwrap_or(0);
        let whole = digits.max(places) + usize::try_from(-scale).unwrap_or(0);
        let mut facets = vec![("totalDigits", whole.to_string()), ("fractionDigits", places.to_string())];
        if !signed {
            facets.push(("minInclusive", "0".to_owned()));
        }
        return Simple { base: "xs:decimal", facets };
    }
    let base = match (digits, signed) {
        (..=4, true) => "xs:short",
        (..=4, false) => "xs:unsignedShort",
        (..=9, true) => "xs:int",
        (..=9, false) => "xs:unsignedInt",
        (_, true) => "xs:long",
        (_, false) => "xs:unsignedLong",
    };
    let (least, most) = bounds(digits, 0, signed);
    Simple { base, facets: vec![("minInclusive", least), ("maxInclusive", most)] }
}

/// The least and the greatest number of so many digits.
fn bounds(digits: usize, scale: i32, signed: bool) -> (String, String) {
    let places = usize::try_from(scale).unwrap_or(0);
    let mut most = "9".repeat(digits.max(1)) + &"0".repeat(usize::try_from(-scale).unwrap_or(0));
    if places > 0 {
        if most.len() <= places {
            most = format!("{most:0>width$}", width = places + 1);
        }
        most.insert(most.len() - places, '.');
    }
    (if signed { format!("-{most}") } else { "0".to_owned() }, most)
}

/// Characters that have a place in a program: those of ISO 8859-1, as a pattern of JSON Schema.
const CHARACTERS: &str = r#""^[\\u0000-\\u00ff]*$""#;

/// Writes the schema of an element's value in JSON.
pub(crate) fn json(element: &Element, into: &mut String) {
    let value = |into: &mut String| match &element.shape {
        Shape::Group(parts) => object(parts, into),
        shape => *into += &scalar(shape),
    };
    if element.is_array {
        *into += "{\"type\":\"array\",\"items\":";
        value(into);
        *into += &format!(",\"minItems\":{},\"maxItems\":{}}}", element.min, element.max);
    } else {
        value(into);
    }
}

fn object(parts: &[Element], into: &mut String) {
    *into += "{\"type\":\"object\",\"properties\":{";
    for (at, part) in parts.iter().enumerate() {
        *into += if at > 0 { "," } else { "" };
        *into += &format!("{}:", quoted(&part.name));
        json(part, into);
        if part.min == 0 && !part.is_array {
            // What may be missing may be null.
            into.truncate(into.len() - 1);
            *into += ",\"nullable\":true}";
        }
    }
    let required: Vec<_> = parts.iter().filter(|part| part.min > 0).map(|part| quoted(&part.name)).collect();
    *into += "}";
    if !required.is_empty() {
        *into += &format!(",\"required\":[{}]", required.join(","));
    }
    *into += ",\"additionalProperties\":false}";
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = vec![b'"'];
    mapping::json::escape(text, &mut quoted);
    quoted.push(b'"');
    String::from_utf8_lossy(&quoted).into_owned()
}

fn scalar(shape: &Shape) -> String {
    match shape {
        Shape::Group(_) => "{}".to_owned(),
        Shape::Text { length, fixed } => {
            let least = if *fixed { format!(",\"minLength\":{length}") } else { String::new() };
            format!("{{\"type\":\"string\",\"maxLength\":{length}{least},\"pattern\":{CHARACTERS}}}")
        }
        Shape::Bytes(length) => {
            let most = length.div_ceil(3) * 4;
            format!("{{\"type\":\"string\",\"format\":\"byte\",\"maxLength\":{most}}}")
        }
        Shape::Flag => "{\"type\":\"boolean\"}".to_owned(),
        Shape::Float(4) => "{\"type\":\"number\",\"format\":\"float\"}".to_owned(),
        Shape::Float(_) => "{\"type\":\"number\",\"format\":\"double\"}".to_owned(),
        Shape::Date => "{\"type\":\"string\",\"pattern\":\"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$\"}".to_owned(),
        Shape::Moment => "{\"type\":\"string\",\"format\":\"date-time\"}".to_owned(),
        Shape::Number { native: Some(length), signed, .. } => {
            let bits = u32::try_from(length * 8).unwrap_or(64).min(64);
            let (least, most) = match signed {
                true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                false => (0, (1i128 << bits) - 1),
            };
            format!("{{\"type\":\"integer\",\"minimum\":{least},\"maximum\":{most}}}")
        }
        Shape::Number { digits, scale, signed, .. } => {
            let (least, most) = bounds(*digits, *scale, *signed);
            let (kind, step) = match usize::try_from(*scale) {
                Ok(0) => ("integer", String::new()),
                Ok(places) => ("number", format!(",\"multipleOf\":0.{}1", "0".repeat(places - 1))),
                Err(_) => {
                    let zeros = "0".repeat(usize::try_from(-scale).unwrap_or(0));
                    ("integer", format!(",\"multipleOf\":1{zeros}"))
                }
            };
            format!("{{\"type\":\"{kind}\",\"minimum\":{least},\"maximum\":{most}{step}}}")
        }
    }
}
