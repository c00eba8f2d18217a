//! A region as a whole: the parts that concern all of its domains at once.
//!
//! - [`system`]: INQUIRE and SET, and the tables that they, CEMT and the pages of `docs` share;
//! - [`definitions`]: CSD texts, CREATE and DISCARD, and the resources that outlive a warm start;
//! - [`restart`]: the state that a start restores; [`program_lists`]: the programs that run at its beginning and end;
//! - [`outside`]: tasks that are run without a terminal;
//! - [`supplied`]: CEMT, CECI, CESN and the other supplied transactions;
//! - [`start`]: builds, starts and stops a region.
//!
//! Out of scope: a command that programs issue in their ordinary work, and what it works on (crate `domains`).

pub mod definitions;
pub mod outside;
pub mod program_lists;
pub mod restart;
pub mod start;
pub mod supplied;
pub mod system;
