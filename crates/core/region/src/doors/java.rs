//! JVM servers: processes that this region starts, whose threads come back over private sockets.

use std::path::Path;
use std::sync::Arc;

use config::RegionConfig;
use diagnostics::Diagnostic;
use jvm::JvmServers;
use kernel::region::Region;

use super::{Door, Inside, Step, WithWarnings};
use crate::codes;

/// The door of JVM servers: what their definitions say is all there is to say.
///
/// # Errors
/// None of its own.
pub(super) fn read(_root: &Path, _config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    Ok((Box::new(JavaDoor { region: None }), Vec::new()))
}

/// The door.
struct JavaDoor {
    region: Option<Arc<Region>>,
}

impl Door for JavaDoor {
    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        Box::pin(async {
            self.region = Some(Arc::clone(inside.region));
            jvm::open(inside.region, inside.state).map_err(|error| {
                let text = format!(
                    "the folder of JVM servers cannot be made in {}: {error}",
                    inside.state.display()
                );
                vec![Diagnostic::error(codes::START, text)]
            })
        })
    }

    fn close(&mut self) -> Step<'_> {
        // Tasks that run go on, and their programs with them.
        Box::pin(async {})
    }

    fn sever(&mut self) -> Step<'_> {
        Box::pin(async {
            if let Some(region) = self.region.take() {
                JvmServers::of(&region).kill().await;
            }
        })
    }

    fn stop(&mut self) -> Step<'_> {
        Box::pin(async {
            if let Some(region) = self.region.take() {
                JvmServers::of(&region).close().await;
            }
        })
    }
}
