//! The service manager that has started the region, if one has: the datagrams that systemd reads (sd_notify).

use std::env;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process;
use std::time::Duration;

/// The manager's socket, and how often it wants to hear that the region lives.
pub(crate) struct Supervisor {
    socket: Option<(UnixDatagram, SocketAddr)>,
    watchdog: Option<Duration>,
}

impl Supervisor {
    /// As the environment says: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    pub fn find() -> Self {
        let address = env::var("NOTIFY_SOCKET").ok().and_then(|name| address(&name));
        let socket = address.and_then(|address| Some((UnixDatagram::unbound().ok()?, address)));
        let meant = env::var("WATCHDOG_PID").map_or(true, |pid| pid == process::id().to_string());
        let watchdog = env::var("WATCHDOG_USEC").ok().and_then(|text| text.parse().ok()).filter(|_| meant);
        Self { socket, watchdog: watchdog.map(Duration::from_micros) }
    }

    /// The region serves; from now on the manager hears twice in each of its periods that the event loop turns. It must
    /// be called on an event loop of one thread, as `event_loop` is.
    pub fn ready(&self) {
        self.tell("READY=1");
        let (Some(period), Some((socket, address))) = (self.watchdog, &self.socket) else { return };
        let (Ok(socket), address) = (socket.try_clone(), address.clone()) else { return };
        tokio::task::spawn_local(async move {
            let mut beat = tokio::time::interval(period / 2);
            loop {
                beat.tick().await;
                send(&socket, &address, "WATCHDOG=1");
            }
        });
    }

    /// The region ends.
    pub fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    fn tell(&self, what: &str) {
        if let Some((socket, address)) = &self.socket {
            send(socket, address, what);
        }
    }
}

fn send(socket: &UnixDatagram, address: &SocketAddr, what: &str) {
    // A manager that does not listen any more is no reason to end.
    let _ = socket.send_to_addr(what.as_bytes(), address);
}

/// A path, or with `@` before it a name that no file has.
fn address(name: &str) -> Option<SocketAddr> {
    match name.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name).ok(),
        None => SocketAddr::from_pathname(name).ok(),
    }
}
