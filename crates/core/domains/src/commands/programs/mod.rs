//! Program control: the commands that pass control, LOAD and RELEASE.

mod control;
mod load;

use kernel::exec::Answers;

/// These commands.
pub(crate) const HANDLERS: &[Answers] = &[control::HANDLERS, load::HANDLERS];
