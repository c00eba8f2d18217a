//! Work of domains for tasks that end, or do not begin.
//!
//! The one who attaches a task may give it a [`TaskPart`](crate::task::TaskPart), which hears of its end. A follower hears of
//! every task's end, and is a row of its domain in the catalogue.

use std::pin::Pin;
use std::sync::Arc;

use super::Refused;
use crate::name::Name8;
use crate::raise::AbendCode;
use crate::region::Region;
use crate::task::{NextTask, Task, TaskControl};

/// Future of the work.
pub type Following<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Failure of a task.
pub struct Failure {
    /// Its abend.
    pub code: AbendCode,
    /// The program in which it came.
    pub program: Name8,
    /// Message for its user.
    pub message: String,
}

/// State that a task leaves behind.
#[derive(Default)]
pub struct Ended {
    /// Request of its RETURN.
    pub next: NextTask,
    /// Message for its user that has not been shown: the task was lost.
    pub message: Option<String>,
}

/// A domain's work for tasks that end, or do not begin. It sees quickly if a task is one of its own.
pub struct Follower {
    /// A task has failed. Its changes are backed out, and it still is where it was.
    pub failed: for<'a> fn(&'a mut Task, &'a Failure) -> Option<Following<'a>>,
    /// A task is gone, with its storage and locks.
    pub ended: for<'a> fn(&'a Arc<Region>, &'a Arc<TaskControl>, &mut Ended) -> Option<Following<'a>>,
    /// A task does not begin. One that is not the domain's own comes back.
    pub refused: fn(&Arc<Region>, Refused) -> Option<Refused>,
}
