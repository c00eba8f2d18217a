//! Conversations: messages go straight from a socket to a program by LINK, and its answers back, without a socket call
//! in COBOL.
//!
//! Each connection is a task of the receiver's transaction. With two sockets a client names its conversation on both by
//! the same first bytes; answers go to the one on which a task of the sender's transaction waits for the client to hang up.
//! Every message is a unit of work.

mod arriving;
mod frame;
mod guests;
mod program;
mod way_out;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Instant;

use domains::interval::StartData;
use kernel::dispatcher;
use kernel::dispatcher::{Acceptors, Attach, Dispatcher};
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::region::Region;
use kernel::security::Users;
use kernel::task::{Connection, Facility, StartCode};
use kernel::transactions::{Supplied, Transaction, Transactions};
use parking_lot::Mutex;
use ports::{BACKLOG, CannotListen, Closing};

use arriving::Arriving;
pub use frame::Framing;
pub use guests::ClientLimits;
use guests::{Guests, Stay};
use way_out::WaysOut;

use crate::address::Family;
use crate::arrived::Arrived;
use crate::counts::Counts;
use crate::handover::{ClientId, Gift};
use crate::port::{Listening, leave, next, open};
use crate::shared::Shared;
use crate::socket::Socket;

/// The configuration of a conversation.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// The program.
    pub program: Name8,
    /// The address at which messages come in.
    pub receive: SocketAddr,
    /// The address at which answers go out, if not on the socket of the message.
    pub send: Option<SocketAddr>,
    /// The transaction that receives, and runs the program.
    pub receiver: TransactionName,
    /// The transaction that sends.
    pub sender: TransactionName,
    /// The rule for the end of one message and the start of the next.
    pub framing: Framing,
    /// Bytes of the program's COMMAREA.
    pub commarea: usize,
    /// Bytes with which each of two sockets names its conversation.
    pub identifier: usize,
    /// The class of its tasks; blank: none.
    pub class: Name8,
    /// The limits on its clients: their number, and their silence.
    pub limits: ClientLimits,
}

/// A conversation of the region.
pub struct Relay {
    conversation: Conversation,
    place: u16,
    /// The connections for answers, with two sockets.
    ways_out: Arc<WaysOut>,
    /// Its clients.
    guests: Arc<Guests>,
    /// Those whose tasks have not begun yet, by the numbers of their sockets.
    arriving: Mutex<HashMap<u16, Stay>>,
    closing: Arc<Closing>,
    counts: Arc<Counts>,
}

/// The conversations of a region.
pub struct Relays {
    shared: Arc<Shared>,
    all: Mutex<Vec<Arc<Relay>>>,
    open: Mutex<Open>,
}

/// The listening sockets while the region runs.
#[derive(Default)]
struct Open {
    acceptors: Vec<Acceptors>,
    addresses: Vec<(Name8, SocketAddr)>,
}

/// The programs of receivers and senders.
const RECEIVER: &str = "SPSORECV";
const SENDER: &str = "SPSOSEND";

/// Which of a conversation's two sockets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Receive,
    Send,
}

impl Relays {
    /// None yet.
    pub fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared), all: Mutex::default(), open: Mutex::default() }
    }

    fn get(&self, place: u16) -> Option<Arc<Relay>> {
        self.all.lock().get(usize::from(place)).cloned()
    }

    /// The addresses of the conversations, by their programs: for messages, then for clients that want answers.
    pub fn addresses(&self) -> Vec<(Name8, SocketAddr)> {
        self.open.lock().addresses.clone()
    }

    /// Accepts no more clients, and receives nothing: a wait for a message ends without one.
    pub fn close(&self) {
        *self.open.lock() = Open::default();
        for relay in self.all.lock().iter() {
            relay.guests.let_all_go();
        }
    }
}

/// Installs conversations, with their transactions and programs.
pub(crate) fn install(relays: &Arc<Relays>, region: &Region, conversations: Vec<Conversation>) {
    if conversations.is_empty() {
        return;
    }
    Programs::of(region)
        .install(Program::supplied(Name8::from(RECEIVER), program::Receiver(Arc::clone(relays))));
    Programs::of(region).install(Program::supplied(Name8::from(SENDER), program::Sender(Arc::clone(relays))));
    let transaction = |name, program, class| {
        let transaction = Transaction::new(name, Name8::from(program));
        let supplied = Supplied::Open;
        Transactions::of(region).install(Transaction { supplied, class, dump: false, ..transaction });
    };
    let shared = &relays.shared;
    let mut all = relays.all.lock();
    for conversation in conversations {
        transaction(conversation.receiver, RECEIVER, conversation.class);
        if conversation.send.is_some() {
            transaction(conversation.sender, SENDER, conversation.class);
        }
        let place = all.len() as u16;
        let guests = Guests::new(conversation.limits);
        all.push(Arc::new(Relay {
            conversation,
            place,
            ways_out: Arc::default(),
            guests,
            arriving: Mutex::default(),
            closing: Arc::clone(&shared.closing),
            counts: Arc::clone(&shared.counts),
        }));
    }
}

/// Opens the ports of all conversations.
///
/// # Errors
/// A port that cannot be had.
pub(crate) async fn start(relays: &Relays, region: &Arc<Region>) -> Result<(), CannotListen> {
    let all = relays.all.lock().clone();
    for relay in all {
        let Conversation { program, receive, send, .. } = relay.conversation;
        let receive = listen(relays, region, &relay, Side::Receive, receive).await?;
        if let Some(send) = send {
            listen(relays, region, &relay, Side::Send, send).await?;
        }
        tracing::info!(target: "SO", "program {program} has its messages from {receive}");
        let mut watching = Acceptors::default();
        watching.here(let_silent_go(Arc::clone(&relay)));
        relays.open.lock().acceptors.push(watching);
    }
    Ok(())
}

/// Lets clients go that are silent for too long.
async fn let_silent_go(relay: Arc<Relay>) {
    let Some(every) = relay.guests.look_every() else { return };
    let receiver = relay.conversation.receiver;
    loop {
        tokio::time::sleep(every).await;
        for address in relay.guests.look(Instant::now()) {
            tracing::info!(target: "SO", "{receiver}: client {address} is let go: it was silent for too long (idle)");
        }
    }
}

/// Accepts the clients of one side, where the program may run.
async fn listen(
    relays: &Relays,
    region: &Arc<Region>,
    relay: &Arc<Relay>,
    side: Side,
    at: SocketAddr,
) -> Result<SocketAddr, CannotListen> {
    let program = Programs::of(region).get(relay.conversation.program);
    let tcbs = Dispatcher::of(region).acceptor_tcbs(program.map(|program| program.concurrency));
    let (sockets, own) = open(relays.shared.sharing(), at, BACKLOG, tcbs.len())?;
    relays.open.lock().addresses.push((relay.conversation.program, own));
    let mut acceptors = Acceptors::default();
    let transaction = match side {
        Side::Receive => relay.conversation.receiver,
        Side::Send => relay.conversation.sender,
    };
    let parts = (Arc::clone(&relays.shared), Arc::downgrade(region), Arc::clone(relay));
    let acceptor = move |listening: Arc<Listening>| {
        let (shared, region, relay) = parts.clone();
        let accepting = Accepting { listening, entry: Entry { shared, region, relay, transaction, own } };
        async move {
            let who = accepting.entry.relay.conversation.receiver;
            loop {
                let (socket, client) = next(&accepting.listening, who).await;
                accepting.entry.begin(socket, client);
            }
        }
    };
    acceptors.on(Dispatcher::of(region), tcbs, sockets, Listening::second, acceptor).await;
    relays.open.lock().acceptors.push(acceptors);
    Ok(own)
}

/// An acceptor of one side.
struct Accepting {
    listening: Arc<Listening>,
    entry: Entry,
}

/// The way of its clients into the region.
#[derive(Clone)]
struct Entry {
    shared: Arc<Shared>,
    region: Weak<Region>,
    relay: Arc<Relay>,
    transaction: TransactionName,
    /// The address on which it listens.
    own: SocketAddr,
}

impl Entry {
    /// A client is accepted.
    fn begin(&self, socket: Arc<Socket>, client: SocketAddr) {
        // A region that is gone has no clients.
        let Some(region) = self.region.upgrade() else { return };
        let connection = Connection { door: Name8::new(self.transaction), client, server: self.own };
        begin(&self.shared, &region, &self.relay, self.transaction, (socket, connection));
    }
}

impl Drop for Accepting {
    fn drop(&mut self) {
        let entry = self.entry.clone();
        leave(&self.listening, BACKLOG, move |socket, client| entry.begin(socket, client));
    }
}

/// Bytes of a receiver's or sender's START data: the number of its socket, and of its conversation.
const START_DATA: usize = 4;

/// The giver of sockets to receivers and senders.
const GIVER: &str = "RELAY";

/// Attaches the task that has a client from now on.
fn begin(
    shared: &Shared,
    region: &Arc<Region>,
    relay: &Arc<Relay>,
    transaction: TransactionName,
    (socket, connection): (Arc<Socket>, Connection),
) {
    let address = connection.client;
    let place = match relay.guests.enter(Arc::clone(&socket), address.ip()) {
        Ok(place) => place,
        Err(why) => return relay.lets_go(transaction, &address, &why),
    };
    socket.count(&shared.counts.inbound);
    socket.arrives(Arrived::new(transaction, address, &shared.counts.unanswered));
    let family = Family::of_address(&address);
    let anybody = ClientId { family, name: shared.applid, task: Name8::BLANK };
    let giver = Name8::from(GIVER);
    let gift = Gift::new(socket, family, anybody, None);
    let number = shared.handover.give_from(giver, 0, &gift);
    relay.arriving.lock().insert(number, place);
    let mut data = number.to_be_bytes().to_vec();
    data.extend(relay.place.to_be_bytes());
    let user = Arc::clone(&Users::of(region).default);
    let mut attach = Attach::new(transaction, StartCode::StartWithData, user);
    attach.facility = Facility::Socket(connection);
    attach.kept.put(StartData { data: Some(data), ..StartData::default() });
    let handover = Arc::clone(&shared.handover);
    attach.kept.put(Arriving {
        handover,
        relay: Arc::clone(relay),
        number,
        gift: Arc::clone(&gift),
        transaction,
    });
    attach.here = true;
    if let Err(error) = dispatcher::attach(region, attach) {
        relay.arriving.lock().remove(&number);
        shared.handover.withdraw(giver, number, &gift);
        relay.lets_go(transaction, &address, &format_args!("{error:?}"));
    }
}
