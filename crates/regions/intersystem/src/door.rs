//! The door: it lives on the region's own thread.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kernel::lines::often;
use kernel::region::Region;
use link::carrier::{is_same_user, other};
use ports::{CannotListen, Certificate, CertificateError, ClientCertificates, Clients, Limits, Served};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use crate::host::RegionHost;
use crate::inbound::{self, Local};
use crate::limits::{FAREWELL, INBOUND_MAX, INBOUND_PER_ADDRESS_MAX, SEVER_LOOK};
use crate::partner::Sort;
use crate::place;
use crate::routing::tidy;
use crate::shipping::watch_overdue;
use crate::systems::{Certificates, Order, Own, Run, Systems};
use crate::tend::tend;

/// The reason why the door is not open.
#[derive(Debug)]
pub enum CannotOpen {
    /// Its port cannot be had.
    Port(CannotListen),
    /// The socket in the folder of links cannot be had.
    Socket(PathBuf, io::Error),
    /// A certificate cannot be used.
    Certificate(CertificateError),
}

/// The door, open.
pub struct Door {
    local: Arc<Local>,
    served: Served,
    orders: JoinHandle<()>,
    /// The one who takes idle terminals of other regions away, and ends what has been in doubt for too long.
    tidies: JoinHandle<()>,
    /// The place where partners of other machines come.
    pub listening: Option<SocketAddr>,
}

impl Door {
    /// Opens it, and begins to tend the links of all partners. It must be called within a `LocalSet`.
    ///
    /// # Errors
    /// See [`CannotOpen`].
    pub fn open(
        region: &Arc<Region>,
        run: Run,
        certificates: Arc<dyn Certificates>,
    ) -> Result<Self, CannotOpen> {
        let own = Own { run, certificates, host: RegionHost::to_partner };
        let local = Arc::new(Local::new(region, own.clone()));
        let systems = Systems::of(region);
        systems.log_is(run.log, run.restored);
        let setup = systems.setup();
        let mut door = Self {
            local: Arc::clone(&local),
            served: Served::default(),
            orders: idle(),
            tidies: idle(),
            listening: None,
        };
        let mut irc = None;
        if setup.isc {
            door.listening = door.listen()?;
            if let (true, Some(folder)) = (setup.irc_start, &setup.folder) {
                let opened = open_irc(&local, folder);
                irc = Some(opened.map_err(|error| CannotOpen::Socket(folder.clone(), error))?);
            }
        }
        let (tell, orders) = unbounded_channel();
        systems.door_is_now(Some((tell, own)));
        let partners = [Sort::Connection, Sort::Ipconn].into_iter().flat_map(|sort| systems.partners(sort));
        for partner in partners {
            systems.order(Order::Tend(partner));
        }
        door.orders = tokio::task::spawn_local(follow(local, orders, irc));
        if setup.isc {
            let (idle_terminals, overdue) = (tidy(Arc::clone(region)), watch_overdue(Arc::downgrade(region)));
            door.tidies = tokio::task::spawn_local(async {
                tokio::join!(idle_terminals, overdue);
            });
        }
        Ok(door)
    }

    /// Listens for partners of other machines.
    fn listen(&mut self) -> Result<Option<SocketAddr>, CannotOpen> {
        let setup = Systems::of(&self.local.region).setup();
        let (Some(address), Some(identity)) = (setup.listen, &setup.identity) else { return Ok(None) };
        let clients =
            ClientCertificates { authorities: &identity.authorities, required: true, revoked: None };
        let certificate = Certificate::read(&identity.chain, &identity.key, Some(clients));
        let certificate = certificate.map_err(CannotOpen::Certificate)?;
        let (listener, address) = ports::listen(address).map_err(CannotOpen::Port)?;
        let clients = Clients::new(Limits::new(INBOUND_MAX, INBOUND_PER_ADDRESS_MAX));
        let local = Arc::clone(&self.local);
        self.served.serve(listener, move |stream, peer: SocketAddr| {
            let (local, certificate, clients) =
                (Arc::clone(&local), certificate.clone(), Arc::clone(&clients));
            async move {
                let Ok(arrival) = clients.arrive(peer.ip()) else { return };
                let stream = match arrival.shake_hands(&certificate, stream).await {
                    Ok(stream) => stream,
                    Err(why) => {
                        return tracing::warn!(target: "IS", "a link from {} is refused: {why}", peer.ip());
                    }
                };
                let Ok(_presence) = arrival.enter() else { return };
                let shown = ports::client_certificate(&stream);
                inbound::serve(local, other(stream), Sort::Ipconn, shown).await;
            }
        });
        tracing::info!(target: "IS", "links from other machines come to {address}");
        Ok(Some(address))
    }

    /// Accepts no more regions. Links stay: tasks that still run need their mirror tasks, and mirror tasks their askers.
    pub fn close(&self) {
        self.served.close();
    }

    /// Breaks all links off, as the death of the process would: partners lose them before a task of this region ends. Returns when
    /// nothing more goes over them.
    pub async fn sever(&self) {
        let systems = Systems::of(&self.local.region);
        self.close();
        systems.order(Order::CloseIrc(true));
        self.local.inbound.cut(Some(Sort::Ipconn), "the region has ended");
        for partner in systems.partners(Sort::Ipconn) {
            partner.change(|state| (state.wanted, state.breaks) = (false, true));
        }
        let partners =
            || [Sort::Connection, Sort::Ipconn].into_iter().flat_map(|sort| systems.partners(sort));
        let gone = async {
            while self.local.inbound.is_some() || partners().any(|partner| partner.line().is_some()) {
                tokio::time::sleep(SEVER_LOOK).await;
            }
        };
        // A program that holds a thread holds its connections, too.
        let _ = timeout(FAREWELL, gone).await;
    }

    /// Releases links in order.
    async fn release(&mut self) {
        let systems = Systems::of(&self.local.region);
        systems.order(Order::CloseIrc(false));
        // From here on there are no orders, and the one who follows them ends.
        systems.door_is_now(None);
        if timeout(FAREWELL, &mut self.orders).await.is_err() {
            self.orders.abort();
            let _ = (&mut self.orders).await;
        }
    }

    /// Releases the links, and ends what is left. No task runs any more.
    pub async fn stop(&mut self) {
        self.release().await;
        self.orders.abort();
        // It has the region until it is gone.
        let tidies = std::mem::replace(&mut self.tidies, idle());
        tidies.abort();
        let _ = tidies.await;
        self.local.inbound.cut(None, "the region ends");
        self.served.stop(FAREWELL).await;
    }
}

fn idle() -> JoinHandle<()> {
    tokio::task::spawn_local(async {})
}

/// Opens the socket of this region, for regions of this machine.
fn open_irc(local: &Arc<Local>, folder: &Path) -> io::Result<Served> {
    let applid = local.region.options.applid;
    let listener = place::listen(folder, applid)?;
    let mut served = Served::default();
    let own = Arc::clone(local);
    served.serve(listener, move |stream, ()| {
        let local = Arc::clone(&own);
        async move {
            match (is_same_user(&stream), local.arrives()) {
                (Ok(true), Some(arrived)) => local.serve_here(stream, arrived).await,
                (Ok(true), None) => often!(warn, target: "IS", "a link is refused: {INBOUND_MAX} are there"),
                _ => often!(warn, target: "IS", "a link is refused: it comes from another user"),
            }
        }
    });
    Systems::of(&local.region).irc_is_now(true);
    tracing::info!(target: "IS", "IRC is open: {} has the socket of {applid}", folder.display());
    Ok(served)
}

/// Follows orders until the region ends; then releases all links.
async fn follow(local: Arc<Local>, mut orders: UnboundedReceiver<Order>, mut irc: Option<Served>) {
    let systems = Systems::of(&local.region);
    let mut tended = JoinSet::new();
    while let Some(order) = orders.recv().await {
        while tended.try_join_next().is_some() {}
        match order {
            Order::Tend(partner) => drop(tended.spawn_local(tend(Arc::clone(&local), partner))),
            Order::OpenIrc if irc.is_some() => {}
            Order::OpenIrc => {
                let Some(folder) = &systems.setup().folder else { continue };
                match open_irc(&local, folder) {
                    Ok(served) => irc = Some(served),
                    Err(error) => {
                        tracing::warn!(target: "IS", "IRC is not opened: {}: {error}", folder.display());
                    }
                }
            }
            Order::CloseIrc(at_once) => close_irc(&local, irc.take(), at_once),
        }
    }
    for sort in [Sort::Connection, Sort::Ipconn] {
        for partner in systems.partners(sort) {
            partner.change(|state| (state.is_gone, state.wanted) = (true, false));
        }
    }
    while tended.join_next().await.is_some() {}
}

/// Closes the socket, and releases the links to regions of this machine.
fn close_irc(local: &Local, irc: Option<Served>, at_once: bool) {
    let Some(irc) = irc else { return };
    let systems = Systems::of(&local.region);
    irc.close();
    if let Some(folder) = &systems.setup().folder {
        place::remove(folder, local.region.options.applid);
    }
    systems.irc_is_now(false);
    if at_once {
        local.inbound.cut(Some(Sort::Connection), "IRC is closed");
        for partner in systems.partners(Sort::Connection) {
            partner.change(|state| state.breaks = true);
        }
    }
    tracing::info!(target: "IS", "IRC is closed");
}
