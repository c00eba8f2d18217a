//! Elements of messages as XML Schema and as JSON Schema.

use mapping::{Element, Form, Shape};

use crate::xml::Document;

/// Digits that fit into 64 bits whatever they are.
const LONG_DIGITS: usize = 18;

/// Writes an element declaration, with its type within. `around` is the namespace of its message, and whether elements are
/// of that.
pub(crate) fn declare(element: &Element, around: (&str, bool), document: &mut Document, is_global: bool) {
    let (min, max) = (element.min.to_string(), bound(element.max));
    let mut occurs = Vec::new();
    if !is_global && (element.min, element.max) != (1, 1) {
        occurs.extend([("minOccurs", min.as_str()), ("maxOccurs", max.as_str())]);
    }
    if element.shape == Shape::Any && element.name.is_empty() {
        occurs.push(("processContents", "lax"));
        document.empty("xs:any", &occurs);
        return;
    }
    let mut attributes = vec![("name", element.name.as_str())];
    let reference = format!("n:{}", element.name);
    match element.namespace.as_deref() {
        Some("") if !is_global => attributes.push(("form", "unqualified")),
        Some(other) if !is_global && other == around.0 => attributes.push(("form", "qualified")),
        Some(other) if !is_global => {
            let mut attributes = vec![("ref", reference.as_str()), ("xmlns:n", other)];
            attributes.extend(occurs);
            document.empty("xs:element", &attributes);
            return;
        }
        _ => {}
    }
    attributes.extend(occurs);
    if element.is_nillable {
        attributes.push(("nillable", "true"));
    }
    let simple = match &element.shape {
        Shape::Group(parts) => {
            document.open("xs:element", &attributes);
            document.open("xs:complexType", &[]);
            complex(parts, around, document);
            (0..2).for_each(|_| document.close());
            return;
        }
        shape => simple(shape),
    };
    simple_element("xs:element", &attributes, &simple, document);
}

/// The greatest number of occurrences, as schemas say it.
fn bound(max: usize) -> String {
    if max >= mapping::limits::OCCURRENCES_MAX { "unbounded".to_owned() } else { max.to_string() }
}

/// Writes the contents of a complex type.
fn complex(parts: &[Element], around: (&str, bool), document: &mut Document) {
    let attributes: Vec<_> = parts.iter().filter(|part| part.form == Form::Attribute).collect();
    if let Some(content) = parts.iter().find(|part| part.form == Form::Content) {
        document.open("xs:simpleContent", &[]);
        document.open("xs:extension", &[("base", simple(&content.shape).base)]);
        attributes.iter().for_each(|it| attribute(it, document));
        (0..2).for_each(|_| document.close());
        return;
    }
    document.open("xs:sequence", &[]);
    particles(parts, around, document);
    document.close();
    attributes.iter().for_each(|it| attribute(it, document));
}

/// Elements, choices of them, and groups without an element of their own.
fn particles(parts: &[Element], around: (&str, bool), document: &mut Document) {
    let is_particle = |part: &&Element| matches!(part.form, Form::Element | Form::Unwrapped);
    let elements: Vec<_> = parts.iter().filter(is_particle).collect();
    let mut at = 0;
    while let Some(element) = elements.get(at) {
        if element.choice.is_none() {
            particle(element, around, document);
            at += 1;
            continue;
        }
        let end = elements[at..].iter().position(|it| it.choice.is_some_and(|choice| choice.is_last));
        let end = end.map_or(elements.len(), |last| at + last + 1);
        choice(&elements[at..end], around, document);
        at = end;
    }
}

fn particle(element: &Element, around: (&str, bool), document: &mut Document) {
    match (&element.shape, element.form) {
        (Shape::Group(parts), Form::Unwrapped) => {
            let (min, max) = (element.min.to_string(), bound(element.max));
            document.open("xs:sequence", &[("minOccurs", &min), ("maxOccurs", &max)]);
            particles(parts, around, document);
            document.close();
        }
        _ => declare(element, around, document, false),
    }
}

/// Elements that exclude each other; those of one number come together.
fn choice(elements: &[&Element], around: (&str, bool), document: &mut Document) {
    let is_required = elements.last().and_then(|it| it.choice).is_some_and(|choice| choice.is_required);
    let least = if is_required { "1" } else { "0" };
    document.open("xs:choice", &[("minOccurs", least)]);
    for together in elements.chunk_by(|a, b| a.choice.map(|it| it.number) == b.choice.map(|it| it.number)) {
        if let [one] = together {
            particle(one, around, document);
            continue;
        }
        document.open("xs:sequence", &[]);
        together.iter().for_each(|it| particle(it, around, document));
        document.close();
    }
    document.close();
}

fn attribute(attribute: &Element, document: &mut Document) {
    let needed = if attribute.min == 0 { "optional" } else { "required" };
    let attributes = [("name", attribute.name.as_str()), ("use", needed)];
    simple_element("xs:attribute", &attributes, &simple(&attribute.shape), document);
}

/// A declaration of a simple type, with its facets within.
fn simple_element(tag: &str, attributes: &[(&str, &str)], simple: &Simple, document: &mut Document) {
    let mut attributes = attributes.to_vec();
    if simple.facets.is_empty() {
        attributes.push(("type", simple.base));
        document.empty(tag, &attributes);
        return;
    }
    document.open(tag, &attributes);
    document.open("xs:simpleType", &[]);
    document.open("xs:restriction", &[("base", simple.base)]);
    for (facet, value) in &simple.facets {
        document.empty(&format!("xs:{facet}"), &[("value", value)]);
    }
    (0..3).for_each(|_| document.close());
}

/// Elements within an element that are declared in other namespaces, since it can only refer to them.
pub(crate) fn elsewhere(element: &Element, namespace: &str, into: &mut Vec<(String, bool, Element)>) {
    let Shape::Group(parts) = &element.shape else { return };
    for part in parts {
        match part.form {
            Form::Unwrapped => {
                elsewhere(part, namespace, into);
                continue;
            }
            Form::Element => {}
            Form::Attribute | Form::Content => continue,
        }
        match part.namespace.as_deref() {
            Some(other) if !other.is_empty() && other != namespace => {
                elsewhere(part, other, into);
                into.push((other.to_owned(), true, part.clone()));
            }
            _ => elsewhere(part, namespace, into),
        }
    }
}

/// A built-in type and what restricts it.
struct Simple {
    base: &'static str,
    facets: Vec<(&'static str, String)>,
}

fn simple(shape: &Shape) -> Simple {
    let plain = |base| Simple { base, facets: Vec::new() };
    match shape {
        Shape::Group(_) | Shape::Any => plain("xs:anyType"),
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
        Shape::Group(parts) if matches!(parts.as_slice(), [only] if only.form == Form::Content) => {
            *into += &scalar(&parts[0].shape);
        }
        Shape::Group(parts) => object(parts, into),
        shape => *into += &scalar(shape),
    };
    if element.is_array {
        *into += "{\"type\":\"array\",\"items\":";
        value(into);
        *into += &format!(",\"minItems\":{}", element.min);
        if element.max < mapping::limits::OCCURRENCES_MAX {
            *into += &format!(",\"maxItems\":{}", element.max);
        }
        *into += "}";
    } else {
        value(into);
    }
}

fn object(parts: &[Element], into: &mut String) {
    *into += "{\"type\":\"object\",\"properties\":{";
    let members = || parts.iter().filter(|part| part.shape != Shape::Any);
    for (at, part) in members().enumerate() {
        *into += if at > 0 { "," } else { "" };
        *into += &format!("{}:", quoted(&member(part)));
        json(part, into);
        if (part.min == 0 || part.is_nillable) && !part.is_array {
            // What may be missing may be null.
            into.truncate(into.len() - 1);
            *into += ",\"nullable\":true}";
        }
    }
    let is_required = |part: &&Element| part.min > 0 && part.choice.is_none();
    let required: Vec<_> = members().filter(is_required).map(|part| quoted(&member(part))).collect();
    *into += "}";
    if !required.is_empty() {
        *into += &format!(",\"required\":[{}]", required.join(","));
    }
    *into += ",\"additionalProperties\":false}";
}

/// The name of the member that an element is.
fn member(element: &Element) -> String {
    match element.form {
        Form::Element | Form::Unwrapped => element.name.clone(),
        Form::Attribute => format!("@{}", element.name),
        Form::Content => "$".to_owned(),
    }
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
        Shape::Group(_) | Shape::Any => "{}".to_owned(),
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
