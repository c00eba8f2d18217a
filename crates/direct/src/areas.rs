//! The list of an instance and what it points to, where its program's compiler has storage.
//!
//! A hosted program gets areas of the region, a natively compiled one parts of its task's window: the region writes a message
//! there and reads an answer from there, and copies nothing else.

use cobol::{Area, Overlay};
use kernel::limits::COMMAREA_LENGTH_MAX;
use kernel::raise::{Outcome, Raise};
use kernel::storage::POINTER_LENGTH;

use crate::called::{Called, NO_STORAGE, OWN_POINTER, Pointers, Source};

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
    given: Given,
}

/// Their places.
enum Given {
    /// The program has not asked yet.
    Nowhere,
    /// In the region.
    Hosted([Area; AREAS]),
    /// In the task's window.
    Own([u32; AREAS]),
}

impl Areas {
    /// Areas for messages and answers of so many bytes.
    pub fn new(numbers: usize, message: usize, answer: usize) -> Self {
        let list = POINTERS * POINTER_LENGTH.max(OWN_POINTER);
        Self { lengths: [list, numbers, message.max(1), answer.max(1)], given: Given::Nowhere }
    }

    /// Makes them at the first call. False if programs of both compilers ask: their storage is not the same.
    ///
    /// # Errors
    /// ASRA if the window has no room for them.
    pub fn begin(&mut self, call: &Called<'_>) -> Outcome<bool> {
        match (&self.given, call) {
            (Given::Nowhere, Called::Hosted(_)) => {
                let mut lengths = self.lengths;
                // A record that is described longer than it is shows zeros, not what lies behind.
                for which in [Which::Message, Which::Answer] {
                    let length = &mut lengths[which as usize];
                    *length = if *length > 1 { COMMAREA_LENGTH_MAX.max(*length) } else { *length };
                }
                self.given = Given::Hosted(lengths.map(Area::new));
            }
            (Given::Nowhere, Called::Own(own)) => {
                let mut at = [0; AREAS];
                for (at, length) in at.iter_mut().zip(self.lengths) {
                    *at = own.allocate(length).ok_or_else(|| Raise::abend(NO_STORAGE))?;
                }
                self.given = Given::Own(at);
            }
            (Given::Hosted(_), Called::Hosted(_)) | (Given::Own(_), Called::Own(_)) => {}
            (Given::Hosted(_), Called::Own(_)) | (Given::Own(_), Called::Hosted(_)) => return Ok(false),
        }
        Ok(true)
    }

    /// Returns true if they lie in the task's window.
    pub fn are_own(&self) -> bool {
        matches!(self.given, Given::Own(_))
    }

    /// The form of the program's pointers in storage.
    pub fn pointers(&self) -> Pointers {
        if self.are_own() { Pointers::Own } else { Pointers::Hosted }
    }

    /// The address of one, as the program sees it.
    pub fn address(&self, which: Which) -> usize {
        match &self.given {
            Given::Nowhere => 0,
            Given::Hosted(areas) => areas[which as usize].address(),
            Given::Own(at) => at[which as usize] as usize,
        }
    }

    /// The area that an address lies in, and how far behind its beginning.
    pub fn holding(&self, address: usize) -> Option<(Which, usize)> {
        ALL.into_iter().find_map(|which| {
            let behind = address.checked_sub(self.address(which))?;
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
        match &self.given {
            Given::Hosted(areas) if self.has((which, behind), into.len()) => {
                areas[which as usize].read(behind, into);
                Ok(())
            }
            Given::Own(at) => from.read(at[which as usize] as usize + behind, into),
            Given::Nowhere | Given::Hosted(_) => Err(Raise::abend(NO_STORAGE)),
        }
    }

    /// Writes bytes to the beginning of an area; what lies behind them becomes zeros.
    ///
    /// # Errors
    /// ASRA if they are not there.
    pub fn fill(&mut self, call: &Called<'_>, which: Which, bytes: &[u8]) -> Outcome {
        let rest = self.lengths[which as usize].checked_sub(bytes.len());
        let rest = rest.ok_or_else(|| Raise::abend(NO_STORAGE))?;
        match (&mut self.given, call) {
            (Given::Hosted(areas), _) => {
                let area = &mut areas[which as usize];
                area.write(0, bytes);
                area.clear(bytes.len());
                Ok(())
            }
            (Given::Own(at), Called::Own(own)) => {
                let at = at[which as usize];
                let is_done = own.write_at(at, bytes) && own.clear(at + bytes.len() as u32, rest);
                is_done.then_some(()).ok_or_else(|| Raise::abend(NO_STORAGE))
            }
            (Given::Own(_) | Given::Nowhere, _) => Err(Raise::abend(NO_STORAGE)),
        }
    }

    /// Bytes that a program has written beside one of them, if its storage has check zones.
    pub fn overlay(&self) -> Option<Overlay> {
        match &self.given {
            Given::Hosted(areas) => areas.iter().find_map(Area::overlay),
            Given::Nowhere | Given::Own(_) => None,
        }
    }
}
