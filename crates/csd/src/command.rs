//! The commands of DFHCSDUP that change a CSD.

use diagnostics::{Diagnostic, Place, Severity};

use crate::{Definition, ResourceType};

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// DEFINE: a new definition.
    Define(Definition),
    /// USERDEFINE: a new definition that takes what it does not give from the site's own defaults.
    Userdefine(Definition),
    /// ALTER: new values for the given attributes of definitions that exist. The name may be generic (`*`, `+`).
    Alter(Definition),
    /// DELETE.
    Delete(Target),
    /// ADD: a group at the end of a list, or beside another group.
    Add {
        /// The group.
        group: String,
        /// The list.
        list: String,
        /// Where in the list.
        position: Position,
        /// Where the command stands.
        place: Place,
    },
    /// REMOVE: a group out of a list.
    Remove {
        /// The group.
        group: String,
        /// The list.
        list: String,
        /// Where the command stands.
        place: Place,
    },
    /// APPEND: the groups of a list at the end of another.
    Append {
        /// The list that is read.
        list: String,
        /// The list that grows.
        to: String,
        /// Where the command stands.
        place: Place,
    },
    /// COPY: the definitions of a group, or one of them, into another group.
    Copy {
        /// The group that is read.
        group: String,
        /// The group that grows.
        to: String,
        /// Only this one.
        only: Option<(ResourceType, String)>,
        /// What is done about definitions that are in both.
        duplicates: Duplicates,
        /// Where the command stands.
        place: Place,
    },
}

/// What DELETE deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A group with all its definitions.
    Group {
        /// The group.
        group: String,
        /// REMOVE: also out of all lists.
        remove: bool,
        /// Where the command stands.
        place: Place,
    },
    /// One definition.
    Definition {
        /// Its type.
        resource: ResourceType,
        /// Its name.
        name: String,
        /// Its group.
        group: String,
        /// REMOVE: the group out of all lists, if this was its last definition.
        remove: bool,
        /// Where the command stands.
        place: Place,
    },
    /// A list; its groups stay.
    List {
        /// The list.
        list: String,
        /// Where the command stands.
        place: Place,
    },
}

/// Where ADD puts a group in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Position {
    /// At the end.
    #[default]
    Last,
    /// Before a group that is there.
    Before(String),
    /// After a group that is there.
    After(String),
}

/// What COPY does about a definition that the target group has already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// Nothing is copied.
    #[default]
    Refuse,
    /// The target's own stays.
    Merge,
    /// The copied one takes its place.
    Replace,
}

/// What a text says.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    /// Its commands in order, without those that only list or maintain.
    pub commands: Vec<Command>,
    /// What is to be said about it.
    pub messages: Vec<Diagnostic>,
    /// The attributes whose values are not legal, and where they stand.
    pub(crate) refused: Vec<(ResourceType, &'static str, Place)>,
}

impl Commands {
    /// Makes warnings of the errors about values on which nothing depends: the installer of the definitions says which
    /// attributes matter.
    pub fn forgive(&mut self, matters: impl Fn(ResourceType, &str) -> bool) {
        let harmless: Vec<&Place> = self
            .refused
            .iter()
            .filter(|(resource, attribute, _)| !matters(*resource, attribute))
            .map(|(.., place)| place)
            .collect();
        for message in &mut self.messages {
            if message.severity == Severity::Error
                && message.place.as_ref().is_some_and(|place| harmless.contains(&place))
            {
                message.severity = Severity::Warning;
            }
        }
    }

    /// Whether any message is an error.
    pub fn any_error(&self) -> bool {
        diagnostics::any_error(&self.messages)
    }
}
