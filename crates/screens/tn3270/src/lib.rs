//! TN3270 and TN3270E, 3270 data streams and a 3270 screen: both ends, as values.
//!
//! - [`telnet`]: bytes of a connection in, events and bytes to send out; the region's end and the terminal's end.
//! - [`datastream`]: the content of the records between them: orders to a terminal, and a terminal's answers.
//! - [`screen`]: a 3270 as its user sees it: fields, keyboard, cursor.
//! - [`emulator`]: the terminal's end of [`telnet`] joined to a [`screen`]: a whole terminal without a socket.
//! - [`printer`]: the same of a printer, and what stands on its paper.
//!
//! Out of scope: sockets, clocks, tasks, and BMS (maps are the crate `bms`).

pub mod datastream;
pub mod emulator;
pub mod printer;
pub mod screen;
pub mod telnet;
