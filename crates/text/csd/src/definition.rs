//! One definition of a resource, and its attributes.

use std::fmt;

use diagnostics::TextPlace;

use crate::attribute::{AttributeSpec, attributes_of};
use crate::{Legal, ResourceType};

/// An attribute that a definition gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The published facts about it.
    pub spec: &'static AttributeSpec,
    /// Its value: legal, in whole keywords.
    pub value: String,
    /// The place of the value.
    pub place: TextPlace,
}

/// A resource definition: DEFINE TYPE(NAME) GROUP(GROUP) and attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The type of the resource.
    pub resource: ResourceType,
    /// Its name.
    pub name: String,
    /// The group it belongs to.
    pub group: String,
    /// The attributes that are given, in the order of the text; each once.
    pub attributes: Vec<Attribute>,
    /// The place at which the definition starts.
    pub place: TextPlace,
}

impl Definition {
    /// An attribute as the definition gives it.
    pub fn given(&self, attribute: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.spec.name == attribute)
    }

    /// The value of an attribute: the given one, else the published default. An empty value counts as none.
    pub fn get(&self, attribute: &str) -> Option<&str> {
        let value = match self.given(attribute) {
            Some(given) => given.value.as_str(),
            None => attributes_of(self.resource).iter().find(|a| a.name == attribute)?.default?,
        };
        (!value.is_empty()).then_some(value)
    }

    /// Returns true if an attribute has a value, as in `is("STATUS", "ENABLED")`.
    pub fn is(&self, attribute: &str, value: &str) -> bool {
        self.get(attribute) == Some(value)
    }

    /// Returns true if an attribute says YES.
    pub fn flag(&self, attribute: &str) -> bool {
        self.is(attribute, "YES")
    }

    /// The value of an attribute as a number; `None` if it is a keyword (NO, NOLIMIT) or absent.
    pub fn number(&self, attribute: &str) -> Option<u64> {
        self.get(attribute)?.parse().ok()
    }

    /// The value of an attribute that counts minutes and seconds, as in DTIMOUT(0130), in seconds; `None` as of
    /// [`Self::number`].
    pub fn seconds(&self, attribute: &str) -> Option<u32> {
        const MMSS: u64 = 100;
        const MINUTE: u64 = 60;
        let mmss = self.number(attribute)?;
        u32::try_from(mmss / MMSS * MINUTE + mmss % MMSS).ok()
    }

    /// The value of an attribute as a list of numbers, as in WAITTIME(0,0,5).
    pub fn numbers(&self, attribute: &str) -> Vec<u64> {
        self.get(attribute)
            .into_iter()
            .flat_map(|v| v.split(','))
            .filter_map(|n| n.trim().parse().ok())
            .collect()
    }

    /// Sets an attribute, in place of an earlier value.
    pub(crate) fn set(&mut self, attribute: Attribute) {
        match self.attributes.iter_mut().find(|a| a.spec.name == attribute.spec.name) {
            Some(given) => *given = attribute,
            None => self.attributes.push(attribute),
        }
    }
}

impl fmt::Display for Definition {
    /// The definition as DFHCSDUP would read it again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DEFINE {}({}) GROUP({})", self.resource, self.name, self.group)?;
        for attribute in &self.attributes {
            write!(f, "\n       {attribute}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Attribute {
    /// The attribute as DFHCSDUP would read it again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = match self.spec.legal {
            Legal::Choice { text: None, .. } | Legal::List(_) => self.value.clone(),
            _ => quoted_if_needed(&self.value),
        };
        write!(f, "{}({value})", self.spec.name)
    }
}

/// A value in quotes if it would not be read the same without them.
pub fn quoted_if_needed(value: &str) -> String {
    if value.starts_with(['\'', ' ']) || value.ends_with(' ') || value.contains(['(', ')']) {
        format!("'{}'", value.replace('\'', "''"))
    } else {
        value.to_owned()
    }
}
