//! BUNDLEs of a region: their parts and their states.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bundle_source::{Manifest, Need, PartClass};
use capture::events::Events;
use csd::Definition;
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use parking_lot::{Mutex, RwLock};
use spec::cond;

use crate::imports;
use crate::installed::{InstalledPolicy, InstalledRule, rules_of};
use crate::part::{BundlePart, PartState, ShownPart};
use crate::{region, tasks};

/// RESP2 of INVREQ.
pub(crate) mod refused {
    /// DISCARD: it is not disabled.
    pub const NOT_DISABLED: i32 = 5;
    /// DISCARD: something that it has made is in use.
    pub const IN_USE: i32 = 6;
    /// SET: ENABLESTATUS or COPY has another value. Recalled, not read.
    pub const VALUE: i32 = 9;
    /// SET: another task changes it. Recalled, not read.
    pub const CHANGING: i32 = 4;
    /// SET ENABLED: an import is not there. Recalled, not read.
    pub const IMPORTS: i32 = 5;
    /// SET PHASEIN: it is not enabled. Recalled, not read.
    pub const NOT_ENABLED: i32 = 6;
}

/// A BUNDLE.
pub struct Bundle {
    pub(crate) name: Name8,
    pub(crate) definition: Definition,
    pub(crate) directory: String,
    pub(crate) base_scope: String,
    pub(crate) manifest: Manifest,
    pub(crate) parts: Vec<BundlePart>,
    /// The places of its parts, in the order in which they are enabled.
    order: Vec<usize>,
    /// STATUS or SET says that its parts are to be enabled.
    wanted: AtomicBool,
    /// They were enabled, or those that could be.
    is_on: AtomicBool,
    /// SET changes it.
    is_changing: AtomicBool,
}

/// A change of a bundle, as long as it goes on.
pub(crate) struct Change<'b>(&'b Bundle);

impl Drop for Change<'_> {
    fn drop(&mut self) {
        self.0.is_changing.store(false, Ordering::Release);
    }
}

impl Bundle {
    /// One that has no parts yet.
    pub(crate) fn new(definition: Definition, manifest: Manifest, wanted: bool) -> Self {
        let text = |name: &str| definition.get(name).unwrap_or_default().to_owned();
        Self {
            name: Name8::from(definition.name.as_str()),
            directory: text("BUNDLEDIR"),
            base_scope: text("BASESCOPE"),
            definition,
            manifest,
            parts: Vec::new(),
            order: Vec::new(),
            wanted: wanted.into(),
            is_on: AtomicBool::new(false),
            is_changing: AtomicBool::new(false),
        }
    }

    /// Gives it its parts, which are enabled or are not, and the order in which they were made.
    pub(crate) fn has_parts(&mut self, parts: Vec<BundlePart>, order: Vec<usize>, enabled: bool) {
        (self.parts, self.order, self.is_on) = (parts, order, enabled.into());
    }

    /// Its parts in the order in which they are enabled.
    pub(crate) fn in_order(&self) -> Vec<&BundlePart> {
        self.order.iter().filter_map(|place| self.parts.get(*place)).collect()
    }

    /// Returns true if it is to be enabled.
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// It is to be enabled once it has parts, or is not.
    pub(crate) fn is_to_be(&self, enabled: bool) {
        self.wanted.store(enabled, Ordering::Relaxed);
    }

    /// SET has enabled or disabled its parts.
    pub(crate) fn is_now(&self, enabled: bool) {
        self.is_on.store(enabled, Ordering::Relaxed);
        self.is_to_be(enabled);
    }

    /// Its own parts: those that it defines.
    pub(crate) fn own(&self) -> impl Iterator<Item = &BundlePart> {
        self.parts.iter().filter(|part| part.part.class == PartClass::Definition)
    }

    /// The number of its own parts that are enabled.
    pub(crate) fn enabled(&self, region: &Arc<Region>) -> usize {
        self.own().filter(|part| part.is_enabled(region)).count()
    }

    /// ENABLESTATUS: it is enabled if all of its parts are.
    pub(crate) fn status(&self, region: &Arc<Region>) -> &'static str {
        match self.is_on.load(Ordering::Relaxed) {
            true if self.own().all(|part| part.is_enabled(region)) => "ENABLED",
            true if self.own().any(|part| part.is_enabling(region)) => "ENABLING",
            true => "DISABLED",
            false
                if self.is_changing.load(Ordering::Relaxed)
                    || self.parts.iter().any(|part| part.is_at_work(region)) =>
            {
                "DISABLING"
            }
            false => "DISABLED",
        }
    }

    /// Returns true if it and all of its parts are enabled.
    pub fn is_enabled(&self, region: &Arc<Region>) -> bool {
        self.status(region) == "ENABLED"
    }

    /// Its name.
    pub fn name(&self) -> Name8 {
        self.name
    }

    /// All that its manifest names.
    pub fn shown_parts(&self, region: &Arc<Region>) -> Vec<ShownPart> {
        self.parts.iter().map(|part| part.shown(region)).collect()
    }

    /// The reasons why it is not enabled, as far as they are its own.
    pub fn troubles(&self, region: &Arc<Region>) -> Vec<String> {
        let refused = self.parts.iter().filter_map(|part| match &part.state {
            PartState::Refused(why) => Some(format!("part {}: {why}", part.part.name)),
            PartState::Made(made) => {
                made.trouble(region).map(|why| format!("part {}: {why}", part.part.name))
            }
            _ => None,
        });
        let missing = imports::missing(region, &self.manifest, Need::Required).into_iter();
        refused.chain(missing.map(|import| format!("the import {import} is not there"))).collect()
    }

    /// Begins a change.
    pub(crate) fn change(&self) -> Outcome<Change<'_>> {
        match self.is_changing.swap(true, Ordering::Acquire) {
            true => Err(cond::INVREQ.raise(refused::CHANGING)),
            false => Ok(Change(self)),
        }
    }

    /// Checks that it may be discarded: it is disabled, and no task uses its resources.
    pub(crate) fn may_go(&self, region: &Region) -> Outcome {
        // Published: one without any parts cannot be disabled, and may go.
        let is_on = self.is_on.load(Ordering::Relaxed) && self.own().any(BundlePart::is_made);
        if is_on {
            return Err(cond::INVREQ.raise(refused::NOT_DISABLED));
        }
        if self.is_changing.load(Ordering::Relaxed) || self.parts.iter().any(|part| part.is_kept(region)) {
            return Err(cond::INVREQ.raise(refused::IN_USE));
        }
        Ok(())
    }
}

/// The BUNDLEs of a region.
#[derive(Default)]
pub struct Bundles {
    all: RwLock<BTreeMap<Name8, Arc<Bundle>>>,
    /// Those that wait for their parts while the region starts, in the order of their definitions.
    waiting: Mutex<Vec<Name8>>,
    /// The start of the region has come so far that bundles have their parts.
    is_settled: AtomicBool,
}

impl Bundles {
    /// Those of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The one of a name.
    pub fn get(&self, name: Name8) -> Option<Arc<Bundle>> {
        self.all.read().get(&name).cloned()
    }

    /// All, by name.
    pub fn list(&self) -> Vec<Arc<Bundle>> {
        self.all.read().values().cloned().collect()
    }

    /// Returns true if bundles that are installed now get their parts at once.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_settled.load(Ordering::Relaxed)
    }

    /// Puts one there that waits for its parts.
    pub(crate) fn wait(&self, bundle: Bundle) {
        let mut waiting = self.waiting.lock();
        if !waiting.contains(&bundle.name) {
            waiting.push(bundle.name);
        }
        self.put(bundle);
    }

    /// From now on they get their parts at once. Those that have waited, in the order of their definitions.
    pub(crate) fn settled(&self) -> Vec<Arc<Bundle>> {
        self.is_settled.store(true, Ordering::Relaxed);
        std::mem::take(&mut *self.waiting.lock()).into_iter().filter_map(|name| self.get(name)).collect()
    }

    /// Puts one into the place of that of its name.
    pub(crate) fn put(&self, bundle: Bundle) {
        self.all.write().insert(bundle.name, Arc::new(bundle));
    }

    /// Takes the one of a name out.
    pub(crate) fn take(&self, name: Name8) -> Option<Arc<Bundle>> {
        self.all.write().remove(&name)
    }

    /// All policies, by bundle.
    pub(crate) fn policies(&self) -> Vec<Arc<InstalledPolicy>> {
        let policies = |bundle: Arc<Bundle>| {
            let policies: Vec<_> = bundle.parts.iter().filter_map(|part| part.policy().cloned()).collect();
            policies
        };
        self.list().into_iter().flat_map(policies).collect()
    }

    /// All rules.
    pub(crate) fn rules(&self) -> Vec<InstalledRule> {
        self.policies().iter().flat_map(rules_of).collect()
    }
}

/// The rules that act from now on are those of the policies that are enabled.
pub(crate) fn renew(region: &Region) {
    let rules: Vec<_> =
        Bundles::of(region).rules().into_iter().filter(|rule| rule.policy.is_enabled()).collect();
    tasks::set(region, &rules);
    region::set(region, &rules);
    Events::of(region).renew(region);
}
