//! EXEC SQL in a region. Programs with it translate and compile, but no region has an attachment to a database yet: a
//! statement ends its task with the abend that the published interface has for an attachment that is not there.

use cobol::ServiceCall;
use kernel::raise::{Outcome, Raise};
use kernel::services::{Answered, Service};
use kernel::task::Task;

/// Where an attachment will answer.
pub(crate) struct NoAttachment;

/// The abend of a command that nothing answers.
const NOT_THERE: &str = "AEY9";

impl Service for NoAttachment {
    fn names(&self) -> &'static [&'static str] {
        &["DFHSQL"]
    }

    fn call<'a>(&'a self, task: &'a mut Task, _: ServiceCall<'a>, _: bool) -> Outcome<Answered<'a>> {
        if task.may_write_line() {
            let (number, program) = (task.number, task.level().program);
            tracing::warn!(
                target: "DB",
                "task {number}: EXEC SQL of program {program} is not answered: regions have no connection to a database yet"
            );
        }
        Err(Raise::abend(NOT_THERE))
    }
}
