//! Who does for a region what only one that runs can do.

use std::pin::Pin;

use crate::protocol::{Failure, Operation, Reply};

/// The outcome of an operation.
pub type Operated<'a> = Pin<Box<dyn Future<Output = Result<Reply, Failure>> + Send + 'a>>;

/// The region as an operator outside it sees it. It is asked on the session's own thread.
pub trait Operator: Send + Sync {
    /// Does what is asked for.
    fn operate(&self, operation: Operation) -> Operated<'_>;

    /// The encryption key of the data has been changed: for whoever keeps an account of it.
    fn key_changed(&self) {}
}
