//! Elements that event bindings and adapters have in common: the outermost, names, numbers, forms.

use bundle_source::xml::{Element, Wrong};

use crate::event_values::Form;

/// The namespace of event bindings, adapters, and sets of them.
pub(crate) const NAMESPACE: &str = "http://www.ibm.com/xmlns/prod/cics/eventprocessing/eventbinding";

/// The highest version of the schema.
const SCHEMA_MAX: u32 = 4;
/// Characters of the names of events, captures, items and adapters.
pub const EVENT_NAME_MAX: usize = 32;

/// Reads the outermost element, which has a name and the namespace of events.
pub(crate) fn root(text: &str, name: &str) -> Result<Element, Wrong> {
    let root = Element::read(text)?;
    if root.name != name || root.namespace != NAMESPACE {
        return Err(root.wrong(format!("{root} is no <{name}> of {NAMESPACE}")));
    }
    schema(&root)?;
    Ok(root)
}

/// Version and release of the schema of events.
pub(crate) fn schema(root: &Element) -> Result<(u32, u32), Wrong> {
    root.knows(&["CICSEPSchemaVersion", "CICSEPSchemaRelease"])?;
    let number = |name: &str| {
        let digits = root.need(name)?;
        let number = digits.parse().ok().filter(|number: &u32| *number <= 99);
        number.ok_or_else(|| root.wrong(format!("{name} is no number up to 99: '{digits}'")))
    };
    let schema = (number("CICSEPSchemaVersion")?, number("CICSEPSchemaRelease")?);
    if schema.0 > SCHEMA_MAX {
        return Err(root.wrong(format!(
            "the schema {}.{} of events is not known, only those up to {SCHEMA_MAX}",
            schema.0, schema.1
        )));
    }
    Ok(schema)
}

/// The text of an element; empty if it is not there.
pub(crate) fn text<'e>(outer: &'e Element, name: &str) -> Result<&'e str, Wrong> {
    Ok(outer.one(name)?.map_or("", |element| element.text.trim()))
}

/// Refuses a name that is there twice.
pub(crate) fn only_once<'n>(root: &Element, names: impl Iterator<Item = &'n str>) -> Result<(), Wrong> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(root.wrong(format!("there are two of the name '{name}'")));
        }
        seen.push(name);
    }
    Ok(())
}

/// The form that an attribute names.
pub(crate) fn form(element: &Element, attribute: &str) -> Result<Form, Wrong> {
    match element.attribute(attribute).unwrap_or("text") {
        "text" => Ok(Form::Text),
        "numeric" => Ok(Form::Numeric),
        "scientific" => Ok(Form::Scientific),
        other => Err(element.wrong(format!("the {attribute} '{other}' of {element} is not known"))),
    }
}

/// Longest item, and the highest offset.
const LENGTH_MAX: usize = 32_768;

/// The number in an attribute; 0 if it is not there, or empty.
pub(crate) fn count(element: &Element, attribute: &str) -> Result<usize, Wrong> {
    let digits = element.attribute(attribute).unwrap_or_default();
    let number = if digits.is_empty() { Some(0) } else { digits.parse().ok() };
    number.filter(|number| *number <= LENGTH_MAX).ok_or_else(|| {
        element.wrong(format!("{attribute} of {element} is no number up to {LENGTH_MAX}: '{digits}'"))
    })
}

/// The name of an element, in its `<name>`.
pub(crate) fn name(element: &Element) -> Result<String, Wrong> {
    checked(element, text(element, "name")?)
}

/// Checks a name.
pub(crate) fn checked(element: &Element, name: &str) -> Result<String, Wrong> {
    if is_event_name(name) {
        Ok(name.to_owned())
    } else {
        Err(element.wrong(format!("the name of {element} is missing, or is none: '{name}'")))
    }
}

/// Returns true if an event, an item or an adapter may have this name.
pub fn is_event_name(name: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    begins
        && name.len() <= EVENT_NAME_MAX
        && name.bytes().all(is_one)
        && !name.to_ascii_lowercase().starts_with("xml")
}
