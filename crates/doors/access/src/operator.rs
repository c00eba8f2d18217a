//! The operations that only a running region can carry out.

use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;

use attachment::OwnTables;

use crate::external::External;
use crate::protocol::{Failure, Operation, Reply};

/// The outcome of an operation.
pub type Operated<'a> = Pin<Box<dyn Future<Output = Result<Reply, Failure>> + Send + 'a>>;

/// The region as an operator outside it sees it. It is asked on the session's own thread.
pub trait Operator: Send + Sync {
    /// Does what is asked for.
    fn operate(&self, operation: Operation) -> Operated<'_>;

    /// Opens a pipe for a session of a program outside: what it asks for by the external interface.
    fn pipe(&self, program: &str) -> Box<dyn Pipe>;

    /// Holds the region's tables: no unit of work that has changed some ends before [`HeldTables::go_on`]. Blocks the calling
    /// thread for a limited time. `None`: the region has no tables of its own.
    ///
    /// # Errors
    /// The reason that they cannot be held.
    fn hold_tables(&self) -> Result<Option<Box<dyn HeldTables>>, Failure> {
        Ok(None)
    }

    /// The region's own tables; `None`: it has none.
    fn tables(&self) -> Option<Arc<OwnTables>> {
        None
    }

    /// Notes that the encryption key of the data has changed, for a region that keeps an account of it.
    fn key_changed(&self) {}
}

/// A session that has programs of the region run, as the region sees it. Dropped, it is over.
pub trait Pipe: Send + Sync {
    /// Does what is asked for.
    fn ask(&self, asked: External) -> Operated<'_>;
}

/// The tables of a region, as they were at one moment. Dropping it lets them go.
pub trait HeldTables {
    /// Returns the names of the servers that have them.
    fn servers(&self) -> &[String];

    /// Lets units of work end again: the moment of the records has come.
    fn go_on(&self);

    /// Writes what the tables of a server were, by its place. Blocks the calling thread.
    ///
    /// # Errors
    /// The reason that they cannot be written.
    fn dump(&self, server: usize, out: Box<dyn Write + Send>) -> Result<(), Failure>;
}
