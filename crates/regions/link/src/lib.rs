//! A link between two regions: many requests in flight over one stream of bytes, on one thread.
//!
//! ```text
//!  asker: Link::request ─► pending table ─► one buffer ─► one write for a round of the loop ─► stream
//!                               ▲                                                              │
//!                            replies ◄── frames ◄── one read ◄─────────────────────────────────┘
//! ```
//!
//! - [`frame`]: a head of twelve bytes and a body, read strictly.
//! - [`Hello`]: the first frame of each side: its names and numbers, what it lets the other one have in flight.
//! - [`Link`]: requests, replies, cancelling, heartbeat, orderly close. It lives on the thread that has made it.
//! - [`Sessions`]: how many requests to one partner may be in flight, from all threads; what waits for one is counted.
//! - [`carrier`]: a unix socket, or TCP with TLS at both ends. [`Clock`] and the streams are given, so that a simulator can
//!   cut and delay them.
//!
//! Out of scope: what a request means, definitions of partners, when a link is made.

pub mod carrier;
mod clock;
mod ended;
pub mod frame;
mod hello;
mod host;
mod inner;
pub mod limits;
mod link;
mod outgoing;
mod partial;
mod pending;
mod reader;
mod serving;
mod sessions;

pub use clock::{Clock, Patience, Timer};
pub use ended::{Ended, NoReply};
pub use frame::Vitals;
pub use hello::{Hello, Names, Purpose, Translation};
pub use host::Host;
pub use link::{Asking, Begin, Link, Traffic};
pub use pending::{Taker, Turn};
pub use serving::Asked;
pub use sessions::{Counts, NotAllocated, Queue, Session, Sessions};
