//! CSD definitions as applications ship them: the text that DFHCSDUP reads.
//!
//! Here live the commands ([`parse`]), the typed [`Definition`]s with the defaults and legal values of every resource
//! type (from `spec`), and a [`Csd`]: the groups and lists that come of applying the commands.
//!
//! Out of scope: what a resource does once it is installed. That is `kernel`'s.

#![doc = include_str!("../README.md")]

mod apply;
mod attribute;
mod change;
mod check;
mod command;
mod definition;
mod legal;
mod lock;
mod names;
mod parse;
mod parts;
mod request;
mod resource;
mod statement;
mod store;
mod string;
mod transfer;
mod words;

pub use attribute::{AttributeSpec, attributes_of};
pub use change::{Edited, Text, change, read};
pub use check::check;
pub use command::{Command, Commands, DeleteTarget, Duplicates, Position};
pub use definition::{Attribute, Definition, quoted_if_needed};
pub use legal::Legal;
pub use parse::parse;
pub use parts::{Mistake, Parts, request_of};
pub use request::{Given, Request, Verb, deck, request};
pub use resource::ResourceType;
pub use store::{Csd, USER_DEFAULTS, generic};
pub use string::{AttributeFault, NotAttributes, read_attributes};
