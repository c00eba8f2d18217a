//! OSGi bundles of JVM servers, and applications of Liberty: those that parts of bundles want, and what the JVMs have of them.
//!
//! ```text
//! OSGIBUNDLE part ─► Wanted ─ enabled, and its JVM server is up ─► Install ─► JVM: installed, resolved, started ─► ACTIVE
//!                       └─ disabled, or a newer version is active ─► Retire ─► STOPPING until its tasks have ended ─► gone
//! ```
//!
//! A part stays wanted while its JVM server is away, and is there again with it.

mod framework;
mod made;
mod report;
mod resource;
mod version;
mod wanted;

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::name::Name8;
use kernel::region::Region;
use kernel::registry::PartStatus;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::limits::SERVICES_MAX;
use crate::server::{JvmServer, JvmServers, Order, Status};
use report::{BundleState, Report};
use version::Version;
use wanted::{Wanted, What};

pub(crate) use framework::equip;
pub(crate) use made::{EAR, PART, WAR};
pub(crate) use report::{REPORT, Report as BundleReport, install, retire};
pub(crate) use resource::{BUNDLE_KIND, HANDLERS, SERVICE_KIND};

/// Stages of a bundle in its framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The JVM was asked to install it.
    Asked,
    /// It waits for what it imports.
    Waits,
    /// Its programs can begin.
    Active,
    /// The JVM was asked to have it go.
    Retired,
    /// No program of it begins any more; those that run go on.
    Stopping,
}

/// A service: a program of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Service {
    /// The region's number of it.
    pub id: u32,
    /// Its name.
    pub name: String,
}

/// A bundle in the framework of a JVM server.
#[derive(Clone, Debug)]
pub(crate) struct Installed {
    part: u32,
    what: What,
    stage: Stage,
    /// The path of its jar.
    path: String,
    /// Its version: as the jar's name has it, and as the framework says.
    order: Version,
    pub version: String,
    /// The framework's number.
    pub id: i64,
    pub symbolic_name: String,
    pub server: Name8,
    /// The BUNDLE, and its part.
    pub bundle: Name8,
    pub part_name: String,
    pub services: Vec<Service>,
}

impl Installed {
    /// OSGISTATUS.
    fn status(&self) -> &'static str {
        match self.stage {
            Stage::Asked | Stage::Waits => "INSTALLED",
            Stage::Active => "ACTIVE",
            Stage::Retired | Stage::Stopping => "STOPPING",
        }
    }
}

/// A part of a bundle.
struct Part {
    bundle: Name8,
    name: String,
    wanted: Wanted,
    /// It is to be there.
    is_on: bool,
    /// The reason why it is not there, or not the one that was wanted.
    trouble: Option<String>,
}

#[derive(Default)]
struct All {
    /// Parts by their numbers: the order in which they came.
    parts: BTreeMap<u32, Part>,
    installed: BTreeMap<u32, Installed>,
    /// The last numbers: of a part, of an installed bundle, of a service.
    last: [u32; 3],
}

impl All {
    fn next(&mut self, of: usize) -> u32 {
        self.last[of] = self.last[of].wrapping_add(1).max(1);
        self.last[of]
    }

    fn of_part(&self, part: u32) -> impl Iterator<Item = (&u32, &Installed)> {
        self.installed.iter().filter(move |(_, it)| it.part == part)
    }

    /// The bundles of a part that are there, or are about to be.
    fn live(&self, part: u32) -> impl Iterator<Item = (&u32, &Installed)> {
        self.of_part(part).filter(|(_, it)| !matches!(it.stage, Stage::Retired | Stage::Stopping))
    }
}

/// The OSGi bundles of a region.
#[derive(Default)]
pub(crate) struct OsgiBundles {
    all: Mutex<All>,
    changed: Notify,
}

impl OsgiBundles {
    /// Those of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Adds a part; its number.
    fn add(&self, region: &Region, bundle: Name8, name: &str, wanted: Wanted, is_on: bool) -> u32 {
        let number = {
            let mut all = self.all.lock();
            let number = all.next(0);
            let name = name.to_owned();
            all.parts.insert(number, Part { bundle, name, wanted, is_on, trouble: None });
            number
        };
        self.begin(region, number);
        number
    }

    /// A part is to be there, or not any more.
    fn set(&self, region: &Region, number: u32, is_on: bool) {
        {
            let mut all = self.all.lock();
            let Some(part) = all.parts.get_mut(&number) else { return };
            part.is_on = is_on;
            part.trouble = None;
        }
        if is_on {
            self.retire(region, number, |it| it.stage == Stage::Waits);
            self.begin(region, number);
        } else {
            self.retire(region, number, |_| true);
        }
        self.changed.notify_waiters();
    }

    /// The part goes with its bundle.
    fn remove(&self, region: &Region, number: u32) {
        self.retire(region, number, |_| true);
        self.all.lock().parts.remove(&number);
        self.changed.notify_waiters();
    }

    /// Has the part's bundle installed, if its JVM server is there and has none yet.
    fn begin(&self, region: &Region, number: u32) {
        let mut all = self.all.lock();
        if all.live(number).next().is_none() {
            all.begin(region, number);
        }
    }

    /// Puts the highest version in the place of the one that is there.
    fn phase_in(&self, region: &Region, number: u32) {
        self.retire(region, number, |it| it.stage == Stage::Waits);
        let mut all = self.all.lock();
        if let Some(part) = all.parts.get_mut(&number) {
            part.trouble = None;
        }
        all.begin(region, number);
    }

    /// Has those bundles of a part go that are meant.
    fn retire(&self, region: &Region, part: u32, is_meant: impl Fn(&Installed) -> bool) {
        let mut all = self.all.lock();
        let gone: Vec<u32> =
            all.live(part).filter(|(_, it)| is_meant(it)).map(|(number, _)| *number).collect();
        for number in gone {
            let Some(it) = all.installed.get_mut(&number) else { continue };
            it.stage = Stage::Retired;
            match JvmServers::of(region).get(it.server) {
                Some(server) => server.order(Order::Retire(number)),
                None => drop(all.installed.remove(&number)),
            }
        }
    }

    /// A JVM server is up: the parts that wait for it get their bundles.
    pub fn server_is_up(&self, region: &Region, server: Name8) {
        let waiting: Vec<u32> = {
            let all = self.all.lock();
            let of_server = all.parts.iter().filter(|(_, part)| part.wanted.server == server);
            of_server.map(|(number, _)| *number).collect()
        };
        waiting.into_iter().for_each(|number| self.begin(region, number));
        self.changed.notify_waiters();
    }

    /// A JVM server is not there any more, and no bundle of it.
    pub fn server_has_ended(&self, server: Name8) {
        let mut all = self.all.lock();
        all.installed.retain(|_, it| it.server != server);
        for part in all.parts.values_mut().filter(|part| part.is_on && part.wanted.server == server) {
            part.trouble = Some(format!("JVMSERVER {server} is not enabled"));
        }
        drop(all);
        self.changed.notify_waiters();
    }

    /// The path and the symbolic name of a bundle that is to be installed.
    pub fn asked(&self, number: u32) -> Option<(String, String)> {
        let all = self.all.lock();
        let it = all.installed.get(&number)?;
        Some((it.path.clone(), it.symbolic_name.clone()))
    }

    /// A JVM says what has become of a bundle. One of another JVM server's is not heard.
    pub fn hears(&self, region: &Region, server: Name8, report: Report) {
        let newer = {
            let mut all = self.all.lock();
            if all.installed.get(&report.number).is_none_or(|it| it.server != server) {
                return;
            }
            all.hears(report)
        };
        if let Some((part, order)) = newer {
            self.retire(region, part, |it| it.order < order);
        }
        self.changed.notify_waiters();
    }

    /// The status of a part.
    fn status(&self, region: &Region, number: u32) -> PartStatus {
        let all = self.all.lock();
        let Some(part) = all.parts.get(&number) else { return PartStatus::Disabled };
        if !part.is_on {
            let is_at_work = all.of_part(number).next().is_some();
            return if is_at_work { PartStatus::Disabling } else { PartStatus::Disabled };
        }
        if all.live(number).any(|(_, it)| it.stage == Stage::Active) {
            return PartStatus::Enabled;
        }
        let server = JvmServers::of(region).get(part.wanted.server);
        let comes = server.is_some_and(|server| server.status() == Status::Enabling);
        let is_asked = all.live(number).any(|(_, it)| it.stage == Stage::Asked);
        if comes || is_asked { PartStatus::Enabling } else { PartStatus::Disabled }
    }

    /// Returns true if something that was begun for a part is not done yet.
    fn is_busy(&self, region: &Region, number: u32) -> bool {
        let all = self.all.lock();
        let is_begun = |it: &Installed| matches!(it.stage, Stage::Asked | Stage::Retired);
        let is_busy = all.of_part(number).any(|(_, it)| is_begun(it));
        drop(all);
        is_busy || self.status(region, number) == PartStatus::Enabling
    }

    /// Waits until all is done that was begun for a part.
    async fn settled(&self, region: &Region, number: u32) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if !self.is_busy(region, number) {
                return;
            }
            changed.await;
        }
    }

    /// The reason why a part is not there.
    fn trouble(&self, number: u32) -> Option<String> {
        let all = self.all.lock();
        all.parts.get(&number).filter(|part| part.is_on).and_then(|part| part.trouble.clone())
    }

    /// All that a framework has said something of, by their numbers.
    fn list(&self) -> Vec<(u32, Installed)> {
        let all = self.all.lock();
        let is_said = |it: &Installed| it.what == What::Osgi && it.stage != Stage::Asked;
        let said = all.installed.iter().filter(|(_, it)| is_said(it));
        said.map(|(number, it)| (*number, it.clone())).collect()
    }
}

impl All {
    /// Has the highest version of a part that is wanted installed, unless it is there.
    fn begin(&mut self, region: &Region, number: u32) {
        let Some(part) = self.parts.get(&number).filter(|part| part.is_on) else { return };
        let outcome = ready(region, &part.wanted).and_then(|server| Ok((server, self.jar(number, part)?)));
        match outcome {
            Ok((_, jar)) if self.live(number).any(|(_, it)| it.order >= jar.version) => {}
            Ok((server, jar)) => self.ask(&server, number, &jar),
            // It begins with its JVM server.
            Err(NotReady::Yet) => {}
            Err(NotReady::Why(why)) => self.is_in_trouble(number, why),
        }
    }

    /// The jar for a part: no other part has it in the same JVM server.
    fn jar(&self, number: u32, part: &Part) -> Result<wanted::Jar, NotReady> {
        let Wanted { symbolic_name, server, .. } = &part.wanted;
        let jar = part.wanted.jar()?;
        let is_same = |it: &Installed| {
            (&it.symbolic_name, it.server, &it.order) == (symbolic_name, *server, &jar.version)
                && it.part != number
        };
        let is_live = |it: &Installed| !matches!(it.stage, Stage::Retired | Stage::Stopping);
        match self.installed.values().find(|it| is_live(it) && is_same(it)) {
            Some(other) => {
                let (version, bundle) = (&jar.version, other.bundle);
                Err(format!("BUNDLE {bundle} has {symbolic_name} {version} in JVMSERVER {server} already")
                    .into())
            }
            None => Ok(jar),
        }
    }

    /// Asks a JVM server to install a jar.
    fn ask(&mut self, server: &JvmServer, part: u32, jar: &wanted::Jar) {
        let number = self.next(1);
        let Some(of) = self.parts.get(&part) else { return };
        let installed = Installed {
            part,
            what: of.wanted.what,
            stage: Stage::Asked,
            path: jar.path.display().to_string(),
            order: jar.version.clone(),
            version: jar.version.to_string(),
            id: 0,
            symbolic_name: of.wanted.symbolic_name.clone(),
            server: of.wanted.server,
            bundle: of.bundle,
            part_name: of.name.clone(),
            services: Vec::new(),
        };
        self.installed.insert(number, installed);
        server.order(Order::Install(number));
    }

    fn is_in_trouble(&mut self, number: u32, why: String) {
        let Some(part) = self.parts.get_mut(&number) else { return };
        if part.trouble.as_ref() != Some(&why) {
            let (what, name) = (part.wanted.what.part(), &part.name);
            tracing::warn!(target: "SJ", "{what} {name} of BUNDLE {} is not there: {why}", part.bundle);
        }
        part.trouble = Some(why);
    }

    /// The part and the version of a bundle that has become active: older ones of its part have to go.
    fn hears(&mut self, report: Report) -> Option<(u32, Version)> {
        let Report { number, state, why, id, version, services } = report;
        let ids: Vec<Service> =
            services.into_iter().take(SERVICES_MAX).map(|name| Service { id: self.next(2), name }).collect();
        let it = self.installed.get_mut(&number)?;
        let (part, is_leaving) = (it.part, matches!(it.stage, Stage::Retired | Stage::Stopping));
        let what = it.what.part();
        let shown = format!("{what} {} of BUNDLE {} in JVMSERVER {}", it.part_name, it.bundle, it.server);
        if !version.is_empty() {
            (it.id, it.version) = (id, crate::wire::shown(&version));
        }
        match state {
            BundleState::Active if is_leaving => None,
            BundleState::Active => {
                (it.stage, it.services) = (Stage::Active, ids);
                tracing::info!(target: "SJ", "{shown} is active: {} {}", it.symbolic_name, it.version);
                let order = it.order.clone();
                self.parts.get_mut(&part)?.trouble = None;
                Some((part, order))
            }
            BundleState::Waits if is_leaving => None,
            BundleState::Waits => {
                let why = crate::wire::shown(&why);
                it.stage = Stage::Waits;
                tracing::warn!(target: "SJ", "{shown} is not active: {why}");
                self.parts.get_mut(&part)?.trouble = Some(why);
                None
            }
            BundleState::Stopping => {
                it.stage = Stage::Stopping;
                it.services.clear();
                None
            }
            BundleState::Gone => {
                self.installed.remove(&number);
                if is_leaving {
                    tracing::info!(target: "SJ", "{shown} is gone");
                } else {
                    let why = crate::wire::shown(&why);
                    tracing::warn!(target: "SJ", "{shown} cannot be installed: {why}");
                    self.parts.get_mut(&part)?.trouble = Some(why);
                }
                None
            }
        }
    }
}

/// Reasons why a bundle cannot be installed now.
enum NotReady {
    /// Its JVM server comes.
    Yet,
    /// Something is wrong.
    Why(String),
}

impl From<String> for NotReady {
    fn from(why: String) -> Self {
        Self::Why(why)
    }
}

/// The JVM server of a part, if that can be installed there.
fn ready(region: &Region, wanted: &Wanted) -> Result<Arc<JvmServer>, NotReady> {
    let name = wanted.server;
    let servers = JvmServers::of(region);
    let server = servers.get(name).ok_or_else(|| format!("there is no JVMSERVER {name}"))?;
    match server.status() {
        Status::Enabled if server.programs() == wanted.what.programs() => Ok(server),
        Status::Enabled if wanted.what == What::Osgi => {
            Err(format!("JVMSERVER {name} has no OSGi framework").into())
        }
        Status::Enabled => Err(format!("JVMSERVER {name} has no Liberty").into()),
        Status::Enabling => Err(NotReady::Yet),
        // The region begins.
        Status::Disabled if servers.folder().is_none() && !server.definition.is("STATUS", "DISABLED") => {
            Err(NotReady::Yet)
        }
        Status::Disabling | Status::Disabled => Err(format!("JVMSERVER {name} is not enabled").into()),
    }
}
