//! The files of a task: records read for update, browses, and the files that it uses.

use std::any::Any;
use std::sync::Arc;

use records::Recovery;
use smallvec::SmallVec;
use tokio::sync::Mutex;
use vsam::{Browse, Key};

use super::file::{File, FileUse};
use super::identity::Identity;
use super::tables::{Opened, Was};
use super::target::FileTarget;
use kernel::name::Name8;
use kernel::task::{TaskControl, TaskPart};

/// A record that was read for update.
pub(super) struct Update {
    pub target: Arc<FileTarget>,
    pub base: Key,
    /// The record as it was read, if it is not locked.
    pub was: Option<Was>,
}

impl Update {
    /// Returns true if it is the same record.
    pub fn is(&self, other: &Self) -> bool {
        self.base == other.base && self.target.dataset().store() == other.target.dataset().store()
    }
}

/// A browse and the key that the program has seen last.
pub(super) struct OpenBrowse {
    pub browse: Browse,
    /// The kind of identification in RIDFLD: keys or addresses.
    pub identity: Identity,
    /// The contents of RIDFLD after the last command: another key there is a new place.
    pub seen: Key,
    /// The record that it was read for update last, if the program has done nothing with it yet.
    pub token: Option<u32>,
}

/// The browses, reads for update and files in use of one task.
///
/// A task has a handful of each at most: looking through them beats hashing.
#[derive(Default)]
pub struct TaskFiles {
    /// With the token, if it was read with one; otherwise there is one for each file.
    updates: SmallVec<[(Option<u32>, Update); 1]>,
    /// A lock that no other task takes, so that a command that is dropped leaves its browse where it was.
    browses: Vec<(BrowseName, Arc<Mutex<OpenBrowse>>)>,
    uses: Used,
    last_token: u32,
    /// The buffer of the last READ, for the next one.
    pub(super) record: Vec<u8>,
}

/// Files that a task uses: a unit of work mostly changes one or two.
type Used = SmallVec<[FileUse; 2]>;

/// A browse's file, and its REQID.
pub(super) type BrowseName = (Name8, i64);

impl TaskPart for TaskFiles {
    fn is_holding(&self) -> bool {
        !self.updates.is_empty() || !self.browses.is_empty()
    }

    /// Nothing is held for update any more, and browses are over. Files are in use until the unit of work is over.
    fn unit_ends(&mut self) -> Option<Box<dyn Any + Send>> {
        self.updates.clear();
        self.browses.clear();
        (!self.uses.is_empty()).then(|| Box::new(std::mem::take(&mut self.uses)) as Box<dyn Any + Send>)
    }
}

impl TaskFiles {
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

    /// Notes that the unit of work has changed a record. If the data set is recoverable, it uses the file until its end.
    pub(super) fn changed(&mut self, file: &Arc<File>, opened: &Arc<Opened>, task: &Arc<TaskControl>) {
        if opened.dataset.cluster().recovery == Recovery::Recoverable {
            self.use_file(file, opened, task).changed = true;
        }
    }

    /// Something that the task did with a file is over; it may not use the file any more.
    pub(super) fn done_with(&mut self, file: &Arc<File>) {
        let holds = self.updates.iter().any(|(_, update)| update.target.file.name == file.name)
            || self.browses.iter().any(|((name, _), _)| *name == file.name);
        if !holds {
            self.uses.retain(|used| used.changed || !Arc::ptr_eq(&used.file, file));
        }
    }

    /// Returns true if a record is held for update already.
    pub(super) fn holds(&self, update: &Update) -> bool {
        self.updates.iter().any(|(_, held)| held.is(update))
    }

    /// Returns true if a record of the file is held for update without a token.
    pub(super) fn is_updating(&self, file: Name8) -> bool {
        self.held(file, None).is_some()
    }

    /// A token that this task has not had yet.
    pub(super) fn new_token(&mut self) -> u32 {
        self.last_token += 1;
        self.last_token
    }

    /// Keeps an update, under its token if it has one.
    pub(super) fn keep(&mut self, token: Option<u32>, update: Update) {
        self.updates.push((token, update));
    }

    fn place(&self, file: Name8, token: Option<u32>) -> Option<usize> {
        self.updates.iter().position(|(held, update)| *held == token && update.target.file.name == file)
    }

    /// The update of a file, or of a token.
    pub(super) fn held(&self, file: Name8, token: Option<u32>) -> Option<&Update> {
        self.place(file, token).map(|at| &self.updates[at].1)
    }

    /// The same; it is over then.
    pub(super) fn take(&mut self, file: Name8, token: Option<u32>) -> Option<Update> {
        self.place(file, token).map(|at| self.updates.swap_remove(at).1)
    }

    /// The browse of a name.
    pub(super) fn browse(&self, name: BrowseName) -> Option<Arc<Mutex<OpenBrowse>>> {
        let found = self.browses.iter().find(|(known, _)| *known == name);
        found.map(|(_, browse)| Arc::clone(browse))
    }

    /// Begins a browse; there is none of that name.
    pub(super) fn begin_browse(&mut self, name: BrowseName, browse: OpenBrowse) {
        self.browses.push((name, Arc::new(Mutex::new(browse))));
    }

    /// Ends a browse.
    pub(super) fn end_browse(&mut self, name: BrowseName) -> Option<Arc<Mutex<OpenBrowse>>> {
        let at = self.browses.iter().position(|(known, _)| *known == name)?;
        Some(self.browses.swap_remove(at).1)
    }
}
