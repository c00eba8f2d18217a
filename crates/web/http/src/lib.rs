//! HTTP/1.1 as values: the messages that a front door reads from its clients and a client from its servers, and writes.
//!
//! | module | what lives there |
//! |---|---|
//! | [`incoming`], [`answers`] | a connection's bytes as requests, or as answers |
//! | [`request`], [`response`], [`fields`] | heads, and their header tables |
//! | [`body`], [`chunk`] | the length of a body, and chunks in both directions |
//! | [`url`], [`percent`], [`form`], [`multipart`], [`media`], [`date`] | the texts within heads and bodies |
//! | [`write`](mod@write), [`status`] | heads as bytes |
//! | [`proxy`] | the header of PROXY protocol v2 |
//! | [`limits`], [`refusal`] | the limits of messages, and the refusal of those that are not HTTP |
//!
//! Out of scope: sockets, clocks, TLS, HTTP/2, and what a request is for. Bytes in, values out.

pub mod answers;
pub mod body;
pub mod chunk;
pub mod date;
pub mod fields;
pub mod form;
mod form_field;
pub mod incoming;
pub mod limits;
pub mod media;
pub mod multipart;
pub mod percent;
pub mod proxy;
pub mod refusal;
pub mod request;
pub mod response;
pub mod status;
pub mod url;
pub mod version;
pub mod write;

mod head;

pub use answers::Answers;
pub use fields::{Fields, Unwritable};
pub use incoming::{Event, Incoming};
pub use limits::Limits;
pub use refusal::Refusal;
pub use request::RequestHead;
pub use response::ResponseHead;
pub use version::Version;
