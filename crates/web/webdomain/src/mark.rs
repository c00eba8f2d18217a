//! The mark of a region in chains of requests.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

/// Digits of a mark.
pub(crate) const MARK: usize = 16;

/// The mark of a region in chains: a number of its own, which says nothing of it.
#[derive(Default)]
pub(crate) struct Mark(OnceLock<String>);

impl Mark {
    /// The mark as text.
    pub fn get(&self) -> &str {
        self.0.get_or_init(|| format!("{:0MARK$x}", RandomState::new().hash_one(0)))
    }
}
