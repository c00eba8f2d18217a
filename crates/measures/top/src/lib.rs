//! The work of a region as it goes on, in a terminal.
//!
//! In scope: figures and tasks as tables with rates, keys, the screen. Out of scope: the way to the region, which a [`Source`] knows.

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod app;
mod run;
mod screen;
mod snapshot;
mod table;
mod views;

pub use run::{once, run};
pub use snapshot::{Attributes, Figure, Snapshot};

/// A region that can be asked.
pub trait Source {
    /// Its figures and its tasks now; the reason if there are none.
    fn look(&mut self) -> Result<(Vec<Figure>, Vec<Attributes>), String>;

    /// The answer to a command of CEMT.
    fn operate(&mut self, command: &str) -> Result<String, String>;
}
