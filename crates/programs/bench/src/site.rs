//! The place where things are measured: a folder with the programs, and a region that runs them.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::{RegionConfig, SocketConfig};
use diagnostics::{Diagnostic, Source};
use kernel::dispatcher;
use kernel::dispatcher::{Attach, Dispatcher};
use kernel::name::TransactionName;
use kernel::region::Region;
use kernel::security::{User, Users};
use kernel::task::StartCode;
use region::{Running, Startup};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::task::LocalSet;
use toolchain::Toolchain;

use crate::clock::progress;
use crate::inputs::{contacts_script, table_lines, web_files};

/// The application, file by file.
const FILES: &[(&str, &str)] = &[
    ("region.toml", include_str!("../programs/region.toml")),
    ("bench.csd", include_str!("../programs/bench.csd")),
    ("bench.idcams", include_str!("../programs/bench.idcams")),
    ("STORAGE.cpy", include_str!("../programs/storage.cpy")),
    ("NULL1.cbl", include_str!("../programs/null.cbl")),
    ("LOOPS.cbl", include_str!("../programs/loops.cbl")),
    ("ASSIGNS.cbl", include_str!("../programs/assigns.cbl")),
    ("ASKS.cbl", include_str!("../programs/asks.cbl")),
    ("LINKS.cbl", include_str!("../programs/links.cbl")),
    ("LINKED.cbl", include_str!("../programs/linked.cbl")),
    ("WORKS.cbl", include_str!("../programs/works.cbl")),
    ("WAITS.cbl", include_str!("../programs/waits.cbl")),
    ("CONTS.cbl", include_str!("../programs/conts.cbl")),
    ("SOCKC.cbl", include_str!("../programs/sockc.cbl")),
    ("SOCKL.cbl", include_str!("../programs/sockl.cbl")),
    ("SOCKR.cbl", include_str!("../programs/sockr.cbl")),
    ("SOCKS.cbl", include_str!("../programs/socks.cbl")),
    ("DIRN.cbl", include_str!("../programs/dirn.cbl")),
    ("DIRS.cbl", include_str!("../programs/dirs.cbl")),
    ("WEBN.cbl", include_str!("../programs/webn.cbl")),
    ("WEBS.cbl", include_str!("../programs/webs.cbl")),
    ("direct.defs", include_str!("../programs/direct.defs")),
    ("listeners.txt", include_str!("../programs/listeners.txt")),
    (PROFILES, EVERYTHING),
    ("CALLS.cbl", include_str!("../programs/calls.cbl")),
    ("CALLED.cbl", include_str!("../programs/called.cbl")),
    ("READS.cbl", include_str!("../programs/reads.cbl")),
    ("DSW.cbl", include_str!("../programs/dsw.cbl")),
    ("TABLES.cbl", include_str!("../programs/tables.cbl")),
];

/// The profiles of a region with SEC=YES, and those that let everybody do everything.
pub(crate) const PROFILES: &str = "security.toml";
pub(crate) const EVERYTHING: &str = include_str!("../programs/security.toml");

/// The folder of the measured application.
pub(crate) struct Workshop {
    folder: TempDir,
}

impl Workshop {
    /// Writes the application, with so many records in its data set and in each of its data tables.
    pub fn new(records: usize, table_records: usize) -> Result<Self, String> {
        let this = Self::empty()?;
        for (name, text) in FILES {
            this.write(name, text)?;
        }
        for (name, text) in web_files() {
            this.write(name, &text)?;
        }
        // The same programs under other definitions: QUASIRENT.
        for (name, other, text) in [
            ("CONTS", "CONTQ", include_str!("../programs/conts.cbl")),
            ("SOCKR", "SOCQR", include_str!("../programs/sockr.cbl")),
            ("SOCKS", "SOCQS", include_str!("../programs/socks.cbl")),
        ] {
            let text = text.replace(&format!("PROGRAM-ID. {name}"), &format!("PROGRAM-ID. {other}"));
            this.write(&format!("{other}.cbl"), &text)?;
        }
        let lines: String = (0..records).map(|number| format!("{}\n", record(number))).collect();
        this.write("records.txt", &lines)?;
        this.write("table.txt", &table_lines(table_records))?;
        this.write("direct.sql", &contacts_script())?;
        Ok(this)
    }

    /// A folder with nothing in it.
    pub fn empty() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder to work in: {error}"))?;
        Ok(Self { folder })
    }

    /// A folder within it for what a floor keeps on disk, or an application.
    pub fn scratch(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The text of a file of the application.
    pub fn read(&self, name: &str) -> Result<String, String> {
        let path = self.folder.path().join(name);
        std::fs::read_to_string(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
    }

    /// Writes a file of the application.
    pub fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).map_err(|error| format!("{} cannot be written: {error}", path.display()))
    }

    fn config(&self) -> Result<RegionConfig, String> {
        let source = Source::new("region.toml", include_str!("../programs/region.toml"));
        let (config, messages) = config::region(&source);
        if messages.is_empty() { Ok(config) } else { Err(told(&messages)) }
    }

    /// Starts the application's region with so many open TCBs. It has no sockets, whose tasks would never end.
    pub fn region(&self, open_tcbs: u32) -> Result<Site, String> {
        let mut config = self.config()?;
        config.sockets = SocketConfig::default();
        Site::start(self, config, open_tcbs)
    }

    /// The same with everything checked that can be. It may stand beside another region: its state is its own.
    pub fn secured_region(&self, open_tcbs: u32) -> Result<Site, String> {
        let mut config = self.config()?;
        config.sockets = SocketConfig::default();
        let security = &mut config.sit.security;
        (security.sec, security.cmdsec_always, security.ressec_always) = (true, true, true);
        config.state = "secured".to_owned();
        Site::start(self, config, open_tcbs)
    }

    /// The same with its listeners and conversations.
    pub fn region_with_sockets(&self, open_tcbs: u32) -> Result<Site, String> {
        Site::start(self, self.config()?, open_tcbs)
    }

    /// A region with the direct path and the normal one, and a private PostgreSQL.
    pub fn region_with_direct(&self, open_tcbs: u32) -> Result<Site, String> {
        self.region_of(include_str!("../programs/direct.toml"), open_tcbs)
    }

    /// A region by its configuration's text; a private PostgreSQL of it ends with this process.
    pub fn region_of(&self, text: &str, open_tcbs: u32) -> Result<Site, String> {
        Site::of_folder(self.path(), text, open_tcbs)
    }

    /// The same with its web services, and no sockets. Its state is its own.
    pub fn region_with_web(&self, open_tcbs: u32) -> Result<Site, String> {
        let own = include_str!("../programs/region.toml")
            .replace("[\"bench.csd\"]", "[\"bench.csd\", \"web.csd\"]");
        let text = own + include_str!("../programs/web.toml");
        let (mut config, messages) = config::region(&Source::new("region.toml", text));
        if !messages.is_empty() {
            return Err(told(&messages));
        }
        config.sockets = SocketConfig::default();
        config.state = "web".to_owned();
        Site::start(self, config, open_tcbs)
    }
}

/// Bytes of a record.
pub(crate) const RECORD: usize = 200;

/// A record of the data set: its key of 8 digits, and more.
pub(crate) fn record(number: usize) -> String {
    format!("{number:08}{}", "R".repeat(RECORD - 8))
}

fn told(messages: &[Diagnostic]) -> String {
    messages.iter().map(|message| message.render(false)).collect::<Vec<_>>().join("\n")
}

/// A region that runs the application.
pub(crate) struct Site {
    runtime: Runtime,
    local: LocalSet,
    running: Running,
    user: Arc<User>,
}

/// The tool chain of an application.
fn toolchain(root: &Path, config: &RegionConfig) -> Result<Toolchain, String> {
    let cache = root.join("modules");
    Toolchain::new(root, &config.sources, &config.compile, &cache).map_err(|m| told(&m))
}

impl Site {
    /// Starts the region of a folder by its configuration's text; a private PostgreSQL of it ends with this process.
    pub fn of_folder(root: &Path, text: &str, open_tcbs: u32) -> Result<Self, String> {
        let (mut config, messages) = config::region(&Source::new("region.toml", text));
        if !messages.is_empty() {
            return Err(told(&messages));
        }
        // It ends with this process, however that ends.
        config.sql.is_tied = true;
        Self::start_in(root, config, open_tcbs)
    }

    fn start(workshop: &Workshop, config: RegionConfig, open_tcbs: u32) -> Result<Self, String> {
        Self::start_in(workshop.path(), config, open_tcbs)
    }

    fn start_in(root: &Path, mut config: RegionConfig, open_tcbs: u32) -> Result<Self, String> {
        config.sit.max_open_tcbs = Some(open_tcbs);
        let state = root.join(&config.state);
        let mut toolchain = toolchain(root, &config)?;
        let converted = region::convert_programs(&toolchain, root, &state, &config, &mut Vec::new());
        if let Some(sources) = converted.map_err(|messages| told(&messages))? {
            config.sources = sources;
            toolchain = self::toolchain(root, &config)?;
        }
        let startup = Startup {
            root,
            state: &state,
            config: &config,
            users: config::Users::default(),
            users_file: root.join("users.toml"),
            toolchain,
            trust: records::Trust::Checked,
            watchers: Vec::new(),
            tap: None,
            build: None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("no event loop: {error}"))?;
        let local = LocalSet::new();
        progress("the region starts, its data set is loaded the first time");
        let (running, _) = local.block_on(&runtime, startup.start()).map_err(|messages| told(&messages))?;
        progress("");
        Ok(Self { runtime, local, running, user: User::region() })
    }

    /// Its tasks are the default user's from now on: nothing is asked of the region's own.
    #[must_use]
    pub fn of_default_user(self) -> Self {
        let user = Arc::clone(&Users::of(self.region()).default);
        Self { user, ..self }
    }

    /// The region.
    pub fn region(&self) -> &Arc<Region> {
        &self.running.region
    }

    /// Its tool chain.
    pub fn toolchain(&self) -> &Toolchain {
        &self.running.toolchain
    }

    /// Returns the addresses at which a door accepts clients.
    pub fn addresses(&self, door: &str) -> Vec<SocketAddr> {
        self.running.addresses(door)
    }

    /// Returns the port on which a door listens for one name.
    pub fn port(&self, door: &str, name: &str) -> Option<u16> {
        let mut listening = self.running.listening().into_iter();
        listening.find(|at| at.door == door && at.name.trim_end() == name).map(|at| at.address.port())
    }

    /// Attaches one task.
    pub fn attach(&self, transaction: &str, commarea: Option<&[u8]>) {
        let name = TransactionName::from(transaction);
        let mut attach = Attach::new(name, StartCode::System, Arc::clone(&self.user));
        attach.commarea = commarea.map(<[u8]>::to_vec);
        dispatcher::attach(self.region(), attach)
            .unwrap_or_else(|why| panic!("{transaction} is not attached: {why:?}"));
    }

    /// Waits until no task runs.
    pub fn idle(&self) {
        self.wait(Dispatcher::of(self.region()).idle());
    }

    /// Waits for an event of the region.
    pub fn wait(&self, event: impl Future<Output = ()>) {
        self.wait_for(event);
    }

    /// Waits for an event of the region, and what it brings.
    pub fn wait_for<T>(&self, event: impl Future<Output = T>) -> T {
        self.local.block_on(&self.runtime, event)
    }

    /// Runs one task to its end.
    pub fn run(&self, transaction: &str, commarea: Option<&[u8]>) {
        self.attach(transaction, commarea);
        self.idle();
    }

    /// Ends the region.
    pub fn end(self) {
        let Self { runtime, local, running, .. } = self;
        local.block_on(&runtime, running.shut_down());
    }
}
