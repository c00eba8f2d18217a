//! Commands of callers that are no COBOL programs.

use super::{Call, Flow, Next, Parcel, execute};
use crate::raise::AbendCode;
use crate::task::Task;

/// Has a parcel's command answered for the task: what it gives, RESP and RESP2 are in the parcel then, and in the EIB of
/// the task's present level. With another [`Flow`] than `On` the command has passed control: `dispatcher::Context::issue`
/// takes a LINK to its program and back.
///
/// # Errors
/// The abend of a command that ends its task.
pub async fn issue(task: &mut Task, parcel: &Parcel) -> Result<Flow, AbendCode> {
    let Some(call) = Call::over(parcel) else { return Err(AbendCode::from("AEY9")) };
    match execute(task, &call).await? {
        // A parcel has no labels to go to.
        Next::Program(_) => Ok(Flow::On),
        Next::Flow(flow) => Ok(flow),
    }
}
