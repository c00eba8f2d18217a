//! A request whose parts come one by one, as those of a form do: each mistake belongs to its part.
//!
//! The parts are values, not text: text typed into one of them never becomes another one.

use diagnostics::{Diagnostic, Source, TextPlace};

use crate::parse::Parser;
use crate::request::{Request, Verb};
use crate::resource::ResourceType;
use crate::words::{Value, Word};

/// Characters that no name has: DFHCSDUP would read another command.
const NOT_IN_NAMES: [char; 4] = ['(', ')', '\'', ','];
/// The part of a resource's name.
const NAME: &str = "NAME";
/// The part that names a resource, as a request without one misses it.
const RESOURCE_MISSING: &str = "a resource type with a name";

/// The parts of a request as they were typed; a part that was not given is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The type of the resource.
    pub resource: String,
    /// Its name.
    pub name: String,
    /// GROUP.
    pub group: String,
    /// LIST.
    pub list: String,
    /// TO.
    pub to: String,
    /// AS.
    pub named: String,
    /// Attributes and their values.
    pub attributes: Vec<(String, String)>,
}

/// A part with a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// `TYPE`, `NAME`, `GROUP`, `LIST`, `TO`, `AS`, or an attribute.
    pub part: String,
    /// The mistake.
    pub message: Diagnostic,
}

/// Reads the request that parts make.
///
/// # Errors
/// Every part that is not right.
pub fn request_of(verb: Verb, parts: &Parts) -> Result<Request, Vec<Mistake>> {
    let place = TextPlace::new(&Source::new("form", String::new()), 1, 1, 0);
    let mut form = Form { request: Request::new(verb, place.clone()), place, mistakes: Vec::new() };
    form.resource(parts);
    form.groups(parts);
    form.named(&parts.named);
    parts.attributes.iter().for_each(|(attribute, value)| form.attribute(attribute, value));
    form.missing();
    if form.mistakes.is_empty() { Ok(form.request) } else { Err(form.mistakes) }
}

struct Form {
    request: Request,
    place: TextPlace,
    mistakes: Vec<Mistake>,
}

impl Form {
    /// A word as a text would have it.
    fn word(&self, keyword: &str, value: &str) -> Word {
        let value = Value { text: value.trim().to_owned(), place: self.place.clone() };
        Word {
            keyword: keyword.to_owned(),
            place: self.place.clone(),
            value: Some(value),
            end: (1, 1),
            starts_line: false,
        }
    }

    fn wrong(&mut self, part: &str, message: Diagnostic) {
        self.mistakes.push(Mistake { part: part.to_owned(), message });
    }

    /// Reads a part: its messages are mistakes of it.
    fn read<T>(&mut self, part: &str, read: impl FnOnce(&mut Parser) -> T) -> Option<T> {
        let mut parser = Parser::default();
        let value = read(&mut parser);
        let is_right = parser.out.messages.is_empty();
        for message in parser.out.messages {
            self.wrong(part, message);
        }
        is_right.then_some(value)
    }

    /// Returns true if a part holds nothing that would make another command of it.
    fn is_whole(&mut self, part: &str, text: &str, not_in: &[char]) -> bool {
        let bad = text.chars().find(|letter| letter.is_control() || not_in.contains(letter));
        if let Some(letter) = bad {
            let shown =
                if letter.is_control() { "a control character".to_owned() } else { letter.to_string() };
            self.wrong(part, Diagnostic::error("SPCS038", format!("{part} must not hold {shown}")));
        }
        bad.is_none()
    }

    fn resource(&mut self, parts: &Parts) {
        if parts.resource.is_empty() {
            return;
        }
        let Some(resource) = ResourceType::named(&parts.resource) else {
            let unknown = format!("{} is not a type of resource", parts.resource);
            return self.wrong("TYPE", Diagnostic::error("SPCS003", unknown));
        };
        self.request.resource = Some(resource);
        if !self.is_whole(NAME, &parts.name, &NOT_IN_NAMES) {
            return;
        }
        let word = self.word(resource.name(), &parts.name);
        if let Some(Some((_, name))) = self.read(NAME, |parser| parser.resource(&word)) {
            self.request.name = name;
        }
    }

    /// GROUP, LIST and TO.
    fn groups(&mut self, parts: &Parts) {
        self.request.group = self.group("GROUP", &parts.group);
        self.request.list = self.group("LIST", &parts.list);
        self.request.to = self.group("TO", &parts.to);
    }

    /// The name of a group or list; `None` if it is not given, or no name.
    fn group(&mut self, part: &str, name: &str) -> Option<String> {
        if name.is_empty() || !self.is_whole(part, name, &NOT_IN_NAMES) {
            return None;
        }
        let value = Value { text: name.trim().to_owned(), place: self.place.clone() };
        self.read(part, |parser| parser.group_name(&value))
    }

    /// AS.
    fn named(&mut self, named: &str) {
        if named.is_empty() || !self.is_whole("AS", named, &NOT_IN_NAMES) {
            return;
        }
        if let Some(resource) = self.request.resource {
            let (place, longest) = (self.place.clone(), resource.name_length());
            self.read("AS", |parser| parser.check_name(named.trim(), longest, &place, resource.name()));
        }
        self.request.named = Some(named.trim().to_owned());
    }

    fn attribute(&mut self, attribute: &str, value: &str) {
        let Some(resource) = self.request.resource else { return };
        if !self.is_whole(attribute, value, &[]) {
            return;
        }
        let word = self.word(attribute, value);
        if let Some(Some(read)) = self.read(attribute, |parser| parser.attribute(resource, &word)) {
            self.request.attributes.retain(|earlier| earlier.spec.name != read.spec.name);
            self.request.attributes.push(read);
        }
    }

    /// A part that the verb needs and that was not given.
    fn missing(&mut self) {
        let missing = match self.request.command() {
            Some(Err(missing)) => missing,
            None if self.request.group.is_none() && self.request.list.is_none() => "GROUP",
            _ => return,
        };
        let (part, what) = match missing {
            RESOURCE_MISSING => ("TYPE", "a type"),
            "GROUP or LIST" => ("GROUP", missing),
            operand => (operand, operand),
        };
        if !self.mistakes.iter().any(|mistake| mistake.part == part) {
            self.wrong(part, Diagnostic::error("SPCS004", format!("{what} must be specified")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(name: &str, attributes: &[(&str, &str)]) -> Parts {
        let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Parts {
            resource: "FILE".into(),
            name: name.into(),
            group: "bank".into(),
            attributes: attributes.collect(),
            ..Parts::default()
        }
    }

    fn wrong(verb: Verb, parts: &Parts) -> Vec<(String, String)> {
        let mistakes = request_of(verb, parts).expect_err("a part is wrong");
        mistakes.into_iter().map(|Mistake { part, message }| (part, message.message)).collect()
    }

    #[test]
    fn parts_make_the_request_that_a_text_makes() {
        let given = [("DSNAME", "T.ACCT"), ("ADD", "yes"), ("DESCRIPTION", "a (small) file, it's")];
        let request = request_of(Verb::Define, &parts("acct", &given)).expect("a request");
        assert_eq!((request.name.as_str(), request.group.as_deref()), ("ACCT", Some("BANK")));
        let command = request.command().expect("it changes").expect("whole");
        let crate::Command::Define(definition) = command else { panic!("{command:?}") };
        assert!(definition.flag("ADD") && definition.get("DESCRIPTION") == Some("a (small) file, it's"));
    }

    #[test]
    fn a_mistake_belongs_to_its_part() {
        let long = "x".repeat(59);
        type Attributes<'a> = &'a [(&'a str, &'a str)];
        let table: [(&str, Attributes<'_>, &str, &str); 7] = [
            ("TOOLONGNAME", &[], "NAME", "FILE name TOOLONGNAME is longer than 8 characters"),
            ("", &[], "NAME", "FILE has no name"),
            ("A) GROUP(B", &[], "NAME", "NAME must not hold )"),
            ("ACCT", &[("ADD", "PERHAPS")], "ADD", "ADD cannot be PERHAPS"),
            ("ACCT", &[("COLOUR", "RED")], "COLOUR", "COLOUR is not an attribute of FILE"),
            (
                "ACCT",
                &[("DESCRIPTION", "one\ntwo")],
                "DESCRIPTION",
                "DESCRIPTION must not hold a control character",
            ),
            ("ACCT", &[("DESCRIPTION", &long)], "DESCRIPTION", "DESCRIPTION has more than 58 characters"),
        ];
        for (name, attributes, part, message) in table {
            let found = wrong(Verb::Define, &parts(name, attributes));
            assert_eq!(found, [(part.to_owned(), message.to_owned())]);
        }
        let several = wrong(Verb::Alter, &parts("ACCT", &[("ADD", "X"), ("STRINGS", "many")]));
        assert_eq!(several.len(), 2, "{several:?}");
    }

    #[test]
    fn what_is_missing_is_named() {
        let copy = parts("ACCT", &[]);
        assert_eq!(wrong(Verb::Copy, &copy), [("TO".to_owned(), "TO must be specified".to_owned())]);
        assert_eq!(wrong(Verb::Rename, &copy), [("AS".to_owned(), "AS must be specified".to_owned())]);
        let nothing = Parts::default();
        assert_eq!(wrong(Verb::Install, &nothing)[0].0, "GROUP");
        assert_eq!(
            wrong(Verb::Define, &nothing)[0],
            ("TYPE".to_owned(), "a type must be specified".to_owned())
        );
    }
}
