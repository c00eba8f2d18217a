//! The shape of a command's record.

use crate::{COMMAND_RECORDS, OPTION_NAMES, opt};

/// A command's number: its place in the table, valid only within one build of the records
/// (see [`crate::FINGERPRINT`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommandId(pub u16);

/// An option's number: one for all commands, so that `opt::FILE` means FILE in each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OptionId(pub u16);

impl OptionId {
    /// The option's name as a program writes it.
    pub fn name(self) -> &'static str {
        OPTION_NAMES[usize::from(self.0)]
    }
}

/// The content of an option's parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: the option is a keyword.
    Keyword,
    /// A resource name, padded with blanks to its full length.
    Name,
    /// A number or a character value that the program supplies.
    Value,
    /// A data area.
    Area,
    /// A pointer: `SET(ptr)`, `SET(ADDRESS OF x)`.
    Pointer,
    /// A CICS-value data area: a DFHVALUE number.
    Cvda,
    /// A time or an interval as packed or zoned 0hhmmss.
    Hhmmss,
    /// A paragraph or section name.
    Label,
}

/// Which way an option's data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the program.
    In,
    /// To the program.
    Out,
    /// Both.
    InOut,
}

/// The extent to which a command is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// No handler: a program that uses it does not translate.
    NotYet,
    /// It works, less the options that say `not-yet`, and the conditions that no test has seen.
    Partial,
    /// All of it works, and a test has seen each condition that can come up here.
    Complete,
}

/// The published threadsafety of the command (ours all are threadsafe).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threadsafe {
    /// Threadsafe.
    Yes,
    /// Not threadsafe.
    No,
    /// Threadsafe for local resources of some kinds.
    Conditional,
    /// Not known.
    Unknown,
}

/// One option of one command.
#[derive(Debug)]
pub struct OptionSpec {
    /// The option's number.
    pub id: OptionId,
    /// Its name.
    pub name: &'static str,
    /// The content of its parentheses.
    pub kind: Kind,
    /// True if the parentheses may be left out (`CURSOR`, `DATESEP`).
    pub value_optional: bool,
    /// Which way its data goes.
    pub direction: Direction,
    /// Known, but not built: a program that uses it does not translate.
    pub not_yet: bool,
    /// Of the external interface: batch programs have it, and a region answers INVREQ.
    pub external: bool,
}

impl OptionSpec {
    /// Returns true if a region answers a command with this option.
    pub fn is_for_regions(&self) -> bool {
        !self.not_yet && !self.external
    }
}

/// The level of access that a user needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessLevel {
    /// Look.
    Read,
    /// Change.
    Update,
    /// More than that.
    Control,
    /// Make and take away.
    Alter,
}

/// The resource of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// This name: of a command of the system.
    Named(&'static str),
    /// The resource that the option holds, where the program supplies it.
    Of(OptionId),
    /// The name that ends with the two digits of a number in the option.
    Numbered(OptionId),
}

/// An access that a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The class of the resource, by the name of its system initialization parameter.
    pub class: &'static str,
    /// The resource.
    pub resource: Resource,
    /// The prefix of the resource's name, with its period.
    pub prefix: &'static str,
    /// The level of access.
    pub level: AccessLevel,
    /// The option that makes it this access; `None`: it always is.
    pub with: Option<OptionId>,
}

/// The record of one command.
#[derive(Debug)]
pub struct Command {
    /// Its number.
    pub id: CommandId,
    /// Its words, as in `SEND MAP`.
    pub name: &'static str,
    /// The function group it is documented under.
    pub group: &'static str,
    /// Application programming interface, or else system programming interface.
    pub api: bool,
    /// The value of EIBFN after it, where known.
    pub eibfn: Option<u16>,
    /// Its documented forms, where it has more than one.
    pub forms: &'static [&'static str],
    /// The published threadsafety of the command.
    pub threadsafe: Threadsafe,
    /// True if a task may wait in it: here for a built command, as published for others.
    pub suspends: bool,
    /// The extent to which it is built.
    pub status: Status,
    /// Names of the conditions it may raise; once it is built, in the order in which they are checked.
    pub conditions: &'static [&'static str],
    /// True if that list was read in documentation, false if it was recalled.
    pub conditions_documented: bool,
    /// Conditions of that list that cannot come up here, and why.
    pub never: &'static [(&'static str, &'static str)],
    /// Conditions that no test has seen. A partial command with all its options is partial because of these.
    pub untested: &'static [&'static str],
    /// Another region may be asked for it: by SYSID, or by a definition that leads there.
    pub remote: bool,
    /// Conditions that no command of another region shows, and why; those that can `never` come up are not repeated.
    pub not_remote: &'static [(&'static str, &'static str)],
    /// Its options.
    pub options: &'static [OptionSpec],
    /// Of each set, one option must be there.
    pub required: &'static [&'static [OptionId]],
    /// Of each set, at most one option may be there.
    pub exclusive: &'static [&'static [OptionId]],
    /// The accesses that security checks for it.
    pub access: &'static [Access],
}

impl Command {
    /// The command's option of that name (upper case).
    pub fn option(&self, name: &str) -> Option<&'static OptionSpec> {
        self.options.iter().find(|o| o.name == name)
    }

    /// The accesses of the command with these options. A browse names no resource: each resource that it brings is
    /// checked by itself.
    pub fn accesses(&self, has: impl Fn(OptionId) -> bool) -> impl Iterator<Item = &'static Access> {
        let browses = !self.api && [opt::START, opt::NEXT, opt::END].into_iter().any(&has);
        self.access.iter().filter(move |access| {
            let named = match access.resource {
                Resource::Named(_) => true,
                Resource::Of(option) | Resource::Numbered(option) => has(option) && !browses,
            };
            named && access.with.is_none_or(&has)
        })
    }
}

/// All records, ordered by name.
#[inline]
pub const fn commands() -> &'static [Command] {
    &COMMAND_RECORDS
}

/// The record of a command's number.
///
/// # Panics
/// If the number is of another build of the records.
#[inline]
pub fn command(id: CommandId) -> &'static Command {
    &COMMAND_RECORDS[usize::from(id.0)]
}

/// The record of a command's name (upper case, single blanks).
pub fn find(name: &str) -> Option<&'static Command> {
    COMMAND_RECORDS.binary_search_by(|c| c.name.cmp(name)).ok().map(|i| &COMMAND_RECORDS[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accesses(name: &str, has: &[OptionId]) -> Vec<(&'static str, Resource, AccessLevel)> {
        let command = find(name).expect("a command");
        let found = command.accesses(|option| has.contains(&option));
        found.map(|access| (access.class, access.resource, access.level)).collect()
    }

    #[test]
    fn a_command_is_the_accesses_that_its_options_make_it() {
        use AccessLevel::{Read, Update};
        use Resource::{Named, Of};
        let file = ("XFCT", Of(opt::FILE), Read);
        let changed = ("XFCT", Of(opt::FILE), Update);
        assert_eq!(accesses("READ", &[opt::FILE]), [file]);
        assert_eq!(accesses("READ", &[opt::FILE, opt::UPDATE]), [file, changed]);
        assert_eq!(accesses("START", &[opt::TRANSID]), [("XPCT", Of(opt::TRANSID), Read)]);
        let command = |name, level| ("XCMD", Named(name), level);
        assert_eq!(accesses("SET FILE", &[opt::FILE]), [command("FILE", Update), changed]);
        assert_eq!(accesses("INQUIRE FILE", &[opt::FILE, opt::NEXT]), [command("FILE", Read)]);
        assert_eq!(accesses("PERFORM SHUTDOWN", &[]), [command("SHUTDOWN", Update)]);
        assert_eq!(accesses("SUSPEND", &[]), []);
    }

    #[test]
    fn every_command_of_the_system_is_an_access_to_itself() {
        for command in commands().iter().filter(|command| !command.api) {
            let first = command.access.first().map(|access| (access.class, access.resource));
            assert!(matches!(first, Some(("XCMD", Resource::Named(_)))), "{}", command.name);
        }
    }

    #[test]
    fn whoever_may_be_refused_says_what_the_right_is_for() {
        let built = commands().iter().filter(|command| command.status != Status::NotYet);
        let resources = ["FILE", "PROGRAM", "TRANSID", "QUEUE", "JOURNALNAME"];
        for command in built.filter(|command| command.conditions.contains(&"NOTAUTH")) {
            let is_resource =
                |name: &&str| command.option(name).is_some_and(|option| option.direction == Direction::In);
            let named = command.api && resources.iter().any(is_resource);
            // The transaction that RETURN names is looked at when it is attached.
            let is_checked = !command.access.is_empty() || command.name == "RETURN";
            assert!(!named || is_checked, "{}", command.name);
        }
    }
}
