//! The shape of a command's record.

use crate::{COMMAND_RECORDS, OPTION_NAMES};

/// A command's number: its place in the table, valid only within one build of the records
/// (see [`crate::FINGERPRINT`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommandId(pub u16);

/// An option's number: one for all commands, so that `opt::FILE` means FILE wherever it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OptionId(pub u16);

impl OptionId {
    /// The option's name as a program writes it.
    pub fn name(self) -> &'static str {
        OPTION_NAMES[usize::from(self.0)]
    }
}

/// What is written in an option's parentheses.
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

/// How far a command is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// No handler: a program that uses it does not translate.
    NotYet,
    /// It works, less the options that say `not-yet`.
    Partial,
    /// All of it works, and a test has seen each condition that can come up here.
    Complete,
}

/// What the published interface says of the command's threadsafety (ours all are).
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
    /// What stands in its parentheses.
    pub kind: Kind,
    /// Whether the parentheses may be left out (`CURSOR`, `DATESEP`).
    pub value_optional: bool,
    /// Which way its data goes.
    pub direction: Direction,
    /// Known, but not built: a program that uses it does not translate.
    pub not_yet: bool,
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
    /// What the published interface says of its threadsafety.
    pub threadsafe: Threadsafe,
    /// Whether a task may wait in it: of a command that is built, here; of others, as published.
    pub suspends: bool,
    /// How far it is built.
    pub status: Status,
    /// Names of the conditions it may raise; once it is built, in the order in which they are checked.
    pub conditions: &'static [&'static str],
    /// Whether that list was read in documentation (else: recalled).
    pub conditions_documented: bool,
    /// Conditions of that list that cannot come up here, and why.
    pub never: &'static [(&'static str, &'static str)],
    /// Its options.
    pub options: &'static [OptionSpec],
    /// Of each set, one option must be there.
    pub required: &'static [&'static [OptionId]],
    /// Of each set, at most one option may be there.
    pub exclusive: &'static [&'static [OptionId]],
}

impl Command {
    /// The command's option of that name (upper case).
    pub fn option(&self, name: &str) -> Option<&'static OptionSpec> {
        self.options.iter().find(|o| o.name == name)
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
