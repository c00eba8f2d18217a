//! The requests of EXEC blocks: what the lowering makes calls of.

use cobol_data::ItemId;
use db2::Event;
use db2::call::Descriptor;
use spec::{OptionId, OptionSpec};

/// The request of a block.
#[derive(Clone, Debug)]
pub enum Asked {
    /// EXEC CICS.
    Command(Command),
    /// EXEC SQL.
    Sql(Request),
}

/// An EXEC CICS command without mistakes.
#[derive(Clone, Debug)]
pub struct Command {
    /// Its number in the program, from 1.
    pub statement: u16,
    /// Its record.
    pub record: &'static spec::Command,
    /// The options with a value, in the order of the program.
    pub arguments: Vec<Argument>,
    /// The options without one.
    pub keywords: Vec<OptionId>,
    /// The command or one of its options is not built: the region refuses it when it is executed.
    pub unbuilt: bool,
    /// The symbolic map that is meant where FROM or INTO is left out: the option, and the name of the record.
    pub map: Option<(OptionId, String)>,
}

/// An option with a value.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// The option.
    pub option: &'static OptionSpec,
    /// The number of its item in the block: the syntax tree has its value under this number.
    pub item: u16,
}

impl Command {
    /// The argument of an option.
    pub fn argument(&self, option: OptionId) -> Option<Argument> {
        self.arguments.iter().find(|argument| argument.option.id == option).copied()
    }

    /// Returns true if the option is there, with a value or without.
    pub fn has(&self, option: OptionId) -> bool {
        self.argument(option).is_some() || self.keywords.contains(&option)
    }
}

/// The request of a block of EXEC SQL among the statements of a program.
#[derive(Clone, Debug)]
pub struct Request {
    /// The statement that is asked for; `None` for a block that only declares something.
    pub call: Option<Call>,
    /// WHENEVER, as it stands at this place: errors first, for they may have warnings, too.
    pub go_to: Vec<(Event, String)>,
    /// The program's communication area.
    pub area: Area,
}

/// The statement that a request asks for.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its number, and that of its package.
    pub descriptor: Descriptor,
    /// The items that the package's variables name.
    pub arguments: Vec<ItemId>,
}

/// A program's communication area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// A record SQLCA, its own or supplied.
    Record,
    /// SQLCODE, SQLSTATE, or both, as items by themselves.
    Items {
        /// It has SQLCODE.
        code: bool,
        /// It has SQLSTATE.
        state: bool,
    },
}
