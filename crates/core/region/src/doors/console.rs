//! `[console]`: the web console.

mod definitions;
mod edits;
mod errand;
mod faults;
mod figures;
mod host;
mod resources;
mod terminals;

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use ::console::{Console, Settings};
use config::{ConsoleConfig, RegionConfig};
use diagnostics::Diagnostic;
use kernel::region::Region;
use ports::Certificate;

use super::certificate::Named;
use super::tn3270::Manners;
use super::{Door, Inside, Listening, Step, WithWarnings, cannot_listen};
use host::Watched;
use terminals::Desk;

/// The door that `[console]` describes.
///
/// # Errors
/// A certificate that cannot be used.
pub(super) fn read(root: &Path, config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    let asked = config.console.clone();
    let identity = asked.identity.as_ref().filter(|_| asked.listen.is_some());
    let certificate = identity.map(|(chain, key)| {
        let authorities = asked.client_authorities.as_ref();
        let named = Named { chain, key, authorities, required: asked.client_certificates_required };
        // A browser that is offered nothing may speak HTTP/2.
        named.read(root, config).map(|certificate| certificate.offering(&["http/1.1"]))
    });
    let certificate = certificate.transpose()?;
    let door = Door3270 { asked, certificate, manners: Manners::of(config), opened: None };
    Ok((Box::new(door), Vec::new()))
}

/// The door.
struct Door3270 {
    asked: ConsoleConfig,
    certificate: Option<Certificate>,
    manners: Manners,
    opened: Option<Console>,
}

impl Door for Door3270 {
    /// Installs the transaction whose tasks answer the pages.
    fn install(&mut self, region: &Region) {
        if self.asked.listen.is_some() {
            errand::install(region);
        }
    }

    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        Box::pin(async {
            let Some(asked) = &self.asked.listen else { return Ok(()) };
            let desk = Desk::new(inside.region, self.manners.certified_only, self.manners.door(inside));
            let settings = Settings {
                listen: asked.value,
                names: self.asked.names.clone(),
                certificate: self.certificate.clone(),
                idle: Duration::from_secs(u64::from(self.asked.idle_min) * 60),
            };
            let watched = Arc::new(Watched::new(inside));
            let opened = ::console::open(settings, watched, Rc::new(desk));
            let opened = opened.map_err(|why| cannot_listen("the console", &why, asked))?;
            let scheme = if self.certificate.is_some() { "https" } else { "http" };
            tracing::info!(target: "ST", "the console is at {scheme}://{}", opened.address);
            self.opened = Some(opened);
            Ok(())
        })
    }

    fn listening(&self) -> Vec<Listening> {
        let listening =
            |opened: &Console| Listening { door: "console", name: String::new(), address: opened.address };
        self.opened.iter().map(listening).collect()
    }

    /// Those that watch see the region end.
    fn close(&mut self) -> Step<'_> {
        if let Some(opened) = &self.opened {
            opened.close();
        }
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
