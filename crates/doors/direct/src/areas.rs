//! The list of an instance and what it points to: parts of its task's window.
//!
//! The region writes a message there and reads an answer from there, and copies nothing else.

use kernel::raise::{Outcome, Raise};

use crate::called::{Called, NO_STORAGE, POINTER, Source};

/// Their number.
pub(crate) const AREAS: usize = 4;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// The pointers.
    List,
    /// The lengths and the return code.
    Numbers,
    /// The message.
    Message,
    /// The answer.
    Answer,
}

const ALL: [Which; AREAS] = [Which::List, Which::Numbers, Which::Message, Which::Answer];

/// Pointers of the list.
pub(crate) const POINTERS: usize = 5;

/// The areas of an instance.
pub(crate) struct Areas {
    lengths: [usize; AREAS],
    /// Their places in the window; `None` as long as the program has not asked.
    at: Option<[u32; AREAS]>,
}

impl Areas {
    /// Areas for messages and answers of so many bytes.
    pub fn new(numbers: usize, message: usize, answer: usize) -> Self {
        Self { lengths: [POINTERS * POINTER, numbers, message.max(1), answer.max(1)], at: None }
    }

    /// Makes them at the first call.
    ///
    /// # Errors
    /// ASRA if the window has no room for them.
    pub fn begin(&mut self, call: &Called<'_>) -> Outcome {
        if self.at.is_none() {
            let mut at = [0; AREAS];
            for (at, length) in at.iter_mut().zip(self.lengths) {
                *at = call.0.allocate(length).ok_or_else(|| Raise::abend(NO_STORAGE))?;
            }
            self.at = Some(at);
        }
        Ok(())
    }

    /// The address of one, as the program sees it.
    pub fn address(&self, which: Which) -> u32 {
        self.at.map_or(0, |at| at[which as usize])
    }

    /// The area that an address lies in, and how far behind its beginning.
    pub fn holding(&self, address: u32) -> Option<(Which, usize)> {
        ALL.into_iter().find_map(|which| {
            let behind = address.checked_sub(self.address(which))? as usize;
            (behind < self.lengths[which as usize]).then_some((which, behind))
        })
    }

    /// Returns true if so many bytes lie in an area behind a place.
    pub fn has(&self, (which, behind): (Which, usize), length: usize) -> bool {
        behind.checked_add(length).is_some_and(|end| end <= self.lengths[which as usize])
    }

    /// Fills bytes from a place in an area.
    ///
    /// # Errors
    /// ASRA if they are not there.
    pub fn read(&self, from: &Source<'_>, (which, behind): (Which, usize), into: &mut [u8]) -> Outcome {
        let at = self.at.ok_or_else(|| Raise::abend(NO_STORAGE))?;
        from.read(at[which as usize] + behind as u32, into)
    }

    /// Writes bytes to the beginning of an area; what lies behind them becomes zeros.
    ///
    /// # Errors
    /// ASRA if they are not there.
    pub fn fill(&mut self, call: &Called<'_>, which: Which, bytes: &[u8]) -> Outcome {
        let rest = self.lengths[which as usize].checked_sub(bytes.len());
        let rest = rest.ok_or_else(|| Raise::abend(NO_STORAGE))?;
        let at = self.at.ok_or_else(|| Raise::abend(NO_STORAGE))?[which as usize];
        let is_done = call.0.write_at(at, bytes) && call.0.clear(at + bytes.len() as u32, rest);
        is_done.then_some(()).ok_or_else(|| Raise::abend(NO_STORAGE))
    }
}
