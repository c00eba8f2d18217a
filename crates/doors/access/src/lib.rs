//! A region's data sets for programs outside it.
//!
//! In scope: requests and replies as values, the session that answers them on a region's data sets, the private
//! socket on which a running region takes them, and the client that asks the region if it runs and otherwise opens the
//! data itself. An [`Operator`] does for it what only a region can do.
//!
//! Out of scope: what a request is for. COBOL's files are `batch`'s, commands of the utility `datasets`'.

#![doc = include_str!("../README.md")]

mod backup;
mod client;
mod data_set;
mod external;
mod neighbours;
mod operator;
mod progress;
mod protocol;
mod server;
mod session;
mod tables;
mod temporary;
mod utility;
mod wire;

pub use backup::{DUMPS, FOLDER, SEALED};
pub use client::{AccessError, Client, Unanswered};
pub use external::{External, ExternalAnswer, ExternalDone, ExternalLink};
pub use neighbours::{Findable, make_findable, neighbour};
pub use operator::{HeldTables, Operated, Operator, Pipe};
pub use protocol::{
    Conversion, Failure, Figure, FileBytes, FileSpec, Found, Gauge, IndexInfo, KeyText, KindOfEntry, Listed,
    Opened, Operation, Organization, RegionStatus, Reply, Request, Search, Sequential, SequentialKind,
    ShapeSpec, SqlAnswer, SqlAsked, SqlValue, SqlVerb, UtilityOutcome,
};
pub use server::{Server, serve};
pub use tables::{OpenTables, OpenedTables};
pub use temporary::{TemporaryFolder, remove_left};
