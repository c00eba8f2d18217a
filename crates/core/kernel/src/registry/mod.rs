//! The registry of resource types: the words in which a domain says which resources it has.
//!
//! A type is one row, [`Kind`]: a [`Table`] (what INQUIRE tells of its resources and what SET changes) and, where they are
//! defined, a [`Defined`] (which attributes count, how a definition becomes a resource). Domains write these rows; those who
//! go through all types (`system`, `definitions`, CEMT) read them in the catalogue. A part of a bundle that is no resource is a row, too:
//! [`PartKind`].
//!
//! Out of scope: a resource type.

mod change;
mod defined;
mod inquire;
mod kind;
mod manager;
mod part;
mod set;
pub mod signature;
mod table;

pub use defined::{Defined, NamedStatus, Status};
pub use defined::{bytes_of, remote_system};
pub use inquire::{Key, Resource, Row};
pub use inquire::{digits, number};
pub use kind::Kind;
pub use manager::Manager;
pub use part::{MadePart, PartFault, PartFile, PartKind, PartStatus};
pub use set::{Changes, Given, Set, Setting, Takes};
pub use table::{Named, Table};
