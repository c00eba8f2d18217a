//! Storage that a program has of others: EXTERNAL and GLOBAL items, the switches.

use serde::{Deserialize, Serialize};

/// A record of the linkage section that gets its address from the caller whenever the program is entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Borrowed {
    /// The record.
    pub linkage: u32,
    /// Lender of the address.
    pub from: Lender,
}

/// Storage of others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Lender {
    /// EXTERNAL: one area of that name for the run unit.
    External(String),
    /// GLOBAL: in the WORKING-STORAGE of a program around this one.
    Around {
        /// The program, by its place in what [`crate::lower`] gives.
        program: u32,
        /// Its first byte there.
        at: u32,
    },
}

/// The name of the EXTERNAL area in which each UPSI switch has a byte: 1 is on. No program can write it.
pub const SWITCHES_NAME: &str = "UPSI SWITCHES";
/// Number of switches.
pub const SWITCHES: usize = 8;
