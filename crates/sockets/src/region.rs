//! The sockets of a region: its settings, the sockets that are given, and the programs that are CALLed.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};

use domains::statistics::Statistics;
use kernel::name::{Name8, TransactionName};
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::services::{Answered, Service, ServiceCall};
use kernel::task::Task;
use ports::{CannotListen, Closing, Sharing};

use crate::arguments::Arguments;
use crate::calls::{SocketCall, ezasoket};
use crate::handover::{Handover, task_id};
use crate::helpers::{self, To};
use crate::listener::{self, Listener, Listeners};
use crate::relay::{self, Conversation, Relays};
use crate::statistics::{Counts, Teller};
use crate::task::TaskSockets;

/// The effect of EZACIC04 and 05 on a program's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Text {
    /// Nothing: programs run in ASCII, the code of their clients.
    #[default]
    Ascii,
    /// Translation by the published tables: for programs that hold EBCDIC data.
    Ebcdic,
}

/// The part that all tasks of a region share.
pub struct Shared {
    /// The region's APPLID: the address space of its CLIENTIDs.
    pub applid: Name8,
    /// Sockets on their way from one task to another.
    pub handover: Arc<Handover>,
    /// Its listeners.
    pub listeners: Listeners,
    /// Its conversations.
    pub relays: Relays,
    /// That it ends.
    pub closing: Arc<Closing>,
    /// The counts of its sockets.
    pub counts: Arc<Counts>,
    /// The address of listeners.
    pub address: IpAddr,
    text: Text,
    /// Ports that other regions listen on, too.
    sharing: OnceLock<Arc<Sharing>>,
}

impl Shared {
    /// The region's share in ports of several regions, if it has one.
    pub fn sharing(&self) -> Option<&Arc<Sharing>> {
        self.sharing.get()
    }

    /// The sockets of a task.
    pub(crate) fn sockets_of<'a>(&self, task: &'a mut Task) -> &'a mut TaskSockets {
        let number = task.number;
        task.kept.get_or_insert_with(|| TaskSockets::new(task_id(number), Arc::clone(&self.handover)))
    }
}

/// IP sockets for the programs of a region.
pub struct Sockets(Arc<Shared>);

impl Sockets {
    /// The sockets of a region whose listeners listen at an address.
    pub fn new(applid: Name8, text: Text, address: IpAddr) -> Self {
        Self(Arc::new(Shared {
            applid,
            handover: Arc::default(),
            listeners: Listeners::default(),
            relays: Relays::default(),
            closing: Arc::default(),
            counts: Arc::default(),
            address,
            text,
            sharing: OnceLock::new(),
        }))
    }

    /// Installs listeners and conversations, with their transactions; statistics hear of all sockets.
    pub fn install(&self, region: &Region, listeners: Vec<Listener>, conversations: Vec<Conversation>) {
        Statistics::of(region).register(Arc::new(Teller(Arc::clone(&self.0))));
        listener::install(&self.0, region, listeners);
        relay::install(&self.0, region, conversations);
    }

    /// Ports are shared with other regions from now on, as far as `sharing` says.
    pub fn share_ports(&self, sharing: &Arc<Sharing>) {
        // Nobody says it twice.
        let _ = self.0.sharing.set(Arc::clone(sharing));
    }

    /// Starts the listeners and conversations that start with the region.
    ///
    /// # Errors
    /// A port that a conversation cannot have. A listener without its port is only reported.
    pub async fn start(&self, region: &Arc<Region>) -> Result<(), CannotListen> {
        listener::start(&self.0, region).await;
        relay::start(&self.0, region).await
    }

    /// Takes no new client: listeners end, and conversations that wait for the next message.
    pub fn close(&self) {
        self.0.closing.close();
        self.0.relays.close();
    }

    /// The addresses of the conversations, by their programs: for messages, then for clients that want answers.
    pub fn conversations(&self) -> Vec<(Name8, SocketAddr)> {
        self.0.relays.addresses()
    }

    /// The addresses of the running listeners.
    pub fn listeners(&self) -> Vec<(TransactionName, SocketAddr)> {
        self.0.listeners.addresses()
    }
}

/// The program of the functions. On z/OS every one of its calls gives way.
const EZASOKET: &str = "EZASOKET";

/// The programs, in the order of [`Sockets::answer`].
const NAMES: &[&str] =
    &[EZASOKET, "EZACIC04", "EZACIC05", "EZACIC06", "EZACIC08", "EZACIC09", "EZACIC14", "EZACIC15"];

impl Service for Sockets {
    fn names(&self) -> &'static [&'static str] {
        NAMES
    }

    fn call<'a>(
        &'a self,
        task: &'a mut Task,
        call: &'a ServiceCall<'a>,
        tried: bool,
    ) -> Outcome<Answered<'a>> {
        if call.name() == EZASOKET {
            call.gives_way();
        }
        self.answer(task, call.name(), Arguments::new(call), tried)
    }
}

impl Sockets {
    fn answer<'a>(
        &'a self,
        task: &'a mut Task,
        name: &str,
        arguments: Arguments<'a>,
        tried: bool,
    ) -> Outcome<Answered<'a>> {
        let code = match name {
            EZASOKET => return ezasoket(SocketCall { task, arguments, shared: &self.0, tried }),
            "EZACIC04" | "EZACIC14" => helpers::translate(arguments, To::Ascii, self.0.text),
            "EZACIC05" | "EZACIC15" => helpers::translate(arguments, To::Ebcdic, self.0.text),
            "EZACIC06" => helpers::masks(arguments),
            "EZACIC08" => helpers::host_entry(arguments, self.0.sockets_of(task)),
            _ => helpers::address_info(arguments),
        };
        code.map(Answered::Now)
    }
}
