//! Files as commands have found them, for the commands to come on the same thread: as long as nothing changes about any
//! file of the region, a command finds every file as another one has.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use crossbeam_utils::CachePadded;
use foldhash::HashMap;
use parking_lot::Mutex;

use super::arguments::FileTarget;
use kernel::name::Name8;

/// Editions that one region may have; those of the next one follow in number.
const EDITIONS_MAX: u64 = 1 << 40;

/// The targets that commands find: another edition after every change of a file.
pub(super) struct Edition {
    /// Every command looks at it.
    number: CachePadded<AtomicU64>,
    /// The targets that threads have found. Threads hold them weakly: a thread that rests does not keep what is closed.
    found: Mutex<Vec<Arc<FileTarget>>>,
}

impl Default for Edition {
    fn default() -> Self {
        static REGIONS: AtomicU64 = AtomicU64::new(1);
        let first = REGIONS.fetch_add(1, Ordering::Relaxed).wrapping_mul(EDITIONS_MAX);
        Self { number: CachePadded::new(AtomicU64::new(first)), found: Mutex::default() }
    }
}

/// The targets that a thread has found in the edition that it has seen last.
#[derive(Default)]
struct Known {
    edition: u64,
    targets: HashMap<Name8, Weak<FileTarget>>,
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

impl Edition {
    /// Its number.
    pub fn number(&self) -> u64 {
        self.number.load(Ordering::Acquire)
    }

    /// A command finds files otherwise from now on.
    pub fn ends(&self) {
        self.number.fetch_add(1, Ordering::Release);
        drop(std::mem::take(&mut *self.found.lock()));
    }

    /// A file as a command of this thread has found it, if nothing has changed since.
    pub fn known(&self, file: Name8) -> Option<Arc<FileTarget>> {
        let number = self.number();
        KNOWN.with_borrow(|known| {
            let targets = (known.edition == number).then_some(&known.targets)?;
            targets.get(&file)?.upgrade()
        })
    }

    /// Remembers a file as a command found it that had seen this number before.
    pub fn remember(&self, target: &Arc<FileTarget>, number: u64) {
        let mut found = self.found.lock();
        if self.number() != number {
            return;
        }
        found.push(Arc::clone(target));
        KNOWN.with_borrow_mut(|known| {
            if known.edition != number {
                known.targets.clear();
                known.edition = number;
            }
            known.targets.insert(target.file.name, Arc::downgrade(target));
        });
    }
}
