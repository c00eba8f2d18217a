//! `[debug]`: an editor's debugger.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::debugger::Debugging;
use config::{Located, RegionConfig};
use diagnostics::Diagnostic;

use super::{Door, Inside, Listening, Step, WithWarnings, cannot_listen};

/// For an editor to read what was sent last.
const FAREWELL: Duration = Duration::from_secs(1);

/// The door that `[debug]` describes.
///
/// # Errors
/// None of its own.
pub(super) fn read(root: &Path, config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    let door = DebugDoor { asked: config.debug_listen.clone(), root: root.to_owned(), opened: None };
    Ok((Box::new(door), Vec::new()))
}

/// The door.
struct DebugDoor {
    asked: Option<Located<SocketAddr>>,
    root: PathBuf,
    opened: Option<Debugging>,
}

impl Door for DebugDoor {
    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        Box::pin(async {
            let Some(asked) = &self.asked else { return Ok(()) };
            let opened = debugger::open(asked.value, inside.region, self.root.clone());
            self.opened = Some(opened.map_err(|why| cannot_listen("the debugger", &why, asked))?);
            Ok(())
        })
    }

    fn listening(&self) -> Vec<Listening> {
        let opened = self.opened.iter();
        opened
            .map(|opened| Listening { door: "debug", name: String::new(), address: opened.address })
            .collect()
    }

    /// The editor goes: tasks that rest for it go on.
    fn close(&mut self) -> Step<'_> {
        Box::pin(async {
            if let Some(opened) = &mut self.opened {
                opened.stop(FAREWELL).await;
            }
        })
    }

    fn stop(&mut self) -> Step<'_> {
        self.opened = None;
        Box::pin(async {})
    }
}
