//! Work that is handed to a TCB.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::Admitted;
use super::stay::Stayed;
use crate::programs::Program;
use crate::task::Task;

/// Work of a TCB.
pub enum Work {
    /// Run a new task.
    Task(Box<Admitted>),
    /// Run a program of a task that lives on another TCB.
    Visit(Visit),
    /// Do another part's work.
    Do(Box<dyn FnOnce() + Send>),
    /// End the thread.
    Stop,
}

/// A task's stay on another TCB, for one program.
pub struct Visit {
    pub task: Box<Task>,
    pub program: Arc<Program>,
    pub back: oneshot::Sender<(Box<Task>, Stayed)>,
}
