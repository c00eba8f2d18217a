//! Program control: the commands that pass control, LOAD and RELEASE, and PROGRAM definitions.

mod control;
pub(crate) mod definition;
mod load;

use crate::exec::Answers;

/// These commands.
pub(crate) const HANDLERS: &[Answers] = &[control::HANDLERS, load::HANDLERS];
