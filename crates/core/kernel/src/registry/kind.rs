//! A resource type: a row of the catalogue.

use spec::CommandId;

use super::{Defined, Table};

/// A resource type.
pub struct Kind {
    /// Its name, as INQUIRE has it.
    pub name: &'static str,
    /// Its table for INQUIRE and SET.
    pub table: &'static dyn Table,
    /// Its INQUIRE command.
    pub inquire: CommandId,
    /// Its SET command, if it has one.
    pub set: Option<CommandId>,
    /// Definitions of its resources, if they have any.
    pub defined: Option<&'static Defined>,
}
