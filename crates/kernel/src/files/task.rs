//! What a task has of files: records read for update, browses, and which files it uses.

use std::collections::HashMap;
use std::sync::Arc;

use records::{Recovery, Version};
use vsam::{Browse, Dataset, Key};

use super::file::{File, FileUse};
use super::identity::Identity;
use super::tables::Opened;
use crate::name::Name8;
use crate::task::TaskControl;

/// A record that was read for update.
pub(super) struct Update {
    pub file: Name8,
    pub dataset: Arc<Dataset>,
    pub base: Key,
    /// What the record was then, where it is not locked.
    pub version: Option<Version>,
}

impl Update {
    /// Whether it is the same record.
    pub fn is(&self, other: &Self) -> bool {
        self.base == other.base && self.dataset.cluster().name == other.dataset.cluster().name
    }
}

/// A browse and the key that the program has seen last.
pub(super) struct OpenBrowse {
    pub browse: Browse,
    /// What RIDFLD holds: keys or addresses.
    pub identity: Identity,
    /// What RIDFLD held after the last command: another key there is a new place.
    pub seen: Key,
    /// The record that it was read for update last, if the program has done nothing with it yet.
    pub token: Option<u32>,
}

/// The browses, reads for update and files in use of one task.
#[derive(Default)]
pub struct TaskFiles {
    /// Read without TOKEN: one for each file.
    pub(super) updates: HashMap<Name8, Update>,
    /// Read with TOKEN.
    pub(super) tokens: HashMap<u32, Update>,
    pub(super) browses: HashMap<(Name8, i64), OpenBrowse>,
    uses: Vec<FileUse>,
    last_token: u32,
}

/// Files that a unit of work used: to be dropped when its changes are committed or backed out.
#[must_use = "the files are in use until the unit of work is over"]
pub struct Uses(#[expect(dead_code, reason = "it is there to be dropped")] Vec<FileUse>);

impl TaskFiles {
    /// The unit of work ends: nothing is held for update any more, and browses are over.
    pub fn end_unit_of_work(&mut self) -> Uses {
        self.updates.clear();
        self.tokens.clear();
        self.browses.clear();
        Uses(std::mem::take(&mut self.uses))
    }

    /// The use that the task makes of a file.
    pub(super) fn in_use(&self, file: &Arc<File>) -> Option<&FileUse> {
        self.uses.iter().find(|used| Arc::ptr_eq(&used.file, file))
    }

    /// The task uses a file from now on.
    pub(super) fn use_file(
        &mut self,
        file: &Arc<File>,
        opened: &Arc<Opened>,
        task: &Arc<TaskControl>,
    ) -> &mut FileUse {
        let at = self.uses.iter().position(|used| Arc::ptr_eq(&used.file, file));
        let at = at.unwrap_or_else(|| {
            self.uses.push(file.begin_use(opened, task));
            self.uses.len() - 1
        });
        &mut self.uses[at]
    }

    /// The unit of work has changed a record. Where that is recoverable, it uses the file until its end.
    pub(super) fn changed(&mut self, file: &Arc<File>, opened: &Arc<Opened>, task: &Arc<TaskControl>) {
        if opened.dataset.cluster().recovery == Recovery::Recoverable {
            self.use_file(file, opened, task).changed = true;
        }
    }

    /// Something that the task did with a file is over; it may not use the file any more.
    pub(super) fn done_with(&mut self, file: &Arc<File>) {
        let holds = self.updates.contains_key(&file.name)
            || self.tokens.values().any(|update| update.file == file.name)
            || self.browses.keys().any(|(name, _)| *name == file.name);
        if !holds {
            self.uses.retain(|used| used.changed || !Arc::ptr_eq(&used.file, file));
        }
    }

    /// Whether a record is held for update already.
    pub(super) fn holds(&self, update: &Update) -> bool {
        self.updates.values().chain(self.tokens.values()).any(|held| held.is(update))
    }

    /// Keeps an update under a token of its own.
    pub(super) fn keep(&mut self, update: Update) -> u32 {
        self.last_token += 1;
        self.tokens.insert(self.last_token, update);
        self.last_token
    }

    /// The update of a file, or of a token.
    pub(super) fn held(&self, file: Name8, token: Option<u32>) -> Option<&Update> {
        match token {
            None => self.updates.get(&file),
            Some(token) => self.tokens.get(&token).filter(|update| update.file == file),
        }
    }

    /// The same; it is over then.
    pub(super) fn take(&mut self, file: Name8, token: Option<u32>) -> Option<Update> {
        self.held(file, token)?;
        match token {
            None => self.updates.remove(&file),
            Some(token) => self.tokens.remove(&token),
        }
    }
}
