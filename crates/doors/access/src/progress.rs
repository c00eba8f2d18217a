//! The progress of a long command.

/// Takes what a long command does, and how many records it has come to.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(&str, u64);
