//! An application's folder, read: what every command but `new` starts with.

use std::fs;
use std::path::{Path, PathBuf};

use config::{REGION_FILE, RegionConfig, Users, at};
use diagnostics::{Diagnostic, Source, any_error};
use toolchain::Toolchain;

use crate::cli::ApplicationFolder;
use crate::{codes, terminal};

/// What a command tells when it fails.
pub(crate) type Messages = Vec<Diagnostic>;

/// An application: its folder, its configuration, and where its state is kept.
pub(crate) struct Application {
    /// The folder of region.toml: all paths in it are relative to this.
    pub(crate) root: PathBuf,
    pub(crate) config: RegionConfig,
    /// Data, logs and compiled programs.
    pub(crate) state: PathBuf,
}

/// The folder of compiled programs within the state.
const PROGRAMS: &str = "programs";

impl ApplicationFolder {
    /// Reads region.toml; warnings are printed.
    pub(crate) fn load(&self) -> Result<Application, Messages> {
        let config = read_region(&self.folder)?;
        let state = self.data.clone().unwrap_or_else(|| self.folder.join(&config.state));
        Ok(Application { root: self.folder.clone(), config, state })
    }
}

impl Application {
    /// The tool chain of this application.
    pub(crate) fn toolchain(&self) -> Result<Toolchain, Messages> {
        let cache = self.state.join(PROGRAMS);
        Toolchain::new(&self.root, &self.config.sources, &self.config.compile, &cache)
    }

    /// The users file; there may be none.
    pub(crate) fn users(&self) -> Result<Users, Messages> {
        let file = &self.config.security.users;
        let path = self.root.join(&file.value);
        if !path.exists() && !file.is_written() {
            return Ok(Users::default());
        }
        let text = read(&path)
            .map_err(|unread| unread.into_iter().map(|why| at(why, file)).collect::<Messages>())?;
        let (users, messages) = config::users(&Source::new(file.value.clone(), text));
        if any_error(&messages) { Err(messages) } else { Ok(users) }
    }
}

/// Reads the region.toml of a folder; warnings are printed.
pub(crate) fn read_region(folder: &Path) -> Result<RegionConfig, Messages> {
    if !folder.is_dir() {
        let message = Diagnostic::error(codes::NO_FOLDER, format!("there is no folder {}", folder.display()));
        let help = format!("syncpoint new {} makes one with a first application", folder.display());
        return Err(vec![message.help(help)]);
    }
    let path = folder.join(REGION_FILE);
    if !path.is_file() {
        let message =
            Diagnostic::error(codes::NO_REGION, format!("{} has no {REGION_FILE}", folder.display()));
        let help = format!(
            "that file makes a folder an application, and may be empty: touch {}; or begin with syncpoint new",
            path.display()
        );
        return Err(vec![message.help(help)]);
    }
    let (config, messages) = config::region(&Source::new(REGION_FILE, read(&path)?));
    if any_error(&messages) {
        return Err(messages);
    }
    terminal::tell(&messages);
    Ok(config)
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String, Messages> {
    fs::read_to_string(path).map_err(|error| {
        vec![Diagnostic::error(codes::UNREADABLE, format!("{} cannot be read: {error}", path.display()))]
    })
}

/// Writes a file.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Messages> {
    fs::write(path, text).map_err(|error| unwritable(path, &error))
}

/// That a file or folder cannot be written.
pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> Messages {
    vec![Diagnostic::error(codes::UNWRITABLE, format!("{} cannot be written: {error}", path.display()))]
}
