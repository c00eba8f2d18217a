//! The front door for 3270 terminals.
//!
//! [`serve`] accepts connections on a tokio current-thread runtime, negotiates TN3270 or TN3270E with each, asks the
//! terminal what it can do, and joins it to the region behind [`Region`] until either end leaves. All of it is one task
//! a connection: no thread, no polling, and a bound with a name on everything a client can make grow ([`Limits`]).
//!
//! What never lives here: what a data stream says, and what a terminal runs; records pass through as bytes.

mod addresses;
mod connection;
mod door;
mod limits;
mod link;
mod pilot;
mod region;
mod secure;

pub use door::{Door, Welcome, serve};
pub use limits::Limits;
pub use pilot::{Pilot, PilotError};
pub use region::{
    Connected, Disconnect, Inbound, Outbound, Overrun, Refusal, Region, Reservation, Session, Terminal,
    Wanted,
};
pub use secure::{Certificate, CertificateError};
