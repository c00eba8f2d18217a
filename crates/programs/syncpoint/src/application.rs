//! An application's folder, read: what every command but `new` starts with.

use std::path::{Path, PathBuf};

use clap::Args;
use command_line::{stderr, terminal};
use config::{LogFormat, REGION_FILE, RegionConfig, Setting, Users, at};
use diagnostics::{Diagnostic, Source, any_error};
use rustix::process::{Resource, Rlimit, setrlimit};
use toolchain::Toolchain;

pub(crate) use command_line::messages::{Messages, read, unwritable, write};

use crate::codes;

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

/// The help of `--set`.
const SET: &str = "\
Set a key of region.toml for this run; may be given several times. SECTION.KEY=VALUE, or KEY=VALUE for the keys before
the first section: sit.MXT=200, listen.tn3270=0.0.0.0:3270, applid=BANK. A list is written as in the file.

Variables do the same: SYNCPOINT_SIT_MXT=200, SYNCPOINT_LISTEN_TN3270=3270, SYNCPOINT_DATA_LOG_LIMIT_MB=128. What stands
on the command line counts before variables, and both before the file.";

/// The folder of an application.
#[derive(Args)]
pub(crate) struct ApplicationFolder {
    /// The folder that holds region.toml
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Keep data, logs and compiled programs here instead of in the folder that region.toml names
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Set a key of region.toml for this run, such as sit.MXT=200; may be given several times
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE", long_help = SET)]
    pub(crate) settings: Vec<String>,
}

impl ApplicationFolder {
    /// The same with a place for an editor's debugger, whatever region.toml says.
    pub(crate) fn debugged(mut self, listen: &str) -> Self {
        self.settings.insert(0, format!("debug.listen={listen}"));
        self
    }

    /// Reads region.toml; warnings are printed.
    pub(crate) fn load(&self) -> Result<Application, Messages> {
        self.load_listening(None)
    }

    /// The same for a region that is to listen somewhere else.
    pub(crate) fn load_listening(&self, listen: Option<&str>) -> Result<Application, Messages> {
        let (application, messages) = self.read(listen)?;
        terminal::tell(&messages);
        Ok(application)
    }

    /// The application, and warnings.
    pub(crate) fn read(&self, listen: Option<&str>) -> Result<(Application, Messages), Messages> {
        let given = self.settings.iter().map(|text| Setting::argument(text)).collect::<Result<Vec<_>, _>>();
        let given = given.map_err(|message| vec![message])?;
        let listen = listen.map(|address| Setting::written("--listen", "listen.tn3270", address));
        let settings: Vec<Setting> = variables().chain(given).chain(listen).collect();
        let (config, messages) = read_config(&self.folder, &settings)?;
        let state = self.data.clone().unwrap_or_else(|| self.folder.join(&config.state));
        region::unlock(&self.folder, &state, &config.data);
        if config.data.encryption_key.is_some() {
            leave_no_core();
        }
        Ok((Application { root: self.folder.clone(), config, state }, messages))
    }
}

/// Keeps the system from writing a core file, which would hold the key and all that it protects, if this process or one that it starts
/// is killed by a fault or a signal.
fn leave_no_core() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    // Where it is not allowed, the system's own limit stays.
    let _ = setrlimit(Resource::Core, none);
}

impl Application {
    /// The tool chain of this application.
    pub(crate) fn toolchain(&self) -> Result<Toolchain, Messages> {
        let cache = self.programs();
        let toolchain = Toolchain::new(&self.root, &self.config.sources, &self.config.compile, &cache)?;
        self.with_converted(toolchain)
    }

    /// Returns the folder of compiled programs.
    pub(crate) fn programs(&self) -> PathBuf {
        self.state.join(PROGRAMS)
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

/// Settings by variables of the environment, in the order of their names.
fn variables() -> impl Iterator<Item = Setting> {
    let named = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let mut variables: Vec<_> = named.collect();
    variables.sort();
    variables.into_iter().filter_map(|(name, value)| Setting::variable(&name, &value.to_string_lossy()))
}

/// Reads the region.toml of a folder; warnings are printed.
pub(crate) fn read_region(folder: &Path) -> Result<RegionConfig, Messages> {
    let (config, messages) = read_config(folder, &variables().collect::<Vec<_>>())?;
    terminal::tell(&messages);
    Ok(config)
}

/// The configuration of a folder; nothing is printed.
pub(crate) fn configuration(folder: &Path) -> Result<RegionConfig, Messages> {
    read_config(folder, &variables().collect::<Vec<_>>()).map(|(config, _)| config)
}

/// Reads the region.toml of a folder with settings from outside; the configuration and warnings.
pub(crate) fn read_config(folder: &Path, settings: &[Setting]) -> Result<(RegionConfig, Messages), Messages> {
    terminal::names_are_in(folder);
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
    let (config, messages) = config::region_with(&Source::new(REGION_FILE, read(&path)?), settings);
    stderr::is_json(config.log.format == LogFormat::Json && config.log.file.is_none());
    if any_error(&messages) { Err(messages) } else { Ok((config, messages)) }
}
