//! An event: its name and its items.

use bundle_source::xml::{Element, Wrong};

use crate::elements::{checked, count, form, name, only_once};
use crate::event_values::Form;
use crate::limits::EVENT_ITEMS_MAX;

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

impl EventSpecification {
    /// Reads an event.
    pub(crate) fn read(element: &Element) -> Result<Self, Wrong> {
        element.parts_of(&["name", "description", "eventInformation"])?;
        let name = name(element)?;
        let Some(information) = element.one("eventInformation")? else {
            return Ok(Self { name, items: Vec::new() });
        };
        let parts = information.parts_of(&["eventInformationItem"])?;
        if parts.len() > EVENT_ITEMS_MAX {
            return Err(information.wrong(format!("an event has at most {EVENT_ITEMS_MAX} items")));
        }
        let items: Vec<_> = parts.iter().map(item).collect::<Result<_, _>>()?;
        only_once(information, items.iter().map(|item| item.name.as_str()))?;
        Ok(Self { name, items })
    }
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
