//! EZACIC02, the program of a listener's transaction: it opens the port, sets the acceptors to work, and waits.
//!
//! With an exit, clients come here first: the exit is LINKed to in this task, which has the client's socket meanwhile.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use kernel::dispatcher::{Acceptors, Context, Dispatcher, SuppliedProgram, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::Name8;
use kernel::programs::Programs;
use kernel::raise::{Abend, Outcome};
use kernel::region::Region;
use kernel::task::{Task, WaitKind};
use kernel::transactions::Transactions;
use tokio::sync::mpsc;

use super::acceptor::accept;
use super::definition::{Format, Listener};
use super::exit::Asked;
use super::message::Request;
use super::serving::{Client, ENDS, Serving};
use super::{ListenerState, Listeners, Status};
use crate::address::Family;
use crate::errno::Errno;
use crate::handover::task_id;
use crate::port;
use crate::shared::Shared;
use crate::task::TaskSocket;

/// The program.
pub struct ListenerProgram(pub Arc<Listeners>);

impl SuppliedProgram for ListenerProgram {
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
        Box::pin(async move {
            let name = context.transaction.name;
            let Some(state) = self.0.get(name) else {
                tracing::error!(target: "SO", "transaction {name}: no listener of this name is defined");
                return Ok(Flow::Return);
            };
            let shared = &self.0.shared;
            if let Some(mut listening) = Listening::begin(shared, context, &state).await {
                while let Some((client, request)) = listening.next(shared, context, &state).await? {
                    listening.ask_exit(shared, context, client, request).await;
                }
            }
            Ok(Flow::Return)
        })
    }
}

/// EZACIC20, which program lists name: the interface starts and ends with the region, so that there is nothing to do.
pub struct InList;

impl SuppliedProgram for InList {
    fn run<'a>(&'a self, _: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
        Box::pin(async { Ok(Flow::Return) })
    }
}

/// A listener's task at work. Dropping it stops accepting.
struct Listening {
    serving: Arc<Serving>,
    _acceptors: Acceptors,
    to_exit: Option<mpsc::UnboundedReceiver<(Client, Request)>>,
    _running: Running,
}

impl Drop for Listening {
    /// No client is forgotten: those that wait for the exit hear that the listener ends, and those that were given to children are
    /// seen to.
    fn drop(&mut self) {
        if let Some(clients) = &mut self.to_exit {
            clients.close();
            while let Ok((client, _)) = clients.try_recv() {
                self.serving.let_go(&client, ENDS);
            }
        }
        self.serving.lets_go_of_queued();
        drop(tokio::task::spawn_local(Arc::clone(&self.serving).sees_out()));
    }
}

/// Says that a listener runs, until it is dropped.
struct Running(Arc<ListenerState>);

impl Drop for Running {
    fn drop(&mut self) {
        *self.0.status.lock() = Status::Stopped;
        tracing::info!(target: "SO", "listener {} has stopped", self.0.definition.transaction);
    }
}

impl Listening {
    /// Opens the port and sets the acceptors to work; `None` if the port cannot be had, or the listener runs already.
    async fn begin(shared: &Arc<Shared>, task: &Task, state: &Arc<ListenerState>) -> Option<Self> {
        let definition = &state.definition;
        let tcb = where_to_accept(&task.region, definition);
        let at = SocketAddr::new(of_family(shared.address, definition.family), definition.port);
        let opened = port::open(shared.sharing(), at, definition.backlog, 1);
        let (sockets, own) = match opened {
            Ok(opened) => opened,
            Err(why) => {
                let (name, errno) = (definition.transaction, Errno::from(why.system));
                tracing::error!(target: "SO", "listener {name} {why}, ERRNO {}: {}", errno.0, why.help());
                return None;
            }
        };
        {
            let mut status = state.status.lock();
            if matches!(*status, Status::Running(_)) {
                tracing::error!(target: "SO", "listener {} runs already", definition.transaction);
                return None;
            }
            *status = Status::Running(own);
        }
        let running = Running(Arc::clone(state));
        let (sender, receiver) = mpsc::unbounded_channel();
        let exit = definition.exit.map(|_| (sender, receiver));
        let (sender, receiver) = exit.unzip();
        let serving = Serving::new(&task.region, shared, state, (task_id(task.number), own), sender);
        let mut acceptors = Acceptors::default();
        match tcb {
            None => {
                sockets.into_iter().for_each(|socket| acceptors.here(accept(socket, Arc::clone(&serving))))
            }
            Some(tcb) => {
                let serving = Arc::clone(&serving);
                let acceptor = move |socket| accept(socket, Arc::clone(&serving));
                acceptors
                    .on(Dispatcher::of(&task.region), vec![tcb], sockets, port::Listening::second, acceptor)
                    .await;
            }
        }
        tracing::info!(target: "SO", "listener {} listens on port {}", definition.transaction, own.port());
        if at.ip().is_loopback() {
            let name = definition.transaction;
            tracing::info!(target: "SO", "listener {name} is for this machine only (`address` of [sockets])");
        }
        state.started.notify_waiters();
        Some(Self { serving, _acceptors: acceptors, to_exit: receiver, _running: running })
    }

    /// Waits for a client of which the exit is to be asked; `None`: the listener is stopped.
    async fn next(
        &mut self,
        shared: &Shared,
        task: &Task,
        state: &ListenerState,
    ) -> Outcome<Option<(Client, Request)>> {
        loop {
            let overdue = self.serving.overdue();
            let next = async {
                match overdue {
                    Some(time) => tokio::time::sleep_until(time).await,
                    None => self.serving.first_given.notified().await,
                }
            };
            let to_exit = &mut self.to_exit;
            let client = async {
                match to_exit {
                    Some(clients) => clients.recv().await,
                    None => std::future::pending().await,
                }
            };
            let news = async {
                tokio::select! {
                    biased;
                    () = state.stop.notified() => News::Stop,
                    () = shared.closing.closed() => News::Stop,
                    client = client => client.map_or(News::Stop, News::Client),
                    () = next => News::Time,
                }
            };
            // It hears of the region's end, and need not be purged.
            match task.wait(WaitKind::SOCKET, news).await? {
                News::Stop => return Ok(None),
                News::Time => {}
                News::Client(client) => return Ok(Some(client)),
            }
        }
    }

    /// Asks the exit about a client; the task has its socket meanwhile. The exit's work is a unit of work, since the
    /// listener's task goes on for as long as the region.
    async fn ask_exit(
        &mut self,
        shared: &Shared,
        context: &mut Context<'_>,
        client: Client,
        mut request: Request,
    ) {
        let exit = self.serving.definition.exit.unwrap_or(Name8::BLANK);
        let family = Family::of_address(&client.address);
        let entry = TaskSocket::new(Arc::clone(&client.socket), family, true);
        let number = shared.sockets_of(context).add(entry).unwrap_or(0);
        let asked = Asked::new(&request, &client.address, &self.serving.own, number);
        let ended = match context.link(exit, Some(asked.commarea()), None).await {
            Ok(()) => context.syncpoint().await.map_err(Abend::from),
            Err(abend) => {
                context.rollback().await;
                Err(abend)
            }
        };
        // The exit may have closed it itself.
        let _ = shared.sockets_of(context).close(number);
        match ended.map(|()| asked.answer(&mut request)) {
            Ok(Ok(allowed)) => self.serving.start_child(client, &request, allowed),
            Ok(Err(true)) => self.serving.let_go(&client, "the security exit has refused it"),
            Ok(Err(false)) => {
                let (name, address) = (self.serving.definition.transaction, client.address);
                self.serving.counts.let_go.one();
                tracing::warn!(target: "SO", "listener {name}: client {address} is refused by the exit");
            }
            Err(abend) => {
                let text = format!("the security exit has ended with abend {}", abend.code);
                self.serving.let_go(&client, &text);
            }
        }
    }
}

enum News {
    Stop,
    Time,
    Client((Client, Request)),
}

/// An address, or its equivalent in another family: all of the machine's, or this machine only.
fn of_family(address: IpAddr, family: Family) -> IpAddr {
    match (family, address) {
        (Family::Inet, IpAddr::V4(_)) | (Family::Inet6, IpAddr::V6(_)) => address,
        (Family::Inet, other) if other.is_unspecified() => Ipv4Addr::UNSPECIFIED.into(),
        (Family::Inet, _) => Ipv4Addr::LOCALHOST.into(),
        (Family::Inet6, other) if other.is_unspecified() => Ipv6Addr::UNSPECIFIED.into(),
        (Family::Inet6, _) => Ipv6Addr::LOCALHOST.into(),
    }
}

/// The TCB on which clients are accepted: one where their children may run; the dispatcher passes children on if it gets
/// too much. `None`: this one, because an exit is asked here.
fn where_to_accept(region: &Region, definition: &Listener) -> Option<usize> {
    if definition.exit.is_some() {
        return None;
    }
    let child = match &definition.format {
        Format::Enhanced { transaction, .. } => Transactions::of(region).get(*transaction),
        Format::Standard { .. } => None,
    };
    let concurrency = child.and_then(|child| Programs::of(region).get(child.program)).map(|p| p.concurrency);
    Dispatcher::of(region).acceptor_tcbs(concurrency).first().copied()
}
