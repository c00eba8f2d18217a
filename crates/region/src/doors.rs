//! Opening the listeners of `[listen]`.

use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use config::{Located, RegionConfig, at};
use diagnostics::Diagnostic;
use kernel::name::Name8;
use kernel::region::Region;
use kernel::terminals::UpperCase;
use terminal::{Certificate, Limits, Welcome};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::codes;
use crate::door::Door;

/// For terminals to be told that the region ends.
const FAREWELL: Duration = Duration::from_secs(3);

/// The open doors of a region.
pub(crate) struct Doors {
    /// Those that take terminals in clear.
    pub(crate) plain: Vec<SocketAddr>,
    /// Those that begin with a TLS handshake.
    pub(crate) secure: Vec<SocketAddr>,
    door: Rc<terminal::Door>,
    listeners: Vec<JoinHandle<()>>,
}

impl Doors {
    /// Ends all sessions, once terminals have what was sent to them, and closes the doors.
    pub(crate) async fn close(&mut self, region: &Region) {
        for terminal in region.terminals.list() {
            terminal.log_off();
        }
        // A client that neither reads nor leaves does not keep the region.
        let _ = tokio::time::timeout(FAREWELL, self.door.emptied()).await;
        for listener in self.listeners.drain(..) {
            listener.abort();
            // It is over when it has let go of the region.
            let _ = listener.await;
        }
    }
}

/// Opens all doors. It must be called within a `LocalSet`, on which they run.
///
/// # Errors
/// An address that cannot be had, a certificate that cannot be used.
pub(crate) async fn open(
    region: &Arc<Region>,
    root: &Path,
    config: &RegionConfig,
) -> Result<Doors, Vec<Diagnostic>> {
    let upper_case = match config.terminal.upper_case {
        config::UpperCase::No => UpperCase::No,
        config::UpperCase::Tranid => UpperCase::Transaction,
        config::UpperCase::Yes => UpperCase::Yes,
    };
    let bound = config.listen.lus.iter().map(|lu| (Name8::from(lu.name.as_str()), lu.addresses.clone()));
    let terminals = Rc::new(Door { region: Arc::clone(region), upper_case, bound: bound.collect() });
    let door = terminal::Door::new(terminals, &config.applid, limits(config));
    let mut welcomes: Vec<_> = config.listen.tn3270.iter().map(|address| (address, Welcome::Plain)).collect();
    if let Some(certificate) = certificate(root, config)? {
        let secure = Welcome::Secure(certificate);
        welcomes.extend(config.listen.tn3270_tls.iter().map(|address| (address, secure.clone())));
    }
    let (mut listeners, mut plain, mut secure) = (Vec::new(), Vec::new(), Vec::new());
    for (address, welcome) in welcomes {
        let listener =
            TcpListener::bind(address.value).await.map_err(|error| vec![taken(address, &error)])?;
        let addresses = if matches!(welcome, Welcome::Plain) { &mut plain } else { &mut secure };
        addresses.push(listener.local_addr().unwrap_or(address.value));
        let door = Rc::clone(&door);
        listeners.push(tokio::task::spawn_local(async move {
            terminal::serve(listener, door, welcome).await;
        }));
    }
    Ok(Doors { plain, secure, door, listeners })
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

/// The certificate of the TLS listeners, if there are any.
fn certificate(root: &Path, config: &RegionConfig) -> Result<Option<Certificate>, Vec<Diagnostic>> {
    let listen = &config.listen;
    let (Some(chain), Some(key), false) = (&listen.certificate, &listen.key, listen.tn3270_tls.is_empty())
    else {
        return Ok(None);
    };
    let read = Certificate::read(&root.join(&chain.value), &root.join(&key.value));
    read.map(Some).map_err(|error| {
        let message = Diagnostic::error(codes::CERTIFICATE, error.to_string());
        vec![at(message, chain).help("both files must be PEM; the certificate comes before its chain")]
    })
}

fn taken(address: &Located<SocketAddr>, error: &std::io::Error) -> Diagnostic {
    let message = format!("the region cannot listen on {}: {error}", address.value);
    let help = "another program may use this port: choose another one in [listen], or end that program";
    at(Diagnostic::error(codes::ADDRESS, message), address).help(help)
}
