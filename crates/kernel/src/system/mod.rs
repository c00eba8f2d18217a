//! System programming: INQUIRE and SET for the resources of a region.
//!
//! Each resource type is a file: a table of what INQUIRE can tell, and a function for SET. What all have in common, the
//! browse with START, NEXT and END among it, is in `inquire`.

mod file;
mod inquire;
mod program;
mod terminal;

use spec::CommandId;

use crate::exec::Handler;

/// This domain's commands.
pub(crate) const HANDLERS: &[&[(CommandId, Handler)]] =
    &[file::HANDLERS, program::HANDLERS, terminal::HANDLERS];
