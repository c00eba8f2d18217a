//! The direct path of a region: its ports, and a hub on each TCB that serves them.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use domains::statistics::Statistics;
use foldhash::HashMap;
use kernel::dispatcher::{Acceptors, Dispatcher};
use kernel::programs::{Concurrency, Programs};
use kernel::region::Region;
use kernel::security::{User, Users};
use kernel::transactions::{Transaction, Transactions};
use parking_lot::Mutex;
use pipelines::handed;
use ports::{
    BACKLOG, CannotListen, Certificate, Clients, Closing, LEFT_MAX, Limits, PortSocket, Sharing, TooMany,
};
use tokio::net::TcpStream;
use tokio::task::{spawn_local, yield_now};
use webdomain::Certificates;

use crate::connection::Caller;
use crate::hub::{Hub, Patience, ticks};
use crate::scenario::{Counts, Scenario};
use crate::settings::{Framing, Reached, Settings};
use crate::statistics::Teller;
use crate::warden::Warden;
use crate::wire::Wire;

/// The direct path of a region, and the service `VSVPSYNC` of its programs.
pub struct Direct {
    settings: Settings,
    /// With which its ports speak TLS, if they do.
    certificate: Option<Certificate>,
    scenarios: Arc<[Arc<Scenario>]>,
    running: Mutex<Running>,
}

/// State while the region runs.
#[derive(Default)]
struct Running {
    hubs: Vec<Arc<Hub>>,
    wardens: Acceptors,
    acceptors: Acceptors,
    closing: Arc<Closing>,
    opened: Vec<Opened>,
}

/// A port that is open.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The program of a port that has only one; none: HTTP.
    pub program: Option<String>,
    /// Address of the port.
    pub address: SocketAddr,
}

/// Reasons why the direct path is not open.
#[derive(Debug)]
pub enum CannotOpen {
    /// A port cannot be had.
    Port(CannotListen),
    /// The sessions of its ports cannot be shared with other regions.
    Sharing(String),
    /// The user is not defined.
    User(String),
    /// A scenario cannot serve its service: which one, and why.
    Service(String, String),
}

/// A listening socket of a TCB.
struct Listening {
    socket: PortSocket,
    inside: Arc<Inside>,
    closing: Arc<Closing>,
}

/// The place of a port's clients on a TCB. Handshakes that last have it, and not the socket, which closes before them.
struct Inside {
    hub: Arc<Hub>,
    clients: Arc<Clients>,
    /// The scenario whose messages come there; `None`: HTTP.
    framed: Option<(usize, Framing)>,
    certificate: Option<Certificate>,
}

/// Interval of a port's messages about clients that it has let go.
const TOLD_EVERY: Duration = Duration::from_secs(1);
/// Time that accepting rests when the system has no descriptor or memory for another client.
const REST: Duration = Duration::from_millis(100);

impl Direct {
    /// Direct path of these settings; with a certificate all ports speak TLS.
    pub fn new(settings: Settings, certificate: Option<Certificate>) -> Self {
        let scenario = |said: &_| {
            let (service, counts) = (OnceLock::new(), Counts::default());
            Arc::new(Scenario { said: Clone::clone(said), service, counts })
        };
        let scenarios = settings.scenarios.iter().map(scenario).collect();
        Self { settings, certificate, scenarios, running: Mutex::default() }
    }

    /// Installs what it brings along: transactions that are not defined yet, statistics.
    pub fn install(&self, region: &Region) {
        if self.scenarios.is_empty() {
            return;
        }
        for scenario in &*self.scenarios {
            let said = &scenario.said;
            let table = Transactions::of(region);
            if table.get(said.transaction).is_none() {
                table.install(Transaction::new(said.transaction, said.program));
            }
        }
        Statistics::of(region).register(Arc::new(Teller(Arc::clone(&self.scenarios))));
    }

    /// Opens the ports, and starts the instances.
    ///
    /// # Errors
    /// See [`CannotOpen`].
    pub async fn open(
        &self,
        region: &Arc<Region>,
        certificates: Arc<dyn Certificates>,
        sharing: Option<&Arc<Sharing>>,
    ) -> Result<(), CannotOpen> {
        if self.scenarios.is_empty() {
            return Ok(());
        }
        let user = self.user(region)?;
        self.scenarios.iter().try_for_each(|scenario| find_service(region, scenario))?;
        let dispatcher = Dispatcher::of(region);
        let tcbs = dispatcher.acceptor_tcbs(self.concurrency(region));
        let patience = Patience {
            idle: if self.settings.idle.is_zero() { 0 } else { ticks(self.settings.idle) },
            receive: ticks(self.settings.receive),
        };
        let realm = format!("CICS application {}", region.options.applid);
        let hub = |_| Hub::new(&self.scenarios, self.paths(), patience, realm.clone());
        let hubs: Vec<_> = tcbs.iter().map(hub).collect();
        let clients = Clients::new(Limits::new(self.settings.connections, self.settings.per_address));
        let mut running = Running { hubs: hubs.clone(), ..Running::default() };
        let closing = Arc::clone(&running.closing);
        for (address, framed) in self.ports() {
            let certificate = self.certificate_at(address, sharing)?;
            let port = ports::open_for(sharing, address, BACKLOG, tcbs.len()).map_err(CannotOpen::Port)?;
            let program = framed.map(|(lane, _)| self.scenarios[lane].said.program.to_string());
            tracing::info!(target: "DR", "messages for {} come to {}", program.as_deref().unwrap_or("scenarios"), port.address);
            running.opened.push(Opened { program, address: port.address });
            let listening = |(socket, hub): (PortSocket, &Arc<Hub>)| {
                let (hub, clients) = (Arc::clone(hub), Arc::clone(&clients));
                let inside = Arc::new(Inside { hub, clients, framed, certificate: certificate.clone() });
                Arc::new(Listening { socket, inside, closing: Arc::clone(&closing) })
            };
            let sockets = port.sockets.into_iter().zip(&hubs).map(listening).collect();
            running.acceptors.on(dispatcher, tcbs.clone(), sockets, |_| None, accept).await;
        }
        let scenarios = Arc::clone(&self.scenarios);
        let warden = Warden { region: Arc::downgrade(region), scenarios, user, certificates };
        let keeps = move |hub| warden.clone().keeps(hub);
        running.wardens.on(dispatcher, tcbs, hubs, |_| None, keeps).await;
        *self.running.lock() = running;
        Ok(())
    }

    /// Ports on which it listens.
    pub fn opened(&self) -> Vec<Opened> {
        self.running.lock().opened.clone()
    }

    /// Takes no client and no message any more. Clients that wait to be accepted are let in, and refused.
    pub fn close(&self) {
        let mut running = self.running.lock();
        running.closing.close();
        running.opened.clear();
        running.hubs.iter().for_each(|hub| hub.close());
    }

    /// No instance runs any more.
    pub fn stop(&self) {
        let running = std::mem::take(&mut *self.running.lock());
        running.hubs.iter().for_each(|hub| hub.stop());
    }

    /// The certificate of a port: where that is shared, its sessions are resumed by other regions.
    fn certificate_at(
        &self,
        address: SocketAddr,
        sharing: Option<&Arc<Sharing>>,
    ) -> Result<Option<Certificate>, CannotOpen> {
        let sharing = sharing.filter(|sharing| sharing.shares(address));
        let (Some(own), Some(sharing)) = (&self.certificate, sharing) else {
            return Ok(self.certificate.clone());
        };
        let secret = sharing.tickets().map_err(|why| CannotOpen::Sharing(why.to_string()))?;
        let shared = own.shared(secret, "direct").map_err(|why| CannotOpen::Sharing(why.to_string()));
        shared.map(Some)
    }

    fn user(&self, region: &Region) -> Result<Arc<User>, CannotOpen> {
        let users = Users::of(region);
        match &self.settings.user {
            None => Ok(Arc::clone(&users.default)),
            Some(id) => users.file.user(id).map(Arc::new).ok_or_else(|| CannotOpen::User(id.clone())),
        }
    }

    /// Concurrency of the programs: QR as soon as one of them needs it.
    fn concurrency(&self, region: &Region) -> Option<Concurrency> {
        let of = |scenario: &Arc<Scenario>| {
            let program = Programs::of(region).usable(scenario.said.program).ok()?;
            Some(program.concurrency)
        };
        self.scenarios.iter().filter_map(of).find(|concurrency| *concurrency == Concurrency::Quasirent)
    }

    fn paths(&self) -> HashMap<String, usize> {
        let places = self.scenarios.iter().enumerate();
        let path = |(lane, scenario): (usize, &Arc<Scenario>)| match &scenario.said.reached {
            Reached::Path(path) => Some((path.clone(), lane)),
            Reached::Port { .. } => None,
        };
        places.filter_map(path).collect()
    }

    /// The ports, each with its only scenario if it has one.
    fn ports(&self) -> Vec<(SocketAddr, Option<(usize, Framing)>)> {
        let own =
            self.scenarios.iter().enumerate().filter_map(|(lane, scenario)| match scenario.said.reached {
                Reached::Port { at, framing } => Some((at, Some((lane, framing)))),
                Reached::Path(_) => None,
            });
        self.settings.listen.map(|at| (at, None)).into_iter().chain(own).collect()
    }
}

/// Finds the service of a scenario that has one.
///
/// # Errors
/// The scenario cannot serve it.
fn find_service(region: &Region, scenario: &Scenario) -> Result<(), CannotOpen> {
    let said = &scenario.said;
    let Some(name) = said.service else { return Ok(()) };
    let unfit = |why: String| CannotOpen::Service(name.to_string(), why);
    let fit = handed::fit(region, name).map_err(unfit)?;
    let room = said.areas().0;
    if fit.record > room {
        let what = if said.commarea.is_some() { "commarea" } else { "message" };
        return Err(unfit(format!(
            "has records of {} bytes, and the scenario's {what} is {room}",
            fit.record
        )));
    }
    // It is set once.
    let _ = scenario.service.set(fit);
    Ok(())
}

/// Lets a client in, behind its handshake where the port speaks TLS.
fn welcome(inside: &Arc<Inside>, stream: TcpStream, peer: SocketAddr) -> Result<(), TooMany> {
    let Some(certificate) = inside.certificate.clone() else {
        let presence = inside.clients.admit(peer.ip())?;
        let caller = Caller { peer: peer.ip(), certificate: None };
        inside.hub.enter(Wire::Plain(stream), presence, caller, inside.framed);
        return Ok(());
    };
    let (arrival, inside) = (inside.clients.arrive(peer.ip())?, Arc::clone(inside));
    drop(spawn_local(async move {
        match arrival.shake_hands(&certificate, stream).await {
            Ok(secured) => match arrival.enter() {
                Ok(presence) => {
                    let certificate = ports::client_certificate(&secured);
                    let caller = Caller { peer: peer.ip(), certificate };
                    inside.hub.enter(Wire::Secure(Box::new(secured)), presence, caller, inside.framed);
                }
                Err(why) => tracing::warn!(target: "DR", "client {peer} is let go: {why}"),
            },
            Err(why) => tracing::debug!(target: "DR", "client {peer}: no TLS connection was made: {why}"),
        }
    }));
    Ok(())
}

/// Accepts the clients of a TCB, until the port closes.
async fn accept(listening: Arc<Listening>) {
    let listener = match listening.socket.second().and_then(PortSocket::here) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(target: "DR", "no client can be accepted: {error}"),
    };
    // A client that comes again and again does not fill the log.
    let mut told: Option<Instant> = None;
    let mut lets_in = |(stream, peer): (TcpStream, SocketAddr)| match welcome(&listening.inside, stream, peer)
    {
        Ok(()) => {}
        Err(why) if told.is_none_or(|at| at.elapsed() > TOLD_EVERY) => {
            tracing::warn!(target: "DR", "client {peer} is let go: {why}");
            told = Some(Instant::now());
        }
        Err(_) => {}
    };
    loop {
        let accepted = tokio::select! {
            biased;
            () = listening.closing.closed() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Answers are sent whole.
                let _ = stream.set_nodelay(true);
                lets_in((stream, peer));
            }
            Err(error) => {
                tracing::error!(target: "DR", "no client can be accepted now: {error}");
                tokio::time::sleep(REST).await;
            }
        }
    }
    // The system would reset the connections of clients that wait to be accepted. One that is let go and comes again does not keep
    // the port from closing.
    for _ in 0..LEFT_MAX {
        let Some(client) = listener.left().await else { break };
        lets_in(client);
        yield_now().await;
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::io::{Read, Write};
    use std::task::Poll;

    use tokio::task::LocalSet;

    use super::*;

    fn hub() -> Arc<Hub> {
        Hub::new(
            &[],
            HashMap::default(),
            Patience { idle: 0, receive: ticks(Duration::from_secs(5)) },
            String::new(),
        )
    }

    #[tokio::test]
    async fn a_client_that_waits_when_the_port_closes_is_answered() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let port = ports::open_for(None, any, BACKLOG, 1).expect("a free port");
        let socket = port.sockets.into_iter().next().expect("a socket");
        let (hub, closing) = (hub(), Arc::<Closing>::default());
        let clients = Clients::new(Limits::new(10, 10));
        let inside = Inside { hub: Arc::clone(&hub), clients, framed: None, certificate: None };
        let listening = Listening { socket, inside: Arc::new(inside), closing: Arc::clone(&closing) };
        let waiting = (0..3).map(|_| {
            let mut client = std::net::TcpStream::connect(port.address).expect("a connection");
            client.write_all(b"GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n").expect("sent");
            client.set_read_timeout(Some(Duration::from_secs(20))).expect("a time");
            client
        });
        let waiting: Vec<_> = waiting.collect();
        closing.close();
        hub.close();
        let test = async {
            accept(Arc::new(listening)).await;
            let readers = tokio::task::spawn_blocking(move || {
                let answer = |mut client: std::net::TcpStream| {
                    let mut text = [0; 12];
                    client.read_exact(&mut text).map(|()| text)
                };
                waiting.into_iter().map(answer).collect::<Vec<_>>()
            });
            let warden = poll_fn(|context| match hub.poll_warden(context) {
                Poll::Ready(()) | Poll::Pending => Poll::<()>::Pending,
            });
            tokio::select! {
                answers = readers => answers.expect("clients"),
                () = warden => unreachable!("it is never over"),
            }
        };
        let answers = LocalSet::new().run_until(test).await;
        for answer in answers {
            assert_eq!(&answer.expect("it is not reset"), b"HTTP/1.1 404");
        }
    }
}
