//! `[debug]`: an editor's debugger, and a recording of what programs ask for.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ::debugger::Debugging;
use ::debugger::recording::Recorder;
use config::{Located, RegionConfig, at};
use diagnostics::Diagnostic;
use kernel::exec::{Watcher, Watchers};
use kernel::region::Region;

use super::{Door, Inside, Listening, Step, WithWarnings, cannot_listen};
use crate::codes;

/// For an editor to read what was sent last.
const FAREWELL: Duration = Duration::from_secs(1);

/// The door that `[debug]` describes.
///
/// # Errors
/// None of its own.
pub(super) fn read(root: &Path, config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    let door = DebugDoor {
        asked: config.debug_listen.clone(),
        file: config.debug_record.clone(),
        root: root.to_owned(),
        opened: None,
        recorder: None,
        wrong: Vec::new(),
    };
    Ok((Box::new(door), Vec::new()))
}

/// The door.
struct DebugDoor {
    asked: Option<Located<SocketAddr>>,
    file: Option<Located<String>>,
    root: PathBuf,
    opened: Option<Debugging>,
    recorder: Option<Arc<Recorder>>,
    /// Reasons why nothing is recorded.
    wrong: Vec<Diagnostic>,
}

impl DebugDoor {
    /// Begins the recording, if one is asked for: before any program runs.
    fn record(&mut self, region: &Region) -> Result<(), Vec<Diagnostic>> {
        let Some(file) = &self.file else { return Ok(()) };
        // What programs see is sealed as dumps are, wherever the file lies.
        let path = self.root.join(&file.value);
        let opened = sealed::File::create_as_in(&region.options.dump_folder, &path);
        let recorder = opened.map(Recorder::new).map_err(|error| {
            let message = format!("the recording cannot be written to '{}': {error}", file.value);
            let help = "name a file that the region may write, in a folder that is there";
            vec![at(Diagnostic::error(codes::UNWRITABLE, message), file).help(help)]
        })?;
        let recorder = Arc::new(recorder);
        Watchers::add(region, Arc::clone(&recorder) as Arc<dyn Watcher>);
        self.recorder = Some(recorder);
        Ok(())
    }
}

impl Door for DebugDoor {
    fn install(&mut self, region: &Region) {
        self.wrong = self.record(region).err().unwrap_or_default();
    }

    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        Box::pin(async {
            if !self.wrong.is_empty() {
                return Err(std::mem::take(&mut self.wrong));
            }
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
        if let Some(Err(why)) = self.recorder.take().map(|recorder| recorder.end()) {
            tracing::warn!(target: "DB", "{why}");
        }
        Box::pin(async {})
    }
}
