//! A connection's bytes as events, for both ends.
//!
//! [`Server`] is the region's end, [`Client`] the terminal's. Each is fed the bytes that arrived, gives events, and
//! collects the bytes to send. Neither ever waits: time-outs belong to the owner of the socket.
//!
//! Out of scope: what a record means (see [`crate::datastream`]).

mod bind;
mod client;
mod code;
mod device;
mod framing;
mod server;
mod tn3270e;
mod trace;

pub use bind::{Bind, LogicalUnit, PresentationSize};
pub use client::{Client, ClientEvent, Wish};
pub use code::{Verb, command, option};
pub use device::{DeviceKind, DeviceType, PrinterLanguage};
pub use framing::{
    Decoder, Item, NEGOTIATION_LEN_MAX, RECORD_LEN_MAX, SUBNEGOTIATION_LEN_MAX, Violation, put_record,
    put_text,
};
pub use server::{Ending, Event, Offer, REQUESTS_MAX, Request, Server, SessionKind, StartTls};
pub use tn3270e::{
    DataType, Function, Functions, Header, Message, Outcome, Reject, RequestedLu, request_flag, response_flag,
};
pub use trace::{NotATrace, read, show};
