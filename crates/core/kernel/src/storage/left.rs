//! Storage that programs of a task leave when it ends.

use super::Window;

/// The storage of a task's programs, to be read behind their end.
pub struct LeftStorage<'w>(&'w Window);

impl<'w> LeftStorage<'w> {
    /// That of a task.
    pub(crate) fn of(window: &'w Window) -> Self {
        Self(window)
    }

    /// Fills bytes from an address on. False if they are not there.
    pub fn read(&self, at: u32, into: &mut [u8]) -> bool {
        self.0.fill(at, into)
    }
}
