//! Messages of the region to a terminal's user.
//!
//! Numbers and the sense of their texts are those that clients and people wait for; the words are ours.

use crate::name::{Name8, TransactionName};
use crate::raise::AbendCode;

/// A message to a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// No such transaction.
    UnknownTransaction(TransactionName),
    /// The transaction is disabled.
    DisabledTransaction(TransactionName),
    /// The user may not run it.
    NotAuthorized(TransactionName),
    /// There are too many tasks.
    TooManyTasks(TransactionName),
    /// The user has not done anything for too long.
    SignedOff,
    /// The region ends.
    RegionEnds(TransactionName),
    /// The task abended; its changes are backed out.
    Abend {
        /// The transaction.
        transaction: TransactionName,
        /// The code.
        code: AbendCode,
        /// The program.
        program: Name8,
    },
}

impl Message {
    /// The message as one line.
    pub fn text(&self, applid: Name8) -> String {
        match self {
            Self::UnknownTransaction(t) => {
                format!(
                    "DFHAC2001 {applid} Transaction '{t}' is not recognized. Check that the transaction name is correct."
                )
            }
            Self::DisabledTransaction(t) => {
                format!("DFHAC2008 {applid} Transaction {t} has been disabled and cannot be used.")
            }
            Self::NotAuthorized(t) => {
                format!(
                    "DFHAC2002 {applid} Transaction {t} is not open to this user. Sign on with CESN as one who may run it."
                )
            }
            Self::TooManyTasks(t) => {
                format!(
                    "DFHAC2033 {applid} Transaction {t} was not started: too many tasks wait already. Try again."
                )
            }
            Self::SignedOff => {
                format!("DFHCE3590 {applid} Sign-off is complete: nothing was done here for too long.")
            }
            Self::RegionEnds(t) => {
                format!("DFHAC2033 {applid} Transaction {t} was not started: the region ends.")
            }
            Self::Abend { transaction, code, program } => format!(
                "DFHAC2206 {applid} Transaction {transaction} failed with abend {code} in program {program}. Updates to recoverable resources are backed out."
            ),
        }
    }
}
