//! Ports that the region shares with others of this machine: which, and how many clients it takes from them.

use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use config::{RegionConfig, SharedPorts};
use diagnostics::Diagnostic;
use kernel::dispatcher::Dispatcher;
use kernel::health::{HEALTH_MAX, Health, OpenStatus};
use kernel::region::Region;
use ports::{Allows, Gate, Sharing, Which};

use crate::codes;

/// The rest behind a client of a region whose health is 50: below it is longer, above it shorter.
const REST: Duration = Duration::from_millis(2);

/// The share in ports that `[ports]` asks for; `None` if it asks for none.
///
/// # Errors
/// The folder of links cannot be used.
pub(crate) fn begin(
    root: &Path,
    config: &RegionConfig,
    region: &Arc<Region>,
) -> Result<Option<Arc<Sharing>>, Vec<Diagnostic>> {
    let which = match &config.ports.shared {
        SharedPorts::None => return Ok(None),
        SharedPorts::All => Which::All,
        SharedPorts::These(ports) => Which::These(ports.clone()),
    };
    let Some(folder) = &config.links.folder else { return Ok(None) };
    let path = root.join(&folder.value);
    let gate = Box::new(ByHealth(Arc::downgrade(region)));
    let begun = Sharing::begin(&path, &config.applid, which, gate);
    begun.map(Some).map_err(|why| {
        let text = format!("ports cannot be shared in {}: {why}", path.display());
        vec![config::at(Diagnostic::error(codes::START, text), folder).help("`folder` of [links] names it")]
    })
}

/// The clients that a region takes: by its health, and by what its tasks leave of MXT.
struct ByHealth(Weak<Region>);

impl Gate for ByHealth {
    fn allows(&self) -> Allows {
        let Some(region) = self.0.upgrade() else { return Allows::Nothing };
        let dispatcher = Dispatcher::of(&region);
        if dispatcher.is_closed() {
            return Allows::Nothing;
        }
        let health = Health::of(&region);
        let present = Present {
            health: health.value(),
            status: health.status(),
            tasks: dispatcher.running(),
            tasks_max: dispatcher.tasks_max(),
        };
        present.allows()
    }
}

/// The state of a region that counts.
struct Present {
    health: u32,
    status: OpenStatus,
    tasks: usize,
    tasks_max: usize,
}

impl Present {
    /// With less than full health it takes fewer clients, one at a time, and has room for fewer tasks. Where it has no room, it takes
    /// those that no other region takes: an operator must reach it all the same. So does a region that has just started: it may be
    /// the only one.
    fn allows(&self) -> Allows {
        let health = self.health.min(HEALTH_MAX);
        let is_closed = matches!(self.status, OpenStatus::Closed | OpenStatus::Closing);
        let room = self.tasks_max * health as usize / HEALTH_MAX as usize;
        match health {
            0 if is_closed => Allows::Nothing,
            0 => Allows::LeftOver,
            _ if self.tasks >= room.max(1) => Allows::LeftOver,
            HEALTH_MAX => Allows::All,
            _ => Allows::Paced(REST * (HEALTH_MAX - health) / health),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_takes_clients_by_its_health_and_its_room() {
        let allows = |health, status, tasks| Present { health, status, tasks, tasks_max: 100 }.allows();
        assert_eq!(allows(100, OpenStatus::Off, 99), Allows::All);
        assert_eq!(allows(100, OpenStatus::Open, 100), Allows::LeftOver);
        assert_eq!(allows(50, OpenStatus::Opening, 49), Allows::Paced(REST));
        assert_eq!(allows(20, OpenStatus::Closing, 3), Allows::Paced(REST * 4));
        assert_eq!(allows(20, OpenStatus::Opening, 20), Allows::LeftOver);
        assert_eq!(allows(0, OpenStatus::Opening, 0), Allows::LeftOver);
        assert_eq!(allows(0, OpenStatus::Closed, 0), Allows::Nothing);
    }
}
