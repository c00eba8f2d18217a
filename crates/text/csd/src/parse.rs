//! From words to commands.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace, nearest};
use jcl::Tokens;

use crate::attribute::{AttributeSpec, attributes_of};
use crate::command::{Command, Commands, DeleteTarget, Duplicates, Position};
use crate::definition::{Attribute, Definition};
use crate::names::{Found, abbreviated};
use crate::resource::ResourceType;
use crate::words::{Value, Word, words};

/// The utility whose SYSIN is read where the text is a job.
pub(crate) const UTILITY: &str = "DFHCSDUP";

/// The greatest length of the name of a group or a list.
const GROUP_LENGTH: usize = 8;

/// The commands; those not known here by a command of their own change nothing in a region.
const VERBS: [&str; 17] = [
    "ADD",
    "ALTER",
    "APPEND",
    "COPY",
    "DEFINE",
    "DELETE",
    "EXTRACT",
    "INITIALIZE",
    "LIST",
    "MIGRATE",
    "PROCESS",
    "REMOVE",
    "SCAN",
    "SERVICE",
    "UPGRADE",
    "USERDEFINE",
    "VERIFY",
];

/// The operands of the commands other than attributes and resource types.
const OPERANDS: [&str; 10] =
    ["GROUP", "LIST", "TO", "BEFORE", "AFTER", "ALL", "REMOVE", "MERGE", "REPLACE", "FROMCSD"];

/// Types of resources that older releases had: texts keep their definitions.
const WITHDRAWN: [&str; 3] = ["CORBASERVER", "DJAR", "REQUESTMODEL"];

/// Reads a CSD text, or the SYSIN of the DFHCSDUP steps of a job. Tokens are replaced first.
pub fn parse(source: &Arc<Source>, tokens: &Tokens) -> Commands {
    let mut parser = Parser::default();
    let mut locks = Vec::new();
    for input in jcl::inputs(source, UTILITY, tokens) {
        let words = without_ceda(words(&input, &mut parser.out.messages));
        parser.commands(&words);
        locks.extend(jcl::records(&input).filter_map(|record| crate::lock::read(&input.source, record)));
    }
    parser.out.commands.extend(locks);
    parser.out.messages.sort_by_key(|message| message.place.as_ref().map(|place| (place.line, place.column)));
    parser.out
}

/// The words without the name of the transaction at which a person would type these commands: notes have it.
pub(crate) fn without_ceda(words: Vec<Word>) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::with_capacity(words.len());
    let mut typed = false;
    for mut word in words {
        word.starts_line |= std::mem::take(&mut typed);
        typed = word.starts_line && word.value.is_none() && word.keyword.eq_ignore_ascii_case("CEDA");
        if !typed {
            out.push(word);
        }
    }
    out
}

fn verb(word: &Word) -> Option<&'static str> {
    match abbreviated(&word.keyword, &VERBS, |verb| verb) {
        Found::One(verb) if word.value.is_none() => Some(verb),
        _ => None,
    }
}

/// The operands of a command other than DEFINE and ALTER.
#[derive(Default)]
struct Operands<'a> {
    values: Vec<(&'static str, Option<&'a Value>)>,
    resource: Option<(ResourceType, String)>,
}

impl Operands<'_> {
    fn has(&self, name: &str) -> bool {
        self.values.iter().any(|(operand, _)| *operand == name)
    }
}

#[derive(Default)]
pub(crate) struct Parser {
    pub out: Commands,
}

impl Parser {
    pub(crate) fn say(&mut self, message: Diagnostic) {
        self.out.messages.push(message);
    }

    fn commands(&mut self, words: &[Word]) {
        let starts: Vec<usize> = (0..words.len()).filter(|&at| starts_command(words, at)).collect();
        if let Some(first) = words.first()
            && starts.first() != Some(&0)
        {
            self.unknown_command(first);
        }
        for (index, &start) in starts.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(words.len());
            let command = &words[start..end];
            match verb(&command[0]) {
                Some("DEFINE") => self.define(command, Command::Define),
                Some("USERDEFINE") => self.define(command, Command::Userdefine),
                Some("ALTER") => self.define(command, Command::Alter),
                Some(verb) => self.other(verb, command),
                None => self.unknown_command(&command[0]),
            }
        }
    }

    fn unknown_command(&mut self, word: &Word) {
        let help = match nearest(&word.keyword, VERBS) {
            Some(meant) => format!("did you mean {meant}?"),
            None => "commands are DEFINE, USERDEFINE, ALTER, DELETE, ADD, REMOVE, APPEND, COPY".to_owned(),
        };
        self.say(
            Diagnostic::error("SPCS001", format!("{} is not a command of DFHCSDUP", word.keyword))
                .at(word.place.clone())
                .help(help),
        );
    }

    fn define(&mut self, words: &[Word], command: impl Fn(Definition) -> Command) {
        let place = words[0].place.clone();
        let Some((resource, name)) = words.get(1).and_then(|word| self.resource(word)) else {
            if words.get(1).is_none() {
                self.missing(&words[0], "a resource type with a name");
            }
            return;
        };
        let mut definition =
            Definition { resource, name, group: String::new(), attributes: Vec::new(), place };
        for word in &words[2..] {
            if let Found::One(_) = abbreviated(&word.keyword, &["GROUP"], |name| name)
                && let Some(value) = &word.value
            {
                definition.group = self.group_name(value);
            } else if let Some(attribute) = self.attribute(resource, word) {
                self.warn_if_twice(&definition, &attribute);
                definition.set(attribute);
            }
        }
        if definition.group.is_empty() {
            self.missing(&words[0], "GROUP");
            return;
        }
        self.out.commands.push(command(definition));
    }

    pub(crate) fn warn_if_twice(&mut self, definition: &Definition, attribute: &Attribute) {
        if definition.given(attribute.spec.name).is_some() {
            self.say(
                Diagnostic::warning("SPCS009", format!("{} is given twice", attribute.spec.name))
                    .at(attribute.place.clone())
                    .label("this one counts")
                    .help("leave one out"),
            );
        }
    }

    /// The resource type and name of a word such as `PROGRAM(ABC)`.
    pub(crate) fn resource(&mut self, word: &Word) -> Option<(ResourceType, String)> {
        let resource =
            match abbreviated(&word.keyword, ResourceType::ALL, ResourceType::name) {
                Found::One(resource) => resource,
                Found::Many(types) => {
                    self.ambiguous(word, types.into_iter().map(ResourceType::name));
                    return None;
                }
                Found::None if WITHDRAWN.contains(&word.keyword.to_ascii_uppercase().as_str()) => {
                    let message = format!("{} is no longer a type of resource", word.keyword);
                    self.say(
                        Diagnostic::warning("SPCS008", message)
                            .at(word.place.clone())
                            .help("the command is passed over; it can be left out"),
                    );
                    return None;
                }
                Found::None => {
                    let names = ResourceType::ALL.iter().map(|t| t.name());
                    let help = nearest(&word.keyword, names).map(|meant| format!("did you mean {meant}?"));
                    self.say(
                        Diagnostic::error("SPCS003", format!("{} is not a type of resource", word.keyword))
                            .at(word.place.clone())
                            .help(help.unwrap_or_else(|| {
                                "a command names a type first: DEFINE PROGRAM(name)".into()
                            })),
                    );
                    return None;
                }
            };
        let Some(value) = &word.value else {
            self.missing(word, "a name in parentheses");
            return None;
        };
        let name = if resource.keeps_case() { value.text.clone() } else { value.text.to_ascii_uppercase() };
        self.check_name(&name, resource.name_length(), &value.place, resource.name());
        Some((resource, name))
    }

    pub(crate) fn check_name(&mut self, name: &str, longest: usize, place: &TextPlace, what: &str) {
        let problem = if name.is_empty() {
            "has no name".to_owned()
        } else if name.chars().count() > longest {
            format!("name {name} is longer than {longest} characters")
        } else if name.contains(char::is_whitespace) {
            format!("name {name} holds a blank")
        } else {
            return;
        };
        self.say(
            Diagnostic::error("SPCS010", format!("{what} {problem}"))
                .at(place.clone())
                .help(format!("a name has 1 to {longest} characters and no blanks")),
        );
    }

    pub(crate) fn group_name(&mut self, value: &Value) -> String {
        let name = value.text.to_ascii_uppercase();
        self.check_name(&name, GROUP_LENGTH, &value.place, "group or list");
        name
    }

    pub(crate) fn missing(&mut self, word: &Word, what: &str) {
        self.say(
            Diagnostic::error("SPCS004", format!("{} needs {what}", word.keyword.to_ascii_uppercase()))
                .at(word.place.clone())
                .help("the command is left out"),
        );
    }

    pub(crate) fn ambiguous(&mut self, word: &Word, names: impl Iterator<Item = &'static str>) {
        let names: Vec<&str> = names.collect();
        self.say(
            Diagnostic::error("SPCS006", format!("{} may mean several things", word.keyword))
                .at(word.place.clone())
                .help(format!("write one of them in full: {}", names.join(", "))),
        );
    }

    /// The attribute that a word gives; `None`, with a message, if the word gives no attribute that counts.
    pub(crate) fn attribute(&mut self, resource: ResourceType, word: &Word) -> Option<Attribute> {
        let specs: Vec<&'static AttributeSpec> = attributes_of(resource).iter().collect();
        let spec = match abbreviated(&word.keyword, &specs, |spec| spec.name) {
            Found::One(spec) => spec,
            Found::Many(specs) => {
                self.ambiguous(word, specs.into_iter().map(|spec| spec.name));
                return None;
            }
            Found::None => {
                let help = match nearest(&word.keyword, specs.iter().map(|spec| spec.name)) {
                    Some(meant) => format!("did you mean {meant}? It is ignored as it stands"),
                    None => "it is ignored; obsolete attributes can be left out".to_owned(),
                };
                let message = format!("{} is not an attribute of {resource}", word.keyword);
                self.say(Diagnostic::warning("SPCS005", message).at(word.place.clone()).help(help));
                return None;
            }
        };
        if spec.obsolete {
            let message = format!("{} of {resource} is obsolete", spec.name);
            self.say(
                Diagnostic::warning("SPCS008", message).at(word.place.clone()).help("it may be left out"),
            );
        }
        let Some(value) = &word.value else {
            self.missing(word, "a value in parentheses");
            return None;
        };
        self.legal_value(resource, spec, value)
    }

    fn legal_value(
        &mut self,
        resource: ResourceType,
        spec: &'static AttributeSpec,
        value: &Value,
    ) -> Option<Attribute> {
        let attribute = |value_text| Attribute { spec, value: value_text, place: value.place.clone() };
        if value.text.is_empty() {
            return Some(attribute(String::new()));
        }
        if let Some(longest) = spec.cut_behind().filter(|longest| value.text.chars().count() > *longest) {
            let message = format!("{} has more than {longest} characters", spec.name);
            self.say(
                Diagnostic::warning("SPCS015", message)
                    .at(value.place.clone())
                    .help("what stands behind them is not kept; nothing else depends on it"),
            );
            return Some(attribute(value.text.chars().take(longest).collect()));
        }
        match spec.legal.check(&value.text, spec.keeps_case()) {
            Ok(text) => Some(attribute(text)),
            Err(legal) => {
                let message = format!("{} cannot be {}", spec.name, value.text);
                self.out.refused.push((resource, spec.name, value.place.clone()));
                self.say(
                    Diagnostic::error("SPCS007", message)
                        .at(value.place.clone())
                        .help(format!("legal values: {legal}")),
                );
                None
            }
        }
    }

    /// A command other than DEFINE and ALTER.
    fn other(&mut self, verb: &'static str, words: &[Word]) {
        let word = &words[0];
        if !matches!(verb, "ADD" | "APPEND" | "COPY" | "DELETE" | "REMOVE") {
            self.passed_over(verb, word);
            return;
        }
        let operands = self.operands(&words[1..]);
        match self.command(verb, word, &operands) {
            Ok(command) => self.out.commands.push(command),
            Err(missing) => self.missing(word, missing),
        }
    }

    /// LIST only prints; the others maintain a CSD data set, and a region here has none.
    fn passed_over(&mut self, verb: &str, word: &Word) {
        if verb != "LIST" {
            let message =
                Diagnostic::new(diagnostics::Severity::Note, "SPCS014", format!("{verb} does nothing here"));
            self.say(message.at(word.place.clone()));
        }
    }

    fn operands<'a>(&mut self, words: &'a [Word]) -> Operands<'a> {
        let mut operands = Operands::default();
        for word in words {
            match abbreviated(&word.keyword, &OPERANDS, |name| name) {
                Found::One(name) => operands.values.push((name, word.value.as_ref())),
                Found::Many(names) => self.ambiguous(word, names.into_iter()),
                Found::None => {
                    if let Some(resource) = self.resource(word) {
                        operands.resource = Some(resource);
                    }
                }
            }
        }
        operands
    }

    fn name(&mut self, operands: &Operands<'_>, operand: &'static str) -> Result<String, &'static str> {
        let given = operands.values.iter().find(|(name, _)| *name == operand).and_then(|(_, value)| *value);
        given.map(|value| self.group_name(value)).ok_or(operand)
    }

    /// The command; the error names an operand that is missing.
    fn command(&mut self, verb: &str, word: &Word, operands: &Operands<'_>) -> Result<Command, &'static str> {
        let place = word.place.clone();
        Ok(match verb {
            "ADD" => {
                let position = if operands.has("BEFORE") {
                    Position::Before(self.name(operands, "BEFORE")?)
                } else if operands.has("AFTER") {
                    Position::After(self.name(operands, "AFTER")?)
                } else {
                    Position::Last
                };
                let (group, list) = (self.name(operands, "GROUP")?, self.name(operands, "LIST")?);
                Command::Add { group, list, position, place }
            }
            "REMOVE" => {
                let (group, list) = (self.name(operands, "GROUP")?, self.name(operands, "LIST")?);
                Command::Remove { group, list, place }
            }
            "APPEND" => {
                let (list, to) = (self.name(operands, "LIST")?, self.name(operands, "TO")?);
                Command::Append { list, to, place }
            }
            "COPY" => {
                let duplicates = match (operands.has("REPLACE"), operands.has("MERGE")) {
                    (true, _) => Duplicates::Replace,
                    (_, true) => Duplicates::Merge,
                    _ => Duplicates::Refuse,
                };
                let (group, to) = (self.name(operands, "GROUP")?, self.name(operands, "TO")?);
                let (only, named) = (operands.resource.clone(), None);
                Command::Copy { group, to, only, named, duplicates, place }
            }
            _ => Command::Delete(self.target(operands, place)?),
        })
    }

    fn target(&mut self, operands: &Operands<'_>, place: TextPlace) -> Result<DeleteTarget, &'static str> {
        if operands.has("LIST") {
            return Ok(DeleteTarget::List { list: self.name(operands, "LIST")?, place });
        }
        let group = self.name(operands, "GROUP")?;
        let remove = operands.has("REMOVE");
        Ok(match operands.resource.clone() {
            Some((resource, name)) => DeleteTarget::Definition { resource, name, group, remove, place },
            None => DeleteTarget::Group { group, remove, place },
        })
    }
}

/// Returns true if a command starts at a word: a line starts there and the word is a verb, or at least no operand.
/// REMOVE may also be the last operand of a DELETE; then no GROUP follows it.
pub(crate) fn starts_command(words: &[Word], at: usize) -> bool {
    let word = &words[at];
    if !word.starts_line || word.value.is_some() {
        return false;
    }
    match verb(word) {
        Some("REMOVE") => words.get(at + 1).is_some_and(|next| next.value.is_some() && !next.starts_line),
        Some(_) => true,
        None => words.get(at + 1).is_some_and(|next| next.value.is_some() && !next.starts_line),
    }
}
