//! A region: everything that tasks share.
//!
//! Threads of all TCBs hold the same `Arc<Region>`. Each domain guards its own part; no lock is held while a task waits.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use cobol::Area;
use coordinator::Coordinator;
use ebcdic::CodePage;
use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use crate::counters::Counters;
use crate::definitions::Texts;
use crate::diagnostics::{Diagnostics, Reasons};
use crate::dispatcher::{Attach, AttachError, Dispatcher, Door, Lookout, Watchdog, start_tcb};
use crate::documents::TemplateNames;
use crate::enqueue::definition::Models;
use crate::events::Events;
use crate::exec::Watchers;
use crate::files::{Files, Tables};
use crate::interval::{DateForm, IntervalControl};
use crate::journals::Journals;
use crate::maps::Mapsets;
use crate::monitoring::{Monitoring, MonitoringOptions};
use crate::name::{Name, Name8};
use crate::programs::{Concurrency, Library, Programs};
use crate::recovery::{self, UnitId};
use crate::restart::{Statuses, Stores};
use crate::security::{Guesses, User, UserFile};
use crate::services::{self, Service};
use crate::statistics::{Meter, Schedule, Statistics, Timer};
use crate::storage::{Dsa, TaskStorage};
use crate::temporary_storage::TemporaryStorage;
use crate::terminals::Terminals;
use crate::transactions::Transactions;
use crate::transient_data::TransientData;

/// What a region is started with.
pub struct RegionOptions {
    /// The region's application identifier.
    pub applid: Name8,
    /// Its system identifier.
    pub sysid: Name<4>,
    /// How many open TCBs there are beside QR.
    pub open_tcbs: usize,
    /// MXT.
    pub tasks_max: usize,
    /// ICVR, in milliseconds; 0: no limit.
    pub runaway_ms: u64,
    /// Bytes of the common work area.
    pub cwa_length: usize,
    /// The code page of terminals.
    pub terminal_code_page: CodePage,
    /// FORCEQR: programs that say THREADSAFE run on the QR TCB.
    pub force_qr: bool,
    /// Where the files of extrapartition queues are that definitions name.
    pub queue_folder: PathBuf,
    /// What programs without a definition are installed as (PGAIPGM).
    pub autoinstall_programs: Option<Concurrency>,
    /// The transaction that stands for unknown ones (DTRTRAN).
    pub unknown_transaction: Option<crate::name::TransactionName>,
    /// The order of a date's parts where a program leaves it to the region (DATFORM).
    pub date_form: DateForm,
    /// Bytes that tasks may have of storage together (EDSALIM).
    pub storage_bytes_max: usize,
    /// Seconds that a request in RLS mode waits for a record, where its transaction has no DTIMOUT (FTIMEOUT).
    pub file_timeout_s: u32,
    /// Bytes that temporary storage may take in main storage (TSMAINLIMIT).
    pub ts_main_bytes_max: usize,
    /// The first transaction at a terminal; blank: none (GMTRAN).
    pub greeting_transaction: crate::name::TransactionName,
    /// The words of the greeting (GMTEXT).
    pub greeting: String,
    /// The user of terminals that nobody has signed on at.
    pub default_user: User,
    /// Silence of a terminal after which its user is signed off.
    pub sign_off_after: Option<Duration>,
    /// Where a TCB keeps its copies of runtime and modules.
    pub runtime_folder: PathBuf,
    /// Where dumps go.
    pub dump_folder: PathBuf,
    /// Whether an abend that no program handles leaves a dump.
    pub abend_dumps: bool,
    /// At whose terminals the reason of an abend stands behind its code.
    pub abend_reasons: Reasons,
    /// What is monitored from the start.
    pub monitoring: MonitoringOptions,
    /// When statistics are collected.
    pub statistics: Schedule,
    /// Where the records of monitoring and statistics go.
    pub record_folder: PathBuf,
    /// Where the files of journals are.
    pub journal_folder: PathBuf,
}

/// The parts that a region is built from.
pub struct RegionParts {
    /// Where programs and maps come from.
    pub library: Arc<dyn Library>,
    /// The users.
    pub users: Arc<dyn UserFile>,
    /// The data sets; their record engine is the region's.
    pub vsam: Arc<vsam::Vsam>,
    /// Where in the record engine the region keeps what outlives it.
    pub stores: Stores,
    /// What programs CALL, beside Language Environment.
    pub services: Vec<Arc<dyn Service>>,
}

/// A region.
pub struct Region {
    /// What it was started with.
    pub options: RegionOptions,
    /// What the CSD texts say of its resources.
    pub definitions: Texts,
    /// Transaction definitions.
    pub transactions: Transactions,
    /// Programs.
    pub programs: Programs,
    /// Terminals.
    pub terminals: Terminals,
    /// Users.
    pub users: Arc<dyn UserFile>,
    /// Passwords that were wrong.
    pub guesses: Guesses,
    /// The default user.
    pub default_user: Arc<User>,
    /// The record engine.
    pub records: Arc<dyn records::Engine>,
    /// It ends units of work that have changes elsewhere, too.
    pub coordinator: Arc<Coordinator>,
    /// The number before that of this run's first unit of work.
    pub first_unit: u64,
    /// Where in it the region keeps what outlives it.
    pub stores: Stores,
    /// What definitions said of resources whose status can be set.
    pub statuses: Statuses,
    /// What all tasks together may have of storage.
    pub dsa: Arc<Dsa>,
    /// GETMAIN SHARED.
    pub shared_storage: Mutex<TaskStorage>,
    /// Mapsets.
    pub mapsets: Mapsets,
    /// Files.
    pub files: Files,
    /// Data tables.
    pub tables: Tables,
    /// Their data sets.
    pub vsam: Arc<vsam::Vsam>,
    /// Temporary storage.
    pub temporary_storage: TemporaryStorage,
    /// Transient data.
    pub transient_data: TransientData,
    /// Who looks at every command.
    pub watchers: Watchers,
    /// Traces and dumps.
    pub diagnostics: Diagnostics,
    /// Performance records.
    pub monitoring: Monitoring,
    /// Statistics.
    pub statistics: Statistics,
    /// Journals.
    pub journals: Journals,
    /// Other names of templates.
    pub templates: TemplateNames,
    /// Names that programs may enqueue upon.
    pub enqueue_models: Models,
    /// Named counters.
    pub counters: Counters,
    /// Event control areas.
    pub events: Events,
    /// Pending STARTs, DELAYs and POSTs.
    pub interval: IntervalControl,
    /// The common work area.
    pub cwa: Mutex<Area>,
    /// The code page of terminals.
    pub terminal_code_page: CodePage,
    /// What programs CALL, beside Language Environment.
    pub services: Vec<Arc<dyn Service>>,
    /// PERFORM SHUTDOWN: whoever runs the region waits for it.
    pub shutdown: Notify,
    /// PERFORM SHUTDOWN IMMEDIATE: the same, and nobody waits for tasks.
    pub immediate_shutdown: Notify,
    dispatcher: OnceLock<Dispatcher>,
    watchdog: Watchdog,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Watches a region as long as it is there, and tells in the log what an operator wants to know without asking.
pub async fn watch(region: std::sync::Weak<Region>) {
    Lookout::run(region).await;
}

/// Why a region does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The COBOL runtime.
    #[error(transparent)]
    Cobol(#[from] cobol::Error),
    /// The operating system.
    #[error("a thread cannot be started: {0}")]
    Thread(#[from] io::Error),
}

impl Region {
    /// Starts a region's TCBs. Definitions are installed afterwards, front doors opened by the caller.
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn start(options: RegionOptions, parts: RegionParts) -> Result<Arc<Self>, StartError> {
        let installation = cobol::Installation::find()?;
        let mut doors = Vec::new();
        let mut threads = Vec::new();
        let mut waiting = Vec::new();
        let mut meters = Vec::new();
        for index in 0..=options.open_tcbs {
            let (region_sender, region_receiver) = oneshot::channel();
            let folder = options.runtime_folder.clone();
            let name = if index == 0 { String::from("QR") } else { format!("open-{index}") };
            let meter = Arc::new(Meter::new(name));
            meters.push(Arc::clone(&meter));
            let services = services::names(&parts.services);
            let (door, inside) = Door::new(meter);
            let made = start_tcb(index, inside, &installation, folder, &services, region_receiver);
            doors.push(door);
            threads.push(made?);
            waiting.push(region_sender);
        }
        let dsa = Dsa::new(options.storage_bytes_max);
        let region = Arc::new(Self {
            definitions: Texts::default(),
            transactions: Transactions::default(),
            programs: Programs::new(parts.library, options.autoinstall_programs),
            terminals: Terminals::default(),
            users: parts.users,
            guesses: Guesses::default(),
            default_user: Arc::new(options.default_user.clone()),
            coordinator: recovery::coordinator(parts.vsam.engine(), parts.stores.decisions),
            records: Arc::clone(parts.vsam.engine()),
            first_unit: UnitId::first_of_run(),
            stores: parts.stores,
            statuses: Statuses::default(),
            shared_storage: Mutex::new(TaskStorage::of(&dsa)),
            dsa,
            cwa: Mutex::new(Area::new(options.cwa_length)),
            files: Files::default(),
            tables: Tables::new(&**parts.vsam.engine()),
            vsam: parts.vsam,
            mapsets: Mapsets::default(),
            temporary_storage: TemporaryStorage::new(options.ts_main_bytes_max),
            transient_data: TransientData::default(),
            watchers: Watchers::default(),
            diagnostics: Diagnostics::new(options.dump_folder.clone()),
            journals: Journals::new(options.journal_folder.clone(), options.applid, User::region().id),
            templates: TemplateNames::default(),
            enqueue_models: Models::default(),
            counters: Counters::default(),
            monitoring: Monitoring::new(options.monitoring, options.record_folder.clone(), meters.len())?,
            statistics: Statistics::new(options.statistics, options.record_folder.clone(), meters)?,
            events: Events::default(),
            interval: IntervalControl::default(),
            terminal_code_page: options.terminal_code_page,
            services: parts.services,
            shutdown: Notify::new(),
            immediate_shutdown: Notify::new(),
            dispatcher: OnceLock::new(),
            watchdog: Watchdog::default(),
            threads: Mutex::new(threads),
            options,
        });
        let _ = region.dispatcher.set(Dispatcher::new(doors, region.options.tasks_max));
        crate::supplied::install(&region);
        Timer::start(&region)?;
        region.watchdog.start(&region)?;
        crate::program_lists::install(&region);
        for sender in waiting {
            // A TCB that has gone away would have failed to start above.
            let _ = sender.send(Arc::clone(&region));
        }
        Ok(region)
    }

    /// The dispatcher.
    ///
    /// # Panics
    /// Never: it is set before anybody else has the region.
    pub fn dispatcher(&self) -> &Dispatcher {
        self.dispatcher.get().expect("set at the start")
    }

    /// Attaches a task.
    ///
    /// # Errors
    /// Why not.
    pub fn attach(self: &Arc<Self>, attach: Attach) -> Result<u32, AttachError> {
        self.dispatcher().attach(self, attach)
    }

    /// Ends the TCBs. Call it when no task runs ([`Dispatcher::idle`]); tasks that do are cut off.
    pub fn stop(&self) {
        self.watchdog.stop();
        self.dispatcher().stop();
        for thread in self.threads.lock().drain(..) {
            if thread.join().is_err() {
                tracing::error!(target: "DS", "a TCB ended with a panic");
            }
        }
        self.monitoring.stop();
        self.statistics.stop(self);
    }
}
