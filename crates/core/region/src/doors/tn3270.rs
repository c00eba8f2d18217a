//! TN3270: the listeners of `[listen]`.

mod terminals;

use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use config::{Located, RegionConfig, at};
use diagnostics::Diagnostic;
use kernel::name::Name8;
use kernel::region::Region;
use kernel::terminals::{Terminals, UpperCase};
use ports::{BACKLOG, CannotListen, Certificate, Served, Sharing};
use rustix::io::Errno;
use terminal::{Host, Limits, Tapped, Welcome};

use super::certificate::Named;
use super::{Door, Inside, Listening, Step, WithWarnings, cannot_listen};
use crate::codes;
use terminals::{Bound, TerminalHost};

/// For terminals to be told that the region ends.
const FAREWELL: Duration = Duration::from_secs(3);

/// The door that `[listen]` describes.
///
/// # Errors
/// A certificate that cannot be used.
pub(super) fn read(root: &Path, config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    let listen = &config.listen;
    let mut addresses: Vec<_> = listen.tn3270.iter().map(|at| (at.clone(), Welcome::Plain)).collect();
    let certificate = if listen.tn3270_tls.is_empty() { None } else { certificate(root, config)? };
    if let Some(certificate) = certificate {
        let secure = Welcome::Secure(certificate);
        addresses.extend(listen.tn3270_tls.iter().map(|at| (at.clone(), secure.clone())));
    }
    let door = Tn3270 {
        manners: Manners::of(config),
        addresses,
        region: None,
        listening: Vec::new(),
        served: Served::default(),
    };
    Ok((Box::new(door), Vec::new()))
}

/// The manners of the region's terminals, whatever carries their bytes.
pub(super) struct Manners {
    applid: String,
    upper_case: UpperCase,
    /// True if a client of TLS must show a user's certificate.
    pub certified_only: bool,
    bound: Bound,
    limits: Limits,
}

impl Manners {
    /// Those of a configuration.
    pub(super) fn of(config: &RegionConfig) -> Self {
        let bound = config.listen.lus.iter().map(|lu| (Name8::from(lu.name.as_str()), lu.clone()));
        Self {
            applid: config.applid.clone(),
            upper_case: match config.terminal.upper_case {
                config::UpperCase::No => UpperCase::No,
                config::UpperCase::Tranid => UpperCase::Transaction,
                config::UpperCase::Yes => UpperCase::Yes,
            },
            certified_only: config.listen.client_certificates_required,
            bound: bound.collect(),
            limits: limits(config),
        }
    }

    /// A door for terminals of a region.
    pub(super) fn door(&mut self, inside: &Inside<'_>) -> Rc<terminal::Door> {
        let terminals = TerminalHost {
            region: Arc::clone(inside.region),
            users: Arc::clone(inside.users),
            certified_only: self.certified_only,
            upper_case: self.upper_case,
            bound: std::mem::take(&mut self.bound),
        };
        let mut host: Rc<dyn Host> = Rc::new(terminals);
        if let Some(tap) = &inside.tap {
            host = Rc::new(Tapped::new(host, Rc::clone(tap)));
        }
        terminal::Door::new(host, &self.applid, self.limits.clone())
    }
}

/// The door, and what is open of it.
struct Tn3270 {
    manners: Manners,
    addresses: Vec<(Located<SocketAddr>, Welcome)>,
    region: Option<Arc<Region>>,
    listening: Vec<Listening>,
    served: Served,
}

impl Door for Tn3270 {
    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        Box::pin(async {
            self.region = Some(Arc::clone(inside.region));
            let door = self.manners.door(inside);
            for (asked, welcome) in &self.addresses {
                let opened = ports::open_for(inside.sharing, asked.value, BACKLOG, 1);
                let refused = |why| cannot_listen("the region", &why, asked);
                let opened = opened.map_err(refused)?;
                let address = opened.address;
                let welcome = resumed_elsewhere(welcome, inside.sharing, asked)?;
                // There is one, as was asked for.
                let Some(socket) = opened.sockets.into_iter().next() else { continue };
                let listener = socket.here().map_err(|error| {
                    let system = Errno::from_io_error(&error).unwrap_or(Errno::IO);
                    refused(CannotListen { address, system })
                })?;
                let name = if matches!(welcome, Welcome::Plain) { "tn3270" } else { "tn3270-tls" };
                self.listening.push(Listening { door: name, name: String::new(), address });
                let door = Rc::clone(&door);
                let client = move |stream, peer| Rc::clone(&door).welcome(welcome.clone(), stream, peer);
                self.served.serve(listener, client);
            }
            Ok(())
        })
    }

    fn listening(&self) -> Vec<Listening> {
        self.listening.clone()
    }

    fn connections_max(&self) -> Option<usize> {
        (!self.addresses.is_empty()).then_some(self.manners.limits.connections_max)
    }

    fn close(&mut self) -> Step<'_> {
        self.served.close();
        Box::pin(async {})
    }

    /// Ends all sessions, once terminals have what was sent to them. A client that neither reads nor leaves does not keep
    /// the region.
    fn stop(&mut self) -> Step<'_> {
        Box::pin(async {
            let terminals = self.region.iter().flat_map(|region| Terminals::of(region).list());
            // Those of other regions are not this door's.
            terminals.filter(|terminal| terminal.owner().is_none()).for_each(|own| own.log_off());
            self.served.stop(FAREWELL).await;
        })
    }
}

/// The welcome of a port: where that is shared, its TLS sessions are resumed by other regions.
fn resumed_elsewhere(
    welcome: &Welcome,
    sharing: Option<&Arc<Sharing>>,
    asked: &Located<SocketAddr>,
) -> Result<Welcome, Vec<Diagnostic>> {
    let sharing = sharing.filter(|sharing| sharing.shares(asked.value));
    let (Welcome::Secure(own), Some(sharing)) = (welcome, sharing) else { return Ok(welcome.clone()) };
    let wrong = |why: String| {
        let text = format!("the TLS sessions of terminals cannot be shared: {why}");
        vec![at(Diagnostic::error(codes::CERTIFICATE, text), asked)]
    };
    let secret = sharing.tickets().map_err(|why| wrong(why.to_string()))?;
    own.shared(secret, "tn3270").map(Welcome::Secure).map_err(|why| wrong(why.to_string()))
}

fn limits(config: &RegionConfig) -> Limits {
    let limits = Limits::default();
    let connections_max = config.listen.connections.map_or(limits.connections_max, |most| most as usize);
    let per_address = config.listen.connections_per_address.map(|most| most as usize);
    let handshake = config.listen.handshake_s.map(|seconds| Duration::from_secs(seconds.into()));
    Limits {
        connections_max,
        connections_per_address: per_address.unwrap_or((connections_max / 2).max(1)),
        handshake_max: handshake.unwrap_or(limits.handshake_max),
        ..limits
    }
}

/// The certificate of the region, if `[listen]` names one.
pub(super) fn certificate(
    root: &Path,
    config: &RegionConfig,
) -> Result<Option<Certificate>, Vec<Diagnostic>> {
    let listen = &config.listen;
    let (Some(chain), Some(key)) = (&listen.certificate, &listen.key) else { return Ok(None) };
    let named = Named {
        chain,
        key,
        authorities: listen.client_authorities.as_ref(),
        required: listen.client_certificates_required,
    };
    named.read(root, config).map(Some)
}
