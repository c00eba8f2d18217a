//! WebSockets (RFC 6455) as values: the handshake, a browser's frames read strictly, and frames written.

mod frames;
mod handshake;

pub(crate) use frames::{Frames, Message, close, ping, pong, text};
pub(crate) use handshake::{accepted, is_asked_for};
