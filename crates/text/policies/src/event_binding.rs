//! An event binding, an `.evbind` file: its events, where they are captured, and the adapter that they go to.

use bundle_source::xml::{Element, Wrong};

use crate::capture_specification::CaptureSpecification;
use crate::elements::{only_once, root, schema, text};
use crate::ep_adapter::EpAdapter;
use crate::limits::CAPTURES_MAX;

pub use crate::elements::{EVENT_NAME_MAX, is_event_name};
pub use crate::event::{EventItem, EventSpecification};

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
        let events: Vec<_> =
            of("eventSpecification").map(EventSpecification::read).collect::<Result<_, _>>()?;
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

fn adapter(root: &Element) -> Result<AdapterOf, Wrong> {
    let own = EpAdapter::within(root)?;
    match (own, text(root, "eventAdapterName")?, text(root, "eventAdapterSetName")?) {
        (Some(own), "", "") => Ok(AdapterOf::Own(Box::new(own))),
        (None, name, "") if is_event_name(name) => Ok(AdapterOf::Named(name.to_owned())),
        (None, "", name) if is_event_name(name) => Ok(AdapterOf::Set(name.to_owned())),
        _ => Err(root.wrong("an event binding has an adapter of its own, or names one or a set")),
    }
}
