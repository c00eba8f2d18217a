//! A CSD: groups of definitions, and lists of groups.

use std::collections::{BTreeMap, HashMap};

use diagnostics::{Diagnostic, TextPlace};

use crate::command::{DeleteTarget, Position};
use crate::{Definition, ResourceType};

/// The result of applying a command; the error is the message.
pub(crate) type Applied = Result<(), Box<Diagnostic>>;

/// The group of the definitions from which USERDEFINE takes its defaults: a site's own, installed nowhere.
pub const USER_DEFAULTS: &str = "USERDEF";
/// The name of these definitions.
const USER: &str = "USER";

/// The definitions and lists that come of applying commands in order.
///
/// A group exists while it has a definition, a list while it has a group. A list may name a group that does not exist
/// (yet).
#[derive(Clone, Debug, Default)]
pub struct Csd {
    pub(crate) groups: BTreeMap<String, Vec<Definition>>,
    pub(crate) lists: BTreeMap<String, Vec<String>>,
    /// The holders of locks, by the name of the group or list.
    pub(crate) locks: BTreeMap<String, String>,
}

impl Csd {
    /// The user who has locked a group or list.
    pub fn lock(&self, name: &str) -> Option<&str> {
        self.locks.get(name).map(String::as_str)
    }

    /// The names that are locked, in alphabetical order.
    pub(crate) fn locked(&self) -> impl Iterator<Item = (&str, &str)> {
        self.locks.iter().map(|(name, by)| (name.as_str(), by.as_str()))
    }

    /// The definitions of a group, in the order in which they were defined.
    pub fn group(&self, name: &str) -> &[Definition] {
        self.groups.get(name).map_or(&[], Vec::as_slice)
    }

    /// The names of the groups, in alphabetical order.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.keys().map(String::as_str)
    }

    /// The groups of a list, in order.
    pub fn list(&self, name: &str) -> &[String] {
        self.lists.get(name).map_or(&[], Vec::as_slice)
    }

    /// The names of the lists, in alphabetical order.
    pub fn lists(&self) -> impl Iterator<Item = &str> {
        self.lists.keys().map(String::as_str)
    }

    /// The definitions of a list, or of a group, in order, duplicates included. No list has the name of a group.
    pub fn definitions<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Definition> + use<'a> {
        self.group(name).iter().chain(self.list(name).iter().flat_map(|group| self.group(group)))
    }

    /// The definitions that a region gets by installing lists or groups, one after the other: each resource once. Of
    /// several definitions the later counts; the first counts for the types with that rule, and for a local FILE that
    /// is enabled from the start.
    pub fn installed(&self, names: &[&str]) -> (Vec<&Definition>, Vec<Diagnostic>) {
        let mut installation = Installation::default();
        for definition in names.iter().flat_map(|name| self.definitions(name)) {
            installation.add(definition);
        }
        (installation.chosen, installation.messages)
    }

    pub(crate) fn define(&mut self, definition: &Definition) -> Applied {
        if self.lists.contains_key(&definition.group) {
            return Err(same_name(&definition.group, &definition.place));
        }
        let group = self.groups.entry(definition.group.clone()).or_default();
        match position(group, definition.resource, &definition.name) {
            None => {
                group.push(definition.clone());
                Ok(())
            }
            Some(at) => Err(defined_already(definition, &group[at])),
        }
    }

    /// The definition, with the values that it does not give itself taken from the one named USER of its type in group
    /// USERDEF.
    pub(crate) fn with_user_defaults(&self, definition: &Definition) -> Definition {
        let own = self.group(USER_DEFAULTS).iter();
        let mut own = own.filter(|d| d.resource == definition.resource && d.name == USER);
        let mut complete = definition.clone();
        for attribute in own.next().map_or(&[][..], |defaults| &defaults.attributes) {
            if complete.given(attribute.spec.name).is_none() {
                complete.set(attribute.clone());
            }
        }
        complete
    }

    pub(crate) fn alter(&mut self, changes: &Definition) -> Applied {
        let group = self.groups.get_mut(&changes.group).map_or(&mut [][..], Vec::as_mut_slice);
        let fits = |d: &&mut Definition| d.resource == changes.resource && generic(&changes.name, &d.name);
        let mut found = false;
        for definition in group.iter_mut().filter(fits) {
            found = true;
            changes.attributes.iter().for_each(|attribute| definition.set(attribute.clone()));
        }
        let what = || format!("{} {}", changes.resource, changes.name);
        if found { Ok(()) } else { Err(not_found(&what(), &changes.group, &changes.place)) }
    }

    pub(crate) fn delete(&mut self, target: &DeleteTarget) -> Applied {
        match target {
            DeleteTarget::List { list, place } => match self.lists.remove(list) {
                Some(_) => Ok(()),
                None => Err(no_such("list", list, place)),
            },
            DeleteTarget::Group { group, remove, place } => {
                let deleted = self.groups.remove(group).is_some();
                if *remove {
                    self.remove_everywhere(group);
                }
                if deleted { Ok(()) } else { Err(no_such("group", group, place)) }
            }
            DeleteTarget::Definition { resource, name, group, remove, place } => {
                let definitions = self.groups.get_mut(group).ok_or_else(|| no_such("group", group, place))?;
                let before = definitions.len();
                definitions.retain(|d| d.resource != *resource || !generic(name, &d.name));
                if definitions.len() == before {
                    return Err(not_found(&format!("{resource} {name}"), group, place));
                }
                if definitions.is_empty() {
                    self.groups.remove(group);
                    if *remove {
                        self.remove_everywhere(group);
                    }
                }
                Ok(())
            }
        }
    }

    fn remove_everywhere(&mut self, group: &str) {
        for groups in self.lists.values_mut() {
            groups.retain(|name| name != group);
        }
        self.lists.retain(|_, groups| !groups.is_empty());
    }

    pub(crate) fn add(&mut self, group: &str, list: &str, position: &Position, place: &TextPlace) -> Applied {
        if self.groups.contains_key(list) || self.lists.contains_key(group) {
            return Err(same_name(if self.groups.contains_key(list) { list } else { group }, place));
        }
        let groups = self.list(list);
        if groups.iter().any(|name| name == group) {
            let message = format!("group {group} is in list {list} already");
            let refused = Diagnostic::warning("SPCS022", message).at(place.clone());
            return Err(Box::new(refused.help("it stays where it is")));
        }
        let index_of = |name: &String| {
            groups.iter().position(|g| g == name).ok_or_else(|| no_such("group", name, place))
        };
        let at = match position {
            Position::Last => groups.len(),
            Position::Before(name) => index_of(name)?,
            Position::After(name) => index_of(name)? + 1,
        };
        self.lists.entry(list.to_owned()).or_default().insert(at, group.to_owned());
        Ok(())
    }

    pub(crate) fn remove(&mut self, group: &str, list: &str, place: &TextPlace) -> Applied {
        let groups = self.lists.get_mut(list).ok_or_else(|| no_such("list", list, place))?;
        let at =
            groups.iter().position(|name| name == group).ok_or_else(|| no_such("group", group, place))?;
        groups.remove(at);
        if groups.is_empty() {
            self.lists.remove(list);
        }
        Ok(())
    }

    pub(crate) fn append(&mut self, list: &str, to: &str, place: &TextPlace) -> Applied {
        if self.groups.contains_key(to) {
            return Err(same_name(to, place));
        }
        let added = self.lists.get(list).cloned().ok_or_else(|| no_such("list", list, place))?;
        let target = self.lists.entry(to.to_owned()).or_default();
        for group in added {
            if !target.contains(&group) {
                target.push(group);
            }
        }
        Ok(())
    }
}

pub(crate) fn position(definitions: &[Definition], resource: ResourceType, name: &str) -> Option<usize> {
    definitions.iter().position(|d| d.resource == resource && d.name == name)
}

/// The definitions that are installed, as far as they have been looked at.
#[derive(Default)]
struct Installation<'a> {
    chosen: Vec<&'a Definition>,
    /// The place of each resource among them.
    places: HashMap<(ResourceType, &'a str), usize>,
    messages: Vec<Diagnostic>,
}

impl<'a> Installation<'a> {
    /// Installs a definition, unless an earlier one counts.
    fn add(&mut self, definition: &'a Definition) {
        let resource = (definition.resource, definition.name.as_str());
        let at = *self.places.entry(resource).or_insert(self.chosen.len());
        match self.chosen.get(at).copied() {
            None => self.chosen.push(definition),
            // The same group, installed again.
            Some(earlier) if std::ptr::eq(earlier, definition) => {}
            Some(earlier) => {
                let kept = if stays(earlier) { earlier } else { definition };
                let dropped = if stays(earlier) { definition } else { earlier };
                self.messages.push(defined_twice(kept, dropped));
                self.chosen[at] = kept;
            }
        }
    }
}

/// Returns true if an installed definition cannot be replaced by a later one.
fn stays(earlier: &Definition) -> bool {
    let open_file = earlier.resource == ResourceType::File
        && earlier.is("STATUS", "ENABLED")
        && earlier.get("REMOTESYSTEM").is_none();
    earlier.resource.first_wins() || open_file
}

fn defined_twice(kept: &Definition, dropped: &Definition) -> Diagnostic {
    let message = format!("{} {} is defined in two groups", kept.resource, kept.name);
    Diagnostic::warning("SPCS024", message)
        .at(dropped.place.clone())
        .label(format!("not installed: the definition in group {} counts", kept.group))
        .help("delete one of them, or put them in groups of different lists")
}

/// Returns true if a name fits a generic one: `*` is any number of characters, `+` is one.
pub fn generic(pattern: &str, name: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = rest.as_str().trim_start_matches('*').chars();
            let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.into_iter().any(|at| generic(rest.as_str(), &name[at..]))
        }
        Some(wanted) => {
            let mut letters = name.chars();
            letters.next().is_some_and(|c| wanted == '+' || wanted == c)
                && generic(rest.as_str(), letters.as_str())
        }
    }
}

fn defined_already(second: &Definition, first: &Definition) -> Box<Diagnostic> {
    let message = format!("{} {} is defined in group {} already", second.resource, second.name, second.group);
    let help = format!(
        "the definition of line {} stays; use ALTER to change it, or DELETE it before",
        first.place.line
    );
    Box::new(Diagnostic::warning("SPCS020", message).at(second.place.clone()).label("not applied").help(help))
}

pub(crate) fn not_found(what: &str, group: &str, place: &TextPlace) -> Box<Diagnostic> {
    does_nothing("SPCS021", format!("group {group} does not have {what}"), place)
}

fn no_such(kind: &str, name: &str, place: &TextPlace) -> Box<Diagnostic> {
    does_nothing(
        if kind == "list" { "SPCS033" } else { "SPCS026" },
        format!("there is no {kind} {name} here"),
        place,
    )
}

fn does_nothing(code: &'static str, message: String, place: &TextPlace) -> Box<Diagnostic> {
    Box::new(Diagnostic::warning(code, message).at(place.clone()).help("the command does nothing"))
}

pub(crate) fn same_name(name: &str, place: &TextPlace) -> Box<Diagnostic> {
    let message = format!("{name} would be a group and a list");
    Box::new(Diagnostic::error("SPCS023", message).at(place.clone()).help("give one of them another name"))
}
