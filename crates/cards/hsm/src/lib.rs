//! A test HSM: it answers host commands in the manner of a payment HSM, over TCP.
//!
//! [`Module`] is the device without its cable: a command's bytes in, a response's bytes out, keys held only as
//! cryptograms under its local master key (`lmk`). [`serve`] is the cable: connections, their limit, latency and faults
//! on demand ([`Behaviour`]), and the counts ([`Statistics`]).
//!
//! Out of scope: a key in clear outside this process; a key store (a real HSM has none either: the user of a
//! key keeps its cryptogram). It protects nothing: its local master key is published.

mod behaviour;
mod commands;
mod connection;
mod error;
mod fields;
mod lmk;
mod module;
mod server;
mod statistics;
mod verify;

pub use behaviour::{Behaviour, DeviceFault, Faults, Latency, LatencyError};
pub use commands::FIRMWARE;
pub use error::ErrorCode;
pub use lmk::{KeyType, Lmk, Scheme, wrap};
pub use module::{HEADER_LENGTH, Module, OUT_OF_PLACES};
pub use server::{CONNECTIONS_MAX, Setup, serve};
pub use statistics::Statistics;
pub use verify::VerifyCommand;
