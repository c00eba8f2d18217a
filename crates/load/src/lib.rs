//! A load client for the Authenticator: simulated terminals that read simulated cards.
//!
//! | module | what lives there |
//! |---|---|
//! | [`batch`] | the same cards for the issuer's own system |
//! | [`tracks`] | files of track 2 lines: one file a terminal, one line a card; read and made |
//! | [`simulator`] | cards that know their portfolio's key: right codes and wrong ones |
//! | [`kind`] | kinds of messages, their mix, and what each should come to |
//! | [`plan`] | what a run is made of, and [`run()`] |
//! | [`ledger`] | which counters were accepted: what a region must not forget |
//! | [`report`] | what came of a run |
//!
//! What never lives here: the region's end of anything. Codes are the `card` crate's.

pub mod batch;
pub mod kind;
pub mod ledger;
pub mod plan;
pub mod report;
pub mod simulator;
pub mod tracks;

mod link;
mod machine;
mod run;
mod terminal;

pub use run::run;
