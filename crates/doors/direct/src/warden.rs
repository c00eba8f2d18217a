//! The warden of a TCB: it starts instances, tells the hub that time passes, finds out who clients are, and reads them
//! while all instances are busy.

use std::future::poll_fn;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use kernel::dispatcher::{self, Attach};
use kernel::programs::Programs;
use kernel::region::Region;
use kernel::security::User;
use kernel::task::StartCode;
use tokio::task::spawn_local;
use tokio::time::{MissedTickBehavior, interval};
use webdomain::Certificates;

use crate::hub::Hub;
use crate::identity::{Stranger, identify};
use crate::instance::Instance;
use crate::limits::TICK;
use crate::scenario::Scenario;

/// State of a warden.
#[derive(Clone)]
pub(crate) struct Warden {
    /// The region.
    pub region: Weak<Region>,
    /// Its scenarios.
    pub scenarios: Arc<[Arc<Scenario>]>,
    /// On whose behalf instances run.
    pub user: Arc<User>,
    /// The owners of certificates.
    pub certificates: Arc<dyn Certificates>,
}

impl Warden {
    /// Keeps a hub going.
    pub async fn keeps(self, hub: Arc<Hub>) {
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let passes = tokio::select! {
                () = poll_fn(|context| hub.poll_warden(context)) => false,
                _ = tick.tick() => true,
                () = hub.due.notified() => false,
            };
            let Some(region) = self.region.upgrade() else { return };
            if passes {
                hub.ticks(|scenario| copies(&region, scenario));
            }
            for lane in hub.wanted() {
                self.start(&region, &hub, lane);
            }
            for stranger in hub.strangers() {
                spawn_local(self.clone().asks(Arc::clone(&region), Arc::clone(&hub), stranger));
            }
        }
    }

    /// Finds out who a client is.
    async fn asks(self, region: Arc<Region>, hub: Arc<Hub>, stranger: Stranger) {
        let scenario = &self.scenarios[stranger.lane];
        let verdict = identify(&region, scenario, &*self.certificates, &stranger).await;
        hub.is_found(&stranger, verdict);
    }

    /// Starts an instance.
    fn start(&self, region: &Arc<Region>, hub: &Arc<Hub>, lane: usize) {
        let scenario = &self.scenarios[lane];
        let said = &scenario.said;
        // A program that cannot be used is found by its task, too: the log says why.
        let program = Programs::of(region).usable(said.program);
        let program = program.unwrap_or_else(|_| Programs::of(region).called(said.program));
        scenario.counts.starts.one();
        let mut attach = Attach::new(said.transaction, StartCode::System, Arc::clone(&self.user));
        attach.program = Some(said.program);
        attach.kept.put(Instance::new(hub, scenario, lane, program));
        (attach.here, attach.bound) = (true, true);
        if let Err(error) = dispatcher::attach(region, attach) {
            tracing::warn!(target: "DR", "no instance of {} can be started now: {error:?}", said.program);
        }
    }
}

/// New copies of a scenario's program.
fn copies(region: &Region, scenario: &Scenario) -> u64 {
    let program = Programs::of(region).get(scenario.said.program);
    program.map_or(0, |program| program.copies.load(Ordering::Relaxed))
}
