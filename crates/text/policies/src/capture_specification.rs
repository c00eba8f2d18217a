//! A capture specification: the place in which an event is captured, the conditions, and the data.

use bundle_source::xml::{Element, Wrong};

use crate::context::CONTEXTS;
use crate::elements::{checked, count, form, name, text};
use crate::event::EventSpecification;
use crate::event_values::{FieldType, Format, Operator, scaled};
use crate::limits::{EVENT_ITEMS_MAX, FILTERS_MAX};
use crate::system_event::{Asked, SystemPoint};

pub use crate::context::Context;

/// A capture specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureSpecification {
    /// Its name.
    pub name: String,
    /// The name of its event.
    pub event: String,
    /// The place.
    pub point: CapturePoint,
    /// Conditions about the task.
    pub context: Vec<ContextFilter>,
    /// Conditions about options of the command.
    pub options: Vec<OptionFilter>,
    /// Conditions about data.
    pub data: Vec<DataFilter>,
    /// The captured items, in the order of the event's.
    pub items: Vec<CaptureItem>,
    /// The line on which it begins.
    pub line: usize,
}

/// A place in which an event is captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CapturePoint {
    /// A command, by its words.
    Command {
        /// The words: `READQ TS`.
        words: String,
        /// Before it is answered; else behind it.
        before: bool,
    },
    /// The beginning of a program.
    ProgramInit,
    /// Something that happens to the region.
    System(&'static SystemPoint),
}

/// A condition about the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFilter {
    /// The fact.
    pub of: Context,
    /// The operator.
    pub operator: Operator,
    /// The value.
    pub value: String,
}

/// A condition about an option of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionFilter {
    /// The option.
    pub keyword: String,
    /// The operator.
    pub operator: Operator,
    /// The value.
    pub value: String,
}

/// A field in an area of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The area: FROM, INTO, COMMAREA, CHANNEL, …
    pub source: String,
    /// The container, where the area is a channel.
    pub container: String,
    /// Bytes before it.
    pub offset: usize,
    /// Its bytes; 0: all up to the end.
    pub length: usize,
    /// Its type.
    pub kind: FieldType,
    /// Digits behind its point.
    pub precision: usize,
    /// The name of its variable, its structure and the file of that: for INQUIRE alone.
    pub from: [String; 3],
}

/// A condition about a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFilter {
    /// The field.
    pub field: Field,
    /// The operator.
    pub operator: Operator,
    /// The value.
    pub value: String,
    /// The value of a field that is a number.
    pub number: i128,
}

/// A captured item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureItem {
    /// Its name.
    pub name: String,
    /// Its source.
    pub source: ItemSource,
    /// Its format.
    pub format: Format,
}

/// The source of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemSource {
    /// A fact about the task.
    Context(Context),
    /// An option of the command.
    Option(String),
    /// A field of its data.
    Field(Field),
}

/// Options that are no names, and the points that have no filter of their own in published files.
const SOURCES: [&str; 10] =
    ["FROM", "INTO", "INTO_SET", "INTO-SET", "RIDFLD", "COMMAREA", "CHANNEL", "FROMCHANNEL", "TEXT", "VALUE"];

impl CaptureSpecification {
    pub(crate) fn read(element: &Element, events: &[EventSpecification]) -> Result<Self, Wrong> {
        element.parts_of(&["name", "eventIdentifier", "description", "filter", "dataCapture"])?;
        let event = text(element, "eventIdentifier")?;
        let Some(event) = events.iter().find(|known| known.name == event) else {
            return Err(element.wrong(format!("there is no event '{event}'")));
        };
        let filter = element.one("filter")?.ok_or_else(|| element.wrong("it has no <filter>"))?;
        filter.parts_of(&["contextFilter", "locationFilter", "dataFilter"])?;
        let location =
            filter.one("locationFilter")?.ok_or_else(|| filter.wrong("it has no <locationFilter>"))?;
        let command = command(location)?;
        let mut items = items(element)?;
        if let Some(item) = items.iter().find(|item| !event.items.iter().any(|known| known.name == item.name))
        {
            return Err(element.wrong(format!("the event {} has no item '{}'", event.name, item.name)));
        }
        // The event's order is that in which items are emitted.
        items.sort_by_key(|item| event.items.iter().position(|known| known.name == item.name));
        let read = Self {
            name: name(element)?,
            event: event.name.clone(),
            point: point(location, command)?,
            context: context(filter)?,
            options: options(command)?,
            data: data(filter)?,
            items,
            line: element.line,
        };
        read.check().map_err(|why| command.wrong(why))?;
        Ok(read)
    }

    /// Checks what goes together with its place.
    fn check(&self) -> Result<(), String> {
        if let CapturePoint::System(point) = &self.point {
            return point.check(&self.asked());
        }
        let context = self.context.iter().map(|filter| filter.operator);
        let mut all = context.chain(self.options.iter().map(|filter| filter.operator));
        match all.any(Operator::is_of_thresholds)
            || self.data.iter().any(|filter| filter.operator.is_of_thresholds())
        {
            true => Err(String::from("GHT and GLT are for the thresholds of system events")),
            false => Ok(()),
        }
    }

    /// Everything that the capture asks of its place.
    fn asked(&self) -> Asked<'_> {
        let mut asked = Asked { storage: !self.data.is_empty(), ..Asked::default() };
        for item in &self.items {
            match &item.source {
                ItemSource::Context(of) => asked.contexts.push(*of),
                ItemSource::Option(keyword) => asked.options.push(keyword),
                ItemSource::Field(_) => asked.storage = true,
            }
        }
        asked.contexts.extend(self.context.iter().map(|filter| filter.of));
        asked.filters =
            self.options.iter().map(|filter| (&*filter.keyword, filter.operator, &*filter.value)).collect();
        asked
    }
}

/// The element of the command, which is the only one in the `<locationFilter>`.
fn command(location: &Element) -> Result<&Element, Wrong> {
    location.knows(&["filterType"])?;
    match (location.attribute("filterType").unwrap_or("CICS_API"), location.parts.as_slice()) {
        ("CICS_API" | "PROGRAM_INIT" | SYSTEM, [command]) => Ok(command),
        ("CICS_API" | "PROGRAM_INIT" | SYSTEM, _) => {
            Err(location.wrong("it has one command, or one system event"))
        }
        (other, _) => Err(location.wrong(format!("the filterType {other} is not known"))),
    }
}

/// The filterType of system events. Recalled, not read: no published file with one is at hand.
const SYSTEM: &str = "SYSTEM";

fn point(location: &Element, command: &Element) -> Result<CapturePoint, Wrong> {
    command.knows(&["verb", "adVerb", "isPre"])?;
    let (verb, more) =
        (command.attribute("verb").unwrap_or_default(), command.attribute("adVerb").unwrap_or_default());
    let is_init = location.attribute("filterType") == Some("PROGRAM_INIT")
        || (verb == "PROGRAM" && matches!(more, "INIT" | "INITIATION"));
    if is_init {
        return Ok(CapturePoint::ProgramInit);
    }
    let words = if more.is_empty() { verb.to_owned() } else { format!("{verb} {more}") };
    if location.attribute("filterType") == Some(SYSTEM) {
        return SystemPoint::of_words(&words).map(CapturePoint::System).map_err(|why| command.wrong(why));
    }
    match command.attribute("isPre").unwrap_or("false") {
        "true" => Ok(CapturePoint::Command { words, before: true }),
        "false" => Ok(CapturePoint::Command { words, before: false }),
        other => Err(command.wrong(format!("isPre is true or false, not '{other}'"))),
    }
}

/// The operator and the value of a filter; `None`: it is off.
fn filter(element: &Element) -> Result<Option<(Operator, String)>, Wrong> {
    let word = element.attribute("filterOperator").unwrap_or("OFF");
    if word == "OFF" {
        return Ok(None);
    }
    let operator = Operator::of(word)
        .ok_or_else(|| element.wrong(format!("the filterOperator '{word}' of {element} is not known")))?;
    let value = element.attribute("filterValue").or(element.attribute("value")).unwrap_or_default();
    if value.is_empty() && !matches!(operator, Operator::Exists | Operator::DoesNotExist) {
        return Err(element.wrong(format!("the filterValue of {element} is empty")));
    }
    Ok(Some((operator, value.to_owned())))
}

fn context(outer: &Element) -> Result<Vec<ContextFilter>, Wrong> {
    let Some(all) = outer.one("contextFilter")? else { return Ok(Vec::new()) };
    let known = CONTEXTS.map(|(_, element, _)| element);
    let mut filters = Vec::new();
    for element in all.parts_of(&known)? {
        element.knows(&["filterOperator", "filterValue", "value"])?;
        let found = CONTEXTS.iter().find(|(_, name, _)| *name == element.name);
        if let (Some((of, ..)), Some((operator, value))) = (found, filter(element)?) {
            filters.push(ContextFilter { of: *of, operator, value });
        }
    }
    Ok(filters)
}

fn options(command: &Element) -> Result<Vec<OptionFilter>, Wrong> {
    let mut filters = Vec::new();
    for element in &command.parts {
        element.knows(&["keyword", "filterOperator", "filterValue", "value"])?;
        if let Some((operator, value)) = filter(element)? {
            let keyword = element.attribute("keyword").unwrap_or(&element.name).to_owned();
            filters.push(OptionFilter { keyword, operator, value });
        }
    }
    Ok(filters)
}

/// Attributes by which a field names the source text that it is from.
const FROM: [&str; 3] = ["languageVariableName", "languageStructureName", "languageStructureFilename"];

fn field(element: &Element, length: &str, kind: &str, precision: &str) -> Result<Field, Wrong> {
    let source = element.need("source")?;
    if !SOURCES.contains(&source) {
        return Err(element.wrong(format!("the source '{source}' of {element} is not known")));
    }
    let named = element.attribute(kind).unwrap_or("CHAR");
    let (kind, bytes) = FieldType::of(named)
        .ok_or_else(|| element.wrong(format!("the type '{named}' of {element} is not built")))?;
    let length = count(element, length)?;
    let container = element.attribute("container").unwrap_or_default();
    if source.ends_with("CHANNEL") && (container.is_empty() || container.len() > 16) {
        return Err(element.wrong(format!("{element} names no container of the channel")));
    }
    if bytes != 0 && length != 0 && bytes != length {
        return Err(element.wrong(format!("a field of type {named} has {bytes} bytes, not {length}")));
    }
    Ok(Field {
        source: source.to_owned(),
        container: container.to_owned(),
        offset: count(element, "offset")?,
        length: if length == 0 { bytes } else { length },
        kind,
        precision: digits(element, precision)?,
        from: FROM.map(|name| element.attribute(name).unwrap_or_default().to_owned()),
    })
}

/// Most digits behind a point.
const PRECISION_MAX: usize = 31;

fn digits(element: &Element, attribute: &str) -> Result<usize, Wrong> {
    let precision = count(element, attribute)?;
    if precision > PRECISION_MAX {
        return Err(element.wrong(format!("{attribute} of {element} is more than {PRECISION_MAX}")));
    }
    Ok(precision)
}

fn data(outer: &Element) -> Result<Vec<DataFilter>, Wrong> {
    let Some(all) = outer.one("dataFilter")? else { return Ok(Vec::new()) };
    let mut filters = Vec::new();
    for item in all.parts_of(&["filterItem"])? {
        for element in item.parts_of(&["dataFilter"])? {
            let own = ["source", "container", "offset", "length", "dataType", "dataPrecision"];
            let all = [&own[..], &FROM, &["filterOperator", "filterValue"]].concat();
            element.knows(&all)?;
            let field = field(element, "length", "dataType", "dataPrecision")?;
            let Some((operator, value)) = filter(element)? else { continue };
            let is_compared = !matches!(operator, Operator::Exists | Operator::DoesNotExist);
            let number = match field.kind.is_number() && is_compared {
                false => 0,
                true => scaled(&value, field.precision).ok_or_else(|| {
                    element.wrong(format!("the filterValue '{value}' is no number of this field"))
                })?,
            };
            if field.kind.is_number() && matches!(operator, Operator::StartsWith | Operator::DoesNotStart) {
                return Err(element.wrong("a number does not start with another"));
            }
            filters.push(DataFilter { field, operator, value, number });
        }
    }
    if filters.len() > FILTERS_MAX {
        return Err(all.wrong(format!("a capture has at most {FILTERS_MAX} filters of data")));
    }
    Ok(filters)
}

fn items(outer: &Element) -> Result<Vec<CaptureItem>, Wrong> {
    let Some(all) = outer.one("dataCapture")? else { return Ok(Vec::new()) };
    let mut items: Vec<CaptureItem> = Vec::new();
    for outer in all.parts_of(&["captureItem"])? {
        for element in &outer.parts {
            let item = item(element)?;
            if items.iter().any(|other| other.name == item.name) {
                return Err(element.wrong(format!("the item '{}' is captured twice", item.name)));
            }
            items.push(item);
        }
    }
    if items.len() > EVENT_ITEMS_MAX {
        return Err(all.wrong(format!("an event has at most {EVENT_ITEMS_MAX} items")));
    }
    Ok(items)
}

/// The attributes of every item.
const ITEM: [&str; 4] = ["eventItemName", "formatlength", "formatdataType", "formatPrecision"];

fn item(element: &Element) -> Result<CaptureItem, Wrong> {
    let source = match element.name.as_str() {
        "contextCaptureItem" => {
            element.knows(&[&ITEM[..], &["source"]].concat())?;
            let source = element.need("source")?;
            let found = CONTEXTS.iter().find(|(_, _, name)| *name == source);
            let found = found.ok_or_else(|| element.wrong(format!("the source '{source}' is not known")))?;
            ItemSource::Context(found.0)
        }
        // Recalled, not read: no published file with one is at hand.
        "locationCaptureItem" => {
            element.knows(&[&ITEM[..], &["keyword", "source"]].concat())?;
            let keyword = element.attribute("keyword").or(element.attribute("source"));
            ItemSource::Option(keyword.ok_or_else(|| element.wrong("it names no option"))?.to_owned())
        }
        "dataCaptureItem" => {
            let own =
                ["source", "container", "offset", "captureLength", "captureDataType", "captureDataPrecision"];
            element.knows(&[&ITEM[..], &own, &FROM].concat())?;
            ItemSource::Field(field(element, "captureLength", "captureDataType", "captureDataPrecision")?)
        }
        _ => return Err(element.wrong(format!("{element} is not known in <captureItem>"))),
    };
    Ok(CaptureItem {
        name: checked(element, element.need("eventItemName")?)?,
        source,
        format: Format {
            form: form(element, "formatdataType")?,
            length: count(element, "formatlength")?,
            precision: digits(element, "formatPrecision")?,
        },
    })
}
