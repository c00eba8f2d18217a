//! The backout of a unit of work after which an SQLCODE says that nothing of it is left.

use std::sync::Arc;

use coordinator::Refusing;
use kernel::raise::{Outcome, Raise};
use kernel::task::{StartCode, Task};

/// The abend of a task whose unit of work must be backed out, where it is another region that ends it.
const NOT_ROLLED_BACK: &str = "AD2Z";
/// Votes against such a unit of work.
const NO_ROLLBACK: &str = "DB2 after a rollback";

/// Backs the task's unit of work out, since a statement has failed so that nothing of it may stay.
///
/// # Errors
/// AD2Z if another region ends the unit of work: its part there must not commit without this one, whatever the program does about it.
pub(crate) async fn back_out(task: &mut Task) -> Outcome {
    if matches!(task.start_code, StartCode::Linked(false)) {
        task.work.enlist(Arc::new(Refusing(NO_ROLLBACK)));
        return Err(Raise::abend(NOT_ROLLED_BACK));
    }
    task.rollback().await;
    Ok(())
}
