//! EZACIC02, the program of a listener's transaction: it opens the port, sets the acceptors to work, and waits.
//!
//! With an exit, clients come here first: the exit is LINKed to in this task, which has the client's socket meanwhile.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use kernel::exec::Flow;
use kernel::name::Name8;
use kernel::programs::{NativeProgram, NativeWaiting};
use kernel::raise::{Abend, Outcome};
use kernel::region::Region;
use kernel::task::{Task, WaitKind};
use tokio::sync::mpsc;

use super::acceptor::accept;
use super::definition::{Format, Listener};
use super::exit::Asked;
use super::message::Request;
use super::serving::{Client, Serving};
use super::{State, Status};
use crate::address::Family;
use crate::errno::Errno;
use crate::handover::task_id;
use crate::port::{Acceptors, open, tcbs};
use crate::region::Shared;
use crate::task::Entry;

/// The program.
pub struct Program(pub Arc<Shared>);

impl NativeProgram for Program {
    fn run<'a>(&'a self, task: &'a mut Task) -> NativeWaiting<'a> {
        Box::pin(async move {
            let name = task.transaction.name;
            let Some(state) = self.0.listeners.get(name) else {
                tracing::error!(target: "SO", "transaction {name}: no listener of this name is defined");
                return Ok(Flow::Return);
            };
            let kept = task.kept.get_or_insert_with(|| None::<Listening>).take();
            let mut listening = match kept {
                Some(listening) => listening,
                None => match Listening::begin(&self.0, task, &state).await {
                    Some(listening) => listening,
                    None => return Ok(Flow::Return),
                },
            };
            if let Some(asked) = listening.asked.take() {
                listening.exit_has_answered(&self.0, task, asked).await;
            }
            let flow = listening.wait(&self.0, task, &state).await;
            if matches!(flow, Ok(Flow::Link(_))) {
                *task.kept.get_or_insert_with(|| None) = Some(listening);
            }
            flow
        })
    }
}

/// EZACIC20, which program lists name: the interface starts and ends with the region, so that there is nothing to do.
pub struct InList;

impl NativeProgram for InList {
    fn run<'a>(&'a self, _: &'a mut Task) -> NativeWaiting<'a> {
        Box::pin(async { Ok(Flow::Return) })
    }
}

/// A listener's task at work. Dropped, it accepts nobody any more.
struct Listening {
    serving: Arc<Serving>,
    _acceptors: Acceptors,
    to_exit: Option<mpsc::UnboundedReceiver<(Client, Request)>>,
    asked: Option<Exit>,
    _running: Running,
}

/// A client of which the exit is being asked.
struct Exit {
    client: Client,
    request: Request,
    commarea: Asked,
    number: u16,
}

/// Says that a listener runs, until it is dropped.
struct Running(Arc<State>);

impl Drop for Running {
    fn drop(&mut self) {
        *self.0.status.lock() = Status::Stopped;
        tracing::info!(target: "SO", "listener {} has stopped", self.0.definition.transaction);
    }
}

impl Listening {
    /// Opens the port and sets the acceptors to work; `None` if the port cannot be had, or the listener runs already.
    async fn begin(shared: &Arc<Shared>, task: &Task, state: &Arc<State>) -> Option<Self> {
        let definition = &state.definition;
        let tcb = where_to_accept(&task.region, definition);
        let any = match definition.family {
            Family::Inet => SocketAddr::from((Ipv4Addr::UNSPECIFIED, definition.port)),
            Family::Inet6 => SocketAddr::from((Ipv6Addr::UNSPECIFIED, definition.port)),
        };
        let opened = open(any, definition.backlog, 1);
        let (sockets, own) = match opened {
            Ok(opened) => opened,
            Err(errno) => {
                let (name, port) = (definition.transaction, definition.port);
                let why = if errno == Errno::ADDRINUSE { ": it is in use" } else { "" };
                tracing::error!(target: "SO", "listener {name}: port {port} cannot be had, ERRNO {}{why}", errno.0);
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
                acceptors.on(&task.region, vec![tcb], sockets, acceptor).await;
            }
        }
        tracing::info!(target: "SO", "listener {} listens on port {}", definition.transaction, own.port());
        state.started.notify_waiters();
        Some(Self { serving, _acceptors: acceptors, to_exit: receiver, asked: None, _running: running })
    }

    /// Waits until it is stopped, or the exit is to be asked.
    async fn wait(&mut self, shared: &Shared, task: &mut Task, state: &State) -> Outcome<Flow> {
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
            match task.wait(WaitKind::Socket, news).await? {
                News::Stop => return Ok(Flow::Return),
                News::Time => {}
                News::Client((client, request)) => return Ok(self.ask_exit(shared, task, client, request)),
            }
        }
    }

    /// The exit is asked about a client; the task has its socket meanwhile.
    fn ask_exit(&mut self, shared: &Shared, task: &mut Task, client: Client, request: Request) -> Flow {
        let exit = self.serving.definition.exit.unwrap_or(Name8::BLANK);
        let family = Family::of_address(&client.address);
        let entry = Entry::new(Arc::clone(&client.socket), family, true);
        let number = shared.sockets_of(task).add(entry).unwrap_or(0);
        let commarea = Asked::new(&request, &client.address, &self.serving.own, number);
        let link = commarea.link(exit);
        self.asked = Some(Exit { client, request, commarea, number });
        Flow::Link(link)
    }

    /// The exit has come back: its unit of work ends here, since the listener's task goes on for as long as the region.
    async fn exit_has_answered(&mut self, shared: &Shared, task: &mut Task, asked: Exit) {
        let Exit { client, mut request, commarea, number } = asked;
        // The task may have closed it itself.
        let _ = shared.sockets_of(task).close(number);
        let ended = match task.linked.take() {
            Some(Ok(())) => task.syncpoint().await.map_err(Abend::from),
            Some(Err(abend)) => {
                task.rollback().await;
                Err(abend)
            }
            None => return self.serving.let_go(&client, "the security exit was not asked"),
        };
        match ended.map(|()| commarea.answer(&mut request)) {
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

/// The TCB on which clients are accepted: one where their children may run; the dispatcher passes children on if it gets
/// too much. `None`: this one, because an exit is asked here.
fn where_to_accept(region: &Region, definition: &Listener) -> Option<usize> {
    if definition.exit.is_some() {
        return None;
    }
    let child = match &definition.format {
        Format::Enhanced { transaction, .. } => region.transactions.get(*transaction),
        Format::Standard { .. } => None,
    };
    let concurrency = child.and_then(|child| region.programs.get(child.program)).map(|p| p.concurrency);
    tcbs(region, concurrency).first().copied()
}
