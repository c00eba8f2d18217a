//! Requests of people and programs: a command of CEDA, of DFHCSDUP or of a shell, with its operands.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace};
use jcl::{Input, Tokens};

use crate::command::{Command, DeleteTarget, Duplicates, Position};
use crate::definition::{Attribute, Definition};
use crate::names::{Found, abbreviated};
use crate::parse::Parser;
use crate::resource::ResourceType;
use crate::statement::{Statement, Statements, statements};
use crate::words::{Word, words};

/// A verb, and where it may be typed.
macro_rules! verbs {
    ($($variant:ident $name:literal $online:literal $utility:literal),+ $(,)?) => {
        /// The verb of a request.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the names are the published ones")]
        pub enum Verb { $($variant),+ }

        /// Verb, name, online, utility.
        const VERBS: &[(Verb, &str, bool, bool)] = &[$((Verb::$variant, $name, $online, $utility)),+];
    };
}

verbs! {
    Add "ADD" true true,
    Alter "ALTER" true true,
    Append "APPEND" true true,
    Check "CHECK" true false,
    Copy "COPY" true true,
    Define "DEFINE" true true,
    Delete "DELETE" true true,
    Display "DISPLAY" true false,
    Expand "EXPAND" true false,
    Extract "EXTRACT" false true,
    Initialize "INITIALIZE" false true,
    Install "INSTALL" true false,
    List "LIST" false true,
    Lock "LOCK" true false,
    Migrate "MIGRATE" false true,
    Move "MOVE" true false,
    Process "PROCESS" false true,
    Remove "REMOVE" true true,
    Rename "RENAME" true false,
    Scan "SCAN" false true,
    Service "SERVICE" false true,
    Unlock "UNLOCK" true false,
    Upgrade "UPGRADE" false true,
    Userdefine "USERDEFINE" true true,
    Verify "VERIFY" false true,
    View "VIEW" true false,
}

impl Verb {
    /// Its name.
    pub fn name(self) -> &'static str {
        VERBS.iter().find(|(verb, ..)| *verb == self).map_or("", |(_, name, ..)| name)
    }

    /// Those that may be typed at a terminal.
    pub fn online() -> impl Iterator<Item = Self> {
        VERBS.iter().filter(|(.., online, _)| *online).map(|row| row.0)
    }
}

/// The place where a request is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// At a terminal.
    Online,
    /// As a deck of the utility.
    Utility,
    /// In a shell: both.
    Anywhere,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its verb.
    pub verb: Verb,
    /// The type of a resource.
    pub resource: Option<ResourceType>,
    /// Its name; empty where the request gives none.
    pub name: String,
    /// GROUP.
    pub group: Option<String>,
    /// LIST.
    pub list: Option<String>,
    /// TO.
    pub to: Option<String>,
    /// AS.
    pub named: Option<String>,
    /// BEFORE or AFTER.
    pub position: Position,
    /// ALL.
    pub all: bool,
    /// REMOVE.
    pub remove: bool,
    /// OBJECTS.
    pub objects: bool,
    /// MERGE or REPLACE.
    pub duplicates: Duplicates,
    /// The attributes of a DEFINE or ALTER.
    pub attributes: Vec<Attribute>,
    /// The place of the verb.
    pub place: TextPlace,
}

/// Operands of the verbs; those behind the sixth are given without a value.
const OPERANDS: [&str; 11] =
    ["GROUP", "LIST", "TO", "AS", "BEFORE", "AFTER", "ALL", "REMOVE", "MERGE", "REPLACE", "OBJECTS"];

/// Operands of DFHCSDUP that are not built, with the reason.
const REFUSED: [(&str, &str); 3] = [
    ("FROMCSD", "an application has one set of texts: copy the definitions from the other one's"),
    ("TOCSD", "an application has one set of texts: copy the definitions into the other one's"),
    ("USERPROGRAM", "EXTRACT prints the definitions as commands"),
];

/// Reads one request of a line, whose first word may be the transaction's name.
///
/// # Errors
/// Its mistakes.
pub fn request(text: &str, given: Given) -> Result<Request, Vec<Diagnostic>> {
    let source = Source::new("command", text.lines().collect::<Vec<&str>>().join(" "));
    let mut messages = Vec::new();
    let input = Input { lines: 1..2, source: Arc::clone(&source), step: None };
    let mut words = words(&input, &mut messages);
    if words
        .first()
        .is_some_and(|word| matches!(word.keyword.to_ascii_uppercase().as_str(), "CEDA" | "CEDB" | "CEDC"))
    {
        words.remove(0);
    }
    if diagnostics::any_error(&messages) {
        return Err(messages);
    }
    read(&words, given)
}

/// Reads the requests of a deck: a text, or the SYSIN of the DFHCSDUP steps of a job. Mistakes in one do not stop those
/// behind it; words before the first one are a mistake of their own.
pub fn deck(source: &Arc<Source>, tokens: &Tokens) -> Vec<Result<Request, Vec<Diagnostic>>> {
    let Statements { all, stray, .. } = statements(source, tokens);
    stray.into_iter().chain(all).map(|Statement { words }| read(&words, Given::Anywhere)).collect()
}

fn read(words: &[Word], given: Given) -> Result<Request, Vec<Diagnostic>> {
    let mut parser = Parser::default();
    let request = Reader { parser: &mut parser }.request(words, given);
    let messages = parser.out.messages;
    match request {
        Some(request) if messages.is_empty() => Ok(request),
        _ => Err(messages),
    }
}

struct Reader<'p> {
    parser: &'p mut Parser,
}

impl Reader<'_> {
    fn request(&mut self, words: &[Word], given: Given) -> Option<Request> {
        let verb = self.verb(words.first()?, given)?;
        let mut request = Request::new(verb, words[0].place.clone());
        let defines = matches!(verb, Verb::Define | Verb::Alter | Verb::Userdefine);
        for word in &words[1..] {
            match request.resource {
                Some(resource) if defines => self.attribute(&mut request, resource, word),
                _ => self.operand(&mut request, word),
            }
        }
        if !defines {
            self.new_name(&request, &words[1..]);
        }
        Some(request)
    }

    /// The name that AS gives must be one of the resource's type, like a name that DEFINE gives.
    fn new_name(&mut self, request: &Request, operands: &[Word]) {
        let is_as =
            |word: &&Word| matches!(abbreviated(&word.keyword, &OPERANDS, |name| name), Found::One("AS"));
        let given = operands.iter().find(is_as).and_then(|word| word.value.as_ref());
        if let (Some(resource), Some(value)) = (request.resource, given) {
            self.parser.check_name(&value.text, resource.name_length(), &value.place, resource.name());
        }
    }

    fn verb(&mut self, word: &Word, given: Given) -> Option<Verb> {
        let fits = |(_, _, online, utility): &(Verb, &str, bool, bool)| match given {
            Given::Online => *online,
            Given::Utility => *utility,
            Given::Anywhere => true,
        };
        let verbs: Vec<Verb> = VERBS.iter().filter(|row| fits(row)).map(|row| row.0).collect();
        match abbreviated(&word.keyword, &verbs, Verb::name) {
            Found::One(verb) => Some(verb),
            Found::Many(several) => {
                self.parser.ambiguous(word, several.into_iter().map(Verb::name));
                None
            }
            Found::None => {
                let message = Diagnostic::error("SPCS001", format!("{} is not a command here", word.keyword));
                let near = diagnostics::nearest(&word.keyword, verbs.iter().map(|verb| verb.name()));
                let names: Vec<&str> = verbs.iter().map(|verb| verb.name()).collect();
                let help = near.map_or_else(|| names.join(", "), |near| format!("did you mean {near}?"));
                self.parser.say(message.at(word.place.clone()).help(help));
                None
            }
        }
    }

    /// An operand of DEFINE or ALTER behind the resource: the group, or an attribute.
    fn attribute(&mut self, request: &mut Request, resource: ResourceType, word: &Word) {
        if let (Found::One(_), Some(value)) =
            (abbreviated(&word.keyword, &["GROUP"], |name| name), &word.value)
        {
            request.group = Some(self.parser.group_name(value));
        } else if let Some(attribute) = self.parser.attribute(resource, word) {
            request.attributes.retain(|earlier| earlier.spec.name != attribute.spec.name);
            request.attributes.push(attribute);
        }
    }

    fn operand(&mut self, request: &mut Request, word: &Word) {
        if let Some((name, why)) = REFUSED.iter().find(|(name, _)| word.keyword.eq_ignore_ascii_case(name)) {
            let message = Diagnostic::error("SPCS034", format!("{name} is not built"));
            return self.parser.say(message.at(word.place.clone()).help(*why));
        }
        let operand = match abbreviated(&word.keyword, &OPERANDS, |name| name) {
            Found::One(name) => name,
            Found::Many(names) => return self.parser.ambiguous(word, names.into_iter()),
            Found::None => {
                if word.value.is_none() && ResourceType::named(&word.keyword.to_ascii_uppercase()).is_some() {
                    return self.parser.missing(word, "a name in parentheses");
                }
                if let Some((resource, name)) = self.parser.resource(word) {
                    (request.resource, request.name) = (Some(resource), name);
                }
                return;
            }
        };
        match (operand, &word.value) {
            ("ALL", None) => request.all = true,
            ("REMOVE", None) => request.remove = true,
            ("OBJECTS", None) => request.objects = true,
            ("MERGE", None) => request.duplicates = Duplicates::Merge,
            ("REPLACE", None) => request.duplicates = Duplicates::Replace,
            ("AS", Some(value)) => request.named = Some(value.text.clone()),
            (_, None) => self.parser.missing(word, "a name in parentheses"),
            (_, Some(value)) => {
                let name = self.parser.group_name(value);
                match operand {
                    "GROUP" => request.group = Some(name),
                    "LIST" => request.list = Some(name),
                    "TO" => request.to = Some(name),
                    "BEFORE" => request.position = Position::Before(name),
                    "AFTER" => request.position = Position::After(name),
                    _ => {}
                }
            }
        }
    }
}

impl Request {
    /// A request without operands.
    pub fn new(verb: Verb, place: TextPlace) -> Self {
        Self {
            verb,
            resource: None,
            name: String::new(),
            group: None,
            list: None,
            to: None,
            named: None,
            position: Position::Last,
            all: false,
            remove: false,
            objects: false,
            duplicates: Duplicates::Refuse,
            attributes: Vec::new(),
            place,
        }
    }

    /// The command that changes the texts; `None` for one that only looks or installs.
    ///
    /// # Errors
    /// The name of an operand that is missing.
    pub fn command(&self) -> Option<Result<Command, &'static str>> {
        let place = self.place.clone();
        Some(match self.verb {
            Verb::Define => self.definition().map(Command::Define),
            Verb::Userdefine => self.definition().map(Command::Userdefine),
            Verb::Alter => self.definition().map(Command::Alter),
            Verb::Add => self.group_and_list().map(|(group, list)| {
                let position = self.position.clone();
                Command::Add { group, list, position, place }
            }),
            Verb::Remove => self.group_and_list().map(|(group, list)| Command::Remove { group, list, place }),
            Verb::Append => {
                let list = self.list.clone().ok_or("LIST");
                list.and_then(|list| Ok(Command::Append { list, to: self.to.clone().ok_or("TO")?, place }))
            }
            Verb::Delete => self.target(place).map(Command::Delete),
            Verb::Copy => self.transfer(true),
            Verb::Move => self.transfer(false),
            Verb::Rename => self.rename(place),
            Verb::Lock | Verb::Unlock => self.locked(place),
            _ => return None,
        })
    }

    fn definition(&self) -> Result<Definition, &'static str> {
        Ok(Definition {
            resource: self.resource.ok_or("a resource type with a name")?,
            name: self.name.clone(),
            group: self.group.clone().ok_or("GROUP")?,
            attributes: self.attributes.clone(),
            place: self.place.clone(),
        })
    }

    fn group_and_list(&self) -> Result<(String, String), &'static str> {
        Ok((self.group.clone().ok_or("GROUP")?, self.list.clone().ok_or("LIST")?))
    }

    fn only(&self) -> Option<(ResourceType, String)> {
        self.resource.map(|resource| (resource, self.name.clone()))
    }

    fn target(&self, place: TextPlace) -> Result<DeleteTarget, &'static str> {
        if let (Some(list), None) = (&self.list, &self.group) {
            return Ok(DeleteTarget::List { list: list.clone(), place });
        }
        let group = self.group.clone().ok_or("GROUP")?;
        let remove = self.remove;
        Ok(match self.only() {
            Some((resource, name)) => DeleteTarget::Definition { resource, name, group, remove, place },
            None => DeleteTarget::Group { group, remove, place },
        })
    }

    /// The name that a copy gets.
    fn named(&self) -> Option<String> {
        let folds = !self.resource.is_some_and(ResourceType::keeps_case);
        self.named.as_ref().map(|name| if folds { name.to_ascii_uppercase() } else { name.clone() })
    }

    fn transfer(&self, copies: bool) -> Result<Command, &'static str> {
        let group = self.group.clone().ok_or("GROUP")?;
        let named = self.named();
        let to = match (&self.to, &named) {
            (Some(to), _) => to.clone(),
            (None, Some(_)) => group.clone(),
            (None, None) => return Err("TO"),
        };
        let (only, duplicates, place) = (self.only(), self.duplicates, self.place.clone());
        Ok(match copies {
            true => Command::Copy { group, to, only, named, duplicates, place },
            false => Command::Move { group, to, only, named, duplicates, place },
        })
    }

    fn rename(&self, place: TextPlace) -> Result<Command, &'static str> {
        let (resource, name) = self.only().ok_or("a resource type with a name")?;
        let group = self.group.clone().ok_or("GROUP")?;
        let named = self.named().ok_or("AS");
        match &self.to {
            None => Ok(Command::Rename { resource, name, group, named: named?, place }),
            Some(_) => self.transfer(false),
        }
    }

    fn locked(&self, place: TextPlace) -> Result<Command, &'static str> {
        let (name, list) = match (&self.group, &self.list) {
            (Some(group), _) => (group.clone(), false),
            (None, Some(list)) => (list.clone(), true),
            (None, None) => return Err("GROUP or LIST"),
        };
        Ok(match self.verb {
            Verb::Lock => Command::Lock { name, list, by: String::new(), place },
            _ => Command::Unlock { name, list, place },
        })
    }
}
