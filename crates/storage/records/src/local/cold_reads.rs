//! Reads of the engine that may wait for the disk, and the threads that do ([`super::cold`]).

use std::iter::once;

use super::cold::{Wanted, What};
use super::core::Core;
use crate::base::Patience;
use crate::signal::send_all;
use crate::{Error, Result, StoreId};

/// Number of times that a read is tried at once, with the disk read between two attempts, before it waits where it
/// is: others may change the way to a record, or the system may take its memory back meanwhile.
const ATTEMPTS: usize = 4;

/// Brings what is wanted until the engine ends.
pub(super) fn bring(core: &Core) {
    while let Some((wanted, done)) = core.cold.next() {
        let brought = wanted.bring(&*core.base);
        send_all(once((done, brought)));
    }
}

impl Core {
    /// Reads what was not there at once, when the disk has given it. Where no thread waits for the disk, this does.
    pub(super) async fn read_cold<T>(
        &self,
        store: StoreId,
        what: impl Fn() -> What,
        mut read: impl FnMut(&Self, Patience) -> Result<T>,
    ) -> Result<T> {
        for _ in 0..ATTEMPTS {
            let space = self.state.read().store(store)?.space;
            let Some(brought) = self.cold.ask(Wanted { space, what: what() }) else { break };
            brought.await?;
            match read(self, Patience::AtOnce) {
                Err(Error::NotAtOnce) => {}
                read => return read,
            }
        }
        read(self, Patience::Waits)
    }
}
