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
    /// The transaction is one of another system.
    RemoteTransaction(TransactionName),
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
    /// The same, and it is not known yet whether the unit of work is committed.
    InDoubt {
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
                let help = instead(*t).unwrap_or("Check that the transaction name is correct.");
                format!("DFHAC2001 {applid} Transaction '{t}' is not recognized. {help}")
            }
            Self::RemoteTransaction(t) => {
                format!(
                    "SPAC001 {applid} Transaction {t} is defined as one of another system (REMOTESYSTEM), and does not begin here."
                )
            }
            Self::DisabledTransaction(t) => {
                format!("DFHAC2008 {applid} Transaction {t} has been disabled and cannot be used.")
            }
            Self::NotAuthorized(t) => {
                format!(
                    "DFHAC2033 {applid} Transaction {t} is not open to this user. Sign on with CESN as a user who may run it; syncpoint user add makes one."
                )
            }
            Self::TooManyTasks(t) => {
                format!(
                    "SPAC002 {applid} Transaction {t} was not started: too many tasks wait already. Try again."
                )
            }
            Self::SignedOff => {
                format!("DFHCE3590 {applid} Sign-off is complete: nothing was done here for too long.")
            }
            Self::RegionEnds(t) => {
                format!("SPAC003 {applid} Transaction {t} was not started: the region ends.")
            }
            Self::Abend { transaction, code, program } => format!(
                "DFHAC2206 {applid} Transaction {transaction} failed with abend {code} in program {program}. Updates to recoverable resources are backed out.{}",
                reason(*code)
            ),
            Self::InDoubt { transaction, code, program } => format!(
                "DFHAC2206 {applid} Transaction {transaction} failed with abend {code} in program {program}. Its unit of work stays in doubt, with its locks, until it is known whether its updates are committed."
            ),
        }
    }
}

impl Message {
    /// Its number, and its inserts behind date, time and applid.
    pub fn inserts(&self) -> (&'static str, Vec<String>) {
        let of = |transaction: &TransactionName| vec![transaction.to_string()];
        match self {
            Self::UnknownTransaction(t) => ("DFHAC2001", of(t)),
            Self::RemoteTransaction(t) => ("SPAC001", of(t)),
            Self::DisabledTransaction(t) => ("DFHAC2008", of(t)),
            Self::NotAuthorized(t) => ("DFHAC2033", of(t)),
            Self::TooManyTasks(t) => ("SPAC002", of(t)),
            Self::SignedOff => ("DFHCE3590", Vec::new()),
            Self::RegionEnds(t) => ("SPAC003", of(t)),
            Self::Abend { transaction, code, program } | Self::InDoubt { transaction, code, program } => {
                ("DFHAC2206", vec![transaction.to_string(), code.to_string(), program.to_string()])
            }
        }
    }
}

/// The reason of an abend that a newcomer meets before any program has run, and a way to learn more.
fn reason(code: AbendCode) -> &'static str {
    if code == AbendCode::from("APCT") {
        " The program is not defined, is disabled, or does not build: syncpoint check says which."
    } else {
        ""
    }
}

/// Substitute for a transaction that CICS supplies and that is not here.
fn instead(name: TransactionName) -> Option<&'static str> {
    Some(match name.as_bytes() {
        b"CEDX" => "CEDF follows the tasks of a terminal; `syncpoint debug` follows any.",
        b"CEST" | b"CEMS" => "CEMT is here.",
        b"CMAC" => "docs of this product explain messages and abend codes.",
        b"CSFE" | b"CRTE" | b"CADP" | b"CIND" | b"CKQC" | b"CDBC" | b"CREA" | b"CREC" | b"CEKL" | b"CESC"
        | b"COVR" => "CICS supplies it; it is not built here.",
        _ => return None,
    })
}
