//! Names of elements and attributes, and the namespaces of their prefixes.

use std::collections::HashSet;

use super::{DOCUMENT_MAX, Event};

/// Attributes of an element, at most.
const ATTRIBUTES_MAX: usize = 1000;
/// The cost of a prefix with its namespace besides its bytes.
const BOUND_COST: usize = 64;
const XML: &[u8] = b"http://www.w3.org/XML/1998/namespace";

/// An attribute: its name, and the pieces of its value, each with whether it is one reference by itself.
pub(super) type Attribute = (Vec<u8>, Vec<(Vec<u8>, bool)>);

/// The namespaces of the elements that are open.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Each prefix with its namespace.
    bound: Vec<(Vec<u8>, Vec<u8>)>,
    /// The number of them before each element.
    before: Vec<usize>,
}

impl Names {
    /// Returns the events of a start tag; `None` if it is not well formed.
    pub(super) fn enter(&mut self, name: &[u8], attributes: Vec<Attribute>) -> Option<Vec<Event>> {
        are_unique(&attributes).then_some(())?;
        self.before.push(self.bound.len());
        let (declared, others): (Vec<_>, Vec<_>) =
            attributes.into_iter().partition(|(name, _)| name == b"xmlns" || name.starts_with(b"xmlns:"));
        let mut declarations = Vec::new();
        for (name, value) in declared {
            let prefix = name.strip_prefix(b"xmlns:").unwrap_or_default().to_vec();
            let namespace: Vec<u8> = value.into_iter().flat_map(|(text, _)| text).collect();
            let kind = "NAMESPACE-DECLARATION";
            declarations.push(Event {
                kind,
                text: Vec::new(),
                namespace: namespace.clone(),
                prefix: prefix.clone(),
            });
            self.bound.push((prefix, namespace));
        }
        // A document that comes in segments might declare without end.
        let cost = |(prefix, namespace): &(Vec<u8>, Vec<u8>)| prefix.len() + namespace.len() + BOUND_COST;
        let bytes: usize = self.bound.iter().map(cost).sum();
        (declarations.is_empty() || bytes <= DOCUMENT_MAX).then_some(())?;
        let mut events = vec![self.named("START-OF-ELEMENT", name, true)?];
        events.extend(declarations);
        for (name, value) in others {
            events.push(self.named("ATTRIBUTE-NAME", &name, false)?);
            events.extend(value.into_iter().map(|(text, single)| value_event(text, single)));
        }
        Some(events)
    }

    /// The event of an end tag.
    pub(super) fn leave(&mut self, name: &[u8]) -> Event {
        let event = self.named("END-OF-ELEMENT", name, true).unwrap_or_default();
        self.bound.truncate(self.before.pop().unwrap_or(0));
        event
    }

    /// An event with a name in two parts: an element without a prefix is in the namespace that is bound to none.
    fn named(&self, kind: &'static str, name: &[u8], element: bool) -> Option<Event> {
        let (prefix, local) = match name.iter().position(|byte| *byte == b':') {
            Some(at) => (&name[..at], &name[at + 1..]),
            None => (&b""[..], name),
        };
        let bound =
            self.bound.iter().rev().find(|(own, _)| own == prefix).map(|(_, namespace)| namespace.clone());
        let namespace = match (bound, prefix) {
            (_, b"xml") => XML.to_vec(),
            (_, b"") if !element => Vec::new(),
            (bound, b"") => bound.unwrap_or_default(),
            (bound, _) => bound?,
        };
        (!local.is_empty()).then(|| Event { kind, text: local.to_vec(), namespace, prefix: prefix.to_vec() })
    }
}

/// The events of a start tag without namespaces.
pub(super) fn plain(name: &[u8], attributes: Vec<Attribute>) -> Option<Vec<Event>> {
    are_unique(&attributes).then_some(())?;
    let event = |kind, text| Event { kind, text, ..Event::default() };
    let mut events = vec![event("START-OF-ELEMENT", name.to_vec())];
    for (name, value) in attributes {
        events.push(event("ATTRIBUTE-NAME", name));
        events.extend(value.into_iter().map(|(text, single)| value_event(text, single)));
    }
    Some(events)
}

fn value_event(text: Vec<u8>, single: bool) -> Event {
    let kind = if single { "ATTRIBUTE-CHARACTER" } else { "ATTRIBUTE-CHARACTERS" };
    Event { kind, text, ..Event::default() }
}

fn are_unique(attributes: &[Attribute]) -> bool {
    let names: HashSet<&[u8]> = attributes.iter().map(|(name, _)| name.as_slice()).collect();
    names.len() == attributes.len() && attributes.len() <= ATTRIBUTES_MAX
}
