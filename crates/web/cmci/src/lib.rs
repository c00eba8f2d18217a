//! The CICS management client interface (CMCI): its requests and answers as values.
//!
//! | module | what lives there |
//! |---|---|
//! | [`target`] | path and query of a request |
//! | [`resource`] | the names of resources, and what each means |
//! | [`criteria`], [`order`] | the records that are wanted, and their order |
//! | [`body`] | a change: CREATE, UPDATE, or an action |
//! | [`record`] | records and their values |
//! | [`retained`] | result sets that clients come back to |
//! | [`answer`], [`codes`] | answers as XML, and their codes |
//!
//! Out of scope: HTTP, the region, and which attributes a resource has.

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod answer;
pub mod body;
pub mod codes;
pub mod criteria;
pub mod limits;
pub mod order;
pub mod record;
pub mod refusal;
pub mod resource;
pub mod retained;
pub mod target;

pub use answer::{Answer, Feedback};
pub use body::Change;
pub use criteria::Criteria;
pub use order::Order;
pub use record::{Datum, Record};
pub use refusal::Refusal;
pub use resource::Resource;
pub use retained::Retained;
pub use target::{Parameters, RequestTarget};
