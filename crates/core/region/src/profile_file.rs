//! The file of profiles, which is read again when it has changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Weak;
use std::time::{Duration, SystemTime};

use config::Located;
use diagnostics::{Source, any_error};
use kernel::region::Region;
use kernel::terminals::rebuild_security;
use security::{Classes, Profiles};

/// Interval at which it is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// By which a file that has changed is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: SystemTime,
    length: u64,
}

/// The stamp of a file; `None` where there is none.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some(Stamp { modified: metadata.modified().ok()?, length: metadata.len() })
}

/// The file.
pub(crate) struct ProfileFile {
    path: PathBuf,
    /// True if region.toml names it: then it must be there.
    is_written: bool,
    classes: Classes,
}

impl ProfileFile {
    /// The file that the configuration names.
    pub fn new(root: &Path, name: &Located<String>, classes: Classes) -> Self {
        Self { path: root.join(&name.value), is_written: name.is_written(), classes }
    }

    /// Its place.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its profiles.
    ///
    /// # Errors
    /// It cannot be read, or is wrong: all of that as text.
    pub fn read(&self) -> Result<Profiles, String> {
        if !self.is_written && !self.path.exists() {
            return Ok(Profiles::default());
        }
        let name = self.path.display().to_string();
        let text = fs::read_to_string(&self.path).map_err(|error| format!("{name}: {error}"))?;
        let (profiles, messages) = config::profiles(&Source::new(name, text), &self.classes);
        let told: Vec<String> = messages.iter().map(|message| message.render(false)).collect();
        if any_error(&messages) { Err(told.join("\n")) } else { Ok(profiles) }
    }
}

/// Has the region read its users and profiles again whenever one of their files has changed.
pub(crate) async fn watch(region: Weak<Region>, files: [PathBuf; 2]) {
    let stamps = || files.each_ref().map(|file| stamp(file));
    let mut last = stamps();
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let Some(region) = region.upgrade() else { return };
        let now = stamps();
        if now == last {
            continue;
        }
        last = now;
        // What is wrong with them stands in the log already; those of before stay.
        let _ = tokio::task::spawn_blocking(move || rebuild_security(&region)).await;
    }
}
