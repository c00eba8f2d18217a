//! The front door for 3270 terminals.
//!
//! A [`Door`] is given connections on a tokio current-thread runtime (`ports::serve` accepts them), negotiates TN3270
//! or TN3270E with each, asks the terminal for its capabilities, and joins it to the region behind [`Host`] until
//! either end leaves. All of it is one task a connection: no thread, no polling, and a bound with a name on everything
//! a client can make grow ([`Limits`]).
//!
//! Out of scope: what a data stream says, and what a terminal runs; records pass through as bytes.

mod connection;
mod door;
mod host;
mod limits;
mod link;
mod pilot;
mod service;
mod tap;

pub use door::{Door, Welcome};
pub use host::{
    Caller, Connected, Disconnect, Form, FromClient, Host, Overrun, Partner, Refusal, Reservation, Session,
    ToClient, Wanted,
};
pub use limits::Limits;
pub use pilot::{Pilot, PilotError};
pub use tap::{Tap, Tapped};
