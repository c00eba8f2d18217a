//! Browses of names and values.

/// Names and values that a browse has not given yet, the next one last.
pub(crate) type Browse = Vec<(Vec<u8>, Vec<u8>)>;
