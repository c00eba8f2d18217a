//! The gate that every unit of work with participants passes at its end. While it is held closed no unit of work ends, so that what all
//! participants have is of one moment.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// The gate.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<RwLock<()>>);

/// A unit of work's passage: from the first order to a participant until the last one was answered, or given up.
#[derive(Default)]
pub(crate) enum Passage {
    /// It has no participants.
    #[default]
    Needless,
    /// The gate is closed.
    Waits(Pin<Box<dyn Future<Output = OwnedRwLockReadGuard<()>> + Send>>),
    /// It is at its end.
    Passed { _until_over: OwnedRwLockReadGuard<()> },
}

/// A closed gate; it opens when this is dropped.
pub struct Still(#[expect(dead_code, reason = "kept until the gate opens")] OwnedRwLockWriteGuard<()>);

impl fmt::Debug for Still {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Still")
    }
}

impl Gate {
    /// Passes if the gate is open, and waits otherwise: those that came first go first, so that it cannot be kept open for ever.
    pub(crate) fn enter(&self) -> Passage {
        match Arc::clone(&self.0).try_read_owned() {
            Ok(passed) => Passage::Passed { _until_over: passed },
            Err(_) => Passage::Waits(Box::pin(Arc::clone(&self.0).read_owned())),
        }
    }

    /// Closes it when those that have passed are over.
    pub(crate) async fn close(&self) -> Still {
        Still(Arc::clone(&self.0).write_owned().await)
    }
}

impl Passage {
    /// Returns true if the gate is closed still.
    pub(crate) fn waits(&self) -> bool {
        matches!(self, Self::Waits(_))
    }

    /// Returns true once the gate has opened, the first time that it is asked.
    pub(crate) fn opens(&mut self, context: &mut Context<'_>) -> bool {
        let Self::Waits(entering) = self else { return false };
        match entering.as_mut().poll(context) {
            Poll::Pending => false,
            Poll::Ready(passed) => {
                *self = Self::Passed { _until_over: passed };
                true
            }
        }
    }
}
