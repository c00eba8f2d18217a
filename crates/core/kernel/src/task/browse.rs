//! Browses that a task holds open by a token: STARTBROWSE and its kind.

use std::collections::VecDeque;

use spec::cond;

use super::Task;
use crate::name::Name16;
use crate::raise::{Outcome, RaiseCondition};

/// Browses of one task at a time.
const BROWSES_MAX: usize = 1_000;

/// Objects of a browse: those there at its start, less those that it has given already.
pub enum Browse {
    /// The containers of a channel.
    Containers(VecDeque<Name16>),
}

impl Task {
    /// Opens a browse: its token.
    ///
    /// # Errors
    /// INVREQ where too many are open.
    pub fn start_browse(&mut self, browse: Browse) -> Outcome<i64> {
        if self.browses.len() >= BROWSES_MAX {
            return Err(cond::INVREQ.raise(0));
        }
        let token = self.browses.last_key_value().map_or(1, |(last, _)| last + 1);
        self.browses.insert(token, browse);
        Ok(token)
    }

    /// The open browse of a token.
    pub fn browse(&mut self, token: i64) -> Option<&mut Browse> {
        self.browses.get_mut(&token)
    }

    /// Ends a browse; false if there is none of that token.
    pub fn end_browse(&mut self, token: i64) -> bool {
        self.browses.remove(&token).is_some()
    }
}
