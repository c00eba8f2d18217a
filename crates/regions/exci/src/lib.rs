//! The external interface: batch programs have programs of a running region run.
//!
//! In scope: the six calls of DFHXCIS, LINK, and channels with their containers, as a program outside of a region has them; their
//! responses and reasons; the way to the region.
//!
//! Out of scope: the program's storage (`batch`), and what a region does with a request (`intersystem`).

#![doc = include_str!("../README.md")]

mod arguments;
mod calls;
mod channels;
mod commands;
mod containers;
mod limits;
mod link;
mod names;
mod pipes;
mod reasons;
mod request;
#[cfg(test)]
mod tests;
mod way;

pub use arguments::{Arguments, Command, NoArea};
pub use calls::NAME;
pub use commands::{Refused, answers};
pub use way::{Home, NoWay, Regions, Unheard, Way};

use channels::Channels;
use pipes::Pipes;

/// The external interface as the programs of a run have it: their pipes and channels.
pub struct Interface {
    regions: Box<dyn Regions>,
    /// The user of the job; `None`: the region's default user.
    client: Option<String>,
    pipes: Pipes,
    channels: Channels,
}

/// A call that has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// An argument that must be there is not, or lies nowhere.
    NoArea,
    /// The run is to stop.
    Stopped,
}

impl From<NoArea> for Unanswered {
    fn from(_: NoArea) -> Self {
        Self::NoArea
    }
}

impl Interface {
    /// An interface without pipes and channels. `client`: the user of the job.
    pub fn new(regions: Box<dyn Regions>, client: Option<String>) -> Self {
        Self { regions, client, pipes: Pipes::default(), channels: Channels::default() }
    }

    /// A program has ended: its pipes are closed, and its channels stay for the programs of the job's next steps, as published.
    pub fn program_ends(&mut self) {
        self.pipes = Pipes::default();
    }

    /// A job begins: it has no channels of the one before.
    pub fn job_begins(&mut self) {
        self.channels = Channels::default();
    }
}
