//! Models: what the names of queues say of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::RwLock;

use super::Location;
use kernel::name::{Name, Name8, Name16};

/// In a prefix, any one character.
const ANY: u8 = b'+';

/// A TSMODEL definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Its name.
    pub name: Name8,
    /// The beginning of its queues' names.
    pub prefix: Vec<u8>,
    /// The place where its queues are kept.
    pub location: Location,
    /// True if changes belong to units of work.
    pub recoverable: bool,
    /// After how long without use a queue is deleted; never for a recoverable one.
    pub expires_after: Option<Duration>,
    /// The system where its queues are, if that is another one.
    pub remote: Option<RemoteModel>,
    /// The pool that several regions share and that has its queues; blank: none.
    pub pool: Name8,
}

/// The place of queues of another system: REMOTESYSTEM, REMOTEPREFIX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteModel {
    /// The system.
    pub system: Name<4>,
    /// The beginning of the names of the queues there.
    pub prefix: Vec<u8>,
}

impl Model {
    /// The system of a queue, and its name there: the remote prefix stands for the local one.
    pub fn elsewhere(&self, name: Name16) -> Option<(Name<4>, Name16)> {
        let remote = self.remote.as_ref()?;
        let rest = &name.as_bytes()[self.prefix.len().min(name.as_bytes().len())..];
        Some((remote.system, Name16::new([&remote.prefix, rest].concat())))
    }

    fn fits(&self, name: Name16) -> bool {
        let name = name.as_bytes();
        self.prefix.len() <= name.len()
            && self.prefix.iter().zip(name).all(|(wanted, byte)| *wanted == ANY || wanted == byte)
    }
}

/// The models of a region.
#[derive(Default)]
pub(super) struct Models {
    /// The longest prefix first.
    models: RwLock<Vec<Arc<Model>>>,
    any: AtomicBool,
}

impl Models {
    /// Installs a model; one of the same name is replaced.
    pub fn install(&self, model: Model) {
        let mut models = self.models.write();
        models.retain(|other| other.name != model.name);
        models.push(Arc::new(model));
        models.sort_by_key(|model| std::cmp::Reverse(model.prefix.len()));
        self.any.store(true, Ordering::Relaxed);
    }

    /// All models, by name.
    pub fn list(&self) -> Vec<Arc<Model>> {
        let mut models = self.models.read().clone();
        models.sort_by_key(|model| model.name);
        models
    }

    /// Removes a model, if there is one.
    pub fn discard(&self, name: Name8) {
        self.models.write().retain(|model| model.name != name);
    }

    /// The model of a queue: the one with the longest prefix.
    pub fn of(&self, name: Name16) -> Option<Arc<Model>> {
        if !self.any.load(Ordering::Relaxed) {
            return None;
        }
        self.models.read().iter().find(|model| model.fits(name)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_counts_and_a_plus_is_any_character() {
        let models = Models::default();
        assert_eq!(models.of("PAY001".into()), None);
        for (name, prefix) in [("SHORT", "PAY"), ("LONG", "PAY00"), ("ANY", "X+Z")] {
            let (name, prefix) = (name.into(), prefix.into());
            models.install(Model {
                name,
                prefix,
                location: Location::Main,
                recoverable: false,
                expires_after: None,
                remote: None,
                pool: Name8::BLANK,
            });
        }
        let found = |name: &str| models.of(name.into()).map(|model| model.name.to_string());
        assert_eq!(found("PAY001").as_deref(), Some("LONG"));
        assert_eq!(found("PAY9").as_deref(), Some("SHORT"));
        assert_eq!(found("XYZ").as_deref(), Some("ANY"));
        assert_eq!(found("XY").as_deref(), None);
    }
}
