//! A task's stay on a TCB: what its programs need there, and how it ends.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::thread::Tcb;
use crate::exec::Link;
use crate::programs::Program;
use crate::raise::Abend;
use crate::task::Task;

/// Ends of a link level, or of a whole task.
pub enum LevelEnd {
    /// RETURN, or the program's end.
    Returned,
    /// Abnormally: the task's abend record says how.
    Abended(Abend),
}

/// Results of a level's stay on one TCB.
pub enum Stayed {
    /// The level is over.
    Ended(LevelEnd),
    /// It has another program, which must run on another TCB.
    Moves(Arc<Program>),
}

/// Work after a program.
pub(super) enum After {
    End(LevelEnd),
    /// It is boxed: what comes of each step of a program is handed on by value, and is nearly never this.
    Xctl(Box<Link>),
}

impl After {
    pub fn abended(abend: Abend) -> Self {
        Self::End(LevelEnd::Abended(abend))
    }
}

/// A level that was entered where the program stood that LINKed to it, and goes on outside of that program's code.
pub(super) trait Entered {
    /// Its program.
    fn program(&self) -> &Arc<Program>;

    /// Runs it to its end.
    fn goes_on<'a>(self: Box<Self>, stay: &'a Stay<'_>, task: Box<Task>) -> Running<'a, After>;
}

/// A task that is away, in a program, until the future is done.
pub(super) type Running<'a, T> = Pin<Box<dyn Future<Output = Back<T>> + 'a>>;

/// The way to run a program, those it LINKs to, and those it XCTLs to as long as they may run on the TCB of the stay. With a level: it runs
/// already.
pub(super) type RunLevel =
    for<'a> fn(&'a Stay<'_>, Box<Task>, Arc<Program>, Option<Box<dyn Entered>>) -> Running<'a, Stayed>;

/// A task's stay on one TCB: for all of its life, or for one program that must run there.
pub(crate) struct Stay<'a> {
    pub(super) tcb: &'a Tcb,
    /// The way to run the programs to which its programs LINK.
    pub(super) runs: RunLevel,
}

/// A task that comes back from a program.
pub(super) type Back<T> = (Box<Task>, T);
