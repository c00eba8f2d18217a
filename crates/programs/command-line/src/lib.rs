//! The ground that commands stand on: messages, standard output and error, progress, signals, an event loop.
//!
//! Nothing here knows what a command does. The programs `syncpoint` and `syncpoint-cards` use it.

pub mod codes;
pub mod ends;
pub mod event_loop;
pub mod manual;
pub mod messages;
pub mod output;
pub mod stderr;
pub mod terminal;
