//! Limits of the front end.

/// Values and conditions that may stand inside of each other. The reader calls itself for each, so a longer chain of
/// parentheses or signs would take the thread's stack.
pub(crate) const NESTED: usize = 64;
