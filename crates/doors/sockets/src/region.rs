//! The sockets of a region: its listeners and conversations, and the programs that are CALLed.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use domains::statistics::Statistics;
use kernel::name::{Name8, TransactionName};
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::services::{Answered, Service, ServiceCall};
use kernel::task::Task;
use ports::{CannotListen, Sharing};

use crate::arguments::Arguments;
use crate::calls::{SocketCall, ezasoket};
use crate::helpers::{self, Text, To};
use crate::listener::{self, Listener, Listeners};
use crate::relay::{self, Conversation, Relays};
use crate::shared::Shared;
use crate::statistics::Teller;

/// IP sockets for the programs of a region.
pub struct Sockets {
    shared: Arc<Shared>,
    listeners: Arc<Listeners>,
    relays: Arc<Relays>,
    text: Text,
}

impl Sockets {
    /// The sockets of a region whose listeners listen at an address.
    pub fn new(applid: Name8, text: Text, address: IpAddr) -> Self {
        let shared = Arc::new(Shared::new(applid, address));
        let (listeners, relays) = (Listeners::new(&shared), Relays::new(&shared));
        Self { shared, listeners: Arc::new(listeners), relays: Arc::new(relays), text }
    }

    /// Installs listeners and conversations, with their transactions; statistics hear of all sockets.
    pub fn install(&self, region: &Region, listeners: Vec<Listener>, conversations: Vec<Conversation>) {
        let teller =
            Teller { counts: Arc::clone(&self.shared.counts), listeners: Arc::clone(&self.listeners) };
        Statistics::of(region).register(Arc::new(teller));
        listener::install(&self.listeners, region, listeners);
        relay::install(&self.relays, region, conversations);
    }

    /// Ports are shared with other regions from now on, as far as `sharing` says.
    pub fn share_ports(&self, sharing: &Arc<Sharing>) {
        self.shared.share_ports(sharing);
    }

    /// Starts the listeners and conversations that start with the region.
    ///
    /// # Errors
    /// A port that a conversation cannot have. A listener without its port is only reported.
    pub async fn start(&self, region: &Arc<Region>) -> Result<(), CannotListen> {
        listener::start(&self.listeners, region).await;
        relay::start(&self.relays, region).await
    }

    /// Takes no new client: listeners end, and conversations that wait for the next message.
    pub fn close(&self) {
        self.shared.closing.close();
        self.relays.close();
    }

    /// The addresses of the conversations, by their programs: for messages, then for clients that want answers.
    pub fn conversations(&self) -> Vec<(Name8, SocketAddr)> {
        self.relays.addresses()
    }

    /// The addresses of the running listeners.
    pub fn listeners(&self) -> Vec<(TransactionName, SocketAddr)> {
        self.listeners.addresses()
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
            EZASOKET => return ezasoket(SocketCall { task, arguments, shared: &self.shared, tried }),
            "EZACIC04" | "EZACIC14" => helpers::translate(arguments, To::Ascii, self.text),
            "EZACIC05" | "EZACIC15" => helpers::translate(arguments, To::Ebcdic, self.text),
            "EZACIC06" => helpers::masks(arguments),
            "EZACIC08" => helpers::host_entry(arguments, self.shared.sockets_of(task)),
            _ => helpers::address_info(arguments),
        };
        code.map(Answered::Now)
    }
}
