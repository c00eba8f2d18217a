//! IP sockets for COBOL programs.
//!
//! In scope: `CALL 'EZASOKET'` with all its functions, the programs beside it (EZACIC04 to 15), and sockets on
//! their way from task to task. A call that must wait suspends its task, never the thread.
//!
//! Out of scope: EXEC CICS commands, and what a message means.

mod address;
mod arguments;
mod arrived;
mod calls;
mod counters;
mod counts;
mod errno;
mod handover;
mod helpers;
mod limits;
mod listener;
mod port;
mod region;
mod relay;
mod resolver;
mod shared;
mod socket;
mod statistics;
mod task;
mod timer;

pub use helpers::Text;
pub use listener::{Listener, read as read_listeners};
pub use region::Sockets;
pub use relay::{ClientLimits, Conversation, Framing};
