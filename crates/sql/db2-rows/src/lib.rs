//! Tables on the record engine: the catalogue, rows, indexes, locks by isolation, and statements that are put back.
//!
//! Rows and keys are bytes here; a [`Form`] says what they mean, and [`ValueForm`] is that of Db2's values. Plans are another crate's concern:
//! this one has never heard of a statement's text.

#![doc = include_str!("../README.md")]

mod building;
mod catalogue;
mod cursor;
mod definition;
mod failure;
mod form;
pub mod limits;
mod live;
mod locked;
mod numbers;
mod range;
mod read;
mod sequence;
mod tables;
mod values;
mod views;
mod wish;
mod work;

pub use building::Building;
pub use catalogue::{
    Catalogue, Column, ColumnType, Index, IndexId, KeyColumn, Name, Sequence, SequenceId, Table, TableId,
    Unique, View, ViewId,
};
pub use cursor::{Cursor, Path, Row};
pub use definition::{NewIndex, NewSequence, NewTable};
pub use failure::{Failure, Reason, Stop, Tried};
pub use form::{Form, Malformed};
pub use live::Rid;
pub use locked::LockedObject;
pub use range::Range;
pub use tables::Tables;
pub use values::ValueForm;
pub use wish::{Isolation, Wish};
pub use work::{LockMode, Savepoint, Work};
