//! The front door for HTTP.
//!
//! A [`Door`] is given connections on a tokio current-thread runtime (`ports::serve` accepts them), reads requests as
//! strictly as the crate `http` does, asks the region behind [`Host`] what becomes of each, gives it what is to be done,
//! and writes what it answers. All of it is one future a connection, with a bound on everything that a client can make
//! grow, and a time for everything that it can hold up ([`Limits`]).
//!
//! Out of scope: what a request leads to (URIMAPs, tasks, security), and how messages become records.

mod answer;
mod bytes;
mod clock;
mod coding;
mod door;
mod entrance;
mod host;
mod http1;
mod http2;
mod limits;
mod link;
mod prefixed;
mod reply;
mod traffic;

pub use answer::Answer;
pub use door::{Door, KeptConnections, Welcome};
pub use host::{Found, Gone, Host, Next, Peer, Request, Tls};
pub use limits::{IDLE_BYTES_MAX, Limits};
pub use reply::{ClientGone, Reply};
pub use traffic::{Count, Traffic};
