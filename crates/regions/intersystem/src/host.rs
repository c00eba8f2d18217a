//! The region at the other end of a link's frames.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::{Arc, Weak};

use kernel::dispatcher::Dispatcher;
use kernel::health::Health;
use kernel::region::Region;
use link::{Asked, Host, Vitals};

use crate::asker;
use crate::partner::Partner;
use crate::routing::{self, Targets};
use crate::shipping::Mirrors;

/// The region, for one link.
pub(crate) struct RegionHost {
    region: Weak<Region>,
    /// The partner, once it is known.
    pub partner: OnceCell<Arc<Partner>>,
    /// The mirror tasks of the link.
    pub mirrors: Rc<Mirrors>,
    /// The tasks that are routed here over the link.
    targets: Rc<Targets>,
}

impl RegionHost {
    pub fn new(region: &Arc<Region>) -> Self {
        Self {
            region: Arc::downgrade(region),
            partner: OnceCell::new(),
            mirrors: Rc::default(),
            targets: Rc::default(),
        }
    }

    /// The region, for a link that it makes to a partner.
    pub fn to_partner(region: &Arc<Region>, partner: &Arc<Partner>) -> Rc<dyn Host> {
        let host = Self { partner: OnceCell::from(Arc::clone(partner)), ..Self::new(region) };
        Rc::new(host)
    }

    /// The link has ended.
    pub fn end(&self) {
        self.mirrors.end();
        if let Some(region) = self.region.upgrade() {
            self.targets.end(&region);
        }
    }
}

/// The largest load.
const FULL: usize = u8::MAX as usize;

impl Host for RegionHost {
    fn vitals(&self) -> Vitals {
        let Some(region) = self.region.upgrade() else {
            return Vitals { health: 0, quiescing: true, ..Vitals::default() };
        };
        let dispatcher = Dispatcher::of(&region);
        let load = dispatcher.running() * FULL / dispatcher.tasks_max().max(1);
        Vitals {
            health: u8::try_from(Health::of(&region).value()).unwrap_or_default(),
            load: u8::try_from(load).unwrap_or(u8::MAX),
            at_mxt: dispatcher.is_full(),
            short_on_storage: region.dsa.is_short(),
            quiescing: dispatcher.is_closed(),
        }
    }

    fn asked(&self, asked: Asked, body: &[u8]) {
        match (self.region.upgrade(), self.partner.get()) {
            (Some(region), Some(partner)) => {
                // A request that is none is refused as such.
                let (asker, body) = asker::read(body).unwrap_or_default();
                match routing::own(body) {
                    Some(body) => self.targets.ask(&region, partner, (asked, asker), body),
                    None => self.mirrors.ask(&region, partner, (asked, asker), body),
                }
            }
            _ => asked.fail("the region ends"),
        }
    }
}
