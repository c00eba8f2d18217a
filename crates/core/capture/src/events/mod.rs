//! Event processing: event bindings capture events at commands, adapters emit them.
//!
//! ```text
//! command ──► Eyes (kernel::exec::Watcher) ──► capturing: filters, items ──► Event ──► emission
//! region  ──► Ears (occurrences) ────────────► system: the same ─────────────┘
//!                                                     │ synchronous: send, in the same task
//!                                                     │ transactional: at commit ┐
//!                                                     └ else ────────────────────┴► Queue ──► CEPD (dispatch) ──► send
//! ```
//!
//! Invariants: a region in which no capture is enabled has no watcher, so that its commands cost nothing more; an adapter that does
//! not come on holds its own queue alone; what waits has a limit, and what is lost is counted.

mod adapter;
mod asking;
mod binding;
mod capturing;
mod counts;
mod dispatch;
mod emission;
mod event;
mod failure;
mod format;
mod names;
mod points;
mod queue;
mod resources;
mod rows;
mod rule;
mod send;
mod statistics;
mod system;
mod watcher;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kernel::exec::{Watcher, Watchers};
use kernel::name::Name8;
use kernel::region::Region;
use keys::EventLimits;
use parking_lot::{Mutex, RwLock};
use policies::event_binding::{AdapterOf, is_event_name};
use policies::{EpAdapter, EventBinding, Wrong};

pub use adapter::{Adapter, AdapterSet};
pub use binding::Binding;
pub(crate) use dispatch::TRANSACTIONS;
pub(crate) use resources::{HANDLERS, KINDS};
pub use rule::RuleEvent;
pub(crate) use statistics::Teller;

use counts::Counts;

/// Room for events that wait; those beyond are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The events.
    pub events: usize,
    /// Their bytes.
    pub bytes: usize,
}

impl Room {
    fn of(events: u32, megabytes: u32) -> Self {
        Self { events: events as usize, bytes: (megabytes as usize) << 20 }
    }
}

/// The state of event processing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Status {
    #[default]
    Started,
    /// Nothing is captured; what waits is emitted.
    Drain,
    /// Nothing is captured, nothing emitted.
    Stopped,
}

/// Checks the text of a part of event processing, whose type and name a manifest gives.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn check_part(kind: &str, name: &str, text: &str) -> Result<(), Wrong> {
    match kind {
        "EVENTBINDING" => read_binding(text).map(drop)?,
        "EPADAPTER" => EpAdapter::read(text).map(drop)?,
        _ => policies::ep_adapter::read_set(text).map(drop)?,
    }
    match is_event_name(name) {
        true => Ok(()),
        false => Err(Wrong::new(1, format!("'{name}' is no name of an {kind}"))),
    }
}

/// Reads an event binding, whose captures are about what their commands have.
fn read_binding(text: &str) -> Result<EventBinding, Wrong> {
    let binding = EventBinding::read(text)?;
    for capture in &binding.captures {
        points::check(capture).map_err(|why| Wrong::new(capture.line, format!("{}: {why}", capture.name)))?;
    }
    Ok(binding)
}

/// The event processing of a region.
#[derive(Default)]
pub struct Events {
    resources: RwLock<Resources>,
    status: Mutex<Status>,
    /// Times that it was drained or stopped: transactional events of before are discarded.
    stops: AtomicU64,
    eyes: Mutex<Option<Arc<dyn Watcher>>>,
    pub(crate) counts: Counts,
}

/// Its resources by their names.
#[derive(Default)]
struct Resources {
    bindings: BTreeMap<String, Arc<Binding>>,
    adapters: BTreeMap<String, Arc<Adapter>>,
    sets: BTreeMap<String, Arc<AdapterSet>>,
}

/// A resource of event processing that a part of a bundle has made.
#[derive(Clone)]
pub enum Part {
    /// An event binding, with an adapter of its own if it has one.
    Binding(Arc<Binding>, Option<Arc<Adapter>>),
    /// An adapter.
    Adapter(Arc<Adapter>),
    /// A set.
    Set(Arc<AdapterSet>),
}

impl Events {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The room of events that wait for one adapter.
    pub(crate) fn queue_room(region: &Region) -> Room {
        let limits: &EventLimits = region.options.sections.get();
        Room::of(limits.queue_limit, limits.queue_limit_mb)
    }

    /// The room of all events that wait for the ends of their units of work.
    pub(crate) fn uncommitted_room(region: &Region) -> Room {
        let limits: &EventLimits = region.options.sections.get();
        Room::of(limits.uncommitted_limit, limits.uncommitted_limit_mb)
    }

    /// Makes an event binding of a file of a bundle, disabled.
    ///
    /// # Errors
    /// The reason, with its line.
    pub fn make_binding(&self, bundle: Name8, name: &str, text: &str) -> Result<Part, String> {
        let binding = read_binding(text).map_err(|wrong| wrong.to_string())?;
        self.check_name(name, &self.resources.read().bindings, "EVENTBINDING")?;
        let own = match &binding.adapter {
            AdapterOf::Own(adapter) => {
                self.check_name(name, &self.resources.read().adapters, "EPADAPTER")?;
                Some(Adapter::new(bundle, name, (**adapter).clone()))
            }
            _ => None,
        };
        let binding = Arc::new(Binding::new(bundle, name, binding));
        let mut resources = self.resources.write();
        resources.bindings.insert(name.to_owned(), Arc::clone(&binding));
        if let Some(adapter) = &own {
            resources.adapters.insert(name.to_owned(), Arc::clone(adapter));
        }
        Ok(Part::Binding(binding, own))
    }

    /// Makes an adapter of a file of a bundle, disabled.
    ///
    /// # Errors
    /// The reason, with its line.
    pub fn make_adapter(&self, bundle: Name8, name: &str, text: &str) -> Result<Part, String> {
        let adapter = EpAdapter::read(text).map_err(|wrong| wrong.to_string())?;
        self.check_name(name, &self.resources.read().adapters, "EPADAPTER")?;
        let adapter = Adapter::new(bundle, name, adapter);
        self.resources.write().adapters.insert(name.to_owned(), Arc::clone(&adapter));
        Ok(Part::Adapter(adapter))
    }

    /// Makes a set of adapters of a file of a bundle, disabled.
    ///
    /// # Errors
    /// The reason, with its line.
    pub fn make_set(&self, bundle: Name8, name: &str, text: &str) -> Result<Part, String> {
        let names = policies::ep_adapter::read_set(text).map_err(|wrong| wrong.to_string())?;
        self.check_name(name, &self.resources.read().sets, "EPADAPTERSET")?;
        let set = Arc::new(AdapterSet::new(bundle, name, names));
        self.resources.write().sets.insert(name.to_owned(), Arc::clone(&set));
        Ok(Part::Set(set))
    }

    fn check_name<T>(&self, name: &str, there: &BTreeMap<String, T>, kind: &str) -> Result<(), String> {
        match (is_event_name(name), there.contains_key(name)) {
            (false, _) => Err(format!("'{name}' is no name of an {kind}")),
            (true, true) => Err(format!("there is an {kind} {name} already")),
            (true, false) => Ok(()),
        }
    }

    /// Takes a part away.
    pub fn remove(&self, region: &Region, part: &Part) {
        let mut resources = self.resources.write();
        match part {
            Part::Binding(binding, own) => {
                binding.set_enabled(false);
                resources.bindings.remove(&binding.name);
                if own.is_some() {
                    resources.adapters.remove(&binding.name);
                }
            }
            Part::Adapter(adapter) => {
                adapter.set_enabled(false);
                resources.adapters.remove(&adapter.name);
            }
            Part::Set(set) => {
                resources.sets.remove(&set.name);
            }
        }
        drop(resources);
        self.renew(region);
    }

    /// All event bindings.
    pub(crate) fn bindings(&self) -> Vec<Arc<Binding>> {
        self.resources.read().bindings.values().cloned().collect()
    }

    pub(crate) fn adapters(&self) -> Vec<Arc<Adapter>> {
        self.resources.read().adapters.values().cloned().collect()
    }

    pub(crate) fn sets(&self) -> Vec<Arc<AdapterSet>> {
        self.resources.read().sets.values().cloned().collect()
    }

    pub(crate) fn binding(&self, name: &str) -> Option<Arc<Binding>> {
        self.resources.read().bindings.get(name).cloned()
    }

    /// The adapter of a name.
    pub fn adapter(&self, name: &str) -> Option<Arc<Adapter>> {
        self.resources.read().adapters.get(name).cloned()
    }

    pub(crate) fn set(&self, name: &str) -> Option<Arc<AdapterSet>> {
        self.resources.read().sets.get(name).cloned()
    }

    pub(crate) fn status(&self) -> Status {
        let mut status = self.status.lock();
        let has_drained = || self.adapters().iter().all(|adapter| adapter.queue.length() == 0);
        if *status == Status::Drain && has_drained() {
            *status = Status::Stopped;
        }
        *status
    }

    pub(crate) fn is_started(&self) -> bool {
        *self.status.lock() == Status::Started
    }

    pub(crate) fn stops(&self) -> u64 {
        self.stops.load(Ordering::Relaxed)
    }

    /// SET EVENTPROCESS. Capture stops at once with DRAIN and STOPPED; with STOPPED what waits is deleted.
    pub(crate) fn set_status(&self, region: &Region, status: Status) {
        *self.status.lock() = status;
        if status != Status::Started {
            self.stops.fetch_add(1, Ordering::Relaxed);
        }
        if status == Status::Stopped {
            for adapter in self.adapters() {
                let deleted = adapter.queue.clear();
                self.counts.waiting.falls(deleted);
                adapter.counts.deleted.add(deleted);
            }
        }
        self.renew(region);
    }

    /// Looks from now on at the captures that are enabled now.
    pub fn renew(&self, region: &Region) {
        let mut eyes = self.eyes.lock();
        let mut captures = self.bindings();
        captures.retain(|binding| binding.is_enabled() && self.is_started());
        let new = watcher::eyes(&captures);
        if let Some(old) = std::mem::replace(&mut *eyes, new.clone()) {
            Watchers::remove(region, &old);
        }
        if let Some(new) = new {
            Watchers::add(region, new);
        }
        system::hear(region, &captures);
    }
}

impl Part {
    /// Returns true if it is enabled.
    pub fn is_enabled(&self) -> bool {
        match self {
            Self::Binding(binding, _) => binding.is_enabled(),
            Self::Adapter(adapter) => adapter.is_enabled(),
            Self::Set(set) => set.is_enabled(),
        }
    }

    /// Enables or disables it. [`Events::renew`] is to be called behind it.
    pub fn set_enabled(&self, enabled: bool) {
        match self {
            Self::Binding(binding, own) => {
                binding.set_enabled(enabled);
                own.iter().for_each(|adapter| adapter.set_enabled(enabled));
            }
            Self::Adapter(adapter) => adapter.set_enabled(enabled),
            Self::Set(set) => set.set_enabled(enabled),
        }
    }
}
