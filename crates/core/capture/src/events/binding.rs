//! Event bindings as resources of a region, with the counts of their captures.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kernel::name::Name8;
use policies::event_binding::AdapterOf;
use policies::{CaptureSpecification, EventBinding};

/// An event binding.
pub struct Binding {
    /// Its name.
    pub name: String,
    /// Its bundle.
    pub(crate) bundle: Name8,
    pub(crate) binding: EventBinding,
    /// Its captures with their counts, in the order of the file.
    pub(crate) captures: Vec<Capturing>,
    enabled: AtomicBool,
}

/// A capture specification with its counts.
pub(crate) struct Capturing {
    pub specification: CaptureSpecification,
    pub captured: AtomicU64,
    pub failed: AtomicU64,
}

impl Binding {
    pub(crate) fn new(bundle: Name8, name: &str, binding: EventBinding) -> Self {
        let capturing = |specification: &CaptureSpecification| Capturing {
            specification: specification.clone(),
            captured: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        };
        let captures = binding.captures.iter().map(capturing).collect();
        Self { name: name.to_owned(), bundle, captures, binding, enabled: AtomicBool::new(false) }
    }

    /// Returns true if it is enabled.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    pub(crate) fn set_enabled(&self, enabled: bool) {
        self.enabled.store(enabled, Ordering::Relaxed);
    }

    /// The name of its adapter, and that of its set; the one that it has not is empty.
    pub(crate) fn adapter(&self) -> (&str, &str) {
        match &self.binding.adapter {
            AdapterOf::Own(_) => (&self.name, ""),
            AdapterOf::Named(name) => (name, ""),
            AdapterOf::Set(name) => ("", name),
        }
    }
}
