//! Listeners: clients connect, and each is served by a child task that takes its socket.
//!
//! In scope: EZACICD texts, the listener's transaction, its acceptors, the child's START data, the security exit,
//! the operator's EZAO.

mod acceptor;
mod definition;
mod exit;
mod message;
mod operator;
mod program;
mod serving;
mod text;

use std::net::SocketAddr;
use std::sync::Arc;

use kernel::dispatcher;
use kernel::dispatcher::Attach;
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::region::Region;
use kernel::security::User;
use kernel::task::StartCode;
use kernel::transactions::{Supplied, Transaction, Transactions};
use parking_lot::{Mutex, RwLock};
use tokio::sync::Notify;

pub use definition::{Listener, read};

use crate::counts::ListenerCounts;
use crate::shared::Shared;

/// The state of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It does not run.
    Stopped,
    /// It listens at this address.
    Running(SocketAddr),
}

/// A listener of the region.
pub struct ListenerState {
    definition: Listener,
    status: Mutex<Status>,
    stop: Notify,
    started: Notify,
    counts: Arc<ListenerCounts>,
}

impl ListenerState {
    /// Its definition.
    pub fn definition(&self) -> &Listener {
        &self.definition
    }

    /// Its state: stopped or running.
    pub fn status(&self) -> Status {
        *self.status.lock()
    }

    /// Its counts.
    pub fn counts(&self) -> &ListenerCounts {
        &self.counts
    }
}

/// The listeners of a region, by their transactions.
pub struct Listeners {
    shared: Arc<Shared>,
    all: RwLock<Vec<Arc<ListenerState>>>,
}

/// The program of listeners.
const PROGRAM: &str = "EZACIC02";
/// The operator's program.
const OPERATOR: &str = "EZACIC00";
/// The program that starts and ends the interface from a program list.
const IN_LIST: &str = "EZACIC20";

impl Listeners {
    /// None yet.
    pub fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared), all: RwLock::default() }
    }

    fn get(&self, name: TransactionName) -> Option<Arc<ListenerState>> {
        self.all.read().iter().find(|state| state.definition.transaction == name).cloned()
    }

    /// All of them.
    pub fn all(&self) -> Vec<Arc<ListenerState>> {
        self.all.read().clone()
    }

    fn names(&self) -> Vec<TransactionName> {
        self.all.read().iter().map(|state| state.definition.transaction).collect()
    }

    /// The addresses of the running listeners.
    pub fn addresses(&self) -> Vec<(TransactionName, SocketAddr)> {
        let running = |state: &Arc<ListenerState>| match state.status() {
            Status::Running(address) => Some((state.definition.transaction, address)),
            Status::Stopped => None,
        };
        self.all.read().iter().filter_map(running).collect()
    }

    /// Starts a listener; returns a message about the result.
    fn start(&self, region: &Arc<Region>, name: TransactionName) -> String {
        let Some(state) = self.get(name) else { return format!("Listener {name} is not defined.") };
        if state.status() != Status::Stopped {
            return format!("Listener {name} runs already.");
        }
        match dispatcher::attach(region, Attach::new(name, StartCode::System, User::region())) {
            Ok(_) => format!("Listener {name} is started."),
            Err(error) => format!("Listener {name} cannot be started: {error:?}."),
        }
    }

    /// Stops a listener; its children go on.
    fn stop(&self, name: TransactionName) -> String {
        let Some(state) = self.get(name) else { return format!("Listener {name} is not defined.") };
        if state.status() == Status::Stopped {
            return format!("Listener {name} is stopped.");
        }
        state.stop.notify_one();
        format!("Listener {name} is told to stop.")
    }
}

/// Installs listeners with their programs and transactions.
pub(crate) fn install(listeners: &Arc<Listeners>, region: &Region, definitions: Vec<Listener>) {
    Programs::of(region)
        .install(Program::supplied(Name8::from(PROGRAM), program::ListenerProgram(Arc::clone(listeners))));
    Programs::of(region)
        .install(Program::supplied(Name8::from(OPERATOR), operator::Operator(Arc::clone(listeners))));
    Programs::of(region).install(Program::supplied(Name8::from(IN_LIST), program::InList));
    let transaction = |name, program, supplied| {
        let transaction = Transaction::new(name, Name8::from(program));
        Transactions::of(region).install(Transaction { supplied, dump: false, ..transaction });
    };
    transaction(TransactionName::from("EZAO"), OPERATOR, Supplied::Operate);
    for listener in &definitions {
        transaction(listener.transaction, PROGRAM, Supplied::Operate);
    }
    let state = |definition| {
        let status = Mutex::new(Status::Stopped);
        let counts = Arc::default();
        Arc::new(ListenerState { definition, status, stop: Notify::new(), started: Notify::new(), counts })
    };
    listeners.all.write().extend(definitions.into_iter().map(state));
}

/// Starts the listeners that start with the region, and waits until they listen.
pub(crate) async fn start(listeners: &Listeners, region: &Arc<Region>) {
    let states = listeners.all();
    for state in states.iter().filter(|state| state.definition.immediate) {
        let started = state.started.notified();
        tokio::pin!(started);
        started.as_mut().enable();
        let outcome = listeners.start(region, state.definition.transaction);
        tracing::debug!(target: "SO", "{outcome}");
        let _ = tokio::time::timeout(crate::limits::LISTENER_START, started).await;
    }
}
