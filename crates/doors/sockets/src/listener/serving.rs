//! A listener that runs: its clients on their way to children.
//!
//! States of a client: *accepted* → its first message is there (or none is wanted) → with an exit, *allowed* → *given*:
//! its child is attached → *taken*. A client that cannot go on gets the reason and is disconnected.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use domains::interval::{IntervalControl, Start, StartData};
use domains::transient_data;
use ebcdic::CodePage;
use kernel::dispatcher;
use kernel::dispatcher::{Attach, AttachError, Dispatcher};
use kernel::name::{Name, Name8, TerminalName, TransactionName};
use kernel::region::Region;
use kernel::security::{User, Users, may_attach};
use kernel::task::{Connection, Facility, Origin, StartCode};
use kernel::transactions::Transactions;
use parking_lot::Mutex;
use rustix::net::SendFlags;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::Instant;

use super::ListenerState;
use super::definition::{Format, Listener, StartKind};
use super::message::{Request, start_data};
use crate::address::Family;
use crate::arrived::Arrived;
use crate::counts::{Counts, ListenerCounts};
use crate::handover::{ClientId, Gift, Handover, ListenerPlace};
use crate::limits::SEEN_OUT_EVERY;
use crate::shared::Shared;
use crate::socket::Socket;

/// A client that was accepted.
pub struct Client {
    /// Its connection.
    pub socket: Arc<Socket>,
    /// Its address.
    pub address: SocketAddr,
    /// Its place among the listener's sockets.
    pub place: ListenerPlace,
}

/// The words to a client whose listener is gone.
pub const ENDS: &str = "the listener ends";

/// The part that acceptors and the listener's task share.
pub struct Serving {
    /// The region.
    pub region: Arc<Region>,
    /// The listener's definition.
    pub definition: Listener,
    /// The listener's task in a CLIENTID.
    pub id: Name8,
    /// The address on which it listens.
    pub own: SocketAddr,
    /// Places for sockets: NUMSOCK without its own.
    pub places: Arc<Semaphore>,
    /// Clients that the exit must see first.
    pub to_exit: Option<mpsc::UnboundedSender<(Client, Request)>>,
    /// The counts of its clients.
    pub counts: Arc<ListenerCounts>,
    user: Arc<User>,
    handover: Arc<Handover>,
    /// The counts of the region's sockets.
    pub sockets: Arc<Counts>,
    next_number: AtomicU16,
    given: Mutex<VecDeque<Given>>,
    /// Notified when there is a client to wait for.
    pub first_given: Notify,
}

/// A socket that a child should take.
struct Given {
    until: Instant,
    number: u16,
    gift: Arc<Gift>,
    address: SocketAddr,
    request: TransactionName,
    /// The child, if it was attached.
    task: Option<u32>,
}

impl Serving {
    /// A listener that has no clients yet.
    pub fn new(
        region: &Arc<Region>,
        shared: &Shared,
        state: &ListenerState,
        (id, own): (Name8, SocketAddr),
        to_exit: Option<mpsc::UnboundedSender<(Client, Request)>>,
    ) -> Arc<Self> {
        let ListenerState { definition, counts, .. } = state;
        let user = definition.user.and_then(|id| Users::of(region).file.user(&id.to_string())).map(Arc::new);
        Arc::new(Self {
            region: Arc::clone(region),
            definition: definition.clone(),
            id,
            own,
            places: Arc::new(Semaphore::new(definition.sockets_max - 1)),
            to_exit,
            user: user.unwrap_or_else(|| Arc::clone(&Users::of(region).default)),
            handover: Arc::clone(&shared.handover),
            counts: Arc::clone(counts),
            sockets: Arc::clone(&shared.counts),
            next_number: AtomicU16::new(1),
            given: Mutex::default(),
            first_given: Notify::new(),
        })
    }

    /// A client that was accepted, in its place.
    pub fn welcome(&self, socket: Arc<Socket>, address: SocketAddr, place: OwnedSemaphorePermit) -> Client {
        self.knows(&socket, address);
        Client { socket, address, place: ListenerPlace::new(place, self.counts.waiting.enter()) }
    }

    /// The socket is a client's from now on.
    fn knows(&self, socket: &Socket, address: SocketAddr) {
        socket.count(&self.sockets.inbound);
        socket.arrives(Arrived::new(self.definition.transaction, address, &self.sockets.unanswered));
    }

    /// Tells a client for which there is no place that it cannot be served.
    pub fn turn_away(&self, socket: &Socket, address: &SocketAddr, why: &str) {
        self.knows(socket, *address);
        self.tell(socket, address, why);
    }

    /// Starts the child of a client whose request is known, or passes the request to the exit first.
    pub fn requested(&self, client: Client, request: Request) {
        match &self.to_exit {
            None => self.start_child(client, &request, Allowed::default()),
            Some(exit) => {
                if let Err(refused) = exit.send((client, request)) {
                    self.let_go(&refused.0.0, ENDS);
                }
            }
        }
    }

    /// Gives the client's socket, and starts its child.
    pub fn start_child(&self, client: Client, request: &Request, allowed: Allowed) {
        let Client { socket, address, place } = client;
        let family = Family::of_address(&address);
        let anybody = ClientId { family, name: self.region.options.applid, task: Name8::BLANK };
        let gift = Gift::new(socket, family, anybody, Some(place));
        let first = self.next_number.fetch_add(1, Ordering::Relaxed);
        let number = self.handover.give_from(self.id, first, &gift);
        let data = start_data(number, (self.region.options.applid, self.id), request, &address);
        match self.start(request, allowed, data, address) {
            Ok(task) => {
                self.counts.given.one();
                self.watch(Given {
                    task,
                    until: Instant::now() + self.definition.give_time + request.delay,
                    number,
                    gift,
                    address,
                    request: request.transaction,
                });
            }
            Err(why) => {
                self.handover.withdraw(self.id, number, &gift);
                if let Some(socket) = gift.reclaim() {
                    self.tell(&socket, &address, &format!("transaction {}: {why}", request.transaction));
                }
            }
        }
    }

    fn start(
        &self,
        request: &Request,
        allowed: Allowed,
        data: Vec<u8>,
        client: SocketAddr,
    ) -> Result<Option<u32>, String> {
        let user = match allowed.user {
            None => Arc::clone(&self.user),
            Some(id) => Users::of(&self.region)
                .file
                .user(&id.to_string())
                .map(Arc::new)
                .ok_or("the user is not known")?,
        };
        let start_data = |data| StartData { data: Some(data), ..StartData::default() };
        let at_once = allowed.terminal.is_none() && request.start == StartKind::Task;
        if at_once {
            let mut attach = Attach::new(request.transaction, StartCode::StartWithData, user);
            let door = Name8::new(self.definition.transaction);
            attach.facility = Facility::Socket(Connection { door, client, server: self.own });
            attach.kept.put(start_data(data));
            attach.here = true;
            return dispatcher::attach(&self.region, attach)
                .map(Some)
                .map_err(|error| refusal(error).to_owned());
        }
        if request.start == StartKind::TransientData {
            let queue = Name::new(request.transaction.as_bytes());
            return transient_data::put(&self.region, queue, &data, &user)
                .map(|_| None)
                .map_err(|raise| raise.to_string());
        }
        let known = Transactions::of(&self.region).get(request.transaction).ok_or("it is not defined")?;
        if !may_attach(&self.region, &user, &known) {
            return Err(refusal(AttachError::NotAuthorized).to_owned());
        }
        let start = Start {
            transaction: request.transaction,
            terminal: allowed.terminal,
            data: start_data(data),
            channel: None,
            user,
            origin: Origin::default(),
            followed: None,
        };
        let name = IntervalControl::of(&self.region).new_request();
        IntervalControl::of(&self.region)
            .start(&self.region, name, start, request.delay)
            .map(|()| None)
            .map_err(|raise| raise.to_string())
    }

    /// Remembers which tasks must take a socket. Those that did are forgotten, lest they stay until their time is over.
    fn watch(&self, new: Given) {
        let mut given = self.given.lock();
        while given.front().is_some_and(|given| given.gift.is_taken()) {
            given.pop_front();
        }
        if given.len() > 2 * self.definition.sockets_max {
            given.retain(|given| !given.gift.is_taken());
        }
        given.push_back(new);
        let first = given.len() == 1;
        drop(given);
        if first {
            self.first_given.notify_one();
        }
    }

    /// Lets clients go whose children have not taken them in time. Returns the time of the next look; `None`: when the
    /// next client is given.
    pub fn overdue(&self) -> Option<Instant> {
        let now = Instant::now();
        let mut late = Vec::new();
        let next = {
            let mut given = self.given.lock();
            loop {
                match given.front() {
                    None => break None,
                    Some(first) if first.until > now && !first.gift.is_taken() => break Some(first.until),
                    Some(_) => late.extend(given.pop_front()),
                }
            }
        };
        for given in late {
            self.is_untaken(&given, "has not taken the connection in time");
        }
        next
    }

    /// Lets a client go whose child has not taken it.
    fn is_untaken(&self, given: &Given, why: &str) {
        self.handover.withdraw(self.id, given.number, &given.gift);
        if let Some(socket) = given.gift.reclaim() {
            self.counts.untaken.one();
            self.tell(&socket, &given.address, &format!("transaction {} {why}", given.request));
        }
    }

    /// Lets clients go whose children have waited to begin, and will not: the region ends.
    pub fn lets_go_of_queued(&self) {
        let dispatcher = Dispatcher::of(&self.region);
        if !dispatcher.is_closed() {
            return;
        }
        let never_begins = |given: &Given| given.task.is_some_and(|task| dispatcher.task(task).is_none());
        let queued: VecDeque<Given> = {
            let mut given = self.given.lock();
            let (queued, others) =
                given.drain(..).partition(|given| !given.gift.is_taken() && never_begins(given));
            *given = others;
            queued
        };
        for given in &queued {
            self.is_untaken(given, "has not begun: the region ends");
        }
    }

    /// Sees to clients that were given to children before the listener has ended, until all are taken or let go.
    pub async fn sees_out(self: Arc<Self>) {
        loop {
            match self.overdue() {
                Some(time) => tokio::time::sleep_until(time).await,
                // Acceptors that are about to end may have given another one.
                None if Arc::strong_count(&self) > 1 => tokio::time::sleep(SEEN_OUT_EVERY).await,
                None => return,
            }
        }
    }

    /// Tells a client why it cannot go on; the connection closes with its last holder.
    pub fn let_go(&self, client: &Client, why: &str) {
        self.tell(&client.socket, &client.address, why);
    }

    fn tell(&self, socket: &Socket, address: &SocketAddr, why: &str) {
        let listener = self.definition.transaction;
        self.counts.let_go.one();
        let message = format!("listener {listener}: client {address} is let go: {why}");
        tracing::warn!(target: "SO", "{message}");
        // If that queue is not defined, the log has it.
        let _ =
            transient_data::put(&self.region, self.definition.error_queue, message.as_bytes(), &self.user);
        let mut text = format!("LISTENER {listener}: {why}\n").into_bytes();
        let ebcdic = match self.definition.format {
            Format::Standard { ascii, .. } => !ascii,
            Format::Enhanced { ebcdic, .. } => ebcdic,
        };
        if ebcdic {
            CodePage::Ibm1047.from_program_in_place(&mut text);
        }
        // A client that does not read is let go without a message.
        if rustix::net::send(socket.fd(), &text, SendFlags::NOSIGNAL).is_ok()
            && let Some(client) = socket.arrived()
        {
            client.is_answered();
        }
    }
}

/// The exit's settings for an allowed client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowed {
    /// On whose behalf the child runs; `None`: the listener's user.
    pub user: Option<Name8>,
    /// The terminal at which it runs.
    pub terminal: Option<TerminalName>,
}

fn refusal(error: AttachError) -> &'static str {
    match error {
        AttachError::Unknown => "it is not defined",
        AttachError::Remote => "it is one of another system",
        AttachError::Disabled => "it is disabled",
        AttachError::NotAuthorized => "the user may not run it",
        AttachError::QueueFull => "too many tasks wait",
        AttachError::Closing => "the region ends",
        AttachError::TerminalBusy => "its terminal is in use",
    }
}
