//! Starting a region, and ending it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use config::RegionConfig;
use diagnostics::Diagnostic;
use kernel::interval::DateForm;
use kernel::name::{Name, Name8, TransactionName};
use kernel::programs::Concurrency;
use kernel::region::{Region, RegionOptions, RegionParts};
use kernel::task::{TaskControl, WaitKind};
use sockets::{Sockets, Text};
use toolchain::Toolchain;
use vsam::Vsam;

use crate::doors::Doors;
use crate::library::Sources;
use crate::templates::Templates;
use crate::users::{Users, default_user};
use crate::{codes, definitions, doors, resources};

/// The folder of data sets and log within the state.
const DATA: &str = "data";
/// The folder of the TCBs' copies of the COBOL runtime within the state.
const RUNTIME: &str = "runtime";
/// The folder of dumps within the state.
const DUMPS: &str = "dumps";
/// For tasks to end by themselves when the region shuts down.
const QUIESCE: Duration = Duration::from_secs(30);
/// How often a region that shuts down looks for tasks that wait for a person.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What a region is started from.
pub struct Startup<'a> {
    /// The application's folder.
    pub root: &'a Path,
    /// Where data, logs and compiled programs are kept.
    pub state: &'a Path,
    /// Its configuration.
    pub config: &'a RegionConfig,
    /// Its users.
    pub users: config::Users,
    /// Its tool chain.
    pub toolchain: Toolchain,
}

/// A region that runs.
pub struct Running {
    /// The region.
    pub region: Arc<Region>,
    /// Where it listens for terminals.
    pub tn3270: Vec<SocketAddr>,
    /// Its programs and maps.
    pub toolchain: Arc<Toolchain>,
    at_end: Vec<Name8>,
    doors: Doors,
}

impl Startup<'_> {
    /// Starts the region and opens its doors. It must be called within a `LocalSet`, on which the doors run.
    ///
    /// # Errors
    /// Everything that is wrong, as messages for the user.
    pub async fn start(self) -> Result<(Running, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (definitions, messages) = definitions::read(self.root, self.config)?;
        let vsam = open_data_sets(self.state).await?;
        // The copies of a region that was killed are of no use to anyone: its data could not be ours otherwise.
        let runtime = self.state.join(RUNTIME);
        let _ = std::fs::remove_dir_all(&runtime);
        std::fs::create_dir_all(&runtime).map_err(|error| unwritable(&runtime, &error))?;
        let mut messages = messages;
        messages.extend(resources::define_data_sets(self.root, self.config, &definitions, &vsam).await?);
        resources::load(self.root, self.config, &vsam).await?;
        let toolchain = Arc::new(self.toolchain);
        let templates = Templates::new(self.root, self.config, &definitions)?;
        let parts = RegionParts {
            library: Arc::new(Sources { toolchain: Arc::clone(&toolchain), templates }),
            users: Arc::new(Users(self.users)),
            vsam,
            services: vec![Arc::new(Sockets::new(Name8::from(self.config.applid.as_str()), Text::Ascii))],
        };
        let options = options(self.config, self.state);
        let region = Region::start(options, parts)
            .map_err(|error| vec![Diagnostic::error(codes::START, error.to_string())])?;
        definitions::install(&region, self.config, &definitions);
        resources::install(self.root, self.config, &definitions, &region);
        kernel::program_lists::run(&region, &names(&self.config.program_lists.startup)).await;
        let doors = doors::open(&region, self.root, self.config).await?;
        let at_end = names(&self.config.program_lists.shutdown);
        Ok((Running { region, at_end, tn3270: doors.addresses.clone(), toolchain, doors }, messages))
    }
}

impl Running {
    /// Ends the region in order: no new tasks; those that run may end by themselves, except that nobody waits for a
    /// person at a terminal; those that do not end are purged. Terminals see the last screens of their tasks. The
    /// programs of the shutdown list run before.
    pub async fn shut_down(self) {
        kernel::program_lists::run(&self.region, &self.at_end).await;
        self.region.dispatcher().close();
        if tokio::time::timeout(QUIESCE, self.tasks_end()).await.is_err() {
            self.purge(|_| true);
        }
        self.doors.close(&self.region).await;
        self.region.stop();
        // The next start finds everything in the base, and has nothing to replay.
        if let Err(error) = self.region.records.checkpoint() {
            tracing::warn!(target: "RM", "the last checkpoint failed, the log keeps everything: {error}");
        }
    }

    async fn tasks_end(&self) {
        while tokio::time::timeout(LOOK_EVERY, self.region.dispatcher().idle()).await.is_err() {
            self.purge(|task| task.waits_for() == Some(WaitKind::Terminal));
        }
    }

    fn purge(&self, which: impl Fn(&TaskControl) -> bool) {
        for task in self.region.dispatcher().tasks().iter().filter(|task| which(task)) {
            tracing::warn!(target: "DS", "task {} ({}) is purged: the region ends", task.number, task.transaction);
            task.purge();
        }
    }
}

fn names(programs: &[String]) -> Vec<Name8> {
    programs.iter().map(|program| Name8::from(program.as_str())).collect()
}

fn options(config: &RegionConfig, state: &Path) -> RegionOptions {
    let sit = &config.sit;
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    RegionOptions {
        applid: Name8::from(config.applid.as_str()),
        sysid: Name::from(config.sysid.as_str()),
        open_tcbs: sit.max_open_tcbs.map_or(processors, |n| n as usize),
        tasks_max: sit.mxt as usize,
        runaway_ms: sit.icvr.into(),
        cwa_length: sit.wrkarea as usize,
        terminal_code_page: config.terminal.code_page,
        autoinstall_programs: sit.autoinstall_programs.then_some(Concurrency::Quasirent),
        unknown_transaction: sit.dtrtran.as_deref().map(TransactionName::from),
        date_form: match sit.datform {
            config::DateForm::Mmddyy => DateForm::Mmddyy,
            config::DateForm::Ddmmyy => DateForm::Ddmmyy,
            config::DateForm::Yymmdd => DateForm::Yymmdd,
        },
        ts_main_bytes_max: usize::try_from(sit.ts_main_limit).unwrap_or(usize::MAX),
        greeting_transaction: TransactionName::from(sit.gmtran.as_str()),
        greeting: sit.gmtext.clone(),
        default_user: default_user(&sit.dfltuser, &config.security.default_rights),
        runtime_folder: state.join(RUNTIME),
        dump_folder: state.join(DUMPS),
    }
}

/// The data sets of a state. Nobody else can have them open at the same time.
pub(crate) async fn open_data_sets(state: &Path) -> Result<Arc<Vsam>, Vec<Diagnostic>> {
    let data = state.join(DATA);
    std::fs::create_dir_all(&data).map_err(|error| unwritable(&data, &error))?;
    let failed = |why: String| {
        let message = Diagnostic::error(codes::START, format!("the data sets cannot be opened: {why}"));
        vec![
            message
                .help("if a region runs on this state, end it first, or name another state with --data DIR"),
        ]
    };
    let records = records::Local::open(&data, records::Limits::default());
    let records = records.map_err(|error| failed(error.to_string()))?;
    Vsam::open(records).await.map_err(|error| failed(error.to_string()))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Vec<Diagnostic> {
    let message =
        format!("the region keeps its state in {}, which cannot be written: {error}", path.display());
    vec![
        Diagnostic::error(codes::UNWRITABLE, message)
            .help("name another folder with --data DIR, or mend its rights"),
    ]
}
