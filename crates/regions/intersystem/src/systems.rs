//! The partners of a region, and how links are set up.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use csd::Definition;
use kernel::name::{Name, Name8};
use kernel::recovery::UnitId;
use kernel::region::Region;
use link::Host;
use link::carrier::Identity;
use parking_lot::{Mutex, RwLock};
use tokio::sync::mpsc::UnboundedSender;

use crate::affinity::Affinity;
use crate::build::Build;
use crate::limits::PARTNERS_MAX;
use crate::partner::{Partner, Partners, Sort};

/// The way: how links are set up.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// ISC: there may be links.
    pub isc: bool,
    /// IRCSTRT: links to regions of this machine are made from the start.
    pub irc_start: bool,
    /// The folder of sockets, each named by its region's APPLID.
    pub folder: Option<PathBuf>,
    /// The place where regions of other machines connect.
    pub listen: Option<SocketAddr>,
    /// The way: how this region shows itself, and whom it believes.
    pub identity: Option<Identity>,
    /// The network identifier; blank: none.
    pub network: Name8,
    /// The code page of the region's data.
    pub code_page: String,
    /// MROLRM: a mirror task stays to the end of the unit of work for which it works.
    pub long_running_mirrors: bool,
    /// The time that a partner has to answer at the end of a unit of work; `None`: the usual one.
    pub answer: Option<Duration>,
    /// DSHIPINT: seconds between two looks for idle terminals of other regions; 0: none.
    pub delete_shipped_interval: u32,
    /// DSHIPIDL: seconds after which one is idle.
    pub delete_shipped_idle: u32,
    /// The systems among which the region chooses where tasks of dynamic transactions run.
    pub targets: Vec<Name<4>>,
    /// The tasks that must run where others have run.
    pub affinities: Vec<Affinity>,
    /// DTRPGM: the program that says where tasks of dynamic transactions run.
    pub routing_program: Name8,
    /// DSRTPGM: the program that says where STARTs without a terminal run; blank: none.
    pub distributed_routing_program: Name8,
}

/// The run of a region, and its log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// It grows with each start.
    pub number: u64,
    /// The name of the log: that of the run that has begun it.
    pub log: u64,
    /// The first run behind a restore from a backup; 0: there was none. Units of work of former runs may have been decided since.
    pub restored: u64,
}

/// The one who has a certificate.
pub trait Certificates: Send + Sync {
    /// The user to whom the certificate of a fingerprint belongs.
    fn user(&self, fingerprint: &str) -> Option<Name8>;
}

/// Everything by which partners know this region, and it knows them.
#[derive(Clone)]
pub(crate) struct Own {
    /// Its run.
    pub run: Run,
    /// The users to whom certificates belong.
    pub certificates: Arc<dyn Certificates>,
    /// Answers what a partner asks over a link that this region makes to it.
    pub host: fn(&Arc<Region>, &Arc<Partner>) -> Rc<dyn Host>,
}

/// An order to the door.
pub(crate) enum Order {
    /// Tend the link to a partner.
    Tend(Arc<Partner>),
    /// IRC is to be opened.
    OpenIrc,
    /// IRC is to be closed, perhaps without waiting for what is open.
    CloseIrc(bool),
}

/// The partners of a region.
#[derive(Default)]
pub struct Systems {
    partners: RwLock<Partners>,
    setup: OnceLock<Setup>,
    /// The build of the region, as partners see it.
    build: OnceLock<Arc<Build>>,
    irc: AtomicBool,
    door: Mutex<Option<UnboundedSender<Order>>>,
    own: Mutex<Option<Own>>,
    log: AtomicU64,
    /// The first run behind a restore.
    restored: AtomicU64,
}

impl Systems {
    /// Those of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The partner of a system: the CONNECTION of that name, or the IPCONN.
    pub(crate) fn of_system(&self, system: Name<4>) -> Option<Arc<Partner>> {
        let by = |sort| self.partner(sort, system.as_bytes());
        by(Sort::Connection).or_else(|| by(Sort::Ipconn))
    }

    /// The partner of an APPLID, however it is reached: first one whose link is there.
    pub(crate) fn at(&self, applid: Name8) -> Option<Arc<Partner>> {
        let partners = self.partners.read();
        let of_applid = || partners.iter().filter(|partner| partner.applid == applid);
        of_applid().find(|partner| partner.line().is_some()).or_else(|| of_applid().next()).cloned()
    }

    /// The name of this region's log.
    pub(crate) fn log(&self) -> u64 {
        self.log.load(Ordering::Relaxed)
    }

    /// Returns true if a unit of work has come from a backup: it may have been decided since, and its coordinator need not know that
    /// any more.
    pub(crate) fn is_of_backup(&self, unit: UnitId) -> bool {
        unit.0 < self.restored.load(Ordering::Relaxed)
    }

    /// Notes the name of this region's log, and the first run behind a restore.
    pub(crate) fn log_is(&self, log: u64, restored: u64) {
        self.restored.store(restored, Ordering::Relaxed);
        self.log.store(log, Ordering::Relaxed);
    }

    /// Notes once how links are set up.
    pub(crate) fn set_up(&self, setup: Setup) {
        let _ = self.setup.set(setup);
    }

    /// A test says once, before links are made, which build the region seems to be of.
    #[doc(hidden)]
    pub fn seems_of(&self, build: Build) {
        let _ = self.build.set(Arc::new(build));
    }

    /// The build of the region, as partners see it.
    pub(crate) fn build(&self) -> &Arc<Build> {
        self.build.get_or_init(Build::this)
    }

    /// The way: how links are set up.
    pub(crate) fn setup(&self) -> &Setup {
        static NONE: OnceLock<Setup> = OnceLock::new();
        self.setup.get().unwrap_or_else(|| NONE.get_or_init(Setup::default))
    }

    /// The partners of a sort, by name.
    pub(crate) fn partners(&self, sort: Sort) -> Partners {
        self.partners.read().iter().filter(|partner| partner.sort == sort).cloned().collect()
    }

    /// The partner of a definition.
    pub(crate) fn partner(&self, sort: Sort, name: &[u8]) -> Option<Arc<Partner>> {
        let name = Name8::new(name);
        self.partners.read().iter().find(|partner| partner.sort == sort && partner.name == name).cloned()
    }

    /// The partner of an APPLID.
    pub(crate) fn region_of(&self, sort: Sort, applid: &str) -> Option<Arc<Partner>> {
        let applid = Name8::from(applid);
        self.partners.read().iter().find(|partner| partner.sort == sort && partner.applid == applid).cloned()
    }

    /// Installs a definition in the place of one of its name.
    pub(crate) fn add(&self, sort: Sort, definition: &Definition) -> Result<(), String> {
        let partner = Arc::new(Partner::new(sort, definition));
        self.remove(sort, partner.name);
        let mut partners = self.partners.write();
        if partners.len() >= PARTNERS_MAX {
            return Err(format!("a region has {PARTNERS_MAX} partners at most"));
        }
        let same = |other: &&Arc<Partner>| other.sort == sort && other.applid == partner.applid;
        if let Some(other) = partners.iter().find(same) {
            return Err(format!("{} leads to {} already", other.name, partner.applid));
        }
        partners.push(Arc::clone(&partner));
        partners.sort_by_key(|partner| partner.name);
        drop(partners);
        self.order(Order::Tend(partner));
        Ok(())
    }

    /// Takes a definition away: its links are released.
    pub(crate) fn remove(&self, sort: Sort, name: Name8) {
        let mut partners = self.partners.write();
        let Some(place) = partners.iter().position(|one| one.sort == sort && one.name == name) else {
            return;
        };
        let partner = partners.remove(place);
        drop(partners);
        partner.change(|state| (state.is_gone, state.wanted) = (true, false));
    }

    /// Returns true if links to regions of this machine may be made.
    pub(crate) fn irc_is_open(&self) -> bool {
        self.irc.load(Ordering::Acquire)
    }

    /// Notes that IRC is open, or closed.
    pub(crate) fn irc_is_now(&self, open: bool) {
        self.irc.store(open, Ordering::Release);
        for partner in self.partners(Sort::Connection) {
            partner.change(|state| {
                if open && state.in_service {
                    state.wanted = true;
                }
            });
        }
    }

    /// Tells the door something. Without one nothing is to be done.
    pub(crate) fn order(&self, order: Order) -> bool {
        self.door.lock().as_ref().is_some_and(|door| door.send(order).is_ok())
    }

    /// The door is there, or gone.
    pub(crate) fn door_is_now(&self, door: Option<(UnboundedSender<Order>, Own)>) {
        let (door, own) = door.unzip();
        (*self.door.lock(), *self.own.lock()) = (door, own);
    }

    /// Everything that links are made with, as long as the door is there.
    pub(crate) fn own(&self) -> Option<Own> {
        self.own.lock().clone()
    }
}
