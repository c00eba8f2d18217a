//! The building, start and stop of a region: the one place that knows every domain.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use ::security::guesses::{Guesses, Revocation};
use parking_lot::RwLock;
use tokio::sync::oneshot;

use crate::supplied::edf;
use crate::{definitions, system};
use domains::documents;
use domains::files::Files;
use domains::interval::DateForm;
use domains::journals;
use domains::statistics::{Schedule, Statistics, Timer};
use kernel::catalog;
use kernel::debugging::Debuggers;
use kernel::diagnostics::{AuxiliaryStatus, Trace, TraceOptions};
use kernel::dispatcher::{Dispatcher, Door, Lookout, start_tcb};
use kernel::exec::{Commands, Shipper, Watchers};
use kernel::health::{Health, Pace};
use kernel::locks;
use kernel::meters::Meter;
use kernel::monitoring::{Monitoring, MonitoringOptions};
use kernel::notices::Notices;
use kernel::parts::Parts;
use kernel::programs::{Concurrency, Library, Programs};
use kernel::recovery::{self, UnitId};
use kernel::region::{Foundation, Region, RegionOptions};
use kernel::security::{Checked, Security, User, UserFile, Users};
use kernel::services::{Service, Services};
use kernel::spans::Spans;
use kernel::stores::Stores;
use kernel::task::Oversight;
use kernel::transactions::Transactions;

/// The settings with which some domains begin.
pub struct Settings {
    /// The concurrency with which programs without a definition are installed (PGAIPGM).
    pub autoinstall_programs: Option<Concurrency>,
    /// The order of a date's parts where a program leaves it to the region (DATFORM).
    pub date_form: DateForm,
    /// The user of terminals without a sign-on.
    pub default_user: User,
    /// After how many wrong passwords a user is revoked for a while.
    pub revocation: Revocation,
    /// SEC=YES: the checks made; `None`: the rights of users decide.
    pub security: Option<Checked>,
    /// The monitoring from the start.
    pub monitoring: MonitoringOptions,
    /// When statistics are collected.
    pub statistics: Schedule,
    /// The trace from the start.
    pub trace: TraceOptions,
    /// WLMHEALTH: the steps of the region's health; `None` if it is OFF.
    pub health: Option<Pace>,
}

/// The parts that a region is built from.
pub struct RegionParts {
    /// The source of programs and maps.
    pub library: Arc<dyn Library>,
    /// The users.
    pub users: Arc<dyn UserFile>,
    /// The data sets; their record engine is the region's.
    pub vsam: Arc<vsam::Vsam>,
    /// The stores of the record engine in which the region keeps what outlives it.
    pub stores: Stores,
    /// The settings with which some domains begin.
    pub settings: Settings,
    /// The services that programs CALL, beside Language Environment.
    pub services: Vec<Arc<dyn Service>>,
}

/// Watches a region as long as it exists, and writes into the log the events that an operator wants to know unasked.
pub async fn watch(region: std::sync::Weak<Region>) {
    Lookout::run(region).await;
}

/// The reason why a region does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
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
    fn start(options: &RegionOptions) -> Result<Self, StartError> {
        let mut tcbs = Self::default();
        for index in 0..=options.open_tcbs {
            let (region_sender, region_receiver) = oneshot::channel();
            let name = if index == 0 { String::from("QR") } else { format!("open-{index}") };
            let meter = Arc::new(Meter::new(name));
            tcbs.meters.push(Arc::clone(&meter));
            let (door, inside) = Door::new(meter);
            let thread = start_tcb(index, inside, region_receiver)?;
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
    bring_domains();
    commands().install();
    let Tcbs { doors, threads, meters, waiting } = Tcbs::start(&options)?;
    let foundation = Foundation {
        coordinator: recovery::coordinator(parts.vsam.engine(), parts.stores.decisions),
        vsam: Arc::clone(&parts.vsam),
        stores: parts.stores,
        first_unit: UnitId::first_of_run(),
        secured: parts.settings.security.is_some(),
    };
    let (internal, auxiliary) = (parts.settings.trace.internal, parts.settings.trace.auxiliary);
    let mut kept = kept(&options, parts, meters)?;
    let followers = catalog::domains().iter().filter_map(|domain| domain.follower).collect();
    kept.put(Dispatcher::new((doors, threads), options.tasks_max, followers));
    let region = Arc::new(Region::new(options, foundation, kept));
    crate::supplied::install(&region);
    Statistics::of(&region).register(Arc::new(journals::Teller));
    Statistics::of(&region).register(Arc::new(documents::Teller));
    system::apply_internal(&region, internal);
    if auxiliary {
        Trace::of(&region).set_auxiliary(&region, AuxiliaryStatus::Started)?;
    }
    Timer::start(&region)?;
    Dispatcher::of(&region).watch(&region)?;
    crate::program_lists::install(&region);
    for sender in waiting {
        // A TCB that has gone away would have failed to start above.
        let _ = sender.send(Arc::clone(&region));
    }
    Ok(region)
}

/// Brings the domains of this crate and of `domains`, once however often it is called.
pub fn bring_domains() {
    domains::DOMAINS
        .iter()
        .chain([&system::DOMAIN, &definitions::DOMAIN, &edf::DOMAIN])
        .for_each(catalog::add);
}

/// All commands with their handlers, CREATE and DISCARD of every type that is defined among them.
pub fn commands() -> Commands {
    let domains = catalog::domains();
    let own = domains.iter().flat_map(|domain| domain.commands.iter().copied().flatten().copied());
    Commands::new(own.chain(definitions::handlers()))
}

/// Makes the parts of a region: those that need more than the options to begin, and those that each domain begins with.
fn kept(options: &RegionOptions, parts: RegionParts, meters: Vec<Arc<Meter>>) -> io::Result<Parts> {
    let (mut kept, settings) = (Parts::default(), parts.settings);
    kept.put(locks::Names {
        task: |region, owner| Dispatcher::of(region).task_of(owner),
        file: |region, store| Files::of(region).of_store(store),
        others: RwLock::default(),
    });
    kept.put(Guesses::new(settings.revocation));
    let (applid, folder) = (options.applid, options.record_folder.clone());
    kept.put(Monitoring::new(settings.monitoring, applid, folder, meters.len())?);
    kept.put(Health::new(settings.health));
    kept.put(Programs::new(parts.library, settings.autoinstall_programs));
    kept.put(Services::new(parts.services));
    kept.put(Trace::new(settings.trace, options, meters.len()));
    kept.put(Statistics::new(settings.statistics, options.record_folder.clone(), meters)?);
    kept.put(Transactions::default());
    kept.put(settings.date_form);
    if let Some(checked) = settings.security {
        let profiles = parts.users.profiles().map_err(io::Error::other)?;
        kept.put(Security::new(checked, profiles));
    }
    kept.put(Users { file: parts.users, default: Arc::new(settings.default_user) });
    kept.put(Watchers::default());
    kept.put(Spans::default());
    kept.put(Oversight::default());
    kept.put(Notices::default());
    kept.put(Shipper::default());
    kept.put(Debuggers::default());
    catalog::domains().iter().for_each(|domain| (domain.begin)(&mut kept, options));
    Ok(kept)
}

/// Ends the TCBs. Call it when no task runs ([`Dispatcher::idle`]); tasks that do are cut off.
pub fn stop(region: &Region) {
    Dispatcher::of(region).stop();
    Monitoring::of(region).stop();
    // To stop it needs nothing that can fail.
    let _ = Trace::of(region).set_auxiliary(region, AuxiliaryStatus::Stopped);
    Statistics::of(region).stop(region);
}
