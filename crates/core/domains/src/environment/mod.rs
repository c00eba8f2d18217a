//! ASSIGN and ADDRESS: what a program may know of its task, its terminal and its region.

mod address;
mod assign;

use kernel::exec::Answers;

/// This domain's commands.
pub(crate) const HANDLERS: &[Answers] = &[address::HANDLERS, assign::HANDLERS];
