//! The attributes of one resource: as its definition gives them, and as SET has changed them.

use std::collections::BTreeMap;

use csd::{Definition, ResourceType, attributes_of};
use kernel::exec::value::Value;
use kernel::registry::Given;
use parking_lot::RwLock;

use super::choices::Choice;

/// By their names. An attribute that no definition gives has its published default, or is not there.
pub(crate) struct Attributes(RwLock<BTreeMap<&'static str, String>>);

impl Attributes {
    /// Those of a definition.
    pub(crate) fn of(definition: &Definition) -> Self {
        let named = attributes_of(definition.resource).iter().map(|attribute| attribute.name);
        Self(RwLock::new(named.filter_map(|name| Some((name, definition.get(name)?.to_owned()))).collect()))
    }

    /// The published defaults of a type.
    pub(crate) fn defaults(resource: ResourceType) -> Self {
        let named = attributes_of(resource).iter();
        Self(RwLock::new(named.filter_map(|named| Some((named.name, named.default?.to_owned()))).collect()))
    }

    /// One of them; empty where it is not there.
    pub(crate) fn get(&self, name: &str) -> String {
        self.0.read().get(name).cloned().unwrap_or_default()
    }

    /// Returns true if the attribute has this value.
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

    /// The value that SET gives: a text or a number.
    pub(crate) fn put(&self, name: &'static str, to: &Given) {
        self.set(name, to.to_string());
    }

    /// The choice that SET makes.
    pub(crate) fn choose(&self, choice: &Choice, to: &Given) {
        if let Some((value, ..)) = choice.values.iter().find(|(_, cvda)| to.is(cvda)) {
            self.set(choice.attribute, *value);
        }
    }

    /// INQUIRE's value of a text.
    pub(crate) fn text(&self, name: &str, length: usize) -> Value {
        Value::padded(&self.get(name), length)
    }

    /// INQUIRE's value of a text that does not count if another attribute is given.
    pub(crate) fn text_unless(&self, other: &str, name: &str, length: usize) -> Value {
        if self.get(other).is_empty() { self.text(name, length) } else { Value::padded("", length) }
    }

    /// INQUIRE's value of a number.
    pub(crate) fn count(&self, name: &str) -> Value {
        Value::Number(self.number(name) as i64)
    }

    /// INQUIRE's value of a choice: its CVDA.
    pub(crate) fn chosen(&self, choice: &Choice) -> Value {
        let found = choice.values.iter().find(|(value, _)| self.is(choice.attribute, value));
        Value::Cvda(found.map_or("NOTAPPLIC", |(_, cvda)| cvda))
    }

    /// AUTHTYPE, or another like it: it does not count where a user is named.
    pub(crate) fn chosen_unless(&self, other: &str, choice: &Choice) -> Value {
        if self.get(other).is_empty() { self.chosen(choice) } else { Value::Cvda("NOTAPPLIC") }
    }

    /// PURGECYCLE: its minutes and seconds.
    pub(crate) fn purge_cycle(&self) -> (usize, usize) {
        let given = self.get("PURGECYCLE");
        let (minutes, seconds) = given.split_once(',').unwrap_or((&given, "0"));
        let number = |text: &str| text.trim().parse().unwrap_or(0);
        (number(minutes), number(seconds))
    }
}
