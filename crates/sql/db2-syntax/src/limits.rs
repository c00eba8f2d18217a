//! Limits of the front end.

/// Values and conditions that may stand inside of each other. The reader calls itself for each, so a longer chain of
/// parentheses or signs would take the thread's stack.
pub(crate) const NESTED: usize = 64;
/// Tables that a statement may name, each as often as it stands there; a common table expression is read at each place that names it.
pub(crate) const SOURCES: usize = 225;
/// Values that are read or copied: a text within limits could otherwise make a tree without one.
pub(crate) const WEIGHT: usize = 100_000;
