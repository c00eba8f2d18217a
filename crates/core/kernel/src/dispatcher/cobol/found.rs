//! The program of a LINK that may be run where it stands, and its COMMAREA.

use std::sync::Arc;

use cobol_run::SHARED;

use crate::dispatcher::Dispatcher;
use crate::exec::Link;
use crate::programs::Body;
use crate::storage::Window;
use crate::task::{Commarea, Task};

/// The place of a COMMAREA.
#[derive(Clone, Copy)]
pub(super) struct Passed {
    /// The caller's bytes.
    pub from: u32,
    pub length: usize,
    /// The bytes on which the program works: the same, or a part of the window that begins with a copy of them.
    pub at: u32,
}

impl Passed {
    /// The program has worked on a copy: what it has left goes back.
    pub fn give_back(self, window: &mut Window) {
        if self.at != self.from
            && let Some(bytes) = window.read(self.at, self.length).map(|bytes| bytes.into_owned())
        {
            window.put(self.from, &bytes);
        }
    }
}

/// A program that may be run.
pub(super) struct Found {
    pub unit: Arc<native::Unit>,
    pub commarea: Option<Passed>,
}

impl Found {
    /// The program of a LINK. `None` if it has to be run elsewhere.
    pub(super) fn of(task: &Task, tcb: usize, link: &Link, window: &mut Window) -> Option<Self> {
        let Body::Cobol(_) = &link.program.body else { return None };
        let fits = Dispatcher::of(&task.region).fits(tcb, link.program.concurrency);
        let unit = Arc::clone(&link.program.loaded().filter(|_| fits)?.unit);
        let program = unit.program(0)?.program();
        if !program.local.is_empty() || link.channel.is_some() || link.input_message.is_some() {
            return None;
        }
        let commarea = match &link.commarea {
            None => None,
            Some(Commarea::Held { .. }) => return None,
            Some(Commarea::Lent { length: 0, .. }) => None,
            Some(Commarea::Lent { address, length }) => {
                let from = address.in_window()?;
                let is_there = from < SHARED && window.storage.has(from, u32::try_from(*length).ok()?);
                Some(Passed { from, length: *length, at: from }).filter(|_| is_there).map(Some)?
            }
        };
        Some(Self { unit, commarea })
    }
}
