//! The attributes of one resource: as its definition gives them, and as SET has changed them.

use std::collections::BTreeMap;

use csd::{Definition, attributes_of};
use kernel::exec::value::Value;
use parking_lot::RwLock;

/// By their names. What nobody has given has its published default, or is not there.
pub(crate) struct Attributes(RwLock<BTreeMap<&'static str, String>>);

impl Attributes {
    /// Those of a definition.
    pub(crate) fn of(definition: &Definition) -> Self {
        let named = attributes_of(definition.resource).iter().map(|attribute| attribute.name);
        Self(RwLock::new(named.filter_map(|name| Some((name, definition.get(name)?.to_owned()))).collect()))
    }

    /// One of them; empty where it is not there.
    pub(crate) fn get(&self, name: &str) -> String {
        self.0.read().get(name).cloned().unwrap_or_default()
    }

    /// Whether it has a value.
    pub(crate) fn is(&self, name: &str, value: &str) -> bool {
        self.0.read().get(name).is_some_and(|given| given == value)
    }

    /// As a number; 0 where it is none.
    pub(crate) fn number(&self, name: &str) -> usize {
        self.get(name).trim().parse().unwrap_or(0)
    }

    /// Another value.
    pub(crate) fn set(&self, name: &'static str, value: impl Into<String>) {
        self.0.write().insert(name, value.into());
    }

    /// What INQUIRE tells of a text, and of a number.
    pub(crate) fn text(&self, name: &str, length: usize) -> Value {
        Value::padded(&self.get(name), length)
    }

    /// What INQUIRE tells of a number.
    pub(crate) fn count(&self, name: &str) -> Value {
        Value::Number(self.number(name) as i64)
    }

    /// What INQUIRE tells of a choice: the CVDA of a value, the last one where it is none of them.
    pub(crate) fn choice(&self, name: &str, choices: &[(&str, &'static str)]) -> Value {
        let found = choices.iter().find(|(value, _)| self.is(name, value)).or(choices.last());
        Value::Cvda(found.map_or("NOTAPPLIC", |(_, cvda)| cvda))
    }
}
