//! What a task holds of files: records read for update, and browses.

use std::collections::HashMap;
use std::sync::Arc;

use vsam::{Browse, Dataset, Key};

use crate::name::Name8;

/// A record that was read for update.
pub(super) struct Update {
    pub file: Name8,
    pub dataset: Arc<Dataset>,
    pub base: Key,
}

/// A browse and the key that the program has seen last.
pub(super) struct OpenBrowse {
    pub browse: Browse,
    /// What RIDFLD held after the last command: another key there is a new place.
    pub seen: Key,
}

/// The browses and reads for update of one task.
#[derive(Default)]
pub struct TaskFiles {
    /// Read without TOKEN: one for each file.
    pub(super) updates: HashMap<Name8, Update>,
    /// Read with TOKEN.
    pub(super) tokens: HashMap<u32, Update>,
    pub(super) browses: HashMap<(Name8, i64), OpenBrowse>,
    last_token: u32,
}

impl TaskFiles {
    /// The unit of work is over: nothing is held for update any more, and browses end.
    pub fn end_unit_of_work(&mut self) {
        self.updates.clear();
        self.tokens.clear();
        self.browses.clear();
    }

    /// Keeps an update under a token of its own.
    pub(super) fn keep(&mut self, update: Update) -> u32 {
        self.last_token += 1;
        self.tokens.insert(self.last_token, update);
        self.last_token
    }

    /// The update of a file, or of a token; it is over then.
    pub(super) fn take(&mut self, file: Name8, token: Option<u32>) -> Option<Update> {
        match token {
            None => self.updates.remove(&file),
            Some(token) if self.tokens.get(&token)?.file == file => self.tokens.remove(&token),
            Some(_) => None,
        }
    }
}
