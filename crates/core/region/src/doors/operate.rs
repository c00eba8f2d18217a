//! `[operate]`: figures and health of the region, for those who watch it.

mod figures;
mod process;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Instant;

use ::metrics::{Family, Host, Metrics};
use config::{Located, RegionConfig};
use diagnostics::Diagnostic;
use kernel::monitoring::Monitoring;
use kernel::region::Region;
use operation::outside::{Status, status};

use super::{Door, Inside, Listening, Step, WithWarnings, cannot_listen};

/// The door that `[operate]` describes.
///
/// # Errors
/// None of its own.
pub(super) fn read(_: &Path, config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    Ok((Box::new(Operate { asked: config.operate_listen.clone(), opened: None }), Vec::new()))
}

/// The door.
struct Operate {
    asked: Option<Located<SocketAddr>>,
    opened: Option<Metrics>,
}

impl Door for Operate {
    /// Tasks are counted by their response time from the first one on.
    fn install(&mut self, region: &Region) {
        if self.asked.is_some() {
            Monitoring::of(region).count_response_times();
        }
    }

    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        Box::pin(async {
            let Some(asked) = &self.asked else { return Ok(()) };
            let watched = Watched { region: Arc::downgrade(inside.region), started: Instant::now() };
            let opened = metrics::open(asked.value, Arc::new(watched));
            let opened = opened.map_err(|why| cannot_listen("/metrics", &why, asked))?;
            tracing::info!(target: "ST", "/metrics and /health are read at http://{}", opened.address);
            self.opened = Some(opened);
            Ok(())
        })
    }

    fn listening(&self) -> Vec<Listening> {
        let listening =
            |opened: &Metrics| Listening { door: "operate", name: String::new(), address: opened.address };
        self.opened.iter().map(listening).collect()
    }

    /// It answers while tasks end: it says that no new ones are taken.
    fn close(&mut self) -> Step<'_> {
        Box::pin(async {})
    }

    fn stop(&mut self) -> Step<'_> {
        Box::pin(async {
            if let Some(mut opened) = self.opened.take() {
                opened.stop().await;
            }
        })
    }
}

/// All figures of a region that began to be watched then, and of its process.
pub(super) fn families(region: &Region, started: Instant) -> Vec<Family> {
    let mut families = figures::families(region, &status(region, started));
    families.extend(process::families());
    families
}

/// A region that is watched.
struct Watched {
    region: Weak<Region>,
    started: Instant,
}

impl Host for Watched {
    fn families(&self) -> Option<Vec<Family>> {
        let region = self.region.upgrade()?;
        Some(families(&region, self.started))
    }

    fn health(&self) -> (bool, String) {
        let Some(region) = self.region.upgrade() else { return (false, String::from("{\"serves\":false}")) };
        let Status { applid, serves, health, .. } = status(&region, self.started);
        // An applid has letters and digits alone.
        (serves, format!("{{\"applid\":\"{applid}\",\"serves\":{serves},\"health\":{health}}}"))
    }
}
