//! The web console of a region: pages within the binary, JSON below them, and a 3270 over a WebSocket.
//!
//! In scope: HTTP for these, sessions, what a browser may ask, the screen of a terminal as rows. Out of scope: users, rights,
//! resources and terminals, which a [`Host`] and [`Terminals`] have.

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod answer;
mod api;
mod connection;
mod desk;
mod device;
mod display;
mod ending;
mod files;
mod guard;
mod host;
mod keys;
mod limits;
mod looks;
mod paper;
mod picture;
pub mod recent;
mod sessions;
mod terminal;
mod websocket;

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use ports::{CannotListen, Certificate, Clients, Limits};
use tokio::net::TcpStream;

use connection::Connection;
use desk::{Client, Desk};
use guard::Names;
use sessions::Sessions;

pub use host::{
    About, Answered, Change, Claim, Edit, Host, Look, NotSignedOn, Person, Refused, Served, Terminals,
};

/// The settings of a console.
pub struct Settings {
    /// The address on which it listens.
    pub listen: SocketAddr,
    /// Names by which browsers call it, beside addresses and `localhost`.
    pub names: Vec<String>,
    /// Its certificate; `None`: in clear.
    pub certificate: Option<Certificate>,
    /// The time without use after which a session ends.
    pub idle: Duration,
}

/// An open console.
pub struct Console {
    /// The address on which it listens.
    pub address: SocketAddr,
    served: ports::Served,
}

/// Opens a console. It is to be called within a `LocalSet`.
///
/// # Errors
/// The port cannot be had.
pub fn open<H: Host>(
    settings: Settings,
    host: Arc<H>,
    terminals: Rc<dyn Terminals<H::User>>,
) -> Result<Console, CannotListen> {
    let Settings { listen, names, certificate, idle } = settings;
    let (listener, address) = ports::listen(listen)?;
    let secure = certificate.is_some();
    let sessions = Sessions::new(idle, secure, address.port());
    let desk = Rc::new(Desk::new(host, terminals, sessions, (Names(names), secure)));
    let most = Limits::new(limits::CONNECTIONS_MAX, limits::CONNECTIONS_PER_ADDRESS_MAX);
    let clients = Clients::new(most);
    let mut served = ports::Served::default();
    served.serve(listener, move |stream, peer| {
        serve(Rc::clone(&desk), Arc::clone(&clients), certificate.clone(), stream, peer)
    });
    Ok(Console { address, served })
}

/// Serves a client to its end. A client too many is let go without a word.
async fn serve<H: Host>(
    desk: Rc<Desk<H>>,
    clients: Arc<Clients>,
    certificate: Option<Certificate>,
    stream: TcpStream,
    peer: SocketAddr,
) {
    let Some(certificate) = certificate else {
        if let Ok(_presence) = clients.admit(peer.ip()) {
            Connection::new(&desk, stream, Client { peer, certificate: None }).run().await;
        }
        return;
    };
    let Ok(arrival) = clients.arrive(peer.ip()) else { return };
    match arrival.shake_hands(&certificate, stream).await {
        Ok(stream) => {
            if let Ok(_presence) = arrival.enter() {
                let certificate = ports::client_certificate(&stream);
                Connection::new(&desk, stream, Client { peer, certificate }).run().await;
            }
        }
        Err(why) => {
            tracing::debug!(target: "WB", %peer, "no TLS connection was made with the console: {why:?}")
        }
    }
}

impl Console {
    /// Accepts no client any more; those that are there are served on.
    pub fn close(&self) {
        self.served.close();
    }

    /// Serves no client any more; those that are being answered have a while to take it.
    pub async fn stop(&mut self) {
        self.served.stop(limits::FAREWELL).await;
    }
}
