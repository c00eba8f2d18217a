//! Starting a region, and ending it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use ::sockets::Sockets;
use config::{DataConfig, DataLimits, RegionConfig};
use datasets::DataSets;
use diagnostics::Diagnostic;
use kernel::interval::DateForm;
use kernel::monitoring::MonitoringOptions;
use kernel::name::{Name, Name8, TransactionName};
use kernel::programs::Concurrency;
use kernel::region::{Region, RegionOptions, RegionParts};
use kernel::restart::{self, Asked, Recovered, Restart};
use kernel::services::Service;
use kernel::statistics::Schedule;
use kernel::task::{TaskControl, WaitKind};
use records::Limits;
use tokio::task::JoinHandle;
use toolchain::Toolchain;
use vsam::Vsam;

use crate::doors::Doors;
use crate::library::Sources;
use crate::templates::Templates;
use crate::users::{Users, default_user};
use crate::{codes, definitions, doors, protection, resources, sockets};

/// The folder of data sets and log within the state.
const DATA: &str = "data";
/// The folder of sequential data sets within the state.
const SEQUENTIAL: &str = "sequential";
/// The folder of the TCBs' copies of the COBOL runtime within the state.
const RUNTIME: &str = "runtime";
/// The folder of dumps within the state.
const DUMPS: &str = "dumps";
/// The folder of the files of monitoring and statistics within the state.
pub const RECORD_FOLDER: &str = "instruments";
/// The folder of journals within the state.
const JOURNALS: &str = "journals";
/// For tasks to end by themselves before somebody who waits for the region's end is told which it waits for.
const PROMPT: Duration = Duration::from_secs(1);
/// For them to end by themselves before they are purged.
const QUIESCE: Duration = Duration::from_secs(30);
/// For tasks that are purged to give way.
const GIVE_WAY: Duration = Duration::from_secs(5);
/// How often queues of temporary storage are looked at that nobody uses.
const EXPIRE_EVERY: Duration = Duration::from_secs(60);
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
    /// Its IP sockets.
    pub sockets: Arc<Sockets>,
    /// Where it listens for terminals in clear.
    pub tn3270: Vec<SocketAddr>,
    /// Where it listens for terminals that begin with a TLS handshake.
    pub tn3270_tls: Vec<SocketAddr>,
    /// Its programs and maps.
    pub toolchain: Arc<Toolchain>,
    at_end: Vec<Name8>,
    /// What the start was, and what it has brought back.
    pub recovered: Recovered,
    doors: Doors,
    expiry: JoinHandle<()>,
    access: access::Server,
}

impl Startup<'_> {
    /// Starts the region and opens its doors. It must be called within a `LocalSet`, on which the doors run.
    ///
    /// # Errors
    /// Everything that is wrong, as messages for the user.
    pub async fn start(self) -> Result<(Running, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (definitions, messages) = definitions::read(self.root, self.config)?;
        let site = Arc::new(open_site(self.root, self.state, &self.config.data).await?);
        let vsam = Arc::clone(&site.vsam);
        // The copies of a region that was killed are of no use to anyone: its data could not be ours otherwise.
        let runtime = self.state.join(RUNTIME);
        let _ = std::fs::remove_dir_all(&runtime);
        std::fs::create_dir_all(&runtime).map_err(|error| unwritable(&runtime, &error))?;
        let mut messages = messages;
        messages.extend(resources::define_data_sets(self.root, self.config, &definitions, &site).await?);
        resources::load(self.root, self.config, &vsam).await?;
        let toolchain = Arc::new(self.toolchain);
        let templates = Templates::new(self.root, self.config, &definitions)?;
        let sockets = sockets::open(self.config);
        let (listeners, told) = sockets::listeners(self.root, self.config)?;
        messages.extend(told);
        let restart = Restart::decide(vsam.engine(), asked(self.config)).await.map_err(not_restarted)?;
        let parts = RegionParts {
            library: Arc::new(Sources { toolchain: Arc::clone(&toolchain), templates }),
            users: Arc::new(Users(self.users)),
            vsam,
            stores: restart.stores,
            services: vec![Arc::clone(&sockets) as Arc<dyn Service>],
        };
        let options = options(self.config, self.state);
        let region = Region::start(options, parts)
            .map_err(|error| vec![Diagnostic::error(codes::START, error.to_string())])?;
        definitions::install(&region, self.config, &definitions);
        resources::install(self.root, self.config, &definitions, &region);
        sockets.install(&region, listeners, sockets::conversations(self.config));
        let recovered =
            restart.recover(&region, self.config.sit.td_intra_kept).await.map_err(not_restarted)?;
        region.files.open_at_startup(&region).await;
        kernel::program_lists::run(&region, &names(&self.config.program_lists.startup)).await;
        let doors = match doors::open(&region, self.root, self.config).await {
            Ok(doors) => doors,
            Err(messages) => {
                // Only the program list has run: the next start finds what this one has found.
                end(&region).await;
                return Err(messages);
            }
        };
        let access = match access::serve(self.state, site) {
            Ok(access) => access,
            Err(error) => {
                end(&region).await;
                return Err(unwritable(self.state, &error));
            }
        };
        tracing::info!(target: "SI", "{recovered}");
        restart::release(&region);
        if let Err((address, errno)) = sockets.start(&region).await {
            end(&region).await;
            return Err(sockets::taken(self.config, address, errno));
        }
        let expiry = tokio::task::spawn_local(expire_queues(Arc::downgrade(&region)));
        let (tn3270, tn3270_tls) = (doors.plain.clone(), doors.secure.clone());
        let at_end = names(&self.config.program_lists.shutdown);
        Ok((
            Running {
                region,
                sockets,
                at_end,
                tn3270,
                tn3270_tls,
                toolchain,
                doors,
                access,
                expiry,
                recovered,
            },
            messages,
        ))
    }
}

/// Deletes the queues of temporary storage that nobody uses any more.
async fn expire_queues(region: Weak<Region>) {
    loop {
        tokio::time::sleep(EXPIRE_EVERY).await;
        let Some(region) = region.upgrade() else { return };
        let expired = region.temporary_storage.expire(std::time::Instant::now());
        if expired > 0 {
            tracing::info!(target: "TS", "{expired} queues have expired");
        }
    }
}

/// Ends the region's threads, and writes what the next start finds of it. No task runs any more.
async fn end(region: &Region) {
    region.stop();
    region.interval.stop();
    region.journals.close();
    if let Err(error) = restart::keypoint(region).await {
        tracing::error!(target: "RM", "no warm keypoint, the next start is an emergency restart: {error}");
    }
    // The next start finds everything in the base, and has nothing to replay.
    if let Err(error) = region.records.checkpoint() {
        tracing::warn!(target: "RM", "the last checkpoint failed, the log keeps everything: {error}");
    }
}

impl Running {
    /// Ends the region in order: no new tasks; those that run may end by themselves, except that nobody waits for a
    /// person at a terminal; those that do not end are purged. Terminals see the last screens of their tasks. The
    /// programs of the shutdown list run before.
    pub async fn shut_down(mut self) {
        kernel::program_lists::run(&self.region, &self.at_end).await;
        self.region.dispatcher().close();
        self.sockets.close();
        self.access.close().await;
        let over = self.tasks_end_within(PROMPT).await || {
            self.tell_tasks("is waited for: the region ends");
            self.tasks_end_within(QUIESCE).await || self.purge_all().await
        };
        self.doors.close(&self.region).await;
        self.expiry.abort();
        if over {
            end(&self.region).await;
        }
    }

    /// Ends the region as a crash would: nothing is kept but what is in the log.
    pub async fn crash(mut self) {
        self.region.dispatcher().close();
        self.access.close().await;
        let over = self.purge_all().await;
        self.doors.close(&self.region).await;
        self.expiry.abort();
        if over {
            self.region.stop();
            self.region.interval.stop();
        }
    }

    /// Whether all tasks end by themselves within a time.
    async fn tasks_end_within(&self, time: Duration) -> bool {
        let end = async {
            while tokio::time::timeout(LOOK_EVERY, self.region.dispatcher().idle()).await.is_err() {
                // Nobody waits for a person, nor for work that may never come.
                self.purge(|task| {
                    matches!(task.waits_for(), Some(WaitKind::Terminal | WaitKind::SocketWork))
                });
            }
        };
        tokio::time::timeout(time, end).await.is_ok()
    }

    /// Purges all tasks. Whether they have given way: one that loops without a command does not, if it may do so for
    /// ever (ICVR). Then its thread is left to the process's own end, and the next start is an emergency restart.
    async fn purge_all(&self) -> bool {
        self.purge(|_| true);
        let over = tokio::time::timeout(GIVE_WAY, self.region.dispatcher().idle()).await.is_ok();
        if !over {
            self.tell_tasks("does not give way: the region ends without it, as after a crash");
        }
        over
    }

    fn tell_tasks(&self, what: &str) {
        for task in self.region.dispatcher().tasks() {
            tracing::warn!(target: "DS", "task {} ({}) {what}", task.number, task.transaction);
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

fn asked(config: &RegionConfig) -> Asked {
    match config.sit.start {
        config::StartType::Auto => Asked::Auto,
        config::StartType::Cold => Asked::Cold,
        config::StartType::Initial => Asked::Initial,
    }
}

fn not_restarted(error: records::Error) -> Vec<Diagnostic> {
    vec![Diagnostic::error(codes::START, format!("what the last run has left cannot be read: {error}"))]
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
        file_timeout_s: sit.ftimeout,
        ts_main_bytes_max: usize::try_from(sit.ts_main_limit).unwrap_or(usize::MAX),
        greeting_transaction: TransactionName::from(sit.gmtran.as_str()),
        greeting: sit.gmtext.clone(),
        default_user: default_user(&sit.dfltuser, &config.security.default_rights),
        runtime_folder: state.join(RUNTIME),
        dump_folder: state.join(DUMPS),
        monitoring: MonitoringOptions { on: sit.mn, performance: sit.mnper },
        statistics: Schedule { interval_s: sit.statint, end_of_day_s: sit.stateod, recording: sit.statrcd },
        record_folder: state.join(RECORD_FOLDER),
        journal_folder: state.join(JOURNALS),
    }
}

/// All data sets of a state, sequential ones too. Nobody else can have them open at the same time.
///
/// # Errors
/// Why they cannot be opened.
pub async fn open_site(root: &Path, state: &Path, config: &DataConfig) -> Result<DataSets, Vec<Diagnostic>> {
    let vsam = open_data_sets(root, state, config).await?;
    DataSets::open(vsam, &state.join(SEQUENTIAL)).await.map_err(|error| unopened(&error.to_string()))
}

/// The data sets of a state. Nobody else can have them open at the same time.
pub(crate) async fn open_data_sets(
    root: &Path,
    state: &Path,
    config: &DataConfig,
) -> Result<Arc<Vsam>, Vec<Diagnostic>> {
    let key = config.encryption_key.as_ref().map(|source| protection::key(root, source)).transpose()?;
    let data = state.join(DATA);
    std::fs::create_dir_all(&data).map_err(|error| unwritable(&data, &error))?;
    let records = records::Local::open_with(&data, limits(&config.limits), key);
    let records = records.map_err(|error| match error {
        records::Error::Key(why) => protection::refused(&data, why, config.encryption_key.as_ref()),
        error if !is_writable(&data) => unwritable(&data, &error),
        error => unopened(&error.to_string()),
    })?;
    // CICS-maintained data tables are copies that stand between the data sets and whoever reads them.
    Vsam::open(records::Copies::over(records)).await.map_err(|error| unopened(&error.to_string()))
}

/// Whether files can be made in a folder.
fn is_writable(folder: &Path) -> bool {
    let probe = folder.join(format!("probe-{}", std::process::id()));
    let written = std::fs::File::create(&probe).is_ok();
    let _ = std::fs::remove_file(&probe);
    written
}

fn unopened(why: &str) -> Vec<Diagnostic> {
    let message = Diagnostic::error(codes::START, format!("the data sets cannot be opened: {why}"));
    vec![message.help("if a region runs on this state, end it first, or name another state with --data DIR")]
}

/// The record engine's limits, with those that the configuration sets.
fn limits(config: &DataLimits) -> Limits {
    const MEGABYTE: u64 = 1 << 20;
    let bytes = |megabytes: Option<u32>| megabytes.map(|mb| u64::from(mb) * MEGABYTE);
    let size = |megabytes, default| bytes(megabytes).map_or(default, |bytes| bytes as usize);
    let default = Limits::default();
    let overlay_bytes = size(config.memory_mb, default.overlay_bytes);
    Limits {
        log_bytes: bytes(config.log_mb).unwrap_or(default.log_bytes),
        overlay_bytes,
        // While a checkpoint writes one half, the other can fill.
        checkpoint_bytes: default.checkpoint_bytes.min(overlay_bytes / 2),
        base_bytes: size(config.size_mb, default.base_bytes),
        locks_per_owner: config.locks.map_or(default.locks_per_owner, |locks| locks as usize),
        ..default
    }
}

fn unwritable(path: &Path, error: &dyn std::fmt::Display) -> Vec<Diagnostic> {
    let message = format!("the region keeps its state in {}, which cannot be used: {error}", path.display());
    vec![
        Diagnostic::error(codes::UNWRITABLE, message)
            .help("name another folder with --data DIR, or mend its rights"),
    ]
}
