//! Adapters and sets of them as resources of a region, with their counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kernel::name::Name8;
use policies::EpAdapter;

use super::counts::AdapterCounts;
use super::queue::Queue;

/// An adapter.
pub struct Adapter {
    /// Its name.
    pub name: String,
    /// Its bundle.
    pub(crate) bundle: Name8,
    pub(crate) adapter: EpAdapter,
    enabled: AtomicBool,
    pub(crate) queue: Queue,
    pub(crate) counts: AdapterCounts,
}

impl Adapter {
    pub(crate) fn new(bundle: Name8, name: &str, adapter: EpAdapter) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            bundle,
            adapter,
            enabled: AtomicBool::new(false),
            queue: Queue::default(),
            counts: AdapterCounts::default(),
        })
    }

    /// Returns true if it is enabled.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    pub(crate) fn set_enabled(&self, enabled: bool) {
        self.enabled.store(enabled, Ordering::Relaxed);
    }
}

/// A set of adapters.
pub struct AdapterSet {
    /// Its name.
    pub name: String,
    /// Its bundle.
    pub(crate) bundle: Name8,
    pub(crate) adapters: Vec<String>,
    enabled: AtomicBool,
}

impl AdapterSet {
    pub(crate) fn new(bundle: Name8, name: &str, adapters: Vec<String>) -> Self {
        Self { name: name.to_owned(), bundle, adapters, enabled: AtomicBool::new(false) }
    }

    /// Returns true if it is enabled.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    pub(crate) fn set_enabled(&self, enabled: bool) {
        self.enabled.store(enabled, Ordering::Relaxed);
    }
}
