//! An event binding, an `.evbind` file: its events, where they are captured, and the adapter that they go to.

use bundle_source::xml::{Element, Wrong};

use crate::capture_specification::CaptureSpecification;
use crate::ep_adapter::{EpAdapter, text};
use crate::event_values::Form;
use crate::limits::{CAPTURES_MAX, EVENT_ITEMS_MAX};

/// The namespace of event bindings, adapters, and sets of them.
pub(crate) const NAMESPACE: &str = "http://www.ibm.com/xmlns/prod/cics/eventprocessing/eventbinding";

/// The highest version of the schema.
const SCHEMA_MAX: u32 = 4;
/// Characters of the names of events, captures, items and adapters.
pub const EVENT_NAME_MAX: usize = 32;

/// An event binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventBinding {
    /// Its user tag; empty: none.
    pub user_tag: String,
    /// Version and release of its schema.
    pub schema: (u32, u32),
    /// Its events.
    pub events: Vec<EventSpecification>,
    /// Places where these are captured.
    pub captures: Vec<CaptureSpecification>,
    /// The adapter that they go to.
    pub adapter: AdapterOf,
}

/// The adapter of an event binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdapterOf {
    /// Its own.
    Own(Box<EpAdapter>),
    /// One that is defined elsewhere.
    Named(String),
    /// Those of a set.
    Set(String),
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventSpecification {
    /// Its name.
    pub name: String,
    /// Its items, in their order.
    pub items: Vec<EventItem>,
}

/// An item of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventItem {
    /// Its name.
    pub name: String,
    /// Its form.
    pub form: Form,
    /// Its characters; 0: as many as it needs.
    pub length: usize,
    /// Digits behind the point.
    pub precision: usize,
}

/// Reads the outermost element, which has a name and the namespace of events.
pub(crate) fn root(text: &str, name: &str) -> Result<Element, Wrong> {
    let root = Element::read(text)?;
    if root.name != name || root.namespace != NAMESPACE {
        return Err(root.wrong(format!("{root} is no <{name}> of {NAMESPACE}")));
    }
    schema(&root)?;
    Ok(root)
}

fn schema(root: &Element) -> Result<(u32, u32), Wrong> {
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

impl EventBinding {
    /// Reads an event binding.
    ///
    /// # Errors
    /// It is none, or has something that is not known.
    pub fn read(file: &str) -> Result<Self, Wrong> {
        let root = root(file, "eventBinding")?;
        let parts = root.parts_of(&[
            "description",
            "userTag",
            "eventAdapterName",
            "eventAdapterSetName",
            "eventSpecification",
            "eventCaptureSpecification",
            "eventDispatcherSpecification",
        ])?;
        let user_tag = text(&root, "userTag")?;
        if user_tag.len() > crate::limits::USER_TAG_MAX {
            return Err(root.wrong(format!("the userTag '{user_tag}' is none")));
        }
        let of = |name: &'static str| parts.iter().filter(move |part| part.name == name);
        let events: Vec<_> = of("eventSpecification").map(event).collect::<Result<_, _>>()?;
        let captures: Vec<_> = of("eventCaptureSpecification")
            .map(|element| CaptureSpecification::read(element, &events))
            .collect::<Result<_, _>>()?;
        if captures.is_empty() || captures.len() > CAPTURES_MAX {
            return Err(
                root.wrong(format!("an event binding has 1 to {CAPTURES_MAX} capture specifications"))
            );
        }
        only_once(&root, events.iter().map(|event| event.name.as_str()))?;
        only_once(&root, captures.iter().map(|capture| capture.name.as_str()))?;
        let (schema, adapter) = (schema(&root)?, adapter(&root)?);
        Ok(Self { user_tag: user_tag.to_owned(), schema, events, captures, adapter })
    }
}

/// Refuses a name that is there twice.
fn only_once<'n>(root: &Element, names: impl Iterator<Item = &'n str>) -> Result<(), Wrong> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(root.wrong(format!("there are two of the name '{name}'")));
        }
        seen.push(name);
    }
    Ok(())
}

fn adapter(root: &Element) -> Result<AdapterOf, Wrong> {
    let own = EpAdapter::within(root)?;
    match (own, text(root, "eventAdapterName")?, text(root, "eventAdapterSetName")?) {
        (Some(own), "", "") => Ok(AdapterOf::Own(Box::new(own))),
        (None, name, "") if is_event_name(name) => Ok(AdapterOf::Named(name.to_owned())),
        (None, "", name) if is_event_name(name) => Ok(AdapterOf::Set(name.to_owned())),
        _ => Err(root.wrong("an event binding has an adapter of its own, or names one or a set")),
    }
}

fn event(element: &Element) -> Result<EventSpecification, Wrong> {
    element.parts_of(&["name", "description", "eventInformation"])?;
    let name = name(element)?;
    let Some(information) = element.one("eventInformation")? else {
        return Ok(EventSpecification { name, items: Vec::new() });
    };
    let parts = information.parts_of(&["eventInformationItem"])?;
    if parts.len() > EVENT_ITEMS_MAX {
        return Err(information.wrong(format!("an event has at most {EVENT_ITEMS_MAX} items")));
    }
    let items: Vec<_> = parts.iter().map(item).collect::<Result<_, _>>()?;
    only_once(information, items.iter().map(|item| item.name.as_str()))?;
    Ok(EventSpecification { name, items })
}

fn item(element: &Element) -> Result<EventItem, Wrong> {
    element.knows(&["name", "dataType", "dataPrecision", "length", "description"])?;
    Ok(EventItem {
        name: checked(element, element.need("name")?)?,
        form: form(element, "dataType")?,
        length: count(element, "length")?,
        precision: count(element, "dataPrecision")?,
    })
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
