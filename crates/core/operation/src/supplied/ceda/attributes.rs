//! The rows of a definition: each attribute with its value and what may be typed there.

use csd::{AttributeSpec, Definition, Legal, attributes_of};

/// A row.
pub(super) struct Attribute {
    pub name: &'static str,
    /// The name, in capitals as far as it must be typed.
    pub label: String,
    /// The value, or the default.
    pub value: String,
    /// Characters that a value may have.
    pub length: usize,
    /// The legal values, in short.
    pub legal: String,
}

/// Characters of a value's field.
pub(super) const LONGEST: usize = 58;

/// All attributes of a definition; obsolete ones only if it has them.
pub(super) fn attributes(definition: &Definition) -> Vec<Attribute> {
    let specs = attributes_of(definition.resource);
    let shown = specs.iter().filter(|spec| !spec.obsolete || definition.given(spec.name).is_some());
    shown.map(|spec| row(definition, spec, specs)).collect()
}

fn row(definition: &Definition, spec: &'static AttributeSpec, all: &[AttributeSpec]) -> Attribute {
    let value = definition.given(spec.name).map_or(spec.default.unwrap_or_default(), |a| a.value.as_str());
    let (length, legal) = match &spec.legal {
        Legal::Any => (LONGEST, String::new()),
        Legal::List(_) => (LONGEST / 2, spec.legal.to_string()),
        Legal::Choice { words, text, .. } => {
            let longest = words.iter().map(|word| word.len()).max().unwrap_or(0).max(text.unwrap_or(0));
            let legal =
                if text.is_some() { words.join(" | ") } else { spec.legal.to_string().replace(", ", " | ") };
            (longest.clamp(8, LONGEST), legal)
        }
    };
    Attribute { name: spec.name, label: label(spec.name, all), value: value.to_owned(), length, legal }
}

/// A name with the letters in capitals by which it is known among all others.
fn label(name: &str, all: &[AttributeSpec]) -> String {
    let is_alone =
        |length: &usize| all.iter().filter(|other| other.name.starts_with(&name[..*length])).count() == 1;
    let needed = (1..name.len()).find(is_alone).unwrap_or(name.len());
    format!("{}{}", &name[..needed], name[needed..].to_ascii_lowercase())
}
