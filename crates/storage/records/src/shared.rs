//! A lock for what is read all the time and changed now and then.
//!
//! Its readers do not contend: each thread has a place of its own to read from. A writer waits for all places,
//! which takes longer than with an ordinary lock.

use std::sync::PoisonError;

use crossbeam_utils::sync::{ShardedLock, ShardedLockReadGuard, ShardedLockWriteGuard};

/// The lock with what it protects. A thread that panics while it has the lock leaves it usable, as with other locks of this crate.
#[derive(Default)]
pub(crate) struct Shared<T>(ShardedLock<T>);

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(ShardedLock::new(value))
    }

    pub(crate) fn read(&self) -> ShardedLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> ShardedLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
