//! The regions through which the request has come that a task works for: each has a task that waits for the next one.

use std::sync::Arc;

use super::{KeptParts, Task, TaskPart};

/// The marks of those regions, with blanks between them, as the request has brought them.
#[derive(Clone, Debug)]
pub struct Chain(pub Arc<str>);

impl TaskPart for Chain {}

impl Chain {
    /// A task that another one waits for works for the same request.
    pub fn hand_on(from: &Task, to: &mut KeptParts) {
        if let Some(chain) = from.kept.get::<Self>() {
            to.put(chain.clone());
        }
    }
}
