//! Files as commands have found them, for the commands to come on the same thread: as long as nothing changes about any
//! file of the region, a command finds every file as another one has.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use foldhash::HashMap;

use super::edition::Edition;
use super::target::FileTarget;
use kernel::name::Name8;

/// The targets that a thread has found in the edition that it has seen last.
#[derive(Default)]
struct Known {
    edition: u64,
    targets: HashMap<Name8, Weak<FileTarget>>,
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// A file as a command of this thread has found it, if nothing has changed since.
pub(super) fn known(edition: &Edition, file: Name8) -> Option<Arc<FileTarget>> {
    let number = edition.number();
    KNOWN.with_borrow(|known| {
        let targets = (known.edition == number).then_some(&known.targets)?;
        targets.get(&file)?.upgrade()
    })
}

/// Remembers a file as a command found it that had seen this number before.
pub(super) fn remember(edition: &Edition, target: &Arc<FileTarget>, number: u64) {
    if !edition.keep(Arc::<FileTarget>::clone(target), number) {
        return;
    }
    KNOWN.with_borrow_mut(|known| {
        if known.edition != number {
            known.targets.clear();
            known.edition = number;
        }
        known.targets.insert(target.file.name, Arc::downgrade(target));
    });
}
