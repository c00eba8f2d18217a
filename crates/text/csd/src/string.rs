//! The ATTRIBUTES of EXEC CICS CREATE: a definition's attributes in one string.

use std::fmt::Write;

use diagnostics::{Diagnostic, Source, TextPlace, nearest};

use crate::attribute::{AttributeSpec, attributes_of};
use crate::definition::{Attribute, Definition, quoted_if_needed};
use crate::names::{Found, abbreviated};
use crate::resource::ResourceType;
use crate::words::{Word, words_of};

/// The fault of a string of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeFault {
    /// A parenthesis where none can be.
    Delimiter,
    /// A word is not an attribute.
    Keyword,
    /// A word is an abbreviation of several attributes.
    Ambiguous,
    /// An attribute is given twice.
    Twice,
    /// A value is not legal.
    Value,
    /// An attribute has no value.
    NoValue,
}

/// The reason why a string is not a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAttributes {
    /// The fault.
    pub fault: AttributeFault,
    /// The number of characters before it.
    pub offset: usize,
    /// The fault in words, with the remedy.
    pub message: String,
}

/// The definition of a resource by a string of attributes. Unlike in a CSD text, letters stay as they are; keywords may be in
/// any case. Of several mistakes in the string the first is reported.
///
/// # Errors
/// The first mistake.
pub fn read_attributes(resource: ResourceType, name: &str, text: &str) -> Result<Definition, NotAttributes> {
    let source = Source::new("ATTRIBUTES", text);
    let mut messages = Vec::new();
    let words = words_of(&source, &mut messages);
    if let Some(message) = messages.into_iter().min_by_key(|message| offset(message.place.as_ref())) {
        return Err(delimiter(&message));
    }
    let place = TextPlace::new(&source, 1, 1, 0);
    let (name, group) = (name.to_owned(), String::new());
    let mut definition = Definition { resource, name, group, attributes: Vec::new(), place };
    for word in &words {
        let attribute = attribute(resource, word)?;
        if definition.given(attribute.spec.name).is_some() {
            return Err(at(
                word,
                AttributeFault::Twice,
                format!("{} is given twice: leave one out", word.keyword),
            ));
        }
        definition.set(attribute);
    }
    Ok(definition)
}

fn attribute(resource: ResourceType, word: &Word) -> Result<Attribute, NotAttributes> {
    let specs: Vec<&'static AttributeSpec> = attributes_of(resource).iter().collect();
    let spec = match abbreviated(&word.keyword, &specs, |spec| spec.name) {
        Found::One(spec) => spec,
        Found::Many(specs) => {
            let names: Vec<&str> = specs.into_iter().map(|spec| spec.name).collect();
            let names = names.join(", ");
            let message = format!("{} may mean several things: write one of {names} in full", word.keyword);
            return Err(at(word, AttributeFault::Ambiguous, message));
        }
        Found::None => {
            let near = nearest(&word.keyword, specs.iter().map(|spec| spec.name));
            let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            let message = format!("{} is not an attribute of {resource}{near}", word.keyword);
            return Err(at(word, AttributeFault::Keyword, message));
        }
    };
    let no_value =
        || at(word, AttributeFault::NoValue, format!("{} needs a value in parentheses", spec.name));
    let value = word.value.as_ref().ok_or_else(no_value)?;
    let (text, place) = (&value.text, value.place.clone());
    if text.is_empty() {
        return Ok(Attribute { spec, value: String::new(), place });
    }
    // Names are taken as they are.
    let checked = spec.legal.check(text, true).map_err(|legal| {
        at(word, AttributeFault::Value, format!("{} cannot be {text}; legal values: {legal}", spec.name))
    })?;
    Ok(Attribute { spec, value: checked, place })
}

fn at(word: &Word, fault: AttributeFault, message: String) -> NotAttributes {
    NotAttributes { fault, offset: offset(Some(&word.place)), message }
}

fn delimiter(message: &Diagnostic) -> NotAttributes {
    let text = format!("{}: {}", message.message, message.help);
    NotAttributes { fault: AttributeFault::Delimiter, offset: offset(message.place.as_ref()), message: text }
}

/// Characters before a place: the string is one line.
fn offset(place: Option<&TextPlace>) -> usize {
    place.map_or(0, |place| place.column.saturating_sub(1))
}

impl Definition {
    /// The same with the defaults of those that are not given.
    pub fn complete_text(&self) -> String {
        let given_or_default = |spec: &&'static AttributeSpec| {
            self.given(spec.name).is_some() || (spec.default.is_some() && !spec.obsolete)
        };
        let value = |spec: &'static AttributeSpec| Attribute {
            spec,
            value: self.given(spec.name).map_or(spec.default.unwrap_or_default(), |a| &a.value).to_owned(),
            place: self.place.clone(),
        };
        let attributes = attributes_of(self.resource).iter().filter(given_or_default).map(value).collect();
        Self { attributes, ..self.clone() }.attributes_text()
    }

    /// Its attributes as a string that [`read_attributes`] reads again.
    pub fn attributes_text(&self) -> String {
        let mut text = String::new();
        for Attribute { spec, value, .. } in &self.attributes {
            let separator = if text.is_empty() { "" } else { " " };
            let value = if value.is_empty() { String::new() } else { quoted_if_needed(value) };
            // Writing to a String does not fail.
            let _ = write!(text, "{separator}{}({value})", spec.name);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_read_and_written() {
        let text = "dsname(T.Acct) ADD(yes) DESCRIPTION('a (small) file') STRINGS( 5 ) STATUS(DIS)";
        let definition = read_attributes(ResourceType::File, "ACCT", text).expect("legal");
        assert_eq!(definition.get("DSNAME"), Some("T.Acct"));
        assert!(definition.flag("ADD") && definition.is("STATUS", "DISABLED"));
        let written = definition.attributes_text();
        assert_eq!(
            written,
            "DSNAME(T.Acct) ADD(YES) DESCRIPTION('a (small) file') STRINGS(5) STATUS(DISABLED)"
        );
        let again = read_attributes(ResourceType::File, "ACCT", &written).expect("legal");
        assert_eq!(again.attributes_text(), written);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let table = [
            ("ADD(YES", AttributeFault::Delimiter, 3, "this parenthesis is never closed"),
            ("ADD(YES))", AttributeFault::Delimiter, 8, "a parenthesis without a keyword"),
            ("ADD(YES) BROWS", AttributeFault::NoValue, 9, "BROWSE needs a value"),
            ("READ(YES) GREEN(1)", AttributeFault::Keyword, 10, "GREEN is not an attribute of FILE"),
            ("ST(ENABLED)", AttributeFault::Ambiguous, 0, "ST may mean several things"),
            ("ADD(YES)  ADD(NO)", AttributeFault::Twice, 10, "ADD is given twice"),
            ("ADD(PERHAPS)", AttributeFault::Value, 0, "ADD cannot be PERHAPS; legal values: NO, YES"),
            ("GROUP(X)", AttributeFault::Keyword, 0, "GROUP is not an attribute of FILE"),
        ];
        for (text, fault, offset, message) in table {
            let wrong = read_attributes(ResourceType::File, "ACCT", text).expect_err(text);
            assert_eq!((wrong.fault, wrong.offset), (fault, offset), "{text}");
            assert!(wrong.message.starts_with(message), "{text}: {}", wrong.message);
        }
    }
}
