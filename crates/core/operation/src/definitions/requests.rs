//! A request of a person carried out, and its answer: CEDA at a terminal and the console's pages say the same.

use csd::{Csd, Definition, Request, Verb, generic};
use diagnostics::Diagnostic;

use super::csd_commands::install::chosen;
use super::{NotMade, Shelf, command_of, install_one, of};
use kernel::raise::{Outcome, Raise};
use kernel::registry::Manager;
use repository::{Changed, Refused};

/// The verbs that a user may ask for.
#[derive(Clone, Copy, Debug)]
pub struct Rights {
    /// The name of the place where they are asked for, as messages have it.
    pub name: &'static str,
    /// The verbs that change the texts.
    pub changes: bool,
    /// INSTALL.
    pub installs: bool,
}

impl Rights {
    fn has(self, verb: Verb) -> bool {
        match verb {
            Verb::View | Verb::Display | Verb::Expand | Verb::Check => true,
            Verb::Install => self.installs,
            _ => self.changes,
        }
    }

    /// The verbs that may be typed.
    pub fn verbs(self) -> impl Iterator<Item = &'static str> {
        Verb::online().filter(move |verb| self.has(*verb)).map(Verb::name)
    }
}

/// A message with its severity: I, W, E or S.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message(pub char, pub String);

/// A line of a list.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The type of a resource, or GROUP or LIST.
    pub kind: &'static str,
    /// The group of a resource.
    pub group: String,
    /// The outcome of a command beside it.
    pub note: String,
}

impl Row {
    /// The operands that name it.
    pub fn names(&self) -> String {
        match self.group.as_str() {
            "" => format!("{}({})", self.kind, self.name),
            group => format!("{}({}) GROUP({group})", self.kind, self.name),
        }
    }
}

/// The part of an answer that is shown.
#[derive(Clone, Debug)]
pub enum View {
    /// The commands that may be typed.
    Choices(Vec<&'static str>),
    /// A definition; `open` if it may be typed over.
    Panel {
        /// The definition.
        definition: Box<Definition>,
        /// True if it may be changed.
        open: bool,
    },
    /// A list.
    Rows(Vec<Row>),
    /// Nothing but the result.
    Nothing,
}

/// The answer to a command.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The part that is shown.
    pub view: View,
    /// The messages.
    pub messages: Vec<Message>,
    /// `DEFINE SUCCESSFUL` and the like.
    pub result: String,
    /// True if it was done.
    pub succeeded: bool,
    /// True if it was not done since another has changed what the user had seen.
    pub is_other: bool,
}

impl Answer {
    /// The verbs that may be asked for.
    pub fn choices(rights: Rights) -> Self {
        let view = View::Choices(rights.verbs().collect());
        Self { view, messages: Vec::new(), result: String::new(), succeeded: true, is_other: false }
    }

    fn done(verb: Verb, view: View) -> Self {
        let result = format!("{} SUCCESSFUL", verb.name());
        Self { view, messages: Vec::new(), result, succeeded: true, is_other: false }
    }

    fn failed(verb: Verb, messages: Vec<Message>) -> Self {
        let result = format!("{} UNSUCCESSFUL", verb.name());
        Self { view: View::Nothing, messages, result, succeeded: false, is_other: false }
    }

    /// That of a text that is no request.
    pub fn not_read(rights: Rights, messages: &[Diagnostic]) -> Self {
        let messages = messages.iter().map(|m| Message('S', sentence(m))).collect();
        Self {
            messages,
            result: "COMMAND UNSUCCESSFUL".to_owned(),
            succeeded: false,
            ..Self::choices(rights)
        }
    }
}

/// A message and its help as one sentence.
pub fn sentence(message: &Diagnostic) -> String {
    match message.help.as_str() {
        "" => message.message.clone(),
        help => format!("{}: {help}", message.message),
    }
}

/// Carries a request out, where `seen` is the version of what it names that the user has seen, if that is to count.
///
/// # Errors
/// The abend of a task that was purged meanwhile.
pub async fn carry_out(
    by: &Manager,
    rights: Rights,
    asked: &Request,
    seen: Option<String>,
) -> Outcome<Answer> {
    let verb = asked.verb;
    let severe = |text: String| Answer::failed(verb, vec![Message('S', text)]);
    if !rights.has(verb) {
        return Ok(severe(format!("{} is not a command of {}.", verb.name(), rights.name)));
    }
    if !by.may_do(command_of(verb), None) {
        return Ok(severe(format!("You are not authorized to use {}.", verb.name())));
    }
    match asked.command() {
        Some(Err(missing)) => Ok(severe(format!("{missing} must be specified."))),
        Some(Ok(command)) => match Shelf::change(by, asked, command, seen).await? {
            Ok(changed) => Ok(changed_answer(asked, &changed)),
            Err(refused) => {
                let is_other = matches!(refused, Refused::Changed);
                Ok(Answer { is_other, ..severe(sentence(&refused.message())) })
            }
        },
        None => match Shelf::read(by).await? {
            Err(refused) => Ok(severe(sentence(&refused.message()))),
            Ok(csd) if verb == Verb::Install => installed(by, &csd, asked).await,
            Ok(csd) => Ok(looked(&csd, asked)),
        },
    }
}

fn changed_answer(asked: &Request, changed: &Changed) -> Answer {
    let verb = asked.verb;
    let group = changed.csd.group(asked.group.as_deref().unwrap_or_default());
    let defines = matches!(verb, Verb::Define | Verb::Userdefine);
    let shows = defines || verb == Verb::Alter;
    let is_it = |d: &&Definition| Some(d.resource) == asked.resource && generic(&asked.name, &d.name);
    let view = match group.iter().find(is_it).filter(|_| shows) {
        Some(definition) => View::Panel { definition: Box::new(definition.clone()), open: true },
        None => View::Nothing,
    };
    let mut answer = Answer::done(verb, view);
    if let (true, [only]) = (defines, group) {
        answer.messages.push(Message('I', format!("New group {} created.", only.group)));
    }
    if changed.text.is_none() {
        answer.messages.push(Message('W', "It was so before: nothing has changed.".to_owned()));
    }
    answer
}

async fn installed(by: &Manager, csd: &Csd, asked: &Request) -> Outcome<Answer> {
    let Ok(chosen) = chosen(csd, asked) else {
        return Ok(Answer::failed(asked.verb, vec![Message('S', nothing(csd, asked))]));
    };
    let mut messages = Vec::new();
    for definition in &chosen {
        if let Err(NotMade { raise, why }) = install_one(by, definition).await {
            if !matches!(raise, Raise::Condition(..)) {
                return Err(raise);
            }
            let Definition { resource, name, .. } = definition;
            messages.push(Message('S', format!("Install of {resource} {name} failed: {why}.")));
        }
    }
    Ok(if messages.is_empty() {
        Answer::done(asked.verb, View::Nothing)
    } else {
        Answer::failed(asked.verb, messages)
    })
}

/// The message that nothing has the name.
fn nothing(csd: &Csd, asked: &Request) -> String {
    match (&asked.list, &asked.group, asked.resource) {
        (Some(list), ..) => format!("List {list} not found."),
        (None, Some(group), Some(resource)) if !csd.group(group).is_empty() => {
            format!("{resource} {} not found in group {group}.", asked.name)
        }
        (None, Some(group), _) => format!("Group {group} not found."),
        (None, None, _) => "GROUP or LIST must be specified.".to_owned(),
    }
}

/// VIEW, DISPLAY, EXPAND and CHECK.
fn looked(csd: &Csd, asked: &Request) -> Answer {
    let verb = asked.verb;
    match verb {
        Verb::View => match definitions(csd, asked).first() {
            Some(definition) => {
                Answer::done(verb, View::Panel { definition: Box::new((*definition).clone()), open: false })
            }
            None => Answer::failed(verb, vec![Message('S', nothing(csd, asked))]),
        },
        Verb::Check => {
            let all = definitions(csd, asked);
            if all.is_empty() {
                return Answer::failed(verb, vec![Message('S', nothing(csd, asked))]);
            }
            let faults = all.iter().filter_map(|definition| of(definition.resource)?.sound(definition).err());
            let doubts = faults.chain(csd::check(&all)).map(|doubt| Message('W', format!("{doubt}.")));
            Answer { messages: doubts.collect(), ..Answer::done(verb, View::Nothing) }
        }
        _ => {
            let rows = rows(csd, asked);
            if rows.is_empty() {
                return Answer::failed(verb, vec![Message('E', nothing(csd, asked))]);
            }
            Answer::done(verb, View::Rows(rows))
        }
    }
}

/// The definitions that a request means.
fn definitions<'c>(csd: &'c Csd, asked: &Request) -> Vec<&'c Definition> {
    let groups: Vec<&str> = match (&asked.list, &asked.group) {
        (Some(list), _) => csd.list(list).iter().map(String::as_str).collect(),
        (None, Some(group)) => csd.groups().filter(|name| generic(group, name)).collect(),
        (None, None) => csd.groups().collect(),
    };
    let fits = |d: &&Definition| {
        asked
            .resource
            .is_none_or(|of| d.resource == of && (asked.name.is_empty() || generic(&asked.name, &d.name)))
    };
    groups.into_iter().flat_map(|group| csd.group(group)).filter(fits).collect()
}

/// The lines of DISPLAY and EXPAND: resources, groups or lists.
fn rows(csd: &Csd, asked: &Request) -> Vec<Row> {
    let row = |name: &str, kind| {
        let (name, note) =
            (name.to_owned(), csd.lock(name).map_or(String::new(), |by| format!("LOCKED {by}")));
        Row { name, kind, group: String::new(), note }
    };
    let resource = |d: &&Definition| {
        let (name, group) = (d.name.clone(), d.group.clone());
        Row { name, kind: d.resource.name(), group, note: String::new() }
    };
    let expands = asked.verb == Verb::Expand;
    match (&asked.list, &asked.group) {
        (Some(list), None) if asked.resource.is_none() && !asked.all => {
            let lists = csd.lists().filter(|name| generic(list, name));
            match expands {
                true => lists.flat_map(|list| csd.list(list)).map(|group| row(group, "GROUP")).collect(),
                false => lists.map(|list| row(list, "LIST")).collect(),
            }
        }
        (None, Some(group)) if asked.resource.is_none() && !asked.all && !expands => {
            csd.groups().filter(|name| generic(group, name)).map(|group| row(group, "GROUP")).collect()
        }
        (None, None) if asked.resource.is_none() => csd.groups().map(|group| row(group, "GROUP")).collect(),
        _ => definitions(csd, asked).iter().map(resource).collect(),
    }
}
