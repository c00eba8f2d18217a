//! The protocol between a client and a server: messages out, messages in, the connection that carries them.
//!
//! Out of scope: what a statement means, a transaction, a host variable.

mod connection;
mod fault;
mod receive;
mod send;
mod start;
mod stream;

pub(crate) use connection::Connection;
pub use fault::ServerFault;
pub(crate) use receive::{Body, Message, invalid};
pub(crate) use send::{Format, Outgoing, Parameters};
pub use start::{CannotConnect, Settings};
pub(crate) use start::{Key, cancel, start};
