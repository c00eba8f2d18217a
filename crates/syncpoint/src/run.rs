//! `syncpoint run`: a region from an application's folder.

use crate::application::{Application, Messages};

/// Runs a region until it is told to stop.
pub(crate) fn run(_application: Application, _watch: bool) -> Result<(), Messages> {
    Ok(())
}
