//! The program that a LINK has meant: as long as no name has come to mean another program, it means the same for each task.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use spec::opt;

use super::{Call, Link};
use crate::limits::{COMMAREA_LENGTH_MAX, LINK_LEVELS_MAX};
use crate::name::Name8;
use crate::programs::{Program, Programs};
use crate::storage::StorageAddress;
use crate::task::{Commarea, Task};

/// It, as the handler of LINK has found it last.
#[derive(Default)]
pub(super) struct Meant(Mutex<Option<Known>>);

struct Known {
    name: Name8,
    /// [`Programs::changes`] before it was looked for.
    changes: u64,
    /// A weak one: a program counts as running as long as it is held.
    program: Weak<Program>,
}

impl Meant {
    /// Returns the meaning of a LINK that names the same program as before and passes bytes of its caller, or nothing; `None` if
    /// its handler has to check something.
    #[inline]
    pub fn again(&self, task: &mut Task, call: &Call<'_>) -> Option<Link> {
        let name: Name8 = call.name(opt::PROGRAM).ok()??;
        let changes = Programs::of(&task.region).changes();
        let known = self.0.lock();
        let known = known.as_ref().filter(|known| known.changes == changes && known.name == name)?;
        let program = known.program.upgrade()?;
        let commarea = match (call.has(opt::COMMAREA), call.number(opt::LENGTH).ok()?) {
            (false, None) => None,
            (false, Some(_)) => return None,
            (true, length) => {
                let length = length.map_or(Ok(call.size(opt::COMMAREA)), usize::try_from).ok()?;
                let address =
                    call.address(opt::COMMAREA).filter(|address| *address != StorageAddress::NULL)?;
                let is_usual = (1..=COMMAREA_LENGTH_MAX).contains(&length);
                is_usual.then_some(Some(Commarea::Lent { address, length }))?
            }
        };
        if task.depth() >= LINK_LEVELS_MAX {
            return None;
        }
        task.level_mut().eib.set_resource(name);
        Some(Link { program, commarea, channel: None, input_message: None })
    }

    /// Its handler has found this program; `changes`: as they were before. Only what is of this region, without asking anybody, is
    /// kept.
    #[cold]
    pub fn is(&self, link: &Link, changes: u64) {
        let Link { program, channel: None, input_message: None, .. } = link else { return };
        if program.dynamic || program.remote.is_some() {
            return;
        }
        let (name, program) = (program.name, Arc::downgrade(program));
        *self.0.lock() = Some(Known { name, changes, program });
    }
}
