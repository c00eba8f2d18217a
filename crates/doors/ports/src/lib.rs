//! The parts that all front doors share: ports, places for clients, TLS, and the end.
//!
//! - [`listen`], [`open`]: a port, on one thread or with a listening socket for each of several; [`CannotListen`] has
//!   the remedy for a port that cannot be had.
//! - [`Sharing`], [`open_for`]: a port that several regions of this machine listen on.
//! - [`Clients`]: the limits on a door's clients, all together and from one address.
//! - [`Certificate`], [`Suites`]: TLS; [`Arrival::shake_hands`] keeps slow clients from holding up others.
//! - [`serve`]: a future for each client, until the door ends ([`Served`], [`Ending`]).
//!
//! Out of scope: a protocol, a task, a terminal. A door that is built on this is described in ARCHITECTURE.md,
//! "Front doors".

mod clients;
mod closing;
mod descriptors;
mod handshakes;
mod limits;
mod local;
mod passing;
mod places;
mod port;
mod secured;
mod serve;
mod sharing;
mod shown;
mod suites;
mod tickets;
mod tls;
mod turns;

pub use clients::{Arrival, Clients, Limits, Presence, TooMany};
pub use closing::Closing;
pub use descriptors::{CLIENTS_LEAST, Descriptors, raise_limit, share_descriptors};
pub use handshakes::{Handshakes, Suite, Way, count_proxied, handshakes};
pub use limits::{BACKLOG, LEFT_MAX};
pub use local::LocalPath;
pub use places::{ClientPlace, Places, Seat, Seated, Spared, Taken};
pub use port::{CannotListen, Opened, listen, open};
pub use secured::{Secured, Spent, Tally, measure_transfers};
pub use serve::{Ending, Listens, Served, serve};
pub use sharing::{OpenedPort, Sharing, Which, open_for};
pub use suites::Suites;
pub use tickets::TicketSecret;
pub use tls::{
    Certificate, CertificateError, ClientCertificates, NoHandshake, TlsPolicy, TlsVersion,
    client_certificate, fingerprint, identity, read_certificates_again, shake_hands_with,
};
pub use turns::{Allows, Gate, Listener, PortSocket};
