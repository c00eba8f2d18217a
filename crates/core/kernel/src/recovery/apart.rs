//! Changes that do not belong to the task's unit of work.

use std::sync::Arc;

use super::UnitOfWork;
use crate::control::TaskControl;
use crate::raise::Outcome;
use crate::region::Region;

/// Does something in a unit of work of its own, apart from that of the task on whose behalf it is done.
///
/// # Errors
/// An error of `action`, whose changes are backed out, or one of the syncpoint.
pub async fn apart<T>(
    region: &Arc<Region>,
    control: &Arc<TaskControl>,
    action: impl AsyncFnOnce(&mut UnitOfWork) -> Outcome<T>,
) -> Outcome<T> {
    let mut own = UnitOfWork::begin(region, control);
    match action(&mut own).await {
        Ok(done) => own.commit().await.map(|()| done),
        Err(raise) => {
            own.backout().await;
            Err(raise)
        }
    }
}
