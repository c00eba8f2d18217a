//! ASSIGN and ADDRESS: what a program may know of its task, its terminal and its region.

mod address;
mod assign;

use spec::CommandId;

use crate::exec::Handler;

/// This domain's commands.
pub(crate) const HANDLERS: &[&[(CommandId, Handler)]] = &[address::HANDLERS, assign::HANDLERS];
