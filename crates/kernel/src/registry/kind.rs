//! A resource type: a row of the catalogue.

use spec::CommandId;

use super::{Defined, Table};

/// A resource type.
pub struct Kind {
    /// Its name, as INQUIRE has it.
    pub name: &'static str,
    /// What is told and changed.
    pub table: &'static dyn Table,
    /// Its INQUIRE command.
    pub inquire: CommandId,
    /// Its SET command, if it has one.
    pub set: Option<CommandId>,
    /// How its resources are defined, if they are.
    pub defined: Option<&'static Defined>,
}
