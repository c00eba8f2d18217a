//! A load client for the Authenticator: simulated terminals that read simulated cards.
//!
//! | module | what lives there |
//! |---|---|
//! | [`batch`] | the same cards for the issuer's own system |
//! | [`tracks`] | files of track 2 lines: one file a terminal, one line a card; read and made |
//! | [`simulator`] | cards that know their portfolio's key: right codes and wrong ones |
//! | [`kind`] | kinds of messages, their mix, and the expected outcomes |
//! | [`plan`] | the plan of a run, and [`run()`] |
//! | [`ledger`] | the accepted counters: a region must not forget them |
//! | [`report`] | the results of a run |
//! | [`steady`] | from when on a load may be measured |
//!
//! Out of scope: the region's end of anything. Codes are the `card` crate's.

pub mod batch;
pub mod kind;
pub mod ledger;
pub mod plan;
pub mod report;
pub mod simulator;
pub mod steady;
pub mod tracks;

mod link;
mod machine;
mod run;
mod terminal;

pub use run::run;
