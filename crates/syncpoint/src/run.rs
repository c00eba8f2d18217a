//! `syncpoint run`: a region from an application's folder.

use diagnostics::Diagnostic;

use crate::application::{Application, Messages};
use crate::codes;

/// Runs a region until it is told to stop; with `watch`, changed sources are taken into use as they are saved.
pub(crate) fn run(application: Application, _watch: bool) -> Result<(), Messages> {
    let toolchain = application.toolchain()?;
    let programs = toolchain.members().len();
    let message = format!("no region is built into this binary; {programs} programs and maps wait for it");
    Err(vec![Diagnostic::error(codes::NO_REGION, message)])
}
