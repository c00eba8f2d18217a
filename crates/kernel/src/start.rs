//! How a region is built, started and stopped: the one place that knows every domain.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use ::security::guesses::{Guesses, Revocation};
use cobol::Area;
use parking_lot::Mutex;
use std::sync::atomic::AtomicBool;

use tokio::sync::{Notify, oneshot};

use crate::catalog;
use crate::definitions::{self, Statuses, Texts};
use crate::diagnostics::Reasons;
use crate::dispatcher::{Dispatcher, Door, Lookout, start_tcb};
use crate::exec::{Commands, Watchers};
use crate::files::Files;
use crate::interval::DateForm;
use crate::lines::Lines;
use crate::locks;
use crate::meters::Meter;
use crate::monitoring::{Monitoring, MonitoringOptions};
use crate::parts::Parts;
use crate::programs::{Concurrency, Library, Programs};
use crate::recovery::{self, UnitId};
use crate::region::{Region, RegionOptions};
use crate::security::{Checked, Security, User, UserFile, Users};
use crate::services::{self, Service, Services};
use crate::statistics::{Schedule, Statistics, Timer};
use crate::storage::{Dsa, TaskStorage};
use crate::stores::Stores;
use crate::transactions::Transactions;

/// How some domains begin.
pub struct Settings {
    /// What programs without a definition are installed as (PGAIPGM).
    pub autoinstall_programs: Option<Concurrency>,
    /// The order of a date's parts where a program leaves it to the region (DATFORM).
    pub date_form: DateForm,
    /// The user of terminals that nobody has signed on at.
    pub default_user: User,
    /// After how many wrong passwords a user is revoked for a while.
    pub revocation: Revocation,
    /// SEC=YES: what is checked; `None`: the rights of users decide.
    pub security: Option<Checked>,
    /// At whose terminals the reason of an abend stands behind its code.
    pub abend_reasons: Reasons,
    /// What is monitored from the start.
    pub monitoring: MonitoringOptions,
    /// When statistics are collected.
    pub statistics: Schedule,
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
    /// How some domains begin.
    pub settings: Settings,
    /// What programs CALL, beside Language Environment.
    pub services: Vec<Arc<dyn Service>>,
}

/// Watches a region as long as it is there, and writes into the log what an operator wants to know unasked.
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

/// The TCBs of a region: their threads wait for it.
#[derive(Default)]
struct Tcbs {
    doors: Vec<Door>,
    threads: Vec<JoinHandle<()>>,
    meters: Vec<Arc<Meter>>,
    waiting: Vec<oneshot::Sender<Arc<Region>>>,
}

impl Tcbs {
    /// Starts them: QR and the open ones.
    fn start(options: &RegionOptions, services: &[Arc<dyn Service>]) -> Result<Self, StartError> {
        let installation = cobol::Installation::find()?;
        let mut tcbs = Self::default();
        for index in 0..=options.open_tcbs {
            let (region_sender, region_receiver) = oneshot::channel();
            let name = if index == 0 { String::from("QR") } else { format!("open-{index}") };
            let meter = Arc::new(Meter::new(name));
            tcbs.meters.push(Arc::clone(&meter));
            let (door, inside) = Door::new(meter);
            let (folder, services) = (options.runtime_folder.clone(), services::names(services));
            let thread = start_tcb(index, inside, &installation, folder, &services, region_receiver)?;
            tcbs.doors.push(door);
            tcbs.threads.push(thread);
            tcbs.waiting.push(region_sender);
        }
        Ok(tcbs)
    }
}

/// Starts a region's TCBs. Definitions are installed afterwards, front doors opened by the caller.
///
/// # Errors
/// See [`StartError`].
pub fn start(options: RegionOptions, parts: RegionParts) -> Result<Arc<Region>, StartError> {
    commands().install();
    let Tcbs { doors, threads, meters, waiting } = Tcbs::start(&options, &parts.services)?;
    let (vsam, stores) = (Arc::clone(&parts.vsam), parts.stores);
    let dsa = Dsa::new(options.storage_bytes_max);
    let secured = parts.settings.security.is_some();
    let mut kept = domains(&options, parts, meters)?;
    let followers = catalog::domains().iter().filter_map(|domain| domain.follower).collect();
    kept.put(Dispatcher::new((doors, threads), options.tasks_max, followers));
    let region = Arc::new(Region {
        coordinator: recovery::coordinator(vsam.engine(), stores.decisions),
        records: Arc::clone(vsam.engine()),
        memory: records::Memory::new(Arc::clone(vsam.engine().locks())),
        first_unit: UnitId::first_of_run(),
        stores,
        lines: Lines::default(),
        shared_storage: Mutex::new(TaskStorage::of(&dsa)),
        dsa,
        cwa: Mutex::new(Area::new(options.cwa_length)),
        vsam,
        shutdown: Notify::new(),
        immediate_shutdown: Notify::new(),
        watched: AtomicBool::new(false),
        secured,
        parts: kept,
        options,
    });
    crate::supplied::install(&region);
    Timer::start(&region)?;
    Dispatcher::of(&region).watch(&region)?;
    crate::program_lists::install(&region);
    for sender in waiting {
        // A TCB that has gone away would have failed to start above.
        let _ = sender.send(Arc::clone(&region));
    }
    Ok(region)
}

/// All commands with their handlers, CREATE and DISCARD of every type that is defined among them.
pub fn commands() -> Commands {
    let domains = catalog::domains();
    let own = domains.iter().flat_map(|domain| domain.commands.iter().copied().flatten().copied());
    Commands::new(own.chain(definitions::handlers()))
}

/// What is kept in a region: what needs more than the options to begin, and what each domain begins with.
fn domains(options: &RegionOptions, parts: RegionParts, meters: Vec<Arc<Meter>>) -> io::Result<Parts> {
    let (mut kept, settings) = (Parts::default(), parts.settings);
    kept.put(locks::Names {
        task: |region, owner| Dispatcher::of(region).task_of(owner),
        file: |region, store| Files::of(region).of_store(store),
    });
    kept.put(Guesses::new(settings.revocation));
    kept.put(Monitoring::new(settings.monitoring, options.record_folder.clone(), meters.len())?);
    kept.put(Programs::new(parts.library, settings.autoinstall_programs));
    kept.put(Services(parts.services));
    kept.put(Statistics::new(settings.statistics, options.record_folder.clone(), meters)?);
    kept.put(Statuses::default());
    kept.put(Texts::default());
    kept.put(Transactions::default());
    kept.put(settings.date_form);
    kept.put(settings.abend_reasons);
    if let Some(checked) = settings.security {
        let profiles = parts.users.profiles().map_err(io::Error::other)?;
        kept.put(Security::new(checked, profiles));
    }
    kept.put(Users { file: parts.users, default: Arc::new(settings.default_user) });
    kept.put(Watchers::default());
    catalog::domains().iter().for_each(|domain| (domain.begin)(&mut kept, options));
    Ok(kept)
}

/// Ends the TCBs. Call it when no task runs ([`Dispatcher::idle`]); tasks that do are cut off.
pub fn stop(region: &Region) {
    Dispatcher::of(region).stop();
    Monitoring::of(region).stop();
    Statistics::of(region).stop(region);
}
