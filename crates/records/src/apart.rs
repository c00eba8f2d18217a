//! Far from its neighbours: threads that use different ones do not slow each other down.

/// Fills lines of the processor's cache of its own; they come in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Apart<T>(pub T);
