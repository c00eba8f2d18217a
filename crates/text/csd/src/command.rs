//! The commands of DFHCSDUP that change a CSD.

use diagnostics::{Diagnostic, Severity, TextPlace};

use crate::{Definition, ResourceType};

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// DEFINE: a new definition.
    Define(Definition),
    /// USERDEFINE: a new definition that takes the values it does not give from the site's own defaults.
    Userdefine(Definition),
    /// ALTER: new values for the given attributes of definitions that exist. The name may be generic (`*`, `+`).
    Alter(Definition),
    /// DELETE.
    Delete(DeleteTarget),
    /// ADD: a group at the end of a list, or beside another group.
    Add {
        /// The group.
        group: String,
        /// The list.
        list: String,
        /// The place in the list.
        position: Position,
        /// The place of the command in the text.
        place: TextPlace,
    },
    /// REMOVE: a group out of a list.
    Remove {
        /// The group.
        group: String,
        /// The list.
        list: String,
        /// The place of the command in the text.
        place: TextPlace,
    },
    /// APPEND: the groups of a list at the end of another.
    Append {
        /// The list that is read.
        list: String,
        /// The list that grows.
        to: String,
        /// The place of the command in the text.
        place: TextPlace,
    },
    /// COPY: the definitions of a group, or one of them, into another group.
    Copy {
        /// The group that is read.
        group: String,
        /// The group that grows.
        to: String,
        /// Only this one.
        only: Option<(ResourceType, String)>,
        /// The name of the copy, where it gets another (AS).
        named: Option<String>,
        /// The treatment of definitions that are in both.
        duplicates: Duplicates,
        /// The place of the command in the text.
        place: TextPlace,
    },
    /// MOVE: the same, and the definitions leave their group. Online only.
    Move {
        /// The group that is left.
        group: String,
        /// The group that grows.
        to: String,
        /// Only this one.
        only: Option<(ResourceType, String)>,
        /// The name that it gets (AS).
        named: Option<String>,
        /// The treatment of definitions that are in both.
        duplicates: Duplicates,
        /// The place of the command in the text.
        place: TextPlace,
    },
    /// RENAME: another name in the same group. Online only.
    Rename {
        /// The type.
        resource: ResourceType,
        /// The name.
        name: String,
        /// The group.
        group: String,
        /// The new name.
        named: String,
        /// The place of the command in the text.
        place: TextPlace,
    },
    /// LOCK: only its user changes the group or list from now on. In a text it is a comment, `*LOCK GROUP(G) BY(USER)`.
    Lock {
        /// The name of the group or list.
        name: String,
        /// True for a list.
        list: bool,
        /// The user; empty: the one who gives the command.
        by: String,
        /// The place of the command in the text.
        place: TextPlace,
    },
    /// UNLOCK: everybody may change the group or list again.
    Unlock {
        /// The name of the group or list.
        name: String,
        /// True for a list.
        list: bool,
        /// The place of the command in the text.
        place: TextPlace,
    },
}

impl Command {
    /// The place of the command in its text.
    pub fn place(&self) -> &TextPlace {
        match self {
            Self::Define(definition) | Self::Userdefine(definition) | Self::Alter(definition) => {
                &definition.place
            }
            Self::Delete(
                DeleteTarget::Group { place, .. }
                | DeleteTarget::Definition { place, .. }
                | DeleteTarget::List { place, .. },
            )
            | Self::Add { place, .. }
            | Self::Remove { place, .. }
            | Self::Append { place, .. }
            | Self::Copy { place, .. }
            | Self::Move { place, .. }
            | Self::Rename { place, .. }
            | Self::Lock { place, .. }
            | Self::Unlock { place, .. } => place,
        }
    }
}

/// The target of a DELETE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeleteTarget {
    /// A group with all its definitions.
    Group {
        /// The group.
        group: String,
        /// REMOVE: also out of all lists.
        remove: bool,
        /// The place of the command in the text.
        place: TextPlace,
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
        /// The place of the command in the text.
        place: TextPlace,
    },
    /// A list; its groups stay.
    List {
        /// The list.
        list: String,
        /// The place of the command in the text.
        place: TextPlace,
    },
}

/// The place in a list where ADD puts a group.
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

/// The treatment by COPY of a definition that the target group has already.
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

/// The content of a text.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    /// Its commands in order, without those that only list or maintain.
    pub commands: Vec<Command>,
    /// The messages about it.
    pub messages: Vec<Diagnostic>,
    /// The attributes whose values are not legal, and their places.
    pub(crate) refused: Vec<(ResourceType, &'static str, TextPlace)>,
}

impl Commands {
    /// Makes warnings of the errors about values on which nothing depends: the installer of the definitions says which
    /// attributes matter.
    pub fn forgive(&mut self, matters: impl Fn(ResourceType, &str) -> bool) {
        let harmless: Vec<&TextPlace> = self
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

    /// Returns true if any message is an error.
    pub fn any_error(&self) -> bool {
        diagnostics::any_error(&self.messages)
    }
}
