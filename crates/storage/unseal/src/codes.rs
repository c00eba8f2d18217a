//! Message numbers.

/// An encryption key is missing, or not the one of the data.
pub const KEY: &str = "SPRG009";
