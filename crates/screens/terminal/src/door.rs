//! The door: its rules for clients, and their limits.

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use ebcdic::CodePage;
use ports::{Certificate, Clients, NoHandshake, Presence, TooMany};
use tn3270::telnet::{Offer, Server};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::connection;
use crate::host::{Caller, Disconnect, Host};
use crate::limits::{Limits, REFUSALS_MAX};
use crate::link::Link;

/// A door to one region. Several listeners may share it, and so its limits.
pub struct Door {
    region: Rc<dyn Host>,
    offer: Offer,
    limits: Limits,
    clients: Arc<Clients>,
    refusals: Semaphore,
}

/// The way in which a port begins a connection.
#[derive(Clone)]
pub enum Welcome {
    /// With the protocol itself.
    Plain,
    /// With a TLS handshake.
    Secure(Certificate),
}

impl Door {
    /// A door to a region whose APPLID terminals get in a BIND.
    pub fn new(region: Rc<dyn Host>, applid: &str, limits: Limits) -> Rc<Self> {
        let offer = Offer { application: CodePage::Ibm037.encode(applid), ..Offer::default() };
        let clients = Clients::new(limits.of_clients());
        Rc::new(Self { region, offer, clients, refusals: Semaphore::new(REFUSALS_MAX), limits })
    }

    /// Connections at present.
    pub fn connections(&self) -> usize {
        self.clients.present()
    }

    /// Serves a client that a port has accepted, to its end: for [`ports::serve`].
    pub async fn welcome(
        self: Rc<Self>,
        welcome: Welcome,
        stream: TcpStream,
        peer: SocketAddr,
    ) -> Disconnect {
        let certificate = match welcome {
            Welcome::Plain => return self.serve_connection(stream, peer).await,
            Welcome::Secure(certificate) => certificate,
        };
        let arrival = match self.clients.arrive(peer.ip()) {
            Ok(arrival) => arrival,
            Err(why) => return Disconnect::Refused(why.to_string()),
        };
        match arrival.shake_hands(&certificate, stream).await {
            Ok(secured) => {
                let certificate = ports::client_certificate(&secured);
                let caller = Caller { peer, certificate, user: None };
                self.serve_admitted(arrival.enter(), secured, caller).await
            }
            Err(NoHandshake::TooSlow) => Disconnect::NegotiationTimeout,
            Err(NoHandshake::Failed(error)) => {
                tracing::warn!(%peer, %error, "no TLS connection was made");
                Disconnect::Lost(error.kind())
            }
        }
    }

    /// Serves one connection to its end, over whatever carries bytes: a socket, TLS on a socket, a pipe.
    pub async fn serve_connection<S: AsyncRead + AsyncWrite>(
        &self,
        stream: S,
        peer: SocketAddr,
    ) -> Disconnect {
        self.serve_caller(stream, Caller { peer, certificate: None, user: None }).await
    }

    /// Serves one connection of a client whom another door knows already, to its end.
    pub async fn serve_caller<S: AsyncRead + AsyncWrite>(&self, stream: S, caller: Caller) -> Disconnect {
        self.serve_admitted(self.clients.admit(caller.peer.ip()), stream, caller).await
    }

    async fn serve_admitted<S: AsyncRead + AsyncWrite>(
        &self,
        admitted: Result<Presence, TooMany>,
        stream: S,
        caller: Caller,
    ) -> Disconnect {
        let peer = caller.peer;
        let _presence = match admitted {
            Ok(presence) => presence,
            Err(why) => return self.refuse(stream, why).await,
        };
        let mut link = self.link(stream);
        tracing::debug!(%peer, "terminal connected");
        let why = connection::run(&mut link, &*self.region, caller, &self.limits).await;
        tracing::debug!(%peer, %why, "terminal disconnected");
        if why.can_be_told() {
            link.farewell(&self.limits).await;
        }
        why
    }

    async fn refuse<S: AsyncRead + AsyncWrite>(&self, stream: S, why: TooMany) -> Disconnect {
        let text = format!("This TN3270 server takes no more clients: {why}. Try again later.");
        if let Ok(_turn) = self.refusals.try_acquire() {
            let mut link = self.link(stream);
            link.server.turn_away(&text);
            link.farewell(&self.limits).await;
        }
        Disconnect::Refused(text)
    }

    fn link<S: AsyncRead + AsyncWrite>(&self, stream: S) -> Link<S> {
        Link::new(stream, Server::new(self.offer.clone()), &self.limits)
    }
}
