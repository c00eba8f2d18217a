//! IDCAMS commands: how applications say what their data sets are and what is in them.
//!
//! Here live the commands as typed values ([`Command`]) with the conditions around them ([`Statement`]), read from a
//! text or from the SYSIN of a job's steps, where INFILE and OUTFILE are resolved by the step's DD statements.
//!
//! Out of scope: doing it. Data sets are `vsam`'s.

#![doc = include_str!("../README.md")]

mod attributes;
mod command;
mod define;
mod keywords;
mod nodes;
mod operate;
mod parameters;
mod parse;
mod statement;

pub use attributes::{Attributes, Keys, Log, RecordSize};
pub use command::{
    Alias, Alter, AlternateIndex, BuildIndex, Cluster, Command, Delete, Detail, EntryKind, Examine, Export,
    FileRef, Gdg, Import, Key, ListCatalog, Name, Nonvsam, Organization, Path, Print, PrintFormat, Repro,
    Selection, Verify,
};
pub use parse::{Parsed, parse};
pub use statement::{Code, Condition, Relation, Statement, Step};
