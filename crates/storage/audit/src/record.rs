//! One record.

use serde_json::{Map, Value};

/// The kind of event that a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A user may not do what was tried.
    Refused,
    /// A user has signed on.
    SignedOn,
    /// A sign-on failed, or a password was wrong.
    NotSignedOn,
    /// A user has signed off, or was signed off.
    SignedOff,
    /// A definition was made, changed or taken away.
    Definition,
    /// Users, profiles, passwords or keys have changed.
    Security,
    /// A file of the audit begins.
    Begun,
}

impl Kind {
    /// The kind's word in a record.
    pub fn word(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::SignedOn => "signed-on",
            Self::NotSignedOn => "not-signed-on",
            Self::SignedOff => "signed-off",
            Self::Definition => "definition",
            Self::Security => "security",
            Self::Begun => "begun",
        }
    }
}

/// An event, without time and number: it gets those when it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    kind: Kind,
    fields: Vec<(&'static str, String)>,
}

/// Characters of a field's text that are kept: a client that sends more gains nothing.
const TEXT_MAX: usize = 256;

impl Record {
    /// A record without fields.
    pub fn new(kind: Kind) -> Self {
        Self { kind, fields: Vec::new() }
    }

    /// Adds a field. A blank text adds nothing.
    #[must_use]
    pub fn with(mut self, name: &'static str, text: &str) -> Self {
        let text = text.trim();
        if !text.is_empty() {
            self.fields.push((name, text.chars().take(TEXT_MAX).collect()));
        }
        self
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// As a line of JSON.
    pub(crate) fn json(&self, number: u64, time: &str, repeated: u64) -> String {
        let mut object = Map::new();
        object.insert("n".into(), number.into());
        object.insert("time".into(), time.into());
        object.insert("kind".into(), self.kind.word().into());
        for (name, text) in &self.fields {
            object.insert((*name).into(), text.as_str().into());
        }
        if repeated > 0 {
            object.insert("repeated".into(), repeated.into());
        }
        Value::Object(object).to_string()
    }
}
